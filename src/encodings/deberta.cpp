#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>

#include "catalogue/encodings/deberta.h"
#include "catalogue/oracle/deberta.h"
#include "catalogue/properties/attention/has_the_symmetry_of_its_mask.h"
#include "catalogue/properties/attention/key_order_invariant.h"
#include "catalogue/properties/attention/permutation_equivariant.h"
#include "catalogue/properties/attention/pooled_readout_invariant.h"
#include "catalogue/properties/attention/query_order_equivariant.h"
#include "catalogue/properties/contextual/adds_content_and_position.h"
#include "catalogue/properties/contextual/saturates.h"
#include "catalogue/properties/score/decays_with_distance.h"
#include "core/declare.h"
#include "encodings/facts.h"
#include "encodings/inside_attention.h"

namespace posproof::encodings_deberta {
namespace {

using namespace inside;

// The last distance of each logarithmic bucket after `mid`: the largest n with (n / mid)^(mid - 1) at most
// ((longest - 1) / mid)^v, v = 1, 2, ..., in whole numbers, up to the last bucket of the table.
std::vector<Position> ends(Position buckets, Position longest) {
  using boost::multiprecision::cpp_int;
  const Position mid = buckets / 2;
  const auto steps = static_cast<unsigned>(mid - 1);
  std::vector<Position> out;
  for (unsigned v = 1; static_cast<Position>(v) <= buckets - mid; ++v) {
    const cpp_int limit = pow(cpp_int(longest - 1), v) * pow(cpp_int(mid), v < steps ? steps - v : 0),
                  scale = pow(cpp_int(mid), v > steps ? v - steps : 0);
    Position below = mid, above = longest * longest;
    while (above - below > 1) {
      const Position middle = below + (above - below) / 2;
      (pow(cpp_int(middle), steps) * scale <= limit ? below : above) = middle;
    }
    out.push_back(below);
  }
  return out;
}

Encoding make(const Arguments& p) {
  const std::size_t dim = p.width("dim");
  const Position span = p.whole("span"), mid = span / 2;
  const bool c2p = !p.is("terms", "p2c"), p2c = !p.is("terms", "c2p");
  const Position direction = p.is("p2c", "paper") ? -1 : 1;
  const bool logarithmic = p.is("offsets", "log_buckets");
  const std::vector<Position> last =
      logarithmic ? ends(span, p.whole("max_position")) : std::vector<Position>{};
  const Tensor keys = trained(2 * p.width("span"), dim, p.whole("table_seed")),
               queries = trained(2 * p.width("span"), dim, p.whole("table_seed") + 1);

  const auto row = [=](Position offset) {
    Position n = std::abs(offset);
    if (logarithmic && n > mid) n = mid + 1 + (std::ranges::lower_bound(last, n) - last.begin());
    return static_cast<std::size_t>(std::clamp<Position>((offset < 0 ? -n : n) + span, 0, 2 * span - 1));
  };
  Contextual deberta = contextual(
      dim, 1, [=](std::span<const double> q, std::span<const double> k, Position i, Position j, std::size_t) {
        Real logit = dot(q, k);
        if (c2p) logit += dot(q, keys.row(row(i - j)));
        if (p2c) logit += dot(k, queries.row(row(direction * (i - j))));
        return logit / root(dim * (c2p && p2c ? 3 : 2));
      });
  deberta.error = BoundOf<Contextual>(&oracle::deberta, p);
  return deberta;
}

const Condition logarithmic{{{"offsets", {"log_buckets"}}}};
const Condition with_p2c{{{"terms", {"both", "p2c"}}}};

using namespace properties;

}  // namespace

const EncodingSpec entry{
    .summary = "disentangled attention: query and key each meet a trained vector of the offset",
    .formula =
        "s(q,k; i,j) = (q.k + q.K_d(i,j) + k.Q_d(i,j)) / sqrt(3 dim), d(i,j) = i - j + K within [0, 2K); in the paper k.Q_d(j,i)",
    .source = "He et al. 2020, DeBERTa, equations 3 and 4; microsoft/DeBERTa; He et al. 2021, DeBERTaV3",
    .parameters =
        {{whole("dim", type::any_width, 64, {1, 2, 4}, "width of a head", "channels"),
          whole("span", {2, 1024}, 16, {4, 8}, "K: offsets (or buckets of them) on each side", "rows"),
          convention("offsets", {"linear", "log_buckets"},
                     "linear: each has a row (v1); log_buckets: beyond K/2 they share rows (v2, v3)"),
          where(
              logarithmic,
              whole(
                  "max_position", {4, 1 << 20}, 512, {24, 512},
                  "distance from which all later keys share the last bucket; earlier keys share theirs sooner",
                  "tokens")),
          convention("terms", {"both", "c2p", "p2c"},
                     "of content to position, of position to content; the scale is sqrt(dim (1 + terms))"),
          where(with_p2c,
                convention("p2c", {"code", "paper"},
                           "row of the key's term: d(i, j), as the code has it, or d(j, i), as the paper")),
          whole(
              "table_seed", type::any_whole, 1, {1, 2},
              "seed of the vectors that queries meet, [2 span, dim]; of those that keys meet, the next one")},
         {{{"span"},
           "even numbers from 4",
           [](const Arguments& p) { return p.whole("span") % 2 == 0 && p.whole("span") >= 4; },
           logarithmic},
          {{"max_position", "span"},
           "positions beyond span / 2 + 1",
           [](const Arguments& p) { return p.whole("max_position") > p.whole("span") / 2 + 1; },
           logarithmic}}},
    .reference = &make,
    .exact = &oracle::deberta,
    .facts = {{&facts::acts_on_logits_alone},
              {&facts::depends_on_offset_alone},
              {&facts::distinguishes_positions}},
    .witnesses =
        {
            fails(attention::has_the_symmetry_of_its_mask, "dim=2 n=2 mask=none permutation=[1,0] x=[1,0*3]",
                  0.15, "keys before a query have other vectors than keys after it"),
            fails(attention::permutation_equivariant, "dim=2 n=2 permutation=[1,0] mask=none x=[1,0*3]", 0.15,
                  "keys before a query have other vectors than keys after it"),
            fails(attention::pooled_readout_invariant, "dim=2 n=2 permutation=[1,0] x=[1,0*3]", 0.136,
                  "the later of two keys has another vector than the earlier"),
            fails(attention::query_order_equivariant,
                  "dim=2 queries=2 keys=2 permutation=[1,0] q=[0*4] k=[1,0*3]", 0.272,
                  "the offsets depend on the query's position"),
            fails(attention::key_order_invariant,
                  "dim=2 queries=1 keys=2 permutation=[1,0] q=[0*2] k=[1,0*3]", 0.0686,
                  "moving a key changes the vector of its offset"),
        },
    .claims =
        {
            holds(contextual::saturates),
            fails(contextual::adds_content_and_position, "dim=1 i=0 j=0 a=1 b=0 q=[1] k=[0]", 1.27,
                  "the vectors of the offset are multiplied with query and key"),
            fails(score::decays_with_distance, "dim=2 q=[1,0] i=1 far=1 near=0", 1.83,
                  "trained vectors are not ordered by distance"),
        },
};

}  // namespace posproof::encodings_deberta
