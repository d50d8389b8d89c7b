#include "subject/json_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <vector>

namespace posproof {
namespace {

using Json = nlohmann::json;

// Sees the text go by, and stops where a rule is broken. The parser that tells it keeps its place in a
// vector: it does not recurse, and nothing is built.
class Inspector {
 public:
  std::string fault() const { return fault_; }

  bool null() { return true; }
  bool boolean(bool) { return true; }
  bool number_integer(Json::number_integer_t) { return true; }
  bool number_unsigned(Json::number_unsigned_t) { return true; }
  bool number_float(Json::number_float_t, const Json::string_t&) { return true; }
  bool string(Json::string_t&) { return true; }
  bool binary(Json::binary_t&) { return true; }
  bool start_object(std::size_t) { return open(); }
  bool start_array(std::size_t) { return open(); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(const Json::string_t& name) {
    return keys_.back().insert(name).second || broken(fmt::format("has the key `{}` twice", name));
  }
  bool parse_error(std::size_t, const std::string&, const Json::exception&) { return broken("is not JSON"); }

 private:
  bool open() {
    keys_.emplace_back();
    return keys_.size() <= deepest_json || broken(fmt::format("is nested deeper than {}", deepest_json));
  }
  bool close() {
    keys_.pop_back();
    return true;
  }
  bool broken(std::string rule) {
    fault_ = std::move(rule);
    return false;
  }

  std::vector<std::set<std::string>> keys_;  // of every object that is open
  std::string fault_;
};

}  // namespace

std::string fault_of_json(std::string_view text) {
  Inspector inspector;
  Json::sax_parse(text.begin(), text.end(), &inspector);
  return inspector.fault();
}

}  // namespace posproof
