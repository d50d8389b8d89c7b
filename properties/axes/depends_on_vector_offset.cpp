#include "catalogue/properties/axes/depends_on_vector_offset.h"
#include "grid.h"

namespace posproof::properties_axes_depends_on_vector_offset {
namespace {

using namespace grid;
using namespace corners;

// How two tokens match, and how far rounding may have put that off.
struct Match {
  double value, error;
};

// In every head; of a table once.
std::vector<Match> matches(const Encoding& encoding, const std::vector<std::vector<double>>& contents,
                           const Numbers& i, const Numbers& j, const Precision& p) {
  const Answered q = answered(encoding, call_at(encoding, {i}, Role::query, {contents.front()}), p);
  const Answered k = answered(encoding, call_at(encoding, {j}, Role::key, {contents.back()}), p);
  std::vector<Match> all;
  for (std::size_t head = 0; head < q.values.rows(); ++head) {
    const auto a = q.values.row(head), b = k.values.row(head), da = q.error.row(head), db = k.error.row(head);
    Match out{0, 0};
    double size = 0;
    for (std::size_t c = 0; c < a.size(); ++c) {
      out.value += a[c] * b[c];
      out.error += std::abs(a[c]) * db[c] + da[c] * std::abs(b[c]) + da[c] * db[c];
      size += std::abs(a[c] * b[c]);
    }
    out.error += term(Term::ours, (static_cast<double>(a.size()) + 1) * unit_f64 * size);
    all.push_back(out);
  }
  return all;
}

// A pair's share lies between plus and minus the product of the norms.
double range(const std::vector<Pair>& pairs, std::span<const double> q, std::span<const double> k) {
  double sum = 0;
  for (const Pair& pair : pairs) sum += 2 * rotations::pair_norm(q, pair) * rotations::pair_norm(k, pair);
  return sum;
}

Residual check(const Encoding& encoding, Precision p, Draw& draw) {
  const Domain& domain = positions_of(encoding);
  std::vector<std::vector<double>> contents(2);
  double most = no_ceiling;
  if (signature(encoding).role) {
    const std::size_t dim = width_of_content(encoding, 0);
    contents = {draw.content("q", dim), draw.content("k", dim)};
    most = std::pow(*amplitude_of(encoding), 2) * range(pairs_of(encoding), contents[0], contents[1]);
  }
  const Numbers i = drawn_place(domain, "i", draw), j = drawn_place(domain, "j", draw),
                t = drawn_shift(domain, {i, j}, "t", draw);
  if (rotations::all_zero(t)) throw Discard{};
  const auto here = matches(encoding, contents, i, j, p),
             there = matches(encoding, contents, sum(i, t), sum(j, t), p);
  Residual worst{0, 0, 0};
  for (std::size_t head = 0; head < here.size(); ++head)
    worst = worse(
        worst, difference(there[head].value, here[head].value, here[head].error + there[head].error, most));
  return worst;
}

}  // namespace

const Property entry{
    .statement =
        "How two tokens on a grid match depends on their places through the vector between them alone: the "
        "logit of a rotation, the dot product of a table's rows.",
    .formula = "s(q,k; i+t, j+t) = s(q,k; i, j) and p_(i+t) . p_(j+t) = p_i . p_j for vectors i, j, t",
    .source = "Heo et al. 2024, Rotary Position Embedding for Vision Transformer, section 3.2",
    .checks = {CallCheck{&is_table_or_rotation, &check}},
    .must_reject =
        joined({product_in_angles(false, 0x1p-22, all_f32), product_in_angles(true, 0x1p-22, all_f32),
                product_in_angles(false, 0x1p-9, in_bf16), product_in_angles(true, 0x1p-9, in_bf16),
                off("rotated keys past row 7", &right_rotation, 0x1p-17, &of_key_past_row_7)},
               joined(last_and_first(&right_rotation_of_three, 0x1p-16, 0x1p-3),
                      last_and_first(&right_table_of_three, 0x1p-16, 0x1p-3))),
};

}  // namespace posproof::properties_axes_depends_on_vector_offset
