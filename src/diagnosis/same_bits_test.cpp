#include "diagnosis/same_bits.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/call.h"
#include "core/formats.h"
#include "diagnosis/testing/misread.h"

namespace posproof::same_bits_test {
namespace {

Encoding with_each(const Encoding& exact, const Function<double(double, std::size_t)>& change) {
  return answered_by(exact, [=](const Call& call) {
    Tensor out = answer(exact, call);
    for (std::size_t n = 0; n < out.data.size(); ++n) out.data[n] = change(out.data[n], n);
    return out;
  });
}

// Answers in f16 of ALiBi whose slopes are the declared ones times that, of a candidate with 1.0003 times
// them.
bool has_them(double times, const Function<double(double, std::size_t)>& then = {},
              const char* precision = "f16") {
  const Parameters parameters = testing::parameters_of("alibi", "heads=24");
  const Encoding truth = encoding_named("alibi").oracle(parameters);
  const auto multiplied = [&](double by) {
    return with_each(truth, [by](double x, std::size_t) { return by * x; });
  };
  const Encoding given = with_each(multiplied(times), [&](double x, std::size_t n) {
    const double rounded = to_f16(x);
    return then ? then(rounded, n) : rounded;
  });
  const Subject subject{"made", "", given, Precision::parse(precision)};
  return has_its_bits(multiplied(1.0003), truth, subject, answers_of(subject, truth, Case(), 1));
}

TEST(SameBits, tell_what_rounding_would_allow_of_either) {
  EXPECT_TRUE(has_them(1.0003));
  EXPECT_FALSE(has_them(1)) << "the declared one";
  EXPECT_FALSE(has_them(1.0002)) << "another one";
  EXPECT_FALSE(has_them(1.0004));
}

TEST(SameBits, are_all_but_one_in_50) {
  const auto off = [](std::size_t every) {
    // What is past f16's largest number is so in both, and stays so.
    return [every](double x, std::size_t n) {
      return n % every == 0 && std::isfinite(x) ? std::nextafter(x, 1) : x;
    };
  };
  // Of all entries: those in which the two conventions have other bits are a part of them.
  EXPECT_TRUE(has_them(1.0003, off(800)));
  EXPECT_FALSE(has_them(1.0003, off(20)));
}

TEST(SameBits, are_said_of_16_bits_alone) {
  EXPECT_FALSE(has_them(1.0003, {}, "f32"));
  EXPECT_FALSE(has_them(1.0003, {}, "bf16")) << "the bits of another format";
}

}  // namespace
}  // namespace posproof::same_bits_test
