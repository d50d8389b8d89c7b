#include <vector>

#include "catalogue/encodings/alibi.h"
#include "catalogue/misreadings/alibi.h"
#include "core/formats.h"
#include "misreadings/right.h"

namespace posproof::misreadings_alibi {
namespace {

using Rounding = double (*)(double);

std::vector<double> rounded(std::vector<double> slopes, Rounding to) {
  for (double& one : slopes) one = to(one);
  return slopes;
}

// Both formats may round all slopes alike.
enum class Kept { f16, bf16, either };

template <Kept kept>
Encoding with_rounded_slopes(const Parameters& given) {
  Bias out = misread::right<Bias>(encodings::alibi, given);
  const std::vector<double> own = out.slopes, f16 = rounded(own, &to_f16), bf16 = rounded(own, &to_bf16);
  if ((f16 == bf16) != (kept == Kept::either))
    throw Refusal("said of slopes that these formats tell apart");
  out.slopes = kept == Kept::bf16 ? bf16 : f16;
  if (out.slopes == own) throw Refusal("slopes that are numbers of the format");
  out.bias = [bias = out.bias, own, other = out.slopes](const Positions& queries, const Positions& keys) {
    Tensor all = bias(queries, keys);
    for (std::size_t h = 0; h < own.size(); ++h)
      for (std::size_t i = 0; i < queries.size() && own[h] != 0; ++i)
        for (std::size_t j = 0; j < keys.size(); ++j) {
          double& entry = all.at(h * queries.size() + i, j);
          entry = static_cast<double>(misread::Real{entry} / own[h] * other[h]);
        }
    return all;
  };
  return out;
}

}  // namespace

const MisreadingFamily entry{{
    {"slopes are rounded to f16", &with_rounded_slopes<Kept::f16>, "heads=24"},
    {"slopes are rounded to bf16", &with_rounded_slopes<Kept::bf16>, "heads=24"},
    {"slopes are rounded to bf16 or f16", &with_rounded_slopes<Kept::either>, "heads=12"},
}};

}  // namespace posproof::misreadings_alibi
