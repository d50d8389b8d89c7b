#include "command/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "catalogue/encodings.h"
#include "command/grammar.h"
#include "command/options.h"

namespace posproof::command {
namespace {

using Words = std::vector<std::string>;

// `_posproof_words COMMAND ENCODING WHAT`, for bash and zsh: a word a line, `:files` for names of files, and
// false where there is nothing of that kind. WHAT is a number (of the words behind the command), `options`,
// `subject`, or an option whose value is to come.
constexpr std::string_view words_function = R"sh(_posproof_words() {{
  case "$1 $2 $3" in
{}    *) return 1 ;;
  esac
}}
)sh";

constexpr std::string_view bash_function = R"sh(
_posproof() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} command=${{COMP_WORDS[1]-}}
  local at=0 encoding=- found= word
  COMPREPLY=()
  case $command in
{}  esac
  # readline takes `table:FILE` and `--layout=WORD` for three words each
  local -i equals=COMP_CWORD-1
  if [[ $current == [:=] ]]; then before=$current current= equals=COMP_CWORD; fi
  if [[ $before == : ]]; then
    found=:files
  elif ((COMP_CWORD == 1)); then
    found=$(_posproof_words - - 0)
  else
    [[ $before == = ]] && before=${{COMP_WORDS[equals - 1]}}
    ((at > 0 && COMP_CWORD > at)) && encoding=${{COMP_WORDS[at]}}
    if [[ $before == -* ]] && found=$(_posproof_words "$command" "$encoding" "$before"); then
      :
    elif [[ $current == -* ]]; then
      found=$(_posproof_words "$command" "$encoding" options)
    elif ((at > 0 && COMP_CWORD > at)); then
      found=$(_posproof_words "$command" "$encoding" subject; _posproof_words "$command" "$encoding" options)
    elif ((at > 0)); then
      found=$(_posproof_words "$command" - $((COMP_CWORD - 1)))
    else
      found=$(_posproof_words "$command" - 1)
    fi
  fi
  while IFS= read -r word; do
    if [[ $word == :files ]]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$current")
    elif [[ -n $word && $word == "$current"* ]]; then
      [[ $word == *: ]] && compopt -o nospace 2>/dev/null
      COMPREPLY+=("$(printf %q "$word")")
    fi
  done <<<"$found"
}}
complete -F _posproof posproof
)sh";

constexpr std::string_view zsh_function = R"sh(
_posproof() {{
  local current=${{words[CURRENT]}} before=${{words[CURRENT - 1]}} command=${{words[2]}} encoding=- found=
  local -i at=0
  case $command in
{}  esac
  if [[ $current == (table|cmd|lib):* ]]; then
    compset -P '*:'
    _files
    return
  fi
  if [[ $current == --*=* ]]; then
    before=${{current%%=*}} current=
    compset -P '*='
  fi
  if ((CURRENT == 2)); then
    found=$(_posproof_words - - 0)
  else
    ((at > 0 && CURRENT > at + 1)) && encoding=${{words[at + 1]}}
    if [[ $before == -* ]] && found=$(_posproof_words "$command" "$encoding" "$before"); then
      :
    elif [[ $current == -* ]]; then
      found=$(_posproof_words "$command" "$encoding" options)
    elif ((at > 0 && CURRENT > at + 1)); then
      found=$(_posproof_words "$command" "$encoding" subject; _posproof_words "$command" "$encoding" options)
    elif ((at > 0)); then
      found=$(_posproof_words "$command" - $((CURRENT - 2)))
    else
      found=$(_posproof_words "$command" - 1)
    fi
  fi
  local -a all=(${{(f)found}})
  if ((${{all[(Ie):files]}})); then _files; fi
  all=(${{all:#:files}})
  compadd -S '' -- ${{(M)all:#*:}}
  compadd -- ${{all:#*:}}
}}
_posproof "$@"
)sh";

constexpr std::string_view fish_functions = R"sh(
# Whether this is the COMMAND (any: -) and N words stand before the cursor, the program among them.
function __posproof_at
  set -l words (commandline -opc)
  test (count $words) -eq $argv[2]; and begin; test $argv[1] = -; or test "$words[2]" = $argv[1]; end
end

# Whether this is the COMMAND and ENCODING (any: -) stands where it has one, the Nth word.
function __posproof_behind
  set -l words (commandline -opc)
  test (count $words) -ge $argv[2]; and test "$words[2]" = $argv[1]
  and begin; test $argv[3] = -; or test "$words[$argv[2]]" = $argv[3]; end
end

complete -c posproof -f
)sh";

std::string in_shell_quotes(std::string_view word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string in_shell_quotes(const Words& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + in_shell_quotes(word);
  return out;
}

Words encoding_words() {
  Words out;
  for (const auto& [id, spec] : catalogue::encodings()) out.emplace_back(id);
  return out;
}

// The names of the options, and nothing of the positional words.
Words options_of(const std::vector<Option>& options) {
  Words out;
  for (const Option& option : options)
    if (!is_positional(option))
      for (const std::string& name : spellings(option)) out.push_back(name);
  out.emplace_back("--help");
  return out;
}

std::string one_case(const std::string& pattern, const Option& option) {
  const Words words = words_of(option);
  return fmt::format("    {}) {} ;;\n", pattern,
                     is_file(option) ? "echo :files"
                     : words.empty() ? ":"
                                     : fmt::format("printf '%s\\n' {}", in_shell_quotes(words)));
}

std::string one_case(const std::string& pattern, const Words& words) {
  return fmt::format("    {}) printf '%s\\n' {} ;;\n", pattern, in_shell_quotes(words));
}

// A case for each option that takes a value, behind what stands before the option's name.
std::string values(std::string_view before, const std::vector<Option>& options) {
  std::string out;
  for (const Option& option : options) {
    if (is_positional(option) || !takes_value(option)) continue;
    Words patterns;
    for (const std::string& name : spellings(option))
      patterns.push_back(fmt::format("{}' {}'", before, name));
    out += one_case(fmt::format("{}", fmt::join(patterns, " | ")), option);
  }
  return out;
}

std::string cases_without_encoding(const Command& command) {
  std::string out = one_case(fmt::format("'{} - options'", command.name), options_of(command.options));
  for (const Option& option : command.options)
    if (is_positional(option)) out += one_case(fmt::format("'{} - 1'", command.name), option);
  return out + values(fmt::format("'{} -'", command.name), command.options);
}

std::string cases_with_encoding(const Command& command) {
  std::string out;
  std::size_t n = 0;
  for (const Option& option : command.options)
    out += one_case(fmt::format("'{} - {}'", command.name, ++n), option);
  out += one_case(fmt::format("'{} - {}'", command.name, ++n), encoding_words());
  for (const auto& [id, spec] : catalogue::encodings())
    out += one_case(fmt::format("'{} {} options'", command.name, id),
                    options_of(options_behind(command, *spec)));
  for (const Option& option : command.after_encoding)
    if (is_positional(option)) out += one_case(fmt::format("'{} '*' subject'", command.name), option);
  return out + values(fmt::format("'{} '*", command.name), command.after_encoding);
}

std::string words(std::span<const Command> commands) {
  Words names;
  for (const Command& command : commands) names.push_back(command.name);
  names.insert(names.end(), {"--help", "--version"});
  std::string out = one_case("'- - 0'", names);
  for (const Command& command : commands)
    out += takes_encoding(command) ? cases_with_encoding(command) : cases_without_encoding(command);
  for (const auto& [id, spec] : catalogue::encodings())
    out += values(fmt::format("*' {}'", id), parameter_options(*spec));
  return fmt::format(words_function, out);
}

// Where each command has its encoding.
std::string places(std::span<const Command> commands) {
  std::string out;
  for (const Command& command : commands)
    if (takes_encoding(command))
      out += fmt::format("    {}) at={} ;;\n", command.name, place_of_encoding(command));
  return out;
}

std::string one_line(std::string_view condition, const std::string& what) {
  return fmt::format("complete -c posproof -n '{}' {}\n", condition, what);
}

std::string fish_option(std::string_view condition, const Option& option) {
  std::string what;
  for (const std::string& name : spellings(option))
    what += name.starts_with("--") ? fmt::format("-l {} ", name.substr(2))
                                   : fmt::format("-s {} ", name.substr(1));
  if (is_file(option))
    what += "-r -F ";
  else if (takes_value(option))
    what += fmt::format("-x -a {} ", in_shell_quotes(fmt::format("{}", fmt::join(words_of(option), " "))));
  return one_line(condition, what + "-d " + in_shell_quotes(option.help));
}

std::string fish_options(std::string_view condition, const std::vector<Option>& options) {
  std::string out;
  for (const Option& option : options)
    if (!is_positional(option)) out += fish_option(condition, option);
  return out;
}

std::string fish_words(std::string_view condition, const Words& words) {
  return one_line(condition, fmt::format("-a \"(printf '{}\\n')\"", fmt::join(words, "\\n")));
}

std::string fish_of(const Command& command) {
  std::string out;
  if (!takes_encoding(command)) {
    const std::string here = fmt::format("__posproof_behind {} 2 -", command.name);
    for (const Option& option : command.options)
      if (is_positional(option) && !words_of(option).empty()) out += fish_words(here, words_of(option));
    return out + fish_options(here, command.options);
  }
  std::size_t n = 2;
  for (const Option& option : command.options)
    out += fish_words(fmt::format("__posproof_at {} {}", command.name, n++), words_of(option));
  out += fish_words(fmt::format("__posproof_at {} {}", command.name, n++), encoding_words());
  const auto behind = [&](std::string_view encoding) {
    return fmt::format("__posproof_behind {} {} {}", command.name, n, encoding);
  };
  for (const Option& option : command.after_encoding)
    if (is_positional(option)) out += fish_words(behind("-"), words_of(option));
  out += fish_options(behind("-"), command.after_encoding);
  for (const auto& [id, spec] : catalogue::encodings())
    out += fish_options(behind(id), parameter_options(*spec));
  return out;
}

}  // namespace

std::string bash_completion(std::span<const Command> commands) {
  return "# bash completion of posproof; `posproof completion bash` wrote it\n" + words(commands) +
         fmt::format(bash_function, places(commands));
}

std::string zsh_completion(std::span<const Command> commands) {
  return "#compdef posproof\n# zsh completion of posproof; `posproof completion zsh` wrote it\n" +
         words(commands) + fmt::format(zsh_function, places(commands));
}

std::string fish_completion(std::span<const Command> commands) {
  std::string out =
      fmt::format("# fish completion of posproof; `posproof completion fish` wrote it\n{}", fish_functions);
  for (const Command& command : commands)
    out += one_line("__posproof_at - 1",
                    fmt::format("-a {} -d {}", command.name, in_shell_quotes(command.help)));
  out += one_line("__posproof_at - 1", "-l version -d 'the version'") +
         one_line("true", "-s h -l help -d 'the help'");
  for (const Command& command : commands) out += fish_of(command);
  return out;
}

}  // namespace posproof::command
