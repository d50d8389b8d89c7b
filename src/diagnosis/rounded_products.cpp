#include "diagnosis/rounded_products.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/call.h"
#include "diagnosis/few_digits.h"

namespace posproof {
namespace {

// The call with nothing but one channel of each pair: what is answered are its products.
Call with_channel(const Call& call, const Rotary& rotary, std::size_t Pair::*channel) {
  Call out = call;
  Tensor& x = out.contents.front();
  std::ranges::fill(x.data, 0.0);
  for (std::size_t r = 0; r < x.rows(); ++r)
    for (const Pair& pair : rotary.pairs) x.at(r, pair.*channel) = call.contents.front().at(r, pair.*channel);
  return out;
}

Encoding with_rounded_products(const Encoding& declared, double (*of_product)(double),
                               double (*of_sum)(double)) {
  return answered_by(declared, [=](const Call& call) {
    const Rotary& rotary = as<Rotary>(declared);
    Tensor out = answer(declared, call);
    const Tensor first = answer(declared, with_channel(call, rotary, &Pair::first)),
                 second = answer(declared, with_channel(call, rotary, &Pair::second));
    for (std::size_t n = 0; n < out.data.size(); ++n)
      if (first.data[n] != 0 || second.data[n] != 0)  // a channel that is in a pair
        out.data[n] = of_sum(of_product(first.data[n]) + of_product(second.data[n]));
    return out;
  });
}

}  // namespace

std::vector<Deviation> rounded_products(const Encoding& declared, const Precision& precision) {
  std::vector<Deviation> out;
  if (!std::holds_alternative<Rotary>(declared)) return out;
  for (const FewDigits& one : few_digits)
    if (one.unit > precision.result) {
      const std::string words = fmt::format("each product with a cosine or a sine is {}", one.words);
      out.push_back({{words}, with_rounded_products(declared, one.of, [](double x) { return x; }), true});
      out.push_back(
          {{words + ", and so is their sum"}, with_rounded_products(declared, one.of, one.of), true});
    }
  return out;
}

}  // namespace posproof
