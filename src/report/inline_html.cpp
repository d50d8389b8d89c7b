#include "report/inline_html.h"

#include <fmt/format.h>

#include <cctype>
#include <optional>
#include <utility>
#include <vector>

namespace posproof::report {
namespace {

constexpr auto nowhere = std::string_view::npos;

// `rope.md#claims` is `rope.html#claims`; what is elsewhere stays where it is.
std::string target(std::string_view link) {
  const std::size_t end = std::min(link.find('#'), link.size());
  const std::string_view path = link.substr(0, end);
  if (link.find("://") != nowhere || !path.ends_with(".md")) return std::string(link);
  return fmt::format("{}.html{}", path.substr(0, path.size() - 3), link.substr(end));
}

// What a span of Markdown is: its marks, and what stands within.
struct Span {
  enum class Kind { code, strong, emphasis, link, anchor };
  Kind kind;
  std::string_view within, link = {};
  std::size_t length;  // with the marks
};

std::optional<Span> between(std::string_view text, std::string_view mark, Span::Kind kind) {
  if (!text.starts_with(mark)) return std::nullopt;
  const auto end = text.find(mark, mark.size());
  if (end == nowhere || end == mark.size()) return std::nullopt;
  const std::string_view within = text.substr(mark.size(), end - mark.size());
  // `2 * 3 * 4` emphasises nothing.
  if (kind != Span::Kind::code && (within.front() == ' ' || within.back() == ' ')) return std::nullopt;
  return Span{.kind = kind, .within = within, .length = end + mark.size()};
}

std::optional<Span> link_at(std::string_view text) {
  if (!text.starts_with('[')) return std::nullopt;
  const auto middle = text.find("](");
  const auto inner = text.find('[', 1);
  if (middle == nowhere || (inner < middle)) return std::nullopt;
  const auto end = text.find(')', middle);
  if (end == nowhere) return std::nullopt;
  return Span{.kind = Span::Kind::link,
              .within = text.substr(1, middle - 1),
              .link = text.substr(middle + 2, end - middle - 2),
              .length = end + 1};
}

std::optional<Span> anchor_at(std::string_view text) {
  constexpr std::string_view begin = "<a id=\"", end = "\"></a>";
  if (!text.starts_with(begin)) return std::nullopt;
  const auto close = text.find('"', begin.size());
  if (close == nowhere || !text.substr(close).starts_with(end)) return std::nullopt;
  return Span{.kind = Span::Kind::anchor,
              .within = {},
              .link = text.substr(begin.size(), close - begin.size()),
              .length = close + end.size()};
}

std::optional<Span> span_at(std::string_view text) {
  if (auto found = between(text, "`", Span::Kind::code)) return found;
  if (auto found = between(text, "**", Span::Kind::strong)) return found;
  if (auto found = between(text, "*", Span::Kind::emphasis)) return found;
  if (auto found = anchor_at(text)) return found;
  return link_at(text);
}

// Spans and the text between them, each as `span` and `text` give it.
template <class OfSpan, class OfText>
std::string walked(std::string_view markdown, const OfSpan& span, const OfText& text) {
  std::string out;
  while (!markdown.empty()) {
    if (const auto found = span_at(markdown)) {
      out += span(*found);
      markdown.remove_prefix(found->length);
    } else {
      const std::size_t next = std::min(markdown.find_first_of("`*[<", 1), markdown.size());
      out += text(markdown.substr(0, next));
      markdown.remove_prefix(next);
    }
  }
  return out;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  return out;
}

std::string inline_html(std::string_view markdown) {
  const auto span = [](const Span& one) {
    switch (one.kind) {
      case Span::Kind::code:
        return fmt::format("<code>{}</code>", escaped(one.within));
      case Span::Kind::strong:
        return fmt::format("<strong>{}</strong>", inline_html(one.within));
      case Span::Kind::emphasis:
        return fmt::format("<em>{}</em>", inline_html(one.within));
      case Span::Kind::anchor:
        return fmt::format("<span id=\"{}\"></span>", escaped(one.link));
      case Span::Kind::link:
        break;
    }
    return fmt::format("<a href=\"{}\">{}</a>", escaped(target(one.link)), inline_html(one.within));
  };
  return walked(markdown, span, escaped);
}

std::string plain_text(std::string_view markdown) {
  const auto span = [](const Span& one) {
    return one.kind == Span::Kind::code ? std::string(one.within) : plain_text(one.within);
  };
  return walked(markdown, span, [](std::string_view text) { return std::string(text); });
}

std::string paragraphs_html(std::string_view markdown) {
  std::string out;
  bool in_list = false, in_paragraph = false;
  const auto close = [&] {
    if (in_list) out += "</li>\n</ul>\n";
    if (in_paragraph) out += "</p>\n";
    in_list = in_paragraph = false;
  };
  while (!markdown.empty()) {
    const std::size_t end = std::min(markdown.find('\n'), markdown.size());
    const std::string_view line = markdown.substr(0, end);
    markdown.remove_prefix(std::min(end + 1, markdown.size()));
    if (line.empty()) {
      close();
    } else if (line.starts_with("- ")) {
      if (in_paragraph) close();
      out += in_list ? "</li>\n<li>" : "<ul>\n<li>";
      in_list = true;
      out += inline_html(line.substr(2));
    } else if (in_list || in_paragraph) {
      out += "\n" + inline_html(line);
    } else {
      in_paragraph = true;
      out += "<p>" + inline_html(line);
    }
  }
  close();
  return out;
}

// As GitHub makes it: letters, digits, `-` and `_`, spaces as `-`.
std::string anchor(std::string_view heading) {
  std::string out;
  for (const char c : plain_text(heading)) {
    const auto letter = static_cast<unsigned char>(c);
    if (c == ' ')
      out += '-';
    else if (letter >= 0x80 || std::isalnum(letter) || c == '-' || c == '_')
      out += static_cast<char>(letter < 0x80 ? std::tolower(letter) : letter);
  }
  return out;
}

}  // namespace posproof::report
