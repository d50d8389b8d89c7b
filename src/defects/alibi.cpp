#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>

#include "catalogue/defects/alibi.h"
#include "catalogue/encodings/alibi.h"
#include "catalogue/properties/bias/falls_with_distance.h"
#include "catalogue/properties/bias/has_geometric_slopes.h"
#include "core/formats.h"
#include "defects/operators.h"

namespace posproof::defects_alibi {
namespace {

Bias right(const Parameters& parameters) {
  return encodings::alibi.make<Bias>(parameters);
}

Bias of_sequences(const Parameters& parameters) {
  if (parameters.word("axes") != "line") throw Refusal("said of positions of one number");
  return right(parameters);
}

// The parameters' bias, with other slopes under it.
Encoding with_slopes(const Parameters& parameters, const std::vector<double>& slopes) {
  Bias bias = right(parameters);
  if (slopes == bias.slopes) throw Refusal("the slopes are the same for these heads");
  bias.bias = [bias = bias.bias, own = bias.slopes, slopes](const Positions& i, const Positions& j) {
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

// The first of the slopes of the next power of two.
Encoding slopes_of_the_next_power(const Parameters& p) {
  const std::size_t heads = right(p).heads;
  Parameters other = p;
  other.set("heads", static_cast<double>(std::bit_ceil(heads)));
  std::vector<double> slopes = right(other).slopes;
  slopes.resize(heads);
  return with_slopes(p, slopes);
}

Encoding distant_keys_favoured(const Parameters& p) {
  std::vector<double> slopes = right(p).slopes;
  for (double& m : slopes) m = -m;
  return with_slopes(p, slopes);
}

Encoding in_format(const Parameters& p, double (*rounded)(double)) {
  if (p.word("rows") != "relative") throw Refusal("no distance is formed: `rows=relative`");
  Bias bias = of_sequences(p);
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

Encoding padding_counted(const Parameters& p) {
  return operators::padding_counted(of_sequences(p));
}

// A matrix for so many tokens is kept, and made anew where it is too large instead of too small.
Encoding cached_matrix_too_small(const Parameters& p) {
  return operators::raising(of_sequences(p), "raises a RuntimeError",
                            "the size of the bias must match the number of keys at dimension 3",
                            [kept = std::make_shared<Position>(0)](const Call& call) {
                              Position needed = 0;
                              for (const auto* positions : {&call.positions.whole, &call.keys.whole})
                                for (const Position t : *positions) needed = std::max(needed, t + 1);
                              if (*kept == 0 || *kept > needed) *kept = needed;
                              return *kept < needed;
                            });
}

// The rows of the longest call so far, of which fewer are asked for.
Encoding cached_rows_not_sliced(const Parameters& p) {
  return answered_by(of_sequences(p),
                     [bias = right(p), kept = std::make_shared<std::vector<Position>>()](Call call) {
                       if (call.positions.size() > kept->size()) *kept = call.positions.whole;
                       call.positions.whole = *kept;
                       return answer(bias, call);
                     });
}

using namespace properties;

}  // namespace

const DefectFamily entry{{
    {.name = "geometric_for_any_head_count",
     .wrong =
         "m_h = 2^(-8h/H), the paper read literally (`--rule geometric`), where H is no power of two and the slopes of its authors' code are declared",
     .sources = "mlx#343, mlx#3071, mosaicml/examples#307",
     .recorded = {"alibi-non-power-of-two"},
     .make = &geometric_for_any_head_count,
     .setting = "heads=3",
     .refuted_by = &bias::has_geometric_slopes},
    {.name = "slopes_from_zero",
     .wrong = "m_h = 2^(-8h/H) with h from 0: the first slope is 1",
     .sources = "aprender#2143",
     .make = &slopes_from_zero,
     .setting = "heads=1",
     .refuted_by = &bias::has_geometric_slopes},
    {.name = "slopes_of_the_first_shard",
     .wrong = "m_h of head h mod H/2: two devices, each with the slopes of the first",
     .sources = "Megatron-DeepSpeed#227, flashinfer#1606",
     .recorded = {"alibi-tp-head-offset"},
     .make = &slopes_of_the_first_shard,
     .setting = "heads=2",
     .refuted_by = &bias::has_geometric_slopes},
    {.name = "distant_keys_favoured",
     .wrong = "b = +m (i - j): the sign is wrong",
     .sources = "attention-gym#86",
     .recorded = {"alibi-sign"},
     .make = &distant_keys_favoured,
     .setting = "heads=1",
     .refuted_by = &bias::falls_with_distance},
    {.name = "distance_in_bf16",
     .wrong = "b = -m bf16(i - j): beyond 256 some neighbouring keys have one bias",
     .sources = "kin of Megatron-DeepSpeed#101, TensorRT-Model-Connect#667",
     .make = &distance_in_bf16,
     .setting = "heads=1",
     .refuted_by = &bias::falls_with_distance},
    {.name = "distance_in_f16",
     .wrong =
         "b = -m f16(i - j): beyond 2048 some neighbouring keys have one bias, beyond 65519 it is infinite",
     .sources = "kin of Megatron-DeepSpeed#101",
     .make = &distance_in_f16,
     .setting = "heads=1",
     .refuted_by = &bias::falls_with_distance},
    {.name = "slopes_of_the_next_power",
     .wrong = "where H is no power of two, the first H slopes of the next power of two",
     .sources = "kin of mlx#3071",
     .make = &slopes_of_the_next_power,
     .setting = "heads=3",
     .refuted_by = &bias::has_geometric_slopes},
    {.name = "padding_counted",
     .wrong =
         "distances count the padding: a token after it is farther from the tokens before it by each pad",
     .sources = "PaddleNLP#6495",
     .recorded = {"alibi-left-padding"},
     .make = &padding_counted,
     .setting = "heads=1"},
    {.name = "cached_matrix_too_small",
     .wrong = "the cached matrix is kept when it is too small and rebuilt when it is large enough: an error",
     .sources = "x-transformers@fbbc159, gpt-neox@3a7ba38, gpt-neox@d1255bc",
     .recorded = {"alibi-cache-compare-inverted"},
     .make = &cached_matrix_too_small,
     .setting = "heads=1"},
    {.name = "cached_rows_not_sliced",
     .wrong =
         "the columns of the cached matrix are sliced and its rows are not: fewer queries get the rows of the longest call",
     .sources = "x-transformers@74f241d",
     .recorded = {"alibi-bias-not-sliced-on-rows"},
     .make = &cached_rows_not_sliced,
     .setting = "heads=1"},
}};

}  // namespace posproof::defects_alibi
