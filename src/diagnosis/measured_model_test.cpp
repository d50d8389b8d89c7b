#include "diagnosis/measured_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "run/catalogued.h"

namespace posproof::measured_model_test {
namespace {

// Pairs that rotate by base^(-2i/divisor), of a rotary that has kept pairs.
std::vector<std::string> said(const std::string& words, double base, double divisor) {
  const EncodingSpec& spec = encoding_named("rope");
  const Parameters parameters = with(spec, Case::parse(words));
  const auto truth = as<Rotary>(spec.oracle(parameters));
  MeasuredRotation measured{{std::vector<MeasuredChannel>(truth.dim)}};
  for (std::size_t c = 0; c < truth.dim; ++c) {
    MeasuredChannel& one = measured.heads[0][c];
    one.from = {c};
    one.own = one.partner = c;
    one.constant = 1;
    one.shares = {{c, 1, 0, 0}};
  }
  for (const Pair& pair : truth.pairs) {
    const double w = std::pow(base, -2 * static_cast<double>(pair.index) / divisor);
    for (const bool second : {false, true}) {
      const std::size_t own = second ? pair.second : pair.first, other = second ? pair.first : pair.second;
      MeasuredChannel& one = measured.heads[0][own];
      one = {};
      one.from = {std::min(own, other), std::max(own, other)};
      one.own = own, one.partner = other;
      one.rotates = Rotating{1, w, 0, 1e-15};
      one.shares = {{own, 1, 0, w}, {other, 0, second ? 1.0 : -1.0, w}};
    }
  }
  const Subject subject{"made", "", truth, all_f64};
  return measured_sentences(measured, measured, truth, parameters, subject)
      .value_or(std::vector<std::string>{"none"});
}

// Of the channels that would rotate without them, and not of all.
TEST(MeasuredModel, divides_by_the_rotary_width_where_pairs_are_kept) {
  EXPECT_EQ(said("dim=32 rotary_dim=16 kept_pairs=2", 10000, 16), std::vector<std::string>{});
  EXPECT_EQ(said("dim=32 rotary_dim=16 kept_pairs=2", 20000, 16),
            std::vector<std::string>{"frequencies are base^(-2i/16) with base 20000, not 10000"});
  EXPECT_EQ(said("dim=16 kept_pairs=2", 20000, 16),
            std::vector<std::string>{"frequencies are base^(-2i/16) with base 20000, not 10000"});
}

}  // namespace
}  // namespace posproof::measured_model_test
