#include <algorithm>
#include <cmath>

#include "catalogue/encodings/alibi.h"
#include "catalogue/encodings/sandwich.h"
#include "catalogue/misreadings/sandwich.h"
#include "misreadings/right.h"

namespace posproof::misreadings_sandwich {
namespace {

using misread::Real;

// What is added up of a frequency: of the positions, and of the distance as the form counts it.
using Term = Real (*)(Real frequency, Real query, Real key, Real distance);

enum class Ratio {
  divides,
  multiplies,
  is_left_out,
  is_whole,
  has_no_brackets,
  is_a_slope,
  divides_as_slope
};

// As ALiBi has them.
std::vector<double> slopes(std::size_t heads) {
  Parameters of;
  of.set("heads", static_cast<double>(heads));
  return encodings::alibi.make<Bias>(of).slopes;
}

// Of the frequencies, one that is missing at an end.
enum class Missing { none, first, last };

template <Term term, Ratio ratio = Ratio::divides, Missing missing = Missing::none>
Encoding reads(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::sandwich, given);
  const std::size_t heads = p.width("heads"), dim = p.width("dim"), first = p.width("first_n");
  if (ratio == Ratio::is_whole && heads > 8) throw Refusal("a division by 0");
  if (ratio == Ratio::is_whole && 8 % heads == 0) throw Refusal("the same where all ratios are whole");
  if (ratio == Ratio::has_no_brackets && (heads == 1 || heads == 8)) throw Refusal("the same ratios");
  std::vector<Real> frequencies;
  const std::size_t begin = first + (missing == Missing::first ? 1 : 0),
                    end = first + dim / 2 - (missing == Missing::last ? 1 : 0);
  if (end == begin) throw Refusal("nothing is left");
  for (std::size_t i = begin; i < end; ++i)
    frequencies.push_back(
        std::pow(static_cast<Real>(p.real("base")), -2 * static_cast<Real>(i) / static_cast<Real>(dim)));
  const bool causal = p.is("form", "causal");
  const Real centre = p.is("centre", "zero") ? static_cast<Real>(end - begin) : 0;
  const bool of_slopes = ratio == Ratio::is_a_slope || ratio == Ratio::divides_as_slope;
  const std::vector<double> alibi = of_slopes ? slopes(heads) : std::vector<double>();
  return misread::with_entry(encodings::sandwich, given, [=](std::size_t head, Position i, Position j) {
    const Real exact = 8 * static_cast<Real>(head + 1) / static_cast<Real>(heads);
    const Real of_head = ratio == Ratio::is_whole ? std::floor(exact)
                         : ratio == Ratio::has_no_brackets
                             ? static_cast<Real>(head) + 8 / static_cast<Real>(heads)
                             : exact;
    const auto distance = static_cast<Real>(causal ? std::max<Position>(i - j, 0) : std::abs(i - j));
    Real sum = -centre;
    for (const Real w : frequencies) sum += term(w, static_cast<Real>(i), static_cast<Real>(j), distance);
    if (ratio == Ratio::is_left_out) return sum;
    if (of_slopes) return ratio == Ratio::is_a_slope ? sum * alibi[head] : sum / alibi[head];
    return ratio == Ratio::multiplies ? sum * of_head : sum / of_head;
  });
}

Real cosine(Real w, Real, Real, Real distance) {
  return std::cos(w * distance);
}
Real angle(Real w, Real, Real, Real distance) {
  return w * distance;
}
Real sine(Real w, Real, Real, Real distance) {
  return std::sin(w * distance);
}
Real sines(Real w, Real query, Real key, Real) {
  return std::sin(w * query) * std::sin(w * key);
}
Real cosines(Real w, Real query, Real key, Real) {
  return std::cos(w * query) * std::cos(w * key);
}
Real of_the_sum(Real w, Real query, Real key, Real) {
  return std::cos(w * (query + key));
}

constexpr std::string_view few = "heads=3 dim=16";

}  // namespace

const MisreadingFamily entry{{
    {"the angles are added up, not their cosines", &reads<angle>, few},
    {"the sines of the angles are added up, not their cosines", &reads<sine>, few},
    {"the products of the two sines are added up, without those of the two cosines", &reads<sines>, few},
    {"the products of the two cosines are added up, without those of the two sines", &reads<cosines>, few},
    {"the cosines are of the sum of the two positions, not of the distance", &reads<of_the_sum>, few},
    {"the first frequency is missing in the sum", &reads<cosine, Ratio::divides, Missing::first>, few},
    {"the last frequency is missing in the sum", &reads<cosine, Ratio::divides, Missing::last>, few},
    {"the sum is multiplied by the ratio of the head, not divided", &reads<cosine, Ratio::multiplies>, few},
    {"the sum is not divided by the ratio of the head", &reads<cosine, Ratio::is_left_out>, few},
    {"the sum is multiplied by ALiBi's slope of the head, not divided by the ratio 8 h / heads",
     &reads<cosine, Ratio::is_a_slope>, few},
    {"the sum is divided by ALiBi's slope of the head, not by the ratio 8 h / heads",
     &reads<cosine, Ratio::divides_as_slope>, few},
    {"the ratio of head h is h - 1 + 8 / heads, not 8 h / heads: (h + 1) * 8 / heads with h from 0, without "
     "the brackets",
     &reads<cosine, Ratio::has_no_brackets>, few},
    {"the ratio of the head, 8 h / heads, is rounded down to a whole number", &reads<cosine, Ratio::is_whole>,
     few},
}};

}  // namespace posproof::misreadings_sandwich
