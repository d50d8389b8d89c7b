// Every setting that bears on position is taken, refused or said not to be read.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "subject/config.h"
#include "subject/config_reading.h"
#include "subject/testing/configs.h"

namespace posproof::config_accounted_test {
namespace {

using testing::expect;
using testing::said;

// A llama of 128 channels, with more settings.
std::string llama(const std::string& more) {
  return R"({"model_type": "llama", "head_dim": 128, )" + more + "}";
}
constexpr std::string_view of_llama = "dim=128 layout=half_split";
std::string and_of_llama(std::string_view more) {
  return fmt::format("{}{}", of_llama, more);
}

TEST(ConfigAccounted, what_bears_on_position_and_is_not_taken_is_said) {
  expect({
      {llama(R"("use_dynamic_ntk": true, "use_logn_attn": true, "vocab_size": 32000)"),
       and_of_llama("; not read: use_dynamic_ntk = true; not read: use_logn_attn = true")},
      {llama(R"("no_rope_layers": [1, 1, 1, 0], "attn_temperature_tuning": 4, "floor_scale": 8192)"),
       and_of_llama(
           "; not read: attn_temperature_tuning = 4; not read: floor_scale = 8192; not read: no_rope_layers = "
           "[1,1,1,0]")},
      {llama(R"("rope_scaling": {"rope_type": "linear", "factor": 4, "finetuned": true, "beta_fast": 32})"),
       "dim=128 layout=half_split scaling=linear factor=4; not read: rope_scaling.beta_fast = 32; not read: "
       "rope_scaling.finetuned = true"},
      {llama(R"("rope_parameters": {"rope_type": "default", "llama_4_scaling_beta": 0.1})"),
       and_of_llama("; not read: rope_parameters.llama_4_scaling_beta = 0.1")},
      {llama(R"("rope_layers": ["a", true])"), and_of_llama(R"(; not read: rope_layers = ["a",true])")},
      // The object of the text comes first; what stands beside it is said, too.
      {R"({"rope_theta": 1e4, "text_config": {"model_type": "llama", "head_dim": 128, "rope_theta": 1e6}})",
       "dim=128 base=1000000 layout=half_split; not read: rope_theta = 10000"},
      // How long a sequence may be changes no encoding, and is said where it is taken.
      {llama(R"("max_position_embeddings": 4096, "hidden_act": "silu", "property": 1)"),
       std::string(of_llama)},
  });
}

TEST(ConfigAccounted, a_name_that_is_nearly_one_of_those_is_said_with_it) {
  expect({
      {llama(R"("rope_tetha": 500000)"),
       and_of_llama("; not read: rope_tetha = 500000; near it: rope_theta")},
      {R"({"model_type": "llama", "headdim": 128})",
       "layout=half_split; not read: headdim = 128; near it: head_dim"},
      {R"({"model_type": "deepseek_v2", "qk_rope_head_dim": 64, "qk_nope_head_dim": 128, "v_head_dim": 128})",
       "dim=64 layout=interleaved"},
  });
}

TEST(ConfigAccounted, what_is_of_another_kind_is_refused_with_the_kind_that_was_expected) {
  expect({
      {llama(R"("rope_theta": "500000")"), "has `500000` as rope_theta, a text; expected: a number"},
      {llama(R"("rope_theta": [1e4, 1e6])"),
       "has `[10000,1000000]` as rope_theta, a list; expected: a number"},
      {llama(R"("rope_theta": {"full": 1e4})"), "has `{...}` as rope_theta, an object; expected: a number"},
      {llama(R"("partial_rotary_factor": true)"),
       "has `true` as partial_rotary_factor, a truth value; expected: a number"},
      {llama(R"("rope_interleave": 1)"),
       "has `1` as rope_interleave, a number; expected: a word, or true or false"},
      {R"({"text_config": {"head_dim": "64"}})",
       "has `64` as text_config.head_dim, a text; expected: a number"},
      {llama(R"("rope_scaling": "linear")"),
       "has `linear` as rope_scaling, a text; expected: null, or an object with rope_type (default, linear, "
       "dynamic, yarn, longrope, llama3 or proportional) and its settings"},
      {llama(R"("rope_scaling": ["linear", 4])"),
       R"(has `["linear",4]` as rope_scaling, a list; expected: null, or an object with rope_type (default, linear, )"
       "dynamic, yarn, longrope, llama3 or proportional) and its settings"},
      {llama(R"("rope_scaling": null)"), std::string(of_llama)},
  });
}

TEST(ConfigAccounted, what_is_said_in_part_has_to_be_named) {
  expect({
      {llama(R"("rope_scaling": {"factor": 4.0})"),
       "dim=128 layout=half_split factor=4; no scaling: has rope_scaling.factor 4 and no rope_scaling.rope_type "
       "(default, linear, dynamic, yarn, longrope, llama3 or proportional)"},
      {llama(R"("rope_scaling": {"type": "linear"})"),
       "dim=128 layout=half_split scaling=linear; no factor: has rope type linear and no factor"},
      {llama(R"("rope_scaling": {"type": "llama3", "factor": 8, "low_freq_factor": 1})"),
       "dim=128 layout=half_split scaling=llama3 factor=8 low_freq_factor=1; no original_length: has rope type "
       "llama3 and no original_max_position_embeddings; no high_freq_factor: has rope type llama3 and no "
       "high_freq_factor"},
  });
}

// Older names of types beside today's say the same.
TEST(ConfigAccounted, names_of_one_type_are_one) {
  expect({
      {R"({"model_type": "phi3", "head_dim": 4, "max_position_embeddings": 8, "rope_scaling": {"type": "su", "rope_type":
          "longrope", "factor": 2, "long_factor": [1, 2]}})",
       "dim=4 layout=half_split scaling=longrope factor=2 original_length=8 factors=[1,2]"},
      {R"({"model_type": "qwen2_vl", "head_dim": 128, "rope_scaling": {"type": "mrope", "rope_type": "default",
          "mrope_section": [16, 24, 24]}})",
       "dim=128 layout=half_split sections=[16,24,24]", "m_rope"},
      {llama(
           R"("max_position_embeddings": 4096, "rope_scaling": {"type": "linear", "rope_type": "dynamic", "factor": 2})"),
       "dim=128 layout=half_split factor=2 original_length=4096; scaling: dynamic (rope_scaling.rope_type) or linear "
       "(rope_scaling.type)"},
  });
}

TEST(ConfigAccounted, a_base_of_layers_that_nobody_knows_has_to_be_named) {
  EXPECT_EQ(
      said(llama(R"("rope_parameters": {"main": {"rope_theta": 1e4}, "compress": {"rope_theta": 1e5}})")),
      "dim=128 layout=half_split; no base: has rope_parameters.compress.rope_theta and no "
      "rope_parameters.rope_theta; not read: rope_parameters.compress.rope_theta = 100000; not read: "
      "rope_parameters.main.rope_theta = 10000");
}

TEST(ConfigAccounted, a_layout_that_nobody_knows_is_said_to_be_taken) {
  EXPECT_EQ(said(R"({"model_type": "mymodel", "head_dim": 128})"),
            "dim=128; layout: model mymodel says no layout that is known: half_split is taken");
  EXPECT_EQ(said(R"({"head_dim": 128})"),
            "dim=128; layout: a file without model_type says no layout that is known: half_split is taken");
  EXPECT_EQ(
      said(R"({"model_type": "mymodel", "d_model": 128})", "sinusoidal"),
      "dim=128; layout: model mymodel says no layout that is known: interleaved is taken, with divisor half");
}

// Models have bases of their own that their files leave out.
TEST(ConfigAccounted, a_base_that_is_not_said_is_said_to_be_taken) {
  const auto notes = [](const std::string& json) {
    std::string out;
    for (const auto& [parameter, what] : configured(config_settings("config.json", json), "rope").notes)
      out += fmt::format("{}: {}", parameter, what);
    return out;
  };
  EXPECT_EQ(notes(llama(R"("x": 1)")), "base: no base is said: 10000 is taken");
  EXPECT_EQ(notes(llama(R"("rope_theta": 1e4)")), "");
  EXPECT_EQ(notes(llama(R"("rope_theta": 1e6, "rope_local_base_freq": 1e4)")), "");
  EXPECT_EQ(notes(llama(R"("rope_theta": 1e6, "rotary_emb_base": 1e4)")), "");
}

TEST(ConfigAccounted, names_of_one_thing_with_different_values_have_all_readings) {
  expect({
      {R"({"model_type": "stablelm", "head_dim": 80, "partial_rotary_factor": 0.25, "rotary_pct": 0.5})",
       "dim=80 layout=half_split; rotary_dim: 20 (partial_rotary_factor 0.25) or 40 (rotary_pct 0.5)"},
      {R"({"model_type": "gpt_neox", "head_dim": 96, "rotary_emb_base": 10000, "rope_theta": 25000})",
       "dim=96 layout=half_split; base: 25000 (rope_theta) or 10000 (rotary_emb_base)"},
      {R"({"model_type": "llama", "head_dim": 64, "rope_parameters": {"full_attention": {"rope_theta": 1e4,
          "partial_rotary_factor": 0.5}, "sliding_attention": {"rope_theta": 1e4}}})",
       "dim=64 base=10000 layout=half_split; rotary_dim: 32 (rope_parameters.full_attention.partial_rotary_factor 0.5) "
       "or 64 (layers of the other kind)"},
      {R"({"model_type": "gptj", "head_dim": 96, "rotary_dim": 48, "rotary_pct": 0.5})",
       "dim=96 rotary_dim=48 layout=interleaved"},
      {llama(
           R"("rope_scaling": {"rope_type": "linear", "factor": 4}, "rope_parameters": {"rope_type": "linear",
                 "factor": 8})"),
       "dim=128 layout=half_split scaling=linear factor=8; factor: 8 (rope_parameters.factor) or 4 "
       "(rope_scaling.factor)"},
      {llama(
           R"("rope_scaling": {"rope_type": "dynamic", "alpha": 1000, "factor": 1}, "max_position_embeddings": 4096)"),
       "dim=128 layout=half_split scaling=dynamic_ntk factor=1 original_length=4096; scaling: ntk with factor 1000 "
       "(rope_scaling.alpha, as in HunYuan) or dynamic_ntk"},
  });
}

// transformers puts the first channels before the second ones there.
TEST(ConfigAccounted, of_deepseek_v3_the_answer_is_half_split) {
  expect({
      {R"({"model_type": "deepseek_v3", "qk_rope_head_dim": 64, "rope_interleave": true})",
       "dim=64 layout=interleaved output_layout=half_split"},
      {R"({"model_type": "deepseek_v3", "qk_rope_head_dim": 64})",
       "dim=64 layout=interleaved output_layout=half_split"},
      {R"({"model_type": "deepseek_v3", "qk_rope_head_dim": 64, "rope_interleave": false})",
       "dim=64 layout=half_split"},
      {R"({"model_type": "deepseek_v2", "qk_rope_head_dim": 64})", "dim=64 layout=interleaved"},
  });
}

TEST(ConfigAccounted, of_longrope_each_pair_has_its_factor) {
  const auto phi = [](const std::string& factors) {
    return R"({"model_type": "phi3", "head_dim": 8, "max_position_embeddings": 131072,
               "original_max_position_embeddings": 4096, "rope_scaling": {"type": "longrope", )" +
           factors + "}}";
  };
  expect({
      {phi(R"("short_factor": [1, 1, 1, 1], "long_factor": [1, 2, 3, 4])"),
       "dim=8 layout=half_split scaling=longrope factor=32 original_length=4096 factors=[1,2,3,4] "
       "short_factors=[1*4]"},
      {phi(R"("short_factor": [1, 1, 1, 1], "long_factor": [1, 2, 3])"),
       "has 3 numbers in rope_scaling.long_factor; expected: one for each of the 4 pairs that rotate"},
      {phi(R"("short_factor": [1], "long_factor": [1, 2, 3, 4])"),
       "has 1 numbers in rope_scaling.short_factor; expected: one for each of the 4 pairs that rotate"},
      {phi(R"("long_factor": [1, 2, 3, 4], "short_mscale": 1.25, "long_mscale": 1.25)"),
       "dim=8 layout=half_split scaling=longrope factor=32 original_length=4096 factors=[1,2,3,4] "
       "attention_factor=1.25"},
      {phi(R"("long_factor": [1, 2, 3, 4], "short_mscale": 1, "long_mscale": 1.25)"),
       "dim=8 layout=half_split scaling=longrope factor=32 original_length=4096 factors=[1,2,3,4]; attention_factor: "
       "rope_scaling.short_mscale 1 (up to original_length) or rope_scaling.long_mscale 1.25 (beyond it)"},
  });
}

// transformers, _compute_proportional_rope_parameters: int(0.25 * 512 // 2) pairs of 256, whose frequencies
// are those of the whole head.
TEST(ConfigAccounted, of_type_proportional_are_the_pairs_that_rotate) {
  expect({
      {R"({"model_type": "gemma4_text", "head_dim": 512, "rope_parameters": {"rope_type": "proportional",
           "partial_rotary_factor": 0.25, "rope_theta": 1e6}})",
       "dim=512 base=1000000 layout=half_split kept_pairs=64"},
      {R"({"model_type": "gemma4_text", "head_dim": 512, "rope_parameters": {"rope_type": "proportional",
           "partial_rotary_factor": 0.25, "factor": 8}})",
       "dim=512 layout=half_split kept_pairs=64 scaling=linear factor=8"},
      {R"({"model_type": "gemma4_text", "head_dim": 256, "global_head_dim": 512, "rope_parameters":
          {"full_attention": {"rope_type": "proportional", "partial_rotary_factor": 0.25, "rope_theta": 1e6},
           "sliding_attention": {"rope_type": "default", "rope_theta": 1e4}}})",
       "layout=half_split; dim: 512 (global_head_dim, in global layers) or 256 (head_dim, in local ones); base: "
       "1000000 (rope_parameters.full_attention.rope_theta) or 10000 "
       "(rope_parameters.sliding_attention.rope_theta); kept_pairs: 64 (rope_parameters.full_attention, "
       "proportional) or 0 (.sliding_attention)"},
  });
}

TEST(ConfigAccounted, of_olmo_3_windows_are_not_scaled) {
  expect(
      {{R"({"model_type": "olmo3", "head_dim": 128, "rope_scaling": {"rope_type": "yarn", "factor": 8,
               "original_max_position_embeddings": 8192}})",
        "dim=128 layout=half_split scaling=yarn factor=8 original_length=8192; scaling: yarn (in global layers) or "
        "none (in local ones)"}});
}

TEST(ConfigAccounted, of_one_kind_of_layers_the_other_is_said_to_be_missing) {
  EXPECT_EQ(
      said(R"({"model_type": "gemma3_text", "head_dim": 256, "rope_parameters": {"full_attention":
                     {"rope_type": "linear", "factor": 8, "rope_theta": 1e6}}})"),
      "dim=256 base=1000000 layout=half_split scaling=linear factor=8; rope_parameters.full_attention alone is "
      "read: the file has no rope_parameters.sliding_attention");
}

TEST(ConfigAccounted, of_ernie_height_and_width_alternate_before_time) {
  expect({
      {R"({"text_config": {"model_type": "ernie4_5_vl_moe_text", "head_dim": 128, "rope_parameters":
           {"rope_type": "default", "rope_theta": 500000, "mrope_section": [22, 22, 20]}}})",
       "dim=128 base=500000 layout=interleaved sections=[20,22,22] assignment=alternating", "m_rope"},
      {R"({"model_type": "glm4v_text", "head_dim": 128, "rope_scaling": {"mrope_section": [16, 24, 24]}})",
       "dim=128 layout=interleaved sections=[16,24,24]", "m_rope"},
      {R"({"model_type": "glm4v_moe_text", "head_dim": 128, "partial_rotary_factor": 0.5, "rope_scaling":
           {"mrope_section": [8, 12, 12]}})",
       "dim=128 rotary_dim=64 layout=half_split sections=[8,12,12]", "m_rope"},
      {R"({"model_type": "ernie4_5_vl_moe", "head_dim": 128, "rope_parameters": {"mrope_section": [44, 20]}})",
       "has 2 numbers in mrope_section; expected: 3, of height, width and time", "m_rope"},
  });
}

TEST(ConfigAccounted, models_with_settings_of_their_own) {
  expect({
      {R"({"model_type": "dbrx", "d_model": 6144, "n_heads": 48, "attn_config": {"rope_theta": 500000, "clip_qkv": 8}})",
       "dim=128 base=500000 layout=half_split"},
      {R"({"model_type": "mpt", "d_model": 512, "n_heads": 8, "attn_config": {"alibi": true, "rope_theta": 10000}})",
       "describes no rope: `attn_config.alibi` is true"},
      {R"({"model_type": "mpt", "d_model": 512, "n_heads": 8, "attn_config": {"rope": false, "rope_theta": 10000}})",
       "describes no rope: `attn_config.rope` is false"},
      {R"({"model_type": "baichuan", "hidden_size": 5120, "num_attention_heads": 40})",
       "describes no rope: model baichuan of hidden_size 5120 has ALiBi"},
      {R"({"model_type": "baichuan", "hidden_size": 4096, "num_attention_heads": 32})",
       "dim=128 layout=half_split"},
      {R"({"model_type": "baichuan", "hidden_size": 5120, "num_attention_heads": 40})", "heads=40 rows=any",
       "alibi"},
      {R"({"model_type": "baichuan", "hidden_size": 4096, "num_attention_heads": 32})",
       "describes no alibi: neither `alibi` nor `attn_config.alibi` is true, nor is it bloom's", "alibi"},
      {R"({"model_type": "bert", "num_attention_heads": 12, "position_embedding_type": "alibi"})",
       "heads=12 form=symmetric", "alibi"},
      {R"({"model_type": "bloom", "hidden_size": 512, "n_head": 8})",
       "describes no rope: model bloom has none"},
      {R"({"model_type": "nomic_bert", "n_embd": 768, "n_head": 12, "rotary_emb_base": 1000, "rotary_emb_fraction": 1.0,
           "rotary_emb_interleaved": false, "rotary_emb_scale_base": null, "rotary_scaling_factor": 2})",
       "dim=64 base=1000 layout=half_split; scaling: dynamic_ntk with factor 2 (rotary_scaling_factor) or none"},
      {R"({"head_dim": 64, "rotary_emb_scale_base": 512})",
       "describes no rope: rotary_emb_scale_base 512 makes it xPos"},
      {R"({"model_type": "mpnet", "num_attention_heads": 12, "relative_attention_num_buckets": 32})",
       "heads=12 buckets=32 direction=bidirectional", "t5_bias"},
      {R"({"model_type": "wavlm", "num_attention_heads": 12, "num_buckets": 320, "max_bucket_distance": 800})",
       "heads=12 buckets=320 max_distance=800 direction=bidirectional", "t5_bias"},
      {R"({"model_type": "bart", "d_model": 768, "max_position_embeddings": 1024, "pad_token_id": 1})",
       "dim=768 length=1026 offset=2", "learned"},
      {R"({"model_type": "whisper", "d_model": 384, "max_source_positions": 1500, "max_target_positions": 448})",
       "dim=384 length=448", "learned"},
      {R"({"interleaved": 0, "rotary_embedding_dim": 64, "scale": 0.5, "is_packed_batching": 0})",
       "layout=half_split rotary_dim=64; not read: scale = 0.5; not read: is_packed_batching = 0"},
  });
}

TEST(ConfigAccounted, names_that_bear_on_position) {
  for (const char* name : {"rope_theta",
                           "text_config.rope_theta",
                           "attn_temperature_tuning",
                           "attention_temperature",
                           "attn_scale",
                           "max_bucket_distance",
                           "mrope_section",
                           "yarn",
                           "position_ids",
                           "nope_layers",
                           "rotary_pct",
                           "attn_factor",
                           "use_dynamic_ntk",
                           "llama.rope.scaling.finetuned",
                           "llama.attention.temperature_scale",
                           "position_buckets",
                           "llama_4_scaling_beta",
                           "alibi",
                           "rope_parameters.full_attention.x",
                           "no_rope_layers"})
    EXPECT_TRUE(bears_on_position(name)) << name;
  for (const char* name :
       {"hidden_size", "dropout", "property", "europe", "max_position_embeddings", "max_source_positions",
        "n_positions", "bos_token_id", "layer_types", "scale", "temperature", "qk_nope_head_dim"})
    EXPECT_FALSE(bears_on_position(name)) << name;
}

}  // namespace
}  // namespace posproof::config_accounted_test
