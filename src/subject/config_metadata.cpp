// What the metadata of a GGUF file say, as llama.cpp reads them.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <stdexcept>

#include "subject/config_reading.h"
#include "subject/words.h"

namespace posproof {
namespace {

constexpr std::array<std::string_view, 15> interleaved_in_gguf = {
    "llama",   "llama4", "baichuan", "starcoder", "internlm2", "minicpm", "xverse", "command-r",
    "cohere2", "olmo",   "deepseek", "deepseek2", "chatglm",   "granite", "smollm3"};
constexpr std::array<std::string_view, 20> half_split_in_gguf = {
    "falcon", "gptneox", "qwen2",    "qwen2moe", "qwen3",      "qwen3moe", "phi2",
    "phi3",   "gemma",   "gemma2",   "gemma3",   "starcoder2", "stablelm", "olmo2",
    "olmoe",  "dbrx",    "minicpm3", "nemotron", "gpt-oss",    "exaone"};

// They rotate nothing, and no key says so.
constexpr std::array<std::string_view, 6> without_rope_in_gguf = {"bloom", "refact", "jina-bert-v2",
                                                                  "mpt",   "gpt2",   "jais"};
// Those of ALiBi, whose largest exponent of a slope is in llama.cpp's code.
constexpr std::array<std::string_view, 3> with_alibi_in_gguf = {"bloom", "refact", "jina-bert-v2"};
// The channels that rotate are a tensor of their own.
constexpr std::array<std::string_view, 3> with_rotating_part_apart = {"deepseek2", "deepseek32", "minicpm3"};

class Gguf {
 public:
  using Found = std::optional<Reading::Found>;

  explicit Gguf(const ConfigSettings& settings) : to_(settings) {
    const std::string* name = settings.word("general.architecture");
    if (name == nullptr) throw std::invalid_argument("has no general.architecture");
    architecture_ = *name;
  }

  Configured rope() {
    if (number("attention.max_alibi_bias")) refuse_other("rope", "it has attention.max_alibi_bias");
    if (is_among(architecture_, without_rope_in_gguf) || is_baichuan_13b())
      refuse_other("rope", fmt::format("architecture {} has none", architecture_));
    if (to_.has(of("rope.dimension_sections")))
      refuse_other("rope", "its positions have several ids (rope.dimension_sections)");
    set_width();
    to_.set("base", number("rope.freq_base"));
    set_layout(to_, &architecture_, interleaved_in_gguf, half_split_in_gguf);
    set_local_layers();
    if (to_.has("tensors.rope_freqs.weight"))
      to_.two_readings("scaling",
                       "that of the tensor rope_freqs.weight, whose divisors are not read, or none");
    set_scaling();
    to_.note_where_unsaid("base", "no base is said: 10000 is taken");
    return to_.done();
  }

  Configured alibi() {
    const Found most = number("attention.max_alibi_bias");
    const bool in_code = is_among(architecture_, with_alibi_in_gguf) || is_baichuan_13b();
    if (!most && !in_code)
      refuse_other("alibi", fmt::format("it has no attention.max_alibi_bias, and llama.cpp has none for {}",
                                        architecture_));
    to_.set("heads", number("attention.head_count"));
    if (most)
      to_.set("max_bias", most);
    else
      to_.set("max_bias", 8.0, fmt::format("llama.cpp, for {}", architecture_));
    if (architecture_ == "jina-bert-v2")
      to_.set("form", std::string("symmetric"), "architecture jina-bert-v2, an encoder");
    else if (to_.is(of("attention.causal"), "false"))
      to_.set("form", std::string("symmetric"), of("attention.causal"));
    return to_.done();
  }

 private:
  std::string of(std::string_view name) const { return fmt::format("{}.{}", architecture_, name); }
  Found number(std::string_view name) { return to_.number({of(name)}); }
  bool is_baichuan_13b() {
    const Found blocks = number("block_count");
    return architecture_ == "baichuan" && blocks && blocks->value == 40;
  }

  void set_width() {
    const Found rotating = number("rope.dimension_count");
    if (rotating &&
        (is_among(architecture_, with_rotating_part_apart) || to_.has(of("attention.kv_lora_rank"))))
      return to_.set("dim", rotating->value,
                     rotating->text() + ", a part of the head that rotates as one of its own");
    const Found own = number("attention.key_length"), local = number("attention.key_length_swa");
    if (own && local && own->value != local->value)
      return to_.two_readings(
          "dim", fmt::format("{} ({}, in global layers) or {} ({}, in local ones)", number_text(own->value),
                             own->name, number_text(local->value), local->name));
    if (own)
      to_.set("dim", own);
    else if (const Found width = number("embedding_length"), heads = number("attention.head_count");
             width && heads && heads->value > 0)
      to_.set("dim", width->value / heads->value, "embedding_length / attention.head_count");
    if (rotating) to_.set("rotary_dim", rotating);
  }

  // Local layers of Gemma 3 have another base, and no scaling.
  void set_local_layers() {
    if (const Found alpha = number("rope.scaling.alpha"); alpha && alpha->value != 0 && alpha->value != 1)
      to_.two_readings(
          "base", fmt::format("rope.freq_base or, with {}, that times its power (HunYuan)", alpha->text()));
    const Found base = number("rope.freq_base"), local = number("rope.freq_base_swa");
    const bool gemma = architecture_ == "gemma3" || architecture_ == "gemma3n";
    const double in_local = local ? local->value : gemma ? 10000 : 0;
    has_local_layers_ = in_local != 0 && (!base || base->value != in_local);
    if (has_local_layers_)
      to_.two_readings("base", fmt::format("{}, in global layers, or {} ({}, in local ones)",
                                           base ? base->text() : of("rope.freq_base"), number_text(in_local),
                                           local ? local->name : architecture_ + "'s"));
  }

  void set_scaling() {
    const std::string* type = to_.word({of("rope.scaling.type")});
    const bool has_factors =
        to_.has("tensors.rope_factors_long.weight") || to_.has("tensors.rope_factors_short.weight");
    if (type != nullptr && *type == "none") return;
    if (has_factors || (type != nullptr && *type == "longrope")) return set_longrope(type);
    const Found factor = to_.number({of("rope.scaling.factor"), of("rope.scale_linear")}),
                attention = number("rope.scaling.attn_factor");
    const bool yarn = type != nullptr && *type == "yarn";
    if (!yarn && attention && attention->value != 1)
      throw std::invalid_argument(fmt::format(
          "has {} without scaling yarn or longrope; only these multiply cosine and sine", attention->text()));
    // llama.cpp divides by nothing without a factor, and takes one without a type as linear.
    const bool scales = factor && factor->value != 0 && factor->value != 1;
    if (type == nullptr || *type == "linear") {
      if (!scales) return;
      to_.set("scaling", std::string("linear"),
              type != nullptr ? of("rope.scaling.type") : fmt::format("{} without a type", factor->name));
      of_global_layers("linear");
      return to_.set("factor", factor);
    }
    to_.set("scaling", *type, of("rope.scaling.type"));
    of_global_layers(*type);
    if (factor && factor->value != 0)
      to_.set("factor", factor);
    else
      to_.set("factor", 1.0, "no rope.scaling.factor");
    to_.set("original_length",
            to_.number({of("rope.scaling.original_context_length"), of("context_length")}));
    if (yarn) set_yarn(attention);
  }

  void of_global_layers(const std::string& type) {
    if (has_local_layers_)
      to_.two_readings("scaling", fmt::format("{} (in global layers) or none (in local ones)", type));
  }

  void set_longrope(const std::string* type) {
    to_.set(
        "scaling", std::string("longrope"),
        type != nullptr ? of("rope.scaling.type") : "the tensor rope_factors_long.weight or _short.weight");
    to_.set("factor", number("rope.scaling.factor"));
    to_.set("original_length", number("rope.scaling.original_context_length"));
    to_.set("attention_factor", number("rope.scaling.attn_factor"));
    to_.two_readings("factors",
                     "the tensor rope_factors_short.weight or rope_factors_long.weight, which are not read");
  }

  // The ends of the ramp, and what multiplies cosine and sine. llama.cpp reads some of it for a few
  // architectures, and its versions differ.
  void set_yarn(const Found& attention) {
    for (const auto& [name, key, standard] : {std::tuple{"beta_fast", "rope.scaling.yarn_beta_fast", 32.0},
                                              std::tuple{"beta_slow", "rope.scaling.yarn_beta_slow", 1.0}}) {
      const Found one = number(key);
      if (one && one->value != standard)
        to_.two_readings(name,
                         fmt::format("{} ({}) or {} (llama.cpp, which reads that for few architectures)",
                                     number_text(one->value), one->name, number_text(standard)));
      else
        to_.set(name, one);
    }
    if (const Found part = number("rope.scaling.yarn_ext_factor");
        part && part->value > 0 && part->value != 1)
      throw std::invalid_argument(
          fmt::format("has {}; allowed: 1, as the ramp of yarn has no other weight here", part->text()));
    const Found whole = number("rope.scaling.yarn_attn_factor"),
                logarithm = number("rope.scaling.yarn_log_multiplier");
    if (whole || attention) return two_attention_factors(whole ? *whole : *attention);
    if (architecture_ == "deepseek2") {
      if (logarithm)
        to_.set("attention_factor", 1.0,
                fmt::format("{}, which llama.cpp cancels for deepseek2", logarithm->text()));
      else
        to_.two_readings("attention_factor",
                         "1 (llama.cpp before its pull request 17945) or 0, that of yarn (since then)");
    } else if (logarithm && architecture_ == "mistral3") {
      to_.set("mscale_all_dim", logarithm);
    } else if (logarithm) {
      to_.two_readings(
          "mscale_all_dim",
          fmt::format("{} ({}, as mistral3 has it) or {} (as deepseek2 has it)",
                      number_text(logarithm->value), logarithm->name, number_text(logarithm->value * 10)));
    }
  }

  void two_attention_factors(const Reading::Found& said) {
    const Value* factor = to_.parameters().find("factor");
    const double yarn = 0.1 * std::log(std::get<double>(*factor)) + 1;
    to_.two_readings(
        "attention_factor",
        fmt::format("{} ({}, as all that multiplies) or {:.6g} (times that of yarn, as llama.cpp has "
                    "attn_factor)",
                    number_text(said.value), said.name, said.value * yarn));
  }

  Reading to_;
  std::string architecture_;
  bool has_local_layers_ = false;
};

}  // namespace

std::optional<Configured> configured_by_gguf(const ConfigSettings& settings, std::string_view encoding) {
  Gguf of(settings);
  if (encoding == "rope") return of.rope();
  if (encoding == "alibi") return of.alibi();
  return std::nullopt;
}

}  // namespace posproof
