#pragma once
// The threads and commits that a defect's sources stand for.
#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/defect.h"

namespace posproof {

// Who owns a repository on GitHub, of those that sources name without their owner.
constexpr auto owners = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"BERT-pytorch", "codertimo"},
    {"Baichuan2", "baichuan-inc"},
    {"CROMA", "antofuller"},
    {"CTranslate2", "OpenNMT"},
    {"Camelid", "timtoole02"},
    {"CellPLM", "OmicsML"},
    {"ChatGLM-6B", "zai-org"},
    {"DeepSpeed", "deepspeedai"},
    {"DiffPoseTalk", "DiffPoseTalk"},
    {"GETNext", "songyangco"},
    {"Informer2020", "zhouhaoyi"},
    {"LLMs-from-scratch", "rasbt"},
    {"Liger-Kernel", "linkedin"},
    {"LoFTR", "zju3dv"},
    {"Megatron-DeepSpeed", "bigscience-workshop"},
    {"Megatron-LM", "NVIDIA"},
    {"OpenNMT-tf", "OpenNMT"},
    {"PaddleNLP", "PaddlePaddle"},
    {"ParlAI", "facebookresearch"},
    {"SkyRL", "NovaSky-AI"},
    {"SpecForge", "sgl-project"},
    {"TensorRT-LLM", "NVIDIA"},
    {"TensorRT-Model-Connect", "NVIDIA"},
    {"TinyLlama", "jzhang38"},
    {"TransformerEngine", "NVIDIA"},
    {"TransformerLens", "TransformerLensOrg"},
    {"VeloxQuant-MLX", "rajveer43"},
    {"airllm", "lyogavin"},
    {"alpaca-lora", "tloen"},
    {"annotated_deep_learning_paper_implementations", "labmlai"},
    {"aprender", "paiml"},
    {"ark-nlp", "xiangking"},
    {"assignment1-basics", "stanford-cs336"},
    {"attention-gym", "meta-pytorch"},
    {"bert4keras", "bojone"},
    {"bert4torch", "Tongjilibo"},
    {"candle", "huggingface"},
    {"cascadia", "labscommunity"},
    {"daScript", "GaijinEntertainment"},
    {"dreamer4", "nicklashansen"},
    {"efficient-transformers", "quic"},
    {"emlx", "elixir-nx"},
    {"equinox", "patrick-kidger"},
    {"executorch", "pytorch"},
    {"fairseq", "facebookresearch"},
    {"flash-attention", "Dao-AILab"},
    {"flashinfer", "flashinfer-ai"},
    {"foundation-model-stack", "foundation-model-stack"},
    {"gpt-neox", "EleutherAI"},
    {"hipfire", "warpfront"},
    {"how-to-train-your-gpt", "raiyanyahya"},
    {"hyprstream", "hyprstream"},
    {"imp", "kekzl"},
    {"influenza_transformer", "KasperGroesLudvigsen"},
    {"japanese-pretrained-models", "rinnakk"},
    {"keras-hub", "keras-team"},
    {"kvpress", "NVIDIA"},
    {"llama-from-scratch", "bkitano"},
    {"llama-models", "meta-llama"},
    {"llama.cpp", "ggml-org"},
    {"llm-awq", "mit-han-lab"},
    {"maxtext", "AI-Hypercomputer"},
    {"mesh-transformer-jax", "kingoflolz"},
    {"mlx", "ml-explore"},
    {"mlx-examples", "ml-explore"},
    {"mlx-lm", "ml-explore"},
    {"mlx-rs", "oxiglade"},
    {"mlx-swift", "ml-explore"},
    {"mlx-swift-examples", "ml-explore"},
    {"mlx-vlm", "Blaizzy"},
    {"mlxcel", "lablup"},
    {"modded-nanogpt", "KellerJordan"},
    {"nanoVLM", "huggingface"},
    {"numpy-transformer", "AkiRusProd"},
    {"onnxruntime", "microsoft"},
    {"onnxruntime-genai", "microsoft"},
    {"open_lm", "mlfoundations"},
    {"pegainfer", "pegainfer-project"},
    {"pie", "pie-project"},
    {"pyaptamer", "gc-os-ai"},
    {"pytorch-lightning", "Lightning-AI"},
    {"rknn-llm", "airockchip"},
    {"rotary-embedding-torch", "lucidrains"},
    {"rust-bert", "guillaume-be"},
    {"sglang", "sgl-project"},
    {"sentence-transformers", "huggingface"},
    {"sglang-jax", "sgl-project"},
    {"smolGPT", "Om-Alve"},
    {"stable-diffusion-webui", "AUTOMATIC1111"},
    {"tiny-llm", "skyzh"},
    {"tinygrad", "tinygrad"},
    {"torchtitan", "pytorch"},
    {"torchtune", "pytorch"},
    {"transformers", "huggingface"},
    {"tvm", "apache"},
    {"unsloth", "unslothai"},
    {"vllm", "vllm-project"},
    {"vllm-ascend", "vllm-project"},
    {"vllm-mlx", "waybarrios"},
    {"x-transformers", "lucidrains"},
    {"xformers", "facebookresearch"},
});

struct Source {
  std::string name;  // `candle#3520`, an issue or a pull request; `xformers@51aa071`, a commit
  std::string url;
};

// Throws std::logic_error for a repository without an owner.
inline Source source_named(std::string_view name) {
  const std::size_t mark = name.find_first_of("#@");
  std::string repository(name.substr(0, mark));
  if (repository.find('/') == std::string::npos) {
    const auto owner =
        std::ranges::find(owners, repository, &std::pair<std::string_view, std::string_view>::first);
    if (mark == std::string_view::npos || owner == owners.end())
      throw std::logic_error("no owner is known of " + std::string(name));
    repository = std::string(owner->second) + "/" + repository;
  }
  return {std::string(name), "https://github.com/" + repository +
                                 (name[mark] == '#' ? "/issues/" : "/commit/") +
                                 std::string(name.substr(mark + 1))};
}

// A defect that was not shipped itself is kin of one that was: its sources begin with these words.
constexpr std::string_view kin = "kin of ";

inline bool is_kin(const Defect& defect) {
  return defect.sources.starts_with(kin);
}

inline std::vector<Source> sources_of(const Defect& defect) {
  std::string_view left = defect.sources;
  if (is_kin(defect)) left.remove_prefix(kin.size());
  std::vector<Source> out;
  while (!left.empty()) {
    const std::size_t end = std::min(left.find(", "), left.size());
    out.push_back(source_named(left.substr(0, end)));
    left.remove_prefix(std::min(end + 2, left.size()));
  }
  return out;
}

}  // namespace posproof
