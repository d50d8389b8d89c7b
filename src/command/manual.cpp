#include "command/manual.h"

#include <fmt/format.h>

#include "catalogue/encodings.h"
#include "command/grammar.h"
#include "command/options.h"

namespace posproof::command {
namespace {

// As text: no backslash is an escape, no dash a hyphen, and no line a request.
std::string plain(std::string_view text) {
  std::string out;
  bool first = true;
  for (const char c : text) {
    if (first && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if (c == '`' || c == '\'')
      out += c == '`' ? "\\(ga" : "\\(aq";
    else
      out += c;
    first = c == '\n';
  }
  return out;
}

std::string bold(std::string_view text) {
  return "\\fB" + plain(text) + "\\fR";
}

std::string section(std::string_view name) {
  return fmt::format(".SH {}\n", name);
}

std::string subsection(std::string_view name) {
  return fmt::format(".SS {}\n", plain(name));
}

std::string entry(const std::string& head, std::string_view text) {
  return fmt::format(".TP\n{}\n{}\n", head, plain(text));
}

std::string entry(const Option& option) {
  std::string head;
  for (const std::string& name : spellings(option)) head += (head.empty() ? "" : ", ") + bold(name);
  if (!is_positional(option) && takes_value(option)) head += " \\fIVALUE\\fR";
  const std::string standard = standard_of(option);
  return entry(head, option.help + (standard.empty() ? "" : fmt::format(" (standard: {})", standard)));
}

std::string call(const Command& command) {
  std::string out = bold("posproof " + command.name);
  const auto add = [&](const std::vector<Option>& options) {
    for (const Option& option : options) {
      if (!is_positional(option)) continue;
      const bool many = std::holds_alternative<std::vector<std::string>*>(option.field);
      const std::string word = fmt::format("\\fI{}\\fR{}", plain(option.names), many ? " ..." : "");
      out += option.required ? " " + word : " [" + word + "]";
    }
  };
  add(command.options);
  if (takes_encoding(command)) out += " \\fIENCODING\\fR [\\fIparameters\\fR]";
  add(command.after_encoding);
  return out + " [\\fIoptions\\fR]";
}

std::string described(const Command& command) {
  std::string out = subsection(command.name) + call(command) + "\n.PP\n" + plain(command.help) + "\n";
  for (const Option& option : command.options) out += entry(option);
  for (const Option& option : command.after_encoding) out += entry(option);
  return out;
}

}  // namespace

std::string manual_page(const Program& program, std::span<const Command> commands) {
  std::string out = fmt::format(".TH POSPROOF 1 \"\" \"{}\"\n", plain(program.version));
  const std::string& all = program.description;
  out +=
      section("NAME") + "posproof \\- " + plain(all.substr(all.find(": ") + 2)) + "\n" + section("SYNOPSIS");
  for (const Command& command : commands) out += call(command) + "\n.br\n";
  out += section("COMMANDS");
  for (const Command& command : commands) out += described(command);
  out += section("ENCODINGS") + plain("Their parameters are options that follow the encoding.") + "\n";
  for (const auto& [id, spec] : catalogue::encodings()) {
    out += subsection(id) + plain(spec->summary) + "\n.PP\n" + plain(spec->formula) + "\n.PP\n" +
           plain(spec->source) + "\n";
    for (const Option& option : parameter_options(*spec)) out += entry(option);
  }
  return out + section("EXIT STATUS") + plain(program.footer) + "\n";
}

}  // namespace posproof::command
