// What a program is taken for that says nothing of what it is.
#include "identify/identified_subject.h"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "catalogue/encodings.h"
#include "run/catalogued.h"
#include "subject/testing/npy.h"
#include "subject/testing/subjects.h"

namespace posproof::identified_subject_test {
namespace {

// One that gives rows, and has no rotation to answer with.
TEST(IdentifiedSubject, is_asked_as_the_next_kind_where_it_does_not_take_part) {
  const Unidentified asked(testing::sdk("processors"), {.dim = 2});
  ASSERT_TRUE(asked.live());
  EXPECT_EQ(asked.taken_for().encoding, "sinusoidal");
  EXPECT_EQ(asked.taken_for().parameters.text(), "dim=2");
}

// Of each that is given, where the encoding has it; of those in use, the commonest first, where none is.
TEST(IdentifiedSubject, is_asked_with_shapes_that_an_encoding_may_have) {
  using Texts = std::vector<std::string>;
  const auto shapes = [](const std::string& encoding, const IdentifyOptions& options) {
    Texts out;
    for (const Parameters& one : shapes_of(encoding_named(encoding), options)) out.push_back(one.text());
    return out;
  };
  EXPECT_EQ(shapes("rope", {.dim = 12}), Texts{"dim=12"});
  EXPECT_EQ(shapes("rope", {.dim = 12, .heads = 3}), Texts{"dim=12 heads=3"});
  EXPECT_EQ(shapes("sinusoidal", {.dim = 12, .heads = 3}), Texts{"dim=12"});
  EXPECT_EQ(shapes("rope", {.heads = 3}),
            (Texts{"dim=64 heads=3", "dim=128 heads=3", "dim=32 heads=3", "dim=96 heads=3", "dim=80 heads=3",
                   "dim=256 heads=3", "dim=16 heads=3", "dim=8 heads=3"}));
  EXPECT_EQ(shapes("alibi", {.dim = 12, .heads = 3}), Texts{"heads=3"});
  EXPECT_EQ(shapes("alibi", {.dim = 12}),
            (Texts{"heads=8", "heads=12", "heads=16", "heads=32", "heads=4", "heads=40"}));
  // A quarter of the pairs for time: 2 of 8, 10 of 32; and what thirds leave.
  EXPECT_EQ(shapes("m_rope", {.dim = 16}), Texts{"dim=16 sections=[2,3,3]"});
  EXPECT_EQ(shapes("m_rope", {.dim = 128}), Texts{"dim=128 sections=[16,24,24]"});
  EXPECT_EQ(shapes("axial_rope", {.dim = 16}), (Texts{"dim=16", "dim=16 axes=3 parts=[4,6,6]"}));
  const Texts all = shapes("axial_rope", {});
  ASSERT_EQ(all.size(), 16u);
  EXPECT_EQ(all[7], "dim=8");
  EXPECT_EQ(all[8], "dim=64 axes=3 parts=[16,24,24]");
  EXPECT_EQ(all[15], "dim=8 axes=3 parts=[4,2,2]");
}

// Whichever of the first rows holds the first and the last of them.
TEST(IdentifiedSubject, of_a_file_has_columns_in_use) {
  using Places = std::vector<std::pair<std::size_t, std::size_t>>;
  const auto in_use = [](const Places& places) -> std::vector<std::size_t> {
    Tensor rows({80, 8});
    for (const auto& [r, c] : places) rows.at(r, c) = 1;
    const testing::Written file("columns_in_use.npy", rows, true);
    const auto found = Unidentified(file.subject(), {}).columns_in_use();
    if (!found) return {};
    return {found->begin, found->end};
  };
  using Ends = std::vector<std::size_t>;
  EXPECT_EQ(in_use({}), Ends{});
  EXPECT_EQ(in_use({{0, 3}}), (Ends{3, 4}));
  EXPECT_EQ(in_use({{0, 3}, {1, 2}, {1, 4}, {2, 3}}), (Ends{2, 5}));
  EXPECT_EQ(in_use({{0, 0}, {63, 7}}), (Ends{0, 8}));
  EXPECT_EQ(in_use({{0, 3}, {64, 7}}), (Ends{3, 4})) << "behind the first rows";
}

// The fewest that have every number of every row: 1 + 2^-7 is a bf16's, 1 + 2^-10 an f16's, 2^-30 a bf16's
// and no f16's. NaN is one of any.
TEST(IdentifiedSubject, of_a_file_has_the_fewest_digits_of_its_numbers) {
  const auto read_as = [](std::vector<double> numbers, bool single) {
    const testing::Written file("fewer_digits.npy", {{2, numbers.size() / 2}, numbers}, single);
    const auto found = Unidentified(file.subject(), {}).in_fewer_digits();
    return found ? std::string(name(found->stored_in)) + " as " +
                       std::string(found->subject.words().substr(file.subject().size()))
                 : "none";
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(read_as({1, 1 + 0x1p-7, 3, nan}, true), "f32 as @bf16");
  EXPECT_EQ(read_as({1, 1, 3, 1 + 0x1p-8}, true), "f32 as @f16");
  EXPECT_EQ(read_as({1 + 0x1p-10, 1, 3, 1}, true), "f32 as @f16");
  EXPECT_EQ(read_as({1 + 0x1p-10, 1, 3, 0x1p-30}, true), "none");
  EXPECT_EQ(read_as({1, 1 + 0x1p-11, 3, 1}, true), "none");
  EXPECT_EQ(read_as({1, 1 + 0x1p-23, 3, 1}, false), "f64 as @f32");
  EXPECT_EQ(read_as({1, 1 + 0x1p-24, 3, 1}, false), "none");
  EXPECT_EQ(read_as({1, 1, 3, 1}, false), "f64 as @bf16");
}

// Rows before the first that rotates; where the two files are of another shape there are none.
TEST(IdentifiedSubject, of_cosines_and_sines_of_one_shape_has_still_rows) {
  const auto still = [](std::size_t rows_of_cosines, std::size_t rows_of_sines) {
    const Tensor cosines({rows_of_cosines, 4}, std::vector<double>(4 * rows_of_cosines, 1.0)),
        sines({rows_of_sines, 4});
    const testing::Written c("still_cos.npy", cosines, true), s("still_sin.npy", sines, true);
    return Unidentified(c.subject() + "," + s.subject().substr(6), {}).still_rows();
  };
  EXPECT_EQ(still(3, 3), 3u);
  EXPECT_EQ(still(2, 4), 0u);
}

TEST(IdentifiedSubject, is_read_in_fewer_digits_where_its_words_say_nothing) {
  const testing::Written ones("fewer_digits.npy", {{2, 2}, {1, 1, 1, 1}}, true),
      more("fewer_digits_2.npy", {{2, 2}, {1, 1, 1, 1 + 0x1p-20}}, true);
  EXPECT_FALSE(Unidentified(ones.subject() + "@f32", {}).in_fewer_digits());
  EXPECT_FALSE(Unidentified(testing::sdk("processors"), {.dim = 2}).in_fewer_digits());
  const std::string second = more.subject().substr(6);  // behind `table:`
  EXPECT_TRUE(Unidentified(ones.subject(), {}).in_fewer_digits());
  EXPECT_FALSE(Unidentified(ones.subject() + "," + second, {}).in_fewer_digits());
}

TEST(IdentifiedSubject, of_a_program_that_does_not_start_says_so) {
  const std::string said =
      testing::thrown<SubjectError>("", [] { Unidentified("cmd:/no/such/program", {.dim = 2}); });
  EXPECT_EQ(said.substr(0, said.find(':')), "`/no/such/program` cannot be started");
}

// As rope first, and as no other one where the time for three answers is over.
TEST(IdentifiedSubject, says_what_a_program_is_started_as) {
  std::vector<std::string> said;
  const IdentifyOptions options{.dim = 2,
                                .call_time = std::chrono::milliseconds(0),
                                .progress = [&](std::string_view what) { said.emplace_back(what); }};
  EXPECT_THROW(Unidentified("cmd:/no/such/program", options), SubjectError);
  EXPECT_EQ(said, std::vector<std::string>{"starting it as rope"});
}

TEST(IdentifiedSubject, of_a_program_that_answers_nothing_says_what_came_of_the_first_call) {
  const std::string said = testing::thrown<SubjectError>(
      "", [] { Unidentified(testing::bad("error_of_all_characters 0"), {.dim = 4}); });
  const std::size_t first = said.find("\nthe first one: ");
  ASSERT_NE(first, said.npos) << said;
  EXPECT_NE(said.find("no call was answered, with the shape that you say it has\n"), said.npos) << said;
  EXPECT_GT(said.size(), first + 40) << said;
}

TEST(IdentifiedSubject, of_a_program_that_ends_always_alike_says_for_how_many) {
  const std::string said =
      testing::thrown<SubjectError>("", [] { Unidentified("cmd:/bin/false", {.dim = 2}); });
  EXPECT_NE(said.find("\nthe same, taken for "), said.npos) << said;
  EXPECT_TRUE(said.ends_with(" other encodings")) << said;
}

// Once for each encoding, whatever the shapes; no more of them than the time allows; and not alike, not at
// all.
TEST(IdentifiedSubject, of_a_program_that_ends_is_asked_once_as_each_encoding) {
  const auto others = [](const std::string& words, const IdentifyOptions& options) {
    const std::string said = testing::thrown<SubjectError>("", [&] { Unidentified(words, options); }),
                      before = "the same, taken for ";
    const auto at = said.find(before);
    return at == said.npos ? 0 : std::stoul(said.substr(at + before.size()));
  };
  const std::size_t all = catalogue::encodings().size();
  EXPECT_EQ(others("cmd:/bin/false", {}), all - 1);
  EXPECT_EQ(others("cmd:/bin/false", {.call_time = std::chrono::milliseconds(0)}), 0u);
  EXPECT_EQ(others("cmd:/bin/sh -c 'echo $$ >&2; exit 1'", {.dim = 2}), 0u);
}

}  // namespace
}  // namespace posproof::identified_subject_test
