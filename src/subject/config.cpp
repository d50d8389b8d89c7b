#include "subject/config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <stdexcept>

#include "subject/words.h"

namespace posproof {
namespace {

using Names = std::initializer_list<std::string_view>;

bool is_among(std::string_view word, std::span<const std::string_view> all) {
  return std::ranges::find(all, word) != all.end();
}

// Models whose own code rotates neighbouring channels; of others that are named here, channels half a head
// apart.
constexpr std::array<std::string_view, 16> interleaved_in_transformers = {
    "gptj",        "codegen", "cohere",      "cohere2",  "glm",          "glm4",
    "chatglm",     "llama4",  "llama4_text", "ernie4_5", "ernie4_5_moe", "deepseek_v2",
    "deepseek_v3", "helium",  "roformer",    "moonshine"};
constexpr std::array<std::string_view, 27> half_split_in_transformers = {
    "llama",   "mistral",   "mixtral",  "qwen2",   "qwen2_moe", "qwen3",       "qwen3_moe",
    "phi",     "phi3",      "gemma",    "gemma2",  "gemma3",    "gemma3_text", "gpt_neox",
    "gpt_oss", "falcon",    "stablelm", "olmo",    "olmo2",     "starcoder2",  "smollm3",
    "granite", "persimmon", "exaone4",  "minicpm", "minicpm3",  "nemotron"};
constexpr std::array<std::string_view, 6> half_split_with_ids = {
    "qwen2_vl", "qwen2_vl_text", "qwen2_5_vl", "qwen2_5_vl_text", "qwen3_vl", "qwen3_vl_text"};
constexpr std::array<std::string_view, 15> interleaved_in_gguf = {
    "llama",   "llama4", "baichuan", "starcoder", "internlm2", "minicpm", "xverse", "command-r",
    "cohere2", "olmo",   "deepseek", "deepseek2", "chatglm",   "granite", "smollm3"};
constexpr std::array<std::string_view, 20> half_split_in_gguf = {
    "falcon", "gptneox", "qwen2",    "qwen2moe", "qwen3",      "qwen3moe", "phi2",
    "phi3",   "gemma",   "gemma2",   "gemma3",   "starcoder2", "stablelm", "olmo2",
    "olmoe",  "dbrx",    "minicpm3", "nemotron", "gpt-oss",    "exaone"};

// As tensor2tensor has it; of these, whisper alone counts from 0.
constexpr std::array<std::string_view, 4> half_minus_one_in_transformers = {"whisper", "m2m_100",
                                                                            "speech_to_text", "xglm"};

class Reading {
 public:
  explicit Reading(const ConfigSettings& settings) : settings_(settings) {}

  // The first of these names that has a number.
  struct Found {
    std::string name;
    double value;
  };
  std::optional<Found> number(Names names) const {
    for (const std::string_view name : names) {
      const std::string inner = of_text(name);
      if (const double* value = settings_.number(inner)) return Found{inner, *value};
      if (const double* value = settings_.number(name)) return Found{std::string(name), *value};
    }
    return std::nullopt;
  }
  const std::string* word(Names names) const {
    for (const std::string_view name : names)
      if (const Value* value = find(name))
        if (const auto* one = std::get_if<std::string>(value)) return one;
    return nullptr;
  }
  bool is(std::string_view name, std::string_view expected) const {
    const std::string* value = word({name});
    return value != nullptr && *value == expected;
  }
  bool has(std::string_view name) const { return find(name) != nullptr; }
  const Value* find(std::string_view name) const {
    const Value* inner = settings_.find(of_text(name));
    return inner != nullptr ? inner : settings_.find(name);
  }

  void set(std::string_view parameter, Value value, std::string_view because) {
    out_.understood.push_back(
        fmt::format("{}: {}={}", printable(because, 100), parameter, printable(text(value), 200)));
    out_.parameters.set(parameter, std::move(value));
  }
  void set(std::string_view parameter, const std::optional<Found>& found) {
    if (found) set(parameter, found->value, fmt::format("{} {}", found->name, text(Value(found->value))));
  }
  void two_readings(std::string_view parameter, std::string readings) {
    out_.ambiguous.push_back({std::string(parameter), std::move(readings)});
  }
  // Of two names that say the same; where they do not, neither is taken.
  void agree(std::string_view parameter, const std::optional<Found>& one, const std::optional<Found>& other) {
    if (one && other && one->value != other->value)
      return two_readings(parameter, fmt::format("{} ({}) or {} ({})", text(Value(one->value)), one->name,
                                                 text(Value(other->value)), other->name));
    set(parameter, one ? one : other);
  }

  Configured done() { return std::move(out_); }

 private:
  // A model of text and images has an object for each, and that of the text comes before what stands beside
  // it.
  static std::string of_text(std::string_view name) { return fmt::format("text_config.{}", name); }

  const ConfigSettings& settings_;
  Configured out_;
};

[[noreturn]] void refuse_other(std::string_view encoding, std::string_view why) {
  throw std::invalid_argument(fmt::format("describes no {}: {}", encoding, why));
}

void set_layout(Reading& to, const std::string* model, std::span<const std::string_view> interleaved,
                std::span<const std::string_view> half_split) {
  if (model == nullptr) return;
  if (is_among(*model, interleaved)) to.set("layout", std::string("interleaved"), "model " + *model);
  if (is_among(*model, half_split)) to.set("layout", std::string("half_split"), "model " + *model);
}

// ---- config.json of transformers

class Transformers {
 public:
  explicit Transformers(const ConfigSettings& settings) : to_(settings) {}

  Configured rope() {
    if (to_.is("alibi", "true")) refuse_other("rope", "`alibi` is true");
    if (to_.has("relative_attention_num_buckets"))
      refuse_other("rope", "it has relative_attention_num_buckets");
    if (const std::string* type = to_.word({"position_embedding_type"});
        type != nullptr && type->find("rotary") == std::string::npos &&
        type->find("rope") == std::string::npos)
      refuse_other("rope", fmt::format("position_embedding_type is `{}`", printable(*type, 100)));
    if (has_ids()) refuse_other("rope", "its positions have three ids (m_rope)");
    set_width();
    set_base();
    set_base_of_layers();
    if (to_.is("rope_interleave", "true"))
      to_.set("layout", std::string("interleaved"), "rope_interleave true");
    else
      set_layout(to_, to_.word({"model_type"}), interleaved_in_transformers, half_split_in_transformers);
    set_scaling();
    return to_.done();
  }

  Configured m_rope() {
    if (!has_ids()) refuse_other("m_rope", "it has no mrope_section");
    set_width();
    set_base();
    set_layout(to_, to_.word({"model_type"}), {}, half_split_with_ids);
    set_list("sections", "mrope_section");
    if (to_.is("rope_scaling.mrope_interleaved", "true") ||
        to_.is("rope_parameters.mrope_interleaved", "true"))
      to_.set("assignment", std::string("interleaved"), "mrope_interleaved true");
    if (const auto kind = type(); kind && *kind != "default" && *kind != "mrope")
      refuse_other("m_rope", fmt::format("its rope type is `{}`", printable(*kind, 40)));
    return to_.done();
  }

  Configured alibi() {
    const std::string* model = to_.word({"model_type"});
    const bool bloom = model != nullptr && *model == "bloom";
    if (!bloom && !to_.is("alibi", "true") && !to_.is("attn_config.alibi", "true") &&
        !to_.is("position_embedding_type", "alibi"))
      refuse_other("alibi", "neither `alibi` nor `attn_config.alibi` is true, nor is it bloom's");
    to_.set("heads", to_.number({"num_attention_heads", "n_head", "n_heads"}));
    to_.set("max_bias", to_.number({"attn_config.alibi_bias_max", "alibi_bias_max"}));
    if (bloom) to_.set("rows", std::string("key_index"), "model bloom");
    if (to_.is("model_type", "falcon")) {
      to_.set("rows", std::string("key_index"), "model falcon");
      const auto width = to_.number({"hidden_size"}), heads = to_.number({"num_attention_heads", "n_head"});
      if (width && heads && heads->value > 0)
        to_.set("head_dim", std::trunc(width->value / heads->value),
                "model falcon, hidden_size / num_attention_heads");
    }
    return to_.done();
  }

  Configured t5_bias() {
    if (!to_.has("relative_attention_num_buckets"))
      refuse_other("t5_bias", "it has no relative_attention_num_buckets");
    to_.set("heads", to_.number({"num_heads", "num_attention_heads"}));
    to_.set("buckets", to_.number({"relative_attention_num_buckets"}));
    to_.set("max_distance", to_.number({"relative_attention_max_distance"}));
    if (to_.is("is_encoder_decoder", "false") || to_.is("is_decoder", "true"))
      to_.set("direction", std::string(to_.is("is_decoder", "true") ? "unidirectional" : "bidirectional"),
              fmt::format("is_decoder {}", to_.is("is_decoder", "true")));
    else
      to_.two_readings("direction", "bidirectional (the encoder) or unidirectional (the decoder)");
    return to_.done();
  }

  Configured sinusoidal() {
    if (to_.number({"rope_theta", "rope_parameters.rope_theta"}) || to_.is("alibi", "true"))
      refuse_other("sinusoidal", "it has rope_theta, or `alibi` is true");
    if (to_.is("sinusoidal_pos_embds", "false") || to_.is("sinusoidal_embeddings", "false"))
      refuse_other("sinusoidal", "its positions are learned");
    to_.set("dim", to_.number({"d_model", "hidden_size", "emb_dim", "dim"}));
    const std::string* model = to_.word({"model_type"});
    if (model == nullptr) return to_.done();
    const bool tensor2tensor = is_among(*model, half_minus_one_in_transformers);
    const std::string by = "model " + *model;
    if (tensor2tensor) to_.set("divisor", std::string("half_minus_one"), by);
    if (tensor2tensor || *model == "marian" || *model == "transfo-xl")
      to_.set("layout", std::string("sin_cos"), by);
    if (*model == "distilbert" || *model == "xlm") to_.set("layout", std::string("interleaved"), by);
    if (tensor2tensor && *model != "whisper") to_.set("offset", 2.0, by);
    return to_.done();
  }

  Configured learned() {
    if (to_.number({"rope_theta", "rope_parameters.rope_theta"}) || to_.is("alibi", "true"))
      refuse_other("learned", "it has rope_theta, or `alibi` is true");
    if (const std::string* type = to_.word({"position_embedding_type"});
        type != nullptr && type->find("absolute") == std::string::npos &&
        type->find("learned") == std::string::npos)
      refuse_other("learned", fmt::format("position_embedding_type is `{}`", printable(*type, 100)));
    if (to_.is("position_biased_input", "false")) refuse_other("learned", "position_biased_input is false");
    const std::string* model = to_.word({"model_type"});
    const auto is = [&](std::string_view name) { return model != nullptr && *model == name; };
    to_.set("dim", to_.number({"hidden_size", "n_embd", "d_model"}));
    auto length = to_.number({"max_position_embeddings", "n_positions"});
    if (is("opt")) {
      if (length) to_.set("length", length->value + 2, fmt::format("{} and opt's offset", length->name));
      to_.set("offset", 2.0, "model opt");
      return to_.done();
    }
    to_.set("length", length);
    const auto padding = to_.number({"pad_token_id"});
    if ((is("roberta") || is("xlm-roberta") || is("camembert")) && padding)
      to_.set("offset", padding->value + 1, "pad_token_id + 1");
    return to_.done();
  }

 private:
  void set_width() {
    double dim = 0;
    std::string by;
    if (const auto own = to_.number({"qk_rope_head_dim", "head_dim", "kv_channels"})) {
      dim = own->value, by = own->name;
    } else {
      const auto width = to_.number({"hidden_size", "n_embd", "d_model"}),
                 heads = to_.number({"num_attention_heads", "n_head", "n_heads"});
      if (!width || !heads || heads->value <= 0) return;
      dim = width->value / heads->value, by = width->name + " / " + heads->name;
    }
    to_.set("dim", dim, by);
    if (to_.is("model_type", "chatglm") && to_.has("kv_channels"))
      return to_.set("rotary_dim", std::trunc(dim / 2), "model chatglm, which rotates half of a head");
    if (const auto rotating = to_.number({"rotary_dim"})) {
      if (rotating->value != dim) to_.set("rotary_dim", rotating);
      return;
    }
    const auto share = to_.number({"rope_parameters.partial_rotary_factor", "partial_rotary_factor",
                                   "rotary_pct", "rope_pct", "rotary_emb_fraction"});
    if (share && share->value != 1)
      to_.set("rotary_dim", std::trunc(dim * share->value),
              fmt::format("{} {}", share->name, text(Value(share->value))));
  }

  // Of time, height and width.
  bool has_ids() const {
    return to_.is("rope_scaling.type", "mrope") || to_.has("rope_scaling.mrope_section") ||
           to_.has("rope_parameters.mrope_section");
  }

  void set_base() {
    to_.agree("base", to_.number({"rope_parameters.rope_theta", "rope_scaling.rope_theta"}),
              to_.number({"rope_theta", "rotary_emb_base"}));
  }

  // Models with global and local layers have a base for each.
  void set_base_of_layers() {
    const auto local = to_.number({"rope_local_base_freq"}), local_theta = to_.number({"local_rope_theta"}),
               global_theta = to_.number({"global_rope_theta"});
    if (local)
      to_.two_readings(
          "base", fmt::format("rope_theta, in global layers, or {} (rope_local_base_freq, in local ones)",
                              text(Value(local->value))));
    else if (global_theta && local_theta)
      to_.two_readings("base",
                       fmt::format("{} ({}) or {} ({})", text(Value(global_theta->value)), global_theta->name,
                                   text(Value(local_theta->value)), local_theta->name));
    else if (to_.is("model_type", "gemma3_text") && !has_layers() && !to_.has("rope_parameters.rope_theta"))
      to_.two_readings(
          "base",
          "1000000 (gemma3_text's, in global layers, unless rope_theta says another) or 10000 (in local ones)");
    if (const auto ratio = to_.number({"rope_ratio"}); ratio && ratio->value != 1)
      to_.two_readings(
          "base", fmt::format("{} (10000 {}, as in ChatGLM3 and GLM-4) or 10000 (ChatGLM2, which divides "
                              "positions by it: linear)",
                              text(Value(10000 * ratio->value)), ratio->name));
    if (has_layers()) of_layers("base", "rope_theta");
  }

  bool has_layers() const {
    return to_.has("rope_parameters.full_attention.rope_theta") ||
           to_.has("rope_parameters.sliding_attention.rope_theta");
  }

  // Of the objects of global and of local layers: what one of them has, or both have alike.
  void of_layers(std::string_view parameter, std::string_view name) {
    const std::string full = fmt::format("rope_parameters.full_attention.{}", name),
                      sliding = fmt::format("rope_parameters.sliding_attention.{}", name);
    to_.agree(parameter, to_.number({full}), to_.number({sliding}));
  }

  // Of the two objects that there are, the older one in two spellings; and of that of one type of layers.
  std::optional<Reading::Found> scaled(std::string_view name) const {
    const std::string of_new = fmt::format("rope_parameters.{}", name),
                      of_old = fmt::format("rope_scaling.{}", name),
                      of_full = fmt::format("rope_parameters.full_attention.{}", name),
                      of_sliding = fmt::format("rope_parameters.sliding_attention.{}", name);
    return to_.number({of_new, of_old, of_full, of_sliding});
  }

  std::optional<std::string> type() {
    std::optional<std::string> out;
    std::string by;
    for (const std::string_view name :
         {"rope_parameters.rope_type", "rope_scaling.rope_type", "rope_scaling.type"}) {
      const std::string* value = to_.word({name});
      if (value == nullptr) continue;
      if (out && *out != *value) {
        to_.two_readings("scaling", fmt::format("{} ({}) or {} ({})", printable(*out, 40), by,
                                                printable(*value, 40), name));
        return std::nullopt;
      }
      out = *value, by = name;
    }
    return out;
  }

  // Of layers of two types, where one is scaled: local ones are not, in the older form.
  std::optional<std::string> type_of_layers() {
    const std::string* full = to_.word({"rope_parameters.full_attention.rope_type"});
    const std::string* sliding = to_.word({"rope_parameters.sliding_attention.rope_type"});
    const std::string one = full == nullptr ? "default" : *full,
                      other = sliding == nullptr ? "default" : *sliding;
    if (one == other) return one;
    to_.two_readings("scaling", fmt::format("{} (rope_parameters.full_attention) or {} (.sliding_attention)",
                                            printable(one, 40), printable(other, 40)));
    return one == "default" ? other : one;
  }

  void set_scaling() {
    const auto kind = has_layers() ? type_of_layers() : type();
    if (!kind || *kind == "default") return;
    if (to_.has("rope_local_base_freq") || (to_.is("model_type", "gemma3_text") && !has_layers()))
      to_.two_readings("scaling",
                       fmt::format("{} (in global layers) or none (in local ones)", printable(*kind, 40)));
    const std::string word = *kind == "su" ? "longrope" : *kind == "dynamic" ? "dynamic_ntk" : *kind;
    to_.set("scaling", word, "rope type " + *kind);
    const auto original =
        first(scaled("original_max_position_embeddings"), to_.number({"original_max_position_embeddings"}));
    const auto longest = to_.number({"max_position_embeddings"});
    const auto factor = scaled("factor");
    if (original && longest && factor && word == "yarn" && longest->value != factor->value * original->value)
      to_.two_readings("factor", fmt::format("{} ({}) or {} ({} / {})", text(Value(factor->value)),
                                             factor->name, text(Value(longest->value / original->value)),
                                             longest->name, original->name));
    else if (factor)
      to_.set("factor", factor);
    else if (original && longest)
      to_.set("factor", longest->value / original->value, longest->name + " / " + original->name);
    if (word == "linear") return;
    to_.set("original_length", first(original, longest));
    for (const std::string_view name :
         {"low_freq_factor", "high_freq_factor", "beta_fast", "beta_slow", "attention_factor"})
      to_.set(name, scaled(name));
    if (to_.is("rope_scaling.truncate", "false") || to_.is("rope_parameters.truncate", "false"))
      to_.set("truncate", std::string("false"), "truncate false");
    set_mscale();
    if (word == "longrope") {
      set_list("factors", "long_factor");
      set_list("short_factors", "short_factor");
    }
  }

  void set_list(std::string_view parameter, std::string_view name) {
    for (const std::string_view object : {"rope_parameters", "rope_scaling"}) {
      const std::string whole = fmt::format("{}.{}", object, name);
      if (const Value* value = to_.find(whole);
          value != nullptr && std::holds_alternative<std::vector<double>>(*value))
        return to_.set(parameter, *value, whole);
    }
  }

  void set_mscale() {
    const auto one = scaled("mscale"), all = scaled("mscale_all_dim");
    if (one && !all && one->value != 1)
      return to_.two_readings("mscale",
                              fmt::format("{} ({}) or 1 (transformers, which asks for mscale_all_dim, too)",
                                          text(Value(one->value)), one->name));
    to_.set("mscale", one);
    to_.set("mscale_all_dim", all);
  }

  static std::optional<Reading::Found> first(std::optional<Reading::Found> one,
                                             std::optional<Reading::Found> other) {
    return one ? one : other;
  }

  Reading to_;
};

// ---- metadata of GGUF

class Gguf {
 public:
  explicit Gguf(const ConfigSettings& settings) : to_(settings) {
    const std::string* name = settings.word("general.architecture");
    if (name == nullptr) throw std::invalid_argument("has no general.architecture");
    architecture_ = *name;
  }

  Configured rope() {
    if (to_.number({of("attention.max_alibi_bias")})) refuse_other("rope", "it has attention.max_alibi_bias");
    if (const auto own = to_.number({of("attention.key_length")}))
      to_.set("dim", own);
    else if (const auto width = to_.number({of("embedding_length")}),
             heads = to_.number({of("attention.head_count")});
             width && heads && heads->value > 0)
      to_.set("dim", width->value / heads->value, "embedding_length / attention.head_count");
    if (const auto rotating = to_.number({of("rope.dimension_count")})) to_.set("rotary_dim", rotating);
    to_.set("base", to_.number({of("rope.freq_base")}));
    set_layout(to_, &architecture_, interleaved_in_gguf, half_split_in_gguf);
    if (to_.has("tensors.rope_freqs.weight"))
      to_.two_readings("scaling",
                       "that of the tensor rope_freqs.weight, whose divisors are not read, or none");
    set_scaling();
    return to_.done();
  }

  Configured alibi() {
    const auto most = to_.number({of("attention.max_alibi_bias")});
    if (!most) refuse_other("alibi", "it has no attention.max_alibi_bias");
    to_.set("heads", to_.number({of("attention.head_count")}));
    to_.set("max_bias", most);
    return to_.done();
  }

 private:
  std::string of(std::string_view name) const { return fmt::format("{}.{}", architecture_, name); }

  void set_scaling() {
    const std::string* type = to_.word({of("rope.scaling.type")});
    if (type == nullptr || *type == "none") return;
    to_.set("scaling", *type, of("rope.scaling.type"));
    to_.set("factor", to_.number({of("rope.scaling.factor")}));
    if (*type == "linear") return;
    to_.set("original_length", to_.number({of("rope.scaling.original_context_length")}));
    to_.set("attention_factor", to_.number({of("rope.scaling.attn_factor")}));
    if (*type == "longrope")
      to_.two_readings(
          "factors", "the tensor rope_factors_short.weight or rope_factors_long.weight, which are not read");
  }

  Reading to_;
  std::string architecture_;
};

Configured onnx_rope(const ConfigSettings& settings) {
  Reading to(settings);
  if (const auto interleaved = to.number({"interleaved"}))
    to.set("layout", std::string(interleaved->value != 0 ? "interleaved" : "half_split"),
           fmt::format("interleaved {:g}", interleaved->value));
  to.set("rotary_dim", to.number({"rotary_embedding_dim"}));
  const auto heads = to.number({"num_heads"});
  if (heads && heads->value != 0) to.set("heads", heads);
  return to.done();
}

}  // namespace

Configured configured(const ConfigSettings& settings, std::string_view encoding) {
  using Kind = ConfigSettings::Kind;
  if (settings.kind == Kind::onnx && encoding == "rope") return onnx_rope(settings);
  if (settings.kind == Kind::gguf && encoding == "rope") return Gguf(settings).rope();
  if (settings.kind == Kind::gguf && encoding == "alibi") return Gguf(settings).alibi();
  if (settings.kind == Kind::transformers) {
    Transformers of(settings);
    if (encoding == "rope") return of.rope();
    if (encoding == "m_rope") return of.m_rope();
    if (encoding == "alibi") return of.alibi();
    if (encoding == "sinusoidal") return of.sinusoidal();
    if (encoding == "t5_bias") return of.t5_bias();
    if (encoding == "learned") return of.learned();
  }
  constexpr std::array<std::string_view, 3> read = {"rope, m_rope, sinusoidal, alibi, t5_bias and learned",
                                                    "rope and alibi", "rope"};
  throw std::invalid_argument(
      fmt::format("is read for {}, not for {}", read[static_cast<std::size_t>(settings.kind)], encoding));
}

}  // namespace posproof
