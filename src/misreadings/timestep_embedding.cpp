#include <cmath>

#include "catalogue/encodings/timestep_embedding.h"
#include "catalogue/misreadings/timestep_embedding.h"
#include "core/formats.h"
#include "encodings/ladder.h"
#include "misreadings/right.h"

namespace posproof::misreadings_timestep_embedding {
namespace {

using misread::Real;

struct Form {
  bool padded_first = false;    // the zero of an odd width stands before the sines and cosines
  bool padded_between = false;  // or between the two halves
  bool repeated = false;        // the last column again in its place
  bool divided = false;         // by the scale
  bool interleaved = false;
  Real (*rounded)(Real) = nullptr;  // what stands for the scaled timestep
  Real (*kept)(Real) = nullptr;     // what stands for the timestep that is scaled
  bool scales_last = false;         // the sines and cosines are multiplied by the scale, not their angles
};

Real truncated(Real x) {
  return std::trunc(x);
}
Real nearest(Real x) {
  return std::nearbyint(x);
}
// Code computes in f32 what it then keeps in fewer digits.
Real in_bf16(Real x) {
  return to_bf16(to_f32(static_cast<double>(x)));
}
Real in_f16(Real x) {
  return to_f16(to_f32(static_cast<double>(x)));
}

Encoding reads(const Parameters& given, const Form& form) {
  const Arguments p = misread::arguments(encodings::timestep_embedding, given);
  Table table = misread::right<Table>(encodings::timestep_embedding, given);
  const std::size_t half = table.dim / 2, odd = table.dim % 2;
  if (odd == 0 && (form.padded_first || form.padded_between || form.repeated))
    throw Refusal("the same in an even width");
  const double scale = p.real("scale");
  const bool of_few_digits = form.rounded == &in_bf16 || form.rounded == &in_f16;
  if (scale == 1 && (form.divided || form.scales_last || of_few_digits))
    throw Refusal("the same without a scale, or said of the timestep itself");
  const auto shift = static_cast<std::size_t>(p.whole("shift"));
  std::vector<Real> w;
  for (std::size_t i = 0; i < half; ++i)
    w.push_back((form.divided       ? 1 / scale
                 : form.scales_last ? 1
                                    : scale) *
                ladder::frequency(p.real("max_period"), i, half - shift));
  for (Pair& pair : table.pairs) {
    pair.frequency = static_cast<double>(w[pair.index]);
    if (form.interleaved) {
      const std::size_t of_sine = pair.first < pair.second ? 0 : 1;
      pair.first = 2 * pair.index + of_sine;
      pair.second = 2 * pair.index + 1 - of_sine;
    }
    if (form.padded_first) ++pair.first, ++pair.second;
    if (form.padded_between) ++(pair.first > pair.second ? pair.first : pair.second);
  }
  if (form.scales_last) table.amplitude = scale;
  return misread::with_rows(table, [=, pairs = table.pairs](std::span<const Real> x, std::span<double> row) {
    for (const Pair& pair : pairs) {
      Real t = form.kept == nullptr ? x[0] : form.kept(x[0]);
      if (form.rounded != nullptr) t = form.rounded(t * scale) / scale;
      const Real angle = t * w[pair.index], size = form.scales_last ? scale : 1;
      row[pair.first] = static_cast<double>(size * std::sin(angle));
      row[pair.second] = static_cast<double>(size * std::cos(angle));
    }
    if (form.repeated) row[2 * half] = row[2 * half - 1];
  });
}

misread::Make with(const Form& of) {
  return [of](const Parameters& given) { return reads(given, of); };
}

}  // namespace

const MisreadingFamily entry{{
    {"the column of zeros of an odd width is the first, not the last", with({.padded_first = true}), "dim=9"},
    {"the column of zeros of an odd width stands between sines and cosines, not last",
     with({.padded_between = true}), "dim=9"},
    {"an odd width ends with its last column again, not with zeros", with({.repeated = true}), "dim=9"},
    {"the angles are divided by the scale, not multiplied", with({.divided = true}), "scale=1000"},
    {"the sines and cosines are multiplied by the scale, not their angles", with({.scales_last = true}),
     "scale=1000"},
    {"the scaled timestep is truncated to a whole number", with({.rounded = &truncated}), "scale=2.5"},
    {"the scaled timestep is rounded to a whole number", with({.rounded = &nearest}), "scale=2.5"},
    {"the scaled timestep is rounded to bf16", with({.rounded = &in_bf16}), "scale=1000"},
    {"the scaled timestep is rounded to f16", with({.rounded = &in_f16}), "scale=1000"},
    {"the timestep and the scaled timestep are rounded to bf16",
     with({.rounded = &in_bf16, .kept = &in_bf16}), "scale=1000"},
    {"the timestep and the scaled timestep are rounded to f16", with({.rounded = &in_f16, .kept = &in_f16}),
     "scale=1000"},
    {"the sines and cosines stand in turn, not in two halves", with({.interleaved = true})},
}};

}  // namespace posproof::misreadings_timestep_embedding
