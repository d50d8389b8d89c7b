// A file of parameters, as --spec reads it, and what an encoding makes of them.
#include <fmt/format.h>

#include <stdexcept>

#include "core/declare.h"
#include "core/encoding.h"
#include "fuzz/harness.h"
#include "subject/parameter_file.h"

namespace posproof::fuzz {
namespace {

// A parameter of every type.
const Schema& schema() {
  static const Schema all{{whole("dim", type::any_width, 64, {2}, "width"),
                           above_0("base", 10000, {10000}, "base"),
                           convention("layout", {"half_split", "interleaved"}, "layout"),
                           {"cut", type::Flag{}, "true", {"true"}, "flag"},
                           {"all", type::List{4}, std::vector<double>{}, {std::vector<double>{}}, "list"}}};
  return all;
}

}  // namespace

std::vector<std::string> large_inputs() {
  std::string names = "{\"dim\":8", list = "{\"all\":[0";
  for (int n = 0; names.size() < longest - 40; ++n) names += fmt::format(",\"a{}\":1", n);
  while (list.size() < longest - 40) list += ",1.5";
  const std::string deep(longest / 2 - 20, '['), back(longest / 2 - 20, ']');
  return {names + "}", list + "]}", "{\"all\":" + deep + back + "}",
          "{\"layout\":\"" + std::string(longest - 40, 'x') + "\"}",
          "{\"" + std::string(longest - 40, 'x') + "\":1}"};
}

}  // namespace posproof::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace posproof;
  if (size > longest_parameters) return 0;
  try {
    const Parameters given = parameters_of("x", {reinterpret_cast<const char*>(data), size});
    const Arguments all(fuzz::schema(), given);
    fuzz::require(all.parameters().fields().size() == 5, "every parameter has one value");
    fuzz::require(all.width("dim") >= 1 && all.real("base") > 0 && all.list("all").size() <= 4,
                  "a value is one of those that are allowed");
  } catch (const std::invalid_argument&) {
  } catch (const Refusal&) {
  }
  return 0;
}
