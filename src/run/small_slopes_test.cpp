// ALiBi with slopes below the smallest number of a format: zeros and subnormals are what rounding makes of
// them.
#include <gtest/gtest.h>

#include <cmath>

#include "catalogue/encodings/alibi.h"
#include "core/formats.h"
#include "run/catalogued.h"
#include "run/claimed.h"
#include "run/recorded.h"
#include "search/trial.h"

namespace posproof::small_slopes_test {
namespace {

Encoding rounded(const Encoding& exact, double (*round)(double)) {
  Bias bias = as<Bias>(exact);
  bias.bias = [right = bias.bias, round](const Positions& queries, const Positions& keys) {
    Tensor out = right(queries, keys);
    for (double& entry : out.data) entry = round(entry);
    return out;
  };
  return bias;
}

double flushed(double x) {
  return std::abs(x) < 0x1p-126 ? 0 : to_f32(x);
}

double same(double x) {
  return x;
}

TEST(SmallSlopes, refute_nothing_that_is_claimed) {
  struct Way {
    double (*round)(double);
    Precision precision;
  };
  for (const Way& way : {Way{&same, all_f64}, Way{&to_f32, all_f32}, Way{&flushed, all_f32}})
    for (const char* words : {"max_bias=65536", "max_bias=1100", "max_bias=1030 heads=3", "max_bias=150"}) {
      const Parameters parameters = with(encodings::alibi, Case::parse(words));
      const Encoding truth = encodings::alibi.oracle(parameters);
      const Encoding subject = rounded(encodings::alibi.make(parameters), way.round);
      const auto expect = [&](const Verdict& verdict, std::string_view id) {
        EXPECT_FALSE(std::holds_alternative<Refuted>(verdict) || std::holds_alternative<Errored>(verdict))
            << words << " in " << way.precision.text() << ": " << id;
      };
      expect(agreement_searched(truth, subject, way.precision, {.id = "agreement"}), "agreement");
      for (const Claim& claim : claims_of(encodings::alibi)) {
        if (!claim.holds || !claim.when.met(parameters)) continue;
        const std::string id(id_of(*claim.property));
        if (const auto one = trial(*claim.property, subject, way.precision))
          expect(search(*one, {.id = id}), id);
      }
    }
}

}  // namespace
}  // namespace posproof::small_slopes_test
