#include <cmath>

#include "attention/reference_attention.h"

#include "catalogue/encodings/cope.h"
#include "catalogue/encodings/shaw.h"
#include "catalogue/identities/cope_of_open_gates_is_shaw_shifted_by_one.h"
#include "identities/sides.h"

namespace posproof::identities_cope_of_open_gates_is_shaw_shifted_by_one {
namespace {

using namespace identities;

// Row r of the table is that of offset r - clip: the rows from clip on are those of the past.
std::optional<Parameters> right_of(const Arguments& left) {
  if (left.width("length") % 2 == 0) return std::nullopt;
  Parameters right = taken(left, {"dim", "table_seed"}, "relative=query_minus_key");
  right.set("clip", static_cast<double>(left.width("length") / 2));
  return right;
}

// The query's own distance counts as 1, and row 0 of the table stands at the offset -clip.
Encoding one_further(const Contextual& shaw, Position clip) {
  Contextual out = shaw;
  out.positions.lo = 0;
  out.logits = [shaw, clip](const Tensor& q, const Tensor& k, const Positions& queries,
                            const Positions& keys) {
    std::vector<Position> i(queries.begin(), queries.end()), j(keys.begin(), keys.end());
    for (Position& t : i) t += 1;
    for (Position& t : j) t += clip;
    return shaw.logits(q, k, i, j);
  };
  out.error = [shaw, clip](std::span<const double> q, std::span<const double> k,
                           std::span<const double> query, std::span<const double> key, const Precision& p) {
    const double i = query[0] + 1, j = key[0] + static_cast<double>(clip);
    return shaw.error(q, k, {&i, 1}, {&j, 1}, p);
  };
  return out;
}

Residual check(const Sides& sides, Draw& draw) {
  const Encoding shifted = attention::reference_attention(
      one_further(as<Contextual>(sides.right), static_cast<Position>(sides.parameters.width("length") / 2)));
  // A query of 1 to 2 and keys of 64: every gate is 1 to f64, and keys differ in their positions alone.
  const auto n = static_cast<std::size_t>(draw.integer("tokens", 1, 6));
  Call call{.contents = {draw.content("q", {n, 1}), Tensor({n, 1}, std::vector<double>(n, 64)),
                         draw.content("v", {n, 1})}};
  for (double& q : call.contents[0].data) q = 1 + std::abs(std::fmod(q, 1.0));
  call.mask = Tensor({n, n});
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) call.mask.at(i, j) = 1;
  const Sides with_shifted{sides.subject, sides.left, shifted, sides.parameters, sides.precision};
  return compared(sides, call, left_side(sides, call), right_side(with_shifted, call));
}

}  // namespace

const Identity entry{
    .statement = "CoPE whose gates are all open has Shaw's vectors, at the distance i - j + 1.",
    .formula = "g = 1: p_ij = i - j + 1",
    .source = "Golovneva et al. 2024, Contextual Position Encoding, section 4; Shaw et al. 2018, section 3",
    .left = &encodings::cope,
    .right = &encodings::shaw,
    .where = {{{"dim", {1.0}}, {"length", {5.0, 9.0}}, {"counting", {"inclusive"}}}},
    .right_of = &right_of,
    .check = &check,
    .must_reject = {{"the last channel of the last token is 2^-19 larger", "dim=1 length=5",
                     &last_entry_off}},
};

}  // namespace posproof::identities_cope_of_open_gates_is_shaw_shifted_by_one
