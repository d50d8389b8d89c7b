#include <algorithm>
#include <cmath>

#include "catalogue/defects/alibi.h"
#include "catalogue/encodings/alibi.h"
#include "catalogue/properties/bias/falls_with_distance.h"
#include "catalogue/properties/bias/has_geometric_slopes.h"
#include "core/formats.h"

namespace posproof {
namespace {

Bias right(const Parameters& parameters) {
  return std::get<Bias>(encodings::alibi.make(parameters));
}

// The parameters' bias, with other slopes under it.
Encoding with_slopes(const Parameters& parameters, const std::vector<double>& slopes) {
  Bias bias = right(parameters);
  if (slopes == bias.slopes) throw Refusal("the slopes are the same for these heads");
  bias.bias = [bias = bias.bias, own = bias.slopes, slopes](std::span<const Position> i,
                                                            std::span<const Position> j) {
    Tensor out = bias(i, j);
    for (std::size_t r = 0; r < out.rows(); ++r)
      for (double& b : out.row(r)) b *= slopes[r / i.size()] / own[r / i.size()];
    return out;
  };
  return bias;
}

Encoding geometric_for_any_head_count(const Parameters& p) {
  Parameters other = p;
  other.set("rule", "geometric");
  return with_slopes(p, right(other).slopes);
}

Encoding slopes_from_zero(const Parameters& p) {
  const double heads = p.real("heads"), most = p.real("max_bias");
  std::vector<double> slopes;
  for (double h = 0; h < heads; ++h) slopes.push_back(std::exp2(-most * h / heads));
  return with_slopes(p, slopes);
}

// Two devices with half of the heads each, and both with the slopes of the first half.
Encoding slopes_of_the_first_shard(const Parameters& p) {
  std::vector<double> slopes = right(p).slopes;
  if (slopes.size() % 2 == 1) throw Refusal("two devices share an even number of heads");
  for (std::size_t h = slopes.size() / 2; h < slopes.size(); ++h) slopes[h] = slopes[h - slopes.size() / 2];
  return with_slopes(p, slopes);
}

Encoding distant_keys_favoured(const Parameters& p) {
  std::vector<double> slopes = right(p).slopes;
  for (double& m : slopes) m = -m;
  return with_slopes(p, slopes);
}

Encoding in_format(const Parameters& p, double (*rounded)(double)) {
  if (p.word("rows") != "relative") throw Refusal("no distance is formed: `rows=relative`");
  Bias bias = right(p);
  bias.bias = [slopes = bias.slopes, causal = bias.causal, rounded](std::span<const Position> i,
                                                                    std::span<const Position> j) {
    Tensor out({slopes.size(), i.size(), j.size()});
    for (std::size_t r = 0; r < out.rows(); ++r)
      for (std::size_t c = 0; c < j.size(); ++c) {
        const auto past = static_cast<double>(i[r % i.size()] - j[c]);
        out.at(r, c) = -slopes[r / i.size()] * rounded(causal ? std::max(past, 0.0) : std::abs(past));
      }
    return out;
  };
  return bias;
}

Encoding distance_in_bf16(const Parameters& p) {
  return in_format(p, &to_bf16);
}
Encoding distance_in_f16(const Parameters& p) {
  return in_format(p, &to_f16);
}

using namespace properties;

}  // namespace

const DefectFamily defects::alibi{{
    {"geometric_for_any_head_count", "m_h = 2^(-8h/H) where H is no power of two",
     "mlx#343, Baichuan2#225, TensorRT-LLM#1611, transformers#28380", &geometric_for_any_head_count,
     "heads=3", &bias::has_geometric_slopes},
    {"slopes_from_zero", "m_h = 2^(-8h/H) with h from 0: the first slope is 1", "aprender#2143",
     &slopes_from_zero, "heads=1", &bias::has_geometric_slopes},
    {"slopes_of_the_first_shard", "m_h of head h mod H/2: two devices, each with the slopes of the first",
     "Megatron-DeepSpeed#222, flashinfer#1606, TransformerEngine#1046, CTranslate2#1714",
     &slopes_of_the_first_shard, "heads=2", &bias::has_geometric_slopes},
    {"distant_keys_favoured", "b = +m (i - j): the sign is wrong", "attention-gym#86", &distant_keys_favoured,
     "heads=1", &bias::falls_with_distance},
    {"distance_in_bf16", "b = -m bf16(i - j): beyond 256 neighbouring keys have one bias",
     "Megatron-DeepSpeed#101, TensorRT-Model-Connect#667", &distance_in_bf16, "heads=1",
     &bias::falls_with_distance},
    {"distance_in_f16",
     "b = -m f16(i - j): beyond 2048 neighbouring keys have one bias, beyond 65519 it is infinite",
     "flash-attention#845", &distance_in_f16, "heads=1", &bias::falls_with_distance},
}};

}  // namespace posproof
