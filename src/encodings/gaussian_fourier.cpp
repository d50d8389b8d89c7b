#include "catalogue/encodings/gaussian_fourier.h"

#include <cmath>

#include "catalogue/oracle/gaussian_fourier.h"
#include "catalogue/properties/attention/has_the_symmetry_of_its_mask.h"
#include "catalogue/properties/attention/keeps_constant_sequences_constant.h"
#include "catalogue/properties/attention/key_order_invariant.h"
#include "catalogue/properties/attention/permutation_equivariant.h"
#include "catalogue/properties/attention/pooled_readout_invariant.h"
#include "catalogue/properties/attention/query_order_equivariant.h"
#include "catalogue/properties/score/decays_with_distance.h"
#include "catalogue/properties/score/depends_on_offset.h"
#include "catalogue/properties/table/composes_translations.h"
#include "catalogue/properties/table/has_different_dot_products_near_and_far.h"
#include "catalogue/properties/table/has_distinct_positions.h"
#include "catalogue/properties/table/has_geometric_wavelengths.h"
#include "catalogue/properties/table/has_translations_of_determinant_one.h"
#include "catalogue/properties/table/inverts_translation_by_transposing.h"
#include "catalogue/properties/table/keeps_pairs_on_the_unit_circle.h"
#include "catalogue/properties/table/rotates_clockwise.h"
#include "core/declare.h"
#include "core/error.h"
#include "core/hard.h"
#include "encodings/facts.h"
#include "encodings/projected.h"
#include "encodings/turns.h"

namespace posproof::encodings_gaussian_fourier {
namespace {

// Units of an angle, of the sum of the sizes of its products: what B, the coordinate and their product are
// rounded by, where there is a 2 pi two more (it and its product), and a rounding of the sum for every axis
// but the first.
double roundings(std::size_t axes, bool two_pi) {
  return (two_pi ? 5.0 : 3.0) + static_cast<double>(axes - 1);
}

struct Features {
  std::size_t axes, count;
  std::vector<double> matrix;  // [count, axes]
  bool two_pi, cosines_first;

  std::span<const double> row(std::size_t n) const { return std::span(matrix).subspan(n * axes, axes); }
  std::size_t sine(std::size_t n) const { return cosines_first ? count + n : n; }
  std::size_t cosine(std::size_t n) const { return cosines_first ? n : count + n; }
  double amplitude;

  double unit() const { return two_pi ? 2 * std::numbers::pi : 1; }
};

long double amplitude_of(const Arguments& p) {
  if (p.is("norm", "none")) return 1;
  return std::sqrt((p.is("norm", "one") ? 2.0L : 1.0L) / static_cast<long double>(p.width("dim")));
}

Features features(const Arguments& p) {
  Features out{.axes = p.width("axes"),
               .count = p.width("dim") / 2,
               .matrix = {},
               .two_pi = p.is("factor", "two_pi"),
               .cosines_first = p.is("layout", "cos_sin"),
               .amplitude = static_cast<double>(amplitude_of(p))};
  const std::size_t numbers = out.axes * out.count;
  out.matrix = p.is("matrix", "listed")
                   ? projected::repeated(p.list("entries"), numbers)
                   : projected::normal_numbers(static_cast<std::uint64_t>(p.whole("matrix_seed")), numbers,
                                               p.real("sigma"));
  return out;
}

Encoding make(const Arguments& p) {
  const Features f = features(p);
  Table table{.dim = 2 * f.count, .amplitude = f.amplitude};
  table.positions = {-256, 256, hard_positions(std::span<const Pair>{}, -256, 256)};
  table.positions.axes = f.axes;
  table.positions.real = true;
  // Of one axis each feature has a frequency: no power, whose own error counts 0 times. Position and product
  // are counted with every angle.
  for (std::size_t n = 0; f.axes == 1 && n < f.count; ++n)
    table.pairs.push_back({f.sine(n),
                           f.cosine(n),
                           f.unit() * f.matrix[n],
                           n,
                           {.condition = 0, .roundings = roundings(1, f.two_pi) - 2}});
  if (f.axes > 1)
    table.row_error = [f, beside = table](std::span<const double> position, std::span<const double>,
                                          const Precision& precision, std::span<double> error) {
      for (std::size_t n = 0; n < f.count; ++n) {
        const double angle =
            roundings(f.axes, f.two_pi) * precision.angle * f.unit() * projected::size(f.row(n), position);
        error[f.sine(n)] = error[f.cosine(n)] =
            f.amplitude * std::min(2.0, angle) + entry_error(beside, precision);
      }
    };
  table.rows = [f, amplitude = amplitude_of(p)](const Positions& positions, Position) {
    Tensor rows({positions.size(), 2 * f.count});
    for (std::size_t r = 0; r < positions.size(); ++r)
      for (std::size_t n = 0; n < f.count; ++n) {
        const long double product = projected::product(f.row(n), positions, r);
        const OnTheCircle point =
            f.two_pi ? of_turns(product) : OnTheCircle{std::sin(product), std::cos(product)};
        rows.at(r, f.sine(n)) = static_cast<double>(amplitude * point.sine);
        rows.at(r, f.cosine(n)) = static_cast<double>(amplitude * point.cosine);
      }
    return rows;
  };
  return table;
}

using namespace properties;

const Condition of_one_axis{{{"axes", {1.0}}}};
const Condition seeded_matrix{{{"matrix", {"seeded"}}}};
const Condition seeded_and_plain{{{"matrix", {"seeded"}}, {"norm", {"none"}}}};
const Condition listed_matrix{{{"matrix", {"listed"}}}};

}  // namespace

const EncodingSpec entry{
    .summary = "sine and cosine of a position's products with a matrix of normal numbers",
    .formula = "p_v = [cos(2 pi B v) | sin(2 pi B v)], B_ij ~ N(0, sigma^2)",
    .source =
        "Tancik et al. 2020, Fourier features let networks learn high frequency functions, section 6; sin_cos: "
        "Song et al. 2021, score-SDE, GaussianFourierProjection",
    .parameters =
        {.all = {whole("dim", type::any_width, 64, {2, 4, 8, 64}, "width of a row", "channels"),
                 whole("axes", {1, 3}, 1, {1, 2}, "numbers of a position"),
                 convention("layout", {"cos_sin", "sin_cos"},
                            "which half comes first: cos_sin (Tancik et al.), sin_cos (score-SDE)"),
                 convention("factor", {"two_pi", "one"}, "of every product: two_pi, one"),
                 convention("norm", {"none", "one", "inverse_root_of_dim"},
                            "what multiplies every entry: none, one (sqrt(2/dim), so that p_v . p_v is 1), "
                            "inverse_root_of_dim (learnable Fourier features: Li et al. 2021, ESPnet)"),
                 of_words("matrix", {"seeded", "listed"}, "where B comes from: seeded (normal), listed"),
                 where(seeded_matrix, above_0("sigma", 10, {10, 1}, "standard deviation of B's entries")),
                 where(seeded_matrix,
                       whole("matrix_seed", type::any_whole, 1, {1, 2}, "seed of B [dim / 2, axes]")),
                 where(listed_matrix, {"entries",
                                       type::List{std::size_t{1} << 20},
                                       std::vector<double>{1},
                                       {std::vector<double>{1}, std::vector<double>{0.5, 0.375}},
                                       "B row by row, [dim / 2, axes]; the last number is repeated"})},
         .relations = {{{"dim"}, "even widths", [](const Arguments& p) { return p.width("dim") % 2 == 0; }},
                       {{"entries"},
                        "lists of at least one number, and of at most dim / 2 * axes",
                        [](const Arguments& p) {
                          const std::size_t n = p.list("entries").size();
                          return n >= 1 && n <= p.width("dim") / 2 * p.width("axes");
                        },
                        listed_matrix}}},
    .reference = &make,
    .exact = &oracle::gaussian_fourier,
    .facts = {{&facts::is_added_to_the_tokens},
              {&facts::depends_on_position_alone},
              {&facts::distinguishes_positions, seeded_matrix},
              {&facts::takes_steps_that_bf16_shows, seeded_and_plain},
              {&facts::moves_rigidly},
              {&facts::moves_by_rotations}},
    .witnesses =
        {
            fails(
                score::depends_on_offset, "dim=2 factor=one sigma=1 q=[0,1] k=[0,0] i=0 j=0 t=1", 0.49,
                "p_i.p_j depends on the offset alone, but q.p_j does not: q.p_0 = sin 0, and q.p_1 = sin w"),
            fails(score::decays_with_distance, "dim=2 factor=one sigma=1 q=[0,0] i=12 far=12 near=6",
                  1.99, "the pair is periodic, and nearly back where it began"),
            fails(attention::keeps_constant_sequences_constant,
                  "dim=2 factor=one sigma=1 n=2 mask=causal x=[0,0]", 0.256,
                  "the row is added to the values: the answers are p_0, then a mean of p_0 and p_1"),
            fails(attention::has_the_symmetry_of_its_mask,
                  "dim=2 factor=one sigma=1 n=2 mask=none permutation=[1,0] x=[0*4]", 0.0223,
                  "two equal tokens without a mask have different answers: each favours its own position"),
            fails(attention::permutation_equivariant,
                  "dim=2 factor=one sigma=1 n=2 permutation=[1,0] mask=none x=[0*4]", 0.0223,
                  "exchanging two equal tokens changes nothing, but their answers differ"),
            fails(attention::pooled_readout_invariant,
                  "dim=2 factor=one sigma=1 n=2 permutation=[1,0] x=[1,0,0,0]", 0.0422,
                  "the token is added to p_0, then to p_1"),
            fails(attention::query_order_equivariant,
                  "dim=2 factor=one sigma=1 queries=2 keys=2 permutation=[1,0] q=[0*4] k=[0*4]", 0.0223,
                  "equal queries at 0 and 1 each favour the key at their own position"),
            fails(attention::key_order_invariant,
                  "dim=2 factor=one sigma=1 queries=1 keys=2 permutation=[1,0] q=[0,0] k=[1,0,0,0]", 0.126,
                  "the key is added to p_0, then to p_1"),
        },
    .claims =
        {
            holds(table::keeps_pairs_on_the_unit_circle, of_one_axis),
            holds(table::rotates_clockwise, of_one_axis),
            holds(table::composes_translations, of_one_axis),
            holds(table::inverts_translation_by_transposing, of_one_axis),
            holds(table::has_translations_of_determinant_one, of_one_axis),
            holds(table::has_different_dot_products_near_and_far, seeded_matrix),
            fails(table::has_distinct_positions, "dim=2 matrix=listed k=1 t=0", 1,
                  "B = 1 is a whole turn per position", listed_matrix),
            fails(table::has_geometric_wavelengths, "dim=2 factor=one sigma=1 t=0 doublings=0", 0.487,
                  "the first of the drawn frequencies is not 1 radian per position"),
        },
};

}  // namespace posproof::encodings_gaussian_fourier
