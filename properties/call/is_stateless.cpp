#include "../bias/entries.h"
#include "../rotary/tokens.h"
#include "catalogue/properties.h"

namespace posproof {
namespace {

// What is asked twice, and what is asked in between: longer or shorter, further on or before, one token or
// many.
struct Calls {
  std::vector<Position> same, between;
};

std::vector<Position> from(Position first, std::int64_t n) {
  std::vector<Position> positions;
  for (std::int64_t c = 0; c < n; ++c) positions.push_back(first + c);
  return positions;
}

Calls calls(const Domain& domain, Draw& draw, std::int64_t most = 8) {
  const std::int64_t n = draw.integer("n", 1, most), m = draw.integer("m", 1, most);
  const Position i = draw.position("i", domain, domain.lo, domain.hi - (n - 1));
  const Position j = draw.position("j", domain, domain.lo, domain.hi - (m - 1));
  return {from(i, n), from(j, m)};
}

// In all of these the same is computed twice. A cache that is filled by now may be read where there was none
// before, so each answer is allowed its error.
Residual of_table(const Table& table, Precision p, Draw& draw) {
  const auto [same, between] = calls(table.positions, draw);
  const auto asked = [&table](const std::vector<Position>& positions) {
    Tensor rows = table.rows(positions, positions.back() + 1);
    if (rows.shape != Shape{positions.size(), table.dim})
      throw std::length_error(fmt::format("rows answers {}", text(rows.shape)));
    return rows;
  };
  const Tensor before = asked(same);
  asked(between);
  const Tensor after = asked(same);
  Residual worst{0, 0, 0};
  for (std::size_t r = 0; r < same.size(); ++r) {
    std::vector<double> bound = row_error(table, p, same[r], before.row(r));
    for (double& error : bound) error *= 2;
    worst = worse(worst, difference(after.row(r), before.row(r), bound));
  }
  return worst;
}

Residual of_rotary(const Rotary& rotary, Precision p, Draw& draw) {
  const std::size_t room = rotations::most_values / (rotary.heads * rotary.dim);
  const auto [same, between] =
      calls(rotary.positions, draw, std::clamp<std::int64_t>(static_cast<std::int64_t>(room), 1, 8));
  const rotations::Tokens token{draw.content("x", Shape{1, rotary.heads, same.size(), rotary.dim}), same};
  const Tensor before = rotations::rotated(rotary, token.x, same, Role::query);
  rotations::rotated(rotary, Tensor(Shape{1, rotary.heads, between.size(), rotary.dim}), between, Role::key);
  const Tensor after = rotations::rotated(rotary, token.x, same, Role::query);
  return rotations::compare(rotary, p, token, after, before,
                            [&, at = same](const Pair& pair, std::size_t place) {
                              return 2 * rotation_error(p, static_cast<double>(at[place]), pair);
                            });
}

Residual of_bias(const Bias& bias, Precision p, Draw& draw) {
  const auto [same, between] = calls(bias.positions, draw);
  const biases::Entries before = biases::entries(bias, same, same);
  biases::entries(bias, between, between);
  const biases::Entries after = biases::entries(bias, same, same);
  Residual worst{0, 0, 0};
  for (std::size_t h = 0; h < bias.heads; ++h)
    for (std::size_t i = 0; i < same.size(); ++i)
      for (std::size_t j = 0; j < (bias.causal ? i + 1 : same.size()); ++j) {
        const double entry = before.at(h, i, j);
        const double bound = 2 * bias_error(p, entry, biases::slope(bias, h), h + 1);
        worst = worse(worst, difference(after.at(h, i, j), entry, bound));
      }
  return worst;
}

Residual of_contextual(const Contextual& contextual, Precision p, Draw& draw) {
  const auto [same, between] = calls(contextual.positions, draw, 5);
  const Tensor q = draw.content("q", Shape{same.size(), contextual.dim});
  const Tensor k = draw.content("k", Shape{same.size(), contextual.dim});
  const Tensor before = contextual.logits(q, k, same, same);
  const Tensor none({between.size(), contextual.dim});
  contextual.logits(none, none, between, between);
  const Tensor after = contextual.logits(q, k, same, same);
  Residual worst{0, 0, 0};
  for (std::size_t i = 0; i < same.size(); ++i)
    for (std::size_t j = 0; j < same.size(); ++j)
      worst = worse(worst, difference(after.at(i, j), before.at(i, j),
                                      2 * contextual.error(q.row(i), k.row(j), same[i], same[j], p)));
  return worst;
}

// A module that adds the last position of the call before.
Encoding accumulating() {
  Table table{.dim = 1};
  table.rows = [last = std::make_shared<Position>(0)](std::span<const Position> positions, Position) {
    Tensor rows({positions.size(), 1});
    for (std::size_t r = 0; r < positions.size(); ++r)
      rows.at(r, 0) = static_cast<double>(positions[r] + *last);
    *last += positions.back();
    return rows;
  };
  return table;
}

// Interpolated once a long sequence has come by, and never reset.
Encoding never_reset() {
  Rotary rotary = rotations::multiplied_by(
      4, 2, rotations::neighbours(),
      [](const Pair& pair, const rotations::Rotated& token) { return rotations::rotation(pair, token.t); });
  rotary.rotate = [exact = rotary, longest = std::make_shared<Position>(1)](
                      const Tensor& x, std::span<const Position> positions, Role role) {
    std::vector<Position> interpolated;
    for (const Position t : positions) *longest = std::max(*longest, t / 4096 + 1);
    for (const Position t : positions) interpolated.push_back(t / *longest);
    return exact.rotate(x, interpolated, role);
  };
  return rotary;
}

// Slopes that are multiplied in place at every call.
Encoding scaled_in_place() {
  Bias bias =
      biases::bias_of(1, [slope = std::make_shared<double>(0.5)](std::size_t, Position i, Position j) {
        if (i == j) *slope *= 1 + 1e-9;
        return -*slope * static_cast<double>(std::abs(i - j));
      });
  bias.slopes = {0.5};
  return bias;
}

}  // namespace

const Property properties::call::is_stateless{
    .statement = "The answer to a call does not depend on the calls before it.",
    .formula = "f(x; t) after f(y; s) = f(x; t)",
    .source =
        "huggingface/transformers#25308 (a base that stays grown), EleutherAI/gpt-neox e9dc55f (positions "
        "add up)",
    .checks = {CheckOf<Table>(&of_table), CheckOf<Rotary>(&of_rotary), CheckOf<Bias>(&of_bias),
               CheckOf<Contextual>(&of_contextual)},
    .must_reject = {{"a table that adds the last position of the call before", &accumulating},
                    {"a rotation that stays interpolated after a long sequence", &never_reset},
                    {"slopes that grow by 1e-9 at every call", &scaled_in_place}},
    .needs = Needs::live_subject,
};

}  // namespace posproof
