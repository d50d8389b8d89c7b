// Entries of bf16 and f16 that are compared in single precision: what bounds.h, (8), promises, and wrong
// entries of every kind in tables of every layout, which have to be found as the plain kernel finds them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "exact/bounds.h"
#include "exact/exact_table.h"
#include "exact/ladder.h"
#include "exact/random_tables.h"
#include "exact/strip.h"

namespace posproof::exact::kernel_narrow_test {
namespace {

using random_tables::below;
using random_tables::Random;

Frequencies powers(double base, std::size_t pairs) {
  Geometric out{base, {}};
  for (std::size_t i = 0; i < pairs; ++i)
    out.exponents.push_back({2 * static_cast<std::int64_t>(i), 2 * static_cast<std::int64_t>(pairs)});
  return {out};
}

class KernelsNarrow : public ::testing::TestWithParam<std::string> {};

// Where in its interval a value lies, from 0 to 1.
double place(double low, double high, double head, double rest) {
  return ((head - low) + rest) / (high - low);
}

// Everywhere in blocks from 0 to the farthest, of amplitudes at, below and above a power of two. Over the
// rows of a block, the places of a lane differ by what rounding did, which has been seen to be 0.48 of the
// interval.
TEST_P(KernelsNarrow, intervals_hold_the_values_and_are_not_empty) {
  const Kernel& kernel = random_tables::kernel_named(GetParam());
  if (GetParam() == plain_kernel.name) {
    EXPECT_EQ(kernel.intervals, nullptr);  // nothing is fused
    return;
  }
  ASSERT_NE(kernel.intervals, nullptr);
  constexpr std::size_t pairs = 64;
  Random random(31);
  std::vector<float> low[2], high[2];
  for (const std::size_t i : {0, 1}) {
    low[i].resize(pairs);
    high[i].resize(pairs);
  }
  for (const double amplitude : {1.0, 1.3, 0.07, -2.0, 0x1p-58, 0x1.fp59})
    for (const double base : {1e4, 1e9}) {
      const Ladder ladder(powers(base, pairs), amplitude, kernel);
      const PhasorTables& phasors = *ladder.phasors();
      Giants giants(phasors);
      PhasorRows exact(1, pairs);
      double most = 0;
      for (std::size_t n = 0; n < 300; ++n) {
        const Position t = n < 4 ? static_cast<Position>(64 * n)
                                 : static_cast<Position>(random() >> 24 >> below(random, 40));
        const Block& block = giants.block(t / 64 * 64, 64);
        ASSERT_NE(block.single, nullptr);
        std::vector<double> first(2 * pairs, 1), last(2 * pairs, 0);
        for (std::size_t row = 0; row < rows_per_block; ++row) {
          kernel.intervals(block, row, {low[0].data(), high[0].data(), low[1].data(), high[1].data()}, pairs);
          kernel.multiply(*block.giant, block.babies[row], exact[0], pairs);
          for (std::size_t i = 0; i < pairs; ++i)
            for (const std::size_t cosine : {0, 1}) {
              const double head = (cosine != 0 ? exact[0].cosine : exact[0].sine)[i],
                           rest = (cosine != 0 ? exact[0].cosine_rest : exact[0].sine_rest)[i];
              const double lo = low[cosine][i], hi = high[cosine][i];
              const double at = place(lo, hi, head, rest);
              first[2 * i + cosine] = std::min(first[2 * i + cosine], at);
              last[2 * i + cosine] = std::max(last[2 * i + cosine], at);
              if (std::abs(head) == block.single->power && rest == 0 && lo <= head && head <= hi) continue;
              ASSERT_GT(at, 0) << amplitude << ' ' << base << ' ' << t << ' ' << row << ' ' << i;
              ASSERT_LT(at, 1) << amplitude << ' ' << base << ' ' << t << ' ' << row << ' ' << i;
            }
        }
        for (std::size_t i = 0; i < 2 * pairs; ++i) most = std::max(most, last[i] - first[i]);
      }
      EXPECT_GT(most, 0.4) << amplitude << ' ' << base;
    }
}

// ---- wrong entries ----

struct Table {
  std::vector<Run> runs;
  std::size_t dim;
};

std::vector<Table> layouts(std::size_t pairs) {
  using Part = Run::Part;
  const std::size_t dim = 2 * pairs;
  return {{{{Part::sines, 0, 0, pairs}, {Part::cosines, pairs, 0, pairs}}, dim},
          {{{Part::cosines, 0, 0, pairs}, {Part::sines, pairs, 0, pairs}}, dim},
          {{{Part::sines_and_cosines, 0, 0, pairs}}, dim},
          {{{Part::cosines_and_sines, 0, 0, pairs}}, dim},
          {{{Part::cosines, 0, 0, pairs}, {Part::cosines, pairs, 0, pairs}}, dim},
          {{{Part::sines, 1, 0, pairs}}, pairs + 2},
          {{{Part::sines_and_cosines, 0, 0, pairs}, {Part::sines_and_cosines, dim, 0, pairs}}, 2 * dim}};
}

enum class Wrong { next, before, negative, zero, infinite, nan, beyond_the_tie };
constexpr Wrong every_wrong[] = {Wrong::next,     Wrong::before, Wrong::negative,      Wrong::zero,
                                 Wrong::infinite, Wrong::nan,    Wrong::beyond_the_tie};

// The neighbour of a right entry on the other side of its value: the next best.
double next_best(Format format, double right, double value) {
  const std::uint16_t bits = bits_of(format, right);
  const double outward = value_of(format, static_cast<std::uint16_t>(bits + 1)),
               inward = value_of(format, static_cast<std::uint16_t>(bits - 1));
  return std::abs(value) > std::abs(right) ? outward : inward;
}

double spoiled(Format format, Wrong how, double right, double value) {
  const std::uint16_t bits = bits_of(format, right);
  switch (how) {
    case Wrong::next:
      return value_of(format, static_cast<std::uint16_t>(bits + 1));
    case Wrong::before:
      return right == 0 ? right : value_of(format, static_cast<std::uint16_t>(bits - 1));
    case Wrong::negative:
      return -right;
    case Wrong::zero:
      return right > 0 ? 0.0 : -0.0;
    case Wrong::infinite:
      return right > 0 ? HUGE_VAL : -HUGE_VAL;
    case Wrong::nan:
      return std::numeric_limits<double>::quiet_NaN();
    default:
      return right == 0 ? right : next_best(format, right, value);
  }
}

// How near a value is to where its rounding changes, in last places.
double from_a_tie(Format format, double right, double value) {
  const double place = half_ulp(format, right);
  return std::abs(place - std::abs(value - right)) / place;
}

TEST_P(KernelsNarrow, find_every_planted_error_in_every_layout) {
  const Kernel& kernel = random_tables::kernel_named(GetParam());
  Random random(32);
  constexpr std::size_t rows = 150;
  std::size_t planted = 0;
  for (const std::size_t pairs : {32u, 44u, 64u})
    for (const Table& layout : layouts(pairs))
      for (const double amplitude : {1.0, 1.3467, 0.0371, 30.0})
        for (const double base : {1e4, 1e9}) {
          const Position first = below(random, 3) == 0 ? 0 : static_cast<Position>(random() >> 44);
          const ExactTable plain(std::make_shared<const Ladder>(powers(base, pairs), amplitude, plain_kernel),
                                 layout.runs, layout.dim, 0);
          const ExactTable table(std::make_shared<const Ladder>(powers(base, pairs), amplitude, kernel),
                                 layout.runs, layout.dim, 0);
          std::vector<double> values(rows * layout.dim);
          plain.fill(Format::f64, first, rows, values.data());
          for (const Format format : {Format::bf16, Format::f16}) {
            std::vector<char> entries(values.size() * 2);
            plain.fill(format, first, rows, entries.data());
            ASSERT_EQ(table.count_wrong(format, first, rows, entries.data()), 0u)
                << name(format) << ' ' << pairs << ' ' << amplitude << ' ' << base << ' ' << first;
            // Those nearest to a tie first, then any.
            std::vector<std::size_t> order(values.size());
            for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
            std::shuffle(order.begin(), order.end(), random);
            const auto nearness = [&](std::size_t i) {
              return values[i] == 0 ? HUGE_VAL : from_a_tie(format, load(format, &entries[2 * i]), values[i]);
            };
            constexpr std::size_t nearest_ones = 24, all = 60;
            std::partial_sort(order.begin(), order.begin() + nearest_ones, order.end(),
                              [&](std::size_t a, std::size_t b) { return nearness(a) < nearness(b); });
            std::uint64_t wrong = 0;
            for (std::size_t n = 0; n < all; ++n) {
              char* const at = &entries[2 * order[n]];
              const double right = load(format, at);
              const Wrong how = n < nearest_ones ? Wrong::beyond_the_tie : every_wrong[below(random, 7)];
              store(format, at, spoiled(format, how, right, values[order[n]]));
              if (load(format, at) != right) ++wrong;
              if (n % 20 != 19) continue;
              ASSERT_EQ(table.count_wrong(format, first, rows, entries.data()), wrong)
                  << name(format) << ' ' << pairs << ' ' << amplitude << ' ' << base << ' ' << first;
              ASSERT_EQ(table.compare(format, first, rows, entries.data()).wrong, wrong);
            }
            planted += wrong;
          }
        }
  EXPECT_GT(planted, 15000u);
}

// ---- what is written ----

// Past the caches (from 4 MiB on, in lines of its own) and through them; up to infinities in f16.
TEST_P(KernelsNarrow, write_what_the_plain_kernel_writes) {
  const Kernel& kernel = random_tables::kernel_named(GetParam());
  Random random(33);
  for (const std::size_t pairs : {32u, 44u, 64u})
    for (const Table& layout : layouts(pairs))
      for (const double amplitude : {1.0, 1.3467, 70000.0})
        for (const double base : {1e4, 1e9})
          for (const Format format : {Format::bf16, Format::f16}) {
            const bool large = base < 1e5 && amplitude < 2 && pairs != 44;
            const std::size_t rows = large ? (std::size_t{1} << 21) / layout.dim + 77 : 150,
                              size = 2 * rows * layout.dim;
            const Position first = below(random, 2) == 0 ? -70 : static_cast<Position>(random() >> 44);
            const auto table = [&](const Kernel& one) {
              return ExactTable(std::make_shared<const Ladder>(powers(base, pairs), amplitude, one),
                                layout.runs, layout.dim, 0);
            };
            const auto filled = [&](const Kernel& one) {
              std::unique_ptr<char, decltype(&std::free)> out(
                  static_cast<char*>(std::aligned_alloc(64, (size + 63) / 64 * 64)), &std::free);
              table(one).fill(format, first, rows, out.get());
              return out;
            };
            EXPECT_EQ(std::memcmp(filled(kernel).get(), filled(plain_kernel).get(), size), 0)
                << name(format) << ' ' << pairs << ' ' << amplitude << ' ' << base << ' ' << first;
          }
}

// Few wrong entries are settled one by one, many by the other kernels: any share gives the same answer.
TEST_P(KernelsNarrow, count_any_share_of_wrong_entries) {
  const Kernel& kernel = random_tables::kernel_named(GetParam());
  constexpr std::size_t pairs = 64, rows = 256, dim = 2 * pairs;
  for (const Table& layout : layouts(pairs)) {
    if (layout.dim != dim) continue;
    const ExactTable table(std::make_shared<const Ladder>(powers(1e4, pairs), 1.0, kernel), layout.runs, dim,
                           0);
    for (const Format format : {Format::bf16, Format::f16})
      for (const std::size_t every : {1u, 2u, 17u, 127u, 129u, 300u, 1000u}) {
        std::vector<char> entries(rows * dim * 2);
        table.fill(format, 1000, rows, entries.data());
        std::uint64_t wrong = 0;
        for (std::size_t i = 0; i < rows * dim; i += every, ++wrong) entries[2 * i] ^= 1;
        EXPECT_EQ(table.count_wrong(format, 1000, rows, entries.data()), wrong)
            << name(format) << ' ' << every;
        EXPECT_EQ(table.compare(format, 1000, rows, entries.data()).wrong, wrong)
            << name(format) << ' ' << every;
      }
  }
}

// All, most or every third of the entries wrong in every way, from position 0 on, where f16 has many zeros,
// and far off; where sines are small, single precision leaves most rows open.
TEST_P(KernelsNarrow, count_entries_that_are_wrong_in_every_way) {
  const Kernel& kernel = random_tables::kernel_named(GetParam());
  Random random(34);
  constexpr std::size_t rows = 192;
  std::size_t zeros = 0;
  for (const std::size_t pairs : {32u, 44u})
    for (const Table& layout : layouts(pairs))
      for (const double base : {1e4, 1e9})
        for (const Position first : {Position{0}, Position{70000}}) {
          const ExactTable table(std::make_shared<const Ladder>(powers(base, pairs), 1.0, kernel),
                                 layout.runs, layout.dim, 0);
          std::vector<double> values(rows * layout.dim);
          table.fill(Format::f64, first, rows, values.data());
          for (const Format format : {Format::bf16, Format::f16})
            for (const std::size_t right_ones : {0u, 20u, 67u}) {  // percent
              std::vector<char> entries(values.size() * 2);
              table.fill(format, first, rows, entries.data());
              std::uint64_t wrong = 0;
              for (std::size_t n = 0; n < values.size(); ++n) {
                if (below(random, 100) < right_ones) continue;
                char* const at = &entries[2 * n];
                const double right = load(format, at);
                store(format, at, spoiled(format, every_wrong[below(random, 7)], right, values[n]));
                if (load(format, at) != right) ++wrong;
                if (load(format, at) == 0 && right == 0) ++zeros;
              }
              EXPECT_EQ(table.count_wrong(format, first, rows, entries.data()), wrong)
                  << name(format) << ' ' << pairs << ' ' << base << ' ' << first << ' ' << right_ones;
              EXPECT_EQ(table.compare(format, first, rows, entries.data()).wrong, wrong);
            }
        }
  EXPECT_GT(zeros, 1000u);
}

INSTANTIATE_TEST_SUITE_P(all, KernelsNarrow, ::testing::ValuesIn(random_tables::kernel_names()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace posproof::exact::kernel_narrow_test
