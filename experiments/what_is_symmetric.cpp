#include <algorithm>
#include <array>

#include "catalogue/experiments/what_is_symmetric.h"
#include "measure.h"
#include "references.h"
#include "symmetries.h"

namespace posproof::experiments_what_is_symmetric {
namespace {

using namespace document;
using namespace experiments::symmetries;
using experiments::Drawn;
using experiments::joined;
using experiments::proved;
using experiments::whole;

constexpr std::array<std::size_t, 6> drawn_operations = {4, 5, 6, 7, 8, 9};

bool exact(const Drawn& off) {
  return off.most() == 0;
}
bool rounded(const Drawn& off) {
  return off.most() < rounding;
}

// `0`, `rounding`, or `2.110 (1.441 to 2.935)`; what is between rounding and an effect is no result.
std::string size_of(const Drawn& off) {
  if (exact(off)) return "0";
  if (rounded(off)) return "rounding";
  proved(off.least() > effect, "a difference is rounding in all draws or in none");
  const auto [low, high] = off.band();
  return fmt::format("{} ({} to {})", fixed(off.median(), 2), fixed(low, 2), fixed(high, 2));
}

void prove(const Measured& m) {
  for (std::size_t o = 0; o < of_positions; ++o) {
    const Drawn& off = m.operations[o].equivariance;
    if (o < 4)
      proved(exact(off), "what acts on each token alone is equivariant to the bit");
    else if (o < 6)
      proved(rounded(off) && !exact(off), "attention and batch norm are equivariant up to rounding");
    else
      proved(off.least() > effect, "masks, encodings, RNNs and convolutions are not");
    proved(m.operations[o].invariance.least() > effect, "none of them is invariant");
  }
  proved(rounded(m.operations[11].invariance) && exact(m.operations[12].invariance),
         "means and maxima over the tokens are invariant");
  for (std::size_t o = 0; o < of_positions; ++o)
    proved((m.operations[o].parameters[0] == m.operations[o].parameters[1]) == (o != 10),
           "only the gain for each position has more parameters for more tokens");
  for (const Apart& one : m.apart) {
    const bool masked = one.operation.ends_with("mask");
    proved(exact(one.queries) == !masked && rounded(one.keys) == !masked,
           "both symmetries hold without a mask, of cross-attention as well, and neither under a causal one");
  }
  for (std::size_t c = 0; c < m.changed.size(); ++c)
    proved(m.changed[c].rows == (c < 3 ? 1 : tokens), "one query, key and value change, and all outputs");
  proved(exact(m.moved[0].change) && m.moved[1].change.least() > effect && m.moved[2].change.least() > effect,
         "a logit without an encoding does not change with the positions");
  proved(rounded(m.against_batched), "one key at a time gives the same");
  for (const Bag& one : m.bags)
    proved(
        one.same == (one.operation == "self-attention"              ? 720
                     : one.operation == "convolution over 3 tokens" ? 24
                                                                    : 1),
        "attention alone makes a bag of words; a sum over a convolution knows the first and the last token");
}

std::vector<Block> by_operation(const Measured& m) {
  Grid grid{
      .columns = {"operation", "f(P x) less P f(x)", "f(P x) less f(x)", "parameters, 6 tokens", "12 tokens"},
      .rows = {},
      .caption =
          "Six tokens of 16 channels in a random order P that moves the last one: largest absolute entry, median of 200 draws, 5th and 95th percentile. 0: the same bits in all draws; rounding: below 1e-12 in all. The difference from P f(x) is 0 for an equivariant operation, that from f(x) for an invariant one; the last three rows give one vector for the sequence. Residual and LayerNorm: of x + x W, with a random gain; the parameters are those of W, gain and shift."};
  for (std::size_t o = 0; o < m.operations.size(); ++o) {
    const Residuals& one = m.operations[o];
    grid.rows.push_back({one.name, o < of_positions ? size_of(one.equivariance) : "", size_of(one.invariance),
                         whole(static_cast<std::int64_t>(one.parameters[0])),
                         whole(static_cast<std::int64_t>(one.parameters[1]))});
  }
  Plot plot{
      .name = "residual_by_length",
      .title = "How far operations are from equivariant",
      .description = "",
      .x = {.label = "tokens", .logarithmic = true, .log_base = 2},
      .y = {.label = "f(P x) less P f(x), largest entry", .logarithmic = true, .range = {{1e-13, 1e2}}},
      .curves = {},
      .caption =
          "Lines: median of 200 draws; bands: from the 5th to the 95th percentile. Width 16, each draw with its own tokens, weights and order; what is below 1e-12 is rounding, and is drawn at 1e-12."};
  const std::array<std::string_view, drawn_operations.size()> short_names = {
      "attention",           "batch norm", "attention, causal mask",
      "attention, encoding", "recurrent",  "convolution over 3"};
  for (std::size_t d = 0; d < drawn_operations.size(); ++d) {
    Curve curve{std::string(short_names[d]), {}};
    for (std::size_t l = 0; l < lengths.size(); ++l) {
      const Drawn& off = m.by_length[l][drawn_operations[d]].equivariance;
      // How large rounding is depends on the last bits of the exponentials, which are the processor's.
      const auto floor = [](double value) { return std::max(value, rounding); };
      curve.points.emplace_back(static_cast<double>(lengths[l]), floor(off.median()));
      curve.band.emplace_back(floor(off.band().first), floor(off.band().second));
    }
    const double at_16 = curve.points.back().second;
    plot.description += fmt::format("{}{}: {} at 16 tokens", d == 0 ? "" : "; ", short_names[d],
                                    at_16 > rounding ? scientific(at_16, 1) : "below 1e-12");
    plot.curves.push_back(std::move(curve));
  }
  plot.decimals = 2;
  plot.description =
      "Largest difference between the output for reordered tokens and the reordered output, against the number of tokens, both logarithmic; medians. " +
      plot.description + ".";
  return {
      Section{"By operation"},
      Paragraph{
          "To encode a sequence is to map its tokens to representations, n rows to n rows. "
          "An operation is *equivariant* if reordered tokens give the reordered rows, and *invariant* if they give the same rows. "
          "Self-attention is equivariant and not invariant: the word “permutation-invariant”, which is often used for it, is right only of an output that is pooled, as by a mean or a maximum. "
          "The conclusion is the same: it does not use the order of its tokens."},
      grid,
      Paragraph{
          "What acts on each token alone (projections, feed-forward, residual, LayerNorm) is equivariant to the last bit: row i of the output depends on row i of the input alone, so no order is added and none is mixed up. "
          "Attention and batch norm mix the tokens, but by sums that do not depend on their order: they are equivariant up to the rounding of a sum in another order. "
          "A causal mask, an encoding, a recurrent network, a convolution over neighbours and anything that has a parameter for each position are not equivariant."},
      plot};
}

std::vector<Block> queries_and_keys(const Measured& m) {
  Grid grid{
      .columns = {"attention", "queries reordered: A(P Q, K, V) less P A(Q, K, V)",
                  "keys and values reordered: A(Q, P K, P V) less A(Q, K, V)"},
      .rows = {},
      .caption =
          "Width 16, 2 heads; Q, K and V drawn independently, so that each can be reordered alone; largest absolute entry, median of 200 draws, 5th and 95th percentile; 0 and rounding as above."};
  for (const Apart& one : m.apart)
    grid.rows.push_back({one.operation, size_of(one.queries), size_of(one.keys)});
  Grid rows{
      .columns = {"of 6 tokens one is changed", "rows that change"},
      .rows = {},
      .caption =
          "Self-attention without mask and encoding, width 16, 2 heads; one draw (seed 1): which rows change does not depend on the draw."};
  for (const Changed& one : m.changed)
    rows.rows.push_back({one.what, fmt::format("{} of {}", one.rows, tokens)});
  return {
      Section{"Queries, keys and values"},
      Paragraph{
          "In self-attention queries, keys and values are three linear images of one input, X W_Q, X W_K and X W_V (Vaswani et al. 2017, section 3.2.2); they are equal for every input only where the matrices are. "
          "In cross-attention the queries come from another sequence. "
          "BERT (Devlin et al. 2018, section 3) is self-attention: its query is not the context and its key is not the token, but each of the three is a projection of the same hidden state. "
          "When one token changes, one query, one key and one value change, and all outputs do."},
      rows,
      Paragraph{
          "Attention is equivariant in the order of the queries and invariant in that of the key-value pairs, in cross-attention as in self-attention. "
          "Under a causal mask neither holds."},
      grid};
}

std::vector<Block> where_it_comes_from(const Measured& m) {
  Grid grid{
      .columns = {"quantity", "change over 12 positions"},
      .rows = {},
      .caption =
          "Width 16; logits of one head without projections (W = I, divided by 4) over 12 positions of both, largest less smallest value; largest difference of an entry from its value at position 0 for the state; median of 200 draws, 5th and 95th percentile; 0: the same bits in all draws."};
  for (const Moved& one : m.moved) grid.rows.push_back({one.quantity, size_of(one.change)});
  Grid bags{.columns = {"operation", "orders with the same mean of the outputs"},
            .rows = {},
            .caption = "Of all 720 orders of six tokens, for one draw (seed 1): to 1e-12."};
  for (const Bag& one : m.bags) bags.rows.push_back({one.operation, std::to_string(one.same)});
  return {
      Section{"The same token at another position"},
      Paragraph{
          "Without an encoding the logit of a query and a key, each given, does not change with their positions; the state of a recurrent network does. "
          "Under a causal mask a position can be understood as the context that has been streamed so far, not as the number of a row."},
      grid,
      Section{"It is the sum, not the parallel product"},
      Paragraph{fmt::format(
          "Read one key at a time, with sums that are rescaled as logits come, attention gives the same outputs as the batched product, to {} in 200 draws. "
          "So the parallel product is not the cause; attention under a causal mask is as parallel and uses the order. "
          "The cause is a sum over keys that does not depend on their order.",
          rounded(m.against_batched) ? "rounding (1e-12)" : "")},
      Section{"A bag of words"},
      Paragraph{
          "A mean over the outputs of self-attention is the same for every order of the tokens: it is a function of the bag of words. "
          "That of a convolution over 3 tokens depends on the first and the last token besides, whose neighbours are missing, so the 24 orders of the tokens between them give the same. "
          "Whether that is enough for a task is a question about trained models."},
      bags};
}

constexpr experiments::Reference devlin_2018{
    "Devlin et al.", "2018",
    "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding",
    "https://arxiv.org/abs/1810.04805"};
constexpr experiments::Reference ba_2016{"Ba, Kiros and Hinton", "2016", "Layer Normalization",
                                         "https://arxiv.org/abs/1607.06450"};
constexpr experiments::Reference ioffe_2015{
    "Ioffe and Szegedy", "2015",
    "Batch Normalization: Accelerating Deep Network Training by Reducing Internal Covariate Shift",
    "https://arxiv.org/abs/1502.03167"};
constexpr experiments::Reference milakov_2018{"Milakov and Gimelshein", "2018",
                                              "Online normalizer calculation for softmax",
                                              "https://arxiv.org/abs/1805.02867"};

Document run() {
  const Measured m = measure();
  prove(m);
  return {
      .title = "Attention is equivariant, and pooling makes it invariant",
      .finding = fmt::format(
          "Reordered tokens give the reordered outputs in 200 of 200 draws, to the bit for projections, feed-forward and LayerNorm and to rounding (1e-12) for batch norm and attention without a mask; "
          "a causal mask ({} off), a recurrent network ({}) and a convolution over 3 tokens ({}) use the order (medians, width 16, 6 tokens).",
          fixed(m.operations[6].equivariance.median(), 2), fixed(m.operations[8].equivariance.median(), 2),
          fixed(m.operations[9].equivariance.median(), 2)),
      .condition =
          "Random weights of variance 1/16 (1/64 in the second matrix of feed-forward, which has 64 inputs) and tokens of variance 1, width 16, 2 heads, 6 tokens unless said otherwise; 200 draws, seeds 1 to 200 (of the tokens of the first table and figure 1001 to 1200); gains of LayerNorm and of positions of variance 1; sinusoidal rows: base 10000, divisor d; nothing is trained; f64.",
      .blocks = joined(
          {by_operation(m),
           queries_and_keys(m),
           where_it_comes_from(m),
           {PageVerdict{
               "Of a Transformer without mask and encoding every operation is equivariant, so the whole is, and an output that is pooled by a mean or a maximum is invariant; that of the last token is not. "
               "Order comes in by a mask, an encoding or a parameter for each position; recurrent networks and convolutions over neighbours have it by construction."}},
           experiments::references({experiments::vaswani_2017, devlin_2018, ba_2016, ioffe_2015, milakov_2018,
                                    experiments::yun_2020})})};
}

}  // namespace

const Experiment entry{
    .question = "Which operations of a network treat all orders of its tokens alike?",
    .method =
        "Reorder the tokens, or queries and keys apart, of fourteen operations with random weights and compare the outputs.",
    .run = &run,
    .asked_by = Asker::understanding,
};

}  // namespace posproof::experiments_what_is_symmetric
