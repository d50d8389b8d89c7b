#include "exact/exact_table.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <thread>

#include "exact/bounds.h"
#include "exact/by_integers.h"
#include "exact/given.h"
#include "exact/multiprecision.h"
#include "exact/random_tables.h"

namespace posproof::exact::exact_table_test {
namespace {

using random_tables::Outcome;

Frequencies powers(double base, std::int64_t dim) {
  Geometric out{base, {}};
  for (std::int64_t i = 0; i < dim / 2; ++i) out.exponents.push_back({2 * i, dim});
  return {out};
}

ExactTable table_of(Frequencies frequencies, const Kernel& kernel = best_kernel()) {
  const std::size_t pairs = frequencies.size();
  return {std::make_shared<const Ladder>(std::move(frequencies), 1.0, kernel),
          {{Run::Part::sines, 0, 0, pairs}, {Run::Part::cosines, pairs, 0, pairs}},
          2 * pairs,
          0};
}

std::vector<char> filled(const ExactTable& table, Format format, Position first, std::size_t rows) {
  std::vector<char> out(rows * table.dim() * bytes(format));
  table.fill(format, first, rows, out.data());
  return out;
}

// 2.5 * 10^5 for each of four seeds, so that they run beside each other.
class EveryEntry : public ::testing::TestWithParam<std::uint64_t> {};
TEST_P(EveryEntry, is_that_of_mpfr) {
  const Outcome outcome = random_tables::against_mpfr(GetParam(), 250000, 2000);
  EXPECT_GE(outcome.entries, 250000u);
  EXPECT_EQ(outcome.wrong, 0u) << outcome.first;
}
INSTANTIATE_TEST_SUITE_P(seeds, EveryEntry, ::testing::Values(1u, 2u, 3u, 4u));

// The number on the other side of the exact one is wrong, however near both are to the middle between them.
TEST(ExactTable, knows_the_second_nearest_numbers_from_the_nearest) {
  constexpr Position rows = 1 << 18;
  const ExactTable table = table_of(powers(10000, 8));
  const auto exact = filled(table, Format::f64, 1, rows);
  auto second = filled(table, Format::f32, 1, rows);
  const std::size_t entries = static_cast<std::size_t>(rows) * table.dim();
  std::uint64_t moved = 0;
  for (std::size_t n = 0; n < entries; ++n) {
    double there = 0;
    float nearest = 0;
    std::memcpy(&there, exact.data() + n * sizeof there, sizeof there);
    std::memcpy(&nearest, second.data() + n * sizeof nearest, sizeof nearest);
    if (there == static_cast<double>(nearest)) continue;  // on which side the exact one is, is not known
    nearest = std::nextafter(nearest, there < static_cast<double>(nearest) ? -2.0F : 2.0F);
    std::memcpy(second.data() + n * sizeof nearest, &nearest, sizeof nearest);
    ++moved;
  }
  EXPECT_GT(moved, entries - 100);
  EXPECT_EQ(table.compare(Format::f32, 1, rows, second.data()).wrong, moved);
  EXPECT_EQ(table.count_wrong(Format::f32, 1, rows, second.data()), moved);
}

// The second derivation: whole numbers of 512 bits, pi by Machin, powers by integer roots, Taylor.
class SecondDerivation : public ::testing::TestWithParam<std::pair<double, unsigned>> {};
TEST_P(SecondDerivation, has_the_same_bits) {
  const auto [base, dim] = GetParam();
  const ExactTable table = table_of(powers(base, dim));
  std::mt19937_64 random(dim);
  std::size_t entries = 0;
  for (unsigned i = 0; i < dim / 2; ++i) {
    const auto frequency = by_integers::power(base, 2 * i, dim);
    ASSERT_TRUE(frequency.is_root());
    for (std::size_t n = 0; n < 8000 / dim; ++n) {
      const Position t =
          n % 2 == 0 ? static_cast<Position>(random() >> 24) : static_cast<Position>(random() >> 44);
      const auto row = filled(table, Format::f64, t, 1);
      const auto point = by_integers::point(frequency, t);
      const auto sine = by_integers::nearest(point.sine), cosine = by_integers::nearest(point.cosine);
      ASSERT_TRUE(sine && cosine) << t;
      EXPECT_EQ(load(Format::f64, row.data() + i * sizeof(double)), *sine)
          << "frequency " << i << ", t=" << t;
      EXPECT_EQ(load(Format::f64, row.data() + (dim / 2 + i) * sizeof(double)), *cosine)
          << "frequency " << i << ", t=" << t;
      entries += 2;
    }
  }
  EXPECT_GE(entries, 7900u);
}
INSTANTIATE_TEST_SUITE_P(ladders, SecondDerivation,
                         ::testing::Values(std::pair{10000.0, 64u}, std::pair{500000.0, 128u},
                                           std::pair{1e6, 48u}, std::pair{10000.0, 10u}));

// The error of an angle, exact - approximate, in MPFR.
struct Exact {
  Real sine, cosine;
  double off_sine(double head, double rest) const { return off(sine, head, rest); }
  double off_cosine(double head, double rest) const { return off(cosine, head, rest); }

 private:
  static double off(const Real& exact, double head, double rest) {
    Real left(exact);
    mpfr_sub_d(left.x, left.x, head, MPFR_RNDN);
    mpfr_sub_d(left.x, left.x, rest, MPFR_RNDN);
    return std::abs(left.nearest());
  }
};
Exact exact(const Real& frequency, Position t) {
  Real angle(frequency);
  mpfr_mul_si(angle.x, angle.x, t, MPFR_RNDN);
  Exact out{Real(frequency.bits()), Real(frequency.bits())};
  mpfr_sin_cos(out.sine.x, out.cosine.x, angle.x, MPFR_RNDN);
  return out;
}

// What the bounds promise against what is measured, at the largest angles: every bound holds, none by a
// factor that would make it empty. Plain doubles have been seen to use 0.65 of theirs, double-doubles 0.02
// (errors of 40 products average out, and no product takes what the bound allows it).
class Bounds : public ::testing::TestWithParam<std::string> {};
TEST_P(Bounds, hold_at_the_largest_angles_and_are_not_empty) {
  const Kernel& kernel = random_tables::kernel_named(GetParam());
  const Ladder ladder(powers(10000, 64), 1.0, kernel);
  const auto& frequencies = ladder.multiprecision().with(256).frequencies;
  const PhasorTables& phasors = *ladder.phasors();
  Giants giants(phasors);
  PhasorRows room(3, phasors.lanes());
  std::vector<float> least(phasors.lanes()), least_twice(2 * phasors.lanes());
  const Angles angles{room[0].sine,   room[0].cosine, room[0].sine_rest, room[2].sine,
                      room[2].cosine, least.data(),   least_twice.data()};
  double coarse = 0, fine = 0;
  std::mt19937_64 random(7);
  for (std::size_t n = 0; n < 400; ++n) {
    // The digits of the second half are all ones: as many products as there can be.
    const Position t = n % 2 == 0 ? fast_reach - static_cast<Position>(random() % 100000)
                                  : static_cast<Position>((random() >> 24) | 0x3fffffff);
    const Block& block = giants.block(t, 1);
    kernel.angles(block, block.begin, 1, angles, phasors.lanes());
    kernel.multiply(*block.giant, block.babies[block.begin], room[1], phasors.lanes());
    for (std::size_t i = 0; i < ladder.size(); ++i) {
      const Exact e = exact(frequencies[i], t);
      coarse = std::max({coarse, e.off_sine(angles.sine[i], 0) / block.errors->sine[i],
                         e.off_cosine(angles.cosine[i], 0) / block.errors->cosine[i]});
      fine =
          std::max({fine, e.off_sine(room[1].sine[i], room[1].sine_rest[i]) / block.errors->fine_sine[i],
                    e.off_cosine(room[1].cosine[i], room[1].cosine_rest[i]) / block.errors->fine_cosine[i]});
      if (kernel.name != std::string("v4_vbmi2")) continue;  // the others have no use for them
      // (7): larger than W for a pair of size 1 by what single precision may take away three times.
      EXPECT_GE(least[i], -angles.less[i] * bounds::surely_rounded * (1 + 0x1p-22));
      EXPECT_EQ(least_twice[2 * i], least[i]);
      EXPECT_EQ(least_twice[2 * i + 1], least[i]);
    }
  }
  EXPECT_LT(coarse, 1);
  EXPECT_GT(coarse, 0.2);
  EXPECT_LT(fine, 1);
  EXPECT_GT(fine, 0.002);
}

// Single precision has the nearest babies, and bounds that are no smaller than those that they stand for.
TEST(PhasorTables, in_single_precision_are_bounded_from_above) {
  for (const double amplitude : {1.0, 0.75, 1.5}) {
    const Ladder ladder(powers(10000, 64), amplitude);
    const PhasorTables& phasors = *ladder.phasors();
    const InSingle* single = phasors.in_single();
    ASSERT_NE(single, nullptr);
    EXPECT_EQ(single->power, std::exp2(std::ceil(std::log2(amplitude))));
    for (std::size_t i = 0; i < phasors.size(); ++i) {
      EXPECT_GE(single->largest_sine[i], phasors.largest_sine()[i]) << i;
      EXPECT_LE(single->largest_sine[i], phasors.largest_sine()[i] * (1 + 0x1p-22)) << i;
      const std::size_t group = i / singles_together, lane = i % singles_together;
      const float* row = single->babies + (group * rows_per_block + 5) * 2 * singles_together;
      EXPECT_EQ(row[lane], static_cast<float>(phasors.table(0)[5].sine[i])) << i;
      EXPECT_EQ(row[singles_together + lane], static_cast<float>(phasors.table(0)[5].cosine[i])) << i;
    }
  }
}

// A step that is wrong by one unit in the last place of its head.
TEST_P(Bounds, are_broken_by_one_unit_in_the_last_place_of_a_giant_step) {
  const ExactTable table = table_of(powers(10000, 64), random_tables::kernel_named(GetParam()));
  const PhasorTables& phasors = *table.ladder().phasors();
  const std::size_t rows = 128 * rows_per_block;
  const auto right = filled(table, Format::f64, 0, rows);
  double& step = phasors.table(1)[5].cosine[3];
  const double was = step;
  step = std::nextafter(step, 0);
  const auto wrong = filled(table, Format::f64, 0, rows);
  step = was;
  EXPECT_NE(right, wrong);
  const Compared found = table.compare(Format::f64, 0, rows, wrong.data());
  EXPECT_GT(found.wrong, 0u);
  // A unit of the step is one of every entry, or less: a few of those of small entries.
  for (const double farthest : found.farthest) EXPECT_LT(farthest, 0x1p-51);
  // The rows of that step: 320 .. 383, and those 4096 further on.
  EXPECT_EQ(found.at % 4096 / 64, 5);
  EXPECT_EQ(found.column % 32, 3u);
  // MPFR says the same.
  const auto sine = table.ladder().multiprecision().point(found.column % 32, found.at, Format::f64);
  const double here =
      load(Format::f64, wrong.data() + (static_cast<std::size_t>(found.at) * 64 + found.column) * 8);
  EXPECT_NE(here, found.column < 32 ? sine.sine : sine.cosine);
}
INSTANTIATE_TEST_SUITE_P(kernels, Bounds, ::testing::ValuesIn(random_tables::kernel_names()),
                         [](const auto& one) { return one.param; });

// w = 1 is a power of any base, whatever it is divided by; another frequency tells.
TEST(ExactTable, is_made_like_another_whose_frequencies_are_the_same_numbers) {
  const auto of = [](Geometric ladder) { return table_of({std::move(ladder)}); };
  EXPECT_TRUE(of({10000, {{0, 2}}}).is_made_like(of({500, {{0, 128}}})));
  EXPECT_TRUE(of({10000, {{2, 64}}}).is_made_like(of({10000, {{1, 32}}})));
  EXPECT_FALSE(of({10000, {{2, 64}}}).is_made_like(of({10000, {{2, 65}}})));
  EXPECT_FALSE(of({10000, {{2, 64}}}).is_made_like(of({10000, {{2, 64}, {4, 64}}})));
  EXPECT_FALSE(of({10000, {{2, 64}}}).is_made_like(of({std::nextafter(10000, 10001), {{2, 64}}})));
}

TEST(ExactTable, past_the_caches_and_through_them_are_the_same_bits) {
  const ExactTable table = table_of(powers(500000, 128));
  const std::size_t rows = 16384;
  for (const Format format : every_format) {
    const std::size_t size = rows * table.dim() * bytes(format);
    const std::unique_ptr<char, decltype(&std::free)> aligned(
        static_cast<char*>(std::aligned_alloc(64, size + 64)), &std::free);
    table.fill(format, 3, rows, aligned.get());
    std::vector<char> by_threads(size + 1);
    table.fill(format, 3, rows, by_threads.data() + 1, 2);  // in no line of its own
    EXPECT_EQ(std::memcmp(aligned.get(), by_threads.data() + 1, size), 0) << name(format);
    EXPECT_EQ(table.compare(format, 3, rows, aligned.get(), {}, 2).wrong, 0u) << name(format);
  }
}

// A row of 65 entries is no whole number of lines, although its runs are: it is written through the caches.
TEST(ExactTable, of_rows_that_begin_in_any_line_is_written_past_no_cache) {
  const auto ladder = std::make_shared<const Ladder>(powers(10000, 64), 1.0, best_kernel());
  const ExactTable table(ladder, {{Run::Part::sines, 0, 0, 32}, {Run::Part::cosines, 32, 0, 32}}, 65, 0);
  const std::size_t rows = 16384, size = (rows * 65 * sizeof(float) + 63) / 64 * 64;
  const std::unique_ptr<char, decltype(&std::free)> aligned(static_cast<char*>(std::aligned_alloc(64, size)),
                                                            &std::free);
  table.fill(Format::f32, 0, rows, aligned.get());
  EXPECT_EQ(table.compare(Format::f32, 0, rows, aligned.get()).wrong, 0u);
}

// Whatever stood there before, in every row, in both kinds of memory and for one row as for many.
TEST(ExactTable, writes_zeros_into_columns_of_no_run) {
  const auto ladder = std::make_shared<const Ladder>(powers(10000, 8), 1.0, best_kernel());
  const ExactTable table(ladder, {{Run::Part::sines, 1, 0, 4}, {Run::Part::cosines, 6, 0, 4}}, 12, 0);
  for (const std::size_t rows : {1U, 63U, 64U, 200U})
    for (const Format format : {Format::f64, Format::f32, Format::f16, Format::bf16}) {
      const std::size_t one = bytes(format);
      std::vector<unsigned char> out(rows * 12 * one, 0xAB);
      table.fill(format, 3, rows, out.data());
      for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < 12; ++c) {
          const unsigned char* const at = out.data() + (r * 12 + c) * one;
          const bool zero = std::all_of(at, at + one, [](unsigned char byte) { return byte == 0; });
          EXPECT_EQ(zero, c == 0 || c == 5 || c >= 10) << name(format) << ' ' << rows << ' ' << r << ' ' << c;
        }
    }
}

TEST(ExactTable, finds_one_entry_that_is_off_by_one_unit_in_the_last_place) {
  std::mt19937_64 random(11);
  for (const Kernel* kernel : kernels_here()) {
    const ExactTable table = table_of(powers(500000, 48), *kernel);
    const std::size_t rows = 500;
    for (const Format format : every_format) {
      auto values = filled(table, format, 100000, rows);
      for (std::size_t n = 0; n < 50; ++n) {
        const std::size_t row = n == 0 ? rows - 1 : random() % rows;
        const std::size_t column = n == 0 ? 47 : random() % 48;
        char& last_digit = values[(row * 48 + column) * bytes(format)];
        last_digit ^= 1;
        const Compared found = table.compare(format, 100000, rows, values.data(), {}, 1 + n % 2);
        EXPECT_EQ(table.count_wrong(format, 100000, rows, values.data(), 1 + n % 2), 1u);
        last_digit ^= 1;
        EXPECT_EQ(found.wrong, 1u);
        EXPECT_EQ(found.at, 100000 + static_cast<Position>(row));
        EXPECT_EQ(found.column, column);
        EXPECT_GE(found.ulp, 0.5);
        EXPECT_LE(found.ulp, 2.5);  // two and a half of the smaller ones just below a power of two
        const double value = load(format, values.data() + (row * 48 + column) * bytes(format));
        EXPECT_GE(found.farthest[column], half_ulp(format, value) / 2);  // next to a power of two
      }
    }
  }
}

// From position 0 on, where sines are small and no kernel is sure of all rows at once.
TEST(ExactTable, counts_and_measures_a_table_that_is_wrong_everywhere) {
  constexpr std::size_t pairs = 64, dim = 2 * pairs, rows = 200;
  using Part = Run::Part;
  for (const Kernel* kernel : kernels_here())
    for (const std::vector<exact::Run>& runs :
         {std::vector<exact::Run>{{Part::sines, 0, 0, pairs}, {Part::cosines, pairs, 0, pairs}},
          {{Part::sines_and_cosines, 0, 0, pairs}},
          {{Part::cosines, 0, 0, pairs}, {Part::cosines, pairs, 0, pairs}}}) {
      const ExactTable table(std::make_shared<const Ladder>(powers(10000, dim), 1.0, *kernel), runs, dim, 0);
      std::vector<double> exact(rows * dim);
      table.fill(Format::f64, 0, rows, exact.data());
      for (const Format format : every_format) {
        auto values = filled(table, format, 0, rows);
        std::vector<double> farthest(dim);
        double ulp = 0;
        for (std::size_t n = 0; n < exact.size(); ++n) {
          char* const at = values.data() + n * bytes(format);
          *at ^= static_cast<char>(1 + n % 7);
          const double off = std::abs(load(format, at) - exact[n]);
          farthest[n % dim] = std::max(farthest[n % dim], off);
          ulp = std::max(ulp, off / (2 * half_ulp(format, exact[n])));
        }
        const Compared found = table.compare(format, 0, rows, values.data());
        EXPECT_EQ(found.wrong, exact.size()) << kernel->name << ' ' << name(format);
        EXPECT_EQ(table.count_wrong(format, 0, rows, values.data()), exact.size());
        if (format == Format::f64) continue;  // what is exact here is rounded to it
        // By 2^-53 of an entry, whose error is half a place of f32 at least: 2^-25 of it.
        constexpr double rounded = 0x1p-27;
        EXPECT_NEAR(found.ulp / ulp, 1, rounded) << kernel->name << ' ' << name(format);
        for (std::size_t c = 0; c < dim; ++c) EXPECT_NEAR(found.farthest[c] / farthest[c], 1, rounded) << c;
      }
    }
}

TEST(ExactTable, tells_of_each_block_and_sums_them) {
  const ExactTable table = table_of(powers(10000, 8));
  auto values = filled(table, Format::f32, 60, 200);
  for (const std::size_t row : {3u, 4u, 150u}) values[row * 8 * 4] ^= 1;
  std::size_t rows = 0, wrong = 0, blocks = 0;
  const Compared all = table.compare(Format::f32, 60, 200, values.data(), [&](const Compared& block) {
    ++blocks;
    rows += block.rows;
    wrong += block.wrong;
    EXPECT_LE(block.rows, 64u);
    EXPECT_EQ(block.farthest.size(), 8u);
  });
  EXPECT_EQ(blocks, 5u);  // 60 .. 63, 64 .. 127, 128 .. 191, 192 .. 255, 256 .. 259
  EXPECT_EQ(rows, 200u);
  EXPECT_EQ(wrong, 3u);
  EXPECT_EQ(all.wrong, 3u);
}

TEST(ExactTable, nan_and_infinity_are_infinitely_wrong) {
  constexpr std::size_t dim = 64;  // whole vectors of any kernel
  for (const Kernel* kernel : kernels_here()) {
    const ExactTable table = table_of(powers(10000, dim), *kernel);
    for (const double wrong : {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL, -HUGE_VAL})
      for (const Format format : every_format)
        for (const std::size_t column : {5u, 20u, 37u, 63u}) {
          auto values = filled(table, format, 0, 70);
          store(format, values.data() + (66 * dim + column) * bytes(format), wrong);
          const Compared found = table.compare(format, 0, 70, values.data());
          EXPECT_EQ(found.wrong, 1u) << kernel->name << ' ' << name(format);
          EXPECT_EQ(table.count_wrong(format, 0, 70, values.data()), 1u);
          EXPECT_EQ(found.ulp, HUGE_VAL);
          EXPECT_EQ(found.farthest[column], HUGE_VAL);
          EXPECT_EQ(found.at, 66);
          EXPECT_EQ(found.column, column);
        }
  }
}

TEST(ExactTable, zero_has_no_sign_and_no_angle_is_exact) {
  const ExactTable table = table_of(powers(10000, 8));
  for (const Format format : every_format) {
    auto values = filled(table, format, 0, 1);
    EXPECT_EQ(load(format, values.data()), 0);
    EXPECT_FALSE(std::signbit(load(format, values.data())));
    EXPECT_EQ(load(format, values.data() + 4 * bytes(format)), 1);
    store(format, values.data(), -0.0);
    EXPECT_EQ(table.compare(format, 0, 1, values.data()).wrong, 0u);
    EXPECT_EQ(table.count_wrong(format, 0, 1, values.data()), 0u);
    store(format, values.data(), nearest(format, 1e-5));
    EXPECT_EQ(table.compare(format, 0, 1, values.data()).wrong, 1u);
    EXPECT_EQ(table.count_wrong(format, 0, 1, values.data()), 1u);
  }
}

TEST(ExactTable, counts_what_is_not_zero_in_every_row_of_a_column_that_is) {
  const ExactTable table(std::make_shared<const Ladder>(powers(10000, 8)),
                         {{Run::Part::sines_and_cosines, 0, 0, 4}}, 10, 0);
  constexpr std::size_t rows = 70;
  for (const Format format : every_format) {
    auto values = filled(table, format, 5, rows);
    EXPECT_EQ(table.count_wrong(format, 5, rows, values.data()), 0u) << name(format);
    const auto spoil = [&](std::size_t row, std::size_t column) {
      store(format, values.data() + (row * 10 + column) * bytes(format), 1);
      return table.count_wrong(format, 5, rows, values.data());
    };
    EXPECT_EQ(spoil(69, 8), 1u) << name(format);
    EXPECT_EQ(spoil(1, 9), 2u) << name(format);
    EXPECT_EQ(spoil(0, 9), 3u) << name(format);
    EXPECT_EQ(table.compare(format, 5, rows, values.data()).wrong, 3u) << name(format);
  }
}

// What double-double holds: see phasor_tables.h.
TEST(ExactTable, is_fast_for_frequencies_and_amplitudes_that_double_double_holds) {
  const auto fits = [](const std::vector<double>& frequencies, double amplitude) {
    return PhasorTables::fit(Multiprecision({Given{frequencies}}, amplitude));
  };
  EXPECT_TRUE(fits({0x1p-500, 0, 0x1p40}, 1));
  EXPECT_TRUE(fits({-0x1p40}, 1));
  EXPECT_FALSE(fits({1, 0x1.01p40}, 1));
  EXPECT_FALSE(fits({0x1.01p40, 1}, 1));
  EXPECT_FALSE(fits({0x1.fp-501}, 1));
  EXPECT_TRUE(fits({1}, 0x1p100));
  EXPECT_TRUE(fits({1}, 0x1p-100));
  EXPECT_FALSE(fits({1}, 0x1.01p100));
  EXPECT_FALSE(fits({1}, 0x1.fp-101));
  EXPECT_TRUE(fits(std::vector<double>(PhasorTables::most_frequencies, 1.0), 1));
  EXPECT_FALSE(fits(std::vector<double>(PhasorTables::most_frequencies + 1, 1.0), 1));
}

// An entry below a power of two has half the last place of one above it: 1 - 2^-53 is not cos of a small
// angle.
TEST(ExactTable, below_a_power_of_two_the_last_place_is_half_as_large) {
  const ExactTable table = table_of({Given{{0x1p-30}}});
  for (const Format format : every_format) {
    auto values = filled(table, format, 1, 1);  // cos 2^-30 = 1 - 2^-61
    const double one = 1, last = std::ldexp(1.0, -shape(format).digits);
    EXPECT_EQ(load(format, values.data() + bytes(format)), one);
    store(format, values.data() + bytes(format), one - last);
    EXPECT_EQ(table.compare(format, 1, 1, values.data()).wrong, 1u) << name(format);
  }
}

// What f16 has no number for is an infinity, by rounding; what it has only subnormal numbers for keeps
// those.
TEST(ExactTable, has_the_ends_of_its_formats) {
  const auto ladder = std::make_shared<const Ladder>(powers(10000, 8), 80000.0);
  const ExactTable large(ladder, {{Run::Part::sines_and_cosines, 0, 0, 4}}, 8, 0);
  auto values = filled(large, Format::f16, 0, 100);
  EXPECT_EQ(load(Format::f16, values.data() + 2), HUGE_VAL);
  EXPECT_EQ(large.compare(Format::f16, 0, 100, values.data()).wrong, 0u);
  store(Format::f16, values.data() + 2, 65504);
  EXPECT_EQ(large.compare(Format::f16, 0, 100, values.data()).wrong, 1u);

  const ExactTable multiprecision = table_of({Given{{0x1.91p-20, 1e-7, 3e-8, 2.9e-8}}});
  for (Position t = 0; t < 300; ++t) {
    const auto row = filled(multiprecision, Format::f16, t, 1);
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_EQ(load(Format::f16, row.data() + 2 * i),
                multiprecision.ladder().multiprecision().point(i, t, Format::f16).sine)
          << t;
  }
}

TEST(ExactTable, refuses_positions_beyond_its_reach_and_runs_that_make_no_sense) {
  const ExactTable table = table_of(powers(10000, 8));
  std::vector<float> row(16);
  EXPECT_NO_THROW(table.fill(Format::f32, ExactTable::farthest_position, 1, row.data()));
  EXPECT_NO_THROW(table.fill(Format::f32, -ExactTable::farthest_position, 1, row.data()));
  EXPECT_THROW(table.fill(Format::f32, ExactTable::farthest_position, 2, row.data()), Refusal);
  EXPECT_THROW(table.fill(Format::f32, -ExactTable::farthest_position - 1, 1, row.data()), Refusal);
  EXPECT_THROW(table.fill(Format::f32, std::numeric_limits<Position>::max(), 1, row.data()), Refusal);

  const auto ladder = std::make_shared<const Ladder>(powers(10000, 8));
  using Part = Run::Part;
  EXPECT_THROW(ExactTable(ladder, {{Part::sines, 0, 0, 5}}, 8, 0), std::invalid_argument);
  EXPECT_THROW(ExactTable(ladder, {{Part::sines, 5, 0, 4}}, 8, 0), std::invalid_argument);
  EXPECT_THROW(ExactTable(ladder, {{Part::sines, 0, 0, 4}, {Part::cosines, 3, 0, 4}}, 8, 0),
               std::invalid_argument);
}

// Numbers that double-doubles do not hold are computed by MPFR, and are right too.
TEST(ExactTable, answers_where_there_is_no_fast_path) {
  const ExactTable table = table_of({Given{{1e-200, 3.0, 0.0, 0x1p50}}});
  EXPECT_EQ(table.ladder().phasors(), nullptr);
  auto values = filled(table, Format::f64, 1000, 3);
  EXPECT_EQ(load(Format::f64, values.data()), 1000 * 1e-200);
  EXPECT_EQ(load(Format::f64, values.data() + 16), 0);
  EXPECT_EQ(table.compare(Format::f64, 1000, 3, values.data()).wrong, 0u);
  values[9] ^= 1;
  EXPECT_EQ(table.compare(Format::f64, 1000, 3, values.data()).wrong, 1u);
}

TEST(ExactTable, tells_the_first_of_several_entries_that_are_as_wrong) {
  const ExactTable table = table_of(powers(10000, 8));
  auto values = filled(table, Format::f32, 0, 200);
  for (const std::size_t row : {3u, 70u, 190u})  // each in another block of 64 rows
    store(Format::f32, values.data() + row * table.dim() * bytes(Format::f32), HUGE_VAL);
  EXPECT_EQ(table.compare(Format::f32, 0, 200, values.data()).at, 3);
}

TEST(ExactTable, is_made_like_another_that_begins_at_the_same_position) {
  const auto ladder = std::make_shared<const Ladder>(powers(10000, 8));
  const auto from = [&](Position offset) {
    return ExactTable(ladder, {{Run::Part::sines_and_cosines, 0, 0, 4}}, 8, offset);
  };
  EXPECT_TRUE(from(1).is_made_like(from(1)));
  EXPECT_FALSE(from(1).is_made_like(from(2)));
}

TEST(ExactTable, has_as_many_given_frequencies_as_it_had) {
  const ExactTable table = table_of(powers(10000, 4));
  const std::vector<double> two = {1, 0.5}, three = {1, 0.5, 0.25};
  EXPECT_EQ(with_frequencies(table, two, 0)->ladder().frequency(1), 0.5);
  EXPECT_THROW(with_frequencies(table, three, 0), std::invalid_argument);
}

}  // namespace
}  // namespace posproof::exact::exact_table_test
