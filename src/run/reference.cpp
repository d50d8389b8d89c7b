#include "run/reference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "core/error.h"
#include "core/function.h"
#include "core/residual.h"
#include "exact/given.h"
#include "subject/dtype.h"

namespace posproof {
namespace {

using exact::Compared;
using exact::ExactTable;
using Each = Reference::Each;

std::vector<std::size_t> columns_in_no_run(const ExactTable& table) {
  std::vector<bool> held(table.dim(), false);
  for (const exact::Run& run : table.runs())
    std::fill_n(held.begin() + static_cast<std::ptrdiff_t>(run.column), run.columns(), true);
  std::vector<std::size_t> out;
  for (std::size_t c = 0; c < held.size(); ++c)
    if (!held[c]) out.push_back(c);
  return out;
}

std::vector<double> frequencies_of(const std::vector<Pair>& pairs, const std::optional<Pair>& lone) {
  std::vector<double> out(pairs.size() + (lone ? 1 : 0));
  for (const Pair& pair : pairs) out.at(pair.index) = pair.frequency;
  if (lone) out.at(lone->index) = lone->frequency;
  return out;
}

// What both kinds with an exact table have in common. `pairs` declare the frequency of every number of its
// ladder.
Reference by_exact_table(const std::shared_ptr<const ExactTable>& exact, const std::vector<Pair>& pairs,
                         const std::optional<Pair>& lone, Position offset) {
  Reference out{.dim = exact->dim(), .empty = columns_in_no_run(*exact)};
  out.origin = -offset;
  out.compare = [exact](Format format, Position first, std::size_t rows, const std::byte* values,
                        const Each& each, unsigned threads) {
    return exact->compare(format, first, rows, values, each, threads);
  };
  out.doubles = [exact](Position first, std::size_t rows, std::span<double> values) {
    exact->fill(Format::f64, first, rows, values.data());
  };
  std::vector<double> frequencies = frequencies_of(pairs, lone);
  for (const Format format : {Format::f64, Format::f32}) {
    for (double& w : frequencies) w = nearest(format, w);
    out.rounded.push_back({format, exact::with_frequencies(*exact, frequencies, offset)});
  }
  return out;
}

// The bounds of error.h are of |entry - exact|. What agreement compares with is the exact value rounded to
// double, which is off by u A at most, and it allows that on top: 2 u A more than the bound are beyond both.
double margin(double amplitude) {
  return 2 * unit_f64 * amplitude;
}

// What is allowed before entries are kept, where they are kept in a format that is narrower than the
// library's.
template <class BoundIn>
void set_bound_before(Reference& of, const Precision& precision, const BoundIn& bound_in) {
  const Precision computed = as_computed(precision);
  if (std::max({precision.table(), precision.work(), precision.result}) == computed.result) return;
  of.bound_before = bound_in(computed);
  of.rounding = rounded_after(precision, of.amplitude);
  of.underflow = rotation_underflow(precision);
}

Reference of_exact(const Table& truth, const std::shared_ptr<const ExactTable>& exact,
                   const Precision& precision) {
  Reference out = by_exact_table(exact, truth.pairs, truth.lone, static_cast<Position>(truth.offset));
  out.amplitude = truth.amplitude;
  out.ceiling = 2 * truth.amplitude;
  const auto bound_in = [truth, empty = out.empty](const Precision& p) {
    return [=](Position t) {
      std::vector<double> bound = row_error(truth, p, t, std::vector<double>(truth.dim, 0.0));
      for (std::size_t c = 0; c < bound.size(); ++c)
        if (!std::binary_search(empty.begin(), empty.end(), c)) bound[c] += margin(truth.amplitude);
      return bound;
    };
  };
  out.bound = bound_in(precision);
  set_bound_before(out, precision, bound_in);
  return out;
}

Reference of_exact(const Rotary& truth, const std::shared_ptr<const ExactTable>& exact,
                   const Precision& precision) {
  Reference out = by_exact_table(exact, truth.pairs, std::nullopt, 0);
  out.amplitude = truth.amplitude;
  out.ceiling = 2 * truth.amplitude;
  std::vector<double> x(truth.dim, 0.0);
  for (const Pair& pair : truth.pairs) x[pair.first] = 1;
  const auto bound_in = [truth, x](const Precision& p) {
    return [=](Position t) {
      std::vector<double> bound = rotated_error(truth, p, t, x);
      for (const Pair& pair : truth.pairs)
        for (const std::size_t c : {pair.first, pair.second}) bound[c] += margin(truth.amplitude);
      return bound;
    };
  };
  out.bound = bound_in(precision);
  set_bound_before(out, precision, bound_in);
  return out;
}

// Rows computed in double, with what is allowed for each of their entries.
struct Row {
  std::vector<double> exact, bound;
  std::vector<bool> seen = {};  // empty: all are; what a causal mask hides is not compared
};

// A row's entries correctly rounded to the format. Where there is none, doubles are rounded once more.
using Rounded = Function<std::vector<double>(Format, Position)>;

void compare_row(Format format, const Row& row, std::span<const double> rounded, const std::byte* values,
                 std::size_t from, Compared& found) {
  for (std::size_t c = 0; c < row.exact.size(); ++c) {
    if (!row.seen.empty() && !row.seen[c]) continue;
    const double there = value(format, values + (from + c) * bytes(format)), exact = row.exact[c];
    if (there == exact) continue;
    const double off = std::abs(there - exact);
    found.farthest[c] = std::isnan(off) ? std::numeric_limits<double>::infinity() : off;
    if (there == (rounded.empty() ? nearest(format, exact) : rounded[c])) continue;
    ++found.wrong;
    const double ulp = found.farthest[c] / (2 * half_ulp(format, exact));
    if (ulp > found.ulp) {
      found.ulp = ulp;
      found.at = found.first;
      found.column = c;
    }
  }
}

Reference by_rows(std::size_t dim, Function<Row(Position)> row_of, const Rounded& rounded = {}) {
  // Asked for first to be compared and then for what is allowed.
  struct Last {
    std::optional<Position> position = {};
    Row row = {};
  };
  const auto at = [row_of, last = std::make_shared<Last>()](Position t) -> const Row& {
    if (last->position != t) {
      last->position.reset();
      last->row = row_of(t);
      last->position = t;
    }
    return last->row;
  };
  Reference out{.dim = dim, .ceiling = no_ceiling};
  out.bound = [at](Position t) { return at(t).bound; };
  out.compare = [at, dim, rounded](Format format, Position first, std::size_t rows, const std::byte* values,
                                   const Each& each, unsigned) {
    Compared all{.first = first, .rows = rows, .farthest = std::vector<double>(dim, 0.0)};
    for (std::size_t r = 0; r < rows; ++r) {
      const Position t = first + static_cast<Position>(r);
      Compared one{.first = t, .rows = 1, .farthest = std::vector<double>(dim, 0.0)};
      compare_row(format, at(t), rounded ? rounded(format, t) : std::vector<double>{}, values, r * dim, one);
      if (each) each(one);
      all.wrong += one.wrong;
      for (std::size_t c = 0; c < dim; ++c) all.farthest[c] = std::max(all.farthest[c], one.farthest[c]);
      if (one.ulp > all.ulp) {
        all.ulp = one.ulp;
        all.at = t;
        all.column = one.column;
      }
    }
    return all;
  };
  return out;
}

Reference of_rows(const Table& truth, const Precision& precision, const Domain& domain) {
  return by_rows(truth.dim, [truth, precision, length = domain.hi + 1](Position t) {
    Row row{truth.rows({&t, 1}, length).data, {}};
    row.bound = row_error(truth, precision, t, row.exact);
    for (std::size_t c = 0; c < truth.dim; ++c) row.bound[c] += unit_f64 * std::abs(row.exact[c]);
    return row;
  });
}

// What a bias gives each query of the domain against all of it, [heads, keys]. Every offset's entry is
// computed once for each format.
class ExactRows {
 public:
  ExactRows(ExactBias bias, std::size_t heads, const Domain& domain)
      : bias_(std::move(bias)), heads_(heads), domain_(domain) {}

  std::vector<double> operator()(Format format, Position query) {
    const std::size_t keys = extent(), offsets = bias_.of_key ? keys : 2 * keys - 1;
    const Position first = bias_.offset(domain_.hi, domain_.lo);
    std::vector<double>& entries = entries_[format];
    if (entries.empty()) {
      entries.resize(heads_ * offsets);
      for (std::size_t head = 0; head < heads_; ++head)
        bias_.fill(head, first, format, std::span(entries).subspan(head * offsets, offsets));
    }
    std::vector<double> row;
    row.reserve(heads_ * keys);
    const auto from = static_cast<std::size_t>(bias_.offset(query, domain_.lo) - first);
    for (std::size_t head = 0; head < heads_; ++head) {
      const auto own = std::span(entries).subspan(head * offsets + from, keys);
      row.insert(row.end(), own.begin(), own.end());
    }
    return row;
  }

 private:
  std::size_t extent() const { return static_cast<std::size_t>(domain_.hi - domain_.lo + 1); }

  ExactBias bias_;
  std::size_t heads_;
  Domain domain_;
  std::map<Format, std::vector<double>> entries_;
};

Reference of_rows(const Bias& truth, const Precision& precision, const Domain& domain) {
  std::vector<Position> keys(static_cast<std::size_t>(domain.hi - domain.lo + 1));
  std::iota(keys.begin(), keys.end(), domain.lo);
  Rounded rounded;
  if (truth.exact)
    rounded = [rows = std::make_shared<ExactRows>(*truth.exact, truth.heads, domain)](
                  Format format, Position query) { return (*rows)(format, query); };
  const auto row_of = [truth, precision, keys, rounded](Position query) {
    Row row{rounded ? rounded(Format::f64, query) : truth.bias({&query, 1}, keys).data, {}};
    for (std::size_t n = 0; n < row.exact.size(); ++n) {
      const std::size_t head = n / keys.size();
      const double b = row.exact[n];
      row.bound.push_back(bias_error(precision, b, truth, head, query, keys[n % keys.size()]) +
                          unit_f64 * std::abs(b));
      row.seen.push_back(!truth.causal || keys[n % keys.size()] <= query);
    }
    return row;
  };
  Reference out = by_rows(truth.heads * keys.size(), row_of, rounded);
  if (truth.causal)
    out.seen = [heads = truth.heads, lo = domain.lo](Position query) {
      return heads * static_cast<std::size_t>(query - lo + 1);
    };
  return out;
}

// Of each place, the call for it alone, and what that is allowed to be off by.
Reference of_places(const Encoding& truth, const Precision& precision, const Places& places,
                    std::size_t columns) {
  const auto row_of = [truth, precision, places](Position place) {
    Call call = call_of(truth, places, place, 1);
    for (Tensor& x : call.contents)
      for (std::size_t head = 0; head < x.rows(); ++head)
        for (const Pair& pair : pairs_of(truth)) x.at(head, pair.first) = 1;
    const Tensor exact = answer(truth, call);
    Row row{exact.data, bound(truth, call, exact, precision).error.data};
    for (std::size_t c = 0; c < row.exact.size(); ++c) row.bound[c] += unit_f64 * std::abs(row.exact[c]);
    return row;
  };
  Reference out = by_rows(columns, row_of);
  out.distance = [places](Position place) {
    Position most = 0;
    for (const Position number : places.at(place)) most = std::max(most, std::abs(number));
    return most;
  };
  return out;
}

}  // namespace

std::optional<Reference> reference(const Encoding& truth, const Precision& precision, const Places& places) {
  const Signature& known = signature(truth);
  if (is_modulo_rows(truth) || (known.has(Axis::key) && !known.takes.empty())) return std::nullopt;
  const std::size_t columns = count(shape_of_answer(truth, call_of(truth, places, 0, 1)));
  Reference out = of_places(truth, precision, places, columns);
  if (known.role || !pairs_of(truth).empty()) out.ceiling = 2 * *amplitude_of(truth);
  return out;
}

std::optional<Reference> reference(const Encoding& truth, const Precision& precision, const Domain& domain) {
  return std::visit(
      [&, exact = exact::exact_table(truth)](const auto& kind) -> std::optional<Reference> {
        // What is free along a row is not compared entry by entry.
        if constexpr (requires { kind.modulo_rows; })
          if (kind.modulo_rows) return std::nullopt;
        if constexpr (requires { of_exact(kind, exact, precision); })
          if (exact) return of_exact(kind, exact, precision);
        if constexpr (requires { of_rows(kind, precision, domain); }) return of_rows(kind, precision, domain);
        return std::nullopt;
      },
      truth);
}

}  // namespace posproof
