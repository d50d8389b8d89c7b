// What is said of tables whose positions are several numbers, or no whole ones.
#include "diagnosis/table_deviations.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "core/error.h"
#include "core/formats.h"
#include "core/function.h"
#include "diagnosis/testing/deviations.h"

namespace posproof::table_deviations_test {
namespace {

using testing::said;
using testing::Sentences;

// Columns of the answers that are another one, times a factor.
struct Column {
  std::size_t of;
  double factor = 1;
};
using Columns = Function<Column(std::size_t c, std::size_t dim)>;

Sentences with_columns(const std::string& family, const std::string& words, const Columns& columns) {
  return said(family, words, [=](const Parameters& parameters) {
    const Encoding right = encoding_named(family).make(parameters);
    return answered_by(right, [=](const Call& call) {
      const Tensor from = answer(right, call);
      Tensor to(from.shape);
      for (std::size_t r = 0; r < to.rows(); ++r)
        for (std::size_t c = 0; c < to.width(); ++c) {
          const Column one = columns(c, to.width());
          to.at(r, c) = static_cast<float>(one.factor * from.at(r, one.of));
        }
      return to;
    });
  });
}

// Each row is made of its own position's right one, in f32.
using OfRow = Function<void(double t, std::span<double> row)>;
Sentences with_rows(const std::string& family, const std::string& words, const OfRow& change) {
  return said(family, words, [=](const Parameters& parameters) {
    const Encoding right = encoding_named(family).make(parameters);
    return answered_by(right, [=](const Call& call) {
      Tensor out = answer(right, call);
      for (std::size_t r = 0; r < out.rows(); ++r) {
        change(static_cast<double>(call.positions.whole[r * call.positions.axes]), out.row(r));
        for (double& x : out.row(r)) x = static_cast<float>(x);
      }
      return out;
    });
  });
}

// Sines and cosines lie in halves or as neighbours: each declared, and found the other way.
TEST(TableDeviations, are_the_other_of_both_layouts) {
  const auto said_of = [](const std::string& declared, const std::string& subject) {
    const EncodingSpec& spec = encoding_named("sinusoidal");
    const auto words = [&](const std::string& layout) {
      return with(spec, Case::parse("dim=8 layout=" + layout));
    };
    Sentences out;
    for (const Deviation& one : table_deviations(
             spec.make<Table>(words(subject)), spec.oracle<Table>(words(declared)), words(declared), all_f32))
      out.insert(out.end(), one.sentences.begin(), one.sentences.end());
    return out;
  };
  const auto has = [](const Sentences& all, const std::string& one) {
    return std::ranges::find(all, one) != all.end();
  };
  const std::string halves = "sines stand in the first half and cosines in the second, not interleaved",
                    neighbours = "sines and cosines are interleaved, not in halves";
  EXPECT_TRUE(has(said_of("interleaved", "sin_cos"), halves));
  EXPECT_TRUE(has(said_of("sin_cos", "interleaved"), neighbours));
  EXPECT_FALSE(has(said_of("sin_cos", "interleaved"), halves));
}

// Sines, or cosines, that are another position's; of those two steps on, or of both, that is not said.
// Of 1024 columns at most: each is compared with every other.
TEST(TableDeviations, are_those_of_few_columns) {
  const auto count = [](std::size_t dim) {
    const EncodingSpec& spec = encoding_named("sinusoidal");
    const Parameters parameters = with(spec, Case::parse(fmt::format("dim={}", dim)));
    const auto truth = as<Table>(spec.make(parameters));
    Table other = truth;
    other.rows = [right = truth.rows](const Positions& positions, Position length) {
      Tensor out = right(positions, length);
      for (std::size_t r = 0; r < out.rows(); ++r)
        for (std::size_t c = 0; c + 1 < out.width(); c += 2) std::swap(out.at(r, c), out.at(r, c + 1));
      return out;
    };
    return table_deviations(other, truth, parameters, all_f32).size();
  };
  EXPECT_GT(count(64), 0u);
  EXPECT_EQ(count(1026), 0u);
}

TEST(TableDeviations, are_sines_or_cosines_of_a_neighbour) {
  const auto moved = [](int sines, int cosines) {
    return said("sinusoidal", "dim=8", [=](const Parameters& parameters) -> Encoding {
      Table out = as<Table>(encoding_named("sinusoidal").make(parameters));
      out.rows = [=, own = out.rows](const Positions& positions, Position length) {
        std::vector<Position> there[2];
        for (std::size_t r = 0; r < positions.size(); ++r)
          there[0].push_back(positions[r] + sines), there[1].push_back(positions[r] + cosines);
        const Tensor from[2] = {own(there[0], length), own(there[1], length)};
        Tensor to = from[0];
        for (std::size_t r = 0; r < to.rows(); ++r)
          for (std::size_t c = 0; c < to.width(); ++c) to.at(r, c) = static_cast<float>(from[c % 2].at(r, c));
        return to;
      };
      return out;
    });
  };
  EXPECT_EQ(moved(0, 1), Sentences{"cosines are those of the position after"});
  EXPECT_EQ(moved(0, -1), Sentences{"cosines are those of the position before"});
  EXPECT_EQ(moved(1, 0), Sentences{"sines are those of the position after"});
  EXPECT_EQ(moved(-1, 0), Sentences{"sines are those of the position before"});
  EXPECT_EQ(moved(0, 2), Sentences{"columns 1, 3, 5 and 7 of 8: positions are two ahead"});
  EXPECT_EQ(moved(0, 7), Sentences{});
  EXPECT_EQ(moved(-1, 1), Sentences{});
}

// On one axis and on a grid.
// What is behind a sequence is defined in a longer one: the row after the last of n is asked of n + 1.
TEST(TableDeviations, of_a_neighbour_past_the_end_are_those_of_a_longer_sequence) {
  Table truth{.dim = 2, .positions = Domain(0, 1000), .pairs = {{0, 1, 0.5}}};
  truth.rows = [](const Positions& positions, Position length) {
    Tensor rows({positions.size(), 2});
    for (std::size_t r = 0; r < rows.rows(); ++r) {
      if (positions[r] >= length) throw Refusal("past the end");
      const double angle = static_cast<double>(positions[r]) / 2;
      rows.at(r, 0) = std::sin(angle), rows.at(r, 1) = std::cos(angle);
    }
    return rows;
  };
  const auto all = table_deviations(truth, truth, Case::parse("base=10000"), all_f64);
  const auto one =
      std::ranges::find(all, Sentences{"sines are those of the position after"}, &Deviation::sentences);
  ASSERT_NE(one, all.end());
  const std::vector<Position> last = {7};
  EXPECT_EQ(as<Table>(one->corrected).rows(last, 8).data, (std::vector{std::sin(4.0), std::cos(3.5)}));
}

TEST(TableDeviations, are_one_row_in_the_place_of_all_or_beside_all) {
  for (const auto& [family, words] :
       {std::pair<std::string, std::string>{"sinusoidal", "dim=8"}, {"sincos_2d", "dim=8"}}) {
    const auto of = [id = family, given = words](const Function<double(double x, std::size_t c)>& entry) {
      return with_rows(id, given, [&](double, std::span<double> row) {
        for (std::size_t c = 0; c < row.size(); ++c) row[c] = entry(row[c], c);
      });
    };
    const auto share = [](std::size_t c) { return static_cast<double>(c + 1) / 100; };
    EXPECT_EQ(of([](double, std::size_t) { return 0.1; }),
              Sentences{"every entry is 0.1, whatever the position"});
    EXPECT_EQ(of([=](double, std::size_t c) { return share(c); }),
              Sentences{"every row is the same, whatever the position"});
    EXPECT_EQ(of([](double x, std::size_t) { return x + 0.25; }), Sentences{"every entry is 0.25 too large"});
    EXPECT_EQ(of([](double x, std::size_t) { return x - 0.25; }), Sentences{"every entry is 0.25 too small"});
    EXPECT_EQ(of([=](double x, std::size_t c) { return x + share(c); }),
              Sentences{"a row is added to every row, the same at all positions"});
    // In one column only, and a little otherwise at some positions.
    EXPECT_EQ(of([=](double x, std::size_t c) { return c == 7 ? x + 0.25 : x; }),
              Sentences{"a row is added to every row, the same at all positions"});
    EXPECT_EQ(with_rows(family, words,
                        [&](double t, std::span<double> row) {
                          for (std::size_t c = 0; c < row.size(); ++c)
                            row[c] = share(c) * (t < 3 ? 1 : 1 + 1e-6);
                        }),
              Sentences{});
    EXPECT_EQ(with_rows(family, words,
                        [&](double t, std::span<double> row) {
                          for (std::size_t c = 0; c < row.size(); ++c)
                            row[c] += share(c) + (t < 3 ? 0 : 4e-6);
                        }),
              Sentences{});
  }
}

// Cosines at 5/4 of their frequency, of which one at a position that is no power of 2 is off by so many times
// what rounding may put it off: four times that of an entry, and what the frequency may be off by, twice,
// which the best of the doubling positions decides whose angle tells a cosine from its neighbours.
TEST(TableDeviations, are_frequencies_of_cosines_at_every_position) {
  const EncodingSpec& spec = encoding_named("sinusoidal");
  const Parameters parameters = with(spec, Case::parse("dim=4 base=4"));
  Table truth = spec.oracle<Table>(parameters);
  truth.positions.hi = 15, truth.positions.ends = true;
  const Pair fastest{0, 1, 1.25, 1, {1, 1}};
  const auto noise = [&](double t) {
    return 2 * (angle_rounding(all_f32, t, fastest) + sine_error(all_f32, 0, fastest));
  };
  double off = 1;
  for (const double t : {1.0, 2.0, 4.0, 8.0})
    if (const double slope = std::abs(std::sin(1.25 * t)); slope > 0.3)
      off = std::min(off, 2 * noise(t) / slope / t);
  const auto first_of = [&](Position at, double by) {
    Table subject = truth;
    subject.rows = [&](const Positions& positions, Position length) {
      Tensor out = truth.rows(positions, length);
      for (std::size_t r = 0; r < out.rows(); ++r) {
        const auto t = static_cast<double>(positions[r]);
        for (const Pair& pair : truth.pairs) out.at(r, pair.second) = std::cos(1.25 * pair.frequency * t);
        if (positions[r] == at) out.at(r, 1) += by;
      }
      return out;
    };
    const auto all = table_deviations(subject, truth, parameters, all_f32);
    return all.empty() ? Sentences{} : all.front().sentences;
  };
  const Sentences found{"cosines: every pair rotates at 1.25 times the declared frequency"};
  for (const Position at : {3, 13}) {
    const auto t = static_cast<double>(at);
    const double most = 4 * noise(t) + 2 * off * t;
    EXPECT_EQ(first_of(at, 0.99 * most), found) << at;
    EXPECT_NE(first_of(at, 1.01 * most), found) << at;
    EXPECT_EQ(first_of(at, -0.99 * most), found) << at;
    EXPECT_NE(first_of(at, -1.01 * most), found) << at;
  }
}

// To 2^20, where a frequency that is not settled to be 5/4 of the declared one is off by more than is
// allowed.
TEST(TableDeviations, are_one_ratio_of_all_frequencies_of_sines_or_cosines) {
  const auto faster = [](bool sines) {
    const std::string words = "dim=8 base=100";
    const auto pairs = as<Table>(encoding_named("sinusoidal").make(Case::parse(words))).pairs;
    return with_rows("sinusoidal", words, [=](double t, std::span<double> row) {
      for (const Pair& pair : pairs)
        if (const double angle = 1.25 * t * pair.frequency; sines)
          row[pair.first] = std::sin(angle);
        else
          row[pair.second] = std::cos(angle);
    });
  };
  EXPECT_EQ(faster(true), Sentences{"sines: every pair rotates at 1.25 times the declared frequency"});
  EXPECT_EQ(faster(false), Sentences{"cosines: every pair rotates at 1.25 times the declared frequency"});
}

// Column c at base^(-counted c / dim), the cosines at another share of a pair further on.
TEST(TableDeviations, are_frequencies_of_columns_numbered_as_pairs) {
  const auto numbered = [](const std::string& layout, double counted, double off = 0) {
    const std::string words = "dim=8 base=100 " + layout;
    const auto pairs =
        as<Table>(encoding_named("sinusoidal").make(with(encoding_named("sinusoidal"), Case::parse(words))))
            .pairs;
    return with_rows("sinusoidal", words, [=](double t, std::span<double> row) {
      for (const Pair& pair : pairs) {
        const auto c = 2 * static_cast<double>(pair.index);
        row[pair.first] = std::sin(t * std::pow(100, -counted * c / 8));
        row[pair.second] = std::cos(t * std::pow(100, -counted * (c + 1 + off) / 8));
      }
    });
  };
  const std::string_view own = "sine and cosine of pair i have frequencies of their own, ";
  for (const std::string layout : {"layout=interleaved", "layout=sin_cos"}) {
    EXPECT_EQ(
        numbered(layout, 2),
        Sentences{fmt::format("{}base^(-2c/8) with c = 2i and 2i + 1: the number of the column stands for "
                              "that of the pair",
                              own)});
    EXPECT_EQ(numbered(layout, 1),
              Sentences{"cosines: frequencies are base^(-(2i + 1)/8), not base^(-2i/8)"});
    for (const Sentences& near : {numbered(layout, 2, 1e-3), numbered(layout, 2.001)})
      for (const std::string& one : near) EXPECT_FALSE(one.starts_with(own)) << one;
  }
}

// The slowest column of a table of 512 rows does not come a hundredth of the way from where it begins.
TEST(TableDeviations, are_frequencies_of_columns_that_hardly_move) {
  const EncodingSpec& spec = encoding_named("sinusoidal");
  const Parameters parameters = with(spec, Case::parse("dim=64"));
  Table truth = spec.oracle<Table>(parameters);
  truth.positions.hi = 511, truth.positions.ends = true;
  const auto of_cosines = [&](double steps, double noise) {
    Table subject = truth;
    subject.rows = [&](const Positions& positions, Position length) {
      Tensor out = truth.rows(positions, length);
      for (std::size_t r = 0; r < out.rows(); ++r)
        for (const Pair& pair : truth.pairs) {
          const double angle =
              static_cast<double>(positions[r]) * pair.frequency * std::pow(1e4, -2 * steps / 64);
          out.at(r, pair.second) = static_cast<float>(std::cos(angle) + noise * std::sin(1e3 * angle));
        }
      return out;
    };
    const auto all = table_deviations(subject, truth, parameters, all_f32);
    return all.empty() ? Sentences{} : all.front().sentences;
  };
  EXPECT_EQ(of_cosines(0.5, 0), Sentences{"cosines: frequencies are base^(-(2i + 1)/64), not base^(-2i/64)"});
  EXPECT_EQ(of_cosines(0.25, 0),
            Sentences{"cosines: every pair rotates at 0.930572 times the declared frequency"});
  EXPECT_EQ(of_cosines(0.5, 1e-3), Sentences{});
}

// The first positions alone look like sines of a small frequency and cosines near a quarter of a turn.
TEST(TableDeviations, of_a_line_are_no_frequencies) {
  EXPECT_EQ(with_rows("sinusoidal", "dim=8",
                      [](double t, std::span<double> row) {
                        for (double& x : row) x = t / 1e6;
                      }),
            Sentences{});
}

TEST(TableDeviations, of_columns_on_a_grid_and_of_real_positions) {
  for (const auto& [family, words] :
       {std::pair<std::string, std::string>{"sincos_2d", "dim=8"}, {"nerf", "axes=2 frequencies=2"}}) {
    SCOPED_TRACE(family);
    EXPECT_EQ(with_columns(family, words, [](std::size_t c, std::size_t n) { return Column{n - 1 - c}; }),
              Sentences{"the same after one permutation of columns: in reverse order"});
    EXPECT_EQ(with_columns(family, words, [](std::size_t c, std::size_t n) { return Column{(c + 3) % n}; }),
              Sentences{"every column is the one 3 later, the last the first"});
    EXPECT_EQ(
        with_columns(family, words, [](std::size_t c, std::size_t n) { return Column{(c + n - 2) % n}; }),
        Sentences{"every column is the one 2 before, the first the last"});
    EXPECT_EQ(with_columns(family, words,
                           [](std::size_t c, std::size_t) {
                             return Column{c, c == 3 ? -1. : 1.};
                           }),
              Sentences{"column 3 has the wrong sign"});
    EXPECT_EQ(with_columns(family, words,
                           [](std::size_t c, std::size_t) {
                             return Column{c, c == 7 ? 0. : 1.};
                           }),
              Sentences{"column 7 is 0"});
    EXPECT_EQ(with_columns(family, words,
                           [](std::size_t c, std::size_t) {
                             return Column{c, 1.5};
                           }),
              Sentences{"every entry is 1.5 times the declared one"});
    // All eight are elsewhere, in an order that has no name.
    constexpr std::size_t order[] = {4, 0, 5, 1, 7, 2, 3, 6};
    EXPECT_EQ(with_columns(family, words, [&](std::size_t c, std::size_t) { return Column{order[c]}; }),
              Sentences{"the same after one permutation of columns: 0 holds 4, 1 holds 0, 2 holds 5, .."});
    // One is held twice.
    EXPECT_EQ(with_columns(family, words,
                           [&](std::size_t c, std::size_t) { return Column{c == 0 ? 6 : order[c]}; }),
              Sentences{});
  }
}

TEST(TableDeviations, of_positions_that_are_no_whole_numbers) {
  const auto at = [](const Function<double(double)>& other) {
    return said("timestep_embedding", "dim=8", [other](const Parameters& parameters) {
      const Encoding right = encoding_named("timestep_embedding").make(parameters);
      return answered_by(right, [=](Call call) {
        for (double& t : call.positions.real) t = other(static_cast<float>(t));
        Tensor out = answer(right, call);
        for (double& entry : out.data) entry = static_cast<float>(entry);
        return out;
      });
    });
  };
  EXPECT_EQ(at([](double t) { return t; }), Sentences{});
  EXPECT_EQ(at([](double t) { return std::floor(t); }),
            Sentences{"positions are rounded down to whole numbers"});
  EXPECT_EQ(at([](double t) { return std::nearbyint(t); }),
            Sentences{"positions are rounded to whole numbers"});
  EXPECT_EQ(at([](double t) { return std::floor(256 * t) / 256; }),
            Sentences{"positions are rounded down to multiples of 1/256"});
  EXPECT_EQ(at([](double t) { return std::nearbyint(1000 * t) / 1000; }),
            Sentences{"positions are rounded to the nearest multiple of 1/1000"});
  EXPECT_EQ(at([](double t) { return std::floor(200 * t) / 200; }), Sentences{});
  EXPECT_EQ(at([](double t) { return std::floor((t > 4 ? 256 : 128) * t) / (t > 4 ? 256 : 128); }),
            Sentences{});
  EXPECT_EQ(at([](double t) { return to_bf16(t); }), Sentences{"positions are rounded to bf16"});
  EXPECT_EQ(at([](double t) { return t + 1; }), Sentences{"positions are one ahead"});
  EXPECT_EQ(at([](double t) { return t - 1; }), Sentences{"positions are one behind"});
  EXPECT_EQ(at([](double t) { return 2 * t; }), Sentences{"positions are doubled"});
  EXPECT_EQ(at([](double t) { return t / 2; }), Sentences{"positions are halved"});
  EXPECT_EQ(at([](double t) { return t / 1000; }), Sentences{"positions are a thousandth"});
  EXPECT_EQ(at([](double t) { return 1.25 * t; }), Sentences{"positions are multiplied by 1.25"});
  EXPECT_EQ(at([](double t) { return t + 0.25 * std::sin(t); }), Sentences{});
  const auto of_row = [](const Function<std::size_t(std::size_t n, std::size_t all)>& other) {
    return said("timestep_embedding", "dim=8", [other](const Parameters& parameters) {
      const Encoding right = encoding_named("timestep_embedding").make(parameters);
      return answered_by(right, [=](Call call) {
        const std::vector<double> given = call.positions.real;
        for (std::size_t n = 0; n < given.size(); ++n)
          call.positions.real[n] = static_cast<float>(given[other(n, given.size())]);
        return answer(right, call);
      });
    });
  };
  using N = std::size_t;
  EXPECT_EQ(of_row([](N, N) { return N{0}; }), Sentences{"every row has the position of the first"});
  EXPECT_EQ(of_row([](N, N all) { return all - 1; }), Sentences{"every row has the position of the last"});
  EXPECT_EQ(of_row([](N n, N all) { return n / 2 * 2 + 1 < all ? n ^ 1 : n; }), Sentences{});
}

}  // namespace
}  // namespace posproof::table_deviations_test
