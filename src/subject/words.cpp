#include "subject/words.h"

#include <fmt/format.h>

#include <utf8.h>
#include <utf8/unchecked.h>

#include <filesystem>
#include <stdexcept>
#include <utility>

namespace posproof {
namespace {

bool blank(char c) {
  return c == ' ' || c == '\t' || c == '\n';
}

// No name that is too long, and nothing in a folder that may not be read.
bool is_there(const std::string& file) {
  std::error_code none;
  return std::filesystem::exists(file, none);
}

// What follows the last @ and is no precision belongs to the words (`cmd:ssh me@host rope`, a file that is
// there), or is misspelt.
bool is_meant_as_precision(const Words& words, std::size_t at) {
  constexpr std::string_view of_precisions = "abcdefghijklmnopqrstuvwxyz0123456789/+";
  const bool spelt = words.rest.find_first_not_of(of_precisions, at + 1) == std::string::npos;
  return spelt && at + 1 < words.rest.size() && !(words.scheme != "cmd" && is_there(words.rest));
}

}  // namespace

std::vector<std::string> split(std::string_view words) {
  std::vector<std::string> out;
  std::optional<std::string> word;
  char quote = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const char c = words[i];
    const char next = i + 1 < words.size() ? words[i + 1] : '\0';
    if (quote == 0 && blank(c)) {
      if (word) out.push_back(*std::exchange(word, std::nullopt));
      continue;
    }
    if (!word) word.emplace();
    if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == '\\' && next != '\0' && (quote == 0 || (quote == '"' && (next == '"' || next == '\\')))) {
      *word += next;
      ++i;
    } else {
      *word += c;
    }
  }
  if (quote != 0) throw std::invalid_argument(fmt::format("`{}`: a {} is not closed", words, quote));
  if (word) out.push_back(*word);
  if (out.empty()) throw std::invalid_argument(fmt::format("`{}` names no program", words));
  return out;
}

Words parse_words(std::string_view words) {
  const auto colon = words.find(':');
  if (colon == std::string_view::npos)
    throw std::invalid_argument(fmt::format(
        "`{}` names no subject; `cmd:PROGRAM ARGS`, `lib:LIBRARY` and `table:FILE` do, and `@PRECISION` may follow",
        words));
  if (colon + 1 == words.size())
    throw std::invalid_argument(fmt::format(
        "`{}` ends at the colon; `cmd:PROGRAM ARGS`, `lib:LIBRARY` or `table:FILE` was asked for", words));
  Words parsed{std::string(words.substr(0, colon)), std::string(words.substr(colon + 1)), std::nullopt};
  const auto at = parsed.rest.rfind('@');
  if (at == std::string::npos) return parsed;
  try {
    parsed.precision = Precision::parse(std::string_view(parsed.rest).substr(at + 1));
    parsed.rest.resize(at);
  } catch (const std::invalid_argument& error) {
    if (is_meant_as_precision(parsed, at))
      throw std::invalid_argument(
          fmt::format("{} (an @ that belongs to a command is followed by a blank somewhere)", error.what()));
  }
  return parsed;
}

std::string printable(std::string_view text, std::size_t most) {
  std::string out;
  const auto escape = [&](auto from, auto to) {
    while (from != to) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(*from++));
  };
  auto at = text.begin();
  auto invalid = utf8::find_invalid(at, text.end());
  for (; at != text.end() && most > 0; --most) {
    const auto begin = at;
    if (at == invalid) {
      escape(begin, ++at);
      invalid = utf8::find_invalid(at, text.end());
      continue;
    }
    const char32_t c = utf8::unchecked::next(at);
    if ((c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7F && c < 0xA0))
      escape(begin, at);
    else
      out.append(begin, at);
  }
  return at == text.end() ? out : out + "...";
}

}  // namespace posproof
