#include "catalogue/oracle/dape.h"
#include "oracle/formula.h"
#include "oracle/whole.h"

namespace posproof {

// A + B + f(A, B), or A + f(A, B): Zheng et al. 2024. A are the logits of all heads, B
// their biases, here ALiBi's; f has one hidden layer with a leaky rectifier of slope 0.01.
Encoding oracle::dape(const Arguments& p) {
  const std::size_t heads = p.width("heads"), width = p.width("dim"), hidden = p.width("hidden");
  const bool residual = p.is("residual", "both");
  const std::int64_t seed = p.whole("table_seed");
  const Trained first(hidden, 2 * heads + 1, seed), second(heads, hidden + 1, seed + 1);

  Contextual dape = contextual_of_heads(
      "dape", width * heads, heads, AsGiven(),
      [=](const auto& in, const auto& q, const auto& k, Position i, Position j) {
        using Numbers = NumbersOf<std::decay_t<decltype(in)>>;
        Numbers all;  // A, B, and 1 for the layer's own vector
        for (std::size_t h = 0; h < heads; ++h)
          all.push_back(in.over_root(
              in.dot(std::span(q).subspan(h * width, width), std::span(k).subspan(h * width, width)), width));
        for (std::size_t h = 1; h <= heads; ++h) {
          const double slope = std::exp2(-8.0 * static_cast<double>(h) / static_cast<double>(heads));
          all.push_back(in.product(in.given(-slope), in.given(static_cast<double>(std::abs(i - j)))));
        }
        all.push_back(in.given(1));
        Numbers layer;
        for (std::size_t m = 0; m < hidden; ++m)
          layer.push_back(in.leaky(in.dot(trained(in, first.row(static_cast<Position>(m))), all), 0.01));
        layer.push_back(in.given(1));
        Numbers logits;
        for (std::size_t h = 0; h < heads; ++h) {
          const auto f = in.dot(trained(in, second.row(static_cast<Position>(h))), layer);
          logits.push_back(in.sum(residual ? in.sum(all[h], all[heads + h]) : all[h], f));
        }
        return logits;
      });
  dape.positions = whole_domain(0, usual_end);
  return dape;
}

}  // namespace posproof
