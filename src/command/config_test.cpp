// `--config FILE` as a user meets it: what is understood, what takes precedence, and what is refused.
#include <gtest/gtest.h>

#include "command/testing/flags.h"

namespace posproof::testing::command_config_test {
namespace {

TEST(ConfigOption, what_somebody_names_comes_before_the_file) {
  const Tables tables;
  const std::string config = config_of_8(tables.folder()), spec = tables.folder() + "/spec.json",
                    gate = "gate sinusoidal --cases 5 --filter agrees_with --config " + config;
  const Ran flag = posproof(gate + " --dim 6 table:" + tables.folder() + "/x.npy");
  EXPECT_EQ(flag.code, 2);
  EXPECT_TRUE(says(flag, "posproof: " + config + ": dim=6 takes precedence over 8\n")) << flag.said;
  EXPECT_TRUE(says(flag, "its rows are 8 wide")) << flag.said;
  report::replace_file(spec, R"({"offset": 1, "dim": 8})");
  const Ran file = posproof(gate + " --spec " + spec + " table:" + tables.folder() + "/y.npy");
  EXPECT_EQ(file.code, 0) << file.said;
  EXPECT_FALSE(says(file, "takes precedence")) << "the two agree: " << file.said;
}

TEST(ConfigOption, what_is_said_in_two_ways_is_refused_unless_it_is_named) {
  const Tables tables;
  const std::string config = tables.folder() + "/two.json",
                    to = " --positions 0:3 -o " + tables.folder() + "/o.npy";
  report::replace_file(config, R"({"head_dim": 8, "rope_theta": 1000000, "rope_local_base_freq": 10000})");
  const Ran refused = posproof("oracle rope --config " + config + to);
  EXPECT_EQ(refused.code, 2);
  EXPECT_EQ(refused.said, "posproof: `" + config +
                              "` gives more than one value of `base`: rope_theta, in global layers, or 10000 "
                              "(rope_local_base_freq, in local ones); choose one with --base\n");
  EXPECT_FALSE(report::file_bytes(tables.folder() + "/o.npy"));
  const Ran named = posproof("oracle rope --base 10000 --config " + config + to);
  EXPECT_EQ(named.code, 0);
  EXPECT_TRUE(says(named, "posproof: " + config + ": base=10000 takes precedence over 1000000\n"))
      << named.said;
}

TEST(ConfigOption, what_is_said_in_part_is_refused_unless_the_rest_is_named) {
  const Tables tables;
  const std::string config = tables.folder() + "/part.json",
                    to = " --positions 0:3 -o " + tables.folder() + "/o.npy";
  report::replace_file(config, R"({"head_dim": 8, "rope_scaling": {"type": "linear"}})");
  const Ran refused = posproof("oracle rope --config " + config + to);
  EXPECT_EQ(refused.code, 2);
  EXPECT_EQ(refused.said,
            "posproof: `" + config + "` has rope type linear and no factor; name it with --factor\n");
  EXPECT_EQ(posproof("oracle rope --factor 2 --config " + config + to).code, 0);
}

// What was not read is said, and is no setting of the encoding.
TEST(ConfigOption, what_is_not_read_is_said) {
  const Tables tables;
  const std::string config = tables.folder() + "/not_read.json",
                    to = " --positions 0:3 -o " + tables.folder() + "/o.npy",
                    layout = "posproof: " + config +
                             ": model mymodel says no layout that is known: half_split is taken\n";
  report::replace_file(config, R"({"model_type": "mymodel", "head_dim": 8, "rope_tetha": 5e5})");
  const Ran said = posproof("oracle rope --config " + config + to);
  EXPECT_EQ(said.code, 0);
  EXPECT_TRUE(says(said, "posproof: " + config + ": not read: rope_tetha = 500000; near it: rope_theta\n"))
      << said.said;
  EXPECT_TRUE(says(said, layout)) << said.said;
  EXPECT_FALSE(says(posproof("oracle rope --layout interleaved --config " + config + to), layout));
  report::replace_file(config, R"({"rope_tetha": 5e5})");
  const Ran nothing = posproof("oracle rope --config " + config + to);
  EXPECT_EQ(nothing.code, 2);
  EXPECT_EQ(nothing.said,
            "posproof: `" + config + "` has no setting of `rope`; --spec takes parameters by name\n");
}

TEST(ConfigOption, files_that_say_nothing_of_the_encoding_are_refused_by_name) {
  const Tables tables;
  const std::string config = config_of_8(tables.folder()), subject = " table:" + tables.folder() + "/x.npy";
  const Ran other = posproof("gate alibi --config " + config + subject);
  EXPECT_EQ(other.code, 2);
  EXPECT_EQ(other.said,
            "posproof: `" + config +
                "` describes no alibi: neither `alibi` nor `attn_config.alibi` is true, nor is it bloom's\n");
  // Nor are the standard parameters judged in place of a model's.
  const std::string weird = tables.folder() + "/weird.json";
  report::replace_file(weird, R"({"model_type": "weird"})");
  const Ran silent = posproof("gate rope --config " + weird + subject);
  EXPECT_EQ(silent.code, 2);
  EXPECT_EQ(silent.said,
            "posproof: `" + weird + "` has no setting of `rope`; --spec takes parameters by name\n");
  const Ran broken = posproof("gate rope --config " + tables.folder() + "/x.npy" + subject);
  EXPECT_EQ(broken.code, 2);
  EXPECT_TRUE(says(broken, "posproof: `" + tables.folder() + "/x.npy` is not JSON; a config.json, "))
      << broken.said;
}

}  // namespace
}  // namespace posproof::testing::command_config_test
