#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>

#include "catalogue/experiments/first_collision_by_format.h"
#include "core/formats.h"
#include "measure.h"
#include "references.h"
#include "similarities.h"

namespace posproof::experiments_first_collision_by_format {
namespace {

using namespace document;
using experiments::expectations;
using experiments::joined;
using experiments::proved;
using experiments::sinusoidal;
using experiments::whole;
using experiments::whole_or_none;

constexpr Position positions = Position{1} << 20;
constexpr std::array<std::size_t, 6> widths = {2, 4, 8, 16, 64, 128};  // looked up, and listed
constexpr std::size_t every_even_to = 130;                             // settled in one way or another
constexpr std::array<Position, 2> bases = {10000, 500000};

std::string words(std::size_t dim, Position base) {
  return fmt::format("dim={} base={}", dim, base);
}

// All rows of the positions below 2^20, as they lie in memory.
class Rows {
 public:
  Rows(std::size_t dim, Position base, Format format)
      : size_(dim * bytes(format)), all_(static_cast<std::size_t>(positions) * size_) {
    sinusoidal(words(dim, base))->fill(format, 0, static_cast<std::size_t>(positions), all_.data());
  }
  const char* operator[](Position t) const { return all_.data() + static_cast<std::size_t>(t) * size_; }
  bool same(Position s, Position t) const { return std::memcmp((*this)[s], (*this)[t], size_) == 0; }

  std::uint64_t hash(Position t) const {
    std::uint64_t h = 0;
    for (std::size_t at = 0; at < size_; at += 4) {  // every row is whole words of 4 bytes: widths are even
      std::uint32_t word = 0;
      std::memcpy(&word, (*this)[t] + at, 4);
      h = (h ^ word) * 0x9e3779b97f4a7c15;
      h ^= h >> 29;
    }
    return h;
  }

 private:
  std::size_t size_;
  std::vector<char> all_;
};

struct Collisions {
  Position earlier = 0, first = 0;  // the first row that an earlier one equals; 0: none
  std::vector<Position> distinct;   // among the first 2^n rows, n = 0, 1, ...
};

// Every row is looked up among all earlier ones: by its hash, then by its bits.
Collisions collisions(std::size_t dim, Position base, Format format) {
  const Rows rows(dim, base, format);
  struct Seen {
    std::uint32_t mark = 0;  // the lower half of the hash, so that most of what differs is not looked up
    std::int32_t at = -1;
  };
  std::vector<Seen> places(std::size_t{1} << 21);
  Collisions out;
  Position distinct = 0;
  for (Position t = 0; t < positions; ++t) {
    const std::uint64_t hash = rows.hash(t);
    const auto mark = static_cast<std::uint32_t>(hash);
    std::size_t place = hash >> 43;
    while (places[place].at >= 0 && !(places[place].mark == mark && rows.same(places[place].at, t)))
      place = (place + 1) % places.size();
    Seen& seen = places[place];
    if (seen.at < 0) {
      seen = {mark, static_cast<std::int32_t>(t)};
      ++distinct;
    } else if (out.first == 0) {
      out.earlier = seen.at;
      out.first = t;
    }
    if (std::has_single_bit(static_cast<std::uint64_t>(t + 1))) out.distinct.push_back(distinct);
  }
  return out;
}

// The fewest columns in which the rows of two neighbours differ, and the first of the neighbours.
struct Change {
  std::size_t columns;
  Position at;
};

constexpr std::size_t widest = widths.back();
constexpr std::array narrow = {Format::bf16, Format::f16, Format::f32};
constexpr std::array<std::size_t, 5> compared = {4, 8, 16, 64, widest};

using Changes = std::array<Change, compared.size()>;

// For each of the widths that are compared. All of them are columns of the widest. `Bits` holds an entry.
template <typename Bits>
Changes least_changes_in(Format format, Position base) {
  const auto table = sinusoidal(words(widest, base));
  constexpr Position block = 1024;
  constexpr std::size_t pairs = widest / 2;
  std::vector<Bits> rows(static_cast<std::size_t>(block + 1) * widest);
  Changes least;
  least.fill({widest + 1, 0});
  for (Position first = 0; first < positions; first += block) {
    const Position steps = std::min(block, positions - 1 - first);
    table->fill(format, first, static_cast<std::size_t>(steps + 1), rows.data());
    for (Position t = 0; t < steps; ++t) {
      const Bits *here = &rows[static_cast<std::size_t>(t) * widest], *next = here + widest;
      std::array<unsigned char, pairs> changed;  // columns of each pair
      for (std::size_t i = 0; i < pairs; ++i)
        changed[i] =
            static_cast<unsigned char>((here[2 * i] != next[2 * i]) + (here[2 * i + 1] != next[2 * i + 1]));
      for (std::size_t n = 0; n < compared.size(); ++n) {
        std::size_t columns = 0;
        for (std::size_t i = 0; i < pairs; i += widest / compared[n]) columns += changed[i];
        if (columns < least[n].columns) least[n] = {columns, first + t};
      }
    }
  }
  return least;
}

Changes least_changes(Format format, Position base) {
  return bytes(format) == 2 ? least_changes_in<std::uint16_t>(format, base)
                            : least_changes_in<std::uint32_t>(format, base);
}

// The first number that rounds to what the one before it rounds to.
Position first_like_its_predecessor(Format format, Position last, double over) {
  double before = -1;
  for (Position t = 0; t <= last; ++t) {
    const double exact = static_cast<double>(t) / over;
    const double now =
        format == Format::f32 ? static_cast<double>(static_cast<float>(exact)) : nearest(format, exact);
    if (now == before) return t;
    before = now;
  }
  return 0;
}

struct Collided {
  std::map<std::pair<Position, Format>, std::vector<std::pair<std::size_t, Collisions>>> all;

  // None where a narrower width already has none.
  const Collisions* of(std::size_t dim, Position base, Format format) const {
    for (const auto& [width, found] : all.at({base, format}))
      if (width == dim) return &found;
    return nullptr;
  }
  bool any(std::size_t dim, Position base, Format format) const {
    const Collisions* here = of(dim, base, format);
    return here != nullptr && here->first != 0;
  }
};

// A row holds the columns of every one whose width divides its own: positions that these separate, it
// separates.
Collided collided() {
  Collided found;
  for (const Position base : bases)
    for (const Format format : every_format)
      for (const std::size_t dim : widths) {
        auto& done = found.all[{base, format}];
        if (!done.empty() && done.back().second.first == 0) break;
        // The only frequency of width 2 is 1, whatever the base is.
        const bool known = dim == 2 && base != bases[0];
        done.emplace_back(dim, known ? *found.of(2, bases[0], format) : collisions(dim, base, format));
      }
  return found;
}

// Have the rows of this width a row without equal ones in them: the columns of a width that was looked up and
// divides it?
bool contains_none(const Collided& found, std::size_t dim, Position base, Format format) {
  return std::ranges::any_of(widths, [&](std::size_t narrow) {
    return dim % narrow == 0 && found.of(narrow, base, format) != nullptr && !found.any(narrow, base, format);
  });
}

// Of a width that was not looked up: no two rows are so near that rounding makes them equal.
bool far_enough_apart(std::size_t dim, Position base) {
  const double nearest =
      experiments::nearest_distance(experiments::similarities(words(dim, base), positions - 1));
  return std::ranges::all_of(
      every_format, [&](Format format) { return nearest > experiments::lost_by_rounding(format, dim); });
}

// The even widths to 130 with equal rows in some format. Throws where neither looking up nor distances tell.
std::vector<std::size_t> with_equal_rows(const Collided& found, Position base) {
  std::vector<std::size_t> out;
  for (std::size_t dim = 2; dim <= every_even_to; dim += 2) {
    const bool any = std::ranges::any_of(every_format,
                                         [&](Format format) { return found.any(dim, base, format); }),
               none = std::ranges::all_of(
                   every_format, [&](Format format) { return contains_none(found, dim, base, format); });
    proved(any || none || far_enough_apart(dim, base), fmt::format("width {}: which rows are equal", dim));
    if (any) out.push_back(dim);
  }
  return out;
}

struct Index {  // the first number like its predecessor
  Format format;
  Position raw, divided;  // of t, and of t / 2^20
};

struct Measured {
  Collided collided;
  std::array<std::array<Changes, narrow.size()>, bases.size()> least;
  std::vector<Index> index;
  std::array<std::vector<std::size_t>, bases.size()> with_equal_rows;  // widths
};

Measured measure() {
  Measured m{.collided = collided(), .least = {}, .index = {}, .with_equal_rows = {}};
  for (std::size_t b = 0; b < bases.size(); ++b) {
    m.with_equal_rows[b] = with_equal_rows(m.collided, bases[b]);
    for (std::size_t f = 0; f < narrow.size(); ++f) m.least[b][f] = least_changes(narrow[f], bases[b]);
  }
  proved(m.with_equal_rows[0] == std::vector<std::size_t>{2, 4, 8} &&
             m.with_equal_rows[1] == std::vector<std::size_t>{2, 4},
         "only widths 2, 4 and 8 have equal rows; at base 500000 only 2 and 4");
  constexpr Position last = Position{1} << 25;
  for (const Format format : narrow)
    m.index.push_back({format, first_like_its_predecessor(format, last, 1),
                       first_like_its_predecessor(format, last, static_cast<double>(positions))});
  return m;
}

Grid first_collisions(const Collided& found, Position base) {
  Grid grid{
      .columns = {"width", "bf16: first equal rows", "offset", "rows seen before", "f16: first equal rows",
                  "offset", "rows seen before", "f32", "f64"},
      .rows = {},
      .caption = fmt::format(
          "Base {}, positions below 2^20. First equal rows: the first position whose row equals an earlier one, after that earlier position; rows seen before: how many of the 2^20 rows equal an earlier one.",
          base)};
  for (const std::size_t dim : widths) {
    std::vector<std::string> row = {std::to_string(dim)};
    for (const Format format : {Format::bf16, Format::f16, Format::f32, Format::f64})
      if (const Collisions* here = found.of(dim, base, format); found.any(dim, base, format)) {
        row.push_back(fmt::format("{} and {}", whole(here->earlier), whole(here->first)));
        row.insert(row.end(), {whole(here->first - here->earlier), whole(positions - here->distinct.back())});
      } else {
        row.emplace_back("none");
        if (bytes(format) == 2) row.insert(row.end(), {"", "0"});
      }
    grid.rows.push_back(row);
  }
  return grid;
}

// At the largest 2^n such that the first 2^n rows all differ.
std::string all_differ_to(const Collisions& of) {
  std::size_t n = 0;
  while (n + 1 < of.distinct.size() && of.distinct[n + 1] == Position{1} << (n + 1)) ++n;
  return whole(Position{1} << n);
}

Plot distinct_rows(const Collided& found) {
  const Collisions &narrow = *found.of(2, bases[0], Format::bf16), &f16 = *found.of(2, bases[0], Format::f16),
                   &two = *found.of(4, bases[0], Format::bf16);
  proved(two.distinct.back() > 40 * narrow.distinct.back(), "two pairs have forty times as many rows as one");
  Plot plot{
      .name = "distinct_rows",
      .title = "Of 2^20 rows in bf16, two pairs keep over forty times as many distinct as one",
      .description = fmt::format(
          "Number of distinct rows among the first N positions against N, both logarithmic, base 10000. "
          "Width 2 follows the line of all rows distinct to N = {} in bf16 and {} in f16 and ends at {} and {} rows. "
          "Width 4 in bf16 follows the line to N = {} and ends at {} rows.",
          all_differ_to(narrow), all_differ_to(f16), whole(narrow.distinct.back()),
          whole(f16.distinct.back()), all_differ_to(two), whole(two.distinct.back())),
      .x = {"positions N", true, {{256, static_cast<double>(positions)}}, 2},
      .y = {"distinct rows", true, {{256, static_cast<double>(positions)}}, 2},
      .curves = {},
      .caption =
          "Rows among the first N positions, N a power of 2 from 256 to 2^20, base 10000, every entry correctly rounded to the format."};
  for (const auto& [dim, format] :
       {std::pair{std::size_t{2}, Format::bf16}, {2, Format::f16}, {4, Format::bf16}}) {
    Curve curve{fmt::format("width {}, {}", dim, name(format)), {}};
    const auto& distinct = found.of(dim, bases[0], format)->distinct;
    for (std::size_t n = 8; n < distinct.size(); ++n)
      curve.points.emplace_back(std::ldexp(1, static_cast<int>(n)), static_cast<double>(distinct[n]));
    plot.curves.push_back(curve);
  }
  const auto last = static_cast<double>(positions);
  plot.curves.push_back({.label = "all distinct", .points = {{256, 256}, {last, last}}, .dashed = true});
  return plot;
}

std::vector<Block> collisions_of(const Measured& m) {
  const auto circle = [&](Format format) {
    return whole(m.collided.of(2, bases[0], format)->distinct.back());
  };
  return {
      Paragraph{
          "In exact numbers every position has [a row of its own](every_position_is_its_own.md). "
          "Tables are stored in formats, and two rows that differ may be equal when they are rounded. "
          "Here every row of the smallest widths is looked up among all earlier ones, by a hash and then bit by bit. "
          "A row contains the columns of every row whose width divides its own, with the same frequencies; so where a width has no equal rows, no multiple of it has, and where width 2 has none, no even width has. "
          "The even widths to 130 that are neither looked up nor such a multiple are settled by distance: their nearest rows are farther apart than two roundings can add up to. "
          "So the tables are complete: of the even widths to 130, only 2, 4 and 8 have equal rows, and at base 500000 only 2 and 4."},
      Section{"Base 10000"},
      first_collisions(m.collided, bases[0]),
      Section{"Base 500000"},
      first_collisions(m.collided, bases[1]),
      Paragraph{
          "In bf16 the rows of width 8 below 2^20 all differ at base 500000, and not at base 10000. At base 10000 the ratio of neighbouring frequencies is 10, so that an offset within a small part of one position of a whole number of rotations of the slowest pair is that of all four; at base 500000 it is 500000^(1/4) = 26.6, which is not rational, and four separate conditions have to be met. "
          "Equal rows are [nearly equal](every_position_is_its_own.md) before rounding: rounding does not make rows equal that are farther apart than two roundings."},
      distinct_rows(m.collided),
      Paragraph{fmt::format("Width 2 is one circle. "
                            "Rounded, the 2^20 positions are {} distinct points in bf16 and {} in f16. "
                            "Each further pair multiplies the number of points that a row can be.",
                            circle(Format::bf16), circle(Format::f16))}};
}

std::vector<Block> neighbours(const Measured& m) {
  Grid grid{
      .columns = {"width", "base", "bf16: columns", "at", "f16: columns", "at", "f32: columns", "at"},
      .rows = {},
      .caption =
          "The fewest columns in which the rows of t and t + 1 differ, over all t below 2^20 - 1, and the first such t."};
  for (std::size_t n = 0; n < compared.size(); ++n)
    for (std::size_t b = 0; b < bases.size(); ++b) {
      grid.rows.push_back({std::to_string(compared[n]), std::to_string(bases[b])});
      for (const Changes& least : m.least[b])
        grid.rows.back().insert(grid.rows.back().end(),
                                {std::to_string(least[n].columns), whole(least[n].at)});
    }
  return {
      Section{"Neighbours"},
      Paragraph{
          "No row equals the row before it, at any even width: the fastest pair rotates by a radian a step, which moves it by 0.96 of its radius, and two roundings to bf16 (8 significant bits, Kalamkar et al. 2019) move it by less than 0.008 of it. "
          "`table/distinguishes_neighbours_in_bf16` and `table/distinguishes_neighbours_in_f16` state that and draw cases of it; here all positions are enumerated. "
          "But not all columns differ: the slow ones keep their value for many steps, and a cosine hardly changes near its maximum."},
      grid};
}

std::vector<Block> control(const Measured& m) {
  Grid grid{.columns = {"format", "t: first like its predecessor", "t / 2^20: first like its predecessor",
                        "closed form"},
            .rows = {}};
  for (const Index& one : m.index)
    grid.rows.push_back({std::string(name(one.format)), whole_or_none(one.raw), whole_or_none(one.divided),
                         fmt::format("2^{} + 1", shape(one.format).digits)});
  return {
      Section{"A control: the index itself"},
      Paragraph{
          "The position as a number, and divided by 2^20, rounded to the format. "
          "With p significant bits whole numbers are exact up to 2^p; from there the spacing is 2, and it doubles at every further power of two. Dividing by a power of two does not change that. "
          "f32 has no equal neighbours below 2^20, so positions to 2^25 were tried."},
      grid};
}

std::vector<Block> derived(const Measured& m) {
  return expectations({
      {"bf16: 256 and 257 are one number", "257", whole_or_none(m.index[0].raw)},
      {"f16: 2048 and 2049", "2,049", whole_or_none(m.index[1].raw)},
      {"f32: 2^24 and 2^24 + 1", "16,777,217", whole_or_none(m.index[2].raw)},
  });
}

std::string finding(const Measured& m) {
  const Collisions &at2 = *m.collided.of(2, bases[0], Format::bf16),
                   &at4 = *m.collided.of(4, bases[0], Format::bf16),
                   &at8 = *m.collided.of(8, bases[0], Format::bf16);
  return fmt::format(
      "In bf16 and at base 10000 the first equal rows of the sinusoidal encoding are those of positions {} and {} at width 2, of {} and {} at width 4, and of {} and {} at width 8; at the other even widths from 6 to {} all rows below 2^20 differ in f64, f32, bf16 and f16, and neighbours differ at every even width.",
      whole(at2.earlier), whole(at2.first), whole(at4.earlier), whole(at4.first), whole(at8.earlier),
      whole(at8.first), every_even_to);
}

std::string answer(const Measured& m) {
  return fmt::format(
      "Of the even widths to {}, only 2, 4 and 8 have two positions below 2^20 that share a row in bf16 or f16 (at base 500000 only 2 and 4), none has in f32 or f64, and no two neighbours share one at any of these. "
      "A narrow format reduces the number of columns that differ: of width 128 and base 500000, the fewest in which neighbours differ are {} of the 128 in bf16, {} in f16 and {} in f32.",
      every_even_to, m.least[1][0].back().columns, m.least[1][1].back().columns,
      m.least[1][2].back().columns);
}

Document run() {
  const Measured m = measure();
  return {
      .title = "The first collision, by format",
      .finding = finding(m),
      .condition =
          "Sinusoidal encoding of every even width from 2 to 130, divisor d, bases 10000 and 500000; all positions below 2^20; every entry correctly rounded to the format: f64, f32, bf16 or f16.",
      .blocks = joined({collisions_of(m),
                        neighbours(m),
                        control(m),
                        derived(m),
                        {PageVerdict{answer(m)}},
                        experiments::references({experiments::vaswani_2017, experiments::kalamkar_2019})})};
}

}  // namespace

const Experiment entry{
    .question =
        "Which two positions are the first to share a row when a table is rounded to a narrow format?",
    .method =
        "Every row below 2^20 of widths 2, 4 and 8, correctly rounded, is looked up among all earlier ones, until a width has no equal rows; neighbours are compared column by column.",
    .run = &run,
    .asked_by = Asker::numerics,
};

}  // namespace posproof::experiments_first_collision_by_format
