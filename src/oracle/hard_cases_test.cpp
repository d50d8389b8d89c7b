#include "oracle/hard_cases.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

#include "catalogue/hard_cases.h"
#include "exact/argument_reduction.h"
#include "exact/by_integers.h"
#include "exact/exact_table.h"
#include "exact/hard_to_round.h"
#include "exact/ladder.h"
#include "exact/strip.h"
#include "run/catalogued.h"

namespace posproof::oracle::hard_cases_test {

using namespace exact;

namespace {

const ExactTable& exact_of(const Encoding& encoding) {
  return *exact_table(encoding);
}

// The column that a fast table has the entry in.
std::size_t column(const ExactTable& exact, std::size_t frequency, bool cosine) {
  for (const Strip& strip : strips_of(exact.runs()))
    if (frequency >= strip.lane && frequency < strip.lane + strip.count &&
        (cosine ? strip.has_cosines() : strip.has_sines()))
      return strip.column(frequency, cosine);
  throw std::logic_error("no column has this frequency");
}

void for_each_file(auto tell) {
  ASSERT_GE(catalogue::hard_cases().size(), 8u);
  for (const auto& [id, contents] : catalogue::hard_cases()) {
    SCOPED_TRACE(id);
    tell(hard_cases(id, contents));
  }
}

TEST(HardCases, every_recorded_distance_is_right_to_the_digits_printed) {
  for_each_file([](const HardCases& file) {
    const Encoding encoding = encoding_named(file.encoding).oracle(file.parameters);
    const Multiprecision& multiprecision = exact_of(encoding).ladder().multiprecision();
    EXPECT_GE(file.cases.size(), 30u);
    for (const HardCase& one : file.cases) {
      if (const auto* boundary = std::get_if<NearBoundary>(&one.near)) {
        const double distance =
            to_boundary(multiprecision, {one.t, one.frequency, boundary->cosine}, boundary->format, 768);
        EXPECT_EQ(distance_text(distance), distance_text(one.distance)) << text(one);
      } else {
        const QuarterTurns rotations = quarter_turns(multiprecision, one.frequency, one.t, 768);
        EXPECT_EQ(distance_text(rotations.distance), distance_text(one.distance)) << text(one);
        EXPECT_EQ(rotations.quarters, std::get<NearQuarterTurns>(one.near).quarters) << text(one);
      }
    }
  });
}

TEST(HardCases, the_fast_way_and_mpfr_answer_bit_for_bit_alike_in_every_format) {
  std::size_t compared = 0, mismatches = 0;
  for_each_file([&](const HardCases& file) {
    const Encoding encoding = encoding_named(file.encoding).oracle(file.parameters);
    const ExactTable& exact = exact_of(encoding);
    for (const HardCase& one : file.cases) {
      for (const Format format : every_format) {
        std::vector<char> row(exact.dim() * bytes(format));
        exact.fill(format, one.t, 1, row.data());
        const auto right = exact.ladder().multiprecision().point(one.frequency, one.t, format);
        for (const bool cosine : {false, true}) {
          const std::size_t at = column(exact, one.frequency, cosine) * bytes(format);
          const double fast = load(format, row.data() + at),
                       multiprecision = cosine ? right.cosine : right.sine;
          ++compared;
          mismatches += std::memcmp(&fast, &multiprecision, sizeof fast) == 0 ? 0 : 1;
        }
      }
      const auto point = exact.ladder().points(one.t)[one.frequency];
      const auto right = exact.ladder().multiprecision().point(one.frequency, one.t, Format::f64);
      mismatches += point.sine == right.sine && point.cosine == right.cosine ? 0 : 1;
    }
  });
  EXPECT_GT(compared, 2000u);
  EXPECT_EQ(mismatches, 0u);
}

// No logarithm, sine or cosine of any library.
TEST(HardCases, whole_numbers_round_them_to_the_same_doubles) {
  std::map<std::pair<double, std::size_t>, by_integers::AlgebraicPower> powers;
  std::size_t compared = 0;
  for_each_file([&](const HardCases& file) {
    if (file.parameters.has("scaling") || file.parameters.has("divisor")) return;
    const Encoding encoding = encoding_named(file.encoding).oracle(file.parameters);
    const double base = file.parameters.real("base");
    const auto dim = static_cast<unsigned>(file.parameters.integer("dim"));
    for (const HardCase& one : file.cases) {
      const auto* boundary = std::get_if<NearBoundary>(&one.near);
      if (boundary != nullptr && boundary->format != Format::f64) continue;
      const auto exponent = static_cast<unsigned>(one.frequency) * 2 * (128 / dim);
      const auto [at, is_new] = powers.try_emplace({base, exponent});
      if (is_new) at->second = by_integers::power(base, exponent, 128);
      const auto whole = by_integers::point(at->second, one.t);
      const auto point = exact_of(encoding).ladder().points(one.t)[one.frequency];
      EXPECT_EQ(by_integers::nearest(whole.sine), point.sine) << text(one);
      EXPECT_EQ(by_integers::nearest(whole.cosine), point.cosine) << text(one);
      ++compared;
    }
  });
  EXPECT_GT(compared, 80u);
}

TEST(HardCases, the_head_of_a_file_says_what_its_worst_cases_are) {
  for (const auto& [id, contents] : catalogue::hard_cases()) {
    const HardCases file = hard_cases(id, contents);
    for (const Format format : every_format) {
      double worst = 0.5;
      for (const HardCase& one : file.cases)
        if (const auto* boundary = std::get_if<NearBoundary>(&one.near))
          if (boundary->format == format) worst = std::min(worst, one.distance);
      const std::string line = "#   " + worst_text(format, worst) + "\n";
      EXPECT_NE(std::string_view(contents).find(line), std::string_view::npos) << id << ": " << line;
    }
    const std::string command =
        "#   posproof_hard_cases " + file.encoding + " " + file.parameters.text() + "\n";
    EXPECT_NE(std::string_view(contents).find(command), std::string_view::npos) << id << ": " << command;
  }
}

TEST(HardCases, files_read_back_as_they_were_written) {
  for_each_file([](const HardCases& file) { EXPECT_EQ(hard_cases("again", text(file)), file); });
}

TEST(HardCases, a_file_is_refused_with_its_line_its_word_and_what_is_allowed) {
  const std::string ladder = "# a comment\n\nencoding=rope dim=8\n";
  const std::array<std::pair<std::string, std::string>, 14> all = {{
      {"", "x.cases: no line names the ladder, like `encoding=rope dim=64 base=10000`"},
      {"# nothing\n", "x.cases: no line names the ladder, like `encoding=rope dim=64 base=10000`"},
      {"dim=8\n", "x.cases:1: `encoding` is missing; allowed: rope, sinusoidal"},
      {"\nencoding=alibi\n", "x.cases:2: `encoding=alibi`; allowed: rope, sinusoidal"},
      {ladder + "t=three i=0 entry=sine format=f64 # 1e-9 ulp, by hand\n",
       "x.cases:4: `t=three`; allowed: whole numbers from 1 to 1099511627776"},
      {ladder + "t=0.5 i=0 entry=sine format=f64 # 1e-9 ulp, by hand\n",
       "x.cases:4: `t=0.5`; allowed: whole numbers from 1 to 1099511627776"},
      {ladder + "t=3 entry=sine format=f64 # 1e-9 ulp, by hand\n",
       "x.cases:4: `i` is missing; allowed: whole numbers from 0 to 1048576"},
      {ladder + "t=3 i=0 entry=tangent format=f64 # 1e-9 ulp, by hand\n",
       "x.cases:4: `entry=tangent`; allowed: sine, cosine"},
      {ladder + "t=3 i=0 entry=sine format=f8 # 1e-9 ulp, by hand\n",
       "x.cases:4: `format=f8`; allowed: f64, f32, bf16, f16"},
      {ladder + "t=3 i=0 entry=sine format=f64 quarters=2 # 1e-9 rad, by hand\n",
       "x.cases:4: `entry` says nothing here; allowed: t, i, and either quarters or entry and format"},
      {ladder + "t=3 i=0 entry=sine format=f64\n",
       "x.cases:4: a case is followed by ` # `, its distance, `ulp` or `rad`, and how it was found"},
      {ladder + "t=3 i=0 entry=sine format=f64 # 1e-9 rad, by hand\n",
       "x.cases:4: `1e-9 rad` is no distance; allowed: numbers from 0 to 1 and `ulp`"},
      {ladder + "t=3 i=0 entry=sine format=f64 # 1e-9 ulp\n",
       "x.cases:4: `1e-9 ulp`: a comma and how it was found are missing"},
      {ladder + "t=3 i=0 entry=sine format # 1e-9 ulp, by hand\n",
       "x.cases:4: case `t=3 i=0 entry=sine format `: `format` is not name=value"},
  }};
  for (const auto& [contents, why] : all) try {
      hard_cases("x.cases", contents);
      ADD_FAILURE() << contents << " is not refused";
    } catch (const std::invalid_argument& error) {
      EXPECT_EQ(error.what(), why);
    }
}

// ---- the search that recorded them, where all can be asked of MPFR ----

struct Small {
  const char* encoding;
  const char* parameters;
};
constexpr std::array<Small, 3> small = {
    {{"rope", "dim=8"}, {"sinusoidal", "dim=6 base=5 amplitude=0.01"}, {"rope", "dim=4 scaling=yarn"}}};

TEST(HardSearch, finds_the_entries_nearest_to_a_boundary_of_all_that_mpfr_measures) {
  constexpr std::array<Position, 2> limits = {200, 1500};
  constexpr std::size_t count = 3;
  for (const auto& [id, parameters] : small) {
    SCOPED_TRACE(parameters);
    const Encoding encoding = encoding_named(id).oracle(Case::parse(parameters));
    const Ladder& ladder = exact_of(encoding).ladder();
    for (const unsigned threads : {1u, 2u}) {
      const auto found = hardest_to_round(ladder, limits, count, threads);
      ASSERT_EQ(found.size(), every_format.size());
      for (const Closest& closest : found)
        for (std::size_t n = 0; n < limits.size(); ++n) {
          std::vector<std::pair<double, LadderEntry>> all;
          for (Position t = 1; t < limits[n]; ++t)
            for (std::size_t i = 0; i < ladder.size(); ++i)
              for (const bool cosine : {false, true}) {
                const LadderEntry entry{t, i, cosine};
                all.emplace_back(to_boundary(ladder.multiprecision(), entry, closest.format, 256), entry);
              }
          std::sort(all.begin(), all.end());
          ASSERT_EQ(closest.of_limit[n].size(), count);
          for (std::size_t rank = 0; rank < count; ++rank) {
            EXPECT_EQ(closest.of_limit[n][rank].entry, all[rank].second) << name(closest.format);
            EXPECT_EQ(closest.of_limit[n][rank].distance, all[rank].first) << name(closest.format);
          }
        }
    }
  }
}

// 2^-25 + 2^-35 lies 2^-11 of a place above the middle of 0 and the smallest number of f16, and in the middle
// of no neighbours of bf16.
TEST(HardSearch, measures_distances_in_places_of_the_format) {
  const double x = 0x1p-25 + 0x1p-35;
  const Multiprecision multiprecision(Frequencies{Given{{0.0}}}, x);
  const LadderEntry cosine{1, 0, true};  // x cos 0
  EXPECT_EQ(to_boundary(multiprecision, cosine, Format::f16), 0x1p-11);
  EXPECT_EQ(to_boundary(multiprecision, cosine, Format::bf16), 0.5 - 0x1p-3);
  EXPECT_EQ(to_boundary(multiprecision, cosine, Format::f64), 0.5);
  // Of an entry that needs more digits than f64 has, the same whoever asks for more of them.
  const Multiprecision tenth(Frequencies{Given{{0.1}}}, 1.0);
  for (const bool of_cosine : {false, true})
    EXPECT_EQ(to_boundary(tenth, {12345, 0, of_cosine}, Format::f64),
              to_boundary(tenth, {12345, 0, of_cosine}, Format::f64, 2000));
}

TEST(HardCases, blanks_and_returns_at_the_ends_of_lines_say_nothing) {
  const std::string ladder = "encoding=rope dim=4 base=10000",
                    one = "t=3 i=1 entry=sine format=f32 # 0.25 ulp, by hand";
  const std::string plain = text(hard_cases("a.cases", ladder + "\n" + one + "\n"));
  EXPECT_TRUE(plain.ends_with(", by hand\n")) << plain;
  EXPECT_EQ(text(hard_cases("a.cases", " " + ladder + " \r\n\t" + one + " \t\r\n \r\n")), plain);
}

TEST(HardSearch, finds_the_positions_nearest_to_quarter_turns_of_all) {
  for (const auto& [id, parameters] : small) {
    SCOPED_TRACE(parameters);
    const Encoding encoding = encoding_named(id).oracle(Case::parse(parameters));
    const Ladder& ladder = exact_of(encoding).ladder();
    for (const Position limit : {50, 4000}) {
      std::vector<std::pair<double, Position>> best;
      for (std::size_t i = 0; i < ladder.size(); ++i) {
        std::pair<double, Position> nearest = {1, 0};
        for (Position t = 1; t < limit; ++t) {
          const QuarterTurns one = quarter_turns(ladder.multiprecision(), i, t, 256);
          if (one.quarters != 0) nearest = std::min(nearest, {one.distance, t});
        }
        if (nearest.second != 0) best.push_back(nearest);
      }
      std::sort(best.begin(), best.end());
      const auto found = closest_to_quarter_turns(ladder, limit, ladder.size());
      ASSERT_EQ(found.size(), best.size()) << limit;
      for (std::size_t n = 0; n < best.size(); ++n) EXPECT_EQ(found[n].t, best[n].second) << limit;
    }
  }
}

TEST(HardSearch, continued_fractions_of_512_bits_and_euclids_algorithm_agree_up_to_2_40) {
  const Encoding encoding = encoding_named("rope").oracle(Case::parse("dim=64 base=10000"));
  const Ladder& ladder = exact_of(encoding).ladder();
  const auto found = closest_to_quarter_turns(ladder, Position{1} << 40, ladder.size());
  ASSERT_EQ(found.size(), ladder.size());
  for (const QuarterTurns& one : found) {
    const auto power = by_integers::power(10000, static_cast<unsigned>(2 * one.frequency), 64);
    EXPECT_EQ(by_integers::closest_to_quarter_turns(power, (std::int64_t{1} << 40) - 1).back(), one.t);
  }
}

TEST(HardCases, have_a_distance_below_1) {
  const auto at = [](std::string_view distance) {
    return hard_cases("x.cases",
                      fmt::format("encoding=rope dim=4\nt=3 i=0 quarters=2 # {} rad, by hand\n", distance));
  };
  EXPECT_EQ(at("0.99").cases.front().distance, 0.99);
  EXPECT_THROW(at("1"), std::invalid_argument);
}

// Of four pairs position 1 has eight entries.
TEST(HardSearch, finds_as_many_as_are_sought_or_says_so) {
  const Encoding encoding = encoding_named("rope").oracle(Case::parse("dim=8"));
  constexpr std::array<Position, 1> limits = {2};
  EXPECT_THROW(hardest_to_round(exact_of(encoding).ladder(), limits, 9, 1), std::runtime_error);
}

// One radian a position: 3 positions are nearly 2 quarter turns, and 11 nearer to 7.
TEST(HardSearch, finds_quarter_turns_below_a_limit) {
  const Ladder ladder(Frequencies{Given{{1.0}}});
  EXPECT_EQ(closest_to_quarter_turns(ladder, 11, 1).front().t, 3);
  EXPECT_EQ(closest_to_quarter_turns(ladder, 12, 1).front().t, 11);
}

}  // namespace
}  // namespace posproof::oracle::hard_cases_test
