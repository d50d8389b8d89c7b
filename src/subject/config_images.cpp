// What a config.json of Hugging Face transformers says of the places of patches in an image.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>

#include "subject/config_reading.h"
#include "subject/words.h"

namespace posproof {
namespace {

// Tables of trained rows, and how many tokens stand before the patches in them.
constexpr std::pair<std::string_view, int> tokens_before_patches[] = {{"vit", 1},
                                                                      {"deit", 2},
                                                                      {"dinov2", 1},
                                                                      {"dinov2_with_registers", 1},
                                                                      {"vit_msn", 1},
                                                                      {"ijepa", 0},
                                                                      {"clip_vision_model", 1},
                                                                      {"siglip_vision_model", 0}};

constexpr auto detr = std::to_array<std::string_view>({"detr", "conditional_detr", "table-transformer"});

// A number, of a square, or rows and columns.
std::optional<std::pair<double, double>> extents(Reading& to, std::string_view name) {
  if (const std::vector<double>* both = to.list_or_number(name)) {
    if (both->size() == 1) return std::pair(both->front(), both->front());
    if (both->size() == 2) return std::pair((*both)[0], (*both)[1]);
  }
  return std::nullopt;
}

Configured axial_rope(Reading& to, std::string_view model) {
  const std::string by = fmt::format("model {}", model);
  set_width_of_head(to);
  to.set("base", to.number({"rope_theta", "rope_parameters.rope_theta"}));
  if (model == "dinov3_vit") {
    to.set("coordinates", std::string("cells"), by);
    if (const auto grid = grid_of_patches(to))
      to.set("grid", std::vector<double>{grid->rows, grid->columns}, grid->because);
    else
      to.missing("grid", "has no image_size and patch_size");
    to.note_where_unsaid("base", "no base is said: 10000 is taken");
  } else if (model == "pixtral") {
    to.set("layout", std::string("half_split"), by);
    to.set("ladder", std::string("strided"), by);
  } else if (model == "llama4_vision_model") {
    to.set("layout", std::string("interleaved"), by);
    to.set("axis_order", std::string("reversed"), by);
    to.set("offset", 1.0, by);
  } else {
    refuse_other("axial_rope", "model_type is none of dinov3_vit, pixtral and llama4_vision_model");
  }
  return to.done();
}

Configured sincos_2d(Reading& to, std::string_view model) {
  const std::string by = fmt::format("model {}", model);
  if (model == "vit_mae") {
    to.set("dim", to.number({"hidden_size"}));
    to.set("axis_order", std::string("reversed"), by);
    return to.done();
  }
  if (!is_among(model, detr) && model != "deformable_detr")
    refuse_other("sincos_2d",
                 fmt::format("model_type is none of vit_mae, {} and deformable_detr", fmt::join(detr, ", ")));
  if (!to.is("position_embedding_type", "sine"))
    refuse_other("sincos_2d", "position_embedding_type is not `sine`");
  to.set("dim", to.number({"d_model"}));
  to.set("layout", std::string("interleaved"), by);
  to.set("offset", 1.0, by);
  to.set("normalize", std::string(model == "deformable_detr" ? "centred" : "detr"), by);
  to.missing("grid", "has no extents of the feature map, [rows,columns]");
  return to.done();
}

}  // namespace

std::optional<GridOfPatches> grid_of_patches(Reading& to) {
  const auto image = extents(to, "image_size"), patch = extents(to, "patch_size");
  if (!image || !patch || !(patch->first > 0) || !(patch->second > 0)) return std::nullopt;
  return GridOfPatches{std::floor(image->first / patch->first), std::floor(image->second / patch->second),
                       "image_size / patch_size"};
}

void set_length_by_patches(Reading& to, std::string_view model) {
  for (const auto& [name, before] : tokens_before_patches)
    if (name == model)
      if (const auto grid = grid_of_patches(to))
        return to.set("length", before + grid->rows * grid->columns,
                      fmt::format("{} and {} tokens before them, model {}", grid->because, before, model));
}

std::optional<Configured> images_by_transformers(const ConfigSettings& settings, std::string_view encoding) {
  if (encoding != "axial_rope" && encoding != "sincos_2d") return std::nullopt;
  Reading to(settings);
  const std::string* said = to.word({"model_type"});
  const std::string_view model = said == nullptr ? std::string_view() : std::string_view(*said);
  return encoding == "axial_rope" ? axial_rope(to, model) : sincos_2d(to, model);
}

}  // namespace posproof
