#include <algorithm>

#include "catalogue/encodings/deberta.h"
#include "catalogue/misreadings/deberta.h"
#include "misreadings/right.h"

namespace posproof::misreadings_deberta {
namespace {

using namespace inside;

// In a call of n tokens, n below the span K, the code's rows are those of the offset + n, of a table from
// which the rows from K - n on are taken. Here it is not.
Encoding of_the_whole_table(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::deberta, given);
  if (!p.is("offsets", "linear")) throw Refusal("of buckets the span is not cut");
  const std::size_t dim = p.width("dim");
  const Position most = p.whole("span");
  const bool c2p = !p.is("terms", "p2c"), p2c = !p.is("terms", "c2p");
  const Position direction = p.is("p2c", "paper") ? -1 : 1;
  const Tensor of_keys = trained(2 * p.width("span"), dim, p.whole("table_seed")),
               of_queries = trained(2 * p.width("span"), dim, p.whole("table_seed") + 1);
  Contextual out = misread::right<Contextual>(encodings::deberta, given);
  out.logits = [=](const Tensor& q, const Tensor& k, const Positions& queries, const Positions& keys) {
    const Position span = std::min(most, static_cast<Position>(std::max(queries.size(), keys.size())));
    const auto row = [span](Position offset) {
      return static_cast<std::size_t>(std::clamp<Position>(offset + span, 0, 2 * span - 1));
    };
    return contextual(dim, 1,
                      [&](std::span<const double> one, std::span<const double> other, Position i, Position j,
                          std::size_t) {
                        Real logit = dot(one, other);
                        if (c2p) logit += dot(one, of_keys.row(row(i - j)));
                        if (p2c) logit += dot(other, of_queries.row(row(direction * (i - j))));
                        return logit / root(dim * (c2p && p2c ? 3 : 2));
                      })
        .logits(q, k, queries, keys);
  };
  return out;
}

}  // namespace

const MisreadingFamily entry{{
    {"in calls of n tokens, n below the span, an offset has row offset + n of the whole table, not of its "
     "rows from span - n on",
     &of_the_whole_table, "dim=4 span=12"},
}};

}  // namespace posproof::misreadings_deberta
