#include "report/configured.h"

#include <nlohmann/json.hpp>

namespace posproof::report {

std::string with_configuration(std::string json, const std::vector<std::string>& configured) {
  if (configured.empty() || !json.starts_with("{")) return json;
  const std::string list =
      nlohmann::json(configured).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return json.insert(1, "\n  \"config\": " + list + ",");
}

}  // namespace posproof::report
