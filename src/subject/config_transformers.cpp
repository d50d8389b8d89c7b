// What a config.json of Hugging Face transformers says of biases and tables.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "subject/config_reading.h"
#include "subject/words.h"

namespace posproof {
namespace {

// As tensor2tensor has it; of these, whisper alone counts from 0.
constexpr auto half_minus_one_in_transformers =
    std::to_array<std::string_view>({"whisper", "m2m_100", "speech_to_text", "xglm"});
constexpr auto sin_cos_in_transformers = std::to_array<std::string_view>({"marian", "pegasus", "transfo-xl"});

// Tables with two rows before that of position 0.
constexpr auto learned_from_row_2 =
    std::to_array<std::string_view>({"opt", "bart", "mbart", "plbart", "mvp", "biogpt"});

class Transformers {
 public:
  using Found = std::optional<Reading::Found>;

  explicit Transformers(const ConfigSettings& settings) : to_(settings) {
    if (const std::string* model = to_.word({"model_type"})) model_ = *model;
  }

  Configured alibi() {
    const bool bloom = model_ == "bloom", baichuan = is_baichuan_13b(to_, model_);
    if (!bloom && !baichuan && !to_.is("alibi", "true") && !to_.is("attn_config.alibi", "true") &&
        !to_.is("position_embedding_type", "alibi"))
      refuse_other("alibi", "neither `alibi` nor `attn_config.alibi` is true, nor is it bloom's");
    to_.set("heads", to_.number({"num_attention_heads", "n_head", "n_heads"}));
    to_.set("max_bias", to_.number({"attn_config.alibi_bias_max", "alibi_bias_max"}));
    if (bloom) to_.set("rows", std::string("key_index"), "model bloom");
    if (baichuan) to_.set("rows", std::string("any"), "model baichuan of hidden_size 5120");
    if (model_ == "bert") to_.set("form", std::string("symmetric"), "model bert, an encoder");
    if (model_ == "falcon") {
      to_.set("rows", std::string("key_index"), "model falcon");
      const Found width = to_.number({"hidden_size"}), heads = to_.number({"num_attention_heads", "n_head"});
      if (width && heads && heads->value > 0)
        to_.set("head_dim", std::trunc(width->value / heads->value),
                "model falcon, hidden_size / num_attention_heads");
    }
    return to_.done();
  }

  Configured t5_bias() {
    const bool wavlm = model_ == "wavlm";
    if (!to_.has("relative_attention_num_buckets") && !wavlm)
      refuse_other("t5_bias", "it has no relative_attention_num_buckets");
    to_.set("heads", to_.number({"num_heads", "num_attention_heads"}));
    if (wavlm) {
      to_.set("buckets", to_.number({"num_buckets"}));
      to_.set("max_distance", to_.number({"max_bucket_distance"}));
      to_.set("direction", std::string("bidirectional"), "model wavlm, before the gate of each layer");
      return to_.done();
    }
    to_.set("buckets", to_.number({"relative_attention_num_buckets"}));
    to_.set("max_distance", to_.number({"relative_attention_max_distance"}));
    if (model_ == "mpnet")
      to_.set("direction", std::string("bidirectional"), "model mpnet, an encoder");
    else if (to_.is("is_encoder_decoder", "false") || to_.is("is_decoder", "true"))
      to_.set("direction", std::string(to_.is("is_decoder", "true") ? "unidirectional" : "bidirectional"),
              fmt::format("is_decoder {}", to_.is("is_decoder", "true")));
    else
      to_.two_readings("direction", "bidirectional (the encoder) or unidirectional (the decoder)");
    return to_.done();
  }

  Configured sinusoidal() {
    if (has_base() || to_.is("alibi", "true"))
      refuse_other("sinusoidal", "it has rope_theta, or `alibi` is true");
    if (to_.is("sinusoidal_pos_embds", "false") || to_.is("sinusoidal_embeddings", "false"))
      refuse_other("sinusoidal", "its positions are learned");
    to_.set("dim", to_.number({"d_model", "hidden_size", "emb_dim", "dim"}));
    const bool tensor2tensor = is_among(model_, half_minus_one_in_transformers);
    const std::string by = "model " + model_;
    if (tensor2tensor) to_.set("divisor", std::string("half_minus_one"), by);
    if (tensor2tensor || is_among(model_, sin_cos_in_transformers))
      to_.set("layout", std::string("sin_cos"), by);
    else if (model_ == "distilbert" || model_ == "xlm")
      to_.set("layout", std::string("interleaved"), by);
    else
      to_.note("layout",
               fmt::format("{} says no layout that is known: interleaved is taken, with divisor half",
                           model_.empty() ? "a file without model_type" : by));
    if (tensor2tensor && model_ != "whisper") to_.set("offset", 2.0, by);
    return to_.done();
  }

  Configured learned() {
    if (has_base() || to_.is("alibi", "true"))
      refuse_other("learned", "it has rope_theta, or `alibi` is true");
    if (const std::string* type = to_.word({"position_embedding_type"});
        type != nullptr && type->find("absolute") == std::string::npos &&
        type->find("learned") == std::string::npos)
      refuse_other("learned", fmt::format("position_embedding_type is `{}`", printable(*type, 100)));
    if (to_.is("position_biased_input", "false")) refuse_other("learned", "position_biased_input is false");
    to_.set("dim", to_.number({"hidden_size", "n_embd", "d_model"}));
    if (model_ == "whisper") {
      to_.set("length", to_.number({"max_target_positions"}));
      return to_.done();
    }
    const Found length = to_.number({"max_position_embeddings", "n_positions"});
    if (is_among(model_, learned_from_row_2)) {
      if (length)
        to_.set("length", length->value + 2, fmt::format("{} and {}'s offset", length->name, model_));
      to_.set("offset", 2.0, "model " + model_);
      return to_.done();
    }
    to_.set("length", length);
    if (!length) set_length_by_patches(to_, model_);
    const Found padding = to_.number({"pad_token_id"});
    if ((model_ == "roberta" || model_ == "xlm-roberta" || model_ == "camembert" || model_ == "mpnet") &&
        padding)
      to_.set("offset", padding->value + 1, "pad_token_id + 1");
    return to_.done();
  }

 private:
  bool has_base() {
    return to_.number({"rope_theta", "rope_parameters.rope_theta", "attn_config.rope_theta"}).has_value() &&
           !to_.is("attn_config.rope", "false");
  }

  Reading to_;
  std::string model_;  // empty: not said
};

}  // namespace

// The model with 7 billion parameters, of hidden_size 4096, has rope.
bool is_baichuan_13b(Reading& to, std::string_view model) {
  const auto width = to.number({"hidden_size"});
  return model == "baichuan" && width && width->value == 5120;
}

std::optional<Configured> configured_by_transformers(const ConfigSettings& settings,
                                                     std::string_view encoding) {
  if (encoding == "rope") return rope_by_transformers(settings);
  if (encoding == "m_rope") return m_rope_by_transformers(settings);
  Transformers of(settings);
  if (encoding == "alibi") return of.alibi();
  if (encoding == "sinusoidal") return of.sinusoidal();
  if (encoding == "t5_bias") return of.t5_bias();
  if (encoding == "learned") return of.learned();
  if (auto found = relative_by_transformers(settings, encoding)) return found;
  return images_by_transformers(settings, encoding);
}

}  // namespace posproof
