#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catalogue/encodings/rope.h"
#include "catalogue/misreadings/rope.h"
#include "core/by_row.h"
#include "misreadings/right.h"
#include "misreadings/rope_ladders.h"

namespace posproof::misreadings_rope {
namespace {

using misread::Real;

// A longer call's, and with L0 for L a shorter one's, too.
Real one_forgotten_of_all(Real factor, Real lengths, Real exponent) {
  return std::pow(factor * lengths, exponent);
}

// What the base of a longer call is multiplied with: of the factor, the call's length over the one that was
// trained on, and the exponent d/(d-2).
using Growth = Real (*)(Real factor, Real lengths, Real exponent);

// Which tokens decide on the length of the call.
enum class Decides { all, last_row, first_row };

std::span<const Position> deciding(std::span<const Position> positions, std::size_t batch, Decides decides) {
  const std::size_t tokens = batch == 0 ? 0 : positions.size() / batch;
  if (decides == Decides::all) return positions;
  return decides == Decides::last_row ? positions.last(tokens) : positions.first(tokens);
}

// Whose width the exponent d/(d-2) is made of.
enum class WidthOf { what_rotates, head };

template <Growth growth, Position more = 0, Decides decides = Decides::all,
          WidthOf width_of = WidthOf::what_rotates>
Encoding dynamic(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::rope, given);
  if (!p.is("scaling", "dynamic_ntk") || p.whole("length") != 0)
    throw Refusal("a misreading of bases that depend on the call's length");
  const bool of_each_row = p.is("length_of", "row");
  if (of_each_row && decides != Decides::all) throw Refusal("each row decides for itself");
  Rotary out = encodings::rope.make<Rotary>(given);
  const Real factor = p.real("factor"), trained = p.real("original_length"), base = p.real("base"),
             rotates = 2 * static_cast<Real>(out.pairs.size()),
             width = width_of == WidthOf::head ? static_cast<Real>(out.dim) : rotates,
             exponent = width / (width - 2);
  if (width_of == WidthOf::head && width == rotates) throw Refusal("the same where the whole head rotates");
  out.in_call = [=, right = out.in_call](Position last) {
    const Real lengths = static_cast<Real>(last + 1 + more) / trained;
    Parameters plain = p.parameters();
    plain.set("scaling", std::string("none"));
    const bool short_ones = growth == &one_forgotten_of_all;
    plain.set("base", static_cast<double>(lengths > 1 || short_ones
                                              ? base * growth(factor, std::max<Real>(lengths, 1), exponent)
                                              : base));
    auto made = std::make_shared<Rotary>(encodings::rope.make<Rotary>(plain));
    const auto declared = right(last);
    for (std::size_t i = 0; i < made->pairs.size(); ++i)
      made->pairs[i].frequency_error = declared->pairs[i].frequency_error;
    return made;
  };
  out.rotate = [in_call = out.in_call](const Tensor& x, std::span<const Position> positions, Role role) {
    const auto of = deciding(positions, x.shape.front(), decides);
    return in_call(of.empty() ? 0 : std::ranges::max(of))->rotate(x, positions, role);
  };
  return of_each_row ? by_row(std::move(out)) : out;
}

Real one_forgotten(Real factor, Real lengths, Real exponent) {
  return std::pow(factor * lengths, exponent);
}
Real factor_taken_off(Real factor, Real lengths, Real exponent) {
  return std::pow(factor * lengths - factor, exponent);
}
Real without_factor(Real, Real lengths, Real exponent) {
  return std::pow(lengths, exponent);
}
Real plain_power(Real factor, Real lengths, Real) {
  return factor * lengths - (factor - 1);
}
Real root(Real factor, Real lengths, Real exponent) {
  return std::pow(factor * lengths - (factor - 1), 1 / exponent);
}
Real right(Real factor, Real lengths, Real exponent) {
  return std::pow(factor * lengths - (factor - 1), exponent);
}

// The divisors of LongRoPE's frequencies, one for each pair, read otherwise.
using Divisors = std::vector<double> (*)(const std::vector<double>& declared);

template <Divisors other, bool short_ones = true>
Encoding divided_by(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::rope, given);
  if (!p.is("scaling", "longrope")) throw Refusal("a misreading of divisors");
  const std::size_t pairs = encodings::rope.make<Rotary>(given).pairs.size();
  if (!short_ones && p.list("short_factors").empty()) throw Refusal("the same without short ones");
  Parameters out = p.parameters();
  bool differs = false;
  for (const std::string name : {"factors", "short_factors"}) {
    std::vector<double> each = p.list(name);
    if (each.empty() || (name == "short_factors" && !short_ones)) continue;
    each.resize(std::max(each.size(), pairs), each.back());
    const std::vector<double> read = other(each);
    differs = differs || read != each;
    out.set(name, read);
  }
  if (!differs) throw Refusal("the same divisors");
  return encodings::rope.make(out);
}

// LongRoPE whose short calls are not scaled.
Encoding short_ones_unscaled(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::rope, given);
  Rotary out = encodings::rope.make<Rotary>(given);
  if (!p.is("scaling", "longrope") || !out.in_call) throw Refusal("a misreading of short sequences");
  if (out.amplitude == 1) throw Refusal("the same amplitude");
  const bool of_each_row = is_by_row(out);
  out.in_call = [right = std::move(out.in_call), trained = p.real("original_length")](Position last) {
    Rotary made = *right(last);
    if (static_cast<double>(last) < trained) made.amplitude = 1;
    return std::make_shared<const Rotary>(misread::at_frequencies(std::move(made)));
  };
  out.rotate = [in_call = out.in_call](const Tensor& x, std::span<const Position> positions, Role role) {
    return in_call(positions.empty() ? 0 : std::ranges::max(positions))->rotate(x, positions, role);
  };
  return of_each_row ? by_row(std::move(out)) : out;
}

// The factor of cosines and sines, formed otherwise of the declared one (0: none), s and L0.
using AttentionFactor = Real (*)(Real declared, Real factor, Real trained);
enum class Given { no, yes };

template <AttentionFactor other, Given is_given>
Encoding attention_factor(const Parameters& given, const std::string& kind) {
  const Arguments p = misread::arguments(encodings::rope, given);
  const Real declared = p.real("attention_factor");
  if (!p.is("scaling", kind) || (declared != 0) != (is_given == Given::yes))
    throw Refusal("a misreading of the attention factor of " + kind);
  const double right = encodings::rope.make<Rotary>(given).amplitude;
  const auto read = static_cast<double>(
      other(is_given == Given::yes ? declared : right, p.real("factor"), p.real("original_length")));
  if (!(read > 0) || std::abs(read / right - 1) < 1e-12) throw Refusal("the same attention factor");
  Parameters out = p.parameters();
  out.set("attention_factor", read);
  return encodings::rope.make(out);
}
template <AttentionFactor other, Given is_given = Given::no>
Encoding yarn_factor(const Parameters& given) {
  return attention_factor<other, is_given>(given, "yarn");
}
template <AttentionFactor other>
Encoding longrope_factor(const Parameters& given) {
  return attention_factor<other, Given::no>(given, "longrope");
}

Real by_yarn(Real, Real factor, Real) {
  return std::log(factor) / 10 + 1;
}
Real by_yarn_of_declared(Real declared, Real factor, Real) {
  return declared * std::log(factor) / 10 + 1;
}
Real times_by_yarn(Real declared, Real factor, Real) {
  return declared * by_yarn(declared, factor, 0);
}
Real squared(Real declared, Real, Real) {
  return declared * declared;
}
Real by_log2(Real, Real factor, Real) {
  return std::log2(factor) / 10 + 1;
}
Real by_log10(Real, Real factor, Real) {
  return std::log10(factor) / 10 + 1;
}
Real of_extended_length(Real, Real factor, Real trained) {
  return std::sqrt(1 + std::log(factor) / std::log(factor * trained));
}
Real without_root(Real, Real factor, Real trained) {
  return 1 + std::log(factor) / std::log(trained);
}

std::vector<double> reversed(const std::vector<double>& declared) {
  return {declared.rbegin(), declared.rend()};
}
std::vector<double> reciprocal(const std::vector<double>& declared) {
  std::vector<double> out;
  for (const double one : declared) out.push_back(1 / one);
  return out;
}
std::vector<double> one_before(const std::vector<double>& declared) {
  std::vector<double> out = {declared.back()};
  out.insert(out.end(), declared.begin(), declared.end() - 1);
  return out;
}
std::vector<double> one_after(const std::vector<double>& declared) {
  std::vector<double> out(declared.begin() + 1, declared.end());
  out.push_back(declared.front());
  return out;
}

// The pairs that are kept are those that are slowest.
Encoding slowest_kept(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::rope, given);
  const std::size_t kept = p.width("kept_pairs");
  Rotary out = encodings::rope.make<Rotary>(given);
  Parameters plain = p.parameters();
  plain.set("kept_pairs", 0.0);
  const Rotary all = encodings::rope.make<Rotary>(plain);
  if (kept == 0 || kept >= all.pairs.size()) throw Refusal("all pairs rotate");
  if (all.in_call || !all.order.empty()) throw Refusal("said of frequencies that are the same in all calls");
  const std::size_t still = all.pairs.size() - kept;
  out.pairs.assign(all.pairs.begin() + static_cast<std::ptrdiff_t>(still), all.pairs.end());
  out.rotate = [all, still](const Tensor& x, const Positions& positions, Role role) {
    Tensor rotated = all.rotate(x, positions, role);
    for (std::size_t row = 0; row < x.rows(); ++row)
      for (std::size_t i = 0; i < still; ++i)
        for (const std::size_t c : {all.pairs[i].first, all.pairs[i].second})
          rotated.at(row, c) = x.at(row, c);
    return rotated;
  };
  return out;
}

constexpr std::string_view divided =
    "dim=8 scaling=longrope factor=8 original_length=64 factors=[1,1.5,2,4] short_factors=[1,1.1,1.2,1.5]";

constexpr std::string_view grows = "dim=16 scaling=dynamic_ntk factor=4 original_length=64";

constexpr std::string_view partial_grows =
    "dim=32 rotary_dim=16 scaling=dynamic_ntk factor=4 original_length=64";

constexpr std::string_view llama = "dim=64 scaling=llama3 factor=8 original_length=1024";
constexpr std::string_view yarn = "dim=16 scaling=yarn factor=8 original_length=1024";
constexpr std::string_view partial_yarn = "dim=64 rotary_dim=32 scaling=yarn factor=8 original_length=1024";
constexpr std::string_view given_yarn =
    "dim=16 scaling=yarn factor=8 original_length=1024 attention_factor=1.25";
constexpr std::string_view longrope =
    "dim=8 scaling=longrope factor=8 original_length=128 factors=[1,1.5,2,4]";

// What is said of short calls needs many of them.
constexpr std::string_view divided_in_short_calls =
    "dim=8 scaling=longrope factor=8 original_length=4096 factors=[1,1.5,2,4] short_factors=[1,1.1,1.2,1.5]";
constexpr std::string_view grows_in_short_calls = "dim=16 scaling=dynamic_ntk factor=4 original_length=4096";

}  // namespace

const MisreadingFamily entry{{
    {"the base is multiplied by (s L/L0)^(d/(d-2)): s - 1 is not taken off", &dynamic<one_forgotten>, grows},
    {"the base is multiplied by (s L/L0 - s)^(d/(d-2)): s is taken off, not s - 1",
     &dynamic<factor_taken_off>, grows},
    {"the base is multiplied by (L/L0)^(d/(d-2)), without the factor s", &dynamic<without_factor>, grows},
    {"the base is multiplied by s L/L0 - (s - 1) itself, without the power d/(d-2)", &dynamic<plain_power>,
     grows},
    {"the base is multiplied by (s L/L0 - (s - 1))^((d-2)/d): the power is upside down", &dynamic<root>,
     grows},
    {"the base is multiplied by (s L/L0 - (s - 1))^(d/(d-2)) with the width of the head for d, not of what "
     "rotates",
     &dynamic<right, 0, Decides::all, WidthOf::head>, partial_grows},
    {"the length of the call counts one less: its last position", &dynamic<right, -1>, grows},
    {"the length of the call counts one more", &dynamic<right, 1>, grows},
    {"the base is multiplied by (s L/L0)^(d/(d-2)), of short calls by s^(d/(d-2)): s - 1 is not taken off",
     &dynamic<one_forgotten_of_all>, grows_in_short_calls},
    {"the last row of the batch decides on the length of the call, not the longest",
     &dynamic<right, 0, Decides::last_row>, grows},
    {"the first row of the batch decides on the length of the call, not the longest",
     &dynamic<right, 0, Decides::first_row>, grows},
    {"the divisors stand in reverse order: pair i has that of the last pair but i", &divided_by<reversed>,
     divided},
    {"the divisors of long sequences stand in reverse order, those of short ones do not",
     &divided_by<reversed, false>, divided_in_short_calls},
    {"frequencies are multiplied by their divisors", &divided_by<reciprocal>, divided},
    {"every pair has the divisor of the pair before, the first that of the last", &divided_by<one_before>,
     divided},
    {"every pair has the divisor of the pair after, the last that of the first", &divided_by<one_after>,
     divided},
    {"short calls are not multiplied by the attention factor", &short_ones_unscaled, divided_in_short_calls},
    {"there is no ramp: every pair below high_freq_factor rotations is divided by the factor, as where "
     "low_freq_factor and high_freq_factor are exchanged",
     &misread::llama3<misread::between<misread::none_of_it>>, llama},
    {"there is no ramp: every pair from low_freq_factor rotations on is kept",
     &misread::llama3<misread::between<misread::all_of_it>>, llama},
    {"the ramp between low_freq_factor and high_freq_factor rotations is reversed",
     &misread::llama3<misread::between<misread::what_is_left>>, llama},
    {"the share of the unscaled frequency is (r - high_freq_factor)/(high_freq_factor - low_freq_factor), r "
     "being the rotations: low_freq_factor is not what is taken off",
     &misread::llama3<misread::between<misread::from_high>>, llama},
    {"wavelengths are 1/w: 2 pi is missing", &misread::llama3<misread::with_turn<1>>, llama},
    {"wavelengths are 2/w: pi is missing", &misread::llama3<misread::with_turn<2>>, llama},
    {"wavelengths are interpolated along the ramp, not frequencies",
     &misread::llama3<misread::between_wavelengths>, llama},
    {"the ramp is not clamped: it goes on before its first pair and behind its last",
     &misread::yarn<misread::not_clamped>, yarn},
    {"wavelengths are interpolated along YaRN's ramp, not frequencies",
     &misread::yarn<misread::ramp_of_wavelengths>, yarn},
    {"YaRN's ramp is made for all channels of a head, not for those that rotate",
     &misread::yarn<misread::ramp_of_head>, partial_yarn},
    {"the declared attention factor a is put through its formula again: 0.1 a ln s + 1",
     &yarn_factor<by_yarn_of_declared, Given::yes>, given_yarn},
    {"the declared attention factor is multiplied by 0.1 ln s + 1", &yarn_factor<times_by_yarn, Given::yes>,
     given_yarn},
    {"the attention factor is squared: it is applied twice", &yarn_factor<squared>, yarn},
    {"the attention factor is 0.1 log2 s + 1: log2 for ln", &yarn_factor<by_log2>, yarn},
    {"the attention factor is 0.1 log10 s + 1: log10 for ln", &yarn_factor<by_log10>, yarn},
    {"the attention factor is sqrt(1 + ln s/ln(s L0)): of the extended length, not of the trained one",
     &longrope_factor<of_extended_length>, longrope},
    {"the attention factor is 1 + ln s/ln L0, without the root", &longrope_factor<without_root>, longrope},
    {"the attention factor is YaRN's, 0.1 ln s + 1", &longrope_factor<by_yarn>, longrope},
    {"the slowest kept_pairs pairs rotate, not the fastest", &slowest_kept, "dim=16 kept_pairs=3"},
}};

}  // namespace posproof::misreadings_rope
