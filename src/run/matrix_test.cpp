// What a cell says, and that every claim of it was judged.
#include "run/matrix.h"

#include <gtest/gtest.h>

#include <set>

#include "catalogue/encodings.h"
#include "catalogue/properties.h"
#include "run/agreement.h"
#include "run/catalogued.h"
#include "run/claimed.h"

namespace posproof::matrix_test {
namespace {

const Verdict held = Holds{1, 0, {}, {}}, refuted = Refuted{{}, {}, 1, 0}, undecided = Undecided{"why"},
              errored = Errored{"what", {}}, none = NotApplicable{"none"};

std::string summary_of(const Claim* claim, ClaimStatus status, const Verdict& verdict,
                       std::string property = "rotary/is_linear") {
  return summary({"rope", std::move(property), {{claim, status, verdict, ""}}});
}

TEST(MatrixSummary, says_what_became_of_a_claim) {
  using enum ClaimStatus;
  Claim claim = encoding_named("rope").claims.front();
  EXPECT_EQ(summary_of(&claim, as_claimed, held), "holds");
  EXPECT_EQ(summary_of(&claim, as_claimed, refuted), "fails");
  EXPECT_EQ(summary_of(&claim, broken, refuted), "BROKEN");
  EXPECT_EQ(summary_of(&claim, broken, held), "BROKEN");
  EXPECT_EQ(summary_of(&claim, stale, held), "STALE");
  for (const Verdict& one : {undecided, errored, none, held})
    EXPECT_EQ(summary_of(&claim, not_checked, one), "not checked") << name(one);
}

TEST(MatrixSummary, asks_where_nothing_is_claimed) {
  using enum ClaimStatus;
  EXPECT_EQ(summary_of(nullptr, as_claimed, held), "holds?");
  EXPECT_EQ(summary_of(nullptr, as_claimed, refuted), "fails?");
  for (const Verdict& one : {undecided, errored, none})
    EXPECT_EQ(summary_of(nullptr, as_claimed, one), "") << name(one);
}

TEST(MatrixSummary, of_agreement_is_a_claim_that_nobody_wrote) {
  using enum ClaimStatus;
  const std::string id(agreement_id);
  EXPECT_EQ(summary_of(nullptr, as_claimed, held, id), "holds");
  EXPECT_EQ(summary_of(nullptr, broken, refuted, id), "BROKEN");
  EXPECT_EQ(summary_of(nullptr, not_checked, undecided, id), "not checked");
}

TEST(MatrixSummary, joins_the_answers_of_a_cell) {
  using enum ClaimStatus;
  const Claim& claim = encoding_named("rope").claims.front();
  EXPECT_EQ(summary({"rope", "a/b", {}}), "");
  EXPECT_EQ(summary({"rope",
                     "a/b",
                     {{&claim, as_claimed, held, ""},
                      {&claim, not_checked, undecided, ""},
                      {&claim, as_claimed, refuted, ""}}}),
            "holds / not checked / fails");
}

TEST(MatrixAny, looks_at_every_answer_of_every_cell) {
  using enum ClaimStatus;
  const std::vector<Cell> cells = {{"a", "p", {}},
                                   {"a", "q", {{nullptr, as_claimed, held, ""}, {nullptr, stale, held, ""}}},
                                   {"b", "q", {{nullptr, broken, refuted, ""}}}};
  EXPECT_TRUE(any(cells, stale));
  EXPECT_TRUE(any(cells, broken));
  EXPECT_TRUE(any(cells, as_claimed));
  EXPECT_FALSE(any(cells, not_checked));
  EXPECT_FALSE(any({}, as_claimed));
}

std::vector<Cell> cells_of(const std::string& filter, std::uint64_t cases = 20, bool unclaimed = true) {
  return matrix({.budget = {.cases = cases}, .filter = filter, .unclaimed = unclaimed});
}

TEST(Matrix, judges_every_claim_of_a_cell) {
  const auto cells = cells_of("xpos.rotary/is_identity");
  ASSERT_EQ(cells.size(), 1u);
  EXPECT_EQ(cells[0].encoding, "xpos");
  EXPECT_EQ(cells[0].property, "rotary/is_identity_at_zero");
  EXPECT_EQ(summary(cells[0]), "holds / holds / fails");
  EXPECT_EQ(summary(cells_of("alibi.attention/breaks_the_symmetry").at(0)), "holds / fails");
  EXPECT_EQ(summary(cells_of("learned.attention/breaks_the_symmetry").at(0)), "holds / fails / fails");
}

// `axial_rope.` and others end with the name of this one.
TEST(Matrix, of_an_encoding_is_of_no_other_whose_name_ends_so) {
  const auto cells = cells_of("rope.rotary/is_linear", 1, false);
  ASSERT_EQ(cells.size(), 1u);
  EXPECT_EQ(cells[0].encoding, "rope");
}

TEST(Matrix, has_as_many_answers_as_claims) {
  const auto cells = cells_of("t5_bias.", 3);
  std::size_t answers = 0, claimed = claims_of(encoding_named("t5_bias")).size();
  for (const Cell& cell : cells)
    for (const Answer& answer : cell.answers) answers += answer.claim != nullptr ? 1 : 0;
  EXPECT_EQ(answers, claimed);
  EXPECT_EQ(cells.size(), catalogue::properties().size() + 1);
  EXPECT_EQ(cells.front().property, agreement_id);
  EXPECT_EQ(summary(cells.front()), "holds");
}

TEST(Matrix, searches_what_nobody_claims_unless_told_not_to) {
  const auto bare = [](bool unclaimed) {
    std::size_t searched = 0;
    for (const Cell& cell : cells_of("one_hot.table/", 20, unclaimed))
      for (const Answer& answer : cell.answers) searched += answer.claim == nullptr ? 1 : 0;
    return searched;
  };
  EXPECT_GT(bare(true), 0u);
  EXPECT_EQ(bare(false), 0u);
}

TEST(Matrix, filters_and_tells_of_every_cell) {
  std::set<std::size_t> told;
  std::size_t last_of = 0;
  MatrixOptions options{.budget = {.cases = 1}, .filter = "no such cell"};
  options.progress = [&](std::string_view, std::string_view, std::size_t done, std::size_t of) {
    told.insert(done);
    last_of = of;
  };
  EXPECT_TRUE(matrix(options).empty());
  EXPECT_EQ(last_of, catalogue::encodings().size() * (catalogue::properties().size() + 1));
  EXPECT_EQ(told.size(), last_of);
  EXPECT_EQ(*told.rbegin() + 1, last_of);
}

TEST(Matrix, draws_by_its_seed_and_its_budget) {
  const auto worst = [](std::uint64_t seed, std::uint64_t cases) {
    const auto cells =
        matrix({.seed = seed, .budget = {.cases = cases}, .filter = "sinusoidal.table/has_constant_norm"});
    return std::get<Holds>(cells.at(0).answers.at(0).verdict);
  };
  EXPECT_EQ(worst(1, 30).worst_at, worst(1, 30).worst_at);
  EXPECT_NE(worst(1, 30).worst_at, worst(2, 30).worst_at);
  EXPECT_EQ(worst(1, 30).cases, 30u);
}

TEST(MatrixFollowed, counts_each_encoding_and_each_claim_of_a_fact_once) {
  const Fact one{.name = "is one", .claims = {}}, two{.name = "is two", .claims = {}};
  const auto following = [](const Fact* fact, bool holds) {
    Claim claim = encoding_named("rope").claims.front();
    claim.follows_from = fact;
    claim.holds = holds;
    return claim;
  };
  const Claim a = following(&one, true), b = following(&one, false), c = following(&two, true),
              own = following(nullptr, true);
  const auto answered = [](const Claim* claim) { return Answer{claim, ClaimStatus::as_claimed, held, ""}; };
  const std::vector<Cell> cells = {{"x", "p", {answered(&own), answered(&a), answered(&b)}},
                                   {"x", "q", {answered(&a)}},
                                   {"y", "p", {answered(nullptr), answered(&a), answered(&c)}}};
  const std::vector<Followed> found = followed(cells);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].fact, "is one");
  EXPECT_EQ(found[0].encodings, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(found[0].claims, (std::vector<std::string>{"holds p", "fails p", "holds q"}));
  EXPECT_EQ(found[1].fact, "is two");
  EXPECT_EQ(found[1].encodings, (std::vector<std::string>{"y"}));
  EXPECT_EQ(found[1].claims, (std::vector<std::string>{"holds p"}));
}

}  // namespace
}  // namespace posproof::matrix_test
