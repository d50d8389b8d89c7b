// Where defects are told apart by their answers, and where not: from each other, from what is right, and from
// what another convention has right.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "catalogue/defects.h"
#include "core/call.h"
#include "core/failure.h"
#include "run/catalogued.h"
#include "search/generate.h"

namespace posproof::differ_test {
namespace {

// An answer, or what came instead.
struct Came {
  Tensor answer = {};
  std::string instead = {};
};

bool alike(double a, double b) {
  // Two ways to the same number differ by roundings in double, at positions up to 2^20.
  return (std::isnan(a) && std::isnan(b)) || a == b || std::abs(a - b) <= 1e-9 * (1 + std::abs(a));
}

bool alike(const Came& a, const Came& b) {
  return a.instead == b.instead && a.answer.shape == b.answer.shape &&
         std::ranges::equal(a.answer.data, b.answer.data,
                            [](double one, double other) { return alike(one, other); });
}

// A step, calls as agreement draws them, of usual and of unusual size, and of a table some past its end.
std::vector<Call> calls_of(const Encoding& right) {
  const Domain& domain = positions_of(right);
  RandomDraw first(1, "differ_test", 0);
  std::vector<Call> out = {sequence(right, {domain.lo + 3}, &first)};
  for (std::uint64_t n = 0; n < 60; ++n) {
    RandomDraw draw(1, "differ_test", n < 44 ? n : 8 * n + 7);
    out.push_back(draw_call(right, domain, draw));
  }
  if (domain.ends) out.push_back(sequence(right, {domain.hi + 1, domain.hi + 2}));
  return out;
}

Came asked(const Encoding& encoding, const Call& call) {
  try {
    return {.answer = answer(encoding, call)};
  } catch (const Failure& failure) {
    return {.instead = failure.reason};
  } catch (const Refusal&) {
    return {.instead = "declines"};
  }
}

// What an encoding answers to all of them, one after the other: some remember.
struct Answered {
  std::string name;
  std::vector<Came> all = {};
};

Answered answered(std::string_view name, const Encoding& encoding, const std::vector<Call>& calls) {
  Answered out{std::string(name)};
  for (const Call& call : calls) out.all.push_back(asked(encoding, call));
  return out;
}

// Those of the given ones that answer all calls alike. The calls end where there is none left.
std::vector<std::string> alike(const Encoding& encoding, const std::vector<Call>& calls,
                               std::vector<const Answered*> left) {
  for (std::size_t n = 0; n < calls.size() && !left.empty(); ++n) {
    const Came came = asked(encoding, calls[n]);
    std::erase_if(left, [&](const Answered* one) { return !alike(came, one->all[n]); });
  }
  std::vector<std::string> names;
  for (const Answered* one : left) names.push_back(one->name);
  return names;
}

// The encodings that every convention one parameter away has right.
std::vector<std::pair<std::string, Encoding>> neighbours(const EncodingSpec& spec,
                                                         const Parameters& parameters) {
  std::vector<std::pair<std::string, Encoding>> out;
  for (const Parameter& parameter : spec.parameters)
    for (const Value& value : parameter.grid) try {
        Parameters other = parameters;
        other.set(parameter.name, value);
        if (parameter.convention && other != parameters)
          out.emplace_back(fmt::format("{}={}", parameter.name, text(value)), spec.make(other));
      } catch (const Refusal&) {  // makes no sense with the others
      }
  return out;
}

std::optional<Encoding> made(const Defect& defect, const Parameters& parameters) {
  try {
    return defect.make(parameters);
  } catch (const Refusal&) {
    return std::nullopt;
  }
}

std::set<std::string> settings(const DefectFamily& family) {
  std::set<std::string> out;
  for (const Defect& defect : family.defects) out.emplace(defect.setting);
  return out;
}

// Of each line the first is the defect whose setting it is. These are conventions, too: what is
// refuted for them is said to be one.
TEST(Defects, differ_from_each_other_at_the_setting_of_each_but_for_these) {
  std::vector<std::string> found;
  for (const auto& [family, defects] : catalogue::defects())
    for (const std::string& words : settings(*defects)) {
      const EncodingSpec& spec = encoding_named(family);
      const Parameters parameters = with(spec, Case::parse(words));
      const std::vector<Call> calls = calls_of(spec.make(parameters));
      std::vector<Answered> own;
      for (const Defect& defect : defects->defects)
        if (defect.setting == words) own.push_back(answered(defect.name, defect.make(parameters), calls));
      const auto compare = [&, family = family](std::string_view name, const Encoding& encoding) {
        std::vector<const Answered*> others;
        for (const Answered& one : own)
          if (one.name != name) others.push_back(&one);
        for (const std::string& one : alike(encoding, calls, others))
          found.push_back(fmt::format("{}/{} = {} at {}", family, one, name, words));
      };
      for (const Defect& defect : defects->defects)
        if (const auto encoding = made(defect, parameters)) compare(defect.name, *encoding);
      for (const auto& [name, encoding] : neighbours(spec, parameters)) compare(name, encoding);
    }
  EXPECT_EQ(found, (std::vector<std::string>{
                       "alibi/geometric_for_any_head_count = rule=geometric at heads=3",
                       "axial_rope/halves_exchanged = axis_order=reversed at dim=4",
                       "learned/offset_missing = offset=0 at dim=1 length=8 offset=2",
                       "m_rope/assignment_swapped = assignment=interleaved at dim=8 sections=[2,1,1]",
                       "rope/pairing_swapped = layout=interleaved at dim=4",
                       "rope/scaling_ignored = scaling=none at dim=4 scaling=linear",
                       "rope/scaling_ignored = scaling=llama3 at dim=4 scaling=linear",
                       "sincos_2d/axes_swapped = axis_order=reversed at dim=4",
                       "t5_bias/decoder_bidirectional = direction=bidirectional at heads=1 "
                       "direction=unidirectional",
                       "xpos/centre_of_each_call = centre_at=half_of_call at dim=2"}));
}

// Refused, or another answer than the right one: at the settings of defects, and one parameter away from a
// setting in which most of them show.
TEST(Defects, are_refused_where_they_make_no_difference) {
  const std::map<std::string_view, std::string> usual = {
      {"alibi", "heads=6"},
      {"learned", "dim=2 length=17 offset=1"},
      {"none", "dim=4"},
      {"rope", "dim=8 heads=3"},
      {"sinusoidal", "dim=6"},
      {"t5_bias", "heads=2"},
      {"axial_rope", "dim=12"},
      {"m_rope", "dim=8 sections=[1,2,1]"},
      {"sincos_2d", "dim=8"},
      {"resized_table", "dim=2 from_height=2 from_width=3 height=3 width=5 kept_rows=1"},
      {"xpos", "dim=4"},
      {"shaw", "dim=2 clip=2"},
      {"transformer_xl", "dim=2 form=bidirectional"},
      {"decomposed_relative", "dim=2 grid=[8,6] key_grid=[6,8]"}};
  for (const auto& [family, defects] : catalogue::defects()) {
    const EncodingSpec& spec = encoding_named(family);
    std::set<std::string> settings;
    for (const Parameter& parameter : spec.parameters)
      for (const Value& value : parameter.grid) {
        Case words = Case::parse(usual.at(family));
        words.set(parameter.name, value);
        settings.insert(words.text());
      }
    std::size_t differ = 0;
    for (const std::string& words : settings) try {
        const Parameters parameters = with(spec, Case::parse(words));
        const Encoding right = spec.make(parameters);
        const std::vector<Call> calls = calls_of(right);
        const Answered rightly = answered("right", right, calls);
        for (const Defect& defect : defects->defects)
          if (const auto encoding = made(defect, parameters)) {
            EXPECT_TRUE(alike(*encoding, calls, {&rightly}).empty())
                << family << "/" << defect.name << " is right at " << words;
            ++differ;
          }
      } catch (const Refusal&) {  // no setting of this encoding
      }
    EXPECT_GE(differ, 3 * defects->defects.size()) << family;
  }
}

// Positions before those that were kept are as they are asked for.
TEST(DefectsDiffer, a_cache_has_no_entry_before_its_first) {
  const EncodingSpec& spec = encoding_named("rope");
  const Parameters parameters = with(spec, Case::parse("dim=4"));
  const DefectFamily* rope = nullptr;
  for (const auto& [family, defects] : catalogue::defects())
    if (family == "rope") rope = defects;
  ASSERT_NE(rope, nullptr);
  const auto& all = rope->defects;
  const auto defect = std::ranges::find(all, std::string_view("cache_filled_from_an_offset"), &Defect::name);
  ASSERT_NE(defect, all.end());
  const Encoding right = spec.make(parameters), wrong = defect->make(parameters);
  const auto asked = [&](const Encoding& of, std::vector<Position> at) {
    Call call = sequence(right, at);
    for (double& x : call.contents.at(0).data) x = 1;
    return answer(of, call).data;
  };
  EXPECT_EQ(asked(wrong, {5, 6, 7}), asked(right, {5, 6, 7}));  // fills it
  EXPECT_EQ(asked(wrong, {-1, 0, 3}), asked(right, {-1, 5, 3}));
}

}  // namespace
}  // namespace posproof::differ_test
