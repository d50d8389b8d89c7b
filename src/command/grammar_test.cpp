#include "command/grammar.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "catalogue/encodings.h"
#include "catalogue/encodings/alibi.h"
#include "command/commands.h"

namespace posproof::command::grammar_test {
namespace {

using Words = std::vector<std::string>;

struct Fields {
  bool flag = false;
  unsigned count = 7;
  double seconds = 0.5;
  std::string text = "all";
  Words names;
};

TEST(Grammar, an_option_has_its_spellings_its_words_and_its_standard) {
  Fields fields;
  const Option output{"-o,--output", &fields.text, "", Option::NewFile{}},
      subject{"SUBJECT", &fields.text, ""};
  EXPECT_EQ(spellings(output), (Words{"-o", "--output"}));
  EXPECT_EQ(spellings(subject), Words{"SUBJECT"});
  EXPECT_TRUE(is_positional(subject));
  EXPECT_FALSE(is_positional(output));
  EXPECT_TRUE(is_file(output));
  EXPECT_TRUE(is_file({"--in", &fields.text, "", Option::ExistingFile{}}));
  EXPECT_FALSE(is_file(subject));
  EXPECT_TRUE(takes_value(output));
  EXPECT_FALSE(takes_value({"--json", &fields.flag}));
  EXPECT_EQ(words_of({"--dtype", &fields.text, "", Option::OneOf{"f32", "f16"}}), (Words{"f32", "f16"}));
  EXPECT_EQ(words_of({.names = "X",
                      .field = &fields.text,
                      .words =
                          [] {
                            return Words{"a", "b"};
                          }}),
            (Words{"a", "b"}));
  EXPECT_EQ(words_of(subject), Words{});
}

TEST(Grammar, the_standard_is_what_the_field_holds) {
  Fields fields;
  EXPECT_EQ(standard_of({"--count", &fields.count}), "7");
  EXPECT_EQ(standard_of({"--seconds", &fields.seconds}), "0.5");
  EXPECT_EQ(standard_of({"--text", &fields.text}), "all");
  EXPECT_EQ(standard_of({.names = "--text", .field = &fields.text, .shows_standard = false}), "");
  EXPECT_EQ(standard_of({"--flag", &fields.flag}), "");
  EXPECT_EQ(standard_of({"NAMES", &fields.names}), "");
  EXPECT_EQ(standard_of({"--none", static_cast<std::string*>(nullptr)}), "");
}

TEST(Grammar, behind_an_encoding_stand_its_parameters_then_the_options_of_the_command) {
  Fields fields;
  const Command command{.name = "try",
                        .help = "",
                        .options = {{"WORD", &fields.text}},
                        .after_encoding = {{"--flag", &fields.flag}},
                        .run = [](const Chosen&) { return 0; }};
  EXPECT_TRUE(takes_encoding(command));
  EXPECT_EQ(place_of_encoding(command), 3u);
  Words names;
  for (const Option& option : options_behind(command, encodings::alibi)) names.push_back(option.names);
  EXPECT_EQ(names, (Words{"--heads", "--rule", "--form", "--rows", "--max_bias", "--biased_heads",
                          "--head_dim", "--future_factor", "--future_offset", "--axes", "--grid", "--metric",
                          "--class_token", "--spec", "--config", "--flag"}));
  EXPECT_EQ(words_of(options_behind(command, encodings::alibi)[1]),
            (Words{"official", "geometric", "log_linear"}));
  EXPECT_EQ(words_of(options_behind(command, encodings::alibi)[0]), Words{});
  const Command alone{.name = "alone", .help = "", .run = [] { return 0; }};
  EXPECT_FALSE(takes_encoding(alone));
  EXPECT_EQ(place_of_encoding(alone), 2u);
}

TEST(Grammar, no_parameter_has_the_name_of_an_option) {
  Fields fields;
  const Command command{.name = "try",
                        .help = "",
                        .after_encoding = {{"-o,--output", &fields.text}, {"--positions", &fields.text}},
                        .run = [](const Chosen&) { return 0; }};
  const auto refused = [&](const char* name) -> std::string {
    EncodingSpec spec = encodings::alibi;
    spec.parameters.all.push_back({name, type::Flag{}, "true", {}, ""});
    try {
      refuse_clashes(command, "alibi", spec);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  for (const char* name : {"output", "positions", "spec", "config", "help"})
    EXPECT_EQ(refused(name),
              fmt::format("encoding alibi: parameter `{}`: `posproof try` has the option --{}", name, name));
  EXPECT_EQ(refused("out"), "");
}

// A call looks at the encoding that it names; here are all of them.
TEST(Grammar, no_encoding_clashes_with_an_option_of_any_command) {
  std::size_t asked = 0;
  for (const Command& command : all_commands())
    for (const auto& [id, spec] : catalogue::encodings())
      if (takes_encoding(command)) {
        EXPECT_NO_THROW(refuse_clashes(command, id, *spec)) << command.name << ' ' << id;
        ++asked;
      }
  EXPECT_EQ(asked, 4 * catalogue::encodings().size());  // check, gate, accuracy, oracle
}

TEST(Grammar, the_first_word_that_is_no_option_is_refused) {
  Fields fields;
  const std::vector<Option> options = {
      {"-o,--output", &fields.text}, {"--call-time", &fields.seconds}, {"SUBJECT", &fields.text}};
  const auto refused = [&](const Words& words) -> std::string {
    try {
      refuse_unknown_options("posproof x", options, words);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  for (const Words& words : {Words{},
                             {"-o", "--call-time", "-h", "--help"},
                             {"--call-time=3", "-oFILE"},
                             {"-1", "-", "x", "-.5"},
                             {"--", "--no-such"}})
    EXPECT_EQ(refused(words), "");
  EXPECT_EQ(refused({"x", "--call-tmie=3", "--other"}),
            "there is no option `--call-tmie` of `posproof x`; near it: --call-time; all: posproof x --help");
  EXPECT_EQ(refused({"--out"}),
            "there is no option `--out` of `posproof x`; near it: --output; all: posproof x --help");
  EXPECT_EQ(refused({"--SUBJECT"}), "there is no option `--SUBJECT` of `posproof x`; all: posproof x --help");
  EXPECT_EQ(refused({"-x"}), "there is no option `-x` of `posproof x`; all: posproof x --help");
  EXPECT_EQ(refused({"-O"}),
            "there is no option `-O` of `posproof x`; near it: -o, --output; all: posproof x --help");
}

}  // namespace
}  // namespace posproof::command::grammar_test
