// `lib:`, seen from the program that asks: testing/library.cpp answers, and misbehaves where it is told to.
#include "subject/library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "core/call.h"
#include "subject/testing/subjects.h"
#include "test_paths.h"

namespace posproof::library_test {
namespace {

using testing::expected;

const std::vector<Position> two = {5, 7};
const std::string library = "lib:" POSPROOF_TEST_LIBRARY;

Subject opened(const std::string& options, const Expected& taken_for) {
  ::setenv("POSPROOF_TEST_LIBRARY", options.c_str(), 1);
  serve_libraries_with(POSPROOF_BINARY);
  return open(library, taken_for);
}

Subject table(const std::string& options, std::string_view parameters = "dim=2") {
  return opened(options, expected(Table{.dim = 2}, parameters));
}

Tensor rows(const Subject& subject) {
  return testing::rows(subject, two, 16);
}

// What asking for two rows throws.
std::string thrown(const std::string& options) {
  const Subject subject = table(options);
  return testing::thrown(library, [&] { rows(subject); });
}

// What the handshake throws.
std::string refused(const std::string& options, std::string_view parameters = "dim=2") {
  return testing::thrown<SubjectError>(library, [&] { table(options, parameters); });
}

TEST(LibrarySubject, answers_every_kind_of_call) {
  EXPECT_EQ(rows(table("")), Tensor({2, 2}, {6, 38, 8, 40}));

  const Subject rotary = opened("", expected(Rotary{.dim = 2, .heads = 3}));
  // Two batch rows of three heads and two tokens: each number is its own.
  Tensor x({2, 3, 2, 2}), right({2, 3, 2, 2});
  const std::vector<Position> positions = {1, 2, 3, 4};
  for (std::size_t e = 0; e < x.data.size(); ++e) {
    x.data[e] = static_cast<double>(e + 1);
    right.data[e] = x.data[e] * static_cast<double>(positions[e / 12 * 2 + e / 2 % 2]);
  }
  EXPECT_EQ(as<Rotary>(rotary.encoding).rotate(x, positions, Role::query), right);
  for (double& one : right.data) one *= 2;
  EXPECT_EQ(as<Rotary>(rotary.encoding).rotate(x, positions, Role::key), right);
  ASSERT_TRUE(rotary.backward);
  for (double& one : right.data) one = -one;
  EXPECT_EQ(as<Rotary>(*rotary.backward).rotate(x, positions, Role::key), right);

  const std::vector<Position> one = {2};
  const Subject bias = opened("heads=2", expected(Bias{.heads = 2}));
  EXPECT_EQ(as<Bias>(bias.encoding).bias(two, one), Tensor({2, 2, 1}, {18, 26, 118, 126}));
  EXPECT_EQ(as<Bias>(bias.encoding).bias(one, two), Tensor({2, 1, 2}, {3, 1, 103, 101}));

  const Subject contextual = opened("", expected(Contextual{.dim = 2}));
  const Tensor q({2, 2}, {1, 0, 2, 1}), k({1, 2}, {3, 4});
  EXPECT_EQ(as<Contextual>(contextual.encoding).logits(q, k, two, one), Tensor({1, 2, 1}, {21, 32}));

  const Subject attention = opened("", expected(Attention{.dim = 2, .value_dim = 1}));
  EXPECT_EQ(
      as<Attention>(attention.encoding).attend(q, q, Tensor({2, 1}, {8, 9}), Tensor({2, 2}, {1, 0, 1, 1})),
      Tensor({2, 1}, {8, 52}));
}

TEST(LibrarySubject, says_what_it_is) {
  EXPECT_EQ(table("").description, "libposproof_test_library.so (learned)");
  const Subject all =
      table("name=mine;version=2;conventions=half;dtype=f64;precision=f32/f64;domain=3 99;has=rows;width=2");
  EXPECT_EQ(all.description, "mine 2 (half)");
  EXPECT_EQ(all.precision.text(), "f32 over f64");
  EXPECT_EQ(as<Table>(all.encoding).positions.lo, 3);
  EXPECT_EQ(as<Table>(all.encoding).positions.hi, 99);
  EXPECT_FALSE(opened("has=rotate", expected(Rotary{.dim = 2})).backward);
}

TEST(LibrarySubject, rows_have_the_width_that_it_says) {
  const Subject wide = opened("width=3", expected(Table{.dim = 3}, "of=2"));
  EXPECT_EQ(rows(wide), Tensor({2, 3}, {6, 38, 70, 8, 40, 72}));
  // Without a width of its own that is dim: this one writes two numbers a row.
  EXPECT_EQ(testing::thrown(library, [] { rows(opened("", expected(Table{.dim = 1}, "dim=1"))); }),
            ": rows(positions [2], length 16): rows() writes beside its answer");
}

// No other way to hand the arrays on is tried then: it is what it was refuted for.
TEST(LibrarySubject, that_changes_what_it_is_given_says_so) {
  const Subject subject = table("misbehaves=changes");
  try {
    rows(subject);
    FAIL() << "nothing was thrown";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.how, Failure::How::answered_otherwise);
  }
}

TEST(LibrarySubject, is_told_the_parameters) {
  const auto first = [](std::string_view parameters) { return rows(table("", parameters)).data.front(); };
  EXPECT_EQ(first("dim=2"), 6);
  EXPECT_EQ(first("dim=2 factor=3"), 9);
  EXPECT_EQ(first("dim=2 word=half"), 6.5);
  EXPECT_EQ(first("dim=2 word=other"), 6);
  EXPECT_EQ(first("dim=2 list=[1,2]"), 6 + 2000 + 10 + 200);
  EXPECT_EQ(first("dim=2 list=[1,2,3]"), 6 + 3000 + 10 + 200);  // as many as there is room for
  EXPECT_EQ(first("dim=2 list=4"), 6 + 1000 + 40);
}

TEST(LibrarySubject, takes_numbers_in_its_own_formats) {
  for (const std::string dtype : {"f64", "f32", "bf16"})
    for (const std::string positions : {"int64", "int32", "float64", "float32"})
      EXPECT_EQ(rows(table("dtype=" + dtype + ";positions=" + positions)), Tensor({2, 2}, {6, 38, 8, 40}))
          << dtype << " " << positions;
  const auto rotated = [](const std::string& dtype) {
    const Subject subject = opened("dtype=" + dtype, expected(Rotary{.dim = 2}));
    return as<Rotary>(subject.encoding)
        .rotate(Tensor({1, 1, 1, 2}, {0.25, -1}), std::vector<Position>{3}, Role::query);
  };
  for (const std::string dtype : {"f64", "f32", "bf16"})
    EXPECT_EQ(rotated(dtype), Tensor({1, 1, 1, 2}, {0.75, -3})) << dtype;
}

TEST(LibrarySubject, positions_may_have_several_numbers_or_be_real) {
  Table grid{.dim = 2};
  grid.positions.axes = 2;
  grid.rows = [](const Positions&, Position) { return Tensor({0, 2}); };
  Call call;
  call.positions = {.whole = {5, 1, 7, 2}, .axes = 2};
  call.length = 16;
  EXPECT_EQ(answer(opened("", expected(grid, "dim=2")).encoding, call),
            Tensor({2, 2}, {6.25, 38.25, 8.5, 40.5}));

  Bias window{.heads = 1};
  window.positions.axes = 2;
  window.bias = [](const Positions&, const Positions&) { return Tensor({1, 0, 0}); };
  Call pairs{.positions = {.whole = {5, 1, 7, 2}, .axes = 2}, .keys = {.whole = {2, 0}, .axes = 2}};
  EXPECT_EQ(answer(opened("", expected(window, "dim=2")).encoding, pairs), Tensor({1, 2, 1}, {18, 26}));

  Table real{.dim = 2};
  real.positions.real = true;
  real.rows = grid.rows;
  Call between;
  between.positions = {.real = {0.5, 7}};
  between.length = 16;
  EXPECT_EQ(answer(opened("positions=float64", expected(real, "dim=2")).encoding, between),
            Tensor({2, 2}, {1.5, 33.5, 8, 40}));
  // Integers, the usual ones too, hold whole numbers alone.
  EXPECT_FALSE(positions_of(opened("", expected(real, "dim=2")).encoding).real);
  // No rounded position is asked for.
  between.positions.real = {0.1};
  EXPECT_EQ(
      testing::thrown<Refusal>(
          library, [&] { answer(opened("positions=float32", expected(real, "dim=2")).encoding, between); }),
      " declines: position 0.1 is not exact in float32");
}

TEST(LibrarySubject, is_declined_and_refuted_in_its_own_words) {
  EXPECT_EQ(thrown("misbehaves=fails"), ": rows(positions [2], length 16): rows() returns 7");
  EXPECT_EQ(thrown("misbehaves=fails;why=no such row"), ": rows(positions [2], length 16): no such row");
  const auto declined = [](const std::string& options) {
    return testing::thrown<Refusal>(library, [&] { rows(table(options)); });
  };
  EXPECT_EQ(declined("misbehaves=declines;why=past the end"), " declines: past the end");
}

TEST(LibrarySubject, what_is_not_its_own_it_may_not_write) {
  const auto says = [](const std::string& how, const std::string& what) {
    EXPECT_TRUE(thrown("misbehaves=" + how).ends_with(": rows() " + what)) << thrown("misbehaves=" + how);
  };
  says("changes", "changes what it is given");
  for (const std::string how : {"changes_positions", "writes_before_x"}) {
    const Subject rotary = opened("misbehaves=" + how, expected(Rotary{.dim = 2}));
    const auto rotate = [&] { as<Rotary>(rotary.encoding).rotate(Tensor({1, 1, 2, 2}), two, Role::query); };
    EXPECT_TRUE(testing::thrown(library, rotate).ends_with(": rotate() changes what it is given")) << how;
  }
  says("writes_before", "writes beside its answer");
  says("writes_behind", "writes beside its answer");
}

TEST(LibrarySubject, what_it_does_not_write_is_no_number) {
  for (const std::string dtype : {"f64", "f32", "bf16"}) {
    const Tensor found = rows(table("misbehaves=leaves_the_last;dtype=" + dtype));
    EXPECT_TRUE(std::isnan(found.data[1])) << dtype;
    EXPECT_EQ(found.data[2], 8) << dtype;
  }
}

TEST(LibrarySubject, may_print) {
  EXPECT_EQ(rows(table("misbehaves=prints")), Tensor({2, 2}, {6, 38, 8, 40}));
}

TEST(LibrarySubject, that_dies_ends_its_own_process_alone) {
  EXPECT_TRUE(thrown("misbehaves=dies").ends_with("it is killed by SIGABRT")) << thrown("misbehaves=dies");
}

TEST(LibrarySubject, nothing_is_asked_whose_answer_is_empty) {
  EXPECT_EQ(testing::rows(table("misbehaves=dies"), {}, 16), Tensor({0, 2}));
}

TEST(LibrarySubject, that_takes_no_part_says_why) {
  const std::string start = ": fails in the handshake: ";
  EXPECT_EQ(refused("misbehaves=takes_no_part;why=for rope alone"),
            ": declines in the handshake: for rope alone");
  EXPECT_EQ(refused("misbehaves=does_not_start"), start + "posproof_start() returns 3");
  EXPECT_EQ(refused("dtype=f8"), start + "its dtype is `f8`; allowed: f64, f32, bf16, f16");
  EXPECT_EQ(refused("positions=int16"),
            start + "its positions are `int16`; allowed: int64, int32, float64, float32");
  EXPECT_EQ(refused("has=none"), start + "it has none of the functions rows, rotate, bias, logits, attend");
  EXPECT_EQ(testing::thrown(library, [] { rows(table("has=rows", "of=2")); }),
            ": rows(positions [2], length 16): `width` is 0, and the encoding has no parameter dim");
}

TEST(LibrarySubject, that_is_none_is_refused) {
  serve_libraries_with(POSPROOF_BINARY);
  const auto says = [](const std::string& words) {
    return testing::thrown<SubjectError>(words, [&] { open(words, expected(Table{.dim = 2})); });
  };
  EXPECT_EQ(says("lib:/no/such.so"), ": there is no such file");
  EXPECT_EQ(says("lib:libm.so.6"), ": there is no such file");  // not the system's
  const std::string text = testing::source + "/README.md";
  EXPECT_EQ(says("lib:" + text).find(": fails in the handshake: it cannot be loaded: " + text), 0u)
      << says("lib:" + text);
  serve_libraries_with("");
  EXPECT_EQ(testing::thrown<std::invalid_argument>(library, [] { open(library, expected(Table{.dim = 2})); }),
            "`" + library + "`: the program posproof alone serves libraries");
}

// The library of C itself, wherever it lies.
TEST(LibrarySubject, without_the_function_is_refused) {
  serve_libraries_with(POSPROOF_BINARY);
  Dl_info of_c{};
  ASSERT_NE(::dladdr(reinterpret_cast<void*>(&::getpid), &of_c), 0);
  const std::string words = fmt::format("lib:{}", of_c.dli_fname);
  EXPECT_EQ(testing::thrown<SubjectError>(words, [&] { open(words, expected(Table{.dim = 2})); }),
            ": fails in the handshake: it exports no posproof_start(): see posproof_subject.h");
}

// It reaches the program as it is.
TEST(LibrarySubject, may_have_any_name) {
  serve_libraries_with(POSPROOF_BINARY);
  ::unsetenv("POSPROOF_TEST_LIBRARY");
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / fmt::format("posproof it's {}", ::getpid());
  std::filesystem::create_directories(folder);
  const std::string copy = (folder / "a b.so").native();
  std::filesystem::copy_file(POSPROOF_TEST_LIBRARY, copy);
  EXPECT_EQ(rows(open("lib:" + copy, expected(Table{.dim = 2}, "dim=2"))), Tensor({2, 2}, {6, 38, 8, 40}));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace posproof::library_test
