#include "run/narrowed.h"

#include <gtest/gtest.h>

#include "core/call.h"
#include "run/catalogued.h"

namespace posproof::narrowed_test {
namespace {

Encoding with_domain(Position lo, Position hi, bool ends = false, std::vector<Position> hard = {}) {
  const EncodingSpec& spec = encoding_named("raw_index");
  Domain domain(lo, hi, std::move(hard));
  domain.ends = ends;
  return with_positions(spec.make({}), domain);
}

TEST(Narrowed, is_what_both_have) {
  const Domain inside = positions_of(narrowed(with_domain(0, 99, true, {0, 9, 10, 20, 21, 99}), 10, 20));
  EXPECT_EQ(inside.lo, 10);
  EXPECT_EQ(inside.hi, 20);
  EXPECT_FALSE(inside.ends) << "it has more positions than these";
  EXPECT_EQ(inside.hard, (std::vector<Position>{10, 20}));
  const Domain wider = positions_of(narrowed(with_domain(3, 99, true), -5, 1000));
  EXPECT_EQ(wider.lo, 3);
  EXPECT_EQ(wider.hi, 99);
  EXPECT_TRUE(wider.ends);
  EXPECT_TRUE(positions_of(narrowed(with_domain(3, 99, true), 3, 99)).ends);
  EXPECT_FALSE(positions_of(narrowed(with_domain(3, 99, true), 4, 99)).ends);
  EXPECT_FALSE(positions_of(narrowed(with_domain(3, 99, true), 3, 98)).ends);
  EXPECT_FALSE(positions_of(narrowed(with_domain(3, 99, false), 3, 99)).ends);
  EXPECT_EQ(positions_of(narrowed(with_domain(-50, 50), -7, -3)).hi, -3);
  Encoding on_axes = with_domain(0, 9);
  Domain axes(0, 9);
  axes.last_on_axis = {9, 3};
  on_axes = with_positions(std::move(on_axes), axes);
  EXPECT_EQ(positions_of(narrowed(on_axes, 0, 5)).last_on_axis, (std::vector<Position>{5, 3}));
}

std::string refused(const Encoding& encoding, Position lo, Position hi) {
  try {
    narrowed(encoding, lo, hi);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "not refused";
}

TEST(Narrowed, to_nothing_is_refused) {
  EXPECT_EQ(refused(with_domain(0, 99, true), 100, 120),
            "positions 100:120 were asked for, the subject has 0:99");
  EXPECT_EQ(refused(with_domain(0, 99), -5, -1), "positions -5:-1 were asked for, there are 0:99");
  EXPECT_EQ(refused(with_domain(0, 99), 20, 10), "positions 20:10 were asked for, there are 0:99");
  EXPECT_EQ(refused(with_domain(0, 99), 99, 120), "not refused");
  EXPECT_EQ(refused(with_domain(0, 99), -5, 0), "not refused");
}

Encoding made_of(std::string_view id, std::string_view words) {
  const EncodingSpec& spec = encoding_named(id);
  return spec.oracle(with(spec, Case::parse(words)));
}

std::pair<Position, Position> widened_to(std::string_view id, std::string_view words, Position lo,
                                         Position hi) {
  const Encoding wide = widened(made_of(id, words), lo, hi);
  const Domain& domain = positions_of(wide);
  for (const Position t : domain.hard) EXPECT_TRUE(domain.lo <= t && t <= domain.hi) << id << " " << t;
  return {domain.lo, domain.hi};
}

// Where an entry is of an angle that is the position times a frequency, and of nothing else.
TEST(Widened, is_what_has_linear_angles_on_top_of_its_own_positions) {
  using Ends = std::pair<Position, Position>;
  constexpr Position usual = 1 << 20, farthest = Position{1} << 40;
  for (const std::string_view id : {"rope", "sinusoidal"}) {
    EXPECT_EQ(widened_to(id, "dim=8", -9, 5), (Ends{-9, usual})) << id;
    EXPECT_EQ(widened_to(id, "dim=8", 2000000, 3000000), (Ends{0, 3000000})) << id;
    EXPECT_EQ(widened_to(id, "dim=8", -2 * farthest, 2 * farthest), (Ends{-farthest, farthest})) << id;
    EXPECT_EQ(widened_to(id, "dim=8", 0, usual), (Ends{0, usual})) << id;
    const Encoding wide = widened(made_of(id, "dim=8"), 0, Position{1} << 24);
    EXPECT_EQ(positions_of(wide).hard.back(), 1 << 24) << id << ": those beyond are sought";
  }
  EXPECT_EQ(widened_to("rope", "dim=8 scaling=llama3", -1, 0), (Ends{-1, usual}));
  const struct {
    std::string_view id, words, because;
  } stay[] = {{"rope", "dim=8 scaling=dynamic_ntk", "the length of the call decides"},
              {"xpos", "dim=8", "it is stretched with the position"},
              {"axial_rope", "dim=8", "a position has two numbers"},
              {"sincos_2d", "dim=8", "a position has two numbers"},
              {"mixed_rope", "dim=8", "a position has two numbers"},
              {"timestep_embedding", "dim=8", "its positions are real"},
              {"learned", "", "it ends"},
              {"raw_index", "", "it has no angles"},
              {"alibi", "heads=2", "it has no angles"}};
  for (const auto& [id, words, because] : stay) {
    const Encoding own = made_of(id, words);
    EXPECT_EQ(widened_to(id, words, -9, Position{1} << 30),
              (Ends{positions_of(own).lo, positions_of(own).hi}))
        << id << ": " << because;
  }
  Encoding ended = made_of("rope", "dim=8");
  Domain ends(0, 2047);
  ends.ends = true;
  ended = with_positions(std::move(ended), ends);
  EXPECT_EQ(positions_of(widened(ended, -9, 5000)).hi, 2047) << "it ends";
  Table bound = as<Table>(made_of("sinusoidal", "dim=8"));
  bound.row_error = [](auto, auto, const Precision&, auto) {};
  EXPECT_EQ(positions_of(widened(bound, -9, 0)).lo, 0);
  Rotary bounded = as<Rotary>(made_of("rope", "dim=8"));
  bounded.error = [](auto, auto, Role, const Precision&, auto) {};
  EXPECT_EQ(positions_of(widened(bounded, -9, 0)).lo, 0);
}

struct Met {
  Domain truth, subject;
};
Met met(std::optional<std::pair<Position, Position>> asked, Domain subjects, bool live,
        std::string_view id = "rope", std::string_view words = "dim=8") {
  Encoding truth = made_of(id, words);
  Subject subject{.name = "x",
                  .description = "",
                  .encoding = with_positions(truth, std::move(subjects)),
                  .precision = all_f32,
                  .live = live};
  meet(asked, truth, subject);
  return {positions_of(truth), positions_of(subject.encoding)};
}

TEST(Meet, gives_a_subject_that_says_nothing_of_its_end_what_is_asked_for) {
  using Asked = std::pair<Position, Position>;
  const Domain usual(0, 1 << 20);
  Domain ends(0, 1 << 20);
  ends.ends = true;
  EXPECT_EQ(met(Asked{-5, 9}, usual, true).subject.lo, -5);
  EXPECT_EQ(met(Asked{0, 1 << 22}, usual, true).subject.hi, 1 << 22);
  EXPECT_EQ(met(Asked{0, 1 << 22}, usual, true).truth.hi, 1 << 22);
  EXPECT_EQ(met(std::nullopt, usual, true).subject.hi, 1 << 20);
  // Its own end stays, whichever it is.
  EXPECT_EQ(met(Asked{-5, 1 << 22}, ends, true).subject.hi, 1 << 20);
  EXPECT_EQ(met(Asked{-5, 1 << 22}, Domain(0, 2047), true).subject.hi, 2047);
  EXPECT_EQ(met(Asked{-5, 1 << 22}, Domain(1, 1 << 20), true).subject.lo, 1);
}

// A program that answers for positions before 0 is compared there, and none is asked past the end of what
// ends by itself, whatever it says that it has.
TEST(Meet, gives_the_truth_what_a_program_says_that_it_has) {
  EXPECT_EQ(met(std::nullopt, Domain(-512, 511), true).truth.lo, -512);
  EXPECT_EQ(met(std::nullopt, Domain(-512, 511), true).truth.hi, 1 << 20);
  EXPECT_EQ(met(std::nullopt, Domain(0, 1 << 22), true).truth.hi, 1 << 22);
  const Met ended = met(std::nullopt, Domain(0, 2047), true, "learned", "dim=4");
  EXPECT_EQ(ended.truth.hi, 511);
  EXPECT_EQ(ended.subject.hi, 511);
  EXPECT_EQ(met(std::nullopt, Domain(0, 100), true, "learned", "dim=4").subject.hi, 100);
  EXPECT_EQ(met(std::nullopt, Domain(0, 511), true, "tupe", "dim=4 length=64 cls=tied").subject.hi, 63);
  try {
    met(std::nullopt, Domain(600, 700), true, "learned", "dim=4");
    ADD_FAILURE() << "not refused";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "x: it has positions 600:700, there are 0:511");
  }
}

TEST(Meet, gives_the_truth_what_a_file_has) {
  using Asked = std::pair<Position, Position>;
  const Met far = met(std::nullopt, Domain(5000000, 5000010), false);
  EXPECT_EQ(far.subject.lo, 5000000);
  EXPECT_EQ(far.truth.hi, 5000010);
  EXPECT_EQ(met(std::nullopt, Domain(-4, 9), false).truth.lo, -4);
  // A file has what it has.
  EXPECT_EQ(met(Asked{-5, 1 << 22}, Domain(0, 1 << 20), false).subject.hi, 1 << 20);
  try {
    met(std::nullopt, Domain(5000000, 5000010), false, "alibi", "heads=2");
    ADD_FAILURE() << "not refused";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "x: it holds positions 5000000:5000010, there are 0:1048576");
  }
  EXPECT_THROW(met(std::nullopt, Domain(-5, -1), false, "alibi", "heads=2"), std::invalid_argument);
  EXPECT_NO_THROW(met(std::nullopt, Domain(-5, 0), false, "alibi", "heads=2"));
  EXPECT_NO_THROW(met(std::nullopt, Domain(1 << 20, 5000000), false, "alibi", "heads=2"));
}

TEST(Meet, leaves_the_whole_operator_alone) {
  Encoding truth = made_of("none", "dim=4");
  Subject subject{.name = "x", .description = "", .encoding = truth, .precision = all_f32, .live = true};
  EXPECT_NO_THROW(meet(std::nullopt, truth, subject));
}

TEST(NotCovered, is_said_before_the_first_and_past_the_last) {
  const Domain has(0, 100);
  EXPECT_EQ(not_covered({0, 100}, has), "");
  EXPECT_EQ(not_covered({5, 5}, has), "");
  EXPECT_EQ(not_covered({-5, 100}, has),
            "positions -5 to 100 were asked for: those beyond 0 to 100 were not compared");
  EXPECT_EQ(not_covered({-1, 3}, has),
            "positions -1 to 3 were asked for: those beyond 0 to 100 were not compared");
  EXPECT_EQ(not_covered({0, 101}, has),
            "positions 0 to 101 were asked for: those beyond 0 to 100 were not compared");
  Domain none = has;
  none.lo = 0, none.hi = -1;
  EXPECT_EQ(
      not_covered({0, 5}, none),
      "positions 0 to 5 were asked for: a whole operator is given none, its tokens stand at their row numbers");
}

TEST(Overlap, is_what_both_declare_and_the_hard_ones_of_the_second) {
  Domain a(0, 60, {1}), b(-9, 50, {-9, -1, 0, 50});
  b.axes = 2;
  const Domain both = overlap(a, b);
  EXPECT_EQ(both.lo, 0);
  EXPECT_EQ(both.hi, 50);
  EXPECT_EQ(both.hard, (std::vector<Position>{0, 50}));
  EXPECT_EQ(both.axes, 2u);
  EXPECT_EQ(overlap(Domain(20, 90), Domain(-9, 50)).lo, 20);
  // On each axis where the first of both ends.
  a.axes = 2, a.last_on_axis = {60, 5}, b.last_on_axis = {7, 50};
  EXPECT_EQ(overlap(a, b).last_on_axis, (std::vector<Position>{7, 5}));
  b.class_token = -1;
  EXPECT_EQ(overlap(a, b).class_token, -1) << "the second is what is declared";
  EXPECT_EQ(overlap(Domain(-20, 30), Domain(-9, 50)).hi, 30);
}

Position last_in(std::string_view id, std::string_view parameters, Domain domain, Precision precision) {
  const EncodingSpec& spec = encoding_named(id);
  const Encoding truth = spec.oracle(with(spec, Case::parse(parameters)));
  Encoding subject = with_positions(truth, std::move(domain));
  keep_within_format(truth, precision, subject);
  for (const Position t : positions_of(subject).hard) EXPECT_LE(t, positions_of(subject).hi);
  return positions_of(subject).hi;
}

// What the format has no place for may be asked, and is another matter: no call past it has to be refused.
TEST(KeepWithinFormat, is_no_end_of_the_encoding) {
  const EncodingSpec& spec = encoding_named("raw_index");
  Domain domain(0, 1 << 20);
  domain.ends = true;
  for (const auto& [format, ends] : {std::pair{"f16", false}, {"f32", true}}) {
    Encoding subject = with_positions(spec.make(with(spec, {})), domain);
    keep_within_format(spec.oracle(with(spec, {})), Precision::parse(format), subject);
    EXPECT_EQ(positions_of(subject).ends, ends) << format;
  }
}

// The largest number of f16 is 65504.
TEST(KeepWithinFormat, ends_before_the_first_position_whose_value_has_no_place) {
  const Precision f16 = Precision::parse("f16");
  const auto all = [](std::vector<Position> hard = {}) { return Domain(0, 1 << 20, std::move(hard)); };
  EXPECT_EQ(last_in("raw_index", "", all({5, 65503, 65504, 99999}), f16), 65503);
  EXPECT_EQ(last_in("raw_index", "offset=2", all(), f16), 65501);
  EXPECT_EQ(last_in("alibi", "heads=1", all(), f16), 1 << 20);  // 2^-8 of 2^20 is 4096
  EXPECT_EQ(last_in("alibi", "heads=8", all(), f16), 2 * 65504 - 1);
  EXPECT_EQ(last_in("alibi", "heads=8 form=symmetric", all(), f16), 2 * 65504 - 1);
  EXPECT_EQ(last_in("alibi", "heads=8 rows=key_index", all(), f16), 2 * 65504 - 1);
  EXPECT_EQ(last_in("raw_index", "", Domain(0, 1000), f16), 1000);
  EXPECT_EQ(last_in("raw_index", "", Domain(7, 1 << 20), f16), 65503);
  EXPECT_EQ(last_in("raw_index", "", Domain(70000, 1 << 20), f16), 1 << 20) << "there is no place for any";
  for (const char* wide : {"f32", "bf16", "f64"})
    EXPECT_EQ(last_in("raw_index", "", all(), Precision::parse(wide)), 1 << 20) << wide;
  EXPECT_EQ(last_in("rope", "dim=2", all(), f16), 1 << 20);
}

// What a bias that is not causal says of later keys counts, too.
TEST(KeepWithinFormat, is_of_keys_on_both_sides_of_the_query) {
  Bias later{.heads = 1};
  later.positions = Domain(0, 1 << 20);
  later.bias = [](const Positions& queries, const Positions& keys) {
    Tensor out({1, queries.size(), keys.size()});
    for (std::size_t i = 0; i < queries.size(); ++i)
      for (std::size_t j = 0; j < keys.size(); ++j)
        out.at(i, j) = static_cast<double>(std::max<Position>(0, keys[j] - queries[i]));
    return out;
  };
  for (const bool causal : {false, true}) {
    later.causal = causal;
    Encoding subject = later;
    keep_within_format(later, Precision::parse("f16"), subject);
    EXPECT_EQ(positions_of(subject).hi, causal ? 1 << 20 : 65503) << causal;
  }
}

// Of negative positions, too: of a bias the distance of the first from the last counts.
TEST(KeepWithinFormat, is_of_positions_on_both_sides_of_0) {
  const auto kept = [](const char* id, const char* words, const Domain& domain, const char* format) {
    const EncodingSpec& spec = encoding_named(id);
    const Encoding truth = spec.oracle(with(spec, Case::parse(words)));
    Encoding subject = with_positions(spec.make(with(spec, Case::parse(words))), domain);
    keep_within_format(truth, Precision::parse(format), subject);
    return std::pair{positions_of(subject).lo, positions_of(subject).hi};
  };
  using Ends = std::pair<Position, Position>;
  EXPECT_EQ(kept("raw_index", "", Domain(-100000, 1 << 20), "f16"), (Ends{-65503, 65503}));
  EXPECT_EQ(kept("raw_index", "", Domain(-5, 1 << 20), "f16"), (Ends{-5, 65503}));
  EXPECT_EQ(kept("raw_index", "", Domain(-100000, -7), "f16"), (Ends{-65503, -7}));
  EXPECT_EQ(kept("alibi", "heads=8 form=symmetric", Domain(-(1 << 20), 1 << 20), "f16"),
            (Ends{-65503, 65503}));
  EXPECT_EQ(kept("alibi", "heads=8", Domain(-(1 << 20), 1 << 20), "f16"), (Ends{-65503, 65503}));
  EXPECT_EQ(kept("alibi", "heads=8", Domain(3, 1 << 20), "f16"), (Ends{3, 2 * 65504 + 2}));
  const auto last = static_cast<Position>(100 / std::log2(3.5) * 512);
  EXPECT_EQ(kept("xpos", "dim=8", Domain(-(1 << 20), 1 << 20), "f32"), (Ends{-last, last}));
  EXPECT_EQ(kept("xpos", "dim=8", Domain(1, 1 << 20), "f32"), (Ends{1, last}));
}

// The key of xPos at t = 512 k is 3.5^k as large in the fastest pair of d = 8: below 2^11 up to k = 6.08,
// below 2^120 to k = 66.4, above 2^-100 (the query) to k = 55.3; a scale base of 64 has eighths of these.
TEST(KeepWithinFormat, ends_before_a_factor_of_the_position_has_no_place) {
  const auto last = [](const char* words, const char* format) {
    return last_in("xpos", words, Domain(0, 1 << 20), Precision::parse(format));
  };
  const auto at = [](double k, Position scale) { return static_cast<Position>(k * double(scale)); };
  const double step = std::log2(3.5);
  EXPECT_EQ(last("dim=8", "f16"), at(11 / step, 512));
  EXPECT_EQ(last("dim=8", "f32"), at(100 / step, 512));
  EXPECT_EQ(last("dim=8", "bf16"), at(100 / step, 512));
  EXPECT_EQ(last("dim=8 scale_base=64", "f32"), at(100 / step, 64));
  EXPECT_EQ(last("dim=8", "f64"), at(900 / step, 512));
  // The first token of a call, and the last, are half of its length from the centre.
  EXPECT_EQ(last("dim=8 centre_at=half_of_call", "f16"), 2 * at(11 / step, 512));
  EXPECT_EQ(last("dim=8 centre_at=half_of_call_rounded_up", "f16"), 2 * at(11 / step, 512) - 1);
}

// Of a function of real numbers a file may hold positions on both sides of what is tested.
TEST(Meet, gives_a_function_of_real_numbers_what_a_file_has) {
  const Domain tested = positions_of(made_of("timestep_embedding", "dim=4"));
  const Met both =
      met(std::nullopt, Domain(tested.lo - 3, tested.hi + 5), false, "timestep_embedding", "dim=4");
  EXPECT_EQ(both.truth.lo, tested.lo - 3);
  EXPECT_EQ(both.truth.hi, tested.hi + 5);
  EXPECT_EQ(met(std::nullopt, Domain(5, 9), false, "timestep_embedding", "dim=4").truth.lo, tested.lo);
}

// Rows before the first position are nobody's, too.
TEST(Meet, leaves_out_what_is_before_the_first_position_of_what_ends) {
  const Met before = met(std::nullopt, Domain(-3, 100), true, "learned", "dim=4");
  EXPECT_EQ(before.subject.lo, 0);
  EXPECT_EQ(before.subject.hi, 100);
}

}  // namespace
}  // namespace posproof::narrowed_test
