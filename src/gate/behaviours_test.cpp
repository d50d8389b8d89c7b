#include "gate/behaviours.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/call.h"
#include "core/failure.h"
#include "core/formats.h"
#include "core/function.h"
#include "run/catalogued.h"

namespace posproof::behaviours_test {
namespace {

using Said = std::optional<std::string>;

Encoding encoding(const std::string& id, const std::string& words) {
  const EncodingSpec& spec = encoding_named(id);
  return spec.make(with(spec, Case::parse(words)));
}

// A table of eight rows, with that one where a position is past its end, or zeros where that is none.
Said past_the_end(const Function<Position(Position)>& row, Position refused = 1000) {
  const Encoding truth = encoding("learned", "dim=3 length=8");
  Table table = as<Table>(truth);
  table.rows = [=, own = table.rows](const Positions& positions, Position length) {
    Tensor out({positions.size(), 3});
    for (std::size_t r = 0; r < positions.size(); ++r) {
      if (positions[r] >= refused) throw Refusal("past the end");
      const Position at[] = {positions[r] < 8 ? positions[r] : row(positions[r])};
      if (at[0] < 0) continue;
      const Tensor one = own(at, length);
      std::ranges::copy(one.data, out.row(r).begin());
    }
    return out;
  };
  return answered_past_the_end(truth, {"made", "", table, all_f32});
}

TEST(Behaviours, past_the_end_are_those_of_the_rows_that_come) {
  EXPECT_EQ(past_the_end([](Position) { return Position{7}; }),
            "positions past 7 are not refused: they count as 7");
  EXPECT_EQ(past_the_end([](Position t) { return t % 8; }),
            "positions past 7 are not refused: 8 counts as 0, and so on, modulo 8");
  EXPECT_EQ(past_the_end([](Position) { return Position{-1}; }),
            "positions past 7 are not refused: their rows are 0");
}

TEST(Behaviours, past_the_end_have_no_name_where_rows_are_others) {
  EXPECT_EQ(past_the_end([](Position) { return Position{6}; }), std::nullopt);
  EXPECT_EQ(past_the_end([](Position t) { return t < 13 ? Position{7} : Position{6}; }), std::nullopt);
  EXPECT_EQ(past_the_end([](Position t) { return t == 13 ? Position{6} : Position{7}; }), std::nullopt);
  EXPECT_EQ(past_the_end([](Position t) { return t == 17 ? Position{6} : Position{7}; }), std::nullopt);
  EXPECT_EQ(past_the_end([](Position t) { return t % 7; }), std::nullopt);
  EXPECT_EQ(past_the_end([](Position) { return Position{7}; }, 8), std::nullopt) << "it refuses";
  EXPECT_EQ(past_the_end([](Position) { return Position{7}; }, 10), std::nullopt) << "two answers say little";
  EXPECT_EQ(answered_past_the_end(encoding("sinusoidal", "dim=4"),
                                  {"made", "", encoding("sinusoidal", "dim=4"), all_f32}),
            std::nullopt);
}

// Tables whose answers past the end all count as the last row, and that are nevertheless none of these.
TEST(Behaviours, past_the_end_have_no_name_where_nothing_tells_rows_apart) {
  const std::string last = "positions past 7 are not refused: they count as 7";
  const auto said = [](const Function<void(Table & declared, Table & own)>& change) {
    Table declared = as<Table>(encoding("learned", "dim=3 length=8")), own = declared;
    own.rows = [rows = declared.rows](const Positions& positions, Position length) {
      std::vector<Position> held(positions.flat().begin(), positions.flat().end());
      for (Position& t : held) t = std::min<Position>(t, 7);
      return rows(held, length);
    };
    change(declared, own);
    return answered_past_the_end(declared, {"made", "", own, all_f32});
  };
  EXPECT_EQ(said([](Table&, Table&) {}), last);
  EXPECT_EQ(said([](Table&, Table& own) { own.positions.ends = false; }), std::nullopt);
  EXPECT_EQ(said([](Table&, Table& own) { own.positions.real = true; }), std::nullopt);
  EXPECT_EQ(said([](Table&, Table& own) { own.positions.axes = 2; }), std::nullopt);
  EXPECT_EQ(said([](Table& declared, Table& own) {
              own.positions.lo = 3;
              own.rows = [rows = declared.rows](const Positions& positions, Position length) {
                const Position at[] = {positions[0] < 8 ? positions[0] : 3 + (positions[0] - 3) % 5};
                return rows(at, length);
              };
            }),
            "positions past 7 are not refused: 8 counts as 3, and so on, modulo 5");
  EXPECT_EQ(said([](Table&, Table& own) {
              own.rows = [rows = own.rows](const Positions& positions, Position length) {
                if (positions[0] > 7 && positions[0] != 10) throw Refusal("past the end");
                return rows(positions, length);
              };
            }),
            std::nullopt)
      << "the first one past the end is refused";
  // Of two rows, those past the end may be counted in any way.
  EXPECT_EQ(said([](Table&, Table& own) { own.positions.lo = 6; }), std::nullopt);
  EXPECT_EQ(said([](Table&, Table& own) { own.positions.lo = 5; }), last);
  // The last row is one of zeros: whether rows past it are zeros or the last one is not seen.
  EXPECT_EQ(said([](Table&, Table& own) {
              own.rows = [rows = own.rows](const Positions& positions, Position length) {
                Tensor out = rows(positions, length);
                for (std::size_t r = 0; r < out.rows(); ++r)
                  if (positions[r] >= 7) std::ranges::fill(out.row(r), 0.0);
                return out;
              };
            }),
            std::nullopt);
  const auto past = [&](const Function<Tensor(Tensor)>& answer) {
    return said([&](Table&, Table& own) {
      own.rows = [=, rows = own.rows](const Positions& positions, Position length) {
        Tensor out = rows(positions, length);
        return positions[0] > 7 ? answer(std::move(out)) : out;
      };
    });
  };
  EXPECT_EQ(past([](Tensor out) { return out; }), last);
  EXPECT_EQ(past([](Tensor out) { return Tensor({3, 1}, out.data); }), std::nullopt) << "no row";
  const auto fails = [](Failure::How how) {
    return [how](const Tensor&) -> Tensor { throw Failure(how, "it fails", "what"); };
  };
  EXPECT_EQ(past(fails(Failure::How::raised)), std::nullopt);
  EXPECT_THROW(past(fails(Failure::How::died)), Failure);
}

// The n-th call of an object multiplies the declared answers by that, and something is done to them.
Said multiplied(
    const Function<double(int n)>& factor,
    const Function<void(int n, Tensor&)>& besides = [](int, Tensor&) {}, const std::string& id = "alibi",
    const std::string& words = "heads=4", const Function<void(Subject&)>& change = [](Subject&) {}) {
  const Encoding truth = encoding(id, words);
  const auto calls = std::make_shared<int>(0);
  Subject subject{"made", "", truth, all_f32};
  subject.renew = [calls] { *calls = 0; };
  change(subject);
  subject.encoding = answered_by(subject.encoding, [=](const Call& call) {
    Tensor out = answer(truth, call);
    const double by = factor(*calls);
    for (double& entry : out.data) entry *= by;
    besides(*calls, out);
    ++*calls;
    return out;
  });
  *calls = 7;  // it was asked before
  return multiplied_by_calls(truth, subject);
}

double halved(int n) {
  return std::ldexp(1.0, -n);
}

TEST(Behaviours, that_multiply_are_those_of_one_factor) {
  const std::string then = ": those to the first are as declared, to the next multiplied once";
  EXPECT_EQ(multiplied([](int n) { return std::ldexp(1.0, -n - 1); }),
            "each call multiplies the answers by 0.5: those to the first are multiplied once, to the next "
            "twice");
  EXPECT_EQ(multiplied([](int n) { return std::pow(1.5, n); }),
            "each call multiplies the answers by 1.5" + then);
  EXPECT_EQ(multiplied([](int n) { return std::pow(1.234567, n); }),
            "each call multiplies the answers by 1.2346" + then);
  EXPECT_EQ(multiplied([](int n) { return std::pow(1.0001, n); }),
            "each call multiplies the answers by 1.0001" + then);
  // What is multiplied again is rounded again.
  EXPECT_EQ(multiplied([](int n) { return std::pow(0.7, n); },
                       [](int n, Tensor& out) {
                         for (std::size_t e = 0; e < out.data.size(); ++e)
                           out.data[e] *= 1 + (e % 2 == 0 ? 1 : -1) * n * unit_f32;
                       }),
            "each call multiplies the answers by 0.7" + then);
}

// What is declared exactly is rounded all the same; and a factor that is off by what the largest entry may be
// is off by more with every call.
TEST(Behaviours, that_multiply_are_rounded_and_measured) {
  const std::string then = ": those to the first are as declared, to the next multiplied once";
  const auto by_seven_tenths = [](int n) { return std::pow(0.7, n); };
  EXPECT_EQ(multiplied(
                by_seven_tenths,
                [](int, Tensor& out) {
                  for (double& entry : out.data) entry = to_f32(entry);
                },
                "learned", "dim=3 length=8 table=index"),
            "each call multiplies the answers by 0.7" + then);
  const auto largest_off = [](double by) {
    return multiplied(&halved, [by](int n, Tensor& out) {
      if (n == 1) *std::ranges::min_element(out.data) *= 1 + by;
    });
  };
  EXPECT_EQ(largest_off(4e-7), "each call multiplies the answers by 0.5" + then);
  EXPECT_EQ(largest_off(4e-5), std::nullopt);
}

TEST(Behaviours, that_multiply_otherwise_have_no_name) {
  EXPECT_EQ(multiplied([](int) { return 1.0; }), std::nullopt);
  EXPECT_EQ(multiplied([](int) { return 0.5; }), std::nullopt) << "of every call the same";
  EXPECT_EQ(multiplied([](int n) { return 1.0 / (n + 1); }), std::nullopt);
  EXPECT_EQ(multiplied([](int n) { return 3 * halved(n); }), std::nullopt) << "the first is another";
  EXPECT_EQ(multiplied([](int n) { return (1 + 2e-5) * halved(n); }), std::nullopt) << "by little";
  EXPECT_EQ(multiplied([](int n) { return std::pow(1.00003, n); }), std::nullopt) << "it reads as 1";
  EXPECT_EQ(multiplied([](int n) { return n < 4 ? halved(n) : 1.0; }), std::nullopt)
      << "it ends with the fifth";
  EXPECT_EQ(multiplied(&halved, [](int n, Tensor& out) { out.data.back() += n < 3 ? 0 : 1e-3; }),
            std::nullopt);
  const auto off_in_one_entry = [](double by) {
    return multiplied(&halved, [by](int n, Tensor& out) {
      double& entry = *std::ranges::min_element(out.data);  // the largest, which the factor is measured by
      entry *= n < 4 ? 1 : 1 + by;
    });
  };
  EXPECT_EQ(off_in_one_entry(1e-7),
            "each call multiplies the answers by 0.5: those to the first are as declared, "
            "to the next multiplied once");
  EXPECT_EQ(off_in_one_entry(1.5e-5), std::nullopt);
}

TEST(Behaviours, that_multiply_are_looked_for_where_five_positions_can_be_asked_anew) {
  const auto of = [](
                      const std::string& id, const std::string& words,
                      const Function<void(Subject&)>& change = [](Subject&) {},
                      const Function<void(int n, Tensor&)>& besides = [](int, Tensor&) {}) {
    return multiplied(&halved, besides, id, words, change).has_value();
  };
  EXPECT_TRUE(of("alibi", "heads=4"));
  EXPECT_FALSE(of("alibi", "heads=4", [](Subject& subject) { subject.renew = nullptr; }));
  const auto up_to = [](Position last) {
    return [last](Subject& subject) { subject.encoding = with_positions(subject.encoding, Domain(0, last)); };
  };
  EXPECT_TRUE(of("alibi", "heads=4", up_to(4)));
  EXPECT_FALSE(of("alibi", "heads=4", up_to(3)));
  EXPECT_TRUE(of("sinusoidal", "dim=4"));
  EXPECT_FALSE(of("sincos_2d", "dim=8")) << "a position is two numbers";
  EXPECT_FALSE(of("timestep_embedding", "dim=4")) << "real positions";
  EXPECT_FALSE(of("cope", "dim=4")) << "no positions";
  const auto five_heads = [](Subject& subject) { as<Bias>(subject.encoding).heads = 5; };
  EXPECT_FALSE(of("alibi", "heads=4", five_heads, [](int, Tensor& out) {
    out.shape[0] = 5;
    out.data.resize(count(out.shape), 1.0);
  })) << "a head more than declared";
}

}  // namespace
}  // namespace posproof::behaviours_test
