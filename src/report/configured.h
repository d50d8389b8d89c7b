#pragma once

#include <string>
#include <vector>

namespace posproof::report {

// A JSON object with what was understood of a model's configuration as its first member, `config`; as it is
// where there was none.
std::string with_configuration(std::string json, const std::vector<std::string>& configured);

}  // namespace posproof::report
