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

// What the declared settings say of the table, row length - 1 - d of which belongs to distance d.
struct Rows {
  explicit Rows(const Parameters& given) : Rows(misread::arguments(encodings::music_transformer, given)) {}

  std::size_t dim;
  Position length;
  bool zero;  // distances past the last have no vector; otherwise that of the last
  Tensor table;

  // q.row, and nothing where the table has none of that number.
  Real times(std::span<const double> q, Position row) const {
    return row >= 0 && row < length ? dot(q, table.row(static_cast<std::size_t>(row))) : 0;
  }
  Real at_distance(std::span<const double> q, Position distance) const {
    return times(q, length - 1 - (zero ? distance : std::min(distance, length - 1)));
  }
  Real logit(std::span<const double> q, std::span<const double> k, Real position) const {
    return (dot(q, k) + position) / root(dim);
  }

 private:
  explicit Rows(const Arguments& p)
      : dim(p.width("dim")),
        length(p.whole("length")),
        zero(p.is("beyond", "zero")),
        table(trained(p.width("length"), dim, p.whole("table_seed"))) {}
};

// What stands at q.E in a logit of one query and one key.
using Term = Function<Real(const Rows&, std::span<const double> q, Position i, Position j)>;

Encoding with_term(const Parameters& given, Term term) {
  return with_logit(given, [rows = Rows(given), term = std::move(term)](
                               std::span<const double> q, std::span<const double> k, Position i, Position j,
                               std::size_t) { return rows.logit(q, k, term(rows, q, i, j)); });
}

// [n, n] without the column of zeros in front, or with it behind: what is read at distance d is the vector of
// distance d - 1, and at 0 the column of zeros.
Encoding skewed_from_behind(const Parameters& given) {
  return with_term(given, [](const Rows& rows, std::span<const double> q, Position i, Position j) {
    return rows.at_distance(q, i - j - 1);
  });
}

Encoding read_backward(const Parameters& given) {
  return with_term(given, [](const Rows& rows, std::span<const double> q, Position i, Position j) {
    return rows.times(q, std::clamp<Position>(i - j, 0, rows.zero ? rows.length : rows.length - 1));
  });
}

// The condition is d < length - 1, not d < length.
Encoding ends_one_early(const Parameters& given) {
  if (!Rows(given).zero) throw Refusal("said of distances that have no vector");
  return with_term(given, [](const Rows& rows, std::span<const double> q, Position i, Position j) {
    return i - j < rows.length - 1 ? rows.at_distance(q, i - j) : 0;
  });
}

// The product with the table is skewed as if the first query stood at the first key.
Encoding decoded_from_0(const Parameters& given) {
  Encoding made = with_term(given, [](const Rows& rows, std::span<const double> q, Position i, Position j) {
    return rows.at_distance(q, i - j);
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

// What is said of one query depends on how many tokens there are, keys at 0 to tokens - 1, or on the query
// before it in the call.
using SequenceTerm =
    Function<Real(const Rows&, const Tensor& q, std::size_t query, Position distance, Position tokens)>;

Encoding with_sequence_term(const Parameters& given, SequenceTerm term) {
  Encoding made = with_term(given, [](const auto&...) { return 0; });
  as<Contextual>(made).logits = [rows = Rows(given), term = std::move(term)](const Tensor& q, const Tensor& k,
                                                                             const Positions& queries,
                                                                             const Positions& keys) {
    const Position tokens = keys.empty() ? 0 : std::ranges::max(keys.whole()) + 1;
    Tensor out({1, queries.size(), keys.size()});
    for (std::size_t i = 0; i < queries.size(); ++i)
      for (std::size_t j = 0; j < keys.size(); ++j)
        out.at(i, j) = static_cast<double>(
            rows.logit(q.row(i), k.row(j), term(rows, q, i, queries[i] - keys[j], tokens)));
    return out;
  };
  return made;
}

Encoding of_the_first_rows(const Parameters& given) {
  return with_sequence_term(
      given, [](const Rows& rows, const Tensor& q, std::size_t query, Position distance, Position tokens) {
        return distance >= 0 ? rows.times(q.row(query), tokens - 1 - distance) : 0;
      });
}

// q E^T beside a column of zeros, read as [n + 1, n] without its last row.
Encoding without_the_last_row(const Parameters& given) {
  return with_sequence_term(
      given, [](const Rows& rows, const Tensor& q, std::size_t query, Position distance, Position) {
        return query > 0 ? rows.at_distance(q.row(query - 1), distance - 1) : 0;
      });
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
    {"shorter sequences take the table's first rows, not its last: of n tokens distance d has row n - 1 - d",
     &of_the_first_rows, "dim=4 length=12"},
    {"each query has the term of the query before it, and of one distance less: the last row of the skewed "
     "product is cut off, not the first",
     &without_the_last_row, "dim=4 length=12"},
}};

}  // namespace posproof::misreadings_music_transformer
