// JSON from outside: what is found fault with, and nothing else, is refused before a document is made of it.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "fuzz/harness.h"
#include "subject/json_text.h"

namespace posproof::fuzz {
namespace {

std::size_t depth(const nlohmann::json& value) {
  std::size_t most = 0;
  if (!value.is_structured()) return most;
  for (const nlohmann::json& one : value) most = std::max(most, depth(one));
  return most + 1;
}

// Every key of the text is one of the document, so none of them came twice.
std::size_t keys(const nlohmann::json& value) {
  std::size_t count = value.is_object() ? value.size() : 0;
  if (value.is_structured())
    for (const nlohmann::json& one : value) count += keys(one);
  return count;
}

std::size_t keys_of_text(std::string_view text) {
  std::size_t count = 0;
  const auto watch = [&count](int, nlohmann::json::parse_event_t event, nlohmann::json&) {
    if (event == nlohmann::json::parse_event_t::key) ++count;
    return true;
  };
  if (text.size() > 10'000) return 0;  // the parser that is watched takes quadratic time
  const auto all = nlohmann::json::parse(text, watch);
  require(!all.is_discarded(), "what is accepted is parsed");
  return count;
}

}  // namespace

std::vector<std::string> large_inputs() {
  std::string many = "{", lists = "[";
  for (int n = 0; many.size() < longest - 20; ++n) many += fmt::format("\"{}\":0,", n);
  while (lists.size() < longest - 20) lists += "[],";
  const std::string open(longest / 2, '['), close(longest / 2, ']');
  std::string objects;
  while (objects.size() < longest - 10) objects += "{\"a\":";
  return {many + "\"x\":0}",
          lists + "[]]",
          open + close,
          open + open,
          objects,
          "[" + std::string(longest - 2, ' ') + "]",
          "\"" + std::string(longest - 2, 'x') + "\"",
          std::string(longest, '9')};
}

}  // namespace posproof::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace posproof;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string fault = fault_of_json(text);
  if (!nlohmann::json::accept(text)) {
    fuzz::require(!fault.empty(), "what is not JSON is found fault with");
  } else if (fault.empty()) {
    const auto parsed = nlohmann::json::parse(text);
    fuzz::require(fuzz::depth(parsed) <= deepest_json,
                  "what is found no fault with is no deeper than is allowed");
    const std::size_t written = fuzz::keys_of_text(text);
    fuzz::require(written == 0 || written == fuzz::keys(parsed),
                  "what is found no fault with has no key twice");
  } else {
    fuzz::require(fault != "is not JSON", "what is JSON is not called none");
  }
  return 0;
}
