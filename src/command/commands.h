#pragma once

namespace CLI {
class App;
}

// The commands of the command line, one file each: words in, one call of run/ or report/, words out, an exit
// code.
namespace posproof::command {

// What the process ends with; see the README.
enum Exit : int { as_claimed = 0, broken = 1, usage = 2, not_checked = 3, no_subject = 4 };

// Each adds its command to the app. When the app has parsed the command's words, it runs and leaves in
// `code`, which outlives the app, what the process ends with; it throws SubjectError, Refusal,
// std::invalid_argument (the words are wrong) and std::runtime_error.
void add_matrix(CLI::App& app, int& code);
void add_check(CLI::App& app, int& code);
void add_gate(CLI::App& app, int& code);
void add_accuracy(CLI::App& app, int& code);
void add_oracle(CLI::App& app, int& code);
void add_report(CLI::App& app, int& code);
void add_list(CLI::App& app, int& code);
void add_explain(CLI::App& app, int& code);

}  // namespace posproof::command
