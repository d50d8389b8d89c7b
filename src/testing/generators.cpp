#include "testing/generators.h"

#include <rapidcheck.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace posproof {

void showValue(const Case& one, std::ostream& out) {
  out << '`' << one.text() << '`';
}
void showValue(const Residual& one, std::ostream& out) {
  out << "error " << one.error << " bound " << one.bound << " ceiling " << one.ceiling;
}

}  // namespace posproof

namespace posproof::testing {

rc::Gen<double> any_double() {
  namespace gen = rc::gen;
  constexpr double inf = std::numeric_limits<double>::infinity();
  return gen::oneOf(
      gen::map(gen::inRange(-40, 41), [](int quarters) { return quarters / 4.0; }),
      gen::map(gen::resize(rc::kNominalSize, gen::arbitrary<std::uint64_t>()),
               [](std::uint64_t bits) { return std::bit_cast<double>(bits); }),
      gen::element(0.0, -0.0, inf, -inf, std::nan(""), 0x1p-1074, 0x1p-1022, 0x1p24, 0x1p53, 65504.0, 0.1));
}

rc::Gen<Value> any_value() {
  namespace gen = rc::gen;
  const auto to_value = [](auto x) { return Value(std::move(x)); };
  const auto ends = gen::container<std::string>(gen::elementOf(std::string("abz09_-./:")));
  return gen::oneOf(gen::map(any_double(), to_value),
                    gen::map(gen::container<std::vector<double>>(any_double()), to_value),
                    gen::map(gen::mapcat(gen::inRange<std::size_t>(0, 12),
                                         [](std::size_t n) {
                                           return gen::map(any_double(), [n](double x) {
                                             return std::vector<double>(n, x);  // one run, which text folds
                                           });
                                         }),
                             to_value),
                    gen::map(ends, [](const std::string& rest) { return Value("w" + rest); }));
}

rc::Gen<Case> any_case() {
  namespace gen = rc::gen;
  const auto name = gen::nonEmpty(gen::container<std::string>(gen::elementOf(std::string("xyzXYZ019_"))));
  return gen::map(gen::container<std::vector<std::pair<std::string, Value>>>(gen::pair(name, any_value())),
                  [](const std::vector<std::pair<std::string, Value>>& fields) {
                    Case out;
                    for (const auto& [key, value] : fields) out.set(key, value);
                    return out;
                  });
}

rc::Gen<Residual> any_residual() {
  namespace gen = rc::gen;
  const auto magnitude = gen::map(any_double(), [](double x) { return std::abs(x); });
  const auto bound = gen::map(any_double(), [](double x) { return std::isfinite(x) ? std::abs(x) : 0; });
  return gen::apply(
      [](double error, double allowed, double most) {
        return Residual{error, allowed, most};
      },
      magnitude, bound, magnitude);
}

rc::Gen<Choice> any_choice() {
  namespace gen = rc::gen;
  const auto bounds = gen::pair(gen::inRange<std::int64_t>(-9, 9), gen::inRange<std::int64_t>(0, 9));
  using Bounds = std::pair<std::int64_t, std::int64_t>;
  return gen::oneOf(
      gen::map(bounds,
               [](const Bounds& b) {
                 return Choice(choice::Integer{b.first, b.first + b.second});
               }),
      gen::map(bounds,
               [](const Bounds& b) {
                 return Choice(choice::PositionIn{b.first, b.first + b.second, nullptr});
               }),
      gen::map(gen::inRange<std::size_t>(0, 5), [](std::size_t n) { return Choice(choice::Values{n}); }),
      gen::map(gen::inRange<std::size_t>(0, 6), [](std::size_t n) { return Choice(choice::Permutation{n}); }),
      gen::map(gen::pair(gen::inRange<std::size_t>(1, 4), gen::inRange<std::size_t>(0, 3)),
               [](const std::pair<std::size_t, std::size_t>& sizes) {
                 const std::vector<std::int64_t> all = {1, 2, 3, 16, 17, 0};
                 const auto others = all.begin() + 3;
                 choice::Size size{{all.begin(), all.begin() + static_cast<std::ptrdiff_t>(sizes.first)},
                                   sizes.first};
                 size.sizes.insert(size.sizes.end(), others,
                                   others + static_cast<std::ptrdiff_t>(sizes.second));
                 return Choice(std::move(size));
               }),
      gen::map(gen::inRange(1, 5), [](int n) {
        const std::vector<Value> all = {1.0, std::string("a"), 0.5, std::string("b")};
        return Choice(choice::OneOf{{all.begin(), all.begin() + n}});
      }));
}

}  // namespace posproof::testing
