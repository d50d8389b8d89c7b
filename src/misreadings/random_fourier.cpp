#include <cmath>
#include <numbers>

#include "catalogue/encodings/random_fourier.h"
#include "catalogue/misreadings/random_fourier.h"
#include "encodings/projected.h"
#include "misreadings/right.h"

namespace posproof::misreadings_random_fourier {
namespace {

using misread::Real;

struct Form {
  double sigmas = 1;  // the power of sigma that multiplies the frequencies
  Real phases = 1;    // what multiplies the phases
  bool sines = false;
  bool rooted = true;  // the amplitude is sqrt(2 / dim)
};

Encoding reads(const Parameters& given, const Form& form) {
  const Arguments p = misread::arguments(encodings::random_fourier, given);
  const bool paired = p.is("form", "paired"), listed = p.is("frequencies", "listed"),
             scaled = !p.is("norm", "none");
  if (listed && form.sigmas != 1) throw Refusal("sigma is no part of listed frequencies");
  if (paired && (form.phases != 1 || form.sines)) throw Refusal("the paired form has no phases");
  if (!p.is("norm", "one") && !form.rooted) throw Refusal("said of sqrt(2/dim)");
  Table table = misread::right<Table>(encodings::random_fourier, given);
  const std::size_t dim = table.dim, count = paired ? dim / 2 : dim;
  const auto seed = static_cast<std::uint64_t>(p.whole("frequency_seed"));
  const auto w = listed ? projected::repeated(p.list("frequency_list"), count)
                        : projected::normal_numbers(seed, count, std::pow(p.real("sigma"), form.sigmas));
  std::vector<Real> phases(count);
  for (std::size_t n = 0; !paired && n < count; ++n)
    phases[n] = form.phases * (listed ? projected::repeated(p.list("phase_list"), count)[n]
                                      : 2 * std::numbers::pi_v<Real> * seeded_share(seed, 2 * count + n));
  const Real root = p.is("norm", "one") ? 2 : 1, share = root / static_cast<Real>(dim);
  const Real amplitude = !scaled ? 1 : form.rooted ? std::sqrt(share) : share;
  table.amplitude = static_cast<double>(amplitude);
  for (Pair& pair : table.pairs) pair.frequency = w[pair.index];
  return misread::with_rows(table, [=, pairs = table.pairs](std::span<const Real> x, std::span<double> row) {
    for (const Pair& pair : pairs) {
      row[pair.first] = static_cast<double>(amplitude * std::sin(w[pair.index] * x[0]));
      row[pair.second] = static_cast<double>(amplitude * std::cos(w[pair.index] * x[0]));
    }
    for (std::size_t n = 0; !paired && n < count; ++n) {
      const Real angle = w[n] * x[0] + phases[n];
      row[n] = static_cast<double>(amplitude * (form.sines ? std::sin(angle) : std::cos(angle)));
    }
  });
}

misread::Make with(const Form& of) {
  return [of](const Parameters& given) { return reads(given, of); };
}

}  // namespace

const MisreadingFamily entry{{
    {"the frequencies have sigma^2 as their standard deviation, not sigma", with({.sigmas = 2}), "sigma=2"},
    {"the frequencies are divided by sigma, not multiplied", with({.sigmas = -1}), "sigma=2"},
    {"the phases are uniform in [0, pi), not in [0, 2 pi)", with({.phases = 0.5L}), "form=phase"},
    {"the phases are uniform in [0, 1), not in [0, 2 pi)", with({.phases = 0.5L / std::numbers::pi_v<Real>}),
     "form=phase"},
    {"the phases are left out", with({.phases = 0}), "form=phase"},
    {"the phases are taken from the angles, not added", with({.phases = -1}), "form=phase"},
    {"sines are taken, not cosines", with({.sines = true}), "form=phase"},
    {"the amplitude is 2/dim, not its root", with({.rooted = false}), "norm=one"},
}};

}  // namespace posproof::misreadings_random_fourier
