#include "core/case.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <stdexcept>

namespace posproof {
namespace {

constexpr double largest_whole = 9007199254740992.0;  // 2^53: beyond it not every whole number is a double
// What a text may hold, before memory is taken for it. The largest case of the suite's own has some 10^5
// numbers.
constexpr std::size_t most_numbers = std::size_t{1} << 22;  // in all its lists
constexpr std::size_t most_names = 1024;
constexpr std::size_t longest_quotation = 400;  // bytes of it in a refusal

std::optional<double> number(std::string_view word) {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

std::string list_text(const std::vector<double>& values) {
  std::string out(1, '[');
  for (std::size_t i = 0; i < values.size();) {
    std::size_t run = 1;
    while (i + run < values.size() && same_bits(values[i], values[i + run])) ++run;
    if (i != 0) out += ',';
    // `0*3` is as long as `0,0,0` is clear: runs are folded from four on.
    if (run >= 4) {
      out += fmt::format("{}*{}", values[i], run);
    } else {
      run = 1;
      out += fmt::format("{}", values[i]);
    }
    i += run;
  }
  out.push_back(']');
  return out;
}

[[noreturn]] void refuse(std::string_view words, std::string_view why) {
  const std::string_view rest = words.size() > longest_quotation ? "..." : "";
  throw std::invalid_argument(fmt::format("case `{}{}`: {}", words.substr(0, longest_quotation), rest, why));
}

std::size_t times_of(std::string_view words, std::string_view item, std::string_view times) {
  const auto repeat = number(times);
  if (!repeat || *repeat < 1 || *repeat != std::floor(*repeat) || *repeat > largest_whole)
    refuse(words, fmt::format("`{}` does not repeat a whole number of times", item));
  return static_cast<std::size_t>(*repeat);
}

// `left`: how many numbers the lists of the text may have still.
std::vector<double> parse_list(std::string_view words, std::string_view body, std::size_t& left) {
  std::vector<double> values;
  while (!body.empty()) {
    const auto comma = std::min(body.find(','), body.size());
    const std::string_view item = body.substr(0, comma);
    if (comma + 1 == body.size()) refuse(words, "a list ends with a comma");
    body.remove_prefix(std::min(comma + 1, body.size()));
    const auto star = std::min(item.find('*'), item.size());
    const std::size_t times = star < item.size() ? times_of(words, item, item.substr(star + 1)) : 1;
    const auto value = number(item.substr(0, star));
    if (!value) refuse(words, fmt::format("`{}` is not a number", item.substr(0, star)));
    if (times > left)
      refuse(words, fmt::format("its lists hold too many numbers; allowed: at most {}", most_numbers));
    left -= times;
    values.insert(values.end(), times, *value);
  }
  return values;
}

bool is_name(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

// A word is a name, or a path, which is no number: the caller has looked for that.
bool is_word(std::string_view word) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.' || c == '/' || c == ':';
  };
  const char first = word.empty() ? '0' : word.front();
  return ((first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') || first == '_' || first == '/' ||
          first == '.') &&
         std::all_of(word.begin(), word.end(), plain);
}

}  // namespace

std::string text(const Value& value) {
  if (const auto* real = std::get_if<double>(&value)) return fmt::format("{}", *real);
  if (const auto* list = std::get_if<std::vector<double>>(&value)) return list_text(*list);
  return std::get<std::string>(value);
}

Case Case::parse(std::string_view words) {
  Case result;
  std::string_view rest = words;
  std::size_t left = most_numbers;
  while (true) {
    const auto start = rest.find_first_not_of(" \t\n");
    if (start == std::string_view::npos) return result;
    rest.remove_prefix(start);
    const auto end = std::min(rest.find_first_of(" \t\n"), rest.size());
    const std::string_view item = rest.substr(0, end);
    rest.remove_prefix(end);

    const auto equals = item.find('=');
    if (equals == std::string_view::npos) refuse(words, fmt::format("`{}` is not name=value", item));
    const std::string_view name = item.substr(0, equals);
    const std::string_view value = item.substr(equals + 1);
    if (!is_name(name)) refuse(words, fmt::format("`{}` is not a name", name));
    if (result.has(name)) refuse(words, fmt::format("`{}` is given twice", name));
    if (result.fields().size() == most_names)
      refuse(words, fmt::format("it has too many names; allowed: at most {}", most_names));
    if (value.size() >= 2 && value.front() == '[' && value.back() == ']')
      result.set(name, parse_list(words, value.substr(1, value.size() - 2), left));
    else if (const auto real = number(value))
      result.set(name, *real);
    else if (is_word(value))
      result.set(name, std::string(value));
    else
      refuse(words, fmt::format("`{}` is neither a number, a list like [0.25,0] nor a word", value));
  }
}

std::string Case::text() const {
  std::string out;
  for (const Field& field : fields_) {
    if (!out.empty()) out += ' ';
    out += fmt::format("{}={}", field.name, posproof::text(field.value));
  }
  return out;
}

const Value* Case::find(std::string_view name) const {
  const auto at =
      std::find_if(fields_.begin(), fields_.end(), [&](const Field& f) { return f.name == name; });
  return at == fields_.end() ? nullptr : &at->value;
}

void Case::set(std::string_view name, Value value) {
  const auto at =
      std::find_if(fields_.begin(), fields_.end(), [&](const Field& f) { return f.name == name; });
  if (at != fields_.end())
    at->value = std::move(value);
  else
    fields_.push_back({std::string(name), std::move(value)});
}

const Value& Case::need(std::string_view name) const {
  const Value* value = find(name);
  if (value == nullptr) throw std::invalid_argument(fmt::format("`{}` is missing from `{}`", name, text()));
  return *value;
}

std::int64_t Case::integer(std::string_view name) const {
  const Value& value = need(name);
  const auto* real = std::get_if<double>(&value);
  if (real == nullptr || *real != std::floor(*real) || std::abs(*real) > largest_whole)
    throw std::invalid_argument(
        fmt::format("`{}={}`: a whole number was asked for", name, posproof::text(value)));
  return static_cast<std::int64_t>(*real);
}

double Case::real(std::string_view name) const {
  const Value& value = need(name);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  throw std::invalid_argument(fmt::format("`{}={}`: a number was asked for", name, posproof::text(value)));
}

const std::string& Case::word(std::string_view name) const {
  const Value& value = need(name);
  if (const auto* word = std::get_if<std::string>(&value)) return *word;
  throw std::invalid_argument(fmt::format("`{}={}`: a word was asked for", name, posproof::text(value)));
}

}  // namespace posproof
