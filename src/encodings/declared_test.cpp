// What the references and the oracles declare of their encodings, beside each other: a reader of one meets
// what a reader of the other does.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "catalogue/encodings.h"
#include "core/encoding.h"
#include "core/parameter.h"
#include "core/spec.h"
#include "run/catalogued.h"

namespace posproof::declared_test {
namespace {

std::string text_of(const Domain& domain) {
  return fmt::format("{}..{} ends={} axes={} last=[{}] real={}", domain.lo, domain.hi, domain.ends,
                     domain.axes, fmt::join(domain.last_on_axis, ","), domain.real);
}

// With six digits: a reference computes its frequencies in another way.
std::string text_of(std::vector<Pair> pairs) {
  std::ranges::sort(pairs, {}, &Pair::first);
  std::string out;
  for (const Pair& pair : pairs)
    out += fmt::format("({},{}) {:.6g} #{} axis {}; ", pair.first, pair.second, pair.frequency, pair.index,
                       pair.axis);
  return out;
}

struct Declared {
  std::string operator()(const Table& of) const {
    return fmt::format("dim={} amplitude={:.6g} offset={} lone={} {}", of.dim, of.amplitude, of.offset,
                       of.lone ? text_of(std::vector{*of.lone}) : "none", text_of(of.pairs));
  }
  std::string operator()(const Rotary& of) const {
    return fmt::format("dim={} heads={} amplitude={:.6g} order=[{}] stretch={} in_call={} {}", of.dim,
                       of.heads, of.amplitude, fmt::join(of.order, ","), bool(of.stretch), bool(of.in_call),
                       text_of(of.pairs));
  }
  std::string operator()(const Bias& of) const {
    std::string slopes;
    for (const double slope : of.slopes) slopes += fmt::format("{:.6g} ", slope + 0.0);
    const Buckets buckets = of.buckets.value_or(Buckets{});
    return fmt::format("heads={} slopes={} buckets={} {} {} {} causal={} modulo_rows={}", of.heads, slopes,
                       of.buckets.has_value(), buckets.count, buckets.max_distance, buckets.bidirectional,
                       of.causal, of.modulo_rows);
  }
  std::string operator()(const Contextual& of) const {
    return fmt::format("dim={} heads={} positional={} causal={} modulo_rows={}", of.dim, of.heads,
                       of.positional, of.causal, of.modulo_rows);
  }
  std::string operator()(const Attention& of) const {
    return fmt::format("dim={} value_dim={} only_logits={} positional={} causal={} any_mask={}", of.dim,
                       of.value_dim, of.only_logits, of.positional, of.causal, of.any_mask);
  }
};

std::string declared(const Encoding& of) {
  return fmt::format("{}: {}: {}", kind(of), text_of(positions_of(of)), std::visit(Declared{}, of));
}

// At standard parameters but for a small width, and with each value that is searched in place of its own.
std::vector<Parameters> settings_of(const EncodingSpec& spec) {
  std::vector<Parameters> out = {{}};
  for (const Parameter& parameter : spec.parameters)
    for (const Value& value : parameter.grid) {
      Parameters one;
      one.set(parameter.name, value);
      for (const auto& [name, values] : parameter.matters_where.all) one.set(name, values.front());
      out.push_back(one);
    }
  return out;
}

TEST(Declared, by_reference_and_oracle_is_the_same) {
  for (const auto& [id, spec] : catalogue::encodings())
    for (const Parameters& given : settings_of(*spec)) {
      try {
        const Parameters all = Arguments(spec->parameters, given).parameters();
        EXPECT_EQ(declared(spec->make(all)), declared(spec->oracle(all))) << id << " " << given.text();
      } catch (const Refusal&) {  // not together with the standard values of others
      }
    }
}

// Of all pairs, lowest and highest.
std::pair<double, double> frequencies(std::string_view id, const std::string& words) {
  const EncodingSpec& spec = encoding_named(id);
  const Encoding made = spec.make(with(spec, Case::parse(words)));
  double lowest = std::numeric_limits<double>::infinity(), highest = 0;
  for (const Pair& pair : pairs_of(made)) {
    lowest = std::min(lowest, pair.frequency);
    highest = std::max(highest, pair.frequency);
  }
  return {lowest, highest};
}

// What the help of `base` says, above 1 and below.
TEST(Declared, frequencies_go_from_1_to_nearly_1_over_the_base_at_large_widths) {
  for (const auto& [id, more] :
       std::vector<std::pair<std::string, std::string>>{{"sinusoidal", "base="},
                                                        {"sinusoidal", "divisor=half_minus_one base="},
                                                        {"sincos_2d", "base="},
                                                        {"timestep_embedding", "max_period="},
                                                        {"timestep_embedding", "shift=0 max_period="},
                                                        {"xpos", "base="},
                                                        {"axial_rope", "base="},
                                                        {"axial_rope", "ladder=strided base="},
                                                        {"rope", "base="},
                                                        {"m_rope", "sections=[768,640,640] base="}}) {
    const auto above = frequencies(id, "dim=4096 " + more + "10000"),
               below = frequencies(id, "dim=4096 " + more + "0.5");
    EXPECT_EQ(above.second, 1) << id;
    EXPECT_NEAR(above.first, 1e-4, 1e-6) << id;
    EXPECT_EQ(below.first, 1) << id;
    EXPECT_NEAR(below.second, 2, 0.01) << id;
  }
  // Of channels that do not all rotate, and of a ladder that begins again in each section.
  EXPECT_NEAR(frequencies("rope", "dim=4096 rotary_dim=2048 exponent=dim").first, 1e-2, 1e-4);
  EXPECT_NEAR(frequencies("m_rope", "dim=4096 sections=[640,768,640] ladder=restarted").first, 1e-3, 1e-5);
}

// Each at the last setting that it allows, and one past it.
TEST(Declared, relations_end_where_their_words_say) {
  const auto is_allowed = [](std::string_view id, std::string_view words) {
    try {
      with(encoding_named(id), Case::parse(words));
      return true;
    } catch (const Refusal&) {
      return false;
    }
  };
  for (const auto& [id, last, past] : std::vector<std::array<std::string_view, 3>>{
           {"attention_temperature", "original_length=1.25", "original_length=1"},
           {"m_rope", "dim=8 ids=hw sections=[3,0,1]", "dim=8 ids=hw sections=[4,0,0]"}}) {
    EXPECT_TRUE(is_allowed(id, last)) << id << " " << last;
    EXPECT_FALSE(is_allowed(id, past)) << id << " " << past;
  }
}

}  // namespace
}  // namespace posproof::declared_test
