// What a wrong subject is said to behave like, within this process: each defect by its own name and by no
// other, and what is near to one by none.
#include "diagnosis/diagnosis.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <utility>

#include "catalogue/defects.h"
#include "core/call.h"
#include "core/formats.h"
#include "core/function.h"
#include "diagnosis/rotation_forms.h"
#include "run/agreement.h"
#include "run/catalogued.h"
#include "search/trial.h"

namespace posproof::diagnosis_test {
namespace {

// A convention or a defect; what was measured, and where it is wrong, are sentences.
bool names_something(const Explanation& one) {
  return one.kind == Explanation::Kind::convention || one.kind == Explanation::Kind::defect;
}

using Names = std::vector<std::string>;

// A setting of a family, and a subject in it. The subject is made anew for the diagnosis: some remember.
struct Diagnosed {
  std::string family, words;
  Function<Encoding(const Parameters&)> make;
  Precision precision = all_f32;

  Parameters parameters() const { return with(encoding_named(family), Case::parse(words)); }

  Names names() const {
    const EncodingSpec& spec = encoding_named(family);
    const Encoding truth = spec.oracle(parameters());
    Case counterexample;
    const Verdict verdict = search(*trial(agreement(truth), make(parameters()), precision),
                                   {.id = "diagnosis_test", .budget = {.cases = 1000, .shrinks = 0}});
    if (const auto* refuted = std::get_if<Refuted>(&verdict)) counterexample = refuted->counterexample;
    const Subject subject{"made", "", make(parameters()), precision};
    Names out;
    for (const Explanation& one : diagnose(spec, family, parameters(), subject, counterexample, 1))
      if (names_something(one)) out.push_back(one.what);
    return out;
  }
};

// Of these defects (of all, where none is named) that make a difference in this setting: what each is said to
// behave like, where that is not its own name alone.
std::map<std::string, Names> confused(const std::string& family, const std::string& words,
                                      const Names& only = {}) {
  std::map<std::string, Names> out;
  std::size_t asked = 0;
  for (const auto& [id, defects] : catalogue::defects())
    for (const Defect& defect : defects->defects) {
      const std::string name(defect.name);
      if (id != family || (!only.empty() && std::ranges::find(only, name) == only.end())) continue;
      const Diagnosed one{family, words, defect.make, defect.precision};
      try {
        defect.make(one.parameters());
      } catch (const Refusal&) {
        continue;
      }
      ++asked;
      if (const Names names = one.names(); names != Names{family + "/" + name}) out[name] = names;
    }
  EXPECT_GE(asked, std::max<std::size_t>(1, only.size()));
  return out;
}

using Confused = std::map<std::string, Names>;

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

TEST(DiagnosisOfDefects, of_rope_tells_all_apart_that_differ) {
  EXPECT_EQ(confused("rope", "dim=8 heads=3 base=500000"),
            (Confused{{"base_ignored", {"--base 10000", "rope/base_ignored"}},
                      {"pairing_swapped", {"--layout interleaved", "rope/pairing_swapped"}}}));
}

TEST(DiagnosisOfDefects, of_a_partial_rope) {
  EXPECT_EQ(confused("rope", "dim=8 rotary_dim=4 base=500000",
                     {"exponent_over_head_dim", "table_padded_over_full_head", "partial_factor_ignored",
                      "exponent_halved", "exponent_over_pairs_minus_one", "packs_of_16_shuffled"}),
            (Confused{{"exponent_halved", {"--exponent dim", "rope/exponent_halved"}},
                      {"exponent_over_pairs_minus_one",
                       {"rope/exponent_doubled", "rope/exponent_over_pairs_minus_one"}},
                      {"partial_factor_ignored", {"--rotary_dim 0", "rope/partial_factor_ignored"}}}));
  EXPECT_EQ(confused("rope", "dim=34", {"warp_shuffle_limit", "rest_of_64_tokens_left_alone"}), Confused{});
}

TEST(DiagnosisOfDefects, of_one_head_and_of_two) {
  const Names one_head = {"rope/frequencies_never_initialised", "rope/position_is_the_head"};
  EXPECT_EQ(confused("rope", "dim=4", {"frequencies_never_initialised", "position_is_the_head"}),
            (Confused{{"frequencies_never_initialised", one_head}, {"position_is_the_head", one_head}}));
  const Names two_heads = {"rope/first_head_only", "rope/last_head_left_alone"};
  EXPECT_EQ(
      confused("rope", "dim=4 heads=2", {"first_head_only", "last_head_left_alone", "position_plus_head"}),
      (Confused{{"first_head_only", two_heads}, {"last_head_left_alone", two_heads}}));
}

// Another convention is said first. One that raises in every call has no answers to compare.
TEST(DiagnosisOfDefects, of_grids) {
  EXPECT_EQ(confused("axial_rope", "dim=8"),
            (Confused{{"halves_exchanged", {"--axis_order reversed", "axial_rope/halves_exchanged"}},
                      {"ladder_half_range", {"--base 100", "axial_rope/ladder_half_range"}}}));
  EXPECT_EQ(confused("m_rope", "dim=12 sections=[2,2,2]"),
            (Confused{{"assignment_swapped", {"--assignment interleaved", "m_rope/assignment_swapped"}},
                      {"tokens_counted_three_times", {}}}));
  EXPECT_EQ(confused("sincos_2d", "dim=8 normalize=centred grid=[5,3]"), Confused{});
}

TEST(DiagnosisOfDefects, of_relatives) {
  EXPECT_EQ(confused("resized_table", "dim=2 from_height=2 from_width=3 height=3 width=5 kept_rows=1"),
            Confused{});
  EXPECT_EQ(confused("xpos", "dim=4"),
            (Confused{{"centre_of_each_call", {"--centre_at half_of_call", "xpos/centre_of_each_call"}}}));
  EXPECT_EQ(confused("shaw", "dim=2 clip=2"), Confused{});
  EXPECT_EQ(confused("transformer_xl", "dim=2 form=bidirectional"), Confused{});
}

TEST(DiagnosisOfDefects, of_scalings) {
  const Confused ignored = {{"scaling_ignored", {"--scaling none", "rope/scaling_ignored"}}};
  EXPECT_EQ(confused("rope", "dim=8 scaling=linear", {"scaling_ignored", "linear_scale_in_exponent"}),
            ignored);
  // A model that was trained on a million positions scales no frequency: that, too, is what it does.
  EXPECT_EQ(confused("rope", "dim=8 scaling=llama3 original_length=64",
                     {"scaling_ignored", "llama3_smoothing_in_wavelength"}),
            (Confused{{"scaling_ignored",
                       {"--scaling none", "--original_length 1000000", "rope/scaling_ignored"}}}));
  EXPECT_EQ(confused("rope", "dim=8 scaling=yarn original_length=512",
                     {"scaling_ignored", "yarn_attention_factor_ignored", "yarn_betas_swapped"}),
            ignored);
  EXPECT_EQ(confused("rope", "dim=8 scaling=ntk", {"scaling_ignored"}), ignored);
}

TEST(DiagnosisOfDefects, of_sinusoidal_tells_all_apart) {
  EXPECT_EQ(confused("sinusoidal", "dim=6"), Confused{});
  EXPECT_EQ(confused("sinusoidal", "dim=5 odd=zero_pad layout=sin_cos"),
            (Confused{{"odd_width_raises", {}}}));  // what raises gives nothing to compare
}

// Of a matrix that is kept the case that refuted it is right when it comes first.
TEST(DiagnosisOfDefects, of_biases_tells_all_apart_that_answer) {
  EXPECT_EQ(confused("alibi", "heads=6"),
            (Confused{{"cached_matrix_too_small", {}},
                      {"geometric_for_any_head_count",
                       {"--rule geometric", "alibi/geometric_for_any_head_count"}}}));
  EXPECT_EQ(confused("alibi", "heads=8 form=symmetric"), (Confused{{"cached_matrix_too_small", {}}}));
  EXPECT_EQ(confused("none", "dim=4"), Confused{});
  EXPECT_EQ(
      confused("t5_bias", "heads=2 direction=unidirectional"),
      (Confused{{"decoder_bidirectional", {"--direction bidirectional", "t5_bias/decoder_bidirectional"}}}));
  EXPECT_EQ(confused("t5_bias", "heads=2 table=seeded"), Confused{});
}

// Past its end a table is not compared: what it does there is for call/refuses_out_of_range.
TEST(DiagnosisOfDefects, of_learned_tells_those_apart_that_show_within_the_table) {
  const Confused past_the_end = {
      {"clamps_past_the_end", {}}, {"returns_zero_past_the_end", {}}, {"wraps_past_the_end", {}}};
  EXPECT_EQ(confused("learned", "dim=2 length=512"), past_the_end);
  EXPECT_EQ(confused("learned", "dim=2 length=512 offset=2", {"offset_missing", "offset_twice"}),
            (Confused{{"offset_missing", {"--offset 0", "learned/offset_missing"}}}));
}

// ---- what is near to a defect or to a convention, and is neither

using Change = Function<void(Call&)>;
using Spoil = Function<void(const Call&, Tensor& out)>;

// The right encoding, asked for another call, or with another answer.
Function<Encoding(const Parameters&)> asked_for(const std::string& family, Change change, Spoil spoil = {}) {
  return [=](const Parameters& parameters) {
    const Encoding right = encoding_named(family).oracle(parameters);
    return answered_by(right, [=](Call call) {
      change(call);
      Tensor out = answer(right, call);
      if (spoil) spoil(call, out);
      return out;
    });
  };
}

Function<Encoding(const Parameters&)> spoiled(const std::string& family, Spoil spoil) {
  return asked_for(
      family, [](Call&) {}, std::move(spoil));
}

Change at(Function<Position(Position)> position) {
  return [=](Call& call) {
    for (Position& t : call.positions.whole) t = position(t);
  };
}

// The right encoding of other parameters, under these.
Function<Encoding(const Parameters&)> of_other(const std::string& family, const std::string& words) {
  return [=](Parameters parameters) {
    const EncodingSpec& spec = encoding_named(family);
    const Encoding declared = spec.oracle(parameters);
    const Case changed = Case::parse(words);
    for (const auto& [name, value] : changed.fields()) parameters.set(name, value);
    const Encoding other = spec.oracle(parameters);
    return answered_by(declared, [other](const Call& call) { return answer(other, call); });
  };
}

struct Near {
  std::string what;
  Function<Encoding(const Parameters&)> make;
};

void expect_no_name(const std::string& family, const std::string& words, const std::vector<Near>& all) {
  for (const Near& one : all) EXPECT_EQ((Diagnosed{family, words, one.make}.names()), Names{}) << one.what;
}

// Rows of x as a call of a rotary has them: [batch, heads, n].
struct Row {
  std::size_t batch, head, token;
};
Spoil left_alone(Function<bool(const Call&, Row, std::size_t tokens)> is_left) {
  return [=](const Call& call, Tensor& out) {
    const Tensor& x = call.contents.front();
    const std::size_t heads = x.shape[1], n = x.shape[2];
    for (std::size_t r = 0; r < out.rows(); ++r)
      if (is_left(call, {r / n / heads, r / n % heads, r % n}, n))
        std::ranges::copy(x.row(r), out.row(r).begin());
  };
}

TEST(DiagnosisOfNearMisses, of_rope_is_none) {
  const std::string id = "rope";
  expect_no_name(
      id, "dim=8 heads=3",
      {{"another base", of_other(id, "base=10100")},
       {"a base of 1000", of_other(id, "base=1000")},
       {"two conventions at once", of_other(id, "layout=interleaved direction=backward")},
       {"two positions ahead", asked_for(id, at([](Position t) { return t + 2; }))},
       {"one position behind", asked_for(id, at([](Position t) { return t - 1; }))},
       {"three times the position", asked_for(id, at([](Position t) { return 3 * t; }))},
       {"clamped at 3000", asked_for(id, at([](Position t) { return std::min<Position>(t, 3000); }))},
       {"wrapped at 32768", asked_for(id, at([](Position t) { return t % 32768; }))},
       {"queries in bf16", asked_for(id,
                                     [](Call& call) {
                                       if (call.role != Role::query) return;
                                       for (Position& t : call.positions.whole)
                                         t = static_cast<Position>(to_bf16(static_cast<double>(t)));
                                     })},
       {"keys one position ahead", asked_for(id,
                                             [](Call& call) {
                                               for (Position& t : call.positions.whole)
                                                 t += call.role == Role::key ? 1 : 0;
                                             })},
       {"one position ahead in calls of one row", asked_for(id,
                                                            [](Call& call) {
                                                              for (Position& t : call.positions.whole)
                                                                t += call.batch == 1 ? 1 : 0;
                                                            })},
       {"the middle head left alone",
        spoiled(id, left_alone([](const Call&, Row row, std::size_t) { return row.head == 1; }))},
       {"odd tokens left alone",
        spoiled(id, left_alone([](const Call&, Row row, std::size_t) { return row.token % 2 == 1; }))},
       {"what is left of 32 tokens left alone",
        spoiled(id, left_alone([](const Call&, Row row, std::size_t n) {
                  return n > 32 && row.token >= n / 32 * 32;
                }))},
       {"a thousandth too long", spoiled(id,
                                         [](const Call&, Tensor& out) {
                                           for (double& value : out.data) value *= 1.001;
                                         })},
       {"one position ahead and one channel off",
        asked_for(id, at([](Position t) { return t + 1; }), [](const Call&, Tensor& out) {
          for (std::size_t r = 0; r < out.rows(); ++r) out.at(r, 7) += 1e-3;
        })}});
}

TEST(DiagnosisOfNearMisses, of_sinusoidal_is_none) {
  const std::string id = "sinusoidal";
  expect_no_name(id, "dim=6",
                 {{"offset 3", of_other(id, "offset=3")},
                  {"a base of 1000", of_other(id, "base=1000")},
                  {"three quarters of the amplitude", of_other(id, "amplitude=0.75")},
                  {"two conventions at once", of_other(id, "layout=sin_cos divisor=half_minus_one")},
                  {"twice the position", asked_for(id, at([](Position t) { return 2 * t; }))},
                  {"a single token at 1", asked_for(id,
                                                    [](Call& call) {
                                                      if (call.positions.whole.size() == 1)
                                                        call.positions.whole = {1};
                                                    })},
                  {"the last column is 0", spoiled(id,
                                                   [](const Call&, Tensor& out) {
                                                     for (std::size_t r = 0; r < out.rows(); ++r)
                                                       out.at(r, 5) = 0;
                                                   })},
                  {"zeros past position 1000", spoiled(id, [](const Call& call, Tensor& out) {
                     for (std::size_t r = 0; r < out.rows(); ++r)
                       if (call.positions.whole[r] > 1000) std::ranges::fill(out.row(r), 0.0);
                   })}});
}

// The entry of a bias, from itself, its head, and the positions of its query and key.
Spoil entries(Function<double(double entry, std::size_t head, Position i, Position j)> other) {
  return [=](const Call& call, Tensor& out) {
    const auto &i = call.positions.whole, &j = call.keys.whole;
    for (std::size_t e = 0; e < out.data.size(); ++e)
      out.data[e] =
          other(out.data[e], e / (i.size() * j.size()), i[e / j.size() % i.size()], j[e % j.size()]);
  };
}

TEST(DiagnosisOfNearMisses, of_alibi_is_none) {
  const std::string id = "alibi";
  using At = Position;
  EXPECT_EQ((Diagnosed{id, "heads=12", of_other(id, "max_bias=7")}.names()), Names{"--max_bias 7"});
  expect_no_name(
      id, "heads=12",
      {{"slopes of a maximum of 7.3", of_other(id, "max_bias=7.3")},
       {"slopes a hundredth too large",
        spoiled(id, entries([](double b, std::size_t, At, At) { return b * 1.01; }))},
       {"distant keys favoured by the first head",
        spoiled(id, entries([](double b, std::size_t head, At, At) { return head == 0 ? -b : b; }))},
       {"the last head without a bias",
        spoiled(id, entries([](double b, std::size_t head, At, At) { return head == 11 ? 0 : b; }))},
       {"entries in bf16", spoiled(id, entries([](double b, std::size_t, At, At) { return to_bf16(b); }))},
       {"distances up to 1000", spoiled(id, entries([](double b, std::size_t, At i, At j) {
                                          return i - j <= 1000 ? b : b * 1000 / static_cast<double>(i - j);
                                        }))}});
}

TEST(DiagnosisOfNearMisses, of_t5_bias_is_none) {
  const std::string id = "t5_bias";
  expect_no_name(
      id, "heads=2 table=seeded",
      {{"a cap at 96", of_other(id, "max_distance=96")},
       {"one bucket more on a side", of_other(id, "buckets=34")},
       {"another seed", of_other(id, "table_seed=3")},
       {"queries one position ahead", asked_for(id, at([](Position t) { return t + 1; }))},
       {"the heads change places", spoiled(id,
                                           [](const Call&, Tensor& out) {
                                             const auto half =
                                                 static_cast<std::ptrdiff_t>(out.data.size() / 2);
                                             std::rotate(out.data.begin(), out.data.begin() + half,
                                                         out.data.end());
                                           })},
       {"the last bucket is 0", spoiled(id, entries([](double b, std::size_t, Position i, Position j) {
                                          return i - j > 128 ? 0 : b;
                                        }))}});
}

TEST(DiagnosisOfNearMisses, of_learned_is_none) {
  const std::string id = "learned";
  const auto clamped = [](Position t) { return std::clamp<Position>(t, 0, 509); };
  expect_no_name(id, "dim=2 length=512 offset=2",
                 {{"one row ahead", asked_for(id, at([=](Position t) { return clamped(t + 1); }))},
                  {"three rows behind", asked_for(id, at([=](Position t) { return clamped(t - 3); }))},
                  {"half the position", asked_for(id, at([](Position t) { return t / 2; }))},
                  {"a single token at 1", asked_for(id,
                                                    [](Call& call) {
                                                      if (call.positions.whole.size() == 1)
                                                        call.positions.whole = {1};
                                                    })},
                  {"columns change places", spoiled(id, [](const Call&, Tensor& out) {
                     for (std::size_t r = 0; r < out.rows(); ++r) std::swap(out.at(r, 0), out.at(r, 1));
                   })}});
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

// What answers nothing is explained by nothing.
// One frequency has the columns of the coordinate and of the first frequency, which are right, and no others.
TEST(DiagnosisOfNearMisses, of_fewer_columns_is_none) {
  const Diagnosed wrong{"nerf", "frequencies=3 factor=one input=first", [](const Parameters& p) {
                          Table table = as<Table>(encoding_named("nerf").make(p));
                          table.rows = [own = table.rows](const Positions& positions, Position length) {
                            Tensor rows = own(positions, length);
                            for (std::size_t r = 0; r < rows.rows(); ++r)
                              for (std::size_t c = 3; c < rows.width(); ++c) rows.at(r, c) *= 1 + 0x1p-10;
                            return rows;
                          };
                          return Encoding(table);
                        }};
  EXPECT_EQ(wrong.names(), Names{});
}

TEST(DiagnosisOfNearMisses, of_what_declines_or_raises_is_none) {
  const auto raising = [](const Parameters& parameters) {
    return answered_by(encoding_named("rope").oracle(parameters),
                       [](const Call&) -> Tensor { throw std::runtime_error("no"); });
  };
  EXPECT_EQ((Diagnosed{"rope", "dim=4", raising}.names()), Names{});
  const auto declining = [](const Parameters& parameters) {
    return answered_by(encoding_named("rope").oracle(parameters),
                       [](const Call&) -> Tensor { throw Refusal("no"); });
  };
  EXPECT_EQ((Diagnosed{"rope", "dim=4", declining}.names()), Names{});
}

// Right but for the case that refuted it: no candidate stands that does not explain that one.
TEST(DiagnosisOfNearMisses, does_not_stand_where_the_counterexample_is_not_explained) {
  const EncodingSpec& rope = encoding_named("rope");
  const Parameters parameters = with(rope, Case::parse("dim=4"));
  const Encoding right = rope.oracle(parameters);
  const Subject subject{"made", "",
                        answered_by(right,
                                    [right](Call call) {
                                      const bool refuting =
                                          call.positions.whole == std::vector<Position>{777777};
                                      for (Position& t : call.positions.whole) t += refuting ? 5 : 1;
                                      return answer(right, call);
                                    }),
                        all_f32};
  const auto names = [&](std::string_view counterexample) {
    Names out;
    for (const Explanation& one : diagnose(rope, "rope", parameters, subject, Case::parse(counterexample), 1))
      if (names_something(one)) out.push_back(one.what);
    return out;
  };
  EXPECT_EQ(names("batch=1 tokens=1 t=777777 role=query x=[1,0,0,0]"), Names{});
  EXPECT_EQ(names("batch=1 tokens=1 t=777778 role=query x=[1,0,0,0]"), Names{"rope/one_position_ahead"});
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

}  // namespace
}  // namespace posproof::diagnosis_test
