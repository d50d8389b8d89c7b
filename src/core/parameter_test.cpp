#include "core/declare.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace posproof::parameter_test {

namespace {

// One parameter of each type, and a relation where `form` is long.
const Schema schema{
    .all = {{"dim", type::Whole{1, 8}, 4.0, {2.0, 4.0}, "width of a row", "channels"},
            {"base", type::Real{}, 10.0, {10.0}, "ratio"},
            {"least", type::Real{.lo = 0, .from = true}, 0.0, {0.0}, "share"},
            convention("form", {"short", "long"}, "which form"),
            {.name = "truncate",
             .type = type::Flag{},
             .standard = "true",
             .grid = {"true", "false"},
             .meaning = "whether it is cut",
             .matters_where = {{{"form", {"long"}}}}},
            {"factors", type::List{2}, std::vector<double>{}, {std::vector<double>{}}, "divisors"}},
    .relations = {{{"dim", "base"},
                   "widths below the base",
                   [](const Arguments& p) { return static_cast<double>(p.whole("dim")) < p.real("base"); },
                   {{{"form", {"long"}}}}}}};

std::string refused(std::string_view words) {
  try {
    Arguments(schema, Case::parse(words));
  } catch (const Refusal& refusal) {
    return refusal.what();
  }
  return "not refused";
}

}  // namespace

TEST(Arguments, has_the_given_values_and_the_standard_ones) {
  const Arguments p(schema, Case::parse("truncate=false form=long factors=[2,0.5]"));
  EXPECT_EQ(p.parameters().text(), "dim=4 base=10 least=0 form=long truncate=false factors=[2,0.5]");
  EXPECT_EQ(p.whole("dim"), 4);
  EXPECT_EQ(p.width("dim"), 4u);
  EXPECT_EQ(p.real("base"), 10);
  EXPECT_EQ(p.word("form"), "long");
  EXPECT_TRUE(p.is("form", "long"));
  EXPECT_FALSE(p.is("form", "short"));
  EXPECT_FALSE(p.flag("truncate"));
  EXPECT_EQ(p.list("factors"), (std::vector<double>{2, 0.5}));
}

TEST(Arguments, is_refused_with_the_value_and_what_is_allowed) {
  EXPECT_EQ(refused("dim=1 least=0 base=1e-300"), "not refused");
  EXPECT_EQ(refused("dim=0"), "`dim=0`; allowed: whole numbers from 1 to 8");
  EXPECT_EQ(refused("dim=9"), "`dim=9`; allowed: whole numbers from 1 to 8");
  EXPECT_EQ(refused("dim=2.5"), "`dim=2.5`; allowed: whole numbers from 1 to 8");
  EXPECT_EQ(refused("dim=nan"), "`dim=nan`; allowed: whole numbers from 1 to 8");
  EXPECT_EQ(refused("dim=two"), "`dim=two`; allowed: whole numbers from 1 to 8");
  EXPECT_EQ(refused("dim=[2]"), "`dim=[2]`; allowed: whole numbers from 1 to 8");
  EXPECT_EQ(refused("base=0"), "`base=0`; allowed: finite numbers above 0");
  EXPECT_EQ(refused("base=inf"), "`base=inf`; allowed: finite numbers above 0");
  EXPECT_EQ(refused("base=nan"), "`base=nan`; allowed: finite numbers above 0");
  EXPECT_EQ(refused("least=-1"), "`least=-1`; allowed: finite numbers from 0");
  EXPECT_EQ(refused("form=middle"), "`form=middle`; allowed: short, long");
  EXPECT_EQ(refused("form=1"), "`form=1`; allowed: short, long");
  EXPECT_EQ(refused("truncate=yes"), "`truncate=yes`; allowed: true, false");
  EXPECT_EQ(refused("form=lnog"), "`form=lnog`; allowed: short, long; near it: long");
  EXPECT_EQ(refused("truncate=True"), "`truncate=True`; allowed: true, false; near it: true");
  EXPECT_EQ(
      refused("tuncate=true"),
      "there is no parameter `tuncate=true`; there are dim, base, least, form, truncate, factors; near it: truncate");
  EXPECT_EQ(refused("factors=[1,2,3]"), "`factors=[1,2,3]`; allowed: lists of up to 2 finite numbers");
  EXPECT_EQ(refused("factors=[inf]"), "`factors=[inf]`; allowed: lists of up to 2 finite numbers");
  EXPECT_EQ(refused("width=8"),
            "there is no parameter `width=8`; there are dim, base, least, form, truncate, factors");
}

TEST(Arguments, is_refused_with_all_values_of_a_relation_where_it_is_asked) {
  EXPECT_EQ(refused("dim=8 base=8"), "not refused");
  EXPECT_EQ(refused("dim=8 base=8 form=long"), "`dim=8 base=8 form=long`; allowed: widths below the base");
  EXPECT_EQ(refused("dim=8 base=9 form=long"), "not refused");
}

TEST(Arguments, is_read_by_names_types_and_words_of_its_schema) {
  const Arguments p(schema, {});
  EXPECT_THROW(p.whole("width"), std::logic_error);
  EXPECT_THROW(p.whole("base"), std::logic_error);
  EXPECT_THROW(p.real("dim"), std::logic_error);
  EXPECT_THROW(p.word("truncate"), std::logic_error);
  EXPECT_THROW(p.flag("form"), std::logic_error);
  EXPECT_THROW(p.list("dim"), std::logic_error);
  EXPECT_THROW(p.is("form", "lnog"), std::logic_error);
}

TEST(Parameter, says_in_its_help_what_is_allowed_standard_and_searched) {
  EXPECT_EQ(help(*schema.find("dim")),
            "width of a row, channels (whole numbers from 1 to 8; standard 4; searched: 2 4)");
  EXPECT_EQ(help(*schema.find("form")), "which form (short, long; standard short; searched: short long)");
  EXPECT_EQ(help(*schema.find("truncate")),
            "whether it is cut; where form is long (true, false; standard true; searched: true false)");
}

TEST(Parameter, of_words_has_the_first_as_standard) {
  EXPECT_EQ(text(schema.find("form")->standard), "short");
  EXPECT_TRUE(schema.find("form")->convention);
  EXPECT_FALSE(of_words("form", {"short"}, "").convention);
}

TEST(Condition, is_met_where_every_parameter_is_one_of_its_values) {
  const Condition condition{{{"odd", {std::string("refuse"), std::string("zero_pad")}}, {"dim", {2.0, 4.0}}}};
  EXPECT_TRUE(condition.met(Case::parse("dim=4 odd=zero_pad base=3")));
  EXPECT_FALSE(condition.met(Case::parse("dim=8 odd=zero_pad")));
  EXPECT_FALSE(condition.met(Case::parse("odd=zero_pad")));
  EXPECT_TRUE(Condition{}.met({}));
  EXPECT_EQ(condition.text(), "odd is refuse or zero_pad, dim is 2 or 4");
}

TEST(Condition, is_mistaken_where_it_can_never_be_met) {
  EXPECT_EQ(mistake(schema, {{{"form", {"long"}}, {"dim", {2.0}}}}), std::nullopt);
  EXPECT_EQ(
      mistake(schema, {{{"from", {"long"}}}}),
      "there is no parameter `from`; there are dim, base, least, form, truncate, factors; near it: form");
  EXPECT_EQ(mistake(schema, {{{"form", {"short", "lnog"}}}}), "`form=lnog`; allowed: short, long");
  EXPECT_EQ(mistake(schema, {{{"dim", {8.0}}}}), "`dim=8` is not among the values that are searched");
}

}  // namespace posproof::parameter_test
