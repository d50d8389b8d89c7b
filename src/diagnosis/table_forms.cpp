#include "diagnosis/table_forms.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>

#include "core/formats.h"
#include "core/function.h"
#include "diagnosis/clipped_formats.h"
#include "diagnosis/short_pi.h"

namespace posproof {
namespace {

using Rounding = double (*)(double);

double as_it_is(double x) {
  return x;
}

// The angle at a position, its offset added, of a pair.
using Angle = Function<long double(long double position, double frequency)>;

// What stands in the two columns of a pair at a position, its offset added.
using Entries = Function<void(double& first, double& second, long double position, double frequency)>;

Deviation with_entries(const Table& truth, std::string words, const Entries& put) {
  Table out = truth;
  out.exact = nullptr;
  out.rows = [=, own = truth.rows, pairs = truth.pairs, offset = truth.offset](const Positions& positions,
                                                                               Position length) {
    Tensor to = own(positions, length);
    for (std::size_t r = 0; r < to.rows(); ++r)
      for (const Pair& pair : pairs)
        put(to.at(r, pair.first), to.at(r, pair.second),
            static_cast<long double>(positions.at(r, pair.axis)) + offset, pair.frequency);
    return to;
  };
  return {{std::move(words)}, out, true};
}

// Sines and cosines of other angles than the declared ones.
Deviation with_angles(const Table& truth, std::string words, const Angle& angle) {
  return with_entries(truth, std::move(words),
                      [=, size = truth.amplitude](double& first, double& second, long double t, double w) {
                        const long double a = angle(t, w);
                        first = static_cast<double>(size * std::sin(a));
                        second = static_cast<double>(size * std::cos(a));
                      });
}

Angle rounded(Rounding position, Rounding frequency, Rounding angle) {
  return [=](long double t, double w) {
    const long double product = static_cast<long double>(position(static_cast<double>(t))) * frequency(w);
    return angle == &as_it_is ? product : static_cast<long double>(angle(static_cast<double>(product)));
  };
}

// As where pi is written with few digits.
Deviation with_cosines_of(const Table& truth, double quarter) {
  return with_entries(truth, fmt::format("cosines are sin(x + {}), not sin(x + pi/2)", quarter),
                      [=, size = truth.amplitude](double&, double& second, long double t, double w) {
                        second = static_cast<double>(size * std::sin(t * w + quarter));
                      });
}

// As of a sine that is made of the cosine, by a root, or the cosine of the sine.
Deviation without_sign(const Table& truth, std::string words, std::size_t Pair::*column) {
  Table out = truth;
  out.exact = nullptr;
  out.rows = [=, own = truth.rows, pairs = truth.pairs](const Positions& positions, Position length) {
    Tensor to = own(positions, length);
    for (std::size_t r = 0; r < to.rows(); ++r)
      for (const Pair& pair : pairs) to.at(r, pair.*column) = std::abs(to.at(r, pair.*column));
    return to;
  };
  return {{std::move(words)}, out, true};
}

}  // namespace

std::vector<Deviation> table_forms(const Table& truth) {
  if (truth.pairs.empty()) return {};
  const auto in = [&](const char* words, Rounding position, Rounding frequency, Rounding angle) {
    return with_angles(truth, words, rounded(position, frequency, angle));
  };
  std::vector<Deviation> out = {
      without_sign(truth, "cosines have no sign: sqrt(1 - sin^2) stands for each", &Pair::second),
      without_sign(truth, "sines have no sign: sqrt(1 - cos^2) stands for each", &Pair::first),
      in("positions are rounded to f16: from 2049 on neighbours coincide, and past 65504 there are none",
         &to_f16, &as_it_is, &as_it_is),
      in("positions are rounded to f16: from 2049 on neighbours coincide, and past 65504 they count as that",
         &to_f16_at_most, &as_it_is, &as_it_is),
      in("angles are rounded to f16", &as_it_is, &as_it_is, &to_f16),
      in("angles are rounded to bf16", &as_it_is, &as_it_is, &to_bf16),
      in("positions and angles are rounded to f16", &to_f16, &as_it_is, &to_f16),
      in("positions and angles are rounded to bf16", &to_bf16, &as_it_is, &to_bf16),
      in("positions and frequencies are rounded to f16", &to_f16, &to_f16, &as_it_is),
      in("positions and frequencies are rounded to bf16", &to_bf16, &to_bf16, &as_it_is),
      in("frequencies and angles are rounded to f16", &as_it_is, &to_f16, &to_f16),
      in("frequencies and angles are rounded to bf16", &as_it_is, &to_bf16, &to_bf16),
      in("positions, frequencies and angles are rounded to f16", &to_f16, &to_f16, &to_f16),
      in("positions, frequencies and angles are rounded to bf16", &to_bf16, &to_bf16, &to_bf16)};
  for (const double quarter : {1.57, 1.571, 1.5707, 1.5708}) out.push_back(with_cosines_of(truth, quarter));
  for (const ShortPi& pi : short_pis)
    out.push_back(with_angles(truth, pi.words(), [turn = pi.turn()](long double t, double w) {
      return std::fmod(t * w, static_cast<long double>(turn));
    }));
  return out;
}

}  // namespace posproof
