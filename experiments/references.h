#pragma once

#include <fmt/format.h>

#include <initializer_list>
#include <string_view>
#include <vector>

#include "core/document.h"

// What pages cite, each work once.
namespace posproof::experiments {

struct Reference {
  std::string_view authors, year, title, link;
};

constexpr Reference vaswani_2017{"Vaswani et al.", "2017", "Attention Is All You Need",
                                 "https://arxiv.org/abs/1706.03762"};
constexpr Reference su_2021{"Su et al.", "2021",
                            "RoFormer: Enhanced Transformer with Rotary Position Embedding",
                            "https://arxiv.org/abs/2104.09864"};
constexpr Reference press_2021{"Press, Smith and Lewis", "2021",
                               "Train Short, Test Long: Attention with Linear Biases Enables Input Length "
                               "Extrapolation",
                               "https://arxiv.org/abs/2108.12409"};
constexpr Reference raffel_2020{"Raffel et al.", "2020",
                                "Exploring the Limits of Transfer Learning with a Unified Text-to-Text "
                                "Transformer",
                                "https://arxiv.org/abs/1910.10683"};
constexpr Reference roziere_2023{"Rozière et al.", "2023", "Code Llama: Open Foundation Models for Code",
                                 "https://arxiv.org/abs/2308.12950"};
constexpr Reference grattafiori_2024{"Grattafiori et al.", "2024", "The Llama 3 Herd of Models",
                                     "https://arxiv.org/abs/2407.21783"};
constexpr Reference yun_2020{"Yun et al.", "2020",
                             "Are Transformers Universal Approximators of Sequence-to-Sequence Functions?",
                             "https://arxiv.org/abs/1912.10077"};
constexpr Reference tensor2tensor_2018{"Vaswani et al.", "2018",
                                       "Tensor2Tensor for Neural Machine Translation",
                                       "https://arxiv.org/abs/1803.07416"};
constexpr Reference pytorch_tutorial{"PyTorch", "2017 to 2024",
                                     "Language Modeling with nn.Transformer and torchtext, a tutorial",
                                     "https://pytorch.org/tutorials/beginner/transformer_tutorial.html"};
constexpr Reference zhang_2021{"Zhang et al.", "2021", "Dive into Deep Learning, section 11.6",
                               "https://arxiv.org/abs/2106.11342"};
constexpr Reference kalamkar_2019{"Kalamkar et al.", "2019", "A Study of BFLOAT16 for Deep Learning Training",
                                  "https://arxiv.org/abs/1905.12322"};

// The last section of a page.
inline std::vector<document::Block> references(std::initializer_list<Reference> all) {
  document::Paragraph list;
  for (const Reference& one : all)
    list.text += fmt::format("{}- {} ({}), [{}]({}).", list.text.empty() ? "" : "\n", one.authors, one.year,
                             one.title, one.link);
  return {document::Section{"References"}, list};
}

}  // namespace posproof::experiments
