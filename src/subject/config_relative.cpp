// What a config.json of Hugging Face transformers says of trained vectors and tables of offsets.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

#include "subject/config_reading.h"
#include "subject/words.h"

namespace posproof {
namespace {

constexpr auto windows = std::to_array<std::string_view>({"swin", "donut-swin", "maskformer-swin"});
constexpr auto windows_by_perceptron = std::to_array<std::string_view>({"swinv2", "swin2sr"});
constexpr auto images_as_one_window = std::to_array<std::string_view>({"beit", "data2vec-vision"});

// Numbers that are alike in each stage, or else several readings.
void set_of_stages(Reading& to, std::string_view parameter, std::string_view name) {
  const std::vector<double>* all = to.list(name);
  if (all == nullptr || all->empty()) return;
  const std::set<double> different(all->begin(), all->end());
  if (different.size() == 1) return to.set(parameter, all->front(), fmt::format("{}, of every stage", name));
  std::vector<std::string> readings;
  for (const double one : different) readings.push_back(number_text(one));
  to.two_readings(parameter, fmt::format("{} ({}, by stage)", fmt::join(readings, " or "), name));
}

void set_window(Reading& to, double rows, double columns, const std::string& because) {
  to.set("height", rows, because);
  to.set("width", columns, because);
}

// `window_size`, of a square.
void set_square_window(Reading& to) {
  if (const auto size = to.number({"window_size"})) set_window(to, size->value, size->value, size->text());
}

Configured deberta(Reading& to, std::string_view model) {
  if (model != "deberta" && model != "deberta-v2")
    refuse_other("deberta", "model_type is neither deberta nor deberta-v2");
  if (!to.is("relative_attention", "true")) refuse_other("deberta", "relative_attention is not true");
  set_width_of_head(to);
  auto most = to.number({"max_relative_positions"});
  if (const auto length = to.number({"max_position_embeddings"}); !most || most->value < 1) most = length;
  const auto buckets = to.number({"position_buckets"});
  if (model == "deberta-v2" && buckets && buckets->value > 0) {
    to.set("span", buckets);
    to.set("offsets", std::string("log_buckets"), buckets->text());
    to.set("max_position", most);
  } else {
    to.set("span", most);
  }
  const std::vector<std::string> terms = to.words("pos_att_type");
  const auto has = [&](std::string_view term) { return std::ranges::find(terms, term) != terms.end(); };
  const bool c2p = has("c2p"), p2c = has("p2c");
  if (c2p || p2c)
    to.set("terms",
           std::string(c2p && p2c ? "both"
                       : c2p      ? "c2p"
                                  : "p2c"),
           fmt::format("pos_att_type {}", fmt::join(terms, ", ")));
  else
    to.missing("terms", "has neither c2p nor p2c in pos_att_type");
  return to.done();
}

Configured shaw(Reading& to, std::string_view model) {
  if (model == "wav2vec2-bert") {
    if (!to.is("position_embeddings_type", "relative_key"))
      refuse_other("shaw", "position_embeddings_type is not `relative_key`");
    to.set("clip", to.number({"left_max_position_embeddings"}));
    to.set("clip_right", to.number({"right_max_position_embeddings"}));
  } else if (model == "speecht5") {
    to.set("clip", to.number({"encoder_max_relative_position"}));
    to.set("relative", std::string("query_minus_key"), "model speecht5");
    to.set("last_offset", std::string("clip_minus_one"), "model speecht5");
  } else if (model == "vits") {
    to.set("clip", to.number({"window_size"}));
    to.set("beyond", std::string("zero"), "model vits");
  } else {
    refuse_other("shaw", "model_type is none of wav2vec2-bert, speecht5 and vits");
  }
  set_width_of_head(to);
  return to.done();
}

Configured relative_table(Reading& to, std::string_view model) {
  if (is_among(model, windows)) {
    set_square_window(to);
    set_of_stages(to, "heads", "num_heads");
    return to.done();
  }
  if (!is_among(model, images_as_one_window))
    refuse_other("relative_table", fmt::format("model_type is none of {} and {}", fmt::join(windows, ", "),
                                               fmt::join(images_as_one_window, ", ")));
  if (!to.is("use_relative_position_bias", "true") && !to.is("use_shared_relative_position_bias", "true"))
    refuse_other("relative_table",
                 "neither use_relative_position_bias nor use_shared_relative_position_bias is true");
  to.set("heads", to.number({"num_attention_heads"}));
  if (const auto grid = grid_of_patches(to)) set_window(to, grid->rows, grid->columns, grid->because);
  to.set("class_token", std::string("three_rows"), fmt::format("model {}", model));
  return to.done();
}

Configured log_cpb(Reading& to, std::string_view model) {
  if (!is_among(model, windows_by_perceptron))
    refuse_other("log_cpb", fmt::format("model_type is none of {}", fmt::join(windows_by_perceptron, ", ")));
  set_square_window(to);
  set_of_stages(to, "heads", "num_heads");
  if (const std::vector<double>* trained = to.list("pretrained_window_sizes");
      trained != nullptr && std::ranges::any_of(*trained, [](double one) { return one > 0; })) {
    const std::set<double> different(trained->begin(), trained->end());
    if (different.size() == 1)
      to.set("pretrained", std::vector<double>(2, trained->front()), "pretrained_window_sizes");
    else
      to.two_readings("pretrained",
                      fmt::format("[n,n], of n {} (pretrained_window_sizes, by stage; [] for 0)",
                                  fmt::join(different, " or ")));
  }
  return to.done();
}

}  // namespace

std::optional<Configured> relative_by_transformers(const ConfigSettings& settings,
                                                   std::string_view encoding) {
  constexpr std::pair<std::string_view, Configured (*)(Reading&, std::string_view)> all[] = {
      {"deberta", deberta}, {"shaw", shaw}, {"relative_table", relative_table}, {"log_cpb", log_cpb}};
  for (const auto& [name, read] : all) {
    if (name != encoding) continue;
    Reading to(settings);
    const std::string* model = to.word({"model_type"});
    return read(to, model == nullptr ? "" : std::string_view(*model));
  }
  return std::nullopt;
}

}  // namespace posproof
