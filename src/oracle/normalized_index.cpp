#include "core/error.h"
#include "oracle/oracle.h"
#include "oracle/whole.h"

namespace posproof::oracle {
namespace {

// t / L and its relatives.
double normalized(const std::string& range, Position t, Position length) {
  within("normalized_index, length", length, 1, largest_whole / 4);
  within("normalized_index", t, 0, length - 1);
  const auto quotient = [](Position above, Position below) {
    if (below == 0) throw Refusal("normalized_index: a sequence of one token has no length - 1 to divide by");
    return static_cast<double>(above) / static_cast<double>(below);
  };
  if (range == "per_length") return quotient(t, length);
  if (range == "shifted") return quotient(t + 1, length);
  if (range == "centred") return quotient(2 * t - (length - 1), length - 1);
  return quotient(t, length - 1);
}

}  // namespace

Encoding normalized_index(const Parameters& parameters) {
  const Asked asked(parameters, "normalized_index", {"dim", "range"});
  const std::size_t dim = asked.width("dim", 1);
  const std::string range = asked.word("range", {"zero_one", "per_length", "shifted", "centred"});
  Table table{.dim = dim, .positions = whole_domain(0, usual_end)};
  if (range == "centred")
    table.error = [](double entry, const Precision& p) { return difference_error(p, entry, 2); };
  table.rows = rows_from(
      dim, [range](Position t, std::size_t, Position length) { return normalized(range, t, length); });
  return table;
}

}  // namespace posproof::oracle
