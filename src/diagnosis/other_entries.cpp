#include "diagnosis/other_entries.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "core/call.h"

namespace posproof {
namespace {

// The same bias, whose every entry is the number of the row and the head that it is looked up in.
std::optional<Bias> with_numbered_rows(const EncodingSpec& spec, Parameters parameters) {
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
  bool add(const Tensor& numbers, const Tensor& declared, const Tensor& entries) {
    for (std::size_t n = 0; n < numbers.data.size(); ++n) {
      const auto [known, is_new] = entry_of_.emplace(numbers.data[n], entries.data[n]);
      if (!is_new && known->second != entries.data[n]) return false;
      again_ += !is_new;
      declared_.insert(declared.data[n]);
    }
    return true;
  }

  // Many were asked for again, and few are declared ones, of other rows.
  bool is_evidence() const {
    constexpr std::size_t enough = 32;
    const auto known =
        std::ranges::count_if(entry_of_, [this](const auto& one) { return is_declared(one.second); });
    return again_ >= enough && 4 * known < std::ssize(entry_of_);
  }

  const std::map<double, double>& entries() const { return entry_of_; }

 private:
  // But for what f32 rounds. Those of a table that holds its rows' numbers are all multiples of the least.
  bool is_declared(double entry) const {
    const double near = std::abs(entry) * 0x1p-22;
    const auto from = declared_.lower_bound(entry - near);
    if (from != declared_.end() && *from <= entry + near) return true;
    const auto least = declared_.upper_bound(0);
    return least != declared_.end() && entry / *least == std::round(entry / *least);
  }

  std::map<double, double> entry_of_;
  std::set<double> declared_;
  std::size_t again_ = 0;
};

}  // namespace

std::optional<Deviation> other_entries(const Encoding& declared, const EncodingSpec& spec,
                                       const Parameters& parameters, const std::vector<Answered>& answered) {
  const auto index = with_numbered_rows(spec, parameters);
  if (!index) return std::nullopt;
  LookedUp found;
  for (const Answered& one : answered) {
    const Tensor numbers = index->bias(one.call.positions, one.call.keys);
    if (numbers.shape != one.answer.shape || !found.add(numbers, answer(declared, one.call), one.answer))
      return std::nullopt;
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
