#include <algorithm>
#include <utility>
#include <vector>

#include "catalogue/encodings/music_transformer.h"
#include "catalogue/misreadings/music_transformer.h"
#include "misreadings/right.h"

namespace posproof::misreadings_music_transformer {
namespace {

using namespace inside;

// A vector that the right formula does not have there is rounded, too: as that of distance 0 is.
Encoding with_logit(const Parameters& given, Logit logit) {
  Encoding made = misread::with_logit(encodings::music_transformer, given, std::move(logit));
  auto& out = as<Contextual>(made);
  out.error = [own = out.error](const auto& q, const auto& k, const auto& i, const auto& j,
                                const Precision& precision) {
    return own(q, k, i, j, precision) + own(q, k, j, j, precision);
  };
  return made;
}

// [n, n] without the column of zeros in front, or with it behind: what is read at distance d is the vector of
// distance d - 1, and at 0 the column of zeros.
Encoding skewed_from_behind(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::music_transformer, given);
  const std::size_t dim = p.width("dim");
  const Position length = p.whole("length");
  const bool zero = p.is("beyond", "zero");
  const Tensor table = trained(p.width("length"), dim, p.whole("table_seed"));
  return with_logit(
      given, [=](std::span<const double> q, std::span<const double> k, Position i, Position j, std::size_t) {
        Real logit = dot(q, k);
        const Position back = zero ? i - j - 1 : std::min(i - j - 1, length - 1);
        if (back >= 0 && back < length)
          logit += dot(q, table.row(static_cast<std::size_t>(length - 1 - back)));
        return logit / root(dim);
      });
}

Encoding read_backward(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::music_transformer, given);
  const std::size_t dim = p.width("dim");
  const Position length = p.whole("length");
  const bool zero = p.is("beyond", "zero");
  const Tensor table = trained(p.width("length"), dim, p.whole("table_seed"));
  return with_logit(
      given, [=](std::span<const double> q, std::span<const double> k, Position i, Position j, std::size_t) {
        const Position back = std::clamp<Position>(i - j, 0, zero ? length : length - 1);
        Real logit = dot(q, k);
        if (back < length) logit += dot(q, table.row(static_cast<std::size_t>(back)));
        return logit / root(dim);
      });
}

// The condition is d < length - 1, not d < length.
Encoding ends_one_early(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::music_transformer, given);
  const std::size_t dim = p.width("dim");
  const Position length = p.whole("length");
  if (!p.is("beyond", "zero")) throw Refusal("said of distances that have no vector");
  const Tensor table = trained(p.width("length"), dim, p.whole("table_seed"));
  return with_logit(
      given, [=](std::span<const double> q, std::span<const double> k, Position i, Position j, std::size_t) {
        Real logit = dot(q, k);
        if (const Position back = i - j; back >= 0 && back < length - 1)
          logit += dot(q, table.row(static_cast<std::size_t>(length - 1 - back)));
        return logit / root(dim);
      });
}

// The product with the table is skewed as if the first query stood at the first key.
Encoding decoded_from_0(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::music_transformer, given);
  const std::size_t dim = p.width("dim");
  const Position length = p.whole("length");
  const bool zero = p.is("beyond", "zero");
  const Tensor table = trained(p.width("length"), dim, p.whole("table_seed"));
  Encoding made = with_logit(
      given, [=](std::span<const double> q, std::span<const double> k, Position i, Position j, std::size_t) {
        Real logit = dot(q, k);
        const Position back = zero ? i - j : std::min(i - j, length - 1);
        if (back >= 0 && back < length)
          logit += dot(q, table.row(static_cast<std::size_t>(length - 1 - back)));
        return logit / root(dim);
      });
  auto& out = as<Contextual>(made);
  out.logits = [own = out.logits](const Tensor& q, const Tensor& k, const Positions& queries,
                                  const Positions& keys) {
    if (queries.size() >= keys.size() || queries.empty()) return own(q, k, queries, keys);
    std::vector<Position> from_0(queries.begin(), queries.end());
    const Position first = *std::ranges::min_element(from_0);
    for (Position& t : from_0) t -= first;
    return own(q, k, from_0, keys);
  };
  return made;
}

}  // namespace

const MisreadingFamily entry{{
    {"each distance has the vector of one less, and distance 0 has none: the column of zeros of the skewing "
     "stands behind the others, not in front",
     &skewed_from_behind, "dim=4 length=12"},
    {"the table is read from its other end: distance d has row d, not row length - 1 - d", &read_backward,
     "dim=4 length=12"},
    {"distance length - 1 has no vector, as if it were out of reach", &ends_one_early, "dim=4 length=12"},
    {"fewer queries than keys count from 0, the first of them, and keys after that have no vector",
     &decoded_from_0, "dim=4 length=12"},
}};

}  // namespace posproof::misreadings_music_transformer
