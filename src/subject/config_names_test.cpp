// Every name that is read of a config.json, and every model whose own code says something.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "subject/config.h"
#include "subject/testing/configs.h"

namespace posproof::config_names_test {
namespace {

using testing::expect;
using testing::said;

// A llama of 64 channels, with more settings.
std::string llama(const std::string& more) {
  return R"({"model_type": "llama", "head_dim": 64, )" + more + "}";
}
std::string and_of_llama(std::string_view more) {
  return fmt::format("dim=64 {}", more);
}

std::string model(std::string_view name, const std::string& more) {
  return fmt::format(R"({{"model_type": "{}", {}}})", name, more);
}

using Names = std::vector<std::string>;

TEST(ConfigNames, of_models_that_rotate_neighbouring_channels) {
  for (const std::string& name :
       Names{"gptj", "codegen", "cohere", "cohere2", "glm", "glm4", "chatglm", "llama4", "llama4_text",
             "ernie4_5", "ernie4_5_moe", "deepseek_v2", "helium", "roformer", "moonshine"})
    EXPECT_EQ(said(model(name, R"("head_dim": 64)")), "dim=64 layout=interleaved") << name;
  for (const std::string& name : Names{"deepseek_v3", "kimi_k2"})
    EXPECT_EQ(said(model(name, R"("head_dim": 64)")), "dim=64 layout=interleaved output_layout=half_split")
        << name;
}

TEST(ConfigNames, of_models_that_rotate_channels_half_a_head_apart) {
  for (const std::string& name :
       Names{"llama",    "mistral",   "mixtral",   "ministral",    "ministral3",  "qwen",
             "qwen2",    "qwen2_moe", "qwen3",     "qwen3_moe",    "phi",         "phi3",
             "gemma",    "gemma2",    "gemma3",    "gemma3n_text", "gemma4_text", "gpt_neox",
             "gpt_oss",  "falcon",    "stablelm",  "olmo",         "olmo2",       "starcoder2",
             "smollm3",  "granite",   "persimmon", "exaone4",      "minicpm",     "minicpm3",
             "nemotron", "internlm2", "baichuan",  "dbrx",         "modernbert",  "olmo3",
             "olmoe",    "esm",       "glm4_moe",  "minimax",      "minimax_m2",  "qwen3_next",
             "seed_oss", "arcee",     "apertus",   "bitnet",       "phimoe",      "hunyuan_v1_dense"})
    EXPECT_EQ(said(model(name, R"("head_dim": 64)")), "dim=64 layout=half_split") << name;
  EXPECT_EQ(said(model("gemma3_text", R"("head_dim": 64, "rope_parameters": {"rope_theta": 1e6})")),
            "dim=64 base=1000000 layout=half_split");
}

TEST(ConfigNames, of_models_whose_positions_have_three_ids) {
  const auto of = [](const std::string& name) {
    return said(model(name, R"("head_dim": 128, "rope_scaling": {"mrope_section": [16, 24, 24]})"), "m_rope");
  };
  for (const std::string& name : Names{"qwen2_vl", "qwen2_vl_text", "qwen2_5_vl", "qwen2_5_vl_text",
                                       "qwen3_vl", "qwen3_vl_text", "glm4v_moe", "glm4v_moe_text"})
    EXPECT_EQ(of(name), "dim=128 layout=half_split sections=[16,24,24]") << name;
  for (const std::string& name : Names{"glm4v", "glm4v_text"})
    EXPECT_EQ(of(name), "dim=128 layout=interleaved sections=[16,24,24]") << name;
  for (const std::string& name :
       Names{"ernie4_5_vl_moe", "ernie4_5_vl_moe_text", "ernie4_5_vl", "ernie4_5_vl_text"})
    EXPECT_EQ(of(name), "dim=128 layout=interleaved sections=[24,16,24] assignment=alternating") << name;
}

TEST(ConfigNames, of_models_that_rotate_nothing) {
  for (const std::string& name : Names{"bloom", "gpt2", "gpt_bigcode", "gpt_neo", "opt", "bart", "mbart",
                                       "whisper", "t5", "mt5", "umt5", "xglm"})
    EXPECT_EQ(said(model(name, R"("head_dim": 64)")), "describes no rope: model " + name + " has none");
}

TEST(ConfigNames, of_models_with_tables) {
  const auto of = [](const std::string& name, const std::string& encoding) {
    return said(model(name, R"("d_model": 64, "max_position_embeddings": 128, "pad_token_id": 4)"), encoding);
  };
  const std::string sinusoidal = "sinusoidal";
  for (const std::string& name : Names{"m2m_100", "speech_to_text", "xglm"})
    EXPECT_EQ(of(name, sinusoidal), "dim=64 divisor=half_minus_one layout=sin_cos offset=2") << name;
  EXPECT_EQ(of("whisper", sinusoidal), "dim=64 divisor=half_minus_one layout=sin_cos");
  for (const std::string& name : Names{"marian", "pegasus", "transfo-xl"})
    EXPECT_EQ(of(name, sinusoidal), "dim=64 layout=sin_cos") << name;
  for (const std::string& name : Names{"distilbert", "xlm"})
    EXPECT_EQ(of(name, sinusoidal), "dim=64 layout=interleaved") << name;
  for (const std::string& name : Names{"opt", "bart", "mbart", "plbart", "mvp", "biogpt"})
    EXPECT_EQ(of(name, "learned"), "dim=64 length=130 offset=2") << name;
  for (const std::string& name : Names{"roberta", "xlm-roberta", "camembert", "mpnet"})
    EXPECT_EQ(of(name, "learned"), "dim=64 length=128 offset=5") << name;
  EXPECT_EQ(of("bert", "learned"), "dim=64 length=128");
}

TEST(ConfigNames, of_the_width_and_of_what_rotates) {
  for (const std::string own : {"qk_rope_head_dim", "head_dim", "kv_channels"})
    EXPECT_EQ(said(model("llama", fmt::format(R"("{}": 64)", own))), "dim=64 layout=half_split") << own;
  for (const std::string width : {"hidden_size", "n_embd", "d_model"})
    for (const std::string heads : {"num_attention_heads", "n_head", "n_heads"})
      EXPECT_EQ(said(model("llama", fmt::format(R"("{}": 512, "{}": 8)", width, heads))),
                "dim=64 layout=half_split")
          << width << " " << heads;
  for (const std::string share : {"partial_rotary_factor", "rotary_pct", "rope_pct", "rotary_emb_fraction"})
    EXPECT_EQ(said(llama(fmt::format(R"("{}": 0.25)", share))),
              and_of_llama("rotary_dim=16 layout=half_split"))
        << share;
  expect({
      {model("llama", R"("hidden_size": 512, "num_attention_heads": 0)"), "layout=half_split"},
      {llama(R"("rope_parameters": {"partial_rotary_factor": 0.25})"),
       and_of_llama("rotary_dim=16 layout=half_split")},
      // 27.6 channels are 27.
      {model("llama", R"("head_dim": 80, "partial_rotary_factor": 0.345)"),
       "dim=80 rotary_dim=27 layout=half_split"},
      {model("chatglm", R"("kv_channels": 65)"), "dim=65 rotary_dim=32 layout=interleaved"},
      {model("llama", R"("rotary_dim": 32)"), "rotary_dim=32 layout=half_split"},
      {llama(R"("rotary_emb_interleaved": true)"), and_of_llama("layout=interleaved")},
  });
}

TEST(ConfigNames, of_bases) {
  for (const std::string base :
       {R"("rope_theta": 5e5)", R"("rotary_emb_base": 5e5)", R"("rope_parameters": {"rope_theta": 5e5})",
        R"("rope_scaling": {"rope_theta": 5e5})", R"("attn_config": {"rope_theta": 5e5})"})
    EXPECT_EQ(said(llama(base)), and_of_llama("base=500000 layout=half_split")) << base;
  expect({
      {model("chatglm", R"("kv_channels": 128, "rope_ratio": 1)"),
       "dim=128 rotary_dim=64 layout=interleaved"},
      // One that layers of an unknown name have, beside two that differ: these have to be named already.
      {llama(
           R"("rope_theta": 1e4, "rotary_emb_base": 2e4, "rope_parameters": {"main": {"rope_theta": 1e5}})"),
       and_of_llama("layout=half_split; base: 10000 (rope_theta) or 20000 (rotary_emb_base); not read: "
                    "rope_parameters.main.rope_theta = 100000")},
      // What else has to be named is no base.
      {llama(R"("rotary_dim": 32, "rotary_pct": 0.25, "rope_parameters": {"main": {"rope_theta": 1e5}})"),
       and_of_llama("layout=half_split; rotary_dim: 32 (rotary_dim 32) or 16 (rotary_pct 0.25); no base: has "
                    "rope_parameters.main.rope_theta and no rope_parameters.rope_theta; not read: "
                    "rope_parameters.main.rope_theta = 100000")},
  });
}

// In each of the objects that may hold it.
TEST(ConfigNames, of_types_and_their_factors) {
  for (const std::string object : {"rope_parameters", "rope_scaling"})
    for (const std::string type : {"rope_type", "type"})
      for (const auto& [word, more] : std::vector<std::pair<std::string, std::string>>{
               {"default", "layout=half_split; not read: " + object + ".factor = 4"},
               {"linear", "layout=half_split scaling=linear factor=4"},
               {"dynamic", "layout=half_split scaling=dynamic_ntk factor=4 original_length=512"},
               {"yarn", "layout=half_split scaling=yarn factor=4 original_length=512"}})
        EXPECT_EQ(
            said(llama(fmt::format(R"("max_position_embeddings": 512, "{}": {{"{}": "{}", "factor": 4}})",
                                   object, type, word))),
            and_of_llama(more))
            << object << " " << type << " " << word;
  for (const std::string object : {R"("rope_parameters": )", R"("rope_scaling": )"})
    EXPECT_EQ(
        said(llama(object + R"({"rope_type": "yarn", "factor": 4, "original_max_position_embeddings": 512,
                    "beta_fast": 16, "beta_slow": 2, "attention_factor": 1.5, "truncate": false})")),
        and_of_llama("layout=half_split scaling=yarn factor=4 original_length=512 beta_fast=16 beta_slow=2 "
                     "attention_factor=1.5 truncate=false"))
        << object;
  EXPECT_EQ(said(llama(
                R"("rope_parameters": {"full_attention": {"rope_type": "yarn", "factor": 4, "truncate": false,
                    "original_max_position_embeddings": 512}, "sliding_attention": {"rope_type": "yarn"}})")),
            and_of_llama("layout=half_split scaling=yarn factor=4 original_length=512 truncate=false"));
}

TEST(ConfigNames, of_scaling_with_two_readings) {
  const std::string two = and_of_llama("layout=half_split scaling=");
  expect({
      // Fewer positions than the factor says, too.
      {llama(R"("max_position_embeddings": 8192, "rope_scaling": {"rope_type": "yarn", "factor": 8,
                "original_max_position_embeddings": 4096})"),
       two + "yarn original_length=4096; factor: 8 (rope_scaling.factor) or 2 (max_position_embeddings / "
             "rope_scaling.original_max_position_embeddings)"},
      {llama(R"("max_position_embeddings": 65536, "rope_scaling": {"rope_type": "longrope", "factor": 8,
                "original_max_position_embeddings": 4096})"),
       two +
           "longrope original_length=4096; factor: 8 (rope_scaling.factor) or 16 (max_position_embeddings / "
           "rope_scaling.original_max_position_embeddings)"},
      // Of the others a factor is no quotient of lengths.
      {llama(R"("max_position_embeddings": 65536, "rope_scaling": {"rope_type": "llama3", "factor": 8,
                "low_freq_factor": 1, "high_freq_factor": 4, "original_max_position_embeddings": 4096})"),
       two + "llama3 factor=8 original_length=4096 low_freq_factor=1 high_freq_factor=4"},
      {llama(R"("rope_scaling": {"rope_type": "yarn", "factor": 4, "mscale": 1})"),
       two + "yarn factor=4 mscale=1"},
      {llama(R"("rope_parameters": {"full_attention": {"rope_type": "default"}, "sliding_attention":
                {"rope_type": "linear", "factor": 8}})"),
       two + "linear factor=8; scaling: default (rope_parameters.full_attention) or linear "
             "(.sliding_attention)"},
      {llama(R"("rope_scaling": {"rope_type": "dynamic", "factor": 2, "alpha": 0})"),
       two + "dynamic_ntk factor=2"},
      {llama(R"("rope_scaling": {"rope_type": "longrope", "factor": 2, "long_mscale": 1.25})"),
       two + "longrope factor=2; attention_factor: none (up to original_length) or rope_scaling.long_mscale "
             "1.25 (beyond it)"},
  });
}

// One a pair that rotates, not one a pair of the head.
TEST(ConfigNames, of_factors_of_pairs_are_as_many_as_rotate) {
  EXPECT_EQ(
      said(model("phi3", R"("head_dim": 8, "partial_rotary_factor": 0.5, "rope_scaling": {"type": "longrope",
                    "factor": 2, "long_factor": [1, 2], "short_factor": [1, 3]})")),
      "dim=8 rotary_dim=4 layout=half_split scaling=longrope factor=2 factors=[1,2] short_factors=[1,3]");
}

TEST(ConfigNames, of_type_proportional) {
  expect({
      {llama(R"("rope_parameters": {"rope_type": "proportional", "partial_rotary_factor": 0.01})"),
       "describes no rope: of type proportional no pair rotates"},
      {model("llama", R"("rope_parameters": {"rope_type": "proportional", "partial_rotary_factor": 0.5})"),
       "layout=half_split; no kept_pairs: has rope type proportional and says no width of a head; not read: "
       "rope_parameters.partial_rotary_factor = 0.5"},
      // Of local layers, too.
      {llama(R"("rope_parameters": {"sliding_attention": {"rope_type": "proportional",
                "partial_rotary_factor": 0.5}})"),
       and_of_llama(
           "layout=half_split kept_pairs=16; rope_parameters.sliding_attention alone is read: the file "
           "has no rope_parameters.full_attention")},
      {llama(R"("rope_parameters": {"full_attention": {"rope_type": "default"}, "sliding_attention":
                {"rope_type": "proportional", "partial_rotary_factor": 0.5}})"),
       and_of_llama(
           "layout=half_split; kept_pairs: 16 (rope_parameters.sliding_attention, proportional) or 0 "
           "(.full_attention)")},
      {llama(R"("rope_scaling": {"rope_type": "proportional", "factor": 1}, "partial_rotary_factor": 0.5)"),
       and_of_llama("layout=half_split kept_pairs=16")},
      // Without a share all of them.
      {llama(R"("rope_parameters": {"rope_type": "proportional"})"),
       and_of_llama("layout=half_split kept_pairs=32")},
  });
}

TEST(ConfigNames, of_biases) {
  for (const std::string heads : {"num_attention_heads", "n_head", "n_heads"})
    for (const std::string is :
         {R"("alibi": true)", R"("attn_config": {"alibi": true})", R"("position_embedding_type": "alibi")"})
      EXPECT_EQ(said(fmt::format(R"({{{}, "{}": 12}})", is, heads), "alibi"), "heads=12") << is << heads;
  expect({
      {R"({"alibi": true, "n_head": 12, "alibi_bias_max": 16})", "heads=12 max_bias=16", "alibi"},
      {R"({"relative_attention_num_buckets": 16, "num_attention_heads": 4, "is_decoder": true, "is_encoder_decoder":
          true})",
       "heads=4 buckets=16 direction=unidirectional", "t5_bias"},
  });
}

TEST(ConfigNames, of_tables) {
  for (const std::string width : {"d_model", "hidden_size", "emb_dim", "dim"})
    EXPECT_EQ(said(model("marian", fmt::format(R"("{}": 64)", width)), "sinusoidal"), "dim=64 layout=sin_cos")
        << width;
  for (const std::string width : {"hidden_size", "n_embd", "d_model"})
    for (const std::string length : {"max_position_embeddings", "n_positions"})
      EXPECT_EQ(said(model("gpt2", fmt::format(R"("{}": 64, "{}": 128)", width, length)), "learned"),
                "dim=64 length=128")
          << width << " " << length;
  const std::string rope = ": it has rope_theta, or `alibi` is true";
  for (const std::string encoding : {"sinusoidal", "learned"}) {
    for (const std::string base : {R"({"rope_theta": 1e4})", R"({"rope_parameters": {"rope_theta": 1e4}})",
                                   R"({"attn_config": {"rope_theta": 1e4}})", R"({"alibi": true})"})
      EXPECT_EQ(said(base, encoding), "describes no " + encoding + rope) << base;
    // MPT's files have the base of a rope that they do not have.
    EXPECT_NE(said(R"({"attn_config": {"rope": false, "rope_theta": 1e4}, "d_model": 64})", encoding)
                  .find("dim=64"),
              std::string::npos)
        << encoding;
  }
  for (const std::string learned : {"sinusoidal_pos_embds", "sinusoidal_embeddings"})
    EXPECT_EQ(said(fmt::format(R"({{"{}": false}})", learned), "sinusoidal"),
              "describes no sinusoidal: its positions are learned");
  for (const std::string type : {"absolute", "learned_absolute", "learned"})
    EXPECT_EQ(said(fmt::format(R"({{"n_embd": 64, "position_embedding_type": "{}"}})", type), "learned"),
              "dim=64")
        << type;
}

// Names that say nothing of positions have many neighbours: two letters off, this one is not near `head_dim`.
TEST(ConfigNames, that_say_nothing_of_positions_are_near_one_letter_off) {
  EXPECT_EQ(said(model("llama", R"("hed_dm": 64)")), "layout=half_split");
  EXPECT_EQ(said(model("llama", R"("hed_dim": 64)")),
            "layout=half_split; not read: hed_dim = 64; near it: head_dim");
}

}  // namespace
}  // namespace posproof::config_names_test
