// What configurations of public models say of trained vectors and tables of offsets.
#include <gtest/gtest.h>

#include "subject/testing/configs.h"

namespace posproof::config_relative_test {
namespace {

using testing::expect;
using testing::said;

std::string with(std::string settings) {
  return "{\"hidden_size\": 768, \"num_attention_heads\": 12, " + std::move(settings) + "}";
}

TEST(ConfigRelative, of_deberta) {
  const std::string deberta = R"("model_type": "deberta", "relative_attention": true, )",
                    v2 = R"("model_type": "deberta-v2", "relative_attention": true, )";
  expect({
      {with(deberta +
            R"("max_relative_positions": -1, "max_position_embeddings": 512, "pos_att_type": "c2p|p2c")"),
       "dim=64 span=512 terms=both", "deberta"},
      {with(deberta +
            R"("max_relative_positions": 128, "max_position_embeddings": 512, "pos_att_type": ["c2p"])"),
       "dim=64 span=128 terms=c2p", "deberta"},
      {with(v2 + R"("max_relative_positions": -1, "max_position_embeddings": 512, "position_buckets": 256,
                    "pos_att_type": ["p2c", "c2p"])"),
       "dim=64 span=256 offsets=log_buckets max_position=512 terms=both", "deberta"},
      {with(v2 + R"("max_relative_positions": 0, "max_position_embeddings": 512, "position_buckets": -1,
                    "pos_att_type": "p2c")"),
       "dim=64 span=512 terms=p2c", "deberta"},
      // Buckets are of the second version alone.
      {with(deberta + R"("max_position_embeddings": 512, "position_buckets": 256, "pos_att_type": "p2c")"),
       "dim=64 span=512 terms=p2c", "deberta"},
      {with(deberta + R"("max_position_embeddings": 512)"),
       "dim=64 span=512; no terms: has neither c2p nor p2c in pos_att_type", "deberta"},
      {with(deberta + R"("pos_att_type": ["c2p", 1])"),
       "has `[\"c2p\",1]` as pos_att_type, a list; expected: a list of words", "deberta"},
      {with(R"("model_type": "deberta", "relative_attention": false)"),
       "describes no deberta: relative_attention is not true", "deberta"},
      {with(R"("model_type": "bert", "relative_attention": true)"),
       "describes no deberta: model_type is neither deberta nor deberta-v2", "deberta"},
  });
}

TEST(ConfigRelative, of_vectors_of_shaw) {
  expect({
      {with(R"("model_type": "wav2vec2-bert", "position_embeddings_type": "relative_key",
               "left_max_position_embeddings": 64, "right_max_position_embeddings": 8)"),
       "clip=64 clip_right=8 dim=64", "shaw"},
      {with(R"("model_type": "wav2vec2-bert", "position_embeddings_type": "rotary")"),
       "describes no shaw: position_embeddings_type is not `relative_key`", "shaw"},
      {R"({"model_type": "speecht5", "hidden_size": 768, "encoder_attention_heads": 12,
           "encoder_max_relative_position": 160})",
       "clip=160 relative=query_minus_key last_offset=clip_minus_one dim=64", "shaw"},
      {R"({"model_type": "vits", "hidden_size": 192, "num_attention_heads": 2, "window_size": 4})",
       "clip=4 beyond=zero dim=96", "shaw"},
      {with(R"("model_type": "bert")"),
       "describes no shaw: model_type is none of wav2vec2-bert, speecht5 and vits", "shaw"},
  });
}

TEST(ConfigRelative, of_windows) {
  for (const char* model : {"swin", "donut-swin", "maskformer-swin"})
    EXPECT_EQ(
        said("{\"model_type\": \"" + std::string(model) + R"(", "window_size": 7, "num_heads": [4, 4]})",
             "relative_table"),
        "height=7 width=7 heads=4")
        << model;
  for (const char* model : {"beit", "data2vec-vision"})
    EXPECT_EQ(said("{\"model_type\": \"" + std::string(model) +
                       R"(", "num_attention_heads": 12, "image_size": 224, "patch_size": 16,
                          "use_shared_relative_position_bias": true})",
                   "relative_table"),
              "heads=12 height=14 width=14 class_token=three_rows")
        << model;
  expect({
      {R"({"model_type": "swin", "window_size": 7, "num_heads": [3, 6, 12, 24]})",
       "height=7 width=7; heads: 3 or 6 or 12 or 24 (num_heads, by stage)", "relative_table"},
      {R"({"model_type": "beit", "num_attention_heads": 12, "image_size": [224, 384], "patch_size": [16, 16],
           "use_relative_position_bias": true})",
       "heads=12 height=14 width=24 class_token=three_rows", "relative_table"},
      {R"({"model_type": "beit", "num_attention_heads": 12})",
       "describes no relative_table: neither use_relative_position_bias nor use_shared_relative_position_bias is true",
       "relative_table"},
      {R"({"model_type": "swinv2", "window_size": 7})",
       "describes no relative_table: model_type is none of swin, donut-swin, maskformer-swin and beit, data2vec-vision",
       "relative_table"},
  });
}

TEST(ConfigRelative, of_windows_by_a_perceptron) {
  for (const char* model : {"swinv2", "swin2sr"})
    EXPECT_EQ(said("{\"model_type\": \"" + std::string(model) +
                       R"(", "window_size": 8, "num_heads": [3, 3], "pretrained_window_sizes": [0, 0]})",
                   "log_cpb"),
              "height=8 width=8 heads=3")
        << model;
  expect({
      {R"({"model_type": "swinv2", "window_size": 16, "num_heads": [3], "pretrained_window_sizes": [12, 12]})",
       "height=16 width=16 heads=3 pretrained=[12,12]", "log_cpb"},
      {R"({"model_type": "swinv2", "window_size": 16, "num_heads": [3], "pretrained_window_sizes": [12, 6]})",
       "height=16 width=16 heads=3; pretrained: [n,n], of n 6 or 12 (pretrained_window_sizes, by stage; [] for 0)",
       "log_cpb"},
      {R"({"model_type": "swin", "window_size": 7})",
       "describes no log_cpb: model_type is none of swinv2, swin2sr", "log_cpb"},
  });
}

}  // namespace
}  // namespace posproof::config_relative_test
