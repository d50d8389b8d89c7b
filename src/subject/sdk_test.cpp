// The Python SDK, examples/posproof_subject.py, seen from the other end.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "core/draw.h"
#include "encodings/seeded.h"
#include "subject/testing/subjects.h"
#include "test_paths.h"

namespace posproof::sdk_test {
namespace {

using testing::expected;
using testing::sdk;
using testing::thrown;

const std::vector<Position> two = {5, 7};

Tensor rotated(const Subject& subject, const Tensor& x, Role role = Role::query) {
  const std::vector<Position> positions(x.shape[0] * x.shape[2], 3);
  return as<Rotary>(subject.encoding).rotate(x, positions, role);
}

Tensor quarters(const Shape& shape) {
  Tensor x(shape);
  for (std::size_t i = 0; i < x.data.size(); ++i) x.data[i] = double(i % 9) / 4 - 1;
  return x;
}

TEST(PythonSubject, answers_every_kind_of_call) {
  const Subject table = open(sdk("all"), expected(Table{.dim = 3}, "dim=3"));
  EXPECT_EQ(testing::rows(table, two, 10), Tensor({2, 3}, {15, 15, 15, 17, 17, 17}));
  EXPECT_EQ(table.description, "sdk 3 (many)");
  EXPECT_EQ(as<Table>(table.encoding).positions.hi, 99);

  const Subject rotary = open(sdk("all"), expected(Rotary{.dim = 2}));
  EXPECT_EQ(rotated(rotary, Tensor({1, 1, 1, 2}, {0.25, -1})), Tensor({1, 1, 1, 2}, {0.5, -2}));
  EXPECT_EQ(rotated(rotary, Tensor({1, 1, 1, 2}, {0.25, -1}), Role::key), Tensor({1, 1, 1, 2}, {0.25, -1}));

  const std::vector<Position> one = {2};
  const Subject bias = open(sdk("all"), expected(Bias{.heads = 1}));
  EXPECT_EQ(as<Bias>(bias.encoding).bias(two, one), Tensor({1, 2, 1}, {205, 207}));

  const Subject contextual = open(sdk("all"), expected(Contextual{.dim = 2}));
  const Tensor q({2, 2}, {1, 0, 0, 1}), k({1, 2}, {3, 4});
  EXPECT_EQ(as<Contextual>(contextual.encoding).logits(q, k, two, one), Tensor({1, 2, 1}, {6, 9}));

  const Subject attention = open(sdk("all"), expected(Attention{.dim = 2, .value_dim = 1}));
  EXPECT_EQ(
      as<Attention>(attention.encoding).attend(q, q, Tensor({2, 1}, {8, 9}), Tensor({2, 2}, {1, 0, 0, 1})),
      Tensor({2, 1}, {8, 9}));
}

TEST(PythonSubject, flags_are_what_they_say) {
  const Subject table = open(sdk("flags"), expected(Table{.dim = 3}, "dim=3 on=true off=false"));
  EXPECT_EQ(testing::rows(table, two, 10), Tensor({2, 3}, {1, 0, 1, 1, 0, 1}));
}

TEST(PythonSubject, a_list_may_have_runs_of_equal_numbers) {
  const Subject table = open(sdk("runs"), expected(Table{.dim = 6}, "dim=6 runs=[1,2,2,2,2,3]"));
  EXPECT_EQ(testing::rows(table, {0}), Tensor({1, 6}, {1, 2, 2, 2, 2, 3}));
}

TEST(PythonSubject, a_role_that_may_be_left_out_is_given) {
  const Subject subject = open(sdk("optional_role"), expected(Rotary{.dim = 2}));
  EXPECT_EQ(rotated(subject, Tensor({1, 1, 1, 2}, {1, 2})), Tensor({1, 1, 1, 2}, {2, 4}));
}

TEST(PythonSubject, what_is_printed_does_not_reach_the_stream) {
  const Subject subject = open(sdk("printing"), expected(Rotary{.dim = 2}));
  EXPECT_EQ(rotated(subject, quarters({1, 1, 2, 2})), quarters({1, 1, 2, 2}));
  EXPECT_EQ(rotated(subject, quarters({1, 1, 3, 2})), quarters({1, 1, 3, 2}));
}

TEST(PythonSubject, an_exception_is_an_error_with_the_end_of_its_traceback) {
  const Subject subject = open(sdk("failing"), expected(Rotary{.dim = 2}));
  const std::string message = thrown(sdk("failing"), [&] { rotated(subject, quarters({1, 1, 2, 2})); });
  const std::string start =
      ": rotate(x [1, 1, 2, 2], positions [1, 2], role query): Traceback (most recent call last):\n";
  EXPECT_EQ(message.substr(0, start.size()), start);
  const std::string end = "raise KeyError(\"inv_freq\")\nKeyError: 'inv_freq'";
  ASSERT_GT(message.size(), end.size());
  EXPECT_EQ(message.substr(message.size() - end.size()), end);
}

TEST(PythonSubject, an_exception_of_the_kinds_that_decline_is_a_refusal) {
  const Subject subject = open(sdk("declining"), expected(Rotary{.dim = 2}));
  EXPECT_EQ(thrown<Refusal>(sdk("declining"),
                            [&] {
                              rotated(subject, quarters({1, 1, 2, 2}));
                            }),
            " declines: position 3 is past the end");
}

TEST(PythonSubject, each_of_several_kinds_that_decline_is_a_refusal) {
  const Subject subject = open(sdk("declining_either"), expected(Rotary{.dim = 2}));
  const auto said = [&](std::size_t tokens) {
    return thrown<Refusal>(sdk("declining_either"), [&] { rotated(subject, quarters({1, 1, tokens, 2})); });
  };
  EXPECT_EQ(said(1), " declines: 'it ends'");
  EXPECT_EQ(said(2), " declines: it ends");
}

TEST(PythonSubject, a_refusal_without_words_has_the_name_of_its_exception) {
  const Subject subject = open(sdk("declining_silently"), expected(Rotary{.dim = 2}));
  EXPECT_EQ(thrown<Refusal>(sdk("declining_silently"),
                            [&] {
                              rotated(subject, quarters({1, 1, 2, 2}));
                            }),
            " declines: IndexError");
}

TEST(PythonSubject, has_a_name_and_an_end_of_its_own) {
  const Subject subject = open(sdk("ends"), expected(Table{.dim = 3}, "dim=3"));
  EXPECT_EQ(subject.description, "a table");
  const Domain domain = positions_of(subject.encoding);
  EXPECT_EQ(domain.hi, 9);
  EXPECT_TRUE(domain.ends);
  EXPECT_FALSE(positions_of(open(sdk("all"), expected(Table{.dim = 3}, "dim=3")).encoding).ends);
}

TEST(PythonSubject, hears_of_every_kind_that_it_can_be_asked_as) {
  Expected both = expected(Table{.dim = 1}, "dim=1");
  both.declared.push_back(Attention{.dim = 1, .value_dim = 1});
  EXPECT_EQ(testing::rows(open(sdk("kinds"), both), {0}), Tensor({1, 1}, {1}));
}

TEST(PythonSubject, a_mask_holds_flags_whatever_positions_are) {
  const Subject subject = open(sdk("flags_of_a_mask"), expected(Attention{.dim = 2, .value_dim = 1}));
  for (std::size_t n = 1; n <= 8; ++n) {
    const Tensor q({n, 2});
    EXPECT_EQ(as<Attention>(subject.encoding)
                  .attend(q, q, Tensor({n, 1}), Mask({n, n}, std::vector<double>(n * n, 1))),
              Tensor({n, 1}))
        << n;
  }
}

// A fork takes one thread with it: beside another one a new object is a new process.
TEST(PythonSubject, a_new_object_is_a_fork_of_what_was_imported_by_one_thread) {
  const auto asked = [](const Subject& subject) { return testing::rows(subject, {0}).data; };
  const Subject alone = open(sdk("imported"), expected(Table{.dim = 2}, "dim=2"));
  const std::vector<double> before = asked(alone);
  alone.renew();
  EXPECT_EQ(asked(alone)[0], before[0]);
  EXPECT_NE(asked(alone)[1], before[1]);

  const Subject beside = open(sdk("imported_beside_a_thread"), expected(Table{.dim = 2}, "dim=2"));
  const std::vector<double> first = asked(beside);
  EXPECT_EQ(first[0], first[1]);
  beside.renew();
  EXPECT_NE(asked(beside)[0], first[0]);
}

// "Too many indices" has nothing to do with positions: what nobody meant is no refusal.
TEST(PythonSubject, an_index_error_about_axes_or_shapes_is_an_error) {
  const auto message = [](const std::string& what) {
    const Subject subject = open(sdk(what), expected(Rotary{.dim = 2}));
    return thrown<Failure>(sdk(what), [&] { rotated(subject, quarters({1, 1, 2, 2})); });
  };
  EXPECT_NE(message("too_many_indices").find("IndexError: too many indices"), std::string::npos);
  EXPECT_NE(message("no_such_axis").find("AxisError: axis 4 is out of bounds"), std::string::npos);
  EXPECT_NE(message("no_such_extent").find("IndexError: tuple index out of range"), std::string::npos);
  const Subject table = open(sdk("past_the_end"), expected(Rotary{.dim = 2}));
  EXPECT_NE(thrown<Refusal>(sdk("past_the_end"),
                            [&] {
                              rotated(table, quarters({1, 1, 2, 2}));
                            })
                .find("index 3"),
            std::string::npos);
}

TEST(PythonSubject, whole_positions_of_a_function_of_real_numbers_are_floats) {
  const auto floats = [&](const std::string& words, bool real) {
    Table table{.dim = 4};
    table.positions.real = real;
    const Subject subject = open(words, expected(table));
    int found = 0;
    for (Position t = 0; t < 12; ++t)
      found +=
          thrown(words, [&] { testing::rows(subject, {t}); }).find("TypeError: float32") != std::string::npos;
    return found;
  };
  EXPECT_EQ(floats(sdk("type_of_positions"), true), 12);
  EXPECT_EQ(floats(sdk("type_of_positions"), false), 0);
  EXPECT_EQ(floats(sdk("type_of_integers"), true), 0) << "it takes whole ones alone";
}

TEST(PythonSubject, what_stands_for_trained_numbers_is_the_same_as_here) {
  const Subject subject = open(sdk("trained"), expected(Table{.dim = 3}, "dim=3"));
  std::vector<Position> all(100);
  std::iota(all.begin(), all.end(), 0);
  const Tensor found = testing::rows(subject, all);
  for (std::size_t n = 0; n < 120; ++n) EXPECT_EQ(found.data[n], seeded(std::uint64_t(-7), n, 0.02)) << n;
  for (std::size_t n = 0; n < 60; ++n)
    EXPECT_EQ(found.data[120 + n], seeded(std::uint64_t{1} << 40, 10 + n, 1)) << n;
  // Another library's logarithm and cosine, of 64 bits: they round to the same double but for its last bit.
  for (std::size_t n = 0; n < 120; ++n)
    EXPECT_DOUBLE_EQ(found.data[180 + n], seeded_normal(5, 2 + n, 0.5)) << n;
}

TEST(PythonSubject, what_stands_for_trained_numbers_is_distributed_as_the_encodings_matrix) {
  for (const std::string encoding : {"learned", "gaussian_fourier", "random_fourier"}) {
    Expected one = expected(Table{.dim = 3}, "dim=3");
    one.encoding = encoding;
    const Tensor found = testing::rows(open(sdk("trained_as_asked"), one), {0, 1});
    for (std::size_t n = 0; n < 6; ++n)
      EXPECT_DOUBLE_EQ(found.data[n], encoding == "learned" ? seeded(5, n, 0.5) : seeded_normal(5, n, 0.5))
          << encoding << " " << n;
  }
}

// Each pair of copies of a position is a call of a function that takes whole sequences.
TEST(PythonSubject, logits_of_whole_sequences_are_asked_for_a_few_copies_of_a_position) {
  const Subject subject = open(sdk("whole_sequences"), expected(Contextual{.dim = 2}, "dim=2"));
  const auto all = [](Shape shape, double value) {
    Tensor x(std::move(shape));
    std::ranges::fill(x.data, value);
    return x;
  };
  const auto logits = [&](std::size_t queries, std::size_t keys) {
    const std::vector<Position> i(queries, 1), j(keys, 0);
    return as<Contextual>(subject.encoding).logits(all({queries, 2}, 1), all({keys, 2}, 1), i, j);
  };
  EXPECT_EQ(logits(8, 8), all({1, 8, 8}, 2));
  EXPECT_EQ(logits(64, 1), all({1, 64, 1}, 2));
  EXPECT_THROW(logits(9, 8), Discard);
  EXPECT_THROW(logits(1, 65), Discard);
}

// A sequence begins at 0; of queries and keys apart it is as long as the farther one.
TEST(PythonSubject, whole_sequences_hold_all_positions_from_0_on) {
  const Subject subject = open(sdk("whole_sequences"), expected(Contextual{.dim = 2}, "dim=2"));
  const Tensor q({2, 2}, {1, 0, 0, 1}), k({1, 2}, {3, 4});
  const auto logits = [&](const std::vector<Position>& i, const std::vector<Position>& j) {
    return as<Contextual>(subject.encoding).logits(q, k, i, j);
  };
  const std::vector<Position> early = {1, 0}, late = {5};
  EXPECT_EQ(logits(early, late), Tensor({1, 2, 1}, {3, 4}));
  EXPECT_THROW(logits({1, -1}, late), Refusal);
}

// What stands beside content and positions that are part of something wider is neither.
TEST(PythonSubject, arrays_have_no_content_beside_them) {
  const Subject subject = open(sdk("beside"), expected(Rotary{.dim = 2, .heads = 2}));
  std::size_t wide = 0;
  for (Position t = 0; t < 40; ++t) {
    const std::vector<Position> at = {t, t + 1};
    const double is = as<Rotary>(subject.encoding).rotate(quarters({1, 2, 2, 2}), at, Role::key).data[0];
    EXPECT_TRUE(is == 0 || is == 5) << t << ": " << is;
    wide += is == 5 ? 1 : 0;
  }
  EXPECT_GE(wide, 1u);
}

// Keys come with as many heads as the function has of them, the others in another call.
TEST(PythonSubject, keys_come_with_their_own_number_of_heads) {
  const Subject subject = open(sdk("by_heads"), expected(Rotary{.dim = 2, .heads = 4}));
  EXPECT_EQ(subject.own_heads, (std::array<std::size_t, 2>{4, 2}));
  const Tensor x({1, 4, 1, 2});
  EXPECT_EQ(rotated(subject, x).data, (std::vector<double>{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(rotated(subject, x, Role::key).data, (std::vector<double>{0, 0, 1, 1, 0, 0, 1, 1}));
}

TEST(PythonSubject, batches_stand_in_the_axis_of_tokens_where_there_is_no_other) {
  const Subject subject = open(sdk("without_batches"), expected(Rotary{.dim = 1, .heads = 2}));
  const std::vector<Position> at = {1, 2, 3, 10, 20, 30};
  EXPECT_EQ(as<Rotary>(subject.encoding).rotate(Tensor({2, 2, 3, 1}), at, Role::query).data,
            (std::vector<double>{1, 2, 3, 1, 2, 3, 10, 20, 30, 10, 20, 30}));
}

TEST(PythonSubject, a_class_token_has_a_position_before_all_others) {
  const auto first = [](const std::string& words) {
    return positions_of(open(sdk("class_token"), expected(Bias{.heads = 1}, words)).encoding).lo;
  };
  EXPECT_EQ(first("heads=1"), 0);
  EXPECT_EQ(first("heads=1 class_token=none"), 0);
  EXPECT_EQ(first("heads=1 class_token=apart"), -1);
  EXPECT_EQ(first("heads=1 offset=2 padding_row=1"), -1) << "so does padding, where it has one";
  EXPECT_EQ(first("heads=1 offset=2 padding_row=0"), -2);
  EXPECT_EQ(first("heads=1 offset=2 padding_row=-1"), 0);
}

TEST(PythonSubject, what_ends_it_is_named) {
  for (const auto& [what, end] :
       {std::pair{"dying", "is killed by SIGSEGV"}, std::pair{"killed", "is killed by SIGKILL"},
        std::pair{"leaving", "exits with status 3"}}) {
    const Subject subject = open(sdk(what), expected(Rotary{.dim = 2}));
    const std::string message = thrown(sdk(what), [&] { rotated(subject, quarters({1, 1, 2, 2})); });
    EXPECT_NE(message.find(end), std::string::npos) << message;
  }
}

TEST(PythonSubject, a_module_is_served_as_it_is) {
  if (!POSPROOF_PYTHON_HAS_TORCH) GTEST_SKIP() << "the Python that was found cannot import torch";
  const Subject subject = open(sdk("module"), expected(Table{.dim = 3}, "dim=3 length=8 table=index"));
  EXPECT_EQ(testing::rows(subject, two), Tensor({2, 3}, {15, 16, 17, 21, 22, 23}));
  EXPECT_NE(subject.description.find("taken as forward(input), a position for each token"), std::string::npos)
      << subject.description;
}

// Told by the positions alone: a new process is asked in the same way.
TEST(PythonSubject, arrays_come_as_code_meets_them_and_in_the_same_way_again) {
  const auto seen = [](Position from) {
    const Subject subject = open(sdk("layout"), expected(Rotary{.dim = 2, .heads = 2}));
    std::vector<double> ways;
    for (Position t = from; t < from + 60; ++t) {
      const std::vector<Position> at = {t, t + 1};
      ways.push_back(as<Rotary>(subject.encoding).rotate(quarters({1, 2, 2, 2}), at, Role::key).data[0]);
    }
    return ways;
  };
  const std::vector<double> ways = seen(100);
  EXPECT_EQ(ways, seen(100));
  for (const double dtype : {0, 4, 8})     // int64, int32, float32
    for (const double layout : {0, 1, 3})  // plain, transposed, slice
      EXPECT_GE(std::count(ways.begin(), ways.end(), dtype + layout), 1) << dtype << " " << layout;
  EXPECT_GE(std::count_if(ways.begin(), ways.end(), [](double way) { return std::fmod(way, 4) == 0; }), 20);
  const std::vector<double> far = seen(Position{1} << 32);  // neither int32 nor float32 holds these
  EXPECT_TRUE(std::all_of(far.begin(), far.end(), [](double way) { return way < 4; }));
}

// int32 up to 2^31 - 1, float32 up to 2^24; either sign.
TEST(PythonSubject, positions_come_in_dtypes_that_hold_them) {
  const Subject subject = open(sdk("layout"), expected(Rotary{.dim = 2, .heads = 2}));
  const auto some_in = [&](double dtype, Position end) {
    for (Position t = 1; t <= 60; ++t) {
      const std::vector<Position> at = {end > 0 ? end - t : end + t, end};
      const Tensor seen = as<Rotary>(subject.encoding).rotate(quarters({1, 2, 2, 2}), at, Role::key);
      if (seen.data[0] >= dtype && seen.data[0] < dtype + 4) return true;
    }
    return false;
  };
  constexpr double int32 = 4, float32 = 8;
  constexpr Position most = Position{1} << 24, of_int = (Position{1} << 31) - 1;
  for (const Position sign : {1, -1}) {
    EXPECT_TRUE(some_in(float32, sign * most));
    EXPECT_FALSE(some_in(float32, sign * (most + 1)));
    EXPECT_TRUE(some_in(int32, sign * of_int));
    EXPECT_FALSE(some_in(int32, sign * (of_int + 1)));
  }
}

TEST(PythonSubject, positions_come_in_dtypes_that_there_are) {
  EXPECT_EQ(thrown<SubjectError>(sdk("bad_positions"),
                                 [] { open(sdk("bad_positions"), expected(Rotary{.dim = 2})); }),
            ": takes positions in `int8`, which is none of int64, int32, float64, float32");
}

}  // namespace
}  // namespace posproof::sdk_test
