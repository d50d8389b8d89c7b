#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "command/command.h"

// What may stand on the command line, as words: refusals, completion and the manual page read the same
// options as the parser.
namespace posproof::command {

bool takes_encoding(const Command& command);

// The place of the encoding among the words, the program being 0: `posproof check PROPERTY ENCODING` has 3.
std::size_t place_of_encoding(const Command& command);

// What follows an encoding: its parameters, `--spec`, then the command's own.
std::vector<Option> options_behind(const Command& command, const EncodingSpec& spec);

// Throws std::invalid_argument where a parameter of the encoding has the name of another option of the
// command.
void refuse_clashes(const Command& command, std::string_view encoding, const EncodingSpec& spec);

// `-o`, `--output`; a positional word has its one name.
std::vector<std::string> spellings(const Option& option);
bool is_positional(const Option& option);
bool takes_value(const Option& option);

// The words that may stand for its value, as far as they can be listed.
std::vector<std::string> words_of(const Option& option);
bool is_file(const Option& option);

// What its field holds before anything is parsed; empty where the help does not say it.
std::string standard_of(const Option& option);

// Throws std::invalid_argument for the first word that looks like an option and is none of these (or of
// --help), naming those near it; `called` is the command as it was called: `posproof gate rope`. What stands
// behind `--` is no option.
void refuse_unknown_options(std::string_view called, const std::vector<Option>& options,
                            std::span<const std::string> words);

}  // namespace posproof::command
