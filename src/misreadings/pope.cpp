#include <algorithm>
#include <cmath>
#include <numeric>

#include "catalogue/encodings/pope.h"
#include "catalogue/misreadings/pope.h"
#include "misreadings/right.h"

namespace posproof::misreadings_pope {
namespace {

using namespace inside;
using misread::softplus, misread::positive_part, misread::exponential, misread::itself;

Real size(Real x) {
  return std::abs(x);
}
Real bit_more(Real x) {
  return x > 0 ? x + 1 : std::exp(x);
}

// As a softplus with a threshold past which it is taken for the number itself.
template <int threshold>
Real softplus_up_to(Real x) {
  return x > threshold ? x : softplus(x);
}

// Which of them the phase turns, and which way.
struct Phases {
  int of_query, of_key;
};

// The frequency of channel c is base^-(this / dim).
using Exponent = Real (*)(std::size_t c, std::size_t dim);

Real of_the_channel(std::size_t c, std::size_t) {
  return static_cast<Real>(c);
}
Real doubled(std::size_t c, std::size_t) {
  return static_cast<Real>(2 * c);
}
Real of_two_neighbours(std::size_t c, std::size_t) {
  return static_cast<Real>(c / 2 * 2);
}
Real of_two_halves(std::size_t c, std::size_t dim) {
  return static_cast<Real>(2 * (c % ((dim + 1) / 2)));
}
Real up_to_the_base(std::size_t c, std::size_t dim) {
  if (dim == 1) throw Refusal("said of several channels");
  return static_cast<Real>(c * dim) / static_cast<Real>(dim - 1);
}
Real from_the_next(std::size_t c, std::size_t) {
  return static_cast<Real>(c + 1);
}

struct Polar {
  Real (*of_queries)(Real) = &softplus;  // magnitudes
  Real (*of_keys)(Real) = &softplus;
  Phases phases = {0, 1};
  Exponent exponent = &of_the_channel;
  bool centred = true;
  bool scaled_first = false;  // the query is divided by sqrt(dim), not the logit
};

Polar with_magnitude(Real (*of_both)(Real)) {
  return {.of_queries = of_both, .of_keys = of_both};
}

Encoding reads(const Parameters& given, const Polar& polar) {
  const Arguments p = misread::arguments(encodings::pope, given);
  const std::size_t dim = p.width("dim");
  const bool of_phases = polar.phases.of_query != 0 || !polar.centred;
  if (of_phases && !p.is("phase", "trained")) throw Refusal("the same without phases");
  if (polar.scaled_first && !p.is("scale", "rsqrt")) throw Refusal("the same without a scale");
  const Real of_logits = p.is("scale", "rsqrt") && !polar.scaled_first ? 1 / root(dim) : 1;
  const Real of_queries = polar.scaled_first ? 1 / root(dim) : 1;
  Tensor phase({1, dim});
  if (p.is("phase", "trained")) phase = trained(1, dim, p.whole("table_seed"));
  const Real centre = p.is("phase", "trained") && polar.centred ? 2 : 0;
  const auto base = static_cast<Real>(p.real("base"));
  const auto token = [=](std::span<const double> x, Position t, bool key) {
    std::vector<Real> out;
    for (std::size_t c = 0; c < dim; ++c) {
      const Real w = std::pow(base, -polar.exponent(c, dim) / static_cast<Real>(dim));
      const int turned = key ? polar.phases.of_key : polar.phases.of_query;
      const Real angle = static_cast<Real>(t) * w + static_cast<Real>(turned) * (phase.data[c] - centre);
      const Real magnitude = key ? polar.of_keys(x[c]) : polar.of_queries(of_queries * x[c]);
      out.push_back(magnitude * std::cos(angle));
      out.push_back(magnitude * std::sin(angle));
    }
    return out;
  };
  Encoding made = misread::with_tokens(
      encodings::pope, given, token, [=](std::span<const Real> q, std::span<const Real> k) {
        return std::inner_product(q.begin(), q.end(), k.begin(), Real{0}) * of_logits;
      });
  if (polar.of_queries != &exponential) return made;
  // What is rounded is in proportion to the products of magnitudes, and e^x may be far more than ln(1 + e^x).
  auto& out = as<Contextual>(made);
  out.error = [own = out.error](std::span<const double> q, std::span<const double> k, const auto& i,
                                const auto& j, const Precision& precision) {
    Real is = 0, declared = 0;
    for (std::size_t c = 0; c < q.size(); ++c) {
      is += std::exp(Real{q[c]} + k[c]);
      declared += softplus(q[c]) * softplus(k[c]);
    }
    return own(q, k, i, j, precision) * static_cast<double>(std::max(Real{1}, is / declared));
  };
  return made;
}

misread::Make with(const Polar& of) {
  return [of](const Parameters& given) { return reads(given, of); };
}

constexpr std::string_view trained_phases = "dim=4 phase=trained";

}  // namespace

const MisreadingFamily entry{{
    {"the magnitude is max(x, 0), not ln(1 + e^x)", with(with_magnitude(&positive_part)), "dim=4"},
    {"the magnitude is x itself, not ln(1 + e^x)", with(with_magnitude(&itself)), "dim=4"},
    {"the magnitude is |x|, not ln(1 + e^x)", with(with_magnitude(&size)), "dim=4"},
    {"the magnitude is e^x, not ln(1 + e^x)", with(with_magnitude(&exponential)), "dim=4"},
    {"the magnitude is 1 + ELU(x), not ln(1 + e^x)", with(with_magnitude(&bit_more)), "dim=4"},
    {"the magnitude is x itself where x is above 1, not ln(1 + e^x)",
     with(with_magnitude(&softplus_up_to<1>)), "dim=4"},
    {"the magnitude is x itself where x is above 2, not ln(1 + e^x)",
     with(with_magnitude(&softplus_up_to<2>)), "dim=4"},
    {"the magnitude is x itself where x is above 3, not ln(1 + e^x)",
     with(with_magnitude(&softplus_up_to<3>)), "dim=4"},
    {"the magnitude is x itself where x is above 5, not ln(1 + e^x)",
     with(with_magnitude(&softplus_up_to<5>)), "dim=4"},
    {"the magnitude of a key is x itself, that of a query ln(1 + e^x)", with({.of_keys = &itself}), "dim=4"},
    {"the magnitude of a query is x itself, that of a key ln(1 + e^x)", with({.of_queries = &itself}),
     "dim=4"},
    {"the magnitude of a key is max(x, 0), that of a query ln(1 + e^x)", with({.of_keys = &positive_part}),
     "dim=4"},
    {"the magnitude of a query is max(x, 0), that of a key ln(1 + e^x)", with({.of_queries = &positive_part}),
     "dim=4"},
    {"two neighbouring channels have one frequency, base^(-2 floor(c/2)/dim), not base^(-c/dim)",
     with({.exponent = &of_two_neighbours}), "dim=4"},
    {"the second half of the channels has the frequencies of the first, base^(-2c/dim), not base^(-c/dim)",
     with({.exponent = &of_two_halves}), "dim=4"},
    {"the frequencies are those of pairs, base^(-2c/dim), not base^(-c/dim)", with({.exponent = &doubled}),
     "dim=4"},
    {"the frequencies are base^(-c/(dim - 1)), not base^(-c/dim)", with({.exponent = &up_to_the_base}),
     "dim=4"},
    {"the frequencies are base^(-(c + 1)/dim), not base^(-c/dim)", with({.exponent = &from_the_next}),
     "dim=4"},
    {"the phases have the other sign: they are added to the angles of the queries, not of the keys",
     with({.phases = {1, 0}}), trained_phases},
    {"the phases count twice: they are taken from the angles of the queries as well",
     with({.phases = {-1, 1}}), trained_phases},
    {"the query is divided by sqrt(dim) before its magnitude is taken, not the logit",
     with({.scaled_first = true}), "dim=4"},
    {"the phases are not moved into their range", with({.centred = false}), trained_phases},
}};

}  // namespace posproof::misreadings_pope
