#include <algorithm>
#include <array>
#include <cmath>

#include "catalogue/encodings/fire.h"
#include "catalogue/misreadings/fire.h"
#include "encodings/fire_numbers.h"
#include "encodings/perceptron.h"
#include "misreadings/right.h"

namespace posproof::misreadings_fire {
namespace {

using bias_bounds::Fire;
using misread::Real;

Real psi(const Fire& fire, Real x) {
  return std::log1p(fire.c * x);
}

// The distance, the query's and the key's position: what the perceptron is given of them.
using Input = Real (*)(const Fire& fire, Real past, Real query, Real key);

// Where nothing but a position is another, the bound is the right one's: it is as far as the next.
enum class Terms { others, the_same };

template <Input input, Terms terms = Terms::others>
Encoding reads(const Parameters& given) {
  const Fire fire = fire_of(misread::arguments(encodings::fire, given));
  Encoding out =
      misread::with_entry(encodings::fire, given, [fire](std::size_t head, Position i, Position j) {
        const Real past = static_cast<Real>(std::max<Position>(i - j, 0));
        const std::array x = {input(fire, past, static_cast<Real>(i), static_cast<Real>(j))};
        return perceptron(fire.layers, head, x);
      });
  if (terms == Terms::the_same) as<Bias>(out).error = encodings::fire.make<Bias>(given).error;
  return out;
}

Real scale(const Fire& fire, Real length) {
  return psi(fire, length) + fire.epsilon;
}

Real without_logarithm(const Fire& fire, Real past, Real query, Real) {
  return fire.c * past / (fire.c * std::max<Real>(query, fire.threshold) + fire.epsilon);
}
Real distance_alone(const Fire& fire, Real past, Real query, Real) {
  return psi(fire, past) / (std::max<Real>(query, fire.threshold) + fire.epsilon);
}
Real scale_alone(const Fire& fire, Real past, Real query, Real) {
  return past / scale(fire, std::max<Real>(query, fire.threshold));
}
Real of_the_quotient(const Fire& fire, Real past, Real query, Real) {
  return psi(fire, past / (std::max<Real>(query, fire.threshold) + fire.epsilon));
}
Real one_in_the_product(const Fire& fire, Real past, Real query, Real) {
  const auto other = [&](Real x) { return std::log(fire.c * (x + 1)); };
  return other(past) / (other(std::max<Real>(query, fire.threshold)) + fire.epsilon);
}
Real without_the_1_below(const Fire& fire, Real past, Real query, Real) {
  return psi(fire, past) / (std::log(fire.c * std::max<Real>(query, fire.threshold)) + fire.epsilon);
}
Real undivided(const Fire& fire, Real past, Real, Real) {
  return psi(fire, past);
}
Real by_the_threshold(const Fire& fire, Real past, Real, Real) {
  return psi(fire, past) / scale(fire, fire.threshold);
}
Real by_the_query(const Fire& fire, Real past, Real query, Real) {
  return psi(fire, past) / scale(fire, query);
}
Real by_the_query_from_1(const Fire& fire, Real past, Real query, Real) {
  return psi(fire, past) / scale(fire, std::max<Real>(query, 1));
}
Real by_the_smaller(const Fire& fire, Real past, Real query, Real) {
  return psi(fire, past) / scale(fire, std::min<Real>(query, fire.threshold));
}
Real by_the_sum(const Fire& fire, Real past, Real query, Real) {
  return psi(fire, past) / scale(fire, query + fire.threshold);
}
Real by_the_key(const Fire& fire, Real past, Real, Real key) {
  return psi(fire, past) / scale(fire, std::max<Real>(key, fire.threshold));
}
Real by_the_distance(const Fire& fire, Real past, Real, Real) {
  return psi(fire, past) / scale(fire, std::max<Real>(past, fire.threshold));
}
Real by_the_length(const Fire& fire, Real past, Real query, Real) {
  return psi(fire, past) / scale(fire, std::max<Real>(query + 1, fire.threshold));
}
template <int places>
Real small_for_1(const Fire& fire, Real past, Real query, Real) {
  const auto other = [&](Real x) { return std::log(fire.c * x + misread::small<places>()); };
  return other(past) / (other(std::max<Real>(query, fire.threshold)) + fire.epsilon);
}
Real without_c(const Fire& fire, Real past, Real query, Real) {
  return std::log1p(past) / (std::log1p(std::max<Real>(query, fire.threshold)) + fire.epsilon);
}

Real root(const Fire& fire, Real past, Real query, Real) {
  return std::sqrt(past) / (std::sqrt(std::max<Real>(query, fire.threshold)) + fire.epsilon);
}

// Of the queries of a call one, whose position stands for that of each.
template <bool last>
Encoding by_one_query(const Parameters& given) {
  const Fire fire = fire_of(misread::arguments(encodings::fire, given));
  Bias out = misread::right<Bias>(encodings::fire, given);
  out.bias = [fire, heads = out.heads](const Positions& queries, const Positions& keys) {
    Tensor all({heads, queries.size(), keys.size()});
    Position one = last || queries.size() == 0 ? 0 : queries[0];
    for (std::size_t i = 0; last && i < queries.size(); ++i) one = std::max(one, queries[i]);
    const Real under = scale(fire, std::max<Real>(static_cast<Real>(one), fire.threshold));
    for (std::size_t r = 0; r < all.rows(); ++r)
      for (std::size_t j = 0; j < keys.size(); ++j) {
        const Position past = std::max<Position>(queries[r % queries.size()] - keys[j], 0);
        const std::array x = {psi(fire, static_cast<Real>(past)) / under};
        all.at(r, j) = static_cast<double>(perceptron(fire.layers, r / queries.size(), x));
      }
    return all;
  };
  return out;
}

// A number of the call stands for the query's position: that of its row, or how many keys there are.
template <bool row>
Encoding by_the_call(const Parameters& given) {
  const Fire fire = fire_of(misread::arguments(encodings::fire, given));
  Bias out = misread::right<Bias>(encodings::fire, given);
  out.bias = [fire, heads = out.heads](const Positions& queries, const Positions& keys) {
    Tensor all({heads, queries.size(), keys.size()});
    for (std::size_t r = 0; r < all.rows(); ++r)
      for (std::size_t j = 0; j < keys.size(); ++j) {
        const std::size_t i = r % queries.size();
        const Position past = std::max<Position>(queries[i] - keys[j], 0);
        const Real length = static_cast<Real>(row ? i : keys.size());
        const std::array x = {psi(fire, static_cast<Real>(past)) /
                              scale(fire, std::max<Real>(length, fire.threshold))};
        all.at(r, j) = static_cast<double>(perceptron(fire.layers, r / queries.size(), x));
      }
    return all;
  };
  return out;
}

Real leaky(Real x) {
  return x < 0 ? 0.01L * x : x;
}

Real between_0_and_1(Real x) {
  return std::clamp<Real>(x, 0, 1);
}

template <bool first, bool last, Real (*activation)(Real)>
Encoding with_layers(const Parameters& given) {
  const Fire fire = fire_of(misread::arguments(encodings::fire, given));
  return misread::with_entry(encodings::fire, given, [fire](std::size_t head, Position i, Position j) {
    const Real past = static_cast<Real>(std::max<Position>(i - j, 0));
    const Real x = psi(fire, past) / scale(fire, std::max<Real>(static_cast<Real>(i), fire.threshold));
    Real out = last ? fire.layers.last_bias(head) : 0;
    for (std::size_t k = 0; k < fire.layers.width; ++k) {
      const Real hidden = fire.layers.weight(k, 0) * x + (first ? fire.layers.bias(k) : 0);
      out += fire.layers.last_weight(head, k) * activation(hidden);
    }
    return out;
  });
}

}  // namespace

const MisreadingFamily entry{{
    {"the logarithm is left out: psi(x) is c x", &reads<without_logarithm>, "width=8 heads=2 threshold=8"},
    {"the logarithm is of the distance alone, not of what it is divided by", &reads<distance_alone>,
     "width=8 heads=2 threshold=8"},
    {"the logarithm is of what the distance is divided by, not of the distance", &reads<scale_alone>,
     "width=8 heads=2 threshold=8"},
    {"psi is taken of the quotient of the distance, not of both its numbers", &reads<of_the_quotient>,
     "width=8 heads=2 threshold=8"},
    {"c multiplies the 1 as well: psi(x) is ln(c (x + 1))", &reads<one_in_the_product>,
     "width=8 heads=2 threshold=8"},
    {"the 1 is left out of the divisor's logarithm: ln(c x), not ln(c x + 1)", &reads<without_the_1_below>,
     "width=8 heads=2 threshold=64"},
    {"1e-6 stands for the 1 in the logarithm: psi(x) is ln(c x + 1e-6)", &reads<small_for_1<6>>,
     "width=8 heads=2 threshold=64"},
    {"1e-5 stands for the 1 in the logarithm: psi(x) is ln(c x + 1e-5)", &reads<small_for_1<5>>,
     "width=8 heads=2 threshold=64"},
    {"1e-8 stands for the 1 in the logarithm: psi(x) is ln(c x + 1e-8)", &reads<small_for_1<8>>,
     "width=8 heads=2 threshold=64"},
    {"c is left out: psi(x) is ln(x + 1)", &reads<without_c>, "width=8 heads=2 threshold=8"},
    {"psi of the distance is divided by nothing", &reads<undivided>, "width=8 heads=2 threshold=8"},
    {"psi of the distance is divided by that of the threshold, whatever the query's position",
     &reads<by_the_threshold>, "width=8 heads=2 threshold=8"},
    {"the threshold is left out: psi of the distance is divided by that of the query's position",
     &reads<by_the_query>, "width=8 heads=2 threshold=8 epsilon=1e-6"},
    {"the threshold is 1: psi of the distance is divided by that of the query's position",
     &reads<by_the_query_from_1>, "width=8 heads=2 threshold=8"},
    {"the smaller of the query's position and the threshold is taken, not the larger", &reads<by_the_smaller>,
     "width=8 heads=2 epsilon=1e-6"},
    {"the sum of the query's position and the threshold is taken, not the larger of them", &reads<by_the_sum>,
     "width=8 heads=2 threshold=8"},
    {"the larger of the key's position and the threshold is taken, not of the query's", &reads<by_the_key>,
     "width=8 heads=2 threshold=8"},
    {"the larger of the distance and the threshold is taken, not of the query's position",
     &reads<by_the_distance>, "width=8 heads=2 threshold=8"},
    {"the query's position counts from 1 beside the threshold", &reads<by_the_length, Terms::the_same>,
     "width=8 heads=2 threshold=8"},
    {"the largest position of a call's queries is taken for each of them in the divisor", &by_one_query<true>,
     "width=8 heads=2 threshold=8"},
    {"the position of a call's first query is taken for each of them in the divisor", &by_one_query<false>,
     "width=8 heads=2 threshold=8"},
    {"the number of the query's row in the call is taken, not its position", &by_the_call<true>,
     "width=8 heads=2 threshold=8"},
    {"the number of keys of the call is taken, not the query's position", &by_the_call<false>,
     "width=8 heads=2 threshold=8"},
    {"the perceptron's hidden layer has no biases", &with_layers<false, true, misread::positive_part>,
     "width=8 heads=2 threshold=8"},
    {"the perceptron has no biases", &with_layers<false, false, misread::positive_part>,
     "width=8 heads=2 threshold=8"},
    {"the perceptron's hidden layer has no max(., 0)", &with_layers<true, true, misread::itself>,
     "width=8 heads=2 threshold=8"},
    {"the perceptron's last layer has no biases", &with_layers<true, false, misread::positive_part>,
     "width=8 heads=2 threshold=8"},
    {"the perceptron's hidden layer has max(x, 0.01 x)", &with_layers<true, true, leaky>,
     "width=8 heads=2 threshold=8"},
    {"the perceptron's hidden layer has min(max(x, 0), 1)", &with_layers<true, true, between_0_and_1>,
     "width=8 heads=2 threshold=8"},
    {"the perceptron's hidden layer has GELU", &with_layers<true, true, misread::gelu>,
     "width=8 heads=2 threshold=8"},
    {"the perceptron's hidden layer has GELU by its approximation with tanh",
     &with_layers<true, true, misread::gelu_by_tanh>, "width=8 heads=2 threshold=8"},
    {"the perceptron's hidden layer has SiLU", &with_layers<true, true, misread::silu>,
     "width=8 heads=2 threshold=8"},
    {"the square root stands for the logarithm: psi(x) is sqrt(x)", &reads<root>,
     "width=8 heads=2 threshold=8"},
}};

}  // namespace posproof::misreadings_fire
