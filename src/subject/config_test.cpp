// What configurations of public models say, in the words of their files.
#include "subject/config.h"

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace posproof::subject_config_test {
namespace {

Configured of(const std::string& json, const std::string& encoding = "rope") {
  return configured(config_settings("config.json", json), encoding);
}

// The parameters, then what is ambiguous.
std::string said(const Configured& found) {
  std::string out = found.parameters.text();
  for (const auto& [parameter, readings] : found.ambiguous)
    out += fmt::format("; {}: {}", parameter, readings);
  return out;
}

std::string refused(const std::string& json, const std::string& encoding) {
  try {
    return said(of(json, encoding));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

struct Row {
  std::string json, said;
};

TEST(Config, of_rope_in_the_forms_of_transformers) {
  for (
      const auto& [json, expected] : std::vector<Row>{
          {R"({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 500000.0,
                "max_position_embeddings": 131072, "rope_scaling": {"factor": 8.0, "low_freq_factor": 1.0,
                "high_freq_factor": 4.0, "original_max_position_embeddings": 8192, "rope_type": "llama3"}})",
           "dim=128 base=500000 layout=half_split scaling=llama3 factor=8 original_length=8192 low_freq_factor=1 "
           "high_freq_factor=4"},
          {R"({"model_type": "qwen3", "hidden_size": 1024, "num_attention_heads": 16, "head_dim": 128,
                "rope_parameters": {"rope_theta": 1000000, "rope_type": "default"}})",
           "dim=128 base=1000000 layout=half_split"},
          {R"({"model_type": "llama", "head_dim": 128, "rope_scaling": {"type": "linear", "factor": 4.0}})",
           "dim=128 layout=half_split scaling=linear factor=4"},
          {R"({"model_type": "llama", "head_dim": 128, "max_position_embeddings": 16384,
               "rope_scaling": {"type": "linear", "factor": 4.0, "original_max_position_embeddings": 4096}})",
           "dim=128 layout=half_split scaling=linear factor=4"},
          {R"({"model_type": "phi", "hidden_size": 2560, "num_attention_heads": 32, "partial_rotary_factor": 0.4})",
           "dim=80 rotary_dim=32 layout=half_split"},
          {R"({"model_type": "gpt_neox", "hidden_size": 512, "num_attention_heads": 8, "rotary_pct": 0.25,
                "rotary_emb_base": 10000})",
           "dim=64 rotary_dim=16 base=10000 layout=half_split"},
          {R"({"model_type": "gptj", "n_embd": 4096, "n_head": 16, "rotary_dim": 64})",
           "dim=256 rotary_dim=64 layout=interleaved"},
          {R"({"model_type": "deepseek_v3", "qk_rope_head_dim": 64, "head_dim": 192, "rope_theta": 10000,
                "max_position_embeddings": 163840, "rope_scaling": {"type": "yarn", "factor": 40, "mscale": 1.0,
                "mscale_all_dim": 1.0, "beta_fast": 32, "beta_slow": 1, "original_max_position_embeddings": 4096}})",
           "dim=64 base=10000 layout=interleaved output_layout=half_split scaling=yarn factor=40 original_length=4096 "
           "beta_fast=32 beta_slow=1 mscale=1 mscale_all_dim=1"},
          {R"({"model_type": "gpt_oss", "head_dim": 64, "rope_theta": 150000, "rope_scaling": {"rope_type": "yarn",
                "factor": 32.0, "beta_fast": 32.0, "beta_slow": 1.0, "truncate": false,
                "original_max_position_embeddings": 4096}})",
           "dim=64 base=150000 layout=half_split scaling=yarn factor=32 original_length=4096 beta_fast=32 beta_slow=1 "
           "truncate=false"},
          {R"({"max_position_embeddings": 131072, "original_max_position_embeddings": 4096, "rope_scaling":
                {"type": "su", "short_factor": [1.0, 1.1], "long_factor": [1.0, 5.5]}})",
           "scaling=longrope factor=32 original_length=4096 factors=[1,5.5] short_factors=[1,1.1]"},
          {R"({"head_dim": 64, "max_position_embeddings": 4096, "rope_scaling": {"type": "dynamic", "factor": 2}})",
           "dim=64 scaling=dynamic_ntk factor=2 original_length=4096"},
          {R"({"model_type": "unheard_of", "head_dim": 64, "rope_interleave": true, "rope_theta": 20000})",
           "dim=64 base=20000 layout=interleaved output_layout=half_split"},
          {R"({"model_type": "llama", "head_dim": 64, "partial_rotary_factor": 1.0, "rotary_dim": 64})",
           "dim=64 layout=half_split"},
      })
    EXPECT_EQ(said(of(json)), expected) << json;
}

TEST(Config, what_is_said_in_two_ways_has_both_readings) {
  for (
      const auto& [json, expected] : std::vector<Row>{
          {R"({"rope_parameters": {"rope_theta": 500000}, "rope_theta": 10000})",
           "; base: 500000 (rope_parameters.rope_theta) or 10000 (rope_theta)"},
          {R"({"rope_theta": 1000000, "rope_local_base_freq": 10000})",
           "base=1000000; base: rope_theta, in global layers, or 10000 (rope_local_base_freq, in local ones)"},
          {R"({"rope_parameters": {"full_attention": {"rope_theta": 1e6}, "sliding_attention": {"rope_theta": 1e4}}})",
           "; base: 1000000 (rope_parameters.full_attention.rope_theta) or 10000 "
           "(rope_parameters.sliding_attention.rope_theta)"},
          {R"({"rope_scaling": {"type": "linear", "rope_type": "yarn", "factor": 2}})",
           "factor=2; scaling: yarn (rope_scaling.rope_type) or linear (rope_scaling.type)"},
          {R"({"max_position_embeddings": 65536, "rope_scaling": {"rope_type": "yarn", "factor": 8,
                "original_max_position_embeddings": 4096}})",
           "scaling=yarn original_length=4096; factor: 8 (rope_scaling.factor) or 16 (max_position_embeddings / "
           "rope_scaling.original_max_position_embeddings)"},
          {R"({"rope_scaling": {"rope_type": "yarn", "factor": 4, "mscale": 0.707}})",
           "scaling=yarn factor=4; mscale: 0.707 (rope_scaling.mscale) or 1 (transformers, which asks for "
           "mscale_all_dim, too)"},
      })
    EXPECT_EQ(said(of(json)), expected) << json;
}

// Of a model with global and local layers the scaling is that of one type, as the base is.
TEST(Config, of_layers_of_two_types_the_scaling_has_both_readings) {
  for (
      const auto& [json, expected] : std::vector<Row>{
          {R"({"rope_theta": 1000000, "rope_local_base_freq": 10000, "rope_scaling": {"rope_type": "linear", "factor": 8}})",
           "base=1000000 scaling=linear factor=8; base: rope_theta, in global layers, or 10000 (rope_local_base_freq, "
           "in local ones); scaling: linear (in global layers) or none (in local ones)"},
          {R"({"rope_parameters": {"full_attention": {"rope_type": "linear", "factor": 8, "rope_theta": 1e6},
                                    "sliding_attention": {"rope_type": "default", "rope_theta": 1e4}}})",
           "scaling=linear factor=8; base: 1000000 (rope_parameters.full_attention.rope_theta) or 10000 "
           "(rope_parameters.sliding_attention.rope_theta); scaling: linear (rope_parameters.full_attention) or "
           "default (.sliding_attention)"},
          {R"({"rope_parameters": {"full_attention": {"rope_type": "default", "rope_theta": 1e5},
                                    "sliding_attention": {"rope_type": "default", "rope_theta": 1e5}}})",
           "base=100000"},
          {R"({"model_type": "modernbert", "global_rope_theta": 160000.0, "local_rope_theta": 10000.0})",
           "layout=half_split; base: 160000 (global_rope_theta) or 10000 (local_rope_theta)"},
      })
    EXPECT_EQ(said(of(json)), expected) << json;
}

// Of a model of text and images the object of the text is read; what stands in none is that of the whole.
TEST(Config, the_settings_of_the_text_come_before_those_beside_them) {
  const Configured found =
      of(R"({"model_type": "mistral3", "hidden_size": 1024, "text_config": {"model_type": "mistral",
      "head_dim": 128, "hidden_size": 5120, "num_attention_heads": 32, "rope_theta": 1e9}, "vision_config": {"head_dim": 64}})");
  EXPECT_EQ(said(found), "dim=128 base=1000000000 layout=half_split");
  EXPECT_EQ(found.understood, (std::vector<std::string>{"text_config.head_dim: dim=128",
                                                        "text_config.rope_theta 1000000000: base=1000000000",
                                                        "model mistral: layout=half_split"}));
  // Files leave out what is a model's own standard, and posproof's is another one.
  EXPECT_EQ(
      said(of(R"({"model_type": "gemma3", "text_config": {"model_type": "gemma3_text", "head_dim": 256,
      "rope_scaling": {"factor": 8.0, "rope_type": "linear"}}})")),
      "dim=256 layout=half_split scaling=linear factor=8; base: 1000000 (gemma3_text's, in global layers, unless "
      "rope_theta says another) or 10000 (in local ones); scaling: linear (in global layers) or none (in local ones)");
}

TEST(Config, of_chatglm_half_of_a_head_rotates_and_a_ratio_has_two_readings) {
  EXPECT_EQ(said(of(R"({"model_type": "chatglm", "kv_channels": 128})")),
            "dim=128 rotary_dim=64 layout=interleaved");
  EXPECT_EQ(
      said(of(R"({"model_type": "chatglm", "kv_channels": 128, "rope_ratio": 50})")),
      "dim=128 rotary_dim=64 layout=interleaved; base: 500000 (10000 rope_ratio, as in ChatGLM3 and GLM-4) or "
      "10000 (ChatGLM2, which divides positions by it: linear)");
  EXPECT_EQ(
      said(of(R"({"model_type": "chatglm", "kv_channels": 128, "rope_ratio": 0.5})")),
      "dim=128 rotary_dim=64 layout=interleaved; base: 5000 (10000 rope_ratio, as in ChatGLM3 and GLM-4) or "
      "10000 (ChatGLM2, which divides positions by it: linear)");
}

TEST(Config, says_of_which_model_a_convention_is) {
  EXPECT_EQ(of(R"({"model_type": "whisper", "d_model": 384})", "sinusoidal").understood,
            (std::vector<std::string>{"d_model 384: dim=384", "model whisper: divisor=half_minus_one",
                                      "model whisper: layout=sin_cos"}));
}

// What is made of two settings says both.
TEST(Config, says_from_what_a_factor_is_made) {
  const Configured found = of(R"({"max_position_embeddings": 65536, "rope_scaling": {"rope_type": "yarn",
             "original_max_position_embeddings": 4096}})");
  EXPECT_EQ(found.parameters.text(), "scaling=yarn factor=16 original_length=4096");
  EXPECT_EQ(found.understood,
            (std::vector<std::string>{
                "rope type yarn: scaling=yarn",
                "max_position_embeddings / rope_scaling.original_max_position_embeddings: factor=16",
                "rope_scaling.original_max_position_embeddings 4096: original_length=4096"}));
}

TEST(Config, of_biases_and_tables) {
  EXPECT_EQ(said(of(R"({"model_type": "bloom", "n_head": 16})", "alibi")), "heads=16 rows=key_index");
  EXPECT_EQ(
      said(of(R"({"model_type": "mpt", "n_heads": 32, "attn_config": {"alibi": true, "alibi_bias_max": 16}})",
              "alibi")),
      "heads=32 max_bias=16");
  EXPECT_EQ(said(of(R"({"alibi": true, "num_attention_heads": 12})", "alibi")), "heads=12");
  EXPECT_EQ(
      said(of(R"({"model_type": "falcon", "alibi": true, "num_attention_heads": 71, "hidden_size": 4544})",
              "alibi")),
      "heads=71 rows=key_index head_dim=64");
  EXPECT_EQ(
      said(of(R"({"model_type": "falcon", "alibi": true, "num_attention_heads": 71, "hidden_size": 4560})",
              "alibi")),
      "heads=71 rows=key_index head_dim=64");
  const std::string t5 =
      R"({"num_heads": 8, "relative_attention_num_buckets": 32, "relative_attention_max_distance": 128)";
  EXPECT_EQ(
      said(of(t5 + "}", "t5_bias")),
      "heads=8 buckets=32 max_distance=128; direction: bidirectional (the encoder) or unidirectional (the decoder)");
  EXPECT_EQ(said(of(t5 + R"(, "is_encoder_decoder": false, "is_decoder": false})", "t5_bias")),
            "heads=8 buckets=32 max_distance=128 direction=bidirectional");
  EXPECT_EQ(said(of(t5 + R"(, "is_decoder": true})", "t5_bias")),
            "heads=8 buckets=32 max_distance=128 direction=unidirectional");
  EXPECT_EQ(said(of(R"({"model_type": "gpt2", "n_embd": 768, "n_positions": 1024})", "learned")),
            "dim=768 length=1024");
  EXPECT_EQ(
      said(of(R"({"model_type": "opt", "hidden_size": 768, "max_position_embeddings": 2048})", "learned")),
      "dim=768 length=2050 offset=2");
  EXPECT_EQ(
      said(of(
          R"({"model_type": "roberta", "hidden_size": 768, "max_position_embeddings": 514, "pad_token_id": 1})",
          "learned")),
      "dim=768 length=514 offset=2");
  EXPECT_EQ(said(of(R"({"model_type": "whisper", "d_model": 384})", "sinusoidal")),
            "dim=384 divisor=half_minus_one layout=sin_cos");
  EXPECT_EQ(said(of(R"({"model_type": "m2m_100", "d_model": 1024})", "sinusoidal")),
            "dim=1024 divisor=half_minus_one layout=sin_cos offset=2");
  EXPECT_EQ(said(of(R"({"model_type": "marian", "d_model": 512})", "sinusoidal")), "dim=512 layout=sin_cos");
  EXPECT_EQ(said(of(R"({"model_type": "xlm", "emb_dim": 2048})", "sinusoidal")),
            "dim=2048 layout=interleaved");
}

TEST(Config, of_m_rope) {
  for (
      const auto& [json, expected] : std::vector<Row>{
          {R"({"model_type": "qwen2_vl", "hidden_size": 3584, "num_attention_heads": 28, "rope_theta": 1000000.0,
                "rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24]}})",
           "dim=128 base=1000000 layout=half_split sections=[16,24,24]"},
          {R"({"model_type": "qwen3_vl", "text_config": {"model_type": "qwen3_vl_text", "head_dim": 128, "rope_theta": 5e6,
                "rope_scaling": {"rope_type": "default", "mrope_interleaved": true, "mrope_section": [24, 20, 20]}}})",
           "dim=128 base=5000000 layout=half_split sections=[24,20,20] assignment=interleaved"}})
    EXPECT_EQ(said(of(json, "m_rope")), expected) << json;
  EXPECT_EQ(refused(R"({"head_dim": 128, "rope_theta": 1e6})", "m_rope"),
            "describes no m_rope: it has no mrope_section");
  EXPECT_EQ(refused(R"({"rope_scaling": {"rope_type": "yarn", "mrope_section": [16, 24, 24]}})", "m_rope"),
            "describes no m_rope: its rope type is `yarn`");
}

TEST(Config, of_onnx_are_the_attributes_of_the_operator) {
  EXPECT_EQ(said(of(R"({"interleaved": 1, "num_heads": 32, "rotary_embedding_dim": 64})")),
            "layout=interleaved rotary_dim=64 heads=32");
  EXPECT_EQ(said(of(R"({"interleaved": 0, "num_heads": 0, "rotary_embedding_dim": 0})")),
            "layout=half_split rotary_dim=0");
}

TEST(Config, each_setting_says_what_it_became) {
  EXPECT_EQ(of(R"({"model_type": "llama", "hidden_size": 512, "num_attention_heads": 8, "rope_theta": 2e4})")
                .understood,
            (std::vector<std::string>{"hidden_size / num_attention_heads: dim=64",
                                      "rope_theta 20000: base=20000", "model llama: layout=half_split"}));
}

TEST(Config, that_names_a_rotary_encoding_is_one) {
  for (const char* type : {"rope", "rotary", "2d_rope"})
    EXPECT_EQ(said(of(R"({"hidden_size": 64, "num_attention_heads": 8, "position_embedding_type": ")" +
                      std::string(type) + R"("})")),
              "dim=8")
        << type;
}

TEST(Config, of_another_encoding_is_refused) {
  EXPECT_EQ(refused(R"({"alibi": true})", "rope"), "describes no rope: `alibi` is true");
  EXPECT_EQ(refused(R"({"relative_attention_num_buckets": 32})", "rope"),
            "describes no rope: it has relative_attention_num_buckets");
  EXPECT_EQ(refused(R"({"position_embedding_type": "absolute"})", "rope"),
            "describes no rope: position_embedding_type is `absolute`");
  for (const char* mrope :
       {R"({"rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24]}})",
        R"({"rope_parameters": {"rope_type": "default", "mrope_section": [16, 24, 24]}})"})
    EXPECT_EQ(refused(mrope, "rope"), "describes no rope: its positions have three ids (m_rope)");
  EXPECT_EQ(refused(R"({"hidden_size": 768, "position_embedding_type": "relative_key"})", "learned"),
            "describes no learned: position_embedding_type is `relative_key`");
  EXPECT_EQ(refused(R"({"hidden_size": 768, "position_biased_input": false})", "learned"),
            "describes no learned: position_biased_input is false");
  EXPECT_EQ(refused(R"({"rope_theta": 10000})", "alibi"),
            "describes no alibi: neither `alibi` nor `attn_config.alibi` is true, nor is it bloom's");
  EXPECT_EQ(refused(R"({"rope_theta": 10000})", "t5_bias"),
            "describes no t5_bias: it has no relative_attention_num_buckets");
  EXPECT_EQ(refused(R"({"rope_theta": 10000})", "learned"),
            "describes no learned: it has rope_theta, or `alibi` is true");
  EXPECT_EQ(refused(R"({"sinusoidal_pos_embds": false})", "sinusoidal"),
            "describes no sinusoidal: its positions are learned");
  EXPECT_EQ(
      refused(R"({"a": 1})", "binary"),
      "is read for rope, m_rope, axial_rope, sinusoidal, sincos_2d, learned, alibi, t5_bias, relative_table, log_cpb, "
      "shaw and deberta, not for binary");
  EXPECT_EQ(refused(R"({"interleaved": 1})", "alibi"), "is read for rope, not for alibi");
}

}  // namespace
}  // namespace posproof::subject_config_test
