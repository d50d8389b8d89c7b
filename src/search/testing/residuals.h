#pragma once

#include <gtest/gtest.h>

#include <string>

#include "core/property.h"
#include "search/trial.h"

// For tests of checks: what a recorded case comes to.
namespace posproof::residuals {

// Every field of the case is asked for.
inline Residual replayed(const Property& property, const Encoding& encoding, const Case& words,
                         const Precision& p = all_f32) {
  Replay draw(words);
  const Residual residual = (*trial(property, encoding, p))(draw);
  EXPECT_TRUE(draw.unused().empty()) << words.text();
  return residual;
}

inline Residual replayed(const Property& property, const Encoding& encoding, const std::string& words,
                         const Precision& p = all_f32) {
  return replayed(property, encoding, Case::parse(words), p);
}

// Refuted by these numbers, as computed by hand.
inline void expect(const Residual& found, double error, double bound, double ceiling) {
  EXPECT_FALSE(found.holds());
  EXPECT_NEAR(found.error, error, 1e-13);
  EXPECT_NEAR(found.bound, bound, 1e-9 * bound);
  if (ceiling == no_ceiling)
    EXPECT_EQ(found.ceiling, no_ceiling);
  else
    EXPECT_NEAR(found.ceiling, ceiling, 1e-13);
}

}  // namespace posproof::residuals
