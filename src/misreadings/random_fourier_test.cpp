#include "catalogue/misreadings/random_fourier.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "misreadings/testing/formulas.h"
#include "run/catalogued.h"

namespace posproof::misreadings_random_fourier_test {
namespace {

using testing::Real, testing::RowFormula;

struct Form {
  Real sigmas = 1;
  Real phases = 2 * std::numbers::pi_v<Real>;  // times a number in [0, 1)
  Real (*function)(Real angle) = [](Real x) { return std::cos(x); };
  Real (*amplitude)(Real dim) = [](Real dim) { return std::sqrt(2 / dim); };
};

RowFormula features(const Form& as) {
  return [=](const Arguments& p, const std::vector<double>& at) {
    const std::size_t dim = p.width("dim");
    const bool paired = p.is("form", "paired");
    const std::size_t count = paired ? dim / 2 : dim;
    const auto seed = std::uint64_t(p.whole("frequency_seed"));
    const Real amplitude = p.is("norm", "one") ? as.amplitude(Real(dim)) : 1;
    std::vector<Real> row(dim);
    for (std::size_t n = 0; n < count; ++n) {
      const Real w = seeded_normal(seed, n, double(std::pow(Real(p.real("sigma")), as.sigmas)));
      if (!paired) {
        row[n] = amplitude * as.function(w * at[0] + as.phases * seeded_share(seed, 2 * count + n));
        continue;
      }
      const std::string& layout = p.word("layout");
      const bool between = layout == "interleaved", behind = layout == "cos_sin";
      row[between ? 2 * n + 1 : behind ? count + n : n] = amplitude * std::sin(w * at[0]);
      row[between ? 2 * n : behind ? n : count + n] = amplitude * std::cos(w * at[0]);
    }
    return row;
  };
}

TEST(MisreadRandomFourier, is_what_the_sentence_says) {
  testing::expect_rows(
      "random_fourier", misreadings::random_fourier,
      {{"the frequencies have sigma^2 as their standard deviation, not sigma", features({.sigmas = 2})},
       {"the frequencies are divided by sigma, not multiplied", features({.sigmas = -1})},
       {"the phases are uniform in [0, pi), not in [0, 2 pi)",
        features({.phases = std::numbers::pi_v<Real>})},
       {"the phases are uniform in [0, 1), not in [0, 2 pi)", features({.phases = 1})},
       {"the phases are left out", features({.phases = 0})},
       {"the phases are taken from the angles, not added",
        features({.phases = -2 * std::numbers::pi_v<Real>})},
       {"sines are taken, not cosines", features({.function = [](Real x) { return std::sin(x); }})},
       {"the amplitude is 2/dim, not its root", features({.amplitude = [](Real dim) { return 2 / dim; }})}},
      {"dim=8", "dim=8 frequency_seed=2"});
}

TEST(MisreadRandomFourier, has_the_amplitude_that_it_says) {
  for (const Misreading& one : misreadings::random_fourier.misreadings) {
    const Encoding made = one.make(with(encoding_named("random_fourier"), Case::parse("dim=8 form=phase")));
    EXPECT_EQ(as<Table>(made).amplitude, one.what.starts_with("the amplitude") ? 0.25 : 0.5) << one.what;
  }
}

TEST(MisreadRandomFourier, is_none_where_it_is_the_same) {
  const std::vector<std::pair<std::string, std::string>> none = {
      {"the frequencies", "frequencies=listed"},
      {"the phases", "form=paired"},
      {"sines", "form=paired"},
      {"the amplitude", "norm=none"},
  };
  for (const auto& [what, words] : none) {
    for (const Misreading& one : misreadings::random_fourier.misreadings)
      if (one.what.starts_with(what)) {
        EXPECT_THROW(one.make(with(encoding_named("random_fourier"), Case::parse(words))), Refusal)
            << one.what;
      }
  }
}

}  // namespace
}  // namespace posproof::misreadings_random_fourier_test
