// Scripts for an issue, word for word; command/reproduce_test.cpp runs such in Python.
#include "report/reproduce.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "attention/reference_attention.h"
#include "gate/history.h"
#include "report/file.h"
#include "report/testing/found.h"
#include "run/agreement.h"
#include "run/catalogued.h"

namespace posproof::report::report_reproduce_test {
namespace {

const Precision f32 = all_f32;

// That answer is off by 1/2 in one entry.
WrongAnswer wrong_answer(const Encoding& truth, Call call, std::size_t at, const Precision& precision = f32) {
  WrongAnswer out{.truth = truth, .precision = precision, .call = std::move(call)};
  out.exact = answer(truth, out.call);
  out.given = out.exact;
  out.given.data.at(at) += 0.5;
  Agreement found = agreement_in_full(truth, out.call, out.given, out.exact, precision);
  EXPECT_EQ(found.compared.at, at);
  out.allowed = std::move(found.allowed);
  out.at = at;
  out.place = place_of(truth, out.call, out.given, out.exact, out.allowed, at);
  return out;
}

const Parameters of_rope = Case::parse("dim=4 heads=2");

WrongAnswer wrong_rotation(const Precision& precision = f32) {
  Call call{.batch = 1, .positions = {.whole = {2}}, .contents = {Tensor({1, 2, 1, 4})}, .role = Role::key};
  call.contents[0].data = {1, 0, 0, 0, 2, 0, 0, 0};
  return wrong_answer(encoding_named("rope").oracle(of_rope), call, 6, precision);
}

std::string script_of(const WrongAnswer& wrong, std::string_view property = agreement_id) {
  const EncodingSpec& spec = encoding_named("rope");
  const Parameters all = with(spec, of_rope);
  return script(wrong, {"rope", property, spec, all});
}

std::size_t size(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(Reproduce, has_the_numbers_of_a_position_in_an_axis_of_their_own) {
  const EncodingSpec& spec = encoding_named("axial_rope");
  const Parameters all = with(spec, Case::parse("dim=8"));
  Call call{.batch = 1,
            .positions = {.whole = {2, 3, 9, 5}, .axes = 2},
            .contents = {Tensor({1, 1, 2, 8}, std::vector<double>(16, 1))},
            .role = Role::key};
  const std::string text =
      script(wrong_answer(spec.oracle(all), call, 3), {"axial_rope", agreement_id, spec, all});
  EXPECT_TRUE(has(text, "positions = np.array([2, 3, 9, 5], np.int64).reshape(1, 2, 2)\n")) << text;
}

// Of the bounds, which are derived elsewhere, as they come.
TEST(Reproduce, has_the_input_the_exact_values_and_the_assertion) {
  const WrongAnswer wrong = wrong_rotation();
  const auto bound = [&](std::size_t at) { return fmt::format("{}", wrong.allowed.error.data[at]); };
  EXPECT_EQ(
      script_of(wrong),
      "# A counterexample by posproof: rope --dim 4 --heads 2 in f32, agrees_with_its_oracle is refuted.\n"
      "# Parameters: dim=4 heads=2 base=10000 layout=half_split rotary_dim=0 rotary_part=first kept_pairs=0 "
      "exponent=rotary_dim direction=forward "
      "scaling=none\n"
      "# Su et al. 2021, RoFormer: Enhanced Transformer with Rotary Position Embedding, eq. 34: (x_a, x_b) -> (x_a cos "
      "t w_i - x_b sin t w_i, x_a sin t w_i + x_b cos t w_i), w_i = base^(-2i/dim)\n"
      "import numpy as np\n"
      "\n"
      "\n"
      "def subject(x, positions, role):\n"
      "    # x [batch, heads, n, dim], positions [batch, n], role \"query\" or \"key\"; gives x, rotated, in f32\n"
      "    raise NotImplementedError(\"call the code under test here\")\n"
      "\n"
      "\n"
      "x = np.array([[f * c for c in [1, 0, 0, 0]] for f in [1, 2]], np.float32).reshape(1, 2, 1, 4)\n"
      "positions = np.array([2], np.int64).reshape(1, 1)\n"
      "y = np.asarray(subject(x, positions, \"key\"), np.float64)\n"
      "assert tuple(y.shape) == (1, 2, 1, 4), y.shape\n"
      "# The exact values, and how far rounding in f32 may put them off: the roundings of frequency, angle, cosine and "
      "sine and of the result, added up.\n"
      "for at, exact, bound in [\n"
      "    ((0, 1, 0, 2), 1.8185948536513634, " +
          bound(6) +
          "),\n"
          "    ((0, 1, 0, 0), -0.8322936730942848, " +
          bound(4) +
          "),\n"
          "]:\n"
          "    got = float(y[at])\n"
          "    assert abs(got - exact) <= bound, f\"y{list(at)} is {got!r}, exactly {exact!r}: off by {abs(got - "
          "exact):.3g}, allowed {bound:.3g}\"\n");
}

TEST(Reproduce, has_the_calls_before_where_the_case_has_them) {
  WrongAnswer wrong = wrong_rotation();
  Call first = wrong.call;
  first.contents = {Tensor({1, 2, 3, 4})};
  first.positions.whole = {0, 1, 2};
  wrong.before = {first};
  const std::string one =
      "np.zeros((1, 2, 3, 4), np.float32), np.array([0, 1, 2], np.int64).reshape(1, 3), \"key\"";
  EXPECT_TRUE(has(script_of(wrong), "\nsubject(" + one + ")  # before the call that is wrong\ny = "))
      << script_of(wrong);
  wrong.before = {first, first, first};
  EXPECT_EQ(size(script_of(wrong)), size(script_of(wrong_rotation())) + 3);
  wrong.before.push_back(first);
  EXPECT_TRUE(has(script_of(wrong), "\nfor call in [(" + one + "), (" + one + "), (" + one + "), (" + one +
                                        ")]: subject(*call)\ny = "))
      << script_of(wrong);
}

TEST(Reproduce, asks_for_an_answer_where_none_came) {
  WrongAnswer wrong = wrong_rotation();
  wrong.instead = "/home/x.py: rotate(x [1, 2, 1, 4]): it is killed by SIGSEGV";
  wrong.how = Failure::How::died;
  const std::string end =
      "y = np.asarray(subject(x, positions, \"key\"))\n"
      "assert tuple(y.shape) == (1, 2, 1, 4), y.shape\n"
      "assert y.dtype == np.float32, y.dtype\n";
  EXPECT_TRUE(script_of(wrong).ends_with(
      "# This must give an answer; it gave: rotate(x [1, 2, 1, 4]): it is killed by SIGSEGV\n" + end))
      << script_of(wrong);
  wrong.instead = "x: rotate(x): rotate() changed `x`, which it was given";
  EXPECT_FALSE(has(script_of(wrong), "kept = ")) << "it raised an error of these words";
  wrong.how = Failure::How::answered_otherwise;
  EXPECT_TRUE(has(script_of(wrong), "\nkept = x.copy()\n# This must give"));
  EXPECT_TRUE(script_of(wrong).ends_with(end + "assert (x == kept).all(), \"x was changed\"\n"));
  wrong.instead = "changed `y`; import os";
  EXPECT_FALSE(has(script_of(wrong), "kept = ")) << "no argument of that name";
  wrong.instead = "rotate(x): first\nimport os\n\x1b";
  EXPECT_TRUE(has(script_of(wrong), "\n# This must give an answer; it gave: \\x1b\ny = "))
      << script_of(wrong);
}

// Whatever is in bf16: what it is given, or what it gives.
TEST(Reproduce, is_written_for_pytorch_in_bf16) {
  const std::string text = script_of(wrong_rotation(Precision::parse("f32+input=bf16")));
  EXPECT_TRUE(has(text, "\nimport torch\n"));
  EXPECT_TRUE(has(text, " of bf16 in f32, agrees_with_its_oracle is refuted.\n")) << text;
  EXPECT_TRUE(has(text, "\ny = torch.as_tensor(subject(x, positions, \"key\")).double()\n"));
  EXPECT_FALSE(has(text, "np."));
}

std::vector<double> dense(std::size_t size) {
  std::vector<double> out;
  for (std::size_t n = 0; n < size; ++n) out.push_back(static_cast<double>((n * 7 + 3) % 11) / 8 - 0.5);
  return out;
}

// A call of each kind with every entry of its contents different.
TEST(Reproduce, has_at_most_30_lines_whatever_the_kind_and_the_contents) {
  Tensor one_hot({4, 4});
  one_hot.at(1, 2) = 1;
  struct {
    std::string encoding, parameters;
    Call call;
    std::string_view says;
  } const all[] = {
      {"rope",
       "dim=4 heads=2",
       {.batch = 2,
        .positions = {.whole = {1, 2, 3, 9, 9, 9}},
        .contents = {Tensor({2, 2, 3, 4}, dense(48))}},
       "positions = np.array([1, 2, 3, 9, 9, 9], np.int64).reshape(2, 3)\n"},
      {"sinusoidal",
       "dim=4",
       {.positions = {.whole = {5, 6, 7, 8}}, .length = 9},
       "positions = np.array(list(range(5, 9)), np.int64)\ny = np.asarray(subject(positions, 9), np.float64)\n"},
      {"alibi",
       "heads=2",
       {.positions = {.whole = {3, 4}}, .keys = {.whole = {1}}},
       "queries = np.array([3, 4], np.int64)\nkeys = np.array([1], np.int64)\n"
       "y = np.asarray(subject(queries, keys), np.float64)\n"},
      {"none",
       "dim=4",
       {.contents = {Tensor({2, 4}, dense(8)), Tensor({2, 4}, dense(8)), Tensor({2, 4}, dense(8))},
        .mask = Tensor({2, 2}, {1, 0, 1, 1})},
       "mask = np.tril(np.ones((2, 2), np.bool_))\ny = np.asarray(subject(q, k, v, mask), np.float64)\n"},
      {"none",
       "dim=4",
       {.contents = {one_hot, one_hot, one_hot}, .mask = Tensor({4, 4}, std::vector<double>(16, 1))},
       "q = np.zeros((4, 4), np.float32)\nq[1, 2] = 1\nk = np.zeros((4, 4), np.float32)\nk[1, 2] = 1\n"},
      {"rope",
       "dim=4",
       {.batch = 1, .positions = {.whole = {5}}, .contents = {Tensor({1, 1, 1, 4}, {1, 2, 3, 4})}},
       "x = np.array(list(range(1, 5)), np.float32).reshape(1, 1, 1, 4)\n"},
  };
  for (const auto& [encoding, parameters, call, says] : all) {
    const EncodingSpec& spec = encoding_named(encoding);
    const Parameters given = with(spec, Case::parse(parameters));
    Encoding truth = spec.oracle(given);
    if (encoding == "none") truth = attention::reference_attention(truth);
    WrongAnswer wrong = wrong_answer(truth, call, 0);
    const std::string text = script(wrong, {encoding, agreement_id, spec, given});
    EXPECT_LE(size(text), 30u) << text;
    EXPECT_TRUE(has(text, says)) << text;
    wrong.before = {call, call, call};
    EXPECT_LE(size(script(wrong, {encoding, agreement_id, spec, given})), 30u);
    EXPECT_FALSE(has(text, " posproof\n") || has(text, "import posproof")) << text;
  }
}

TEST(Reproduce, subtracts_the_querys_own_key_where_a_row_may_be_shifted) {
  const EncodingSpec& spec = encoding_named("alibi");
  const Parameters given = with(spec, Case::parse("heads=2 rows=any"));
  const WrongAnswer wrong =
      wrong_answer(spec.oracle(given), {.positions = {.whole = {2, 3}}, .keys = {.whole = {1, 2}}}, 3);
  const std::string text = script(wrong, {"alibi", agreement_id, spec, given});
  EXPECT_TRUE(has(text,
                  "# Each is relative to a key of its row: a constant on a whole row does not matter.\n"
                  "for at, own, exact, bound in [\n    ((0, 1, 1), (0, 1, 0), "))
      << text;
  EXPECT_TRUE(has(text, "\n    got = float(y[at]) - float(y[own])\n"));
}

// An entry that is infinite by right shows nothing by a difference: those of its row that are finite stand
// there.
TEST(Reproduce, has_the_entries_beside_one_that_is_infinite) {
  const EncodingSpec& spec = encoding_named("alibi");
  const Parameters given = with(spec, Case::parse("heads=1"));
  Bias truth = as<Bias>(spec.oracle(given));
  truth.bias = [](const Positions& queries, const Positions& keys) {
    Tensor out({1, queries.size(), keys.size()});
    for (std::size_t r = 0; r < queries.size(); ++r)
      for (std::size_t c = 0; c < keys.size(); ++c)
        out.at(r, c) = keys[c] > queries[r] ? -std::numeric_limits<double>::infinity()
                                            : static_cast<double>(keys[c] - queries[r]);
    return out;
  };
  WrongAnswer wrong{.truth = truth, .precision = f32};
  wrong.call = {.positions = {.whole = {3}}, .keys = {.whole = {1, 2, 4}}};
  wrong.exact = answer(truth, wrong.call);
  wrong.given = wrong.exact;
  wrong.at = 2;
  wrong.given.data[wrong.at] = 0;
  wrong.allowed = agreement_in_full(truth, wrong.call, wrong.given, wrong.exact, f32).allowed;
  const std::string text = script(wrong, {"alibi", agreement_id, spec, given});
  EXPECT_TRUE(has(text, "bound in [\n    ((0, 0, 0), -2, ")) << text;
  EXPECT_TRUE(has(text, "),\n    ((0, 0, 1), -1, ")) << text;
  EXPECT_FALSE(has(text, "(0, 0, 2)")) << text;
}

// What is 0 and may not be off shows nothing: a zero that rounding may put off is one of the entries.
TEST(Reproduce, has_zeros_that_have_a_bound) {
  WrongAnswer wrong = wrong_rotation();
  EXPECT_FALSE(has(script_of(wrong), "    ((0, 1, 0, 3), ")) << script_of(wrong);
  wrong.allowed.error.data[7] = 0.125;
  const std::string text = script_of(wrong);
  EXPECT_TRUE(has(text, "\n    ((0, 1, 0, 3), 0, 0.125),\n")) << text;
}

GateResult gated() {
  GateResult out = testing::nothing_found();
  out.encoding = "rope";
  out.parameters = with(encoding_named("rope"), of_rope);
  return out;
}

void refuted(GateResult& gated, std::string id, std::size_t before, bool needs_history = false) {
  testing::asked(gated, id, Refuted{Case::parse("t=1"), {1, 0, 1}, 1, 0});
  WrongAnswer wrong = wrong_rotation();
  wrong.before.assign(before, wrong.call);
  gated.results.back().wrong = std::make_shared<WrongAnswer>(wrong);
  gated.results.back().needs_history = needs_history;
}

std::string property_of(const GateResult& gated) {
  const std::string text = script(gated).value_or("none, is refuted");
  const std::size_t end = text.find(" is refuted");
  const std::size_t begin = text.rfind(' ', end - 1);
  return begin == std::string::npos ? text.substr(0, end) : text.substr(begin + 1, end - begin - 1);
}

TEST(Reproduce, takes_the_first_finding_that_shows_by_itself) {
  GateResult some = gated();
  EXPECT_EQ(property_of(some), "none,");
  testing::asked(some, "a", Refuted{Case::parse("t=1"), {1, 0, 1}, 1, 0});
  EXPECT_EQ(property_of(some), "none,") << "no answer is wrong";
  refuted(some, "b", 1);
  EXPECT_EQ(property_of(some), "b");
  refuted(some, "c", 0);
  EXPECT_EQ(property_of(some), "c") << "no call before it is needed";
  refuted(some, "d", 0);
  EXPECT_EQ(property_of(some), "c");
  some.results[2].needs_history = true;
  EXPECT_EQ(property_of(some), "d") << "a new process is right there";
}

TEST(Reproduce, takes_the_calls_that_an_object_remembers) {
  GateResult some = gated();
  refuted(some, std::string(agreement_id), 0);
  refuted(some, std::string(history_id), 2);
  EXPECT_EQ(property_of(some), history_id);
  some.results.back().verdict = Undecided{"?"};
  some.results.back().wrong = nullptr;
  EXPECT_EQ(property_of(some), agreement_id);
}

TEST(Reproduce, refuses_files_of_somebody_else) {
  const std::string file = ::testing::TempDir() + "posproof_script.py";
  EXPECT_NO_THROW(refuse_other_files(file + ".none"));
  EXPECT_NO_THROW(refuse_other_files("/dev/null"));
  for (const auto& [words, fine] : {std::pair{std::string(), true},
                                    {script_of(wrong_rotation()), true},
                                    {std::string("# A counterexample"), false},
                                    {std::string("x"), false}}) {
    replace_file(file, "other");
    replace_file(file, words);
    bool refused = false;
    try {
      refuse_other_files(file);
    } catch (const Unwritable& error) {
      refused = true;
      EXPECT_EQ(error.what(),
                fmt::format("`{}` is there and is no script of posproof: another name, or remove it", file));
    }
    EXPECT_EQ(refused, !fine) << words;
  }
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace posproof::report::report_reproduce_test
