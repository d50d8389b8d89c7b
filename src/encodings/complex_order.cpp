#include "catalogue/encodings/complex_order.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "catalogue/oracle/complex_order.h"
#include "catalogue/properties/attention/has_the_symmetry_of_its_mask.h"
#include "catalogue/properties/attention/keeps_constant_sequences_constant.h"
#include "catalogue/properties/attention/key_order_invariant.h"
#include "catalogue/properties/attention/permutation_equivariant.h"
#include "catalogue/properties/attention/pooled_readout_invariant.h"
#include "catalogue/properties/attention/query_order_equivariant.h"
#include "catalogue/properties/score/decays_with_distance.h"
#include "catalogue/properties/score/depends_on_offset.h"
#include "catalogue/properties/table/composes_translations.h"
#include "catalogue/properties/table/has_bounded_entries.h"
#include "catalogue/properties/table/has_different_dot_products_near_and_far.h"
#include "catalogue/properties/table/has_geometric_wavelengths.h"
#include "catalogue/properties/table/has_translations_of_determinant_one.h"
#include "catalogue/properties/table/inverts_translation_by_transposing.h"
#include "catalogue/properties/table/keeps_pairs_on_the_unit_circle.h"
#include "catalogue/properties/table/rotates_clockwise.h"
#include "core/declare.h"
#include "core/error.h"
#include "core/hard.h"
#include "encodings/facts.h"
#include "encodings/ladder.h"
#include "encodings/seeded.h"

namespace posproof::encodings_complex_order {
namespace {

// One component: r exp(i (w t + theta)).
struct Component {
  std::size_t real, imaginary;  // columns
  double r;
  long double w, theta;
};

// The index of the component in the exponent, twice, over the number of components.
std::size_t doubled_index(const std::string& exponent, std::size_t c) {
  return exponent == "full_range" ? 2 * c : exponent == "paired" ? 2 * (c / 2) : c;
}

std::vector<Component> components(const Arguments& p) {
  const std::size_t count = p.width("dim") / 2;
  const auto seed = static_cast<std::uint64_t>(p.whole("word_seed"));
  const bool drawn_modulus = p.is("modulus", "seeded"), drawn_phase = p.is("phase", "seeded");
  std::vector<Component> out;
  for (std::size_t c = 0; c < count; ++c) {
    const long double power = ladder::frequency(p.real("base"), doubled_index(p.word("exponent"), c), count);
    const bool blocks = p.is("layout", "real_imaginary");
    out.push_back({.real = blocks ? c : 2 * c,
                   .imaginary = blocks ? count + c : 2 * c + 1,
                   .r = drawn_modulus ? seeded(seed, c, 1) : 1,
                   .w = static_cast<long double>(p.whole("word")) * power,
                   .theta = 0});
    if (drawn_phase)
      out.back().theta =
          2 * std::numbers::pi_v<long double> * static_cast<long double>(seeded_share(seed, count + c));
  }
  return out;
}

// The word's number times a power: a product, and the power's own error counts ln of the power, which is
// further from 0 by at most ln word.
FrequencyError times_word(double word) {
  return {.condition = 1, .roundings = word <= 1 ? 0 : 1 + 3 * std::log(word)};
}

// With a modulus or a phase of its own. The angle is that of the ladder, with a phase of two roundings (pi
// and a product) that is added: a rounding of the sum. The modulus is rounded, and so is the product with it.
void errors(const std::vector<Component>& all, double word, double t, const Precision& p,
            std::span<double> error) {
  const Table circle;
  for (std::size_t c = 0; c < all.size(); ++c) {
    const Component& one = all[c];
    const double theta = static_cast<double>(one.theta), w = static_cast<double>(one.w);
    const Pair pair{one.imaginary, one.real, w, c, times_word(word)};
    const double sum = theta == 0 ? 0 : (std::abs(w * t) + 3 * theta) * p.angle;
    const double sine = std::min(2.0, angle_error(p, t, pair) + sum) + entry_error(circle, p);
    error[one.real] = error[one.imaginary] = std::abs(one.r) * (sine + (one.r == 1 ? 0 : 2 * p.result));
  }
}

Encoding make(const Arguments& p) {
  const auto all = components(p);
  const auto word = static_cast<double>(p.whole("word"));
  Table table{.dim = p.width("dim")};
  const bool plain = p.is("modulus", "one") && p.is("phase", "zero");
  for (std::size_t c = 0; plain && c < all.size(); ++c)
    table.pairs.push_back(
        {all[c].imaginary, all[c].real, static_cast<double>(all[c].w), c, times_word(word)});
  table.positions.hard = hard_positions(table.pairs, table.positions.lo, table.positions.hi);
  if (!plain)
    table.row_error = [all, word](std::span<const double> position, std::span<const double>,
                                  const Precision& precision, std::span<double> error) {
      errors(all, word, position[0], precision, error);
    };
  table.rows = [all, dim = table.dim](const Positions& positions, Position) {
    Tensor rows({positions.size(), dim});
    for (std::size_t n = 0; n < positions.size(); ++n)
      for (const Component& one : all) {
        const long double angle = static_cast<long double>(positions.at(n)) * one.w + one.theta;
        rows.at(n, one.real) = static_cast<double>(one.r * std::cos(angle));
        rows.at(n, one.imaginary) = static_cast<double>(one.r * std::sin(angle));
      }
    return rows;
  };
  return table;
}

using namespace properties;

const Condition bare{{{"modulus", {"one"}}, {"phase", {"zero"}}}};
const Condition on_the_circle{{{"modulus", {"one"}}}};
const Condition geometric{
    {{"exponent", {"full_range", "half_range"}}, {"word", {1.0}}, {"modulus", {"one"}}, {"phase", {"zero"}}}};
const Condition in_pairs{{{"exponent", {"paired"}}, {"modulus", {"one"}}, {"phase", {"zero"}}}};

}  // namespace

const EncodingSpec entry{
    .summary = "a word's complex number in each component, whose phase grows with the position",
    .formula = "p_t[c] = r_c exp(i (w_c t + theta_c)), w_c = word base^(-2c/n) for n components",
    .source =
        "Wang et al. 2020, Encoding word order in complex embeddings, ICLR, eq. 10; exponent, word and paired: "
        "the authors' code",
    .parameters =
        {.all =
             {whole("dim", type::any_width, 64, {2, 4, 8, 64}, "width of a row: two real numbers a component",
                    "channels"),
              above_0("base", 10000, {10000, 100}, "frequencies are its powers"),
              convention("exponent", {"full_range", "paired", "half_range"},
                         "of component c of n: full_range 2c/n (to nearly base^-2), paired 2 floor(c/2)/n, "
                         "half_range c/n (as in sinusoidal)"),
              whole(
                  "word", {0, std::int64_t{1} << 24}, 1, {1, 3},
                  "factor of every frequency: the word's number in the authors' code, where word 0 has no position"),
              convention("layout", {"real_imaginary", "interleaved"}, "where real and imaginary parts stand"),
              of_words("modulus", {"one", "seeded"}, "r: one, seeded (uniform, of mean 0 and deviation 1)"),
              of_words("phase", {"zero", "seeded"}, "theta: zero, seeded (uniform in [0, 2 pi))"),
              whole("word_seed", type::any_whole, 1, {1, 2},
                    "seed of r [dim / 2]; theta_c is 2 pi times the u of number dim / 2 + c (protocol.md)")},
         .relations = {{{"dim"}, "even widths", [](const Arguments& p) { return p.width("dim") % 2 == 0; }}}},
    .reference = &make,
    .exact = &oracle::complex_order,
    .facts = {{&facts::is_added_to_the_tokens},
              {&facts::depends_on_position_alone},
              {&facts::distinguishes_positions},
              {&facts::takes_steps_that_bf16_shows, on_the_circle},
              {&facts::moves_rigidly},
              {&facts::moves_by_rotations}},
    .witnesses =
        {
            fails(
                score::depends_on_offset, "dim=2 q=[0,1] k=[0,0] i=0 j=0 t=1", 0.841,
                "p_i.p_j depends on the offset alone, but q.p_j does not: q.p_0 = sin 0, and q.p_1 = sin w"),
            fails(score::decays_with_distance, "dim=2 q=[0,0] i=6 far=6 near=3", 1.95,
                  "the pair is periodic, and nearly back where it began"),
            fails(attention::keeps_constant_sequences_constant, "dim=2 n=2 mask=causal x=[0,0]", 0.489,
                  "the row is added to the values: the answers are p_0, then a mean of p_0 and p_1"),
            fails(attention::has_the_symmetry_of_its_mask, "dim=2 n=2 mask=none permutation=[1,0] x=[0*4]",
                  0.136,
                  "two equal tokens without a mask have different answers: each favours its own position"),
            fails(attention::permutation_equivariant, "dim=2 n=2 permutation=[1,0] mask=none x=[0*4]", 0.136,
                  "exchanging two equal tokens changes nothing, but their answers differ"),
            fails(attention::pooled_readout_invariant, "dim=2 n=2 permutation=[1,0] x=[1,0,0,0]", 0.146,
                  "the token is added to p_0, then to p_1"),
            fails(attention::query_order_equivariant,
                  "dim=2 queries=2 keys=2 permutation=[1,0] q=[0*4] k=[0*4]", 0.136,
                  "equal queries at 0 and 1 each favour the key at their own position"),
            fails(attention::key_order_invariant,
                  "dim=2 queries=1 keys=2 permutation=[1,0] q=[0,0] k=[1,0,0,0]", 0.152,
                  "the key is added to p_0, then to p_1"),
        },
    .claims =
        {
            holds(table::keeps_pairs_on_the_unit_circle, bare),
            holds(table::rotates_clockwise, bare),
            holds(table::composes_translations, bare),
            holds(table::inverts_translation_by_transposing, bare),
            holds(table::has_translations_of_determinant_one, bare),
            holds(table::has_different_dot_products_near_and_far),
            holds(table::has_geometric_wavelengths, geometric),
            fails(table::has_geometric_wavelengths, "dim=8 exponent=paired t=0 doublings=0", 0.785,
                  "every two components share a frequency", in_pairs),
            fails(table::has_bounded_entries, "dim=2 modulus=seeded word_seed=2 t=0 n=1", 0.403,
                  "the modulus of a word is what training makes it", {{{"modulus", {"seeded"}}}}),
        },
};

}  // namespace posproof::encodings_complex_order
