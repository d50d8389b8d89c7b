// What a wrong subject is said to behave like: conventions and defects, best first, and what was measured
// beside them.
#include "diagnosis/diagnosis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/formats.h"
#include "diagnosis/rotation_forms.h"
#include "diagnosis/testing/diagnosed.h"

namespace posproof::diagnosis_test {
namespace {

using testing::asked_for;
using testing::at;
using testing::Diagnosed;
using testing::Names;
using testing::of_other;
using testing::spoiled;

// What is interleaved is asked before what rotates backward.
Encoding failing_where_interleaved(const Arguments& p) {
  if (p.is("layout", "interleaved")) throw std::out_of_range("vector::_M_range_check");
  return encoding_named("rope").exact(p);
}

TEST(Diagnosis, a_candidate_that_fails_costs_neither_the_others_nor_the_verdict) {
  EncodingSpec spec = encoding_named("rope");
  spec.exact = &failing_where_interleaved;
  const Parameters parameters = with(spec, Case::parse("dim=8"));
  const Subject subject{"made", "", spec.make(with(spec, Case::parse("dim=8 direction=backward"))), all_f32};
  const auto found = diagnose(spec, "rope", parameters, subject,
                              Case::parse("batch=1 tokens=1 t=1 role=query x=[1,0*7]"), 1);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().what, "--direction backward");
  const Encoding interleaved =
      encoding_named("rope").make(with(spec, Case::parse("dim=8 layout=interleaved")));
  EXPECT_NO_THROW(diagnose(spec, "rope", parameters, {"made", "", interleaved, all_f32},
                           Case::parse("batch=1 tokens=1 t=1 role=query x=[1,0*7]"), 1));
}

// ---- conventions, best first, and what is not one

TEST(DiagnosisOfConventions, is_another_value_of_one_parameter) {
  const auto names = [](const std::string& family, const std::string& words, const std::string& other) {
    return Diagnosed{family, words, of_other(family, other)}.names();
  };
  EXPECT_EQ(names("binary", "dim=5", "order=msb_first"), Names{"--order msb_first"});
  EXPECT_EQ(names("binary", "dim=5", "values=signs"), Names{"--values signs"});
  EXPECT_EQ(names("none", "dim=3", "scale=one"), Names{"--scale one"});
  EXPECT_EQ(names("normalized_index", "", "range=centred"), Names{"--range centred"});
  EXPECT_EQ(names("raw_index", "", "offset=1"), Names{"--offset 1"});
  EXPECT_EQ(names("raw_index", "offset=1", "offset=0"), Names{"--offset 0"});
  EXPECT_EQ(names("rope", "dim=8", "direction=backward"), Names{"--direction backward"});
  EXPECT_EQ(names("rope", "dim=8 scaling=yarn original_length=512", "truncate=false"),
            Names{"--truncate false"});
  EXPECT_EQ(names("sinusoidal", "dim=6 layout=sin_cos", "layout=cos_sin"), Names{"--layout cos_sin"});
}

TEST(DiagnosisOfConventions, says_what_each_is) {
  const auto explained = [](const std::string& other) {
    const EncodingSpec& rope = encoding_named("rope");
    const Parameters parameters = with(rope, Case::parse("dim=8 heads=3 base=500000"));
    const Subject subject{"made", "", of_other("rope", other)(parameters), all_f32};
    return diagnose(rope, "rope", parameters, subject, {}, 1);
  };
  const auto found = explained("base=10000");
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].kind, Explanation::Kind::convention);
  EXPECT_EQ(found[0].what, "--base 10000");
  EXPECT_EQ(found[0].meaning, encoding_named("rope").parameters.find("base")->meaning);
  EXPECT_EQ(found[0].sources, "");
  EXPECT_EQ(found[1].kind, Explanation::Kind::measured);
  EXPECT_EQ(found[1].meaning + found[1].sources, "");
  EXPECT_EQ(found[2].kind, Explanation::Kind::defect);
  EXPECT_EQ(found[2].what, "rope/base_ignored");
  EXPECT_EQ(found[2].meaning, "w_i = 10000^(-2i/d), whatever the base");
  EXPECT_EQ(found[2].sources, "airllm#369, SpecForge#265, vllm#9503, TensorRT-LLM#785");
}

// All entries of one explain the subject, of another all but one in some hundreds: only the first is said.
TEST(DiagnosisOfConventions, of_several_that_explain_it_the_best_is_said) {
  const std::string id = "rope";
  const auto ahead_but_for_one = asked_for(id, at([](Position t) { return t == 511 ? t : t + 1; }));
  EXPECT_EQ((Diagnosed{id, "dim=8 heads=3", ahead_but_for_one}.names()), Names{"rope/one_position_ahead"});
  const Diagnosed coarse{id, "dim=8 base=10000", of_other(id, "base=10000.000001"), Precision::parse("f64")};
  EXPECT_EQ(coarse.names(), Names{});
}

// ---- what was measured beside a name

std::vector<std::string> kinds_and_words(const std::string& family, const std::string& words,
                                         const Function<Encoding(const Parameters&)>& make,
                                         const Precision& precision = all_f32) {
  const EncodingSpec& spec = encoding_named(family);
  const Parameters parameters = with(spec, Case::parse(words));
  const Subject subject{"made", "", make(parameters), precision};
  std::vector<std::string> out;
  for (const Explanation& one : diagnose(spec, family, parameters, subject, {}, 1))
    out.push_back(std::string(one.kind == Explanation::Kind::convention ? "convention"
                              : one.kind == Explanation::Kind::measured ? "measured"
                              : one.kind == Explanation::Kind::place    ? "place"
                                                                        : "defect") +
                  " " + one.what);
  return out;
}

// Sines that are too small by 2^-8 before they are rounded to bf16, as is declared: what explains most of
// them within that rounding is the rounding itself, which is not wrong.
TEST(DiagnosisMeasured, does_not_say_a_rounding_that_is_declared) {
  const auto sines = [](double factor) {
    return [factor](const Parameters& parameters) {
      const Encoding rope = encoding_named("rope").make(parameters);
      return Encoding(with_cosine_and_sine(as<Rotary>(rope), [factor](long double angle) {
        return std::pair<long double, long double>(to_bf16(static_cast<double>(std::cos(angle))),
                                                   to_bf16(static_cast<double>(std::sin(angle)) * factor));
      }));
    };
  };
  const std::string rounded = "measured cosine and sine are rounded to bf16";
  const auto as_declared =
      kinds_and_words("rope", "dim=8", sines(1 - 0x1p-8), Precision::parse("f32+table=bf16"));
  EXPECT_EQ(std::ranges::find(as_declared, rounded), as_declared.end());
  EXPECT_EQ(std::ranges::find(as_declared, "defect rope/cos_sin_in_bf16"), as_declared.end());
  const auto otherwise = kinds_and_words("rope", "dim=8", sines(1));
  EXPECT_EQ(std::ranges::count(otherwise, rounded), 1);
}

TEST(DiagnosisMeasured, stands_between_conventions_and_names) {
  EXPECT_EQ(
      kinds_and_words("rope", "dim=8 base=500000", of_other("rope", "base=10000")),
      (Names{"convention --base 10000", "measured frequencies are base^(-2i/8) with base 10000, not 500000",
             "defect rope/base_ignored"}));
}

TEST(DiagnosisMeasured, says_by_how_much_a_frequency_is_off) {
  const auto off = [](double relative) {
    return [relative](const Parameters& parameters) {
      const Encoding rope = encoding_named("rope").make(parameters);
      return Encoding(with_cosine_and_sine(as<Rotary>(rope), [relative](long double angle) {
        return std::pair(std::cos(angle * (1 + relative)), std::sin(angle * (1 + relative)));
      }));
    };
  };
  const Precision p = Precision::parse("f32/f64");
  EXPECT_EQ(kinds_and_words("rope", "dim=4", off(1e-7), p),
            (Names{"measured every pair rotates too fast by a relative 1e-07", "defect rope/fast_trig"}));
  EXPECT_EQ(kinds_and_words("rope", "dim=4", off(3e-7), p),
            Names{"measured every pair rotates too fast by a relative 3e-07"});
}

// A causal candidate says nothing of later keys: it is compared there as what was declared is.
TEST(DiagnosisMeasured, compares_a_causal_candidate_at_later_keys) {
  const auto later = [](double at_later_keys) {
    return spoiled("alibi", [at_later_keys](const Call& call, Tensor& out) {
      const auto &i = call.positions.whole, &j = call.keys.whole;
      for (std::size_t e = 0; e < out.data.size(); ++e)
        if (j[e % j.size()] > i[e / j.size() % i.size()]) out.data[e] = at_later_keys;
    });
  };
  EXPECT_EQ(kinds_and_words("alibi", "heads=4 form=symmetric", later(0)),
            (Names{"convention --form causal", "measured later keys have no bias"}));
  EXPECT_EQ(kinds_and_words("alibi", "heads=4 form=symmetric", later(5)),
            Names{"place wrong for keys after the query alone"});
}

// In calls of few tokens, whose length a position alone says, both never scale. As many tokens as scale tell
// them apart.
TEST(DiagnosisMeasured, tells_what_counts_its_tokens_from_what_never_scales) {
  const auto of = [](bool counts) {
    return [counts](const Parameters& parameters) -> Encoding {
      Parameters never = parameters;
      never.set("scaling", std::string("none"));
      Rotary rotary = encoding_named("rope").make<Rotary>(parameters);
      rotary.rotate = [counts, right = rotary, plain = encoding_named("rope").make<Rotary>(never)](
                          const Tensor& x, const Positions& positions, Role role) {
        const auto tokens = static_cast<Position>(x.shape[2]);
        return (counts ? *in_call(right, tokens - 1) : plain).rotate(x, positions, role);
      };
      return rotary;
    };
  };
  const std::string words = "dim=8 scaling=dynamic_ntk factor=4 original_length=2048";
  EXPECT_EQ(kinds_and_words("rope", words, of(true)),
            Names{"measured the number of tokens in a row counts as the length of the call, whatever their "
                  "positions"});
  const Names found = kinds_and_words("rope", words, of(false));
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front(), "convention --scaling none");
}

// LongRoPE with the divisors 1 that it has where none are given is no scaling either.
TEST(DiagnosisOfConventions, says_once_what_several_settings_are) {
  const Names found =
      kinds_and_words("rope", "dim=8 scaling=yarn factor=40 original_length=4096 attention_factor=1",
                      [](const Parameters& parameters) -> Encoding {
                        Parameters none = parameters;
                        none.set("scaling", std::string("none"));
                        return encoding_named("rope").make(none);
                      });
  EXPECT_EQ(std::ranges::count(found, "convention --scaling none"), 1);
  EXPECT_EQ(std::ranges::count(found, "convention --scaling longrope"), 0);
}

}  // namespace
}  // namespace posproof::diagnosis_test
