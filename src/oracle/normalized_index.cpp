#include <fmt/format.h>

#include "catalogue/oracle/normalized_index.h"
#include "core/error.h"
#include "oracle/whole.h"

namespace posproof {

namespace {

// t / L and its relatives.
double normalized(const std::string& range, Position t, Position length) {
  if (length < 1 || length > oracle::largest_whole / 4)
    throw Refusal(
        fmt::format("a sequence of {} tokens; allowed: 1 to {}", length, oracle::largest_whole / 4));
  refuse_outside(t, 0, length - 1);
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

Encoding oracle::normalized_index(const Arguments& p) {
  const std::size_t dim = p.width("dim");
  const std::string range = p.word("range");
  Table table{.dim = dim, .positions = whole_domain(0, usual_end)};
  if (range == "centred")
    table.error = [](double entry, const Precision& precision) {
      return difference_error(precision, entry, 2);
    };
  table.rows = rows_from(
      dim, [range](Position t, std::size_t, Position length) { return normalized(range, t, length); });
  return table;
}

}  // namespace posproof
