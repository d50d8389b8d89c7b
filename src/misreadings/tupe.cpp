#include <array>
#include <cmath>

#include "catalogue/encodings/t5_bias.h"
#include "catalogue/encodings/tupe.h"
#include "catalogue/misreadings/tupe.h"
#include "misreadings/right.h"

namespace posproof::misreadings_tupe {
namespace {

using namespace inside;

// Which logits of the first token are theta1, as a query, and theta2, as a key.
struct Untied {
  bool as_query = true, as_key = true;
  bool corner_of_the_key = false;  // that of the first token with itself is theta2
  bool exchanged = false;
  bool other_projections = false;  // of positions: the key's stands for the query's
  std::size_t first = 1;           // row of token 0, as one of the others
  bool later_first = false;        // the biases are those of i - j
};

Encoding reads(const Parameters& given, const Untied& of) {
  const Arguments p = misread::arguments(encodings::tupe, given);
  const bool untied = p.is("cls", "untied");
  if (!untied && !of.later_first) throw Refusal("the first token is like the others");
  if (of.later_first && !p.is("relative", "t5")) throw Refusal("there are no biases");
  const std::size_t dim = p.width("dim"), length = p.width("length");
  const std::int64_t seed = p.whole("table_seed");
  const Tensor queries = trained(length, dim, seed), keys = trained(length, dim, seed + 1);
  Tensor biases({33, 1});
  if (p.is("relative", "t5")) biases = trained(33, 1, seed + 2);
  const auto bucket = encodings::t5_bias.make<Bias>(Case::parse("heads=1 table=index")).bias;
  return misread::with_logit(
      encodings::tupe, given,
      [=](std::span<const double> q, std::span<const double> k, Position i, Position j, std::size_t) {
        const auto at = [&](std::size_t row, std::size_t column, std::size_t entry) {
          const Real met = of.other_projections ? dot(queries.row(column), keys.row(row))
                                                : dot(queries.row(row), keys.row(column));
          return (dot(q, k) + met) / root(2 * dim) + biases.data[entry];
        };
        const auto theta = [&](bool of_query) {
          const std::size_t row = of_query != of.exchanged ? 0 : 1;
          return at(row, row, row == 0 ? 16 : 32);
        };
        const bool query = untied && of.as_query && i == 0, key = untied && of.as_key && j == 0;
        if (query || key) return theta(query && !(key && of.corner_of_the_key));
        const std::array<Position, 1> one = {of.later_first ? j : i}, other = {of.later_first ? i : j};
        const std::size_t first = untied ? of.first : 0;
        return at(static_cast<std::size_t>(i) + first, static_cast<std::size_t>(j) + first,
                  static_cast<std::size_t>(bucket(one, other).data[0]));
      });
}

misread::Make with(const Untied& of) {
  return [of](const Parameters& given) { return reads(given, of); };
}

constexpr std::string_view setting = "dim=4 length=16";

}  // namespace

const MisreadingFamily entry{{
    {"the logit of the first token with itself is theta2's, not theta1's: the column is written after the row",
     with({.corner_of_the_key = true}), setting},
    {"theta1 and theta2 are exchanged", with({.exchanged = true}), setting},
    {"the first token is untied as a query alone, and like the others as a key", with({.as_key = false}),
     setting},
    {"the first token is untied as a key alone, and like the others as a query", with({.as_query = false}),
     setting},
    {"the projections of the two positions are in each other's place", with({.other_projections = true}),
     setting},
    {"the other tokens have the rows from 0 on: token t has row t, not t + 1", with({.first = 0}), setting},
    {"the relative biases are those of i - j: earlier and later keys are exchanged",
     with({.later_first = true}), "dim=4 length=16 relative=t5"},
}};

}  // namespace posproof::misreadings_tupe
