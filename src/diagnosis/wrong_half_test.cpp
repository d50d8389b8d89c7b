// Which half of a whole operator is wrong: the weights of its keys, or what stands for the values.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/function.h"
#include "diagnosis/operator_deviations.h"
#include "run/catalogued.h"

namespace posproof::wrong_half_test {
namespace {

Attention declared() {
  const EncodingSpec& spec = encoding_named("shaw_values");
  return as<Attention>(spec.make(with(spec, Case::parse("dim=4"))));
}

Tensor numbers(std::size_t rows, std::size_t width, double from) {
  Tensor out({rows, width});
  for (std::size_t n = 0; n < out.data.size(); ++n)
    out.data[n] = std::sin(from + 1.7 * static_cast<double>(n));
  return out;
}

// So many calls of five tokens that see each other.
std::vector<Answered> answered(const Attention& by, std::size_t calls) {
  std::vector<Answered> out;
  for (std::size_t n = 0; n < calls; ++n) {
    const double from = 10.0 * static_cast<double>(n);
    Call call;
    call.mask = Mask({5, 5}, std::vector<double>(25, 1.0));
    call.contents = {numbers(5, by.dim, from), numbers(5, by.dim, from + 1),
                     numbers(5, by.value_dim, from + 2)};
    const Tensor given = by.attend(call.contents[0], call.contents[1], call.contents[2], call.mask);
    out.push_back({{}, call, given});
  }
  return out;
}

// Queries that are twice as long weigh keys otherwise, wherever they see more than one. Three calls say so.
TEST(WrongHalf, is_that_of_weights_where_several_calls_say_so) {
  const Attention truth = declared();
  Attention own = truth;
  own.attend = [attend = truth.attend](Tensor q, const Tensor& k, const Tensor& v, const Mask& mask) {
    for (double& x : q.data) x *= 2;
    return attend(q, k, v, mask);
  };
  const auto of = [&](std::size_t calls) {
    return wrong_half(own, truth, all_f32, answered(own, calls)).value_or("none");
  };
  EXPECT_EQ(of(2), "none");
  EXPECT_EQ(of(3), "the weights of the keys are wrong; what is added to the values is as declared");
}

// A query that sees one key adds 1 to its value, at these offsets of the key.
TEST(WrongHalf, is_that_of_values_at_a_run_of_offsets_or_at_some) {
  const Attention truth = declared();
  const auto of = [&](const Function<bool(int offset)>& wrong) {
    Attention own = truth;
    own.attend = [attend = truth.attend, wrong](const Tensor& q, const Tensor& k, const Tensor& v,
                                                const Mask& mask) {
      Tensor out = attend(q, k, v, mask);
      for (std::size_t i = 0; i < mask.rows(); ++i) {
        std::vector<int> seen;
        for (std::size_t j = 0; j < mask.width(); ++j)
          if (mask.at(i, j) != 0) seen.push_back(static_cast<int>(j) - static_cast<int>(i));
        if (seen.size() == 1 && wrong(seen.front()))
          for (double& x : out.row(i)) x += 1;
      }
      return out;
    };
    return wrong_half(own, truth, all_f32, answered(own, 3)).value_or("none");
  };
  const auto values = [](const std::string& where) {
    return "the values, or what is added to them, are wrong" + where +
           "; the weights of the keys are as declared";
  };
  EXPECT_EQ(of([](int offset) { return std::abs(offset) <= 1; }), values(" at offsets -1 to 1 of the key"));
  EXPECT_EQ(of([](int offset) { return std::abs(offset) == 1; }), values(" at some offsets"));
  EXPECT_EQ(of([](int offset) { return offset == -3; }), values(" at offset -3 of the key"));
  EXPECT_EQ(of([](int) { return true; }), values(""));
}

}  // namespace
}  // namespace posproof::wrong_half_test
