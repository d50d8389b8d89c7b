#include "catalogue/encodings/random_fourier.h"

#include <cmath>
#include <numbers>

#include "catalogue/oracle/random_fourier.h"
#include "catalogue/properties/attention/has_the_symmetry_of_its_mask.h"
#include "catalogue/properties/attention/keeps_constant_sequences_constant.h"
#include "catalogue/properties/attention/key_order_invariant.h"
#include "catalogue/properties/attention/permutation_equivariant.h"
#include "catalogue/properties/attention/pooled_readout_invariant.h"
#include "catalogue/properties/attention/query_order_equivariant.h"
#include "catalogue/properties/score/decays_with_distance.h"
#include "catalogue/properties/score/depends_on_offset.h"
#include "catalogue/properties/table/composes_translations.h"
#include "catalogue/properties/table/distance_depends_on_offset.h"
#include "catalogue/properties/table/distinguishes_neighbours_in_bf16.h"
#include "catalogue/properties/table/distinguishes_neighbours_in_f16.h"
#include "catalogue/properties/table/dot_product_depends_on_offset.h"
#include "catalogue/properties/table/has_bounded_entries.h"
#include "catalogue/properties/table/has_constant_norm.h"
#include "catalogue/properties/table/has_different_dot_products_near_and_far.h"
#include "catalogue/properties/table/has_distinct_positions.h"
#include "catalogue/properties/table/has_geometric_wavelengths.h"
#include "catalogue/properties/table/has_one_shift_for_all_lengths.h"
#include "catalogue/properties/table/has_translations_of_determinant_one.h"
#include "catalogue/properties/table/inverts_translation_by_transposing.h"
#include "catalogue/properties/table/keeps_pairs_on_the_unit_circle.h"
#include "catalogue/properties/table/rotates_clockwise.h"
#include "catalogue/properties/table/shifts_base_by_a_rotation.h"
#include "catalogue/properties/table/translates_by_a_rotation.h"
#include "core/declare.h"
#include "core/error.h"
#include "core/hard.h"
#include "encodings/facts.h"
#include "encodings/projected.h"

namespace posproof::encodings_random_fourier {
namespace {

struct Features {
  std::size_t count;
  bool paired;
  std::string layout;
  std::vector<double> w, b;  // b in radians where it is listed
  std::vector<double> turns;
  double amplitude;
  double square = 0;  // dim times that of the amplitude; 0: it is 1

  std::size_t sine(std::size_t n) const {
    return layout == "interleaved" ? 2 * n + 1 : layout == "cos_sin" ? count + n : n;
  }
  std::size_t cosine(std::size_t n) const {
    return layout == "interleaved" ? 2 * n : layout == "cos_sin" ? n : count + n;
  }
  long double phase(std::size_t n) const {
    return b[n] + 2 * std::numbers::pi_v<long double> * static_cast<long double>(turns[n]);
  }
};

Features features(const Arguments& p) {
  const std::size_t dim = p.width("dim");
  const bool paired = p.is("form", "paired"), listed = p.is("frequencies", "listed");
  const std::size_t count = paired ? dim / 2 : dim;
  const auto seed = static_cast<std::uint64_t>(p.whole("frequency_seed"));
  Features out{.count = count,
               .paired = paired,
               .layout = p.word("layout"),
               .w = {},
               .b = std::vector<double>(count),
               .turns = std::vector<double>(count),
               .amplitude = 1};
  out.square = p.is("norm", "one") ? 2 : p.is("norm", "inverse_root_of_dim") ? 1 : 0;
  if (out.square != 0) out.amplitude = std::sqrt(out.square / static_cast<double>(dim));
  out.w = listed ? projected::repeated(p.list("frequency_list"), count)
                 : projected::normal_numbers(seed, count, p.real("sigma"));
  if (paired) return out;
  if (listed) out.b = projected::repeated(p.list("phase_list"), count);
  // Behind the shares that the frequencies are made of.
  for (std::size_t n = 0; !listed && n < count; ++n) out.turns[n] = seeded_share(seed, 2 * count + n);
  return out;
}

// Of the phase form. The angle is a product and a sum: w, the position and their product are rounded, and so
// is the sum; a phase is pi times a number, 2 roundings, and in the sum. As a root the amplitude carries one
// rounding more than one that is given.
double phase_form_error(const Features& f, std::size_t n, double t, const Table& beside, const Precision& p) {
  const double angle = (4 * std::abs(f.w[n] * t) + 3 * std::abs(static_cast<double>(f.phase(n)))) * p.angle;
  const double root = f.amplitude == 1 ? 0 : p.result * f.amplitude;
  return f.amplitude * std::min(2.0, angle) + entry_error(beside, p) + root;
}

Encoding make(const Arguments& p) {
  const Features f = features(p);
  Table table{.dim = f.paired ? 2 * f.count : f.count, .amplitude = f.amplitude};
  for (std::size_t n = 0; f.paired && n < f.count; ++n)
    table.pairs.push_back({f.sine(n), f.cosine(n), f.w[n], n, {.condition = 0, .roundings = 1}});
  table.positions = {-256, 256, hard_positions(std::span<const Pair>{}, -256, 256)};
  table.positions.real = true;
  if (!f.paired)
    table.row_error = [f, beside = table](std::span<const double> position, std::span<const double>,
                                          const Precision& precision, std::span<double> error) {
      for (std::size_t n = 0; n < f.count; ++n)
        error[n] = phase_form_error(f, n, position[0], beside, precision);
    };
  table.rows = [f, dim = table.dim](const Positions& positions, Position) {
    const long double root =
        f.square == 0 ? 1 : std::sqrt(static_cast<long double>(f.square) / static_cast<long double>(dim));
    Tensor rows({positions.size(), dim});
    for (std::size_t r = 0; r < positions.size(); ++r)
      for (std::size_t n = 0; n < f.count; ++n) {
        const long double angle =
            static_cast<long double>(f.w[n]) * static_cast<long double>(positions.at(r)) + f.phase(n);
        rows.at(r, f.paired ? f.cosine(n) : n) = static_cast<double>(root * std::cos(angle));
        if (f.paired) rows.at(r, f.sine(n)) = static_cast<double>(root * std::sin(angle));
      }
    return rows;
  };
  return table;
}

using namespace properties;

const Condition in_pairs{{{"form", {"paired"}}}};
const Condition with_phases{{{"form", {"phase"}}}};
const Condition drawn{{{"frequencies", {"seeded"}}}};
const Condition drawn_in_pairs{{{"form", {"paired"}}, {"frequencies", {"seeded"}}}};
const Condition listed{{{"frequencies", {"listed"}}}};
const Condition listed_with_phases{{{"form", {"phase"}}, {"frequencies", {"listed"}}}};

bool fits(const Arguments& p, std::string_view list) {
  const std::size_t n = p.list(list).size(), count = p.width("dim") / (p.is("form", "paired") ? 2 : 1);
  return n >= 1 && n <= count;
}

}  // namespace

const EncodingSpec entry{
    .summary = "cosines at random frequencies, whose products are a kernel on average",
    .formula =
        "paired: p_t = sqrt(2/dim) [cos(w_j t) | sin(w_j t)]; phase: p_t[j] = sqrt(2/dim) cos(w_j t + b_j); "
        "w_j ~ N(0, sigma^2), b_j uniform in [0, 2 pi)",
    .source =
        "Rahimi, Recht 2007, Random features for large-scale kernel machines, section 3; phase: sklearn RBFSampler",
    .parameters =
        {.all = {whole("dim", type::any_width, 64, {2, 4, 8, 64}, "width of a row", "channels"),
                 convention(
                     "form", {"paired", "phase"},
                     "paired (cosine and sine of each frequency), phase (a cosine of each, with a phase)"),
                 where(in_pairs, convention("layout", {"cos_sin", "sin_cos", "interleaved"},
                                            "where cosines and sines stand")),
                 convention(
                     "norm", {"one", "none", "inverse_root_of_dim"},
                     "one: every entry times sqrt(2/dim), so that p_t . p_t is 1 (phase: on average); none; "
                     "inverse_root_of_dim (ESPnet's LearnableFourierPosEnc)"),
                 of_words("frequencies", {"seeded", "listed"}, "where w and b come from"),
                 where(drawn,
                       above_0("sigma", 1, {1, 0.125}, "standard deviation of w, radians per position")),
                 where(drawn, whole("frequency_seed", type::any_whole, 1, {1, 2},
                                    "seed of w; b_j is 2 pi times the u of number 2 dim + j (protocol.md)")),
                 where(listed, {"frequency_list",
                                type::List{std::size_t{1} << 20},
                                std::vector<double>{1},
                                {std::vector<double>{1}, std::vector<double>{1, 0.25}},
                                "frequencies, radians per position; the last one is repeated"}),
                 where(listed_with_phases, {"phase_list",
                                            type::List{std::size_t{1} << 20},
                                            std::vector<double>{0},
                                            {std::vector<double>{0}, std::vector<double>{2, 0.5}},
                                            "phases, radians; the last one is repeated"})},
         .relations =
             {{{"dim"}, "even widths", [](const Arguments& p) { return p.width("dim") % 2 == 0; }, in_pairs},
              {{"frequency_list"},
               "lists of at least one number, and of at most one for each frequency",
               [](const Arguments& p) { return fits(p, "frequency_list"); },
               listed},
              {{"phase_list"},
               "lists of at least one number, and of at most one for each frequency",
               [](const Arguments& p) { return fits(p, "phase_list"); },
               listed_with_phases}}},
    .reference = &make,
    .exact = &oracle::random_fourier,
    .facts = {{&facts::is_added_to_the_tokens},
              {&facts::depends_on_position_alone},
              {&facts::distinguishes_positions, drawn},
              {&facts::moves_rigidly, in_pairs},
              {&facts::moves_by_rotations, in_pairs}},
    .witnesses =
        {
            fails(
                score::depends_on_offset, "dim=2 q=[0,1] k=[0,0] i=0 j=0 t=1", 0.49,
                "p_i.p_j depends on the offset alone, but q.p_j does not: q.p_0 = sin 0, and q.p_1 = sin w"),
            fails(score::decays_with_distance, "dim=2 q=[0,0] i=12 far=12 near=6",
                  1.99, "the pair is periodic, and nearly back where it began"),
            fails(attention::keeps_constant_sequences_constant, "dim=2 n=2 mask=causal x=[0,0]", 0.256,
                  "the row is added to the values: the answers are p_0, then a mean of p_0 and p_1"),
            fails(attention::has_the_symmetry_of_its_mask, "dim=2 n=2 mask=none permutation=[1,0] x=[0*4]",
                  0.0223,
                  "two equal tokens without a mask have different answers: each favours its own position"),
            fails(attention::permutation_equivariant, "dim=2 n=2 permutation=[1,0] mask=none x=[0*4]", 0.0223,
                  "exchanging two equal tokens changes nothing, but their answers differ"),
            fails(attention::pooled_readout_invariant, "dim=2 n=2 permutation=[1,0] x=[1,0,0,0]", 0.0422,
                  "the token is added to p_0, then to p_1"),
            fails(attention::query_order_equivariant,
                  "dim=2 queries=2 keys=2 permutation=[1,0] q=[0*4] k=[0*4]", 0.0223,
                  "equal queries at 0 and 1 each favour the key at their own position"),
            fails(attention::key_order_invariant,
                  "dim=2 queries=1 keys=2 permutation=[1,0] q=[0,0] k=[1,0,0,0]", 0.126,
                  "the key is added to p_0, then to p_1"),
        },
    .claims =
        {
            holds(table::keeps_pairs_on_the_unit_circle, in_pairs),
            holds(table::rotates_clockwise, in_pairs),
            holds(table::composes_translations, in_pairs),
            holds(table::inverts_translation_by_transposing, in_pairs),
            holds(table::has_translations_of_determinant_one, in_pairs),
            holds(table::has_bounded_entries),
            holds(table::has_different_dot_products_near_and_far, drawn),
            fails(table::distance_depends_on_offset, "dim=2 form=phase k=1 s=0 t=1", 0.0878,
                  "a cosine lacks its sine: only the mean over all draws depends on the offset alone",
                  with_phases),
            fails(table::has_one_shift_for_all_lengths, "dim=2 form=phase k=1 t=0 u=1 n=3 far=4", 0.0878,
                  "a cosine lacks its sine: only the mean over all draws depends on the offset alone",
                  with_phases),
            fails(table::has_constant_norm, "dim=2 form=phase s=0 t=1", 0.131,
                  "a cosine lacks its sine: only the mean over all draws depends on the offset alone",
                  with_phases),
            fails(table::translates_by_a_rotation, "dim=2 form=phase k=1 s=0 t=1", 0.247,
                  "a cosine lacks its sine: only the mean over all draws depends on the offset alone",
                  with_phases),
            fails(table::shifts_base_by_a_rotation, "dim=2 form=phase n=2 c=1", 0.513,
                  "a cosine lacks its sine: only the mean over all draws depends on the offset alone",
                  with_phases),
            fails(table::dot_product_depends_on_offset, "dim=2 form=phase k=1 s=0 t=1", 0.345,
                  "a cosine lacks its sine: only the mean over all draws depends on the offset alone",
                  with_phases),
            fails(table::has_distinct_positions, "dim=2 form=phase frequencies=listed t=-1 k=2", 1,
                  "cos(-1) = cos(1): the listed frequencies have no phase", listed_with_phases),
            holds(table::distinguishes_neighbours_in_bf16, drawn_in_pairs),
            holds(table::distinguishes_neighbours_in_f16, drawn_in_pairs),
            fails(table::has_geometric_wavelengths, "dim=2 t=0 doublings=0", 0.487,
                  "the first of the drawn frequencies is not 1 radian per position"),
        },
};

}  // namespace posproof::encodings_random_fourier
