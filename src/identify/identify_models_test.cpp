// Tables, caches and biases of public models and libraries, as their own code makes them in numpy: each is
// named.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "identify/identify.h"
#include "report/identified.h"
#include "subject/testing/subjects.h"

namespace posproof::identify_models_test {
namespace {

namespace fs = std::filesystem;

struct Model {
  std::string name;  // of public_models.py; a cache has two files
  std::string convention;
};

// What a file of these has, cosines and sines in two arrays.
const std::vector<Model> caches = {
    {"chatglm", "rope --layout interleaved"},
    {"code_llama_ntk", "rope --dim 128 --scaling ntk"},
    {"command_r", "rope --dim 128 --base 8000000 --layout interleaved"},
    {"deepseek_v2", "rope --scaling yarn --factor 40 --original_length 4096 --attention_factor 1"},
    {"gemma_2", "rope --dim 256"},
    {"gemma_3_global", "rope --dim 256 --base 1000000 --scaling linear"},
    {"gpt_j", "rope --layout interleaved"},
    {"gpt_oss", "rope --base 150000 --scaling yarn --factor 32 --original_length 4096 --truncate false"},
    {"llama_2", "rope --dim 128"},
    {"llama_3", "rope --dim 128 --base 500000"},
    {"llama_3_1", "rope --dim 128 --base 500000 --scaling llama3"},
    {"llama_3_1_bf16", "rope --dim 128 --base 500000 --scaling llama3"},
    {"llama_3_2_1b", "rope --base 500000 --scaling llama3 --factor 32"},
    {"llama_4_scout", "rope --dim 128 --base 500000 --scaling llama3 --factor 16 --high_freq_factor 1"},
    {"longchat", "rope --dim 128 --scaling linear"},
    {"mixtral", "rope --dim 128 --base 1000000"},
    {"ntk_of_64_channels", "rope --scaling ntk"},
    {"onnx_llama", "rope"},
    {"p_rope", "rope --kept_pairs 8"},
    {"p_rope_pairs", "rope --kept_pairs 8"},
    {"phi_2", "rope --dim 32"},
    {"phi_3_short",
     "rope --dim 96 --scaling longrope --factor 32 --original_length 4096 --factors "
     "[1.05,1.05,1.05,1.1,1.1,1.15,1.2,1.25,1.3,1.35,1.5,2*17,2.05*6,2.1,2.1,2.15,2.2,2.25,2.3,2.35,2.4,2.5,2.6,2.7,"
     "2.8,2.9,3]"},
    {"pythia", "rope --dim 16"},
    {"qwen_2_0_5b", "rope --base 1000000"},
    {"qwen_2_5_yarn", "rope --dim 128 --base 1000000 --scaling yarn --factor 4 --original_length 32768"},
    {"vicuna_16k_f16", "rope --dim 128 --scaling linear --factor 4"},
    {"yarn_llama_2_64k", "rope --dim 128 --scaling yarn --factor 16 --original_length 4096"},
    {"yi", "rope --dim 128 --base 5000000"},
    {"flux", "axial_rope --dim 32 --axes 3 --parts [4,14,14] --layout interleaved --grid [1,6,9]"},
    {"flux_behind_text",
     "axial_rope --dim 32 --axes 3 --parts [4,14,14] --layout interleaved --grid [1,6,9]"},
    {"dinov3", "axial_rope --dim 16 --base 100 --coordinates cells --grid [7,5]"},
    {"perception_encoder",
     "axial_rope --dim 24 --layout interleaved --axis_order reversed --offset 1 --grid [8,10]"},
    {"vit_from_0", "axial_rope --dim 24 --layout interleaved --axis_order reversed --grid [8,10]"},
};

const std::vector<Model> arrays = {
    {"annotated_transformer", "sinusoidal --dim 512"},
    {"bits", "binary --dim 8"},
    {"bits_high_first_signs", "binary --dim 8 --order msb_first --values signs"},
    {"bloom_14_bf16", "alibi --heads 14 --rows key_index"},
    {"bloom_16", "alibi --heads 16 --rows key_index"},
    {"bloom_16_as_added", "alibi --heads 16 --rows key_index"},
    {"coordconv_centred", "normalized_index --dim 2 --range centred"},
    {"d2l", "sinusoidal --dim 32"},
    {"dab_detr", "sincos_2d --base 20 --layout interleaved --offset 1 --normalize detr --grid [6,9]"},
    {"detr", "sincos_2d --layout interleaved --offset 1 --normalize detr --grid [6,9]"},
    {"detr_as_added", "sincos_2d --layout interleaved --offset 1 --normalize detr --grid [5,8]"},
    {"detr_of_a_grid", "sincos_2d --layout interleaved --offset 1 --normalize detr --grid [5,8]"},
    {"detr_of_a_batch", "sincos_2d --layout interleaved --offset 1 --normalize detr --grid [6,9]"},
    {"detr_of_19", "sincos_2d --base 19 --layout interleaved --offset 1 --normalize detr --grid [6,9]"},
    {"dino_detr",
     "sincos_2d --bases [20,40] --layout interleaved --offset 1 --normalize centred --grid [6,9]"},
    {"detr_not_normalized", "sincos_2d --layout interleaved --offset 1 --grid [6,9]"},
    {"ddpm_timestep", "sinusoidal --dim 128 --layout sin_cos --divisor half_minus_one"},
    {"diffusers_timestep", "rope --dim 320"},  // or sinusoidal, cos_sin: the same array
    {"diffusers_longer_side", "sincos_2d --dim 48 --axis_order reversed --factors [1,2] --grid [6,12]"},
    {"distilbert", "sinusoidal"},
    {"fairseq_from_2", "sinusoidal --dim 256 --layout sin_cos --divisor half_minus_one --offset 2"},
    {"fairseq_with_its_padding_row", "sinusoidal --layout sin_cos --divisor half_minus_one --padding_row 1"},
    {"timescale_from_2", "sinusoidal --layout sin_cos --divisor half_minus_one --scale 2"},
    {"transformer_xl_backward", "sinusoidal --layout sin_cos --offset 510 --direction backward"},
    {"ggml_timestep_f16", "rope --dim 256"},
    {"glide_timestep_1000", "timestep_embedding --layout cos_sin --shift 0 --scale 1000"},
    {"index", "raw_index --dim 4"},
    {"index_from_1", "raw_index --dim 4 --offset 1"},
    {"jina_symmetric_12", "alibi --heads 12 --form symmetric"},
    {"llama_3_inv_freq", "rope --dim 128 --base 500000"},
    {"llama_4_vision", "axial_rope --dim 24 --axis_order reversed --offset 1 --grid [12,12]"},
    {"mae", "sincos_2d --dim 48 --axis_order reversed --grid [7,9]"},
    {"mae_without_class_token", "sincos_2d --dim 48 --axis_order reversed --grid [4,7]"},
    {"marian", "sinusoidal --layout sin_cos"},
    {"mlx_geometric_12", "alibi --heads 12 --rule geometric"},
    {"mpt_16_as_added", "alibi --heads 16 --rows any"},
    {"mpt_alibi_32", "alibi --heads 32"},
    {"mpt_max_bias_16", "alibi --max_bias 16"},
    {"mt5_6_heads", "t5_bias --heads 6"},
    {"neox_alibi_12", "alibi --heads 12"},
    {"neox_alibi_8", "alibi"},
    {"one_hot", "one_hot --dim 48"},
    {"other_base", "sinusoidal --dim 128 --base 500"},
    {"pytorch_tutorial_bf16", "sinusoidal --dim 256"},
    {"share_of_the_length", "normalized_index --dim 3"},
    {"t5_64_buckets_256", "t5_bias --heads 4 --buckets 64 --max_distance 256"},
    {"t5_decoder_bf16", "t5_bias --direction unidirectional"},
    {"t5_of_a_batch", "t5_bias"},
    {"t5_small_encoder", "t5_bias"},
    {"tatp22_odd", "sinusoidal --dim 7 --odd round_up"},
    {"tensor2tensor", "sinusoidal --dim 512 --layout sin_cos --divisor half_minus_one"},
    {"tensor2tensor_odd", "sinusoidal --dim 7 --layout sin_cos --divisor half_minus_one --odd zero_pad"},
    {"times_sqrt_dim", "sinusoidal --amplitude 8"},
    {"timeseries_odd_cut", "sinusoidal --dim 7 --odd truncate"},
    {"transformer_xl", "sinusoidal --dim 410 --layout sin_cos"},
    {"vllm_llama_2", "rope --dim 128"},
    {"vllm_smollm_3", "rope --dim 128 --base 5000000"},
    {"wav2vec2_conformer", "sinusoidal --dim 1024"},
    {"whisper_tiny", "sinusoidal --dim 384 --layout sin_cos --divisor half_minus_one"},
    {"x_transformers_scaled", "sinusoidal --dim 256 --layout sin_cos --amplitude 0.0625"},
};

// Of each kind one or two, which take little time: all of them are in the long tests.
const std::vector<std::string> some = {
    "chatglm",
    "deepseek_v2",
    "gpt_j",
    "llama_3_2_1b",
    "onnx_llama",
    "phi_2",
    "bloom_14_bf16",
    "mpt_16_as_added",
    "index_from_1",
    "tatp22_odd",
    "distilbert",
    "jina_symmetric_12",
    "coordconv_centred",
    "mlx_geometric_12",
    "times_sqrt_dim",
    "marian",
    "one_hot",
    "tensor2tensor_odd",
    "t5_decoder_bf16",
    "dab_detr",
    "detr_of_a_grid",
    "mae",
    "llama_4_vision",
    "ntk_of_64_channels",
    "diffusers_longer_side",
    "p_rope",
    "bloom_16_as_added",
    "detr_of_19",
    "t5_of_a_batch",
    "detr_of_a_batch",
    "detr_as_added",
    "llama_3_inv_freq",
    "dino_detr",
    "flux_behind_text",
    "flux",
};

// The files of all models, once.
class PublicModels : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder() = fs::path(::testing::TempDir()) / ("posproof_models_" + std::to_string(::getpid()));
    fs::create_directories(folder());
    made() = std::system(fmt::format("{} {}/src/identify/testing/public_models.py {}", testing::interpreter(),
                                     testing::source, folder().string())
                             .c_str()) == 0;
  }
  static void TearDownTestSuite() { fs::remove_all(folder()); }
  static fs::path& folder() {
    static fs::path it;
    return it;
  }
  static bool& made() {
    static bool it = false;
    return it;
  }

  static std::string file(const std::string& name) {
    const fs::path npy = folder() / (name + ".npy");
    return (fs::exists(npy) ? npy : folder() / (name + ".safetensors")).string();
  }

  static std::string cache_of(const Model& model) {
    return "table:" + file(model.name + "_cos") + "," + file(model.name + "_sin");
  }

  static void expect(const Model& model, const std::string& words) {
    const Identified found = identify(words);
    ASSERT_FALSE(found.hold.empty()) << model.name << "\n" << report::identified(found, words, {});
    EXPECT_EQ(report::convention(found.hold.front().candidate), model.convention) << model.name;
  }
};

using SomePublicModels = PublicModels;

TEST_F(SomePublicModels, near_misses_on_a_grid_are_not_named) {
  ASSERT_TRUE(made());
  const Identified found = identify("table:" + file("near_detr_first"));
  EXPECT_TRUE(found.hold.empty()) << report::identified(found, "near_detr_first", {});
}

TEST_F(SomePublicModels, near_misses_of_frequencies_are_not_named) {
  ASSERT_TRUE(made());
  for (const std::string name : {"near_inv_freq", "bf16_inv_freq"}) {
    const Identified found = identify("table:" + file(name));
    ASSERT_TRUE(found.nearest) << report::identified(found, name, {});
    EXPECT_EQ(report::convention(found.nearest->candidate), "rope --dim 128 --base 500000") << name;
  }
}

TEST_F(SomePublicModels, near_misses_of_caches_on_a_grid_are_not_named) {
  ASSERT_TRUE(made());
  for (const std::string name : {"near_perception_encoder", "wan"}) {
    const Identified found = identify(cache_of({name, ""}));
    EXPECT_TRUE(found.hold.empty()) << report::identified(found, name, {});
  }
  const Identified crop = identify(cache_of({"rows_from_0", ""}));
  ASSERT_FALSE(crop.hold.empty());
  EXPECT_EQ(report::convention(crop.hold.front().candidate),
            "axial_rope --dim 24 --layout interleaved --axis_order reversed --coordinates cropped --grid [8,10] "
            "--crop_start [0,1] --crop_stop [8,11]");
}

TEST_F(PublicModels, are_named) {
  ASSERT_TRUE(made());
  EXPECT_GE(caches.size() + arrays.size(), 60u);
  for (const Model& model : caches) expect(model, cache_of(model));
  for (const Model& model : arrays) expect(model, "table:" + file(model.name));
}

TEST_F(SomePublicModels, are_named) {
  ASSERT_TRUE(made());
  std::size_t asked = 0;
  const auto is_asked = [&](const Model& model) {
    const bool is = std::ranges::find(some, model.name) != some.end();
    asked += is ? 1 : 0;
    return is;
  };
  for (const Model& model : caches)
    if (is_asked(model)) expect(model, cache_of(model));
  for (const Model& model : arrays)
    if (is_asked(model)) expect(model, "table:" + file(model.name));
  EXPECT_EQ(asked, some.size());
}

}  // namespace
}  // namespace posproof::identify_models_test
