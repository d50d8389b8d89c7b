#include "gate/behaviours.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "run/catalogued.h"

namespace posproof::behaviours_test {
namespace {

using Said = std::optional<std::string>;

Encoding encoding(const std::string& id, const std::string& words) {
  const EncodingSpec& spec = encoding_named(id);
  return spec.make(with(spec, Case::parse(words)));
}

// A table of eight rows, with that one where a position is past its end, or zeros where that is none.
Said past_the_end(const std::function<Position(Position)>& row, Position refused = 1000) {
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
  EXPECT_EQ(past_the_end([](Position t) { return t % 7; }), std::nullopt);
  EXPECT_EQ(past_the_end([](Position) { return Position{7}; }, 8), std::nullopt) << "it refuses";
  EXPECT_EQ(past_the_end([](Position) { return Position{7}; }, 10), std::nullopt) << "two answers say little";
  EXPECT_EQ(answered_past_the_end(encoding("sinusoidal", "dim=4"),
                                  {"made", "", encoding("sinusoidal", "dim=4"), all_f32}),
            std::nullopt);
}

// The n-th call of an object multiplies the declared bias by that.
Said multiplied(const std::function<double(int n)>& factor, bool first_entry_alone = false) {
  const Encoding truth = encoding("alibi", "heads=4");
  const auto calls = std::make_shared<int>(0);
  Bias bias = as<Bias>(truth);
  bias.bias = [=, own = bias.bias](const Positions& queries, const Positions& keys) {
    Tensor out = own(queries, keys);
    const double by = factor((*calls)++);
    for (double& entry : out.data) entry *= by;
    if (first_entry_alone && *calls > 3) out.data.back() += 1e-3;
    return out;
  };
  Subject subject{"made", "", bias, all_f32};
  subject.renew = [calls] { *calls = 0; };
  *calls = 7;  // it was asked before
  return multiplied_by_calls(truth, subject);
}

TEST(Behaviours, that_multiply_are_those_of_one_factor) {
  EXPECT_EQ(multiplied([](int n) { return std::ldexp(1.0, -n - 1); }),
            "each call multiplies the answers by 0.5: those to the first are multiplied once, to the next "
            "twice");
  EXPECT_EQ(multiplied([](int n) { return std::pow(1.5, n); }),
            "each call multiplies the answers by 1.5: those to the first are as declared, to the next "
            "multiplied once");
}

TEST(Behaviours, that_multiply_otherwise_have_no_name) {
  EXPECT_EQ(multiplied([](int) { return 1.0; }), std::nullopt);
  EXPECT_EQ(multiplied([](int) { return 0.5; }), std::nullopt) << "of every call the same";
  EXPECT_EQ(multiplied([](int n) { return 1.0 / (n + 1); }), std::nullopt);
  EXPECT_EQ(multiplied([](int n) { return 3 * std::ldexp(1.0, -n); }), std::nullopt)
      << "the first is another";
  EXPECT_EQ(multiplied([](int n) { return n < 4 ? std::ldexp(1.0, -n) : 1.0; }), std::nullopt)
      << "it ends with the fifth";
  EXPECT_EQ(multiplied([](int n) { return std::ldexp(1.0, -n); }, true), std::nullopt);
}

}  // namespace
}  // namespace posproof::behaviours_test
