// What a config.json of Hugging Face transformers says of the rotary encodings.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "subject/config_reading.h"
#include "subject/words.h"

namespace posproof {
namespace {

// Models whose own code rotates neighbouring channels; of others that are named here, channels half a head
// apart.
constexpr auto interleaved_in_transformers = std::to_array<std::string_view>(
    {"gptj", "codegen", "cohere", "cohere2", "glm", "glm4", "chatglm", "llama4", "llama4_text", "ernie4_5",
     "ernie4_5_moe", "deepseek_v2", "deepseek_v3", "kimi_k2", "helium", "roformer", "moonshine"});
constexpr auto half_split_in_transformers = std::to_array<std::string_view>(
    {"llama",           "mistral",   "mixtral",   "ministral",   "ministral3",   "qwen",
     "qwen2",           "qwen2_moe", "qwen3",     "qwen3_moe",   "phi",          "phi3",
     "gemma",           "gemma2",    "gemma3",    "gemma3_text", "gemma3n_text", "gemma4_text",
     "gpt_neox",        "gpt_oss",   "falcon",    "stablelm",    "olmo",         "olmo2",
     "starcoder2",      "smollm3",   "granite",   "persimmon",   "exaone4",      "minicpm",
     "minicpm3",        "nemotron",  "internlm2", "baichuan",    "dbrx",         "modernbert",
     "olmo3",           "olmoe",     "esm",       "glm4_moe",    "minimax",      "minimax_m2",
     "qwen3_next",      "seed_oss",  "arcee",     "apertus",     "bitnet",       "phimoe",
     "hunyuan_v1_dense"});
// Of these the answer has all first channels before all second ones.
constexpr auto half_split_answers = std::to_array<std::string_view>({"deepseek_v3", "kimi_k2"});
constexpr auto half_split_with_ids =
    std::to_array<std::string_view>({"qwen2_vl", "qwen2_vl_text", "qwen2_5_vl", "qwen2_5_vl_text", "qwen3_vl",
                                     "qwen3_vl_text", "glm4v_moe", "glm4v_moe_text"});
constexpr auto interleaved_with_ids = std::to_array<std::string_view>({"glm4v", "glm4v_text"});
// Height and width in turn, then time; mrope_section has them in this order.
constexpr auto alternating_with_ids = std::to_array<std::string_view>(
    {"ernie4_5_vl_moe", "ernie4_5_vl_moe_text", "ernie4_5_vl", "ernie4_5_vl_text"});

// Models that rotate nothing.
constexpr auto without_rope_in_transformers =
    std::to_array<std::string_view>({"bloom", "gpt2", "gpt_bigcode", "gpt_neo", "opt", "bart", "mbart",
                                     "whisper", "t5", "mt5", "umt5", "xglm"});

constexpr std::string_view rope_types = "default, linear, dynamic, yarn, longrope, llama3 or proportional";
constexpr auto types_with_a_factor =
    std::to_array<std::string_view>({"linear", "dynamic_ntk", "ntk", "yarn", "llama3"});
constexpr std::string_view full = "rope_parameters.full_attention",
                           sliding = "rope_parameters.sliding_attention";

std::string in(std::string_view object, std::string_view name) {
  return fmt::format("{}.{}", object, name);
}

class RotaryOfTransformers {
 public:
  using Found = std::optional<Reading::Found>;

  explicit RotaryOfTransformers(const ConfigSettings& settings) : to_(settings) {
    if (const std::string* model = to_.word({"model_type"})) model_ = *model;
  }

  Configured rope() {
    expect_objects();
    refuse_models_without_rope();
    if (has_ids()) refuse_other("rope", "its positions have three ids (m_rope)");
    const double dim = set_width();
    set_rotary_dim(dim);
    set_base();
    set_base_of_layers();
    set_layout_of_rope();
    set_scaling(dim);
    to_.note_where_unsaid("base", "no base is said: 10000 is taken");
    return to_.done();
  }

  Configured m_rope() {
    expect_objects();
    if (!has_ids()) refuse_other("m_rope", "it has no mrope_section");
    set_rotary_dim(set_width());
    set_base();
    if (is_among(model_, alternating_with_ids)) {
      to_.set("layout", std::string("interleaved"), "model " + model_);
      set_alternating_sections();
    } else {
      set_layout(to_, model(), interleaved_with_ids, half_split_with_ids);
      set_list("sections", "mrope_section");
    }
    if (to_.is("rope_scaling.mrope_interleaved", "true") ||
        to_.is("rope_parameters.mrope_interleaved", "true"))
      to_.set("assignment", std::string("interleaved"), "mrope_interleaved true");
    if (const auto kind = type(); kind && *kind != "default" && *kind != "mrope")
      refuse_other("m_rope", fmt::format("its rope type is `{}`", printable(*kind, 40)));
    to_.note_where_unsaid("base", "no base is said: 10000 is taken");
    return to_.done();
  }

 private:
  const std::string* model() const { return model_.empty() ? nullptr : &model_; }

  void expect_objects() {
    for (const std::string_view object : {"rope_scaling", "rope_parameters"})
      to_.expect_object(object,
                        fmt::format("null, or an object with rope_type ({}) and its settings", rope_types));
  }

  void refuse_models_without_rope() {
    if (to_.is("alibi", "true")) refuse_other("rope", "`alibi` is true");
    if (to_.is("attn_config.alibi", "true")) refuse_other("rope", "`attn_config.alibi` is true");
    if (to_.is("attn_config.rope", "false")) refuse_other("rope", "`attn_config.rope` is false");
    if (to_.has("relative_attention_num_buckets"))
      refuse_other("rope", "it has relative_attention_num_buckets");
    if (const std::string* type = to_.word({"position_embedding_type"});
        type != nullptr && type->find("rotary") == std::string::npos &&
        type->find("rope") == std::string::npos)
      refuse_other("rope", fmt::format("position_embedding_type is `{}`", printable(*type, 100)));
    if (is_baichuan_13b(to_, model_)) refuse_other("rope", "model baichuan of hidden_size 5120 has ALiBi");
    if (is_among(model_, without_rope_in_transformers))
      refuse_other("rope", fmt::format("model {} has none", model_));
    if (const Found scale = to_.number({"rotary_emb_scale_base"}))
      refuse_other("rope", scale->text() + " makes it xPos");
  }

  void set_layout_of_rope() {
    if (const std::string* interleaved = to_.word({"rope_interleave"})) {
      const bool yes = *interleaved == "true";
      to_.set("layout", std::string(yes ? "interleaved" : "half_split"), "rope_interleave " + *interleaved);
      if (yes) set_half_split_answer("rope_interleave true");
      return;
    }
    if (const std::string* interleaved = to_.word({"rotary_emb_interleaved"}))
      return to_.set("layout", std::string(*interleaved == "true" ? "interleaved" : "half_split"),
                     "rotary_emb_interleaved " + *interleaved);
    set_layout(to_, model(), interleaved_in_transformers, half_split_in_transformers);
    if (is_among(model_, half_split_answers)) set_half_split_answer("model " + model_);
  }

  // Transformers' apply_rotary_pos_emb_interleave puts the channels in another order, which no score sees.
  void set_half_split_answer(const std::string& because) {
    to_.set("output_layout", std::string("half_split"), because + ", as transformers answers");
  }

  // That of a head, or 0 where the file does not say it.
  double set_width() {
    const Found found =
        width_of_head(to_, {"qk_rope_head_dim", "head_dim", "kv_channels"},
                      {"hidden_size", "n_embd", "d_model"}, {"num_attention_heads", "n_head", "n_heads"});
    if (!found) return 0;
    const auto& [by, dim] = *found;
    if (const Found global = to_.number({"global_head_dim"}); global && global->value != dim)
      to_.two_readings("dim", fmt::format("{} ({}, in global layers) or {} ({}, in local ones)",
                                          number_text(global->value), global->name, number_text(dim), by));
    else
      to_.set("dim", dim, by);
    return dim;
  }

  // In channels. A share of them stands under many names; where they differ, none is taken.
  void set_rotary_dim(double dim) {
    if (model_ == "chatglm" && to_.has("kv_channels"))
      return to_.set("rotary_dim", std::trunc(dim / 2), "model chatglm, which rotates half of a head");
    struct Said {
      double channels;
      std::string by;
    };
    std::vector<Said> all;
    const auto add = [&](double channels, std::string by) {
      if (std::ranges::none_of(all, [&](const Said& one) { return one.channels == channels; }))
        all.push_back({channels, std::move(by)});
    };
    if (const Found channels = to_.number({"rotary_dim"})) add(channels->value, channels->text());
    for (const std::string& name :
         {std::string("rope_parameters.partial_rotary_factor"), std::string("partial_rotary_factor"),
          std::string("rotary_pct"), std::string("rope_pct"), std::string("rotary_emb_fraction"),
          in(full, "partial_rotary_factor"), in(sliding, "partial_rotary_factor")}) {
      if (dim <= 0 || is_share_of_frequencies(name)) continue;
      if (const Found share = to_.number({name})) add(std::trunc(dim * share->value), share->text());
    }
    // Layers of one kind may have a share, and those of the other none.
    if (to_.has_object(full) && to_.has_object(sliding) &&
        to_.has(in(full, "partial_rotary_factor")) != to_.has(in(sliding, "partial_rotary_factor")) &&
        !to_.has("partial_rotary_factor") && !all.empty())
      add(dim, "layers of the other kind");
    if (all.size() == 1 && all.front().channels != dim)
      to_.set("rotary_dim", all.front().channels, all.front().by);
    if (all.size() < 2) return;
    std::vector<std::string> readings;
    for (const Said& one : all) readings.push_back(fmt::format("{} ({})", number_text(one.channels), one.by));
    to_.two_readings("rotary_dim", fmt::format("{}", fmt::join(readings, " or ")));
  }

  // Of type proportional all channels rotate, some of them at frequency 0.
  bool is_share_of_frequencies(std::string_view name) {
    if (name.starts_with(full)) return to_.is(in(full, "rope_type"), "proportional");
    if (name.starts_with(sliding)) return to_.is(in(sliding, "rope_type"), "proportional");
    return (name == "partial_rotary_factor" || name.starts_with("rope_parameters.")) &&
           (to_.is("rope_parameters.rope_type", "proportional") ||
            to_.is("rope_scaling.rope_type", "proportional") ||
            to_.is(in(full, "rope_type"), "proportional"));
  }

  // Of time, height and width.
  bool has_ids() {
    return to_.is("rope_scaling.type", "mrope") || to_.has("rope_scaling.mrope_section") ||
           to_.has("rope_parameters.mrope_section");
  }

  void set_base() {
    to_.agree("base", {to_.number({"rope_parameters.rope_theta"}), to_.number({"rope_scaling.rope_theta"}),
                       to_.number({"rope_theta"}), to_.number({"rotary_emb_base"}),
                       to_.number({"attn_config.rope_theta"})});
  }

  // Models with global and local layers have a base for each.
  void set_base_of_layers() {
    const Found local = to_.number({"rope_local_base_freq"}), local_theta = to_.number({"local_rope_theta"}),
                global_theta = to_.number({"global_rope_theta"});
    if (local)
      to_.two_readings(
          "base", fmt::format("rope_theta, in global layers, or {} (rope_local_base_freq, in local ones)",
                              number_text(local->value)));
    else if (global_theta && local_theta)
      to_.two_readings("base",
                       fmt::format("{} ({}) or {} ({})", number_text(global_theta->value), global_theta->name,
                                   number_text(local_theta->value), local_theta->name));
    else if (model_ == "gemma3_text" && !has_layers() && !to_.has("rope_parameters.rope_theta"))
      to_.two_readings(
          "base",
          "1000000 (gemma3_text's, in global layers, unless rope_theta says another) or 10000 (in local ones)");
    if (const Found ratio = to_.number({"rope_ratio"}); ratio && ratio->value != 1)
      to_.two_readings(
          "base", fmt::format("{} (10000 {}, as in ChatGLM3 and GLM-4) or 10000 (ChatGLM2, which divides "
                              "positions by it: linear)",
                              number_text(10000 * ratio->value), ratio->name));
    if (!has_layers()) return need_a_base();
    to_.agree("base", {to_.number({in(full, "rope_theta")}), to_.number({in(sliding, "rope_theta")})});
    for (const auto& [missing, other] : {std::pair{full, sliding}, std::pair{sliding, full}})
      if (!to_.has_object(missing))
        to_.note("", fmt::format("{} alone is read: the file has no {}", other, missing));
  }

  // Objects of layers with other names.
  void need_a_base() {
    if (to_.is_accounted("base")) return;
    if (const std::string other = to_.below("rope_parameters", "rope_theta"); !other.empty())
      to_.missing("base", fmt::format("has {} and no rope_parameters.rope_theta", printable(other, 100)));
  }

  bool has_layers() const { return to_.has_object(full) || to_.has_object(sliding); }

  // Of the two objects that there are, the older one in two spellings; and of those of global and local
  // layers. Where they differ, the parameter has to be named.
  Found scaled(std::string_view name, std::string_view parameter) {
    std::vector<Found> all;
    for (const std::string_view object :
         {std::string_view("rope_parameters"), std::string_view("rope_scaling"), full, sliding})
      if (const Found one = to_.number({in(object, name)})) all.push_back(one);
    for (const Found& one : all)
      if (one->value != all.front()->value)
        to_.two_readings(parameter, fmt::format("{} ({}) or {} ({})", number_text(all.front()->value),
                                                all.front()->name, number_text(one->value), one->name));
    return all.empty() ? std::nullopt : all.front();
  }
  Found scaled(std::string_view name) { return scaled(name, name); }

  std::optional<std::string> type() {
    std::optional<std::string> out;
    std::string by;
    for (const std::string_view name : {"rope_parameters.rope_type", "rope_parameters.type",
                                        "rope_scaling.rope_type", "rope_scaling.type"}) {
      const std::string* value = to_.word({name});
      if (value == nullptr) continue;
      if (out && today(*out) != today(*value)) {
        to_.two_readings("scaling", fmt::format("{} ({}) or {} ({})", printable(*out, 40), by,
                                                printable(*value, 40), name));
        return std::nullopt;
      }
      out = *value, by = name;
    }
    if (!out) need_a_type("rope_parameters"), need_a_type("rope_scaling");
    return out;
  }

  // Older names of types.
  static std::string today(const std::string& type) {
    return type == "su" ? "longrope" : type == "mrope" ? "default" : type;
  }

  // A factor does nothing by itself.
  void need_a_type(std::string_view object) {
    if (const Found factor = to_.number({in(object, "factor")}))
      to_.missing("scaling",
                  fmt::format("has {} and no {}.rope_type ({})", factor->text(), object, rope_types));
  }

  std::string type_of(std::string_view object) {
    const std::string* word = to_.word({in(object, "rope_type"), in(object, "type")});
    if (word != nullptr) return *word;
    need_a_type(object);
    return "default";
  }

  // Of layers of two types, where one is scaled: local ones are not, in the older form.
  std::optional<std::string> type_of_layers(double dim) {
    if (!to_.has_object(sliding)) return type_of(full);
    if (!to_.has_object(full)) return type_of(sliding);
    const std::string one = type_of(full), other = type_of(sliding);
    if (one == other) return one;
    const bool of_full = one == "proportional" && other == "default",
               of_sliding = one == "default" && other == "proportional";
    if (of_full || of_sliding) {
      to_.two_readings("kept_pairs", fmt::format("{} ({}, proportional) or 0 ({})",
                                                 number_text(kept_pairs(dim)), of_full ? full : sliding,
                                                 of_full ? ".sliding_attention" : ".full_attention"));
      set_factor_of_proportional();
      return std::nullopt;
    }
    to_.two_readings("scaling", fmt::format("{} ({}) or {} (.sliding_attention)", printable(one, 40), full,
                                            printable(other, 40)));
    return one == "default" ? other : one;
  }

  // transformers, _compute_proportional_rope_parameters: the first pairs have the frequencies of the whole
  // head, the others 0.
  double kept_pairs(double dim) {
    const Found share = to_.number({"rope_parameters.partial_rotary_factor",
                                    in(full, "partial_rotary_factor"), in(sliding, "partial_rotary_factor"),
                                    "rope_scaling.partial_rotary_factor", "partial_rotary_factor"});
    const Found global = to_.number({"global_head_dim"});
    return std::floor((share ? share->value : 1) * (global ? global->value : dim) / 2);
  }

  void set_factor_of_proportional() {
    const Found factor = scaled("factor");
    if (!factor || factor->value == 1) return;
    to_.set("scaling", std::string("linear"), "rope type proportional, which divides by its factor");
    to_.set("factor", factor);
  }

  void set_proportional(double dim) {
    if (dim <= 0) return to_.missing("kept_pairs", "has rope type proportional and says no width of a head");
    const double kept = kept_pairs(dim);
    if (kept == 0) refuse_other("rope", "of type proportional no pair rotates");
    to_.set("kept_pairs", kept, "rope type proportional, partial_rotary_factor * head_dim / 2");
    set_factor_of_proportional();
  }

  void set_scaling(double dim) {
    if (const Found factor = to_.number({"rotary_scaling_factor"}))
      to_.two_readings("scaling", fmt::format("dynamic_ntk with factor {} ({}) or none",
                                              number_text(factor->value), factor->name));
    const std::size_t open = to_.open();
    const auto kind = has_layers() ? type_of_layers(dim) : type();
    if (kind == "proportional") return set_proportional(dim);
    if (kind == "default" || (!kind && to_.open() == open)) return;
    if (kind && (to_.has("rope_local_base_freq") ||
                 ((model_ == "gemma3_text" || model_ == "olmo3") && !has_layers())))
      to_.two_readings("scaling",
                       fmt::format("{} (in global layers) or none (in local ones)", printable(*kind, 40)));
    const std::string word = !kind ? "" : *kind == "dynamic" ? "dynamic_ntk" : today(*kind);
    if (kind) to_.set("scaling", word, "rope type " + *kind);
    set_factor(word);
    if (word == "linear") return;
    for (const std::string_view name :
         {"low_freq_factor", "high_freq_factor", "beta_fast", "beta_slow", "attention_factor"}) {
      const Found one = scaled(name);
      to_.set(name, one);
      if (!one && word == "llama3" && name.ends_with("freq_factor"))
        to_.missing(name, fmt::format("has rope type llama3 and no {}", name));
    }
    if (to_.is("rope_scaling.truncate", "false") || to_.is("rope_parameters.truncate", "false") ||
        to_.is(in(full, "truncate"), "false"))
      to_.set("truncate", std::string("false"), "truncate false");
    set_mscale();
    if (word == "longrope") set_factors_of_pairs();
  }

  // And the length that it was trained on.
  void set_factor(const std::string& word) {
    const Found inner = scaled("original_max_position_embeddings", "original_length"),
                original =
                    inner || word == "linear" ? inner : to_.number({"original_max_position_embeddings"}),
                longest = to_.number({"max_position_embeddings"}), factor = scaled("factor");
    const bool by_lengths = word == "yarn" || word == "longrope";
    if (original && longest && factor && by_lengths && longest->value != factor->value * original->value)
      to_.two_readings("factor", fmt::format("{} ({}) or {} ({} / {})", number_text(factor->value),
                                             factor->name, number_text(longest->value / original->value),
                                             longest->name, original->name));
    else if (factor)
      to_.set("factor", factor);
    else if (original && longest && word != "linear")
      to_.set("factor", longest->value / original->value, longest->name + " / " + original->name);
    else if (is_among(word, types_with_a_factor))
      to_.missing("factor", fmt::format("has rope type {} and no factor", printable(word, 40)));
    if (word == "linear") return;
    if (word == "dynamic_ntk") set_alpha();
    if (word == "llama3" && !original)
      return to_.missing("original_length", "has rope type llama3 and no original_max_position_embeddings");
    to_.set("original_length", original ? original : longest);
  }

  void set_alpha() {
    if (const Found alpha = scaled("alpha"); alpha && alpha->value != 0)
      to_.two_readings("scaling", fmt::format("ntk with factor {} ({}, as in HunYuan) or dynamic_ntk",
                                              number_text(alpha->value), alpha->name));
  }

  const std::vector<double>* list(std::string_view name, std::string* whole) {
    for (const std::string_view object :
         {std::string_view("rope_parameters"), std::string_view("rope_scaling"), full, sliding}) {
      *whole = in(object, name);
      if (const auto* values = to_.list(*whole)) return values;
    }
    return nullptr;
  }

  void set_list(std::string_view parameter, std::string_view name) {
    std::string whole;
    if (const auto* values = list(name, &whole)) to_.set(parameter, *values, whole);
  }

  void set_alternating_sections() {
    std::string whole;
    const auto* values = list("mrope_section", &whole);
    if (values == nullptr || values->size() != 3)
      throw std::invalid_argument(
          fmt::format("has {} numbers in mrope_section; expected: 3, of height, width and time",
                      values == nullptr ? 0 : values->size()));
    const std::vector<double>& hwt = *values;
    to_.set("sections", std::vector<double>{hwt[2], hwt[0], hwt[1]},
            whole + ", which has height, width and time");
    to_.set("assignment", std::string("alternating"), "model " + model_);
  }

  // One a pair, in both lists.
  void set_factors_of_pairs() {
    const Value *rotating = to_.parameters().find("rotary_dim"), *dim = to_.parameters().find("dim");
    const Value* width = rotating != nullptr ? rotating : dim;
    for (const std::string_view name : {"long_factor", "short_factor"}) {
      std::string whole;
      const auto* values = list(name, &whole);
      if (values == nullptr) continue;
      if (width != nullptr && 2 * static_cast<double>(values->size()) != std::get<double>(*width))
        throw std::invalid_argument(
            fmt::format("has {} numbers in {}; expected: one for each of the {} pairs that rotate",
                        values->size(), whole, number_text(std::get<double>(*width) / 2)));
      to_.set(name == "long_factor" ? "factors" : "short_factors", *values, whole);
    }
    const Found long_one = scaled("long_mscale"), short_one = scaled("short_mscale");
    if (long_one && short_one && long_one->value == short_one->value)
      to_.set("attention_factor", long_one);
    else if (long_one || short_one)
      to_.two_readings("attention_factor", fmt::format("{} (up to original_length) or {} (beyond it)",
                                                       short_one ? short_one->text() : "none",
                                                       long_one ? long_one->text() : "none"));
  }

  void set_mscale() {
    const Found one = scaled("mscale"), all = scaled("mscale_all_dim");
    if (one && !all && one->value != 1)
      return to_.two_readings("mscale",
                              fmt::format("{} ({}) or 1 (transformers, which asks for mscale_all_dim, too)",
                                          number_text(one->value), one->name));
    to_.set("mscale", one);
    to_.set("mscale_all_dim", all);
  }

  Reading to_;
  std::string model_;  // empty: not said
};

}  // namespace

Configured rope_by_transformers(const ConfigSettings& settings) {
  return RotaryOfTransformers(settings).rope();
}

Configured m_rope_by_transformers(const ConfigSettings& settings) {
  return RotaryOfTransformers(settings).m_rope();
}

}  // namespace posproof
