#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "catalogue/encodings/transformer_xl.h"
#include "catalogue/misreadings/transformer_xl.h"
#include "core/kept.h"
#include "misreadings/right.h"

namespace posproof::misreadings_transformer_xl {
namespace {

using namespace inside;

// What stands in the place of u and v, rows 0 and 1 of the trained vectors.
struct Read {
  std::size_t of_content = 0, of_position = 1;
  bool cosines_first = false, of_keys = false, transposed = false;
};

Encoding reads(const Parameters& given, const Read& is) {
  const Arguments p = misread::arguments(encodings::transformer_xl, given);
  const std::size_t dim = p.width("dim"), step = p.is("layout", "sin_cos") ? 1 : 2,
                    half = step == 1 ? dim / 2 : 1;
  const Position clamp = p.whole("clamp_len");
  const Real base = p.real("base");
  const Tensor projection = trained(dim, dim, p.whole("table_seed")),
               vectors = trained(2, dim, p.whole("table_seed") + 1);
  const Kept<std::vector<Real>> projected;  // W r, by the offset
  return misread::with_logit(
      encodings::transformer_xl, given,
      [=](std::span<const double> q, std::span<const double> k, Position i, Position j, std::size_t) {
        const Position n = is.of_keys ? j : clamp == 0 ? i - j : std::clamp(i - j, -clamp, clamp);
        Real logit = 0;
        for (std::size_t c = 0; c < dim; ++c)
          logit += (static_cast<Real>(q[c]) + vectors.at(is.of_content, c)) * static_cast<Real>(k[c]);
        const std::vector<Real> at = projected(n, [&](Position own) {
          std::vector<Real> r(dim), out;
          for (std::size_t pair = 0; pair < dim / 2; ++pair) {
            const Real angle = static_cast<Real>(own) *
                               std::pow(base, -2 * static_cast<Real>(pair) / static_cast<Real>(dim));
            r[pair * step] = is.cosines_first ? std::cos(angle) : std::sin(angle);
            r[pair * step + half] = is.cosines_first ? std::sin(angle) : std::cos(angle);
          }
          for (std::size_t a = 0; a < dim; ++a) {
            Real sum = 0;
            for (std::size_t b = 0; b < dim; ++b)
              sum += r[b] * (is.transposed ? projection.at(b, a) : projection.at(a, b));
            out.push_back(sum);
          }
          return out;
        });
        for (std::size_t a = 0; a < dim; ++a)
          logit += (static_cast<Real>(q[a]) + vectors.at(is.of_position, a)) * at[a];
        return logit / root(dim);
      });
}

misread::Make with(const Read& is) {
  return [is](const Parameters& given) { return reads(given, is); };
}

}  // namespace

const MisreadingFamily entry{{
    {"u and v are in each other's place", with({.of_content = 1, .of_position = 0}), "dim=4"},
    {"v stands for u, too", with({.of_content = 1}), "dim=4"},
    {"u stands for v, too", with({.of_position = 0}), "dim=4"},
    {"sines and cosines of the offset are in each other's place", with({.cosines_first = true}), "dim=4"},
    {"the position of the key stands for the offset", with({.of_keys = true}), "dim=4"},
    {"W is transposed", with({.transposed = true}), "dim=4"},
}};

}  // namespace posproof::misreadings_transformer_xl
