#include "catalogue/encodings.h"
#include "encodings/checked.h"
#include "oracle/oracle.h"

namespace posproof {
namespace {

long double share(const std::string& range, Position position, Position length) {
  const auto t = static_cast<long double>(position), n = static_cast<long double>(length);
  if (range == "per_length") return t / n;
  if (range == "shifted") return (t + 1) / n;
  if (length == 1)
    throw Refusal(
        fmt::format("`range={}` of a sequence of 1 token divides by 0: allowed are 2 or more", range));
  return range == "zero_one" ? t / (n - 1) : (2 * t - (n - 1)) / (n - 1);
}

Encoding make(const Parameters& parameters) {
  const std::size_t dim = checked::width(parameters, "dim");
  const std::string range =
      checked::one_of(parameters, "range", {"zero_one", "per_length", "shifted", "centred"});

  Table table{.dim = dim, .terms = range == "centred" ? 2.0 : 0.0};
  table.rows = [dim, range](std::span<const Position> positions, Position length) {
    Tensor rows({positions.size(), dim});
    for (std::size_t r = 0; r < positions.size(); ++r) {
      if (positions[r] < 0 || positions[r] >= length)
        throw Refusal(fmt::format("position {} is outside a sequence of {} tokens", positions[r], length));
      const double x = static_cast<double>(share(range, positions[r], length));
      for (double& entry : rows.row(r)) entry = x;
    }
    return rows;
  };
  return table;
}

}  // namespace

const EncodingSpec encodings::normalized_index{
    .summary = "the position as a share of the sequence's length L, in every channel",
    .formula = "p_t[c] = t/(L-1)",
    .source = "founding document A, questions 21 and 22: the code that depends on the length",
    .parameters = {{"dim", 1.0, {1.0, 2.0, 3.0, 8.0}, "width of the code, channels"},
                   {"range",
                    "zero_one",
                    {"per_length", "shifted", "zero_one", "centred"},
                    "zero_one t/(L-1), per_length t/L, shifted (t+1)/L, centred 2t/(L-1)-1",
                    true}},
    .make = &make,
    .oracle = &oracle::normalized_index,
    .claims = {},
};

}  // namespace posproof
