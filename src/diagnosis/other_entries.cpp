#include "diagnosis/other_entries.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <variant>

#include "core/call.h"

namespace posproof {
namespace {

// The same bias, whose every entry is the number of the row and the head that it is looked up in.
std::optional<Bias> numbered(const EncodingSpec& spec, Parameters parameters) {
  const Parameter* table = spec.parameters.find("table");
  if (table == nullptr || std::ranges::find(table->grid, Value(std::string("index"))) == table->grid.end())
    return std::nullopt;
  parameters.set("table", std::string("index"));
  const Encoding made = spec.oracle(parameters);
  const auto* bias = std::get_if<Bias>(&made);
  return bias == nullptr ? std::nullopt : std::optional(*bias);
}

class LookedUp {
 public:
  // Whether each number of the table has had one entry so far.
  bool add(const Tensor& numbers, const Tensor& entries) {
    for (std::size_t n = 0; n < numbers.data.size(); ++n) {
      const auto [known, is_new] = entry_of_.emplace(numbers.data[n], entries.data[n]);
      if (!is_new && known->second != entries.data[n]) return false;
      again_ += !is_new;
    }
    return true;
  }

  // Many were asked for again, and they are not the numbers of rows themselves, exchanged: those are all
  // multiples of the least.
  bool is_evidence() const {
    constexpr std::size_t enough = 32;
    const auto least = entry_of_.upper_bound(0);
    if (again_ < enough || least == entry_of_.end()) return false;
    const auto is_a_number = [unit = least->first](const auto& one) {
      return one.second / unit == std::round(one.second / unit);
    };
    return !std::ranges::all_of(entry_of_, is_a_number);
  }

  const std::map<double, double>& entries() const { return entry_of_; }

 private:
  std::map<double, double> entry_of_;
  std::size_t again_ = 0;
};

}  // namespace

std::optional<Deviation> other_entries(const Encoding& declared, const EncodingSpec& spec,
                                       const Parameters& parameters, const std::vector<Answered>& answered) {
  const auto index = numbered(spec, parameters);
  if (!index) return std::nullopt;
  LookedUp found;
  for (const Answered& one : answered) {
    const Tensor numbers = index->bias(one.call.positions, one.call.keys);
    if (numbers.shape != one.answer.shape || !found.add(numbers, one.answer)) return std::nullopt;
  }
  if (!found.is_evidence()) return std::nullopt;
  Bias corrected = as<Bias>(declared);
  corrected.bias = [own = index->bias, entry_of = found.entries()](const Positions& queries,
                                                                   const Positions& keys) {
    Tensor out = own(queries, keys);
    for (double& number : out.data)
      if (const auto entry = entry_of.find(number); entry != entry_of.end()) number = entry->second;
    return out;
  };
  return Deviation{
      {"the table holds other numbers, trained ones perhaps; they are looked up as declared: entries of the "
       "same row and head are the same"},
      corrected};
}

}  // namespace posproof
