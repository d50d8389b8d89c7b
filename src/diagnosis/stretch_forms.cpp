#include "diagnosis/stretch_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/failure.h"
#include "core/function.h"
#include "diagnosis/measured_stretches.h"
#include "diagnosis/measured_words.h"
#include "run/narrowed.h"

namespace posproof {
namespace {

using StretchOf = Function<double(const Pair&, double t, Role)>;

Rotary stretched_by(const Rotary& truth, const StretchOf& other) {
  Rotary out = truth;
  out.stretch = other;
  out.rotate = [=, declared = truth.stretch, rotate = truth.rotate, pairs = truth.pairs](
                   const Tensor& x, const Positions& positions, Role role) {
    Tensor y = rotate(x, positions, role);
    const std::size_t heads = x.shape[1], n = x.shape[2];
    for (std::size_t r = 0; r < y.rows(); ++r) {
      const auto t = static_cast<double>(positions[r / (heads * n) * n + r % n]);
      for (const Pair& pair : pairs) {
        const double more = other(pair, t, role) / declared(pair, t, role);
        y.at(r, pair.first) *= more, y.at(r, pair.second) *= more;
      }
    }
    return y;
  };
  return out;
}

// As declared for the number of each token in its row, whatever its position. That of the position may be so
// small that nothing is left to be divided by it.
Rotary stretched_by_numbers(const Rotary& truth) {
  Rotary out = truth;
  out.exact = nullptr;
  out.rotate = [truth](const Tensor& x, const Positions& positions, Role role) {
    Tensor y = x;
    const std::size_t heads = x.shape[1], n = x.shape[2];
    for (std::size_t r = 0; r < y.rows(); ++r)
      for (const Pair& pair : truth.pairs) {
        const auto t = static_cast<long double>(positions.at(r / (heads * n) * n + r % n, pair.axis));
        const auto angle = t * pair.frequency;
        const double size = truth.amplitude * truth.stretch(pair, static_cast<double>(r % n), role),
                     c = size * static_cast<double>(std::cos(angle)),
                     s = size * static_cast<double>(std::sin(angle)), a = x.at(r, pair.first),
                     b = x.at(r, pair.second);
        y.at(r, pair.first) = a * c - b * s, y.at(r, pair.second) = a * s + b * c;
      }
    return in_order(truth, std::move(y));
  };
  return out;
}

// xPos whose centre is that of the call, as where its exponents run from -n/2 to n/2.
using CentreOf = Position (*)(const Positions& positions, std::size_t batch);

Rotary centred_in_call(const Rotary& truth, double declared, CentreOf centre) {
  Rotary out = truth;
  out.exact = nullptr;
  out.rotate = [=](const Tensor& x, const Positions& positions, Role role) {
    if (positions.empty()) return x;
    const double shift = declared - static_cast<double>(centre(positions, x.shape[0]));
    const auto shifted = [=, own = truth.stretch](const Pair& pair, double t, Role of) {
      return own(pair, t + shift, of);
    };
    return stretched_by(truth, shifted).rotate(x, positions, role);
  };
  return out;
}

// Half of the length of a call, which its largest position ends.
Position half_of(Position last, bool up) {
  return (last + (up ? 2 : 1)) / 2;
}

std::vector<RotationForm> centres_of_calls(const Rotary& truth, double declared) {
  return {{"the centre is half of the number of tokens in a row, rounded down",
           centred_in_call(truth, declared,
                           [](const Positions& positions, std::size_t batch) {
                             return static_cast<Position>(positions.size() / batch / 2);
                           })},
          {"the centre is half of the call's length (its largest position and one), rounded down",
           centred_in_call(truth, declared,
                           [](const Positions& positions, std::size_t) {
                             return half_of(std::ranges::max(positions), false);
                           })},
          {"the centre is half of the call's length (its largest position and one), rounded up",
           centred_in_call(truth, declared, [](const Positions& positions, std::size_t) {
             return half_of(std::ranges::max(positions), true);
           })}};
}

std::string numbers_in(const Parameters& other, const Parameters& declared) {
  std::string words;
  // About a position where each call is declared to have a centre of its own: no number says so.
  const bool stays = other.word("centre_at") != declared.word("centre_at");
  if (stays)
    words = fmt::format("the centre is position {} in every call", number(other.real("centre"), 1e-6));
  for (const char* name : {"scale_base", "gamma", "centre"})
    if (other.real(name) != declared.real(name) && !(stays && name == std::string_view("centre"))) {
      const auto [known, ought] = told_apart(other.real(name), 1e-6, declared.real(name));
      words += fmt::format("{}{} is {}, not {}", words.empty() ? "" : ", ", name, known, ought);
    }
  return words;
}

// As declared, where one channel of each pair is not scaled.
Rotary without_stretch_of(const Rotary& truth, std::size_t Pair::*column) {
  Rotary out = truth;
  out.exact = nullptr;
  out.rotate = [truth, column](const Tensor& x, const Positions& positions, Role role) {
    Tensor y = truth.rotate(x, positions, role);
    const std::size_t heads = x.shape[1], n = x.shape[2];
    for (std::size_t r = 0; r < y.rows(); ++r)
      for (const Pair& pair : truth.pairs)
        y.at(r, pair.*column) /=
            truth.stretch(pair, positions.at(r / (heads * n) * n + r % n, pair.axis), role);
    return y;
  };
  // What is not scaled is rounded as 1 is.
  out.stretch = [own = truth.stretch](const Pair& pair, double t, Role role) {
    return std::max(1.0, own(pair, t, role));
  };
  return out;
}

// As declared, where each channel has the stretch of a pair of its own.
Rotary stretched_by_channels(const Rotary& truth, const Function<std::size_t(std::size_t c)>& pair_of) {
  Rotary out = truth;
  out.exact = nullptr;
  const auto of_channel = [declared = truth.stretch, pairs = truth.pairs, pair_of](std::size_t c, double t,
                                                                                   Role role) {
    return declared(pairs.at(pair_of(c)), t, role);
  };
  out.rotate = [truth, of_channel](const Tensor& x, const Positions& positions, Role role) {
    Tensor y = truth.rotate(x, positions, role);
    const std::size_t heads = x.shape[1], n = x.shape[2];
    for (std::size_t r = 0; r < y.rows(); ++r) {
      const auto t = static_cast<double>(positions[r / (heads * n) * n + r % n]);
      for (const Pair& pair : truth.pairs)
        for (const std::size_t c : {pair.first, pair.second})
          y.at(r, c) *= of_channel(c, t, role) / truth.stretch(pair, t, role);
    }
    return y;
  };
  // What is stretched most is rounded most.
  out.stretch = [own = truth.stretch, of_channel](const Pair& pair, double t, Role role) {
    return std::max({own(pair, t, role), of_channel(pair.first, t, role), of_channel(pair.second, t, role)});
  };
  return out;
}

// Scales that are laid out for the other layout of pairs.
RotationForm in_the_other_layout(const Rotary& truth) {
  const std::size_t pairs = truth.pairs.size();
  const bool neighbours = truth.pairs.front().second == truth.pairs.front().first + 1;
  if (neighbours)
    return {
        "the scales lie as of half-split pairs, s0 s1 .. s0 s1 .., where pairs are neighbours: channel c "
        "has that of pair c mod d/2",
        stretched_by_channels(truth, [pairs](std::size_t c) { return c % pairs; })};
  return {
      "the scales lie as of interleaved pairs, s0 s0 s1 s1 .., where pairs are half-split: channel c has "
      "that of pair floor(c/2)",
      stretched_by_channels(truth, [](std::size_t c) { return c / 2; })};
}

// zeta to a whole power, and zeta of another pair.
std::vector<RotationForm> other_powers(const Rotary& truth, double centre, double scale_base) {
  const auto whole = [&](double (*rounded)(double)) {
    return stretched_by(truth, [=, declared = truth.stretch](const Pair& pair, double t, Role role) {
      return declared(pair, centre + scale_base * rounded((t - centre) / scale_base), role);
    });
  };
  return {{"the exponent (t - centre)/scale_base is rounded down to a whole number", whole(&std::floor)},
          {"the exponent (t - centre)/scale_base is rounded to a whole number", whole(&std::nearbyint)},
          {"zeta stands in reverse order: pair i has that of the last pair but i",
           stretched_by(
               truth, [declared = truth.stretch, pairs = truth.pairs](const Pair& pair, double t, Role role) {
                 return declared(pairs.at(pairs.size() - 1 - pair.index), t, role);
               })}};
}

// The declared rotation of a call, stretched otherwise.
std::vector<RotationForm> other_stretches(const Rotary& truth) {
  const auto roles = [&](Role of_queries, Role of_keys) {
    return stretched_by(truth, [=, declared = truth.stretch](const Pair& pair, double t, Role role) {
      return declared(pair, t, role == Role::query ? of_queries : of_keys);
    });
  };
  const auto not_of = [&](std::vector<Role> these) {
    return stretched_by(truth, [=, declared = truth.stretch](const Pair& pair, double t, Role role) {
      return std::ranges::find(these, role) != these.end() ? 1 : declared(pair, t, role);
    });
  };
  std::vector<RotationForm> out = {
      {"neither queries nor keys are scaled", not_of({Role::query, Role::key})},
      {"queries are not scaled", not_of({Role::query})},
      {"keys are not scaled", not_of({Role::key})},
      {"keys are scaled as queries are", roles(Role::query, Role::query)},
      {"queries are scaled as keys are", roles(Role::key, Role::key)},
      {"queries are scaled as keys are, and keys as queries", roles(Role::key, Role::query)},
      {"the scale is that of a token's number in its row, whatever its position",
       stretched_by_numbers(truth)}};
  for (const auto& [these, name] : {std::pair{Role::query, "queries"}, std::pair{Role::key, "keys"}})
    for (const auto& [by, how] : {std::pair{0.5, "half"}, std::pair{2.0, "twice"}})
      out.push_back({fmt::format("the exponent of what multiplies {} is {} the declared one", name, how),
                     stretched_by(truth, [these = these, by = by, declared = truth.stretch](
                                             const Pair& pair, double t, Role role) {
                       return std::pow(declared(pair, t, role), role == these ? by : 1);
                     })});
  for (const auto& [column, name] : {std::pair{&Pair::first, "first"}, std::pair{&Pair::second, "second"}})
    out.push_back(
        {fmt::format("the {} channel of each pair is not scaled", name), without_stretch_of(truth, column)});
  return out;
}

// The same of xPos, about that centre.
std::vector<RotationForm> other_stretches(const Rotary& truth, double centre, double scale_base) {
  std::vector<RotationForm> out = other_stretches(truth);
  for (RotationForm& form : other_powers(truth, centre, scale_base)) out.push_back(std::move(form));
  for (RotationForm& form : centres_of_calls(truth, centre)) out.push_back(std::move(form));
  // Of two channels both layouts are one.
  if (truth.pairs.size() > 1) out.push_back(in_the_other_layout(truth));
  return out;
}

// Each call about a centre of its own.
std::vector<RotationForm> other_stretches_in_calls(const Rotary& truth, bool up, double scale_base) {
  const auto of_call = [=](Position last) {
    return other_stretches(*truth.in_call(last), static_cast<double>(half_of(last, up)), scale_base);
  };
  std::vector<RotationForm> out = of_call(0);
  for (std::size_t n = 0; n < out.size(); ++n) {
    out[n].rotation = truth;
    out[n].rotation.rotate = [=](const Tensor& x, const Positions& positions, Role role) {
      return of_call(positions.empty() ? 0 : std::ranges::max(positions))
          .at(n)
          .rotation.rotate(x, positions, role);
    };
  }
  return out;
}

// What was measured about a position, of an encoding that has a centre in each call: one that has it there,
// or the numbers alone.
std::vector<Parameters> measured_in_calls(const Rotary& subject, const EncodingSpec& spec,
                                          const Parameters& declared, const Precision& precision) {
  Parameters about_0 = declared;
  about_0.set("centre_at", std::string("position"));
  about_0.set("centre", 0.0);
  std::vector<Parameters> out = measured_stretches(subject, spec.oracle<Rotary>(about_0), about_0, precision);
  for (std::size_t n = 0, count = out.size(); n < count; ++n) {
    Parameters numbers = out[n];
    for (const char* name : {"centre_at", "centre"}) numbers.set(name, *declared.find(name));
    if (!(numbers == declared)) out.push_back(std::move(numbers));
  }
  out.push_back(std::move(about_0));
  return out;
}

}  // namespace

std::vector<RotationForm> stretch_forms(const Rotary& subject, const Rotary& truth, const EncodingSpec& spec,
                                        const Parameters& parameters, const Precision& precision) {
  if (!truth.stretch) return {};
  if (parameters.find("scale_base") == nullptr) return other_stretches(truth);
  const std::string& centre_at = parameters.word("centre_at");
  const bool in_calls = centre_at != "position";
  const double scale_base = parameters.real("scale_base");
  std::vector<RotationForm> out =
      in_calls ? other_stretches_in_calls(truth, centre_at == "half_of_call_rounded_up", scale_base)
               : other_stretches(truth, parameters.real("centre"), scale_base);
  for (const Parameters& other : in_calls ? measured_in_calls(subject, spec, parameters, precision)
                                          : measured_stretches(subject, truth, parameters, precision)) {
    try {
      out.push_back({numbers_in(other, parameters), spec.oracle<Rotary>(other)});
    } catch (const Refusal&) {  // it makes no sense with the others
    }
  }
  if (in_calls) return out;
  const double centre = parameters.real("centre");
  for (const OtherZeta& other : measured_zetas(subject, truth, parameters, precision))
    out.push_back(
        {other.words, stretched_by(truth, [=, zeta = other.of_pair](const Pair& pair, double t, Role role) {
           const double e = (t - centre) / scale_base;
           return std::pow(zeta.at(pair.index), role == Role::query ? e : -e);
         })});
  return out;
}

}  // namespace posproof
