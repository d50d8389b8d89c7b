// What configurations of public models say of the places of patches in an image.
#include <gtest/gtest.h>

#include "subject/testing/configs.h"

namespace posproof::config_images_test {
namespace {

using testing::expect;

TEST(ConfigImages, of_rotations_by_place) {
  expect({
      {R"({"model_type": "dinov3_vit", "hidden_size": 768, "num_attention_heads": 12, "image_size": 224,
           "patch_size": 16, "rope_theta": 100.0})",
       "dim=64 base=100 coordinates=cells grid=[14,14]", "axial_rope"},
      {R"({"model_type": "dinov3_vit", "head_dim": 64, "rope_theta": 100.0})",
       "dim=64 base=100 coordinates=cells; no grid: has no image_size and patch_size", "axial_rope"},
      {R"({"model_type": "dinov3_vit", "head_dim": 64, "image_size": 224, "patch_size": 0, "rope_theta": 100.0})",
       "dim=64 base=100 coordinates=cells; no grid: has no image_size and patch_size", "axial_rope"},
      {R"({"model_type": "pixtral", "head_dim": 64, "rope_parameters": {"rope_theta": 10000.0}})",
       "dim=64 base=10000 layout=half_split ladder=strided", "axial_rope"},
      {R"({"model_type": "llama4_vision_model", "hidden_size": 1408, "num_attention_heads": 16, "rope_theta": 10000})",
       "dim=88 base=10000 layout=interleaved axis_order=reversed offset=1", "axial_rope"},
      {R"({"model_type": "llama", "head_dim": 64})",
       "describes no axial_rope: model_type is none of dinov3_vit, pixtral and llama4_vision_model",
       "axial_rope"},
  });
}

TEST(ConfigImages, of_sines_by_place) {
  for (const std::string model : {"detr", "conditional_detr", "table-transformer", "deformable_detr"})
    expect({{R"({"d_model": 256, "position_embedding_type": "sine", "model_type": ")" + model + "\"}",
             "dim=256 layout=interleaved offset=1 normalize=" +
                 std::string(model == "deformable_detr" ? "centred" : "detr") +
                 "; no grid: has no extents of the feature map, [rows,columns]",
             "sincos_2d"}});
  expect({
      {R"({"model_type": "vit_mae", "hidden_size": 768})", "dim=768 axis_order=reversed", "sincos_2d"},
      {R"({"model_type": "detr", "position_embedding_type": "learned"})",
       "describes no sincos_2d: position_embedding_type is not `sine`", "sincos_2d"},
      {R"({"model_type": "vit"})",
       "describes no sincos_2d: model_type is none of vit_mae, detr, conditional_detr, table-transformer and "
       "deformable_detr",
       "sincos_2d"},
  });
}

TEST(ConfigImages, of_trained_rows_the_length_is_that_of_all_patches_and_the_tokens_before_them) {
  const std::pair<std::string, int> all[] = {{"vit", 197},
                                             {"deit", 198},
                                             {"dinov2", 197},
                                             {"vit_msn", 197},
                                             {"ijepa", 196},
                                             {"dinov2_with_registers", 197},
                                             {"clip_vision_model", 197},
                                             {"siglip_vision_model", 196}};
  for (const auto& [model, length] : all)
    expect({{R"({"hidden_size": 768, "image_size": 224, "patch_size": 16, "model_type": ")" + model + "\"}",
             "dim=768 length=" + std::to_string(length), "learned"}});
  expect({
      // What does not fill a patch is left out.
      {R"({"hidden_size": 768, "image_size": [100, 64], "patch_size": 16, "model_type": "vit"})",
       "dim=768 length=25", "learned"},
      {R"({"hidden_size": 768, "image_size": 224, "patch_size": 16, "model_type": "sam_vision_model"})",
       "dim=768", "learned"},
      {R"({"hidden_size": 768, "image_size": 224, "patch_size": 16, "max_position_embeddings": 5,
           "model_type": "vit"})",
       "dim=768 length=5", "learned"},
  });
}

}  // namespace
}  // namespace posproof::config_images_test
