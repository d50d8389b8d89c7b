// The gate as a user meets it: foreign programs and files, right and wrong, by their verdicts, their smallest
// counterexamples and their names.
#include "gate/gate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>

#include "core/function.h"
#include "run/agreement.h"
#include "run/catalogued.h"
#include "subject/testing/npy.h"
#include "subject/testing/subjects.h"
#include "test_paths.h"

namespace posproof::gate_test {
namespace {

using testing::bad;
using testing::python;
using testing::Written;

GateResult gated(const std::string& encoding, const std::string& parameters, const std::string& subject,
                 const std::string& filter = "", std::uint64_t cases = 300) {
  const EncodingSpec& spec = encoding_named(encoding);
  return gate(encoding, spec, with(spec, Case::parse(parameters)), subject,
              {.budget = {.cases = cases}, .filter = filter, .call_time = std::chrono::milliseconds(8000)});
}

// The agreement alone, which decides about most.
GateResult agreed(const std::string& encoding, const std::string& parameters, const std::string& subject) {
  return gated(encoding, parameters, subject, std::string(agreement_id));
}

std::string variant(const std::string& name) {
  return python("src/subject/testing/variants.py", name);
}

const PropertyResult& asking(const GateResult& found, std::string_view id) {
  for (const PropertyResult& one : found.results)
    if (one.id == id) return one;
  throw std::logic_error("not asked: " + std::string(id));
}

const Refuted* refuted(const GateResult& found, std::string_view id = agreement_id) {
  return std::get_if<Refuted>(&asking(found, id).verdict);
}

std::string story(const GateResult& found) {
  std::string out;
  for (const PropertyResult& one : found.results) {
    if (std::holds_alternative<Holds>(one.verdict)) continue;
    out += one.id + " " + std::string(name(one.verdict));
    if (const auto* errored = std::get_if<Errored>(&one.verdict)) out += " " + errored->what;
    if (const auto* undecided = std::get_if<Undecided>(&one.verdict)) out += " " + undecided->why;
    if (const auto* refuted = std::get_if<Refuted>(&one.verdict))
      out += " at " + refuted->counterexample.text();
    out += "\n";
  }
  for (const Explanation& one : found.explanations) out += one.what + "\n";
  return out;
}

bool passes(const GateResult& found) {
  return !found.results.empty() && !found.refuted() && !found.undecided();
}

bool named(const GateResult& found, std::string_view what) {
  return std::any_of(found.explanations.begin(), found.explanations.end(),
                     [&](const Explanation& one) { return one.what == what; });
}

// Neither a convention nor a defect has its name.
bool nameless(const GateResult& found) {
  return std::all_of(found.explanations.begin(), found.explanations.end(), [](const Explanation& one) {
    return one.kind == Explanation::Kind::measured || one.kind == Explanation::Kind::place;
  });
}

// How many entries of a list are not 0.
std::size_t telling_entries(const Case& at, std::string_view field) {
  const auto& list = std::get<std::vector<double>>(*at.find(field));
  return static_cast<std::size_t>(std::count_if(list.begin(), list.end(), [](double x) { return x != 0; }));
}

TEST(Gate, passes_what_is_right_however_it_is_written) {
  struct {
    std::string variant, encoding, parameters;
  } const all[] = {
      {"half_split", "rope", "dim=16 heads=2 base=500000"},
      {"complex_numbers", "rope", "dim=16 layout=interleaved"},
      {"iterated", "rope", "dim=16"},
      {"power_of_the_ratio", "rope", "dim=16 base=1000000"},
      {"exponential", "rope", "dim=16"},
      {"timescale", "rope", "dim=16 base=10000000"},
      {"fp16_over_fp32", "rope", "dim=16"},
      {"softmax_of_fp32", "none", "dim=16"},
      {"softmax_with_alibi", "alibi", "heads=1"},
      {"slopes_by_recursion", "alibi", "heads=12"},
      {"logarithms_in_f32", "t5_bias", "heads=2"},
  };
  for (const auto& [name, encoding, parameters] : all) {
    const GateResult found = gated(encoding, parameters, variant(name), "", 60);
    EXPECT_TRUE(passes(found)) << name << ":\n" << story(found);
  }
}

// Most code is: queries of one sequence are not asked for over the keys of another.
TEST(Gate, does_not_ask_self_attention_to_attend_across_sequences) {
  const std::string id = "attention/query_order_equivariant", variant_of = "self_attention_alone";
  const GateResult alone = gated("none", "dim=16", variant(variant_of), "", 60);
  EXPECT_TRUE(passes(alone)) << story(alone);
  const std::string why = "it takes as many queries as keys: with other numbers of them it raises an error";
  EXPECT_EQ(std::ranges::count(alone.skipped, id + ": " + why), 1) << ::testing::PrintToString(alone.skipped);
}

TEST(Gate, refutes_what_is_wrong_by_little_and_names_it) {
  struct {
    std::string variant, encoding, parameters, name;
  } const all[] = {
      {"bf16_angles", "rope", "dim=64", "rope/angle_products_in_bf16"},
      {"bf16_frequencies", "rope", "dim=64", "rope/frequencies_in_bf16"},
      {"tf32_angles", "rope", "dim=64", "rope/angles_in_tf32"},
      {"fp16_positions", "rope", "dim=16", "rope/positions_in_f16"},
      {"one_frequency", "rope", "dim=64", ""},
      {"keys_are_not_rotated", "rope", "dim=8", "rope/keys_left_alone"},
      {"positions_of_row_0", "rope", "dim=8", "rope/positions_of_row_0"},
      {"stale_cache", "rope", "dim=8", ""},
      {"clamped", "rope", "dim=8", "rope/clamped_at_2047"},
      {"swapped", "rope", "dim=8", "rope/halves_swapped"},
      {"half_split", "rope", "dim=8 layout=interleaved", "--layout half_split"},
      {"not_a_number", "rope", "dim=8", ""},
      {"divided_by_the_width", "none", "dim=16", ""},
      {"distance_in_bf16", "alibi", "heads=8", "alibi/distance_in_bf16"},
      {"one_set_of_slopes", "alibi", "heads=12", "--rule geometric"},
      {"edge_off_by_one", "t5_bias", "heads=2", ""},
  };
  for (const auto& [name, encoding, parameters, explanation] : all) {
    const GateResult found = agreed(encoding, parameters, variant(name));
    ASSERT_NE(refuted(found), nullptr) << name << ":\n" << story(found);
    EXPECT_TRUE(explanation.empty() ? nameless(found) : named(found, explanation)) << name << ":\n"
                                                                                   << story(found);
  }
}

TEST(Gate, a_moved_result_keeps_the_property_that_it_points_to) {
  GateResult found = agreed("rope", "dim=8", variant("cached"));
  const GateResult moved = std::move(found);
  EXPECT_EQ(moved.results.front().property, moved.made.front().get());
  EXPECT_EQ(moved.results.front().property->statement, "Every value is the exact one, within rounding.");
}

TEST(Gate, asks_a_small_cache_for_every_position) {
  const GateResult right = agreed("rope", "dim=8", variant("cached"));
  const auto* holds = std::get_if<Holds>(&asking(right, agreement_id).verdict);
  ASSERT_NE(holds, nullptr) << story(right);
  // Two long calls; six of many rows, four of prompts and images, two of extents that are alike, five of full
  // blocks of rows, two of many tokens, eight that are arranged apart, four of neighbours in one row alone,
  // two of large and small contents; two between full tiles, four of full ones, three arranged.
  EXPECT_EQ(holds->cases, 300u + 2048u + 2u + 6u + 4u + 2u + 5u + 2u + 8u + 4u + 2u + 2u + 4u + 3u);

  const GateResult wrong = agreed("rope", "dim=8", variant("one_position"));
  ASSERT_NE(refuted(wrong), nullptr) << story(wrong);
  EXPECT_EQ(refuted(wrong)->counterexample.integer("t"), 2731);
  EXPECT_EQ(telling_entries(refuted(wrong)->counterexample, "x"), 1u);
}

TEST(Gate, asks_a_subject_that_ends_whether_it_does) {
  const std::string id = "call/refuses_out_of_range";
  EXPECT_TRUE(passes(gated("rope", "dim=8", variant("cached"), id)));
  EXPECT_NE(refuted(gated("rope", "dim=8", variant("does_not_end"), id), id), nullptr);
  EXPECT_TRUE(passes(gated("learned", "dim=4 length=64", python("examples/numpy_learned.py"), id)));
  for (const std::string wrong : {"clamps", "wraps"})
    EXPECT_NE(refuted(gated("learned", "dim=4 length=64",
                            python("examples/numpy_learned.py", "--wrong " + wrong), id),
                      id),
              nullptr)
        << wrong;
  const Refuted* past = nullptr;
  const GateResult clamped =
      gated("learned", "dim=4 length=64", python("examples/numpy_learned.py", "--wrong clamps"), id);
  ASSERT_NE(past = refuted(clamped, id), nullptr);
  EXPECT_EQ(past->instead, "position 64 is answered, and 63 is the last");
}

TEST(Gate, does_not_ask_what_nothing_can_show) {
  const GateResult found = gated("rope", "dim=8", variant("half_split"), "", 20);
  EXPECT_TRUE(passes(found)) << story(found);
  const auto said = [&](std::string_view id) {
    return std::any_of(found.skipped.begin(), found.skipped.end(),
                       [&](const std::string& why) { return why.find(id) == 0; });
  };
  EXPECT_TRUE(said("call/treats_heads_alike"));           // one head
  EXPECT_TRUE(said("rotary/leaves_the_tail_untouched"));  // no tail
}

TEST(Gate, shrinks_and_names_the_variants_of_torch_rope) {
  if (!POSPROOF_PYTHON_HAS_TORCH) GTEST_SKIP() << "the Python that was found cannot import torch";
  const auto rope = [](const std::string& wrong) {
    return agreed(
        "rope", "dim=32 base=500000",
        python("examples/torch_rope.py", "--length 4096" + (wrong.empty() ? "" : " --wrong " + wrong)));
  };
  const GateResult right = rope("");
  EXPECT_TRUE(passes(right)) << story(right);
  struct {
    std::string wrong, name;
  } const all[] = {
      {"bf16_angles", "rope/angle_products_in_bf16"},
      {"pairing", "rope/rotate_layout_against_table_layout"},
      {"base_ignored", "--base 10000"},
      {"decode_restarts", "rope/single_token_at_zero"},
  };
  for (const auto& [wrong, name] : all) {
    const GateResult found = rope(wrong);
    ASSERT_NE(refuted(found), nullptr) << wrong << ":\n" << story(found);
    EXPECT_TRUE(named(found, name)) << wrong << ":\n" << story(found);
    const Case& at = refuted(found)->counterexample;
    EXPECT_EQ(telling_entries(at, "x"), 1u) << at.text();  // one basis vector
    EXPECT_EQ(at.integer("batch"), 1) << at.text();
    EXPECT_EQ(at.integer("tokens"), 1) << at.text();
    EXPECT_LE(at.integer("t"), wrong == "bf16_angles" ? 300 : 1)
        << at.text();  // 257: the first that bf16 lacks
  }
}

Tensor table_of(Position rows, const std::string& parameters) {
  const EncodingSpec& spec = encoding_named("sinusoidal");
  const auto table = spec.make<Table>(with(spec, Case::parse(parameters)));
  std::vector<Position> at;
  for (Position t = 0; t < rows; ++t) at.push_back(t);
  return table.rows(at, rows);
}

TEST(Gate, reads_every_row_of_a_file) {
  const Tensor right = table_of(4096, "dim=16");
  {
    const Written file("right.npy", right, true);
    const GateResult found = gated("sinusoidal", "dim=16", file.subject());
    EXPECT_TRUE(passes(found)) << story(found);
    EXPECT_EQ(std::get<Holds>(asking(found, agreement_id).verdict).cases, 4096u);
    ASSERT_TRUE(found.accuracy);
    EXPECT_EQ(found.accuracy->entries, 4096u * 16u);
  }
  const auto wrong = [&](std::size_t row, std::size_t column, double value) {
    Tensor values = right;
    values.at(row, column) = value;
    const Written file("wrong.npy", values, true);
    return agreed("sinusoidal", "dim=16", file.subject());
  };
  const GateResult off = wrong(3001, 7, right.at(3001, 7) + 1e-3);
  ASSERT_NE(refuted(off), nullptr);
  EXPECT_EQ(refuted(off)->counterexample.integer("t"), 3001);
  ASSERT_EQ(off.explanations.size(), 1u) << story(off);
  EXPECT_EQ(off.explanations[0].kind, Explanation::Kind::place);
  EXPECT_EQ(off.explanations[0].what, "wrong in channel 7 of 16, at position 3001 alone");
  const GateResult nan = wrong(1234, 0, std::numeric_limits<double>::quiet_NaN());
  ASSERT_NE(refuted(nan), nullptr);
  EXPECT_EQ(refuted(nan)->counterexample.integer("t"), 1234);
}

// `one_position` is wrong at 2731 only; here it declares more positions than are asked as a matter of course.
TEST(Gate, asks_a_live_subject_for_every_position_where_it_is_told_to) {
  const EncodingSpec& spec = encoding_named("rope");
  const auto found = [&](const std::string& subject, bool exhaustive) {
    return gate("rope", spec, with(spec, Case::parse("dim=8")), variant(subject),
                {.budget = {.cases = 5},
                 .filter = std::string(agreement_id),
                 .call_time = std::chrono::milliseconds(8000),
                 .positions = std::pair{Position{0}, Position{19999}},
                 .exhaustive = exhaustive});
  };
  EXPECT_FALSE(found("one_of_many_positions", false).refuted());
  const GateResult wrong = found("one_of_many_positions", true);
  ASSERT_NE(refuted(wrong), nullptr) << story(wrong);
  EXPECT_EQ(refuted(wrong)->counterexample.integer("t"), 12347);
  ASSERT_TRUE(wrong.accuracy && wrong.accuracy->beyond);
  EXPECT_EQ(wrong.accuracy->beyond->at.position, 12347);

  const GateResult right = found("half_split", true);
  EXPECT_TRUE(passes(right)) << story(right);
  ASSERT_TRUE(right.accuracy);
  EXPECT_EQ(right.accuracy->rows, 20000u);
}

// What holds where it was asked says nothing of positions that nobody asked.
TEST(Gate, is_undecided_where_positions_were_asked_for_that_there_are_not) {
  const EncodingSpec& spec = encoding_named("rope");
  const auto found = [&](Position last) {
    return gate("rope", spec, with(spec, Case::parse("dim=8")), variant("half_split"),
                {.budget = {.cases = 5},
                 .filter = std::string(agreement_id),
                 .call_time = std::chrono::milliseconds(8000),
                 .positions = std::pair{Position{0}, last}});
  };
  EXPECT_TRUE(found(1000).not_checked.empty());
  EXPECT_FALSE(found(1000).undecided());
  EXPECT_TRUE(found(Position{1} << 30).not_checked.empty());
  const GateResult beyond = found(Position{1} << 41);
  EXPECT_EQ(beyond.not_checked.size(), 1u);
  EXPECT_TRUE(beyond.undecided());
  EXPECT_FALSE(beyond.refuted()) << story(beyond);
}

// The cosines and the sines of a rope, a column for each pair, as caches have them.
std::array<Tensor, 2> cache(std::size_t rows, const std::string& parameters) {
  const EncodingSpec& spec = encoding_named("rope");
  const auto rope = spec.make<Rotary>(with(spec, Case::parse(parameters)));
  std::vector<Position> at(rows);
  std::iota(at.begin(), at.end(), Position{0});
  Tensor x({1, 1, rows, rope.dim}), cosines({rows, rope.pairs.size()}), sines = cosines;
  for (std::size_t r = 0; r < rows; ++r)
    for (const Pair& pair : rope.pairs) x.at(r, pair.first) = 1;
  const Tensor rotated = rope.rotate(x, at, Role::query);
  for (std::size_t r = 0; r < rows; ++r)
    for (const Pair& pair : rope.pairs) {
      cosines.at(r, pair.index) = rotated.at(r, pair.first);
      sines.at(r, pair.index) = rotated.at(r, pair.second);
    }
  return {cosines, sines};
}

GateResult of_cache(const Tensor& cosines, const Tensor& sines, const std::string& filter = "",
                    const std::string& parameters = "dim=16 base=500000") {
  const Written cos("cos.npy", cosines, true), sin("sin.npy", sines, true);
  return gated("rope", parameters, cos.subject() + "," + sin.subject().substr(6), filter);
}

TEST(Gate, reads_every_row_of_a_cache_of_turns) {
  const auto [cosines, sines] = cache(10000, "dim=16 base=500000");
  const GateResult found = of_cache(cosines, sines);
  EXPECT_TRUE(passes(found)) << story(found);
  EXPECT_EQ(std::get<Holds>(asking(found, agreement_id).verdict).cases, 10000u);
  ASSERT_TRUE(found.accuracy);
  EXPECT_EQ(found.accuracy->wrong, 0u);
  EXPECT_EQ(found.accuracy->entries, 2 * 10000u * 16u);

  Tensor off = sines;
  off.at(9999, 7) += 1e-5;
  const GateResult last = of_cache(cosines, off, std::string(agreement_id));
  ASSERT_NE(refuted(last), nullptr);
  EXPECT_EQ(refuted(last)->counterexample.integer("t"), 9999);
  EXPECT_EQ(telling_entries(refuted(last)->counterexample, "x"), 1u);
  ASSERT_EQ(last.explanations.size(), 1u) << story(last);
  EXPECT_EQ(last.explanations[0].kind, Explanation::Kind::place);
  // In the fastest pairs rounding allows more than 1e-5 there: whether they are wrong, too, is not known.
  EXPECT_EQ(last.explanations[0].what, "wrong at position 9999 alone");
}

struct ColumnsOfOneArray {
  std::string layout, words, cosines, sines;
  Function<std::size_t(std::size_t pair, bool sine)> column;
};

// What the file alone does not tell: how it is read in the code that uses it.
TEST(Gate, says_in_which_order_the_columns_of_a_cache_are_right) {
  const auto [cosines, sines] = cache(300, "dim=16 base=500000");
  using Column = Function<std::size_t(std::size_t, bool)>;
  const Column halves = [](std::size_t i, bool sine) { return sine ? 8 + i : i; },
               swapped_halves = [](std::size_t i, bool sine) { return sine ? i : 8 + i; },
               neighbours = [](std::size_t i, bool sine) { return 2 * i + (sine ? 1 : 0); },
               swapped_neighbours = [](std::size_t i, bool sine) { return 2 * i + (sine ? 0 : 1); };
  const std::string before = "[..., :8]", behind = "[..., 8:]", even = "[..., 0::2]", odd = "[..., 1::2]",
                    apart = "the cosines of all pairs stand before the sines";
  for (const auto& [layout, words, of_cosines, of_sines, column] :
       {ColumnsOfOneArray{"interleaved", apart, before, behind, halves},
        ColumnsOfOneArray{"half_split", "the sines of all pairs stand before the cosines", behind, before,
                          swapped_halves},
        ColumnsOfOneArray{"half_split", "cosine and sine of a pair stand next to each other", even, odd,
                          neighbours},
        ColumnsOfOneArray{"interleaved", "sine and cosine of a pair stand next to each other, in this order",
                          odd, even, swapped_neighbours}}) {
    Tensor both({300, 16});
    for (std::size_t t = 0; t < 300; ++t)
      for (std::size_t i = 0; i < 8; ++i) {
        both.at(t, column(i, false)) = cosines.at(t, i);
        both.at(t, column(i, true)) = sines.at(t, i);
      }
    const std::string parameters = "dim=16 base=500000 layout=" + layout;
    const Written file("both.npy", both, true);
    const std::string read_so = file.subject() + of_cosines + "," + of_sines;
    const GateResult found = gated("rope", parameters, file.subject(), std::string(agreement_id));
    ASSERT_EQ(found.explanations.size(), 1u) << story(found);
    EXPECT_EQ(found.explanations[0].what,
              words + ": `" + read_so + "` reads them so, and every row is right");
    if (of_cosines == odd) {  // in the precision that is declared
      Tensor few = both;
      for (double& entry : few.data) entry = nearest(Format::bf16, entry);
      const Written rounded("rounded.npy", few, true);
      const GateResult in_bf16 =
          gated("rope", parameters, rounded.subject() + "@f32+table=bf16", std::string(agreement_id));
      ASSERT_EQ(in_bf16.explanations.size(), 1u) << story(in_bf16);
      const std::string bf16_so = rounded.subject() + of_cosines + "," + of_sines + "@f32+table=bf16";
      EXPECT_EQ(in_bf16.explanations[0].what,
                words + ": `" + bf16_so + "` reads them so, and every row is right");
      EXPECT_TRUE(passes(gated("rope", parameters, bf16_so, std::string(agreement_id))));
    }
    EXPECT_TRUE(passes(gated("rope", parameters, read_so, std::string(agreement_id))));
    const GateResult part = gated("rope", parameters, file.subject() + "[:99]", std::string(agreement_id));
    ASSERT_EQ(part.explanations.size(), 1u) << story(part);
    EXPECT_EQ(part.explanations[0].what, words + ": `" + file.subject() + "[:99]" + of_cosines + "," +
                                             of_sines + "` reads them so, and every row is right");
    // One wrong entry, in the last row, and it is not so.
    both.at(299, 5) += 1e-3;
    const Written wrong("wrong.npy", both, true);
    for (const Explanation& one :
         gated("rope", parameters, wrong.subject(), std::string(agreement_id)).explanations)
      EXPECT_EQ(one.what.find("reads them so"), std::string::npos) << one.what;
  }
}

// A unit in the last place is within what rounding allows an implementation; it is counted all the same, once
// where it is the sine that makes a key and once where it makes a query.
TEST(Gate, counts_an_entry_of_a_cache_that_is_off_by_a_unit_in_the_last_place) {
  auto [cosines, sines] = cache(4096, "dim=16 base=500000");
  auto entry = static_cast<float>(sines.at(4095, 7));
  sines.at(4095, 7) = std::nextafter(entry, 2.0F);
  const GateResult found = of_cache(cosines, sines, std::string(agreement_id));
  EXPECT_TRUE(passes(found)) << story(found);
  ASSERT_TRUE(found.accuracy);
  EXPECT_EQ(found.accuracy->wrong, 2u);
  EXPECT_EQ(found.accuracy->ulp_at.position, 4095);
}

TEST(Gate, refutes_wrong_caches_and_names_what_they_are) {
  const auto [cosines, sines] = cache(512, "dim=16 base=500000");
  const auto [other_cosines, other_sines] = cache(512, "dim=16");
  const GateResult base = of_cache(other_cosines, other_sines, std::string(agreement_id));
  EXPECT_TRUE(named(base, "rope/base_ignored")) << story(base);
  EXPECT_TRUE(named(base, "--base 10000")) << story(base);

  const GateResult swapped = of_cache(sines, cosines, std::string(agreement_id));
  ASSERT_NE(refuted(swapped), nullptr);
  EXPECT_EQ(refuted(swapped)->counterexample.text(), "batch=1 tokens=1 t=0 role=query x=[1,0*15]");

  Tensor backward = sines;
  for (double& value : backward.data) value = -value;
  EXPECT_TRUE(named(of_cache(cosines, backward, std::string(agreement_id)), "--direction backward"));

  // A column for each channel, neighbours alike, under a layout of halves.
  Tensor twice_cosines({512, 16}), twice_sines({512, 16});
  for (std::size_t r = 0; r < 512; ++r)
    for (std::size_t c = 0; c < 16; ++c) {
      twice_cosines.at(r, c) = cosines.at(r, c / 2);
      twice_sines.at(r, c) = sines.at(r, c / 2);
    }
  EXPECT_TRUE(named(of_cache(twice_cosines, twice_sines, std::string(agreement_id)),
                    "rope/table_layout_against_rotate_layout"));
  const GateResult interleaved = of_cache(twice_cosines, twice_sines, std::string(agreement_id),
                                          "dim=16 base=500000 layout=interleaved");
  EXPECT_TRUE(passes(interleaved)) << story(interleaved);
}

TEST(Gate, names_the_convention_that_a_file_follows) {
  const Written file("sin_cos.npy", table_of(512, "dim=16 layout=sin_cos"), false);
  const GateResult found = agreed("sinusoidal", "dim=16", file.subject());
  ASSERT_NE(refuted(found), nullptr);
  EXPECT_TRUE(named(found, "--layout sin_cos")) << story(found);
}

TEST(Gate, passes_a_file_of_one_row) {
  const Written file("one.npy", table_of(1, "dim=16"), false);
  const GateResult found = gated("sinusoidal", "dim=16", file.subject());
  EXPECT_TRUE(passes(found)) << story(found);
}

GateResult with_two_heads(const std::string& encoding, const std::string& subject) {
  const EncodingSpec& spec = encoding_named(encoding);
  return gate(encoding, spec, with(spec, Case::parse("dim=8")), subject,
              {.two_heads = true, .filter = std::string(agreement_id)});
}

TEST(Gate, asks_a_rotation_with_two_heads_where_nothing_is_said_of_them) {
  const GateResult wrong = with_two_heads("rope", variant("first_head_only"));
  EXPECT_EQ(wrong.parameters.integer("heads"), 2);
  ASSERT_NE(refuted(wrong), nullptr) << story(wrong);
  EXPECT_EQ(refuted(wrong)->counterexample.text(), "batch=1 tokens=1 t=1 role=query x=[1,0*7]");
  EXPECT_TRUE(named(wrong, "rope/first_head_only")) << story(wrong);
  EXPECT_TRUE(passes(agreed("rope", "dim=8 heads=1", variant("first_head_only"))));
  // The whole operator has the heads of its parameters.
  const GateResult whole = with_two_heads("rope", python("examples/numpy_attention.py"));
  EXPECT_EQ(whole.parameters.integer("heads"), 1);
  EXPECT_TRUE(passes(whole)) << story(whole);
}

TEST(Gate, has_calls_as_long_as_the_tiles_of_a_kernel_and_empty_ones) {
  const GateResult wrong = agreed("rope", "dim=8", variant("rest_of_a_tile"));
  ASSERT_NE(refuted(wrong), nullptr) << story(wrong);
  EXPECT_EQ(refuted(wrong)->counterexample.text(),
            "batch=1 tokens=17 arranged=consecutive t=0 role=query x=[1,0*7]");
  EXPECT_FALSE(passes(agreed("rope", "dim=8 heads=2", variant("empty_call_of_another_shape"))));
  const GateResult none = agreed("rope", "dim=8", variant("no_empty_calls"));
  EXPECT_TRUE(passes(none)) << story(none);
}

TEST(Gate, reads_every_pair_of_a_file_of_biases) {
  const EncodingSpec& spec = encoding_named("alibi");
  std::vector<Position> at;
  for (Position t = 0; t < 100; ++t) at.push_back(t);
  Tensor values = spec.make<Bias>(with(spec, Case::parse("heads=4"))).bias(at, at);
  {
    const Written file("alibi.npy", values, true);
    EXPECT_TRUE(passes(agreed("alibi", "heads=4", file.subject())));
  }
  values.at(2 * 100 + 80, 33) *= 1.001;
  const Written file("alibi.npy", values, true);
  const GateResult found = agreed("alibi", "heads=4", file.subject());
  ASSERT_NE(refuted(found), nullptr);
  const std::string where = refuted(found)->counterexample.text();
  EXPECT_NE(where.find("=80"), std::string::npos) << where;
  EXPECT_NE(where.find("=33"), std::string::npos) << where;
}

// bad.py answers row t as t, t+1, t+2, t+3: nothing that a learned table of width 4 holds.
TEST(Gate, tells_hostile_subjects_apart) {
  const auto verdict = [](const std::string& how) {
    return name(asking(agreed("learned", "dim=4 length=64", bad(how)), agreement_id).verdict);
  };
  EXPECT_EQ(verdict("nan"), "refuted");
  EXPECT_EQ(verdict("other_shape"), "refuted");
  EXPECT_EQ(verdict("double"), "refuted");
  EXPECT_EQ(verdict("huge_shape"), "errored");
  EXPECT_EQ(verdict("declined"), "undecided");
  for (const std::string how : {"exits", "prints", "long_header", "huge_header", "declines_hello"})
    EXPECT_THROW(agreed("learned", "dim=4 length=64", bad(how)), SubjectError) << how;
  EXPECT_THROW(agreed("learned", "dim=4", "cmd:/nonexistent/program"), SubjectError);
}

}  // namespace
}  // namespace posproof::gate_test
