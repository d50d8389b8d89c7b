#include "diagnosis/content_deviations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/call.h"
#include "core/error.h"
#include "core/function.h"
#include "diagnosis/few_digits.h"
#include "diagnosis/measured_words.h"
#include "run/narrowed.h"

namespace posproof {
namespace {

using OfNumber = Function<double(double)>;

// Which contents of a call: all, those of one operand, or those of one role.
struct Whose {
  std::string words;
  Function<bool(const Call& call, std::size_t operand)> are;
};

std::vector<Whose> all_whose(const Signature& known) {
  std::vector<Whose> out = {{"contents", [](const Call&, std::size_t) { return true; }}};
  if (known.role)
    for (const auto& [words, role] : {std::pair("queries", Role::query), std::pair("keys", Role::key)})
      out.push_back({words, [role = role](const Call& call, std::size_t) { return call.role == role; }});
  constexpr std::array<std::string_view, 3> names = {"queries", "keys", "values"};
  if (known.takes.size() > 1)
    for (std::size_t n = 0; n < std::min(known.takes.size(), names.size()); ++n)
      out.push_back({std::string(names[n]), [n](const Call&, std::size_t operand) { return operand == n; }});
  return out;
}

Encoding with_contents(const Encoding& declared, const Whose& whose, const OfNumber& change) {
  return answered_by(declared, [=](const Call& call) {
    Call other = call;
    for (std::size_t n = 0; n < other.contents.size(); ++n)
      if (whose.are(call, n))
        for (double& x : other.contents[n].data) x = change(x);
    return answer(declared, other);
  });
}

// Tokens of one rotation, all of whose channels are one number.
class EvenTokens {
 public:
  EvenTokens(const Subject& subject, const Encoding& declared) : subject_(subject), declared_(declared) {
    const Domain domain = overlap(positions_of(subject.encoding), positions_of(declared));
    call_ = sequence(declared, {domain.lo});
    if (call_.contents.size() != 1) throw Refusal("of one content");
  }

  struct Token {
    Tensor given, expected;
    bool right;
  };
  Token at(double content) const {
    Call call = call_;
    std::ranges::fill(call.contents.front().data, content);
    Token out{answer(subject_.encoding, call), answer(declared_, call), true};
    if (out.given.shape != out.expected.shape) throw Refusal("of another shape");
    const Bound allowed = bound(declared_, call, out.given, subject_.precision);
    for (std::size_t n = 0; n < out.given.data.size(); ++n)
      out.right = out.right && std::abs(out.given.data[n] - out.expected.data[n]) <= allowed.error.data[n];
    return out;
  }

 private:
  const Subject& subject_;
  const Encoding& declared_;
  Call call_;
};

// By how much the one token is as large as the other, in their largest entry.
double size_over(const Tensor& given, const Tensor& expected) {
  std::size_t largest = 0;
  for (std::size_t n = 0; n < expected.data.size(); ++n)
    if (std::abs(expected.data[n]) > std::abs(expected.data[largest])) largest = n;
  return given.data[largest] / expected.data[largest];
}

// The one of these powers of 2 at which a run of right tokens ends; none where it does not, or where it goes
// on behind. Rising or falling from 1, which is right.
std::optional<double> last_right(const EvenTokens& tokens, int step, int last) {
  std::optional<double> out;
  double before = 1;
  for (int power = 0; std::abs(power) <= last; power += step) {
    const double content = std::ldexp(1, power);
    const bool right = tokens.at(content).right;
    if (right && out) return std::nullopt;
    if (!right && !out) {
      if (power == 0) return std::nullopt;
      out = before;
    }
    before = content;
  }
  return out;
}

std::optional<Deviation> held_within(const EvenTokens& tokens, const Encoding& declared) {
  constexpr int most = 16;
  const auto last = last_right(tokens, 1, most);
  if (!last) return std::nullopt;
  const double asked = 2 * *last;
  const EvenTokens::Token past = tokens.at(asked);
  const double limit = asked * size_over(past.given, past.expected);
  if (!(limit >= *last * (1 - 1e-6) && limit < asked)) return std::nullopt;
  constexpr double digits = 1e-5;
  const double near = std::nearbyint(limit);
  const double is = near > 0 && std::abs(limit - near) <= digits * near ? near : limit;
  return Deviation{{fmt::format("contents are held between -{0} and {0}", number(is, digits))},
                   with_contents(declared, all_whose(signature(declared)).front(),
                                 [is](double x) { return std::clamp(x, -is, is); }),
                   true};
}

std::optional<Deviation> flushed_below(const EvenTokens& tokens, const Encoding& declared) {
  constexpr int most = 30;
  const auto last = last_right(tokens, -1, most);
  if (!last) return std::nullopt;
  const auto is_lost = [](const EvenTokens::Token& one) {
    return std::ranges::all_of(one.given.data, [](double x) { return x == 0; });
  };
  double kept = *last, lost = *last / 2;
  if (!is_lost(tokens.at(lost))) return std::nullopt;
  constexpr int steps = 20;
  for (int n = 0; n < steps; ++n) {
    const double half = (kept + lost) / 2;
    (is_lost(tokens.at(half)) ? lost : kept) = half;
  }
  return Deviation{
      {fmt::format("contents whose absolute value is below {} are taken for 0", number(kept, 1e-4))},
      with_contents(declared, all_whose(signature(declared)).front(),
                    [kept](double x) { return std::abs(x) < kept ? 0 : x; }),
      true};
}

}  // namespace

std::vector<Deviation> rounded_contents(const Encoding& declared, const Precision& precision) {
  std::vector<Deviation> out;
  for (const Whose& whose : all_whose(signature(declared)))
    for (const FewDigits& one : few_digits)
      if (one.unit > precision.result)
        out.push_back({{fmt::format("{} are {}", whose.words, one.words)},
                       with_contents(declared, whose, one.of),
                       true});
  return out;
}

std::optional<Deviation> limited_contents(const Subject& subject, const Encoding& declared) {
  if (!signature(declared).role || !signature(subject.encoding).role || positions_of(declared).real)
    return std::nullopt;
  try {
    const EvenTokens tokens(subject, declared);
    if (auto held = held_within(tokens, declared)) return held;
    return flushed_below(tokens, declared);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {  // declined, died, another shape
    return std::nullopt;
  }
}

}  // namespace posproof
