#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "catalogue/encodings/rope.h"
#include "catalogue/experiments/rope_scaling_model_by_model.h"
#include "core/bounded.h"
#include "core/formats.h"
#include "measure.h"
#include "references.h"
#include "subject/config.h"

namespace posproof::experiments_rope_scaling_model_by_model {
namespace {

using namespace document;
using experiments::proved;
using experiments::two_pi;
using experiments::whole;

// A model's own configuration, what of it concerns RoPE.
struct Model {
  std::string_view name, repository, config;
  Position context;
  Position window = 0;  // how far every layer with RoPE looks back, where that is less than the context
};

// Public copies of these configurations with which they were compared, and what none of them says.
struct Compared {
  std::string_view model, with, not_said = "";
  bool of_the_file = true;  // what it was compared with is a copy or a restatement of the model's own file
};

constexpr std::string_view litgpt =
    "[litgpt](https://github.com/Lightning-AI/litgpt/blob/0006c973aa7d6ace293e2a5fedaf1f8f804f960c/litgpt/config.py)";

constexpr auto compared = std::to_array<Compared>({
    {"GPT-J 6B",
     "[transformers, GPTJConfig](https://github.com/huggingface/transformers/blob/0bedd3309fc97281835ab2f1a8e967a9d1a27c9e/src/transformers/models/gptj/configuration_gptj.py)",
     "base: a constant of the code", false},
    {"Pythia 6.9B", litgpt},
    {"Phi-2", litgpt},
    {"Llama 2 7B", litgpt},
    {"Gemma 2 9B", litgpt},
    {"Llama 3 8B", litgpt},
    {"Vicuna 7B 16k",
     "[litgpt, an earlier version](https://github.com/Lightning-AI/lit-gpt/blob/1905ceb6cce201e226f1e3b0e004cd17f94b0a3a/litgpt/config.py)"},
    {"DeepSeek Coder 6.7B",
     "[gpt-fast#44](https://github.com/meta-pytorch/gpt-fast/pull/44): scaled linearly",
     "base, factor, context: no copy was found", false},
    {"Code Llama 7B", litgpt},
    {"Mistral 7B v0.1", litgpt, "context: 4,096, with 32,768 in a comment"},
    {"Mixtral 8x7B", litgpt},
    {"Qwen3 8B", litgpt},
    {"Yarn Llama 2 7B 64k",
     "[its authors' training program](https://github.com/jquesnelle/yarn/blob/03156a9993bbd9cb169164d8a1fbe5e4e177e51a/finetune.py)",
     "", false},
    {"Llama 3.1 8B", litgpt},
    {"Llama 3.2 1B", litgpt},
    {"Qwen2.5 7B, YaRN",
     "[litgpt](https://github.com/Lightning-AI/litgpt/blob/0006c973aa7d6ace293e2a5fedaf1f8f804f960c/litgpt/config.py), [llama.cpp#10698](https://github.com/ggml-org/llama.cpp/pull/10698) for the scaling",
     "context: 32,768 of the file times the factor; the copy has 131,072 at once"},
    {"Gemma 3 12B, global layers", litgpt, "", false},
    {"gpt-oss 20B",
     "[transformers, GptOssConfig](https://github.com/huggingface/transformers/blob/02b8f42b4240dddea1b27c45d2dc95fb2682f841/src/transformers/models/gpt_oss/configuration_gpt_oss.py)",
     "", false},
    {"DeepSeek V3",
     "[Megatron-LM#1418](https://github.com/NVIDIA/Megatron-LM/issues/1418), [ik_llama.cpp#262](https://github.com/ikawrakow/ik_llama.cpp/pull/262) for the base"},
    {"Llama 4 Scout", "[Primus#165](https://github.com/AMD-AGI/Primus/pull/165), of the base model",
     "context: 262,144 in the base model's file, 10,485,760 in that of the Instruct model", false},
});

constexpr auto models = std::to_array<Model>({
    {"GPT-J 6B", "EleutherAI/gpt-j-6b",
     R"({"model_type": "gptj", "n_embd": 4096, "n_head": 16, "rotary_dim": 64})", 2048},
    {"Pythia 6.9B", "EleutherAI/pythia-6.9b",
     R"({"model_type": "gpt_neox", "hidden_size": 4096, "num_attention_heads": 32, "rotary_pct": 0.25,
         "rotary_emb_base": 10000})",
     2048},
    {"Phi-2", "microsoft/phi-2",
     R"({"model_type": "phi", "hidden_size": 2560, "num_attention_heads": 32, "partial_rotary_factor": 0.4,
         "rope_theta": 10000.0})",
     2048},
    {"Llama 2 7B", "meta-llama/Llama-2-7b-hf",
     R"({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 10000.0})",
     4096},
    {"Gemma 2 9B", "google/gemma-2-9b", R"({"model_type": "gemma2", "head_dim": 256, "rope_theta": 10000.0})",
     8192},
    {"Llama 3 8B", "meta-llama/Meta-Llama-3-8B",
     R"({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 500000.0})",
     8192},
    {"Vicuna 7B 16k", "lmsys/vicuna-7b-v1.5-16k",
     R"({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32,
         "rope_scaling": {"factor": 4.0, "type": "linear"}})",
     16384},
    {"DeepSeek Coder 6.7B", "deepseek-ai/deepseek-coder-6.7b-base",
     R"({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 100000,
         "rope_scaling": {"factor": 4.0, "type": "linear"}})",
     16384},
    {"Code Llama 7B", "codellama/CodeLlama-7b-hf",
     R"({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 1000000})",
     16384},
    {"Mistral 7B v0.1", "mistralai/Mistral-7B-v0.1",
     R"({"model_type": "mistral", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 10000.0})",
     32768, 4096},
    {"Mixtral 8x7B", "mistralai/Mixtral-8x7B-v0.1",
     R"({"model_type": "mixtral", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 1000000.0})",
     32768},
    {"Qwen3 8B", "Qwen/Qwen3-8B",
     R"({"model_type": "qwen3", "head_dim": 128, "rope_theta": 1000000, "rope_scaling": null})", 40960},
    {"Yarn Llama 2 7B 64k", "NousResearch/Yarn-Llama-2-7b-64k",
     R"({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32,
         "rope_scaling": {"factor": 16.0, "original_max_position_embeddings": 4096, "type": "yarn"}})",
     65536},
    {"Llama 3.1 8B", "meta-llama/Llama-3.1-8B",
     R"({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 500000.0,
         "rope_scaling": {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                          "original_max_position_embeddings": 8192, "rope_type": "llama3"}})",
     131072},
    {"Llama 3.2 1B", "meta-llama/Llama-3.2-1B",
     R"({"model_type": "llama", "head_dim": 64, "rope_theta": 500000.0,
         "rope_scaling": {"factor": 32.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                          "original_max_position_embeddings": 8192, "rope_type": "llama3"}})",
     131072},
    {"Qwen2.5 7B, YaRN", "Qwen/Qwen2.5-7B-Instruct",
     R"({"model_type": "qwen2", "hidden_size": 3584, "num_attention_heads": 28, "rope_theta": 1000000.0,
         "rope_scaling": {"factor": 4.0, "original_max_position_embeddings": 32768, "type": "yarn"}})",
     131072},
    {"Gemma 3 12B, global layers", "google/gemma-3-12b-pt",
     R"({"model_type": "gemma3_text", "head_dim": 256, "rope_theta": 1000000.0,
         "rope_scaling": {"factor": 8.0, "rope_type": "linear"}})",
     131072},
    {"gpt-oss 20B", "openai/gpt-oss-20b",
     R"({"model_type": "gpt_oss", "head_dim": 64, "rope_theta": 150000,
         "rope_scaling": {"rope_type": "yarn", "factor": 32.0, "beta_fast": 32.0, "beta_slow": 1.0,
                          "truncate": false, "original_max_position_embeddings": 4096}})",
     131072},
    {"DeepSeek V3", "deepseek-ai/DeepSeek-V3",
     R"({"model_type": "deepseek_v3", "qk_rope_head_dim": 64, "rope_theta": 10000,
         "rope_scaling": {"type": "yarn", "factor": 40, "beta_fast": 32, "beta_slow": 1, "mscale": 1.0,
                          "mscale_all_dim": 1.0, "original_max_position_embeddings": 4096}})",
     163840},
    {"Llama 4 Scout", "meta-llama/Llama-4-Scout-17B-16E-Instruct",
     R"({"model_type": "llama4_text", "head_dim": 128, "rope_theta": 500000.0,
         "rope_scaling": {"factor": 16.0, "low_freq_factor": 1.0, "high_freq_factor": 1.0,
                          "original_max_position_embeddings": 8192, "rope_type": "llama3"}})",
     10485760, 8192},
});

// Angles that are formed in a format: the position and the product are rounded to it, the frequency to f32.
constexpr std::array<Format, 3> formats = {Format::f32, Format::f16, Format::bf16};

// Of the last 64 positions of a context.
struct AtTheEnd {
  double off = 0;   // radians, the largest error of an angle, not reduced; infinite where a position is
  Position at = 0;  // where that is first
  std::size_t beyond = 0;  // pairs whose error passes pi at one of them
};

struct Row {
  const Model* model = nullptr;
  Parameters parameters = {};
  std::vector<double> w = {};  // radians per position, fastest first
  std::size_t never = 0;       // pairs whose wavelength is longer than the context
  std::size_t in_window = 0;   // ... or the window
  Position first_rise = 0;     // of the kernel
  double base = 0;             // of the unscaled ladder with this slowest frequency
  double level = 0;            // mean kernel over the second half of the context, as a share of that at 0
  Position saturates = 0;      // the first distance at which the kernel is down to that
  std::array<AtTheEnd, 3> end = {};  // by format

  double share() const { return static_cast<double>(never) / static_cast<double>(w.size()); }
};

// g(k) / g(0) for k = 0, 1, .., one after the other. Each step is a rotation in long double, whose error
// stays below 10^-13 for 10^5 steps.
class Kernel {
 public:
  explicit Kernel(const std::vector<double>& w) {
    for (const double one : w) {
      const auto angle = static_cast<long double>(one);
      terms_.push_back({std::cos(angle), std::sin(angle)});
    }
  }
  long double next() {
    long double sum = 0;
    for (auto& [c, s, x, y] : terms_) {
      sum += x;
      const long double rotated = x * c - y * s;
      y = x * s + y * c;
      x = rotated;
    }
    return sum / static_cast<long double>(terms_.size());
  }

 private:
  struct Turning {
    long double c, s, x = 1, y = 0;
  };
  std::vector<Turning> terms_;
};

// The mean of cos(k w) for k = from, .., to - 1, by the sum of a geometric series.
long double mean_cosine(long double w, Position from, Position to) {
  const auto n = static_cast<long double>(to - from), middle = static_cast<long double>(from + to - 1) / 2;
  return std::sin(n * w / 2) / (n * std::sin(w / 2)) * std::cos(middle * w);
}

AtTheEnd at_the_end(const std::vector<double>& w, Position context, Format format) {
  AtTheEnd out;
  for (const double one : w) {
    const double in_f32 = nearest(Format::f32, one);
    double most = 0;
    for (Position t = context - 64; t < context; ++t) {
      const double made = nearest(format, nearest(format, static_cast<double>(t)) * in_f32);
      const auto exact = static_cast<double>(static_cast<long double>(t) * one);
      const double off = std::abs(made - exact);
      most = std::max(most, off);
      if (off > out.off || (off == out.off && t < out.at)) out.off = off, out.at = t;
    }
    out.beyond += most > two_pi / 2 ? 1 : 0;
  }
  return out;
}

Row measured(const Model& model) {
  Row row{.model = &model};
  const Configured said = configured(config_settings("config.json", model.config), "rope");
  // Of local layers Gemma 3 has another base, without scaling; the file's own numbers are those of global
  // ones.
  proved(said.ambiguous.empty() || model.name.ends_with("global layers"),
         "each configuration is read in one way, or its row says of which layers");
  row.parameters = said.parameters;
  const auto rotary = encodings::rope.oracle<Rotary>(said.parameters);
  for (const Pair& pair : rotary.pairs) row.w.push_back(std::abs(pair.frequency));
  const auto longer_than = [&](Position length) {
    return static_cast<std::size_t>(std::ranges::count_if(row.w, [&](double one) {
      return two_pi / static_cast<long double>(one) > static_cast<long double>(length);
    }));
  };
  row.never = longer_than(model.context);
  row.in_window = longer_than(model.window);
  const auto pairs = static_cast<double>(row.w.size());
  row.base = std::pow(row.w.back(), -pairs / (pairs - 1));
  long double level = 0;
  for (const double one : row.w) level += mean_cosine(one, model.context / 2, model.context);
  row.level = static_cast<double>(level) / pairs;
  Kernel kernel(row.w);
  long double before = kernel.next();
  for (Position k = 1; k < model.context && (row.first_rise == 0 || row.saturates == 0); ++k) {
    const long double here = kernel.next();
    if (row.first_rise == 0 && here > before) row.first_rise = k;
    if (row.saturates == 0 && here <= level / static_cast<long double>(pairs)) row.saturates = k;
    before = here;
  }
  for (std::size_t f = 0; f < formats.size(); ++f) row.end[f] = at_the_end(row.w, model.context, formats[f]);
  return row;
}

struct Measured {
  std::vector<Row> rows;

  const Row& of(std::string_view name) const {
    return *std::ranges::find_if(rows, [&](const Row& row) { return row.model->name == name; });
  }
};

Measured measure() {
  Measured m;
  for (const Model& model : models) m.rows.push_back(measured(model));
  for (const Row& row : m.rows) {
    proved(row.never > 0, "every model has a wavelength that is longer than its context");
    proved(row.first_rise > 0 && row.saturates > 0, "every kernel rises, and comes down to its level");
    proved(row.end[0].off < row.end[2].off, "angles in bf16 are farther off than in f32");
  }
  proved(m.of("Llama 2 7B").never == 18 && m.of("Llama 3 8B").never == 29 && m.of("GPT-J 6B").w.size() == 32,
         "18 pairs of Llama 2 and 29 of Llama 3 complete no turn");
  return m;
}

std::string radians(double off) {
  if (std::isinf(off)) return "no number";
  if (off >= 1000) return whole(std::llround(off));
  return off < 0.01 ? scientific(off, 2) : fixed(off, off < 10 ? 2 : 0);
}

std::string scaling_of(const Row& row) {
  const Value* scaling = row.parameters.find("scaling");
  if (scaling == nullptr) return "none";
  std::string out = fmt::format("{} {}", text(*scaling), text(*row.parameters.find("factor")));
  for (const std::string_view name : {"low_freq_factor", "high_freq_factor", "truncate", "original_length"})
    if (const Value* value = row.parameters.find(name)) out += fmt::format(", {} {}", name, text(*value));
  return out;
}

std::string base_of(const Row& row) {
  const Value* base = row.parameters.find("base");
  return whole(base == nullptr ? 10000 : static_cast<std::int64_t>(std::get<double>(*base)));
}

Grid table(const Measured& m) {
  Grid grid{
      .columns = {"model", "channels that rotate", "base", "scaling", "context", "wavelengths without a turn",
                  "effective base", "first rise", "level", "down to it at"},
      .rows = {},
      .caption =
          "One row a model, in the order of their contexts. Kernel: g(k) = Σ cos(k w_i) over the pairs that rotate, without attention factors; the level is a share of g(0), the number of these pairs."};
  for (const Row& row : m.rows)
    grid.rows.push_back({fmt::format("[{}](https://huggingface.co/{}/blob/main/config.json)", row.model->name,
                                     row.model->repository),
                         std::to_string(2 * row.w.size()), base_of(row), scaling_of(row),
                         whole(row.model->context), fmt::format("{} of {}", row.never, row.w.size()),
                         whole(std::llround(row.base)), whole(row.first_rise), fixed(row.level, 3),
                         whole(row.saturates)});
  return grid;
}

Grid errors(const Measured& m) {
  Grid grid{
      .columns = {"model", "context", "in f32", "in f16", "in bf16", "pairs beyond π in bf16"},
      .rows = {},
      .caption =
          "Largest error of an angle, rad, of all pairs and of the last 64 positions of the context: frequencies in f32, the position and its "
          "product with the frequency rounded to the format. Errors are not reduced modulo 2π: an error beyond π can turn a pair into any direction. The last column counts these pairs. Past 65,504 there is no number in f16."};
  for (const Row& row : m.rows)
    grid.rows.push_back({std::string(row.model->name), whole(row.model->context), radians(row.end[0].off),
                         radians(row.end[1].off), radians(row.end[2].off),
                         fmt::format("{} of {}", row.end[2].beyond, row.w.size())});
  return grid;
}

Grid sources(const Measured& m) {
  proved(std::ranges::count(compared, false, &Compared::of_the_file) == 6,
         "all but six were compared with their own file");
  Grid grid{
      .columns = {"model", "compared with", "not said there"},
      .rows = {},
      .caption =
          "Width, base, scaling, context and the windows of layers stand in the program that writes this page, which asks no network. "
          "The windows were not compared; of the rest all but six were "
          "compared with a public copy or restatement of the file that the first table links. Of DeepSeek Coder 6.7B no copy was found, "
          "only that it is scaled linearly; Yarn Llama 2 7B 64k was compared with its authors' training program, Llama 4 Scout with the "
          "file of its base model, Gemma 3 12B with that of its instruction-tuned model, and GPT-J 6B and gpt-oss 20B with the defaults of "
          "their classes."};
  for (const Row& row : m.rows) {
    const auto found = std::ranges::find(compared, row.model->name, &Compared::model);
    proved(found != compared.end(), "each configuration was compared");
    grid.rows.push_back({std::string(found->model), std::string(found->with), std::string(found->not_said)});
  }
  return grid;
}

// Distances at equal ratios, which is how the axis is drawn: the nearest whole ones, each once.
Plot kernels(const Measured& m) {
  constexpr int steps = 200;
  constexpr std::array<std::string_view, 4> drawn = {"Llama 2 7B", "Llama 3 8B", "Llama 3.1 8B",
                                                     "gpt-oss 20B"};
  Plot plot{
      .name = "kernel",
      .title = "The kernel of four models, up to the end of their contexts",
      .description =
          "g(k)/g(0) against the distance, from 1 to the largest one of two tokens in each context, on a logarithmic axis.",
      .x = {"distance k, positions", true, {{1, 131072}}},
      .y = {"g(k) / g(0)", false, {{-0.2, 1}}},
      .curves = {},
      .caption = {}};
  std::size_t fewest = steps + 1, most = 0;
  for (const std::string_view name : drawn) {
    const Row& row = m.of(name);
    Curve curve{std::string(name), {}};
    Position last = 0;
    for (int step = 0; step <= steps; ++step) {
      const auto k = static_cast<Position>(std::llround(std::pow(
          static_cast<long double>(row.model->context - 1), static_cast<long double>(step) / steps)));
      if (k == last) continue;
      last = k;
      long double sum = 0;
      for (const double one : row.w)
        sum += std::cos(static_cast<long double>(one) * static_cast<long double>(k));
      curve.points.emplace_back(static_cast<double>(k),
                                static_cast<double>(sum / static_cast<long double>(row.w.size())));
    }
    plot.description += fmt::format(" {} ends at {}.", name, fixed(curve.points.back().second, 2));
    fewest = std::min(fewest, curve.points.size()), most = std::max(most, curve.points.size());
    plot.curves.push_back(std::move(curve));
  }
  plot.caption = fmt::format(
      "Mean of the cosines of all pairs that rotate, at {} to {} distances: the whole numbers nearest to {} at equal ratios from 1 to the context less 1, each once.",
      fewest, most, steps + 1);
  return plot;
}

Document run() {
  const Measured m = measure();
  const auto by_share = [](const Row& a, const Row& b) { return a.share() < b.share(); };
  const Row& fewest = *std::ranges::min_element(m.rows, by_share);
  const Row& most = *std::ranges::max_element(m.rows, by_share);
  const auto beyond_pi = [&](std::size_t format) {
    return std::ranges::count_if(m.rows, [&](const Row& row) { return row.end[format].off > two_pi / 2; });
  };
  const Row& worst_f32 = *std::ranges::max_element(m.rows, {}, [](const Row& row) { return row.end[0].off; });
  const auto by_beyond = [](const Row& row) {
    return static_cast<double>(row.end[2].beyond) / static_cast<double>(row.w.size());
  };
  const Row &least_beyond = *std::ranges::min_element(m.rows, {}, by_beyond),
            &most_beyond = *std::ranges::max_element(m.rows, {}, by_beyond);
  proved(static_cast<std::size_t>(beyond_pi(2)) == m.rows.size() && beyond_pi(0) == 0,
         "in bf16 some pair of every model passes pi, in f32 none");
  const Row &mistral = m.of("Mistral 7B v0.1"), &scout = m.of("Llama 4 Scout");
  proved(fewest.model == mistral.model, "the model with the fewest such wavelengths has a shorter window");
  const std::string answer = fmt::format(
      "Every one of {} public configurations has wavelengths that complete no turn within its context, as a share of the pairs from {} of {} ({}, whose window is shorter) to {} of {} ({}). With position and angle in bf16 some pair's angle is off by more than π among the last 64 positions of the context in all {}: as a share from {} of {} pairs ({}) to {} of {} ({}); in f32 no angle is.",
      m.rows.size(), fewest.never, fewest.w.size(), fewest.model->name, most.never, most.w.size(),
      most.model->name, m.rows.size(), least_beyond.end[2].beyond, least_beyond.w.size(),
      least_beyond.model->name, most_beyond.end[2].beyond, most_beyond.w.size(), most_beyond.model->name);
  return {
      .title = "Twenty released models have wavelengths longer than their context",
      .finding = answer,
      .condition =
          "Frequencies by the oracle, from each model's published configuration as `--config` reads it; contexts are those of max_position_embeddings (Vicuna: max_sequence_length; GPT-J: n_positions; Qwen2.5: four times max_position_embeddings, with the YaRN scaling that its model card gives for long inputs). They were compared with public copies, but for six that the last table names. No random numbers.",
      .blocks = experiments::joined(
          {{Paragraph{
                "A model's base, its scaling and its context decide together what its pairs of channels can tell apart. A pair whose wavelength is longer than the context completes no turn in it: its angle does not repeat, and changes little from one position to the next. "
                "The effective base is that of the unscaled ladder with the same slowest frequency, so that a scaling can be compared with a larger base. "
                "The kernel g(k) is the logit of a query and a key that are (1, 0) in every pair: its first rise is the first distance at which a farther key is more similar than a nearer one, and its level is the mean over the second half of the context, as a share of g(0); the last column is the first distance at which the kernel is down to that level."},
            Section{"By model"}, table(m),
            Paragraph{fmt::format(
                "Llama 3 has a base fifty times that of Llama 2 and twice the context: {} of its 64 pairs complete no turn, where Llama 2 has {}. Llama 3.1 scales the slow ones by 8 for sixteen times the context: {} are left. "
                "Wavelengths alone do not say what a model learned with them.",
                m.of("Llama 3 8B").never, m.of("Llama 2 7B").never, m.of("Llama 3.1 8B").never)},
            Paragraph{bounded(
                "The context is the largest number of positions, not how far a layer looks. "
                "Mistral 7B v0.1 attends to the last {} tokens (sliding_window): {} of its {} pairs complete no turn in them. "
                "The layers of Llama 4 Scout that have RoPE attend within chunks of {} tokens (attention_chunk_size), in which {} of {} pairs complete none. "
                "Every other layer of Gemma 2 and of gpt-oss looks no farther than 4,096 and 128 tokens, and five of six layers of Gemma 3 12B, whose base is 10,000, no farther than 1,024.",
                whole(mistral.model->window), mistral.in_window, mistral.w.size(), whole(scout.model->window),
                scout.in_window, scout.w.size())},
            kernels(m), Section{"What an angle is worth at the end of the context"}, errors(m),
            Paragraph{fmt::format(
                "In f32 the farthest off is {}, by {} rad at position {}. In bf16 a position is a multiple of 2^(e-7) from 2^e on, so that the fastest pairs are off by the position's own rounding.",
                worst_f32.model->name, radians(worst_f32.end[0].off), whole(worst_f32.end[0].at))},
            Section{"Where the configurations are from"}, sources(m), PageVerdict{answer}},
           experiments::references({experiments::su_2021, experiments::roziere_2023,
                                    experiments::grattafiori_2024, experiments::kalamkar_2019})})};
}

}  // namespace

const Experiment entry{
    .question =
        "What do the base, the scaling and the context of released models make of RoPE's wavelengths?",
    .method =
        "Read 20 public configurations as `--config` does, take the frequencies from the oracle, and measure turns, kernel and errors of angles at the end of each context.",
    .run = &run,
    .asked_by = Asker::choosing,
};

}  // namespace posproof::experiments_rope_scaling_model_by_model
