#include "command/answered.h"

namespace posproof::command {

Parameters as_answered(Parameters parameters) {
  const Value* const answer = parameters.find("output_layout");
  if (answer == nullptr || text(*answer) != "half_split") return parameters;
  parameters.set("layout", std::string("half_split"));
  parameters.set("output_layout", std::string("as_taken"));
  return parameters;
}

Parameters as_answered_by(std::string_view subject, Parameters parameters) {
  return subject.starts_with("table:") ? as_answered(std::move(parameters)) : parameters;
}

}  // namespace posproof::command
