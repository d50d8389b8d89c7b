// A claim is judged as it was made, no more kindly; agreement allows what core/error.h allows, no more.
#include "run/claims.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "catalogue/encodings.h"
#include "catalogue/encodings/learned.h"
#include "catalogue/encodings/raw_index.h"
#include "catalogue/encodings/rope.h"
#include "catalogue/encodings/sinusoidal.h"
#include "catalogue/properties/attention/is_causal.h"
#include "catalogue/properties/attention/permutation_equivariant.h"
#include "catalogue/properties/rotary/is_linear.h"
#include "catalogue/properties/table/distance_depends_on_offset.h"
#include "catalogue/properties/table/has_constant_norm.h"
#include "catalogue/properties/table/is_defined_for_one_token.h"
#include "run/agreement.h"
#include "run/catalogued.h"
#include "run/claimed.h"
#include "search/trial.h"

namespace posproof::claims_test {

namespace {

ClaimStatus status(const Claim& claim) {
  return judge(claim, encodings::raw_index, {.id = "claims_test"}).status;
}

const Property& norm = properties::table::has_constant_norm;

bool refuted(const EncodingSpec& spec, std::string_view parameters, const Encoding& subject,
             std::string_view at) {
  const Property agrees = agreement(spec.oracle(with(spec, Case::parse(parameters))));
  return std::holds_alternative<Refuted>(replay(*trial(agrees, subject, all_f32), Case::parse(at)));
}

}  // namespace

TEST(Claims, of_a_failure_have_the_size_of_their_witness) {
  EXPECT_EQ(status(fails(norm, "s=0 t=3", 3, "")), ClaimStatus::as_claimed);
  EXPECT_EQ(status(fails(norm, "s=0 t=3", 3.02, "")), ClaimStatus::broken);
  EXPECT_EQ(status(fails(norm, "s=0 t=3", 0, "")), ClaimStatus::broken);
}

TEST(Claims, of_a_failure_that_holds_are_stale) {
  EXPECT_EQ(status(fails(properties::table::distance_depends_on_offset, "k=1 s=0 t=1", 1, "")),
            ClaimStatus::stale);
}

TEST(Claims, of_a_failure_without_a_case_are_broken) {
  EXPECT_EQ(status(fails(norm, "s=0", 3, "")), ClaimStatus::broken);
  EXPECT_EQ(status(fails(norm, "s=0 t=3 u=1", 3, "")), ClaimStatus::broken);
  EXPECT_EQ(status(fails(norm, "s=0 t", 3, "")), ClaimStatus::broken);
  EXPECT_EQ(status(fails(norm, "dim=0 s=0 t=3", 3, "")), ClaimStatus::broken);
}

TEST(Claims, of_what_a_kind_cannot_be_asked_say_so) {
  const Property& linear = properties::rotary::is_linear;
  for (const Claim& claim : {holds(linear), fails(linear, "s=0", 3, "")}) {
    const ClaimResult judged = judge(claim, encodings::raw_index, {.id = "claims_test"});
    EXPECT_EQ(judged.status, ClaimStatus::not_checked);
    EXPECT_EQ(judged.why, "rotary/is_linear cannot be asked of a table encoding");
  }
}

// The numbers of a table of BERT's size are beyond f16, and those of a long one in one channel are not all in
// it.
TEST(Claims, of_learned_tables_of_usual_sizes_are_true_of_them) {
  const EncodingSpec& spec = encodings::learned;
  for (const std::string_view words :
       {"dim=768 length=512", "dim=1 length=4096", "dim=32 length=2050 offset=2"}) {
    const Parameters parameters = with(spec, Case::parse(words));
    for (const Claim& claim : claims_of(spec)) {
      if (!claim.holds || !claim.when.met(parameters)) continue;
      const auto one = trial(*claim.property, spec.make(parameters), all_f32);
      ASSERT_TRUE(one) << id_of(*claim.property);
      const Verdict verdict = search(*one, {.id = "claims_test", .budget = {.cases = 20, .shrinks = 0}});
      EXPECT_FALSE(std::holds_alternative<Refuted>(verdict)) << words << " " << id_of(*claim.property);
    }
  }
}

// raw_index with one claim more, or with other facts.
TEST(Mistakes, are_named_before_anything_is_searched) {
  const auto claiming = [](const Claim& claim) {
    EncodingSpec spec = encodings::raw_index;
    spec.claims.push_back(claim);
    const auto found = mistakes("raw_index", spec);
    return found.size() == 1 ? found.front() : fmt::format("{} mistakes", found.size());
  };
  const Property& bounded = properties::table::is_defined_for_one_token;
  EXPECT_EQ(claiming(holds(norm, {{{"dim", {1.0, 2.0}}}})), "0 mistakes");
  EXPECT_EQ(claiming(fails(norm, "dim=2 s=0 t=3", 3, "", {{{"dim", {2.0}}}})), "0 mistakes");
  EXPECT_EQ(
      claiming(holds(norm, {{{"width", {1.0}}}})),
      "encoding raw_index: holds table/has_constant_norm: there is no parameter `width`; there are dim, "
      "offset");
  EXPECT_EQ(claiming(holds(norm, {{{"dim", {0.0}}}})),
            "encoding raw_index: holds table/has_constant_norm: `dim=0`; allowed: whole numbers from 1 to "
            "1048576");
  EXPECT_EQ(claiming(holds(norm, {{{"dim", {5.0}}}})),
            "encoding raw_index: holds table/has_constant_norm: `dim=5` is not among the values that are "
            "searched");
  EXPECT_EQ(claiming(fails(norm, "s=0 t=3", 3, "", {{{"dim", {2.0}}}})),
            "encoding raw_index: fails table/has_constant_norm: the witness `s=0 t=3` lies outside its "
            "condition: dim is 2");
  EXPECT_EQ(claiming(fails(norm, "s=0 t", 3, "")),
            "encoding raw_index: fails table/has_constant_norm: case `s=0 t`: `t` is not name=value");
  EXPECT_EQ(claiming(fails(norm, "dim=0 t=3", 3, "")),
            "encoding raw_index: fails table/has_constant_norm: `dim=0`; allowed: whole numbers from 1 to "
            "1048576");
  EXPECT_EQ(
      claiming(holds(properties::rotary::is_linear)),
      "encoding raw_index: holds rotary/is_linear: rotary/is_linear cannot be asked of a table encoding");
  EXPECT_EQ(claiming(holds(bounded)),
            "encoding raw_index: holds table/is_defined_for_one_token: follows from `has rows that depend on "
            "the position alone`, and is claimed again");
}

TEST(Mistakes, are_parameters_that_have_the_name_of_an_input) {
  EncodingSpec spec = encodings::raw_index;
  for (const char* name : {"step", "b", "i2"})
    spec.parameters.all.push_back({name, type::Flag{}, "true", {}, ""});
  const auto refused = [](const char* name) {
    return fmt::format(
        "encoding raw_index: parameter `{}`: properties draw under that name, and a case holds both", name);
  };
  EXPECT_EQ(mistakes("raw_index", spec), (std::vector<std::string>{refused("b"), refused("i2")}));
}

// Of another setting, or the other way round, a claim is none of those that follow.
TEST(Mistakes, are_what_is_claimed_again_and_not_what_is_claimed_otherwise) {
  const Property& bounded = properties::table::is_defined_for_one_token;
  const auto claiming = [](const Claim& claim) {
    EncodingSpec spec = encodings::raw_index;
    spec.claims.push_back(claim);
    return mistakes("raw_index", spec).size();
  };
  EXPECT_EQ(claiming(holds(bounded)), 1u);
  EXPECT_EQ(claiming(holds(bounded, {{{"dim", {2.0}}}})), 0u);
  EXPECT_EQ(claiming(fails(bounded, "dim=1", 1, "")), 0u);
}

TEST(Mistakes, of_facts_are_a_word_a_witness_that_is_missing_and_one_that_nothing_asks_for) {
  const auto told = [](const EncodingSpec& spec) { return mistakes("raw_index", spec); };
  EncodingSpec spec = encodings::raw_index;
  spec.facts.front().where = {{{"dim", {9.0}}}};
  EXPECT_EQ(told(spec),
            (std::vector<std::string>{"encoding raw_index: is added to the tokens: `dim=9` is not "
                                      "among the values that are searched"}));
  spec = encodings::raw_index;
  const Claim last = spec.witnesses.back();
  spec.witnesses.pop_back();
  EXPECT_EQ(
      told(spec),
      (std::vector<std::string>{fmt::format(
          "encoding raw_index: fails {}: follows from `distinguishes positions`, and there is no witness",
          id_of(*last.property))}));
  spec.witnesses.push_back(last);
  spec.witnesses.push_back(fails(properties::table::distance_depends_on_offset, "k=1 s=0 t=1", 1, ""));
  EXPECT_EQ(told(spec),
            (std::vector<std::string>{"encoding raw_index: fails table/distance_depends_on_offset: a "
                                      "witness of what follows from no fact"}));
}

// A fact is declared of some settings: a witness from another shows nothing of it.
TEST(Mistakes, of_facts_are_witnesses_from_where_they_are_not_declared) {
  EncodingSpec spec = encodings::raw_index;
  for (Declared& declared : spec.facts)
    if (declared.fact->name == "has the rows 0 and 1 first") declared.where = {{{"dim", {2.0}}}};
  const auto found = mistakes("raw_index", spec);
  ASSERT_EQ(found.size(), 5u);
  EXPECT_EQ(found.front(),
            "encoding raw_index: fails attention/keeps_constant_sequences_constant: the witness `dim=1 n=2 "
            "mask=causal x=[0]` lies outside its condition: dim is 2");
}

TEST(ClaimsOf, the_catalogue_are_no_mistake_and_mostly_follow) {
  std::vector<std::size_t> own;
  for (const auto& [id, spec] : catalogue::encodings()) {
    EXPECT_EQ(mistakes(id, *spec), std::vector<std::string>{});
    EXPECT_GT(claims_of(*spec).size(), spec->claims.size()) << id;
    own.push_back(spec->claims.size());
  }
  std::sort(own.begin(), own.end());
  EXPECT_LE(own[own.size() / 2], 12u);
}

TEST(ClaimsOf, an_encoding_say_what_they_follow_from) {
  const auto follows = [](const Property& property) -> std::vector<std::string_view> {
    std::vector<std::string_view> out;
    for (const Claim& claim : claims_of(encodings::sinusoidal))
      if (claim.property == &property)
        out.push_back(claim.follows_from == nullptr ? "nothing" : claim.follows_from->name);
    return out;
  };
  using Names = std::vector<std::string_view>;
  EXPECT_EQ(follows(properties::attention::is_causal), Names{"is an encoding"});
  EXPECT_EQ(follows(properties::attention::permutation_equivariant), Names{"distinguishes positions"});
  EXPECT_EQ(follows(norm), (Names{"moves on by rotations", "nothing"}));
  EXPECT_EQ(follows(properties::rotary::is_linear), Names{});
}

TEST(ClaimsOf, an_encoding_hold_first_and_have_the_conditions_of_their_facts) {
  for (const auto& [id, spec] : catalogue::encodings()) {
    const auto& all = claims_of(*spec);
    EXPECT_TRUE(std::is_sorted(all.begin(), all.end(), [](const Claim& a, const Claim& b) {
      return a.holds && !b.holds;
    })) << id;
  }
  static const Fact made{.name = "is made for this test", .claims = {holds(norm, {{{"dim", {1.0, 2.0}}}})}};
  EncodingSpec spec = encodings::raw_index;
  spec.facts.push_back({&made, {{{"offset", {0.0}}}}});
  std::vector<std::string> conditions;
  for (const Claim& claim : claims_of(spec))
    if (claim.follows_from == &made) conditions.push_back(claim.when.text());
  EXPECT_EQ(conditions, std::vector<std::string>{"dim is 1 or 2, offset is 0"});
}

TEST(Claims, that_something_holds_are_searched_over_the_grid) {
  EXPECT_EQ(status(holds(norm)), ClaimStatus::broken);
  EXPECT_EQ(status(holds(properties::table::is_defined_for_one_token)), ClaimStatus::as_claimed);
}

TEST(Claims, stand_only_where_the_verdict_holds) {
  const auto stands = [](Verdict verdict) {
    const ClaimResult result = stand(std::move(verdict));
    return fmt::format("{}: {}", name(result.status), result.why);
  };
  EXPECT_EQ(stands(Holds{1, 0, {}, {}}), "as claimed: ");
  EXPECT_EQ(stands(Refuted{Case::parse("t=3"), {2, 1, 4}, 1, 0}), "broken: off by 2, allowed 1, at t=3");
  EXPECT_EQ(stands(Undecided{"cut short"}), "not checked: cut short");
  EXPECT_EQ(stands(Errored{"it broke", Case::parse("t=3")}), "not checked: it broke at t=3");
  EXPECT_EQ(stands(NotApplicable{"another kind"}), "not checked: another kind");
}

// A failure that was claimed is judged by its witness alone.
TEST(Claims, of_a_failure_that_nothing_was_learned_of_are_not_checked) {
  EncodingSpec spec = encodings::raw_index;
  const auto judged = [&](Encoding (*reference)(const Arguments&)) {
    spec.reference = reference;
    const ClaimResult result = judge(fails(norm, "s=0 t=3", 3, ""), spec, {.id = "claims_test"});
    return fmt::format("{}: {}", name(result.status), result.why);
  };
  EXPECT_EQ(judged([](const Arguments&) -> Encoding { throw std::runtime_error("no memory of that"); }),
            "not checked: no memory of that");
  EXPECT_EQ(judged([](const Arguments&) -> Encoding {
              return Table{.dim = 1,
                           .rows = [](const Positions&, Position) -> Tensor { throw Refusal("no"); }};
            }),
            "not checked: the subject refuses this case: no");
  EXPECT_EQ(judged([](const Arguments&) -> Encoding {
              return Table{.dim = 1, .rows = [](const Positions&, Position) -> Tensor {
                             throw std::runtime_error("it broke");
                           }};
            }),
            "not checked: it broke at s=0 t=3");
}

// Each setting of the grid, and no other; of a condition those that meet it.
TEST(Claims, are_searched_over_every_setting_of_the_grid) {
  const auto settings = [](const Condition& when) {
    std::set<std::string> seen;
    const Trial listening = over_grid(encodings::raw_index, when, [&](const Parameters& parameters) {
      seen.insert(parameters.text());
      return std::optional<Trial>([](Draw&) { return Residual{0, 1, 2}; });
    });
    search(listening, {.id = "grid"});
    return seen;
  };
  std::set<std::string> all, wide;
  const auto& parameters = encodings::raw_index.parameters.all;
  ASSERT_EQ(parameters.size(), 2u);
  for (const Value& dim : parameters[0].grid)
    for (const Value& offset : parameters[1].grid) {
      const std::string words = fmt::format("dim={} offset={}", text(dim), text(offset));
      all.insert(words);
      if (text(dim) == "2" || text(dim) == "3") wide.insert(words);
    }
  EXPECT_EQ(settings({}), all);
  EXPECT_EQ(settings({{{"dim", {2.0, 3.0}}}}), wide);
  // Of two conditions of one parameter both are met.
  EXPECT_EQ(settings({{{"dim", {2.0, 3.0}}, {"dim", {2.0, 3.0, 8.0}}}}), wide);
  EXPECT_EQ(settings({{{"dim", {2.0, 3.0, 8.0}}, {"dim", {2.0, 3.0}}}}), wide);
  // One in which nothing can be asked is passed over.
  const Trial of_two = over_grid(encodings::raw_index, {}, [](const Parameters& given) {
    return given.real("dim") == 2 ? std::optional<Trial>([](Draw&) {
      return Residual{0, 1, 2};
    })
                                  : std::nullopt;
  });
  Replay two(Case::parse("dim=2 offset=0")), three(Case::parse("dim=3 offset=0"));
  EXPECT_EQ(of_two(two).ceiling, 2);
  EXPECT_THROW(of_two(three), Discard);
}

TEST(Claims, that_hold_in_all_but_the_last_setting_are_broken_there) {
  EncodingSpec spec = encodings::raw_index;
  spec.reference = [](const Arguments& p) -> Encoding {
    const bool last = p.whole("dim") == 8;
    return Table{.dim = p.width("dim"), .rows = [last, dim = p.width("dim")](const Positions& at, Position) {
                   Tensor out({at.size(), dim});
                   for (std::size_t r = 0; r < at.size(); ++r)
                     out.at(r, 0) = last ? static_cast<double>(at[r]) : 1;
                   return out;
                 }};
  };
  const Claim claim = holds(norm);
  const ClaimResult result = judge(claim, spec, {.id = "claims_test"});
  EXPECT_EQ(result.status, ClaimStatus::broken);
  EXPECT_EQ(std::get<Refuted>(result.verdict).counterexample.integer("dim"), 8);
  EXPECT_EQ(judge(holds(norm, {{{"dim", {1.0}}}}), spec, {.id = "claims_test"}).status,
            ClaimStatus::as_claimed);
}

TEST(Claims, are_replayed_with_the_parameters_that_their_case_names) {
  const auto error = [](std::string_view words) {
    return std::get<Refuted>(replay(norm, encodings::raw_index, Case::parse(words))).residual.error;
  };
  EXPECT_EQ(error("s=0 t=3"), 3);
  EXPECT_EQ(error("offset=2 s=0 t=3"), 3);
  EXPECT_DOUBLE_EQ(error("dim=2 s=0 t=3"), 3 * std::sqrt(2.0));
  EXPECT_THROW(replay(norm, encodings::raw_index, Case::parse("width=2 s=0 t=3")), std::invalid_argument);
}

// The cosine of 0 may be off by 5 units of f32 and is off by 16.
TEST(Agreement, allows_a_row_its_error) {
  Table table = encodings::sinusoidal.make<Table>(with(encodings::sinusoidal, Case::parse("dim=2")));
  EXPECT_FALSE(refuted(encodings::sinusoidal, "dim=2", table, "rows=1 t=0 n=1"));
  table.rows = [rows = table.rows](std::span<const Position> positions, Position n) {
    Tensor out = rows(positions, n);
    for (double& entry : out.data) entry *= 1 + 0x1p-20;
    return out;
  };
  EXPECT_TRUE(refuted(encodings::sinusoidal, "dim=2", table, "rows=1 t=0 n=1"));
}

// A pair at 0 may be off by 10 units of f32 and is off by 32.
TEST(Agreement, allows_a_turn_its_error) {
  Rotary rotary = encodings::rope.make<Rotary>(with(encodings::rope, Case::parse("dim=2")));
  constexpr std::string_view at = "batch=1 tokens=1 t=0 role=query x=[1,0]";
  EXPECT_FALSE(refuted(encodings::rope, "dim=2", rotary, at));
  rotary.rotate = [rotate = rotary.rotate](const Tensor& x, std::span<const Position> positions, Role role) {
    Tensor out = rotate(x, positions, role);
    for (double& entry : out.data) entry *= 1 + 0x1p-19;
    return out;
  };
  EXPECT_TRUE(refuted(encodings::rope, "dim=2", rotary, at));
}

}  // namespace posproof::claims_test
