#include "subject/config_settings.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/function.h"
#include "subject/config.h"
#include "subject/words.h"

namespace posproof::config_settings_test {
namespace {

template <class Number>
std::string bytes(Number value) {
  std::string out(sizeof value, '\0');
  std::memcpy(out.data(), &value, sizeof value);
  return out;
}

std::string text(const std::string& value) {
  return bytes<std::uint64_t>(value.size()) + value;
}

template <class Number>
std::string entry(const std::string& name, std::uint32_t type, Number value) {
  return text(name) + bytes(type) + bytes(value);
}

std::string word(const std::string& name, const std::string& value) {
  return text(name) + bytes<std::uint32_t>(8) + text(value);
}

std::string gguf(const std::vector<std::string>& entries, const std::vector<std::string>& tensors = {},
                 std::uint32_t version = 3) {
  std::string out =
      "GGUF" + bytes(version) + bytes<std::uint64_t>(tensors.size()) + bytes<std::uint64_t>(entries.size());
  for (const std::string& one : entries) out += one;
  for (const std::string& one : tensors)
    out += text(one) + bytes<std::uint32_t>(2) + bytes<std::uint64_t>(4) + bytes<std::uint64_t>(8) +
           bytes<std::uint32_t>(0) + bytes<std::uint64_t>(0);
  return out;
}

const std::vector<std::string> llama = {
    word("general.architecture", "llama"),
    entry<std::uint32_t>("llama.embedding_length", 4, 2048),
    entry<std::uint32_t>("llama.attention.head_count", 4, 32),
    entry<std::uint32_t>("llama.rope.dimension_count", 4, 64),
    entry<float>("llama.rope.freq_base", 6, 500000),
};

std::string said(const std::string& file, const std::string& encoding) {
  const Configured found = configured(config_settings("x.gguf", file), encoding);
  std::string out = found.parameters.text();
  for (const auto& one : found.ambiguous) out += "; " + one.parameter + ": " + one.readings;
  return out;
}

std::string refused(const Function<void()>& read) {
  try {
    read();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(GgufSettings, have_every_kind_of_value) {
  const ConfigSettings read =
      gguf_settings(gguf({entry<std::uint8_t>("a", 0, 200), entry<std::int8_t>("b", 1, -3),
                          entry<std::uint16_t>("c", 2, 60000), entry<std::int16_t>("d", 3, -300),
                          entry<std::uint32_t>("e", 4, 4000000000u), entry<std::int32_t>("f", 5, -70000),
                          entry<float>("g", 6, 0.5f), entry<std::uint8_t>("h", 7, 1), word("i", "llama"),
                          text("j") + bytes<std::uint32_t>(9) + bytes<std::uint32_t>(6) +
                              bytes<std::uint64_t>(2) + bytes(1.5f) + bytes(2.5f),
                          entry<std::uint64_t>("k", 10, 1ull << 40), entry<std::int64_t>("l", 11, -5),
                          entry<double>("m", 12, 0.1),
                          text("n") + bytes<std::uint32_t>(9) + bytes<std::uint32_t>(8) +
                              bytes<std::uint64_t>(2) + text("x") + text("yz"),
                          entry<std::uint8_t>("o", 7, 0)},
                         {"blk.0.q"}));
  EXPECT_EQ(read.kind, ConfigSettings::Kind::gguf);
  for (const auto& [name, value] : std::vector<std::pair<std::string, double>>{{"a", 200},
                                                                               {"b", -3},
                                                                               {"c", 60000},
                                                                               {"d", -300},
                                                                               {"e", 4000000000},
                                                                               {"f", -70000},
                                                                               {"g", 0.5},
                                                                               {"k", 1099511627776},
                                                                               {"l", -5},
                                                                               {"m", 0.1}}) {
    ASSERT_NE(read.number(name), nullptr) << name;
    EXPECT_EQ(*read.number(name), value) << name;
  }
  EXPECT_EQ(*read.word("h"), "true");
  EXPECT_EQ(*read.word("o"), "false");
  EXPECT_EQ(*read.word("i"), "llama");
  EXPECT_EQ(std::get<std::vector<double>>(*read.find("j")), (std::vector<double>{1.5, 2.5}));
  EXPECT_EQ(read.find("n"), nullptr) << "lists of strings are passed over";
  EXPECT_EQ(*read.word("tensors.blk.0.q"), "tensor");
  EXPECT_EQ(read.number("i"), nullptr);
  EXPECT_EQ(read.word("a"), nullptr);
  EXPECT_EQ(read.all.size(), 15u);
}

// What stands behind a list that is too long to be kept is read all the same.
TEST(GgufSettings, pass_over_long_lists_of_numbers_of_every_size) {
  const std::size_t sizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
  for (std::uint32_t type = 0; type < std::size(sizes); ++type) {
    if (sizes[type] == 0) continue;
    const std::string list = text("a") + bytes<std::uint32_t>(9) + bytes(type) + bytes<std::uint64_t>(4097) +
                             std::string(4097 * sizes[type], '\1');
    const ConfigSettings read = gguf_settings(gguf({list, entry<std::uint32_t>("b", 4, 7)}));
    EXPECT_EQ(read.all.size(), 1u) << type;
    ASSERT_NE(read.number("b"), nullptr) << type;
    EXPECT_EQ(*read.number("b"), 7) << type;
  }
}

TEST(GgufSettings, pass_over_lists_of_truth_values) {
  const std::string list = text("a") + bytes<std::uint32_t>(9) + bytes<std::uint32_t>(7) +
                           bytes<std::uint64_t>(3) + std::string(3, '\1');
  const ConfigSettings read = gguf_settings(gguf({list, entry<std::uint32_t>("b", 4, 7)}));
  EXPECT_EQ(read.all.size(), 1u);
  ASSERT_NE(read.number("b"), nullptr);
  EXPECT_EQ(*read.number("b"), 7);
}

TEST(GgufSettings, of_rope_and_alibi_are_understood) {
  EXPECT_EQ(said(gguf(llama), "rope"), "dim=64 rotary_dim=64 base=500000 layout=interleaved");
  auto scaled = llama;
  scaled.push_back(word("llama.rope.scaling.type", "yarn"));
  scaled.push_back(entry<float>("llama.rope.scaling.factor", 6, 4));
  scaled.push_back(entry<std::uint32_t>("llama.rope.scaling.original_context_length", 4, 4096));
  EXPECT_EQ(said(gguf(scaled), "rope"),
            "dim=64 rotary_dim=64 base=500000 layout=interleaved scaling=yarn factor=4 original_length=4096");
  EXPECT_EQ(
      said(gguf(llama, {"rope_freqs.weight"}), "rope"),
      "dim=64 rotary_dim=64 base=500000 layout=interleaved; scaling: that of the tensor rope_freqs.weight, whose "
      "divisors are not read, or none");
  EXPECT_EQ(said(gguf({word("general.architecture", "qwen2"),
                       entry<std::uint32_t>("qwen2.attention.key_length", 4, 128)}),
                 "rope"),
            "dim=128 layout=half_split");
  EXPECT_EQ(
      said(gguf({word("general.architecture", "mpt"), entry<std::uint32_t>("mpt.attention.head_count", 4, 32),
                 entry<float>("mpt.attention.max_alibi_bias", 6, 8)}),
           "alibi"),
      "heads=32 max_bias=8");
}

// Where no key says how large the bias of a head may become, llama.cpp's code does for some architectures.
TEST(GgufSettings, of_alibi_are_those_in_the_code_of_an_architecture) {
  const auto of = [](const std::string& architecture, std::vector<std::string> more = {}) {
    more.push_back(word("general.architecture", architecture));
    more.push_back(entry<std::uint32_t>(architecture + ".attention.head_count", 4, 12));
    return gguf(more);
  };
  EXPECT_EQ(said(of("bloom"), "alibi"), "heads=12 max_bias=8");
  EXPECT_EQ(said(of("refact"), "alibi"), "heads=12 max_bias=8");
  EXPECT_EQ(said(of("jina-bert-v2"), "alibi"), "heads=12 max_bias=8 form=symmetric");
  EXPECT_EQ(said(of("baichuan", {entry<std::uint32_t>("baichuan.block_count", 4, 40)}), "alibi"),
            "heads=12 max_bias=8");
  EXPECT_EQ(said(of("bloom", {entry<float>("bloom.attention.max_alibi_bias", 6, 16)}), "alibi"),
            "heads=12 max_bias=16");
  EXPECT_EQ(said(of("mpt", {entry<float>("mpt.attention.max_alibi_bias", 6, 8),
                            entry<std::uint8_t>("mpt.attention.causal", 7, 0)}),
                 "alibi"),
            "heads=12 max_bias=8 form=symmetric");
  for (const std::string architecture : {"mpt", "baichuan"}) {
    const std::uint32_t blocks = architecture == "mpt" ? 40 : 32;
    const std::string file =
        of(architecture, {entry<std::uint32_t>(architecture + ".block_count", 4, blocks)});
    EXPECT_EQ(
        refused([&] { said(file, "alibi"); }),
        "describes no alibi: it has no attention.max_alibi_bias, and llama.cpp has none for " + architecture);
  }
}

// A file of this architecture, with 128 channels a head and more entries.
std::string gguf_of(const std::string& architecture, std::vector<std::string> more,
                    const std::vector<std::string>& tensors = {}) {
  more.insert(more.begin(), {word("general.architecture", architecture),
                             entry<std::uint32_t>(architecture + ".attention.key_length", 4, 128)});
  return gguf(more, tensors);
}

std::string number(const std::string& name, float value) {
  return entry<float>(name, 6, value);
}

TEST(GgufSettings, of_each_architecture_have_the_layout_of_its_code) {
  const auto of = [](const std::string& architecture) { return said(gguf_of(architecture, {}), "rope"); };
  for (const char* name :
       {"llama", "llama4", "baichuan", "starcoder", "internlm2", "minicpm", "xverse", "command-r", "cohere2",
        "olmo", "deepseek", "deepseek2", "chatglm", "granite", "smollm3"})
    EXPECT_EQ(of(name), "dim=128 layout=interleaved") << name;
  for (const char* name :
       {"falcon", "gptneox", "qwen2", "qwen2moe", "qwen3", "qwen3moe", "phi2", "phi3", "gemma", "gemma2",
        "starcoder2", "stablelm", "olmo2", "olmoe", "dbrx", "minicpm3", "nemotron", "gpt-oss", "exaone"})
    EXPECT_EQ(of(name), "dim=128 layout=half_split") << name;
  for (const std::string name : {"bloom", "refact", "jina-bert-v2", "mpt", "gpt2", "jais"})
    EXPECT_EQ(refused([&] { of(name); }), "describes no rope: architecture " + name + " has none");
}

// As llama.cpp reads them: without a type a factor scales linearly, without a factor nothing is scaled.
TEST(GgufSettings, of_a_factor_without_a_type_scale_linearly) {
  EXPECT_EQ(said(gguf_of("llama", {number("llama.rope.scaling.factor", 4)}), "rope"),
            "dim=128 layout=interleaved scaling=linear factor=4");
  EXPECT_EQ(said(gguf_of("llama", {number("llama.rope.scale_linear", 4)}), "rope"),
            "dim=128 layout=interleaved scaling=linear factor=4");
  EXPECT_EQ(said(gguf_of("llama", {number("llama.rope.scaling.factor", 1)}), "rope"),
            "dim=128 layout=interleaved");
  EXPECT_EQ(said(gguf_of("llama", {word("llama.rope.scaling.type", "linear")}), "rope"),
            "dim=128 layout=interleaved");
  EXPECT_EQ(said(gguf_of("llama",
                         {word("llama.rope.scaling.type", "none"), number("llama.rope.scaling.factor", 4)}),
                 "rope"),
            "dim=128 layout=interleaved");
  const Configured found = configured(
      config_settings("x.gguf", gguf_of("llama", {number("llama.rope.scaling.factor", 4)})), "rope");
  ASSERT_GT(found.understood.size(), 2u);
  EXPECT_EQ(found.understood[2], "llama.rope.scaling.factor without a type: scaling=linear");
}

TEST(GgufSettings, of_factors_in_tensors_are_longrope) {
  const std::string readings =
      "dim=128 layout=half_split scaling=longrope original_length=4096 attention_factor=1.25; factors: the tensor "
      "rope_factors_short.weight or rope_factors_long.weight, which are not read";
  const std::vector<std::string> entries = {number("phi3.rope.scaling.attn_factor", 1.25f),
                                            number("phi3.rope.scaling.original_context_length", 4096)};
  EXPECT_EQ(said(gguf_of("phi3", entries, {"rope_factors_long.weight", "rope_factors_short.weight"}), "rope"),
            readings);
  EXPECT_EQ(
      refused([&] { said(gguf_of("phi3", entries), "rope"); }),
      "has phi3.rope.scaling.attn_factor 1.25 without scaling yarn or longrope; only these multiply cosine and "
      "sine");
}

// llama.cpp's versions and architectures differ in what multiplies cosine and sine.
TEST(GgufSettings, of_yarn_have_their_ramp_and_two_readings_of_what_multiplies) {
  const auto yarn = [](const std::string& architecture, const std::string& name, float value) {
    const std::string scaling = architecture + ".rope.scaling.";
    std::vector<std::string> all = {word(scaling + "type", "yarn"), number(scaling + "factor", 4),
                                    number(scaling + "original_context_length", 4096)};
    if (!name.empty()) all.push_back(number(scaling + name, value));
    return said(gguf_of(architecture, all), "rope");
  };
  const std::string of_qwen2 = "dim=128 layout=half_split scaling=yarn factor=4 original_length=4096",
                    of_deepseek2 = "dim=128 layout=interleaved scaling=yarn factor=4 original_length=4096";
  EXPECT_EQ(yarn("qwen2", "yarn_beta_fast", 32), of_qwen2 + " beta_fast=32");
  EXPECT_EQ(
      yarn("qwen2", "yarn_beta_slow", 2),
      of_qwen2 +
          "; beta_slow: 2 (qwen2.rope.scaling.yarn_beta_slow) or 1 (llama.cpp, which reads that for few "
          "architectures)");
  EXPECT_EQ(yarn("qwen2", "yarn_attn_factor", 1),
            of_qwen2 +
                "; attention_factor: 1 (qwen2.rope.scaling.yarn_attn_factor, as all that multiplies) or "
                "1.13863 (times that of yarn, as llama.cpp has attn_factor)");
  // Below 0 the weight of the ramp is that of yarn, as 1 is.
  for (const float weight : {-1.0f, 1.0f}) EXPECT_EQ(yarn("qwen2", "yarn_ext_factor", weight), of_qwen2);
  EXPECT_EQ(
      refused([&] { yarn("qwen2", "yarn_ext_factor", 0.5f); }),
      "has qwen2.rope.scaling.yarn_ext_factor 0.5; allowed: 1, as the ramp of yarn has no other weight here");
  EXPECT_EQ(yarn("mistral3", "yarn_log_multiplier", 0.5f),
            "dim=128 scaling=yarn factor=4 original_length=4096 mscale_all_dim=0.5");
  EXPECT_EQ(yarn("deepseek2", "yarn_log_multiplier", 0.5f), of_deepseek2 + " attention_factor=1");
  EXPECT_EQ(yarn("deepseek2", "", 0), of_deepseek2 +
                                          "; attention_factor: 1 (llama.cpp before its pull request 17945) "
                                          "or 0, that of yarn (since then)");
  EXPECT_EQ(yarn("qwen2", "yarn_log_multiplier", 0.5f),
            of_qwen2 +
                "; mscale_all_dim: 0.5 (qwen2.rope.scaling.yarn_log_multiplier, as mistral3 has it) or 5 (as "
                "deepseek2 has it)");
}

// llama.cpp divides by no factor of 0.
TEST(GgufSettings, of_a_factor_of_0_have_none) {
  EXPECT_EQ(
      said(gguf_of("qwen2", {word("qwen2.rope.scaling.type", "yarn"), number("qwen2.rope.scaling.factor", 0),
                             number("qwen2.context_length", 4096)}),
           "rope"),
      "dim=128 layout=half_split scaling=yarn factor=1 original_length=4096");
  EXPECT_EQ(said(gguf_of("llama", {number("llama.rope.scaling.factor", 0)}), "rope"),
            "dim=128 layout=interleaved");
}

TEST(GgufSettings, of_a_rotating_part_that_stands_apart_are_its_width) {
  EXPECT_EQ(
      said(gguf_of("deepseek2", {entry<std::uint32_t>("deepseek2.rope.dimension_count", 4, 64)}), "rope"),
      "dim=64 layout=interleaved");
  EXPECT_EQ(said(gguf_of("qwen3", {number("qwen3.rope.dimension_count", 64)}), "rope"),
            "dim=128 rotary_dim=64 layout=half_split");
  EXPECT_EQ(said(gguf_of("qwen3", {number("qwen3.rope.dimension_count", 64),
                                   number("qwen3.attention.kv_lora_rank", 512)}),
                 "rope"),
            "dim=64 layout=half_split");
}

// HunYuan's, of which 0 and 1 change nothing.
TEST(GgufSettings, of_an_alpha_have_both_readings) {
  const auto base = [](float alpha) {
    return said(
        gguf_of("qwen3", {number("qwen3.rope.freq_base", 1e4f), number("qwen3.rope.scaling.alpha", alpha)}),
        "rope");
  };
  EXPECT_EQ(
      base(1000),
      "dim=128 base=10000 layout=half_split; base: rope.freq_base or, with qwen3.rope.scaling.alpha 1000, that "
      "times its power (HunYuan)");
  for (const float nothing : {0.0f, 1.0f}) EXPECT_EQ(base(nothing), "dim=128 base=10000 layout=half_split");
}

TEST(GgufSettings, of_local_layers_have_both_readings) {
  EXPECT_EQ(
      said(
          gguf_of("gemma3", {number("gemma3.rope.freq_base", 1e6f), number("gemma3.rope.scaling.factor", 8)}),
          "rope"),
      "dim=128 base=1000000 layout=half_split scaling=linear factor=8; base: gemma3.rope.freq_base 1000000, in "
      "global layers, or 10000 (gemma3's, in local ones); scaling: linear (in global layers) or none (in local "
      "ones)");
  EXPECT_EQ(
      said(gguf_of("qwen2", {number("qwen2.rope.freq_base", 1e6f), number("qwen2.rope.freq_base_swa", 1e4f)}),
           "rope"),
      "dim=128 base=1000000 layout=half_split; base: qwen2.rope.freq_base 1000000, in global layers, or 10000 "
      "(qwen2.rope.freq_base_swa, in local ones)");
  EXPECT_EQ(
      said(gguf_of("gemma3n", {number("gemma3n.rope.freq_base", 1e6f)}), "rope"),
      "dim=128 base=1000000; base: gemma3n.rope.freq_base 1000000, in global layers, or 10000 (gemma3n's, "
      "in local ones)");
  for (const float local : {64.0f, 256.0f})
    EXPECT_EQ(said(gguf_of("qwen2", {number("qwen2.attention.key_length_swa", local)}), "rope"),
              fmt::format("layout=half_split; dim: 128 (qwen2.attention.key_length, in global layers) or {} "
                          "(qwen2.attention.key_length_swa, in local ones)",
                          local));
}

TEST(GgufSettings, of_models_without_rope_are_refused) {
  const auto why = [](const std::string& file) { return refused([&] { said(file, "rope"); }); };
  EXPECT_EQ(why(gguf_of("bloom", {})), "describes no rope: architecture bloom has none");
  EXPECT_EQ(why(gguf_of("baichuan", {entry<std::uint32_t>("baichuan.block_count", 4, 40)})),
            "describes no rope: architecture baichuan has none");
  EXPECT_EQ(why(gguf_of("qwen2vl", {text("qwen2vl.rope.dimension_sections") + bytes<std::uint32_t>(9) +
                                    bytes<std::uint32_t>(5) + bytes<std::uint64_t>(2) +
                                    bytes<std::int32_t>(16) + bytes<std::int32_t>(24)})),
            "describes no rope: its positions have several ids (rope.dimension_sections)");
}

TEST(GgufSettings, that_are_not_taken_are_said) {
  const Configured found = configured(
      config_settings("x.gguf", gguf_of("llama", {number("llama.attention.temperature_scale", 0.1f),
                                                  number("llama.rope.scaling.finetuned", 1),
                                                  number("general.rope_version", 2),
                                                  number("llama.context_length", 4096)})),
      "rope");
  ASSERT_EQ(found.notes.size(), 3u);
  EXPECT_EQ(found.notes[0].what, "no base is said: 10000 is taken");
  EXPECT_EQ(found.notes[1].what, "not read: llama.attention.temperature_scale = 0.10000000149011612");
  EXPECT_EQ(found.notes[2].what, "not read: llama.rope.scaling.finetuned = 1");
}

TEST(GgufSettings, that_are_no_such_header_are_refused) {
  const std::string right = gguf(llama, {"t"});
  EXPECT_NO_THROW(gguf_settings(right));
  EXPECT_EQ(gguf_settings(gguf(llama, {"t"}, 2)).all, gguf_settings(right).all)
      << "version 2 has the same header";
  for (std::size_t size = 4; size < right.size(); ++size)
    EXPECT_NE(refused([&] { gguf_settings(right.substr(0, size)); }), "") << size;
  const auto why = [](const std::string& file) { return refused([&] { config_settings("x.gguf", file); }); };
  const auto of_axes = [](std::uint32_t axes) {
    std::string out = "GGUF" + bytes<std::uint32_t>(3) + bytes<std::uint64_t>(1) + bytes<std::uint64_t>(0) +
                      text("t") + bytes(axes);
    for (std::uint32_t n = 0; n < axes; ++n) out += bytes<std::uint64_t>(1);
    return out + bytes<std::uint32_t>(0) + bytes<std::uint64_t>(0);
  };
  EXPECT_NO_THROW(gguf_settings(of_axes(4)));
  EXPECT_EQ(why(of_axes(5)), "`x.gguf`: a GGUF tensor of 5 axes; allowed: at most 4");
  EXPECT_EQ(why(gguf(llama, {}, 1)), "`x.gguf`: is GGUF of version 1; allowed: 2 and 3");
  EXPECT_EQ(why(gguf(llama, {}, 4)), "`x.gguf`: is GGUF of version 4; allowed: 2 and 3");
  EXPECT_EQ(why(gguf({entry<float>("a", 6, 1), entry<float>("a", 6, 1)})), "`x.gguf`: has the key `a` twice");
  const std::string name(101, 'a');
  EXPECT_EQ(why(gguf({entry<float>(name, 6, 1), entry<float>(name, 6, 1)})),
            "`x.gguf`: has the key `" + printable(name, 100) + "` twice");
  EXPECT_EQ(why(gguf({entry<float>("a", 13, 1)})), "`x.gguf`: a GGUF value of type 13; allowed: 0 to 12");
  EXPECT_EQ(
      why("GGUF" + bytes<std::uint32_t>(3) + bytes<std::uint64_t>(0) + bytes<std::uint64_t>(1ull << 40)),
      "`x.gguf`: a GGUF header with 1099511627776 entries; allowed: at most 1048576");
  EXPECT_EQ(why("GGUF" + bytes<std::uint32_t>(3) + bytes<std::uint64_t>((1ull << 20) + 1) +
                bytes<std::uint64_t>(0)),
            "`x.gguf`: a GGUF header with 1048577 tensors; allowed: at most 1048576");
  EXPECT_EQ(why("GGUF" + bytes<std::uint32_t>(3) + bytes<std::uint64_t>(0) + bytes<std::uint64_t>(1) +
                bytes<std::uint64_t>(70000)),
            "`x.gguf`: a GGUF string of 70000 bytes; allowed: at most 65535");
  EXPECT_EQ(
      why(gguf({text("a") + bytes<std::uint32_t>(9) + bytes<std::uint32_t>(9) + bytes<std::uint64_t>(1)})),
      "`x.gguf`: a GGUF list of lists; allowed: lists of numbers and of strings");
  EXPECT_EQ(why(gguf({text("a") + bytes<std::uint32_t>(9) + bytes<std::uint32_t>(6) +
                      bytes<std::uint64_t>(1ull << 62)})),
            "`x.gguf`: a GGUF list of 4611686018427387904 values; allowed: at most 67108864");
  EXPECT_EQ(refused([] { configured(gguf_settings(gguf({})), "rope"); }), "has no general.architecture");
}

TEST(ConfigSettings, of_json_have_the_names_of_objects_before_theirs) {
  const ConfigSettings read = config_settings(
      "c", R"({"a": {"b": {"c": 1.5}}, "d": true, "e": null, "f": [1, 2], "g": ["x"], "h": "w", "i": []})");
  EXPECT_EQ(read.kind, ConfigSettings::Kind::transformers);
  EXPECT_EQ(*read.number("a.b.c"), 1.5);
  EXPECT_EQ(*read.word("d"), "true");
  EXPECT_EQ(*read.word("h"), "w");
  EXPECT_EQ(std::get<std::vector<double>>(*read.find("f")), (std::vector<double>{1, 2}));
  EXPECT_EQ(read.find("e"), nullptr);
  EXPECT_EQ(read.find("g"), nullptr);
  EXPECT_EQ(config_settings("c", R"({"interleaved": 1})").kind, ConfigSettings::Kind::onnx);
  EXPECT_EQ(config_settings("c", R"({"interleaved": 1, "model_type": "x"})").kind,
            ConfigSettings::Kind::transformers);
}

TEST(ConfigSettings, of_a_file_are_refused_with_its_name) {
  const auto path =
      std::filesystem::temp_directory_path() / ("posproof_config_" + std::to_string(::getpid()));
  const auto why = [&](const std::string& content) {
    std::ofstream(path, std::ios::binary) << content;
    const std::string out = refused([&] { read_config(path.string()); });
    std::filesystem::remove(path);
    return out;
  };
  EXPECT_EQ(why("[1]"), "`" + path.string() + "` is no JSON object of settings");
  EXPECT_EQ(
      why("{"),
      "`" + path.string() +
          "` is not JSON; a config.json, the attributes of an ONNX operator as JSON, or a GGUF file was "
          "asked for");
  EXPECT_EQ(why(R"({"a": 1})"), "");
  EXPECT_EQ(why(gguf(llama) + std::string(1000, 'x')), "") << "what follows the header is not looked at";
  EXPECT_NE(refused([] { read_config("/nothing/of/that/name"); }).find("/nothing/of/that/name"),
            std::string::npos);
}

}  // namespace
}  // namespace posproof::config_settings_test
