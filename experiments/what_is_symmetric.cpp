#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include "attention/dot_product.h"
#include "attention/encoder.h"
#include "attention/generator.h"
#include "attention/mask.h"
#include "attention/multi_head.h"
#include "attention/order.h"
#include "catalogue/encodings/sinusoidal.h"
#include "catalogue/experiments/what_is_symmetric.h"
#include "draws.h"
#include "measure.h"
#include "references.h"
#include "tables.h"

namespace posproof::experiments_what_is_symmetric {
namespace {

using namespace document;
using attention::Generator;
using experiments::Drawn;
using experiments::draws;
using experiments::joined;
using experiments::largest_difference;
using experiments::proved;
using experiments::whole;
using experiments::yes_no;

constexpr std::size_t dim = 16, tokens = 6;

// Entries are of size 1 and sums have at most 64 terms: what is below is rounding, what is above is not.
constexpr double rounding = 1e-12, effect = 1e-3;

using Order = std::vector<std::size_t>;

// Any that moves the last token.
Order random_order(Generator& numbers, std::size_t n) {
  Order out(n);
  std::iota(out.begin(), out.end(), std::size_t{0});
  do {
    for (std::size_t i = n - 1; i > 0; --i) std::swap(out[i], out[numbers.next() % (i + 1)]);
  } while (out.back() == n - 1);
  return out;
}

Tensor matrix(Generator& numbers) {
  return numbers.normal({dim, dim}, 1 / std::sqrt(static_cast<double>(dim)));
}

// ---- operations on a sequence ---------------------------------------------------------------------------

Tensor with_rows(Tensor x) {
  const Table table = experiments::table(encodings::sinusoidal, fmt::format("dim={}", dim));
  const Tensor p = experiments::rows(table, static_cast<Position>(x.rows()));
  for (std::size_t e = 0; e < x.data.size(); ++e) x.data[e] += p.data[e];
  return x;
}

// Over the tokens of the sequence, one mean and one variance for each channel (Ioffe and Szegedy 2015).
Tensor batch_normalised(const Tensor& x) {
  Tensor out(x.shape);
  const auto n = static_cast<double>(x.rows());
  for (std::size_t c = 0; c < x.width(); ++c) {
    double mean = 0, variance = 0;
    for (std::size_t t = 0; t < x.rows(); ++t) mean += x.at(t, c) / n;
    for (std::size_t t = 0; t < x.rows(); ++t) variance += (x.at(t, c) - mean) * (x.at(t, c) - mean) / n;
    for (std::size_t t = 0; t < x.rows(); ++t)
      out.at(t, c) = (x.at(t, c) - mean) / std::sqrt(variance + 1e-5);
  }
  return out;
}

// h_t = tanh(x_t U + h_(t-1) W), h_(-1) = 0 (Elman 1990).
Tensor recurrent(const Tensor& x, const Tensor& input, const Tensor& hidden) {
  Tensor out = attention::product(x, input);
  for (std::size_t t = 0; t < x.rows(); ++t)
    for (std::size_t c = 0; c < dim; ++c) {
      double sum = out.at(t, c);
      for (std::size_t b = 0; t > 0 && b < dim; ++b) sum += out.at(t - 1, b) * hidden.at(b, c);
      out.at(t, c) = static_cast<double>(std::tanh(static_cast<long double>(sum)));
    }
  return out;
}

// y_t = sum over s of x_(t+s) W_s for s from -reach to reach, zeros beyond the ends.
Tensor convolved(const Tensor& x, const std::vector<Tensor>& taps) {
  const auto reach = static_cast<std::ptrdiff_t>(taps.size() / 2), n = static_cast<std::ptrdiff_t>(x.rows());
  Tensor out(x.shape);
  for (std::ptrdiff_t s = -reach; s <= reach; ++s) {
    const Tensor y = attention::product(x, taps[static_cast<std::size_t>(s + reach)]);
    for (std::ptrdiff_t t = std::max<std::ptrdiff_t>(0, -s); t < std::min(n, n - s); ++t)
      for (std::size_t c = 0; c < dim; ++c)
        out.at(static_cast<std::size_t>(t), c) += y.at(static_cast<std::size_t>(t + s), c);
  }
  return out;
}

Tensor pooled(const Tensor& x, const std::function<double(double, double)>& join, double divisor) {
  Tensor out({1, x.width()}, std::vector<double>(x.row(0).begin(), x.row(0).end()));
  for (std::size_t t = 1; t < x.rows(); ++t)
    for (std::size_t c = 0; c < x.width(); ++c) out.at(0, c) = join(out.at(0, c), x.at(t, c));
  for (double& value : out.data) value /= divisor;
  return out;
}

struct Operation {
  std::string name;
  std::size_t parameters;  // for that many tokens
  std::function<Tensor(const Tensor&)> apply;
};

// With random weights of that seed, for sequences of n tokens.
std::vector<Operation> operations(std::uint64_t seed, std::size_t n) {
  Generator numbers(seed);
  const auto one = std::make_shared<Tensor>(matrix(numbers)),
             other = std::make_shared<Tensor>(matrix(numbers));
  const auto block = std::make_shared<attention::Block>(attention::random_block(dim, seed));
  block->after_attention.gain = numbers.normal({dim}, 1);
  const auto taps = std::make_shared<std::vector<Tensor>>();
  for (int s = 0; s < 3; ++s) taps->push_back(matrix(numbers));
  const auto gains = std::make_shared<Tensor>(numbers.normal({n, dim}, 1));
  const auto attend = [block](const Tensor& x, const Mask& mask) {
    return attention::multi_head(block->projections, attention::heads(dim, 2), x, x, mask);
  };
  return {
      {"projection x W", one->data.size(), [=](const Tensor& x) { return attention::product(x, *one); }},
      {"feed-forward", 8 * dim * dim + 5 * dim,
       [=](const Tensor& x) { return attention::transformed(block->feed_forward, x); }},
      {"residual and LayerNorm", dim * dim + 2 * dim,
       [=](const Tensor& x) {
         Tensor both = attention::product(x, *one);
         for (std::size_t e = 0; e < both.data.size(); ++e) both.data[e] += x.data[e];
         return attention::normalised(block->after_attention, both);
       }},
      {"convolution over 1 token", dim * dim, [=](const Tensor& x) { return convolved(x, {taps->front()}); }},
      {"self-attention", 4 * dim * dim, [=](const Tensor& x) { return attend(x, mask::none(x.rows())); }},
      {"batch norm over the tokens", 2 * dim, [](const Tensor& x) { return batch_normalised(x); }},
      {"self-attention, causal mask", 4 * dim * dim,
       [=](const Tensor& x) { return attend(x, mask::causal(x.rows())); }},
      {"self-attention, sinusoidal rows added", 4 * dim * dim,
       [=](const Tensor& x) { return attend(with_rows(x), mask::none(x.rows())); }},
      {"recurrent network", 2 * dim * dim, [=](const Tensor& x) { return recurrent(x, *one, *other); }},
      {"convolution over 3 tokens", 3 * dim * dim, [=](const Tensor& x) { return convolved(x, *taps); }},
      {"a gain for each position", gains->data.size(),
       [=](const Tensor& x) {
         Tensor out = x;
         for (std::size_t e = 0; e < out.data.size(); ++e) out.data[e] *= gains->data[e];
         return out;
       }},
      {"mean of all tokens", 0,
       [](const Tensor& x) { return pooled(x, std::plus<>(), static_cast<double>(x.rows())); }},
      {"largest of all tokens", 0,
       [](const Tensor& x) {
         return pooled(
             x, [](double a, double b) { return std::max(a, b); }, 1);
       }},
      {"the last token", 0,
       [](const Tensor& x) {
         const auto last = x.row(x.rows() - 1);
         return Tensor({1, dim}, std::vector<double>(last.begin(), last.end()));
       }},
  };
}

constexpr std::size_t of_positions = 11;  // the operations before keep positions, those from there on do not

struct Residuals {
  std::string name;
  std::array<std::size_t, 2> parameters;  // for 6 and for 12 tokens
  Drawn equivariance;                     // |f(P x) - P f(x)|
  Drawn invariance;                       // |f(P x) - f(x)|
};

void see(std::vector<Residuals>& all, std::size_t n, std::uint64_t seed) {
  Generator numbers(seed + 1000);
  const Tensor x = numbers.normal({n, dim}, 1);
  const Order order = random_order(numbers, n);
  const std::vector<Operation> what = operations(seed, n);
  for (std::size_t o = 0; o < what.size(); ++o) {
    const Tensor there = what[o].apply(attention::reordered(x, order)), here = what[o].apply(x);
    all[o].invariance.see(largest_difference(there.data, here.data));
    if (o < of_positions)
      all[o].equivariance.see(largest_difference(there.data, attention::reordered(here, order).data));
  }
}

std::vector<Residuals> residuals(std::size_t n) {
  std::vector<Residuals> out;
  const std::vector<Operation> one = operations(1, n), two = operations(1, 2 * n);
  for (std::size_t o = 0; o < one.size(); ++o)
    out.push_back({one[o].name, {one[o].parameters, two[o].parameters}, {}, {}});
  for (std::uint64_t seed = 1; seed <= draws; ++seed) see(out, n, seed);
  return out;
}

// ---- attention with queries and keys apart --------------------------------------------------------------

struct Apart {
  std::string operation;
  Drawn queries, keys;  // |A(PQ, K, V) - P A(Q, K, V)| and |A(Q, PK, PV) - A(Q, K, V)|
};

// queries, keys: how many; equal for self-attention.
Apart apart(std::string name, std::size_t queries, std::size_t keys, bool causal) {
  Apart out{std::move(name), {}, {}};
  const Attention heads = attention::heads(dim, 2);
  const Mask mask = causal ? mask::causal(queries) : mask::none(queries, keys);
  for (std::uint64_t seed = 1; seed <= draws; ++seed) {
    Generator numbers(seed);
    const Tensor q = numbers.normal({queries, dim}, 1), k = numbers.normal({keys, dim}, 1),
                 v = numbers.normal({keys, dim}, 1);
    const Order of_queries = random_order(numbers, queries), of_keys = random_order(numbers, keys);
    const Tensor here = heads.attend(q, k, v, mask);
    out.queries.see(largest_difference(heads.attend(attention::reordered(q, of_queries), k, v, mask).data,
                                       attention::reordered(here, of_queries).data));
    out.keys.see(largest_difference(
        heads.attend(q, attention::reordered(k, of_keys), attention::reordered(v, of_keys), mask).data,
        here.data));
  }
  return out;
}

// ---- what Q, K and V are --------------------------------------------------------------------------------

struct Changed {  // rows that are others when token 2 of 6 is another
  std::string what;
  std::size_t rows;
};

std::size_t rows_changed(const Tensor& a, const Tensor& b) {
  std::size_t out = 0;
  for (std::size_t t = 0; t < a.rows(); ++t) out += !std::ranges::equal(a.row(t), b.row(t));
  return out;
}

std::vector<Changed> changed(std::uint64_t seed) {
  Generator numbers(seed);
  const Tensor x = numbers.normal({tokens, dim}, 1);
  Tensor y = x;
  for (double& value : y.row(2)) value += numbers.normal();
  const attention::Projections w = attention::random_projections(dim, seed);
  const Attention heads = attention::heads(dim, 2);
  const auto output = [&](const Tensor& at) {
    return attention::multi_head(w, heads, at, at, mask::none(tokens));
  };
  return {{"queries", rows_changed(attention::product(x, w.query), attention::product(y, w.query))},
          {"keys", rows_changed(attention::product(x, w.key), attention::product(y, w.key))},
          {"values", rows_changed(attention::product(x, w.value), attention::product(y, w.value))},
          {"outputs", rows_changed(output(x), output(y))}};
}

// ---- the same token at other positions ------------------------------------------------------------------

struct Moved {
  std::string quantity;
  Drawn change;  // largest less smallest, over all positions
};

// A query token and a key token, each at 12 positions of a sequence of other tokens; a token that a recurrent
// network reads after 0, 1, ..., 11 others.
std::vector<Moved> moved() {
  constexpr std::size_t places = 12;
  std::vector<Moved> out = {{"logit of two tokens, no encoding", {}},
                            {"logit of two tokens, sinusoidal rows added", {}},
                            {"state of a recurrent network after the token", {}}};
  for (std::uint64_t seed = 1; seed <= draws; ++seed) {
    Generator numbers(seed);
    const Tensor q = numbers.normal({1, dim}, 1), k = numbers.normal({1, dim}, 1),
                 others = numbers.normal({places, dim}, 1), input = matrix(numbers), hidden = matrix(numbers);
    Tensor queries({places, dim}), keys({places, dim});
    for (std::size_t t = 0; t < places; ++t) {
      std::ranges::copy(q.row(0), queries.row(t).begin());
      std::ranges::copy(k.row(0), keys.row(t).begin());
    }
    const auto spread = [](const Tensor& logits) {
      const auto [least, most] = std::ranges::minmax(logits.data);
      return most - least;
    };
    out[0].change.see(spread(attention::scaled_logits(queries, keys)));
    out[1].change.see(spread(attention::scaled_logits(with_rows(queries), with_rows(keys))));
    double most = 0;
    std::vector<double> first;
    for (std::size_t t = 0; t < places; ++t) {
      Tensor x = others;
      std::ranges::copy(q.row(0), x.row(t).begin());
      const Tensor states = recurrent(x, input, hidden);
      const std::vector<double> state(states.row(t).begin(), states.row(t).end());
      if (t == 0) first = state;
      most = std::max(most, largest_difference(state, first));
    }
    out[2].change.see(most);
  }
  return out;
}

// ---- one key after the other ----------------------------------------------------------------------------

// The same attention with one head, read one key at a time: sums that are rescaled when a larger logit comes
// (Milakov and Gimelshein 2018).
Tensor one_key_at_a_time(const Tensor& q, const Tensor& k, const Tensor& v) {
  Tensor out({q.rows(), v.width()});
  for (std::size_t i = 0; i < q.rows(); ++i) {
    long double largest = 0, sum = 0;
    std::vector<long double> total(v.width(), 0.0L);
    for (std::size_t j = 0; j < k.rows(); ++j) {
      long double logit = 0;
      for (std::size_t c = 0; c < q.width(); ++c)
        logit += static_cast<long double>(q.at(i, c)) * static_cast<long double>(k.at(j, c));
      logit /= std::sqrt(static_cast<long double>(q.width()));
      const long double now = j == 0 ? logit : std::max(largest, logit);
      const long double kept = j == 0 ? 0 : std::exp(largest - now), weight = std::exp(logit - now);
      sum = sum * kept + weight;
      for (std::size_t c = 0; c < v.width(); ++c)
        total[c] = total[c] * kept + weight * static_cast<long double>(v.at(j, c));
      largest = now;
    }
    for (std::size_t c = 0; c < v.width(); ++c) out.at(i, c) = static_cast<double>(total[c] / sum);
  }
  return out;
}

Drawn against_batched() {
  Drawn out;
  for (std::uint64_t seed = 1; seed <= draws; ++seed) {
    Generator numbers(seed);
    const Tensor q = numbers.normal({tokens, dim}, 1), k = numbers.normal({tokens, dim}, 1),
                 v = numbers.normal({tokens, dim}, 1);
    out.see(largest_difference(one_key_at_a_time(q, k, v).data,
                               attention::scaled_dot_product(q, k, v, mask::none(tokens)).data));
  }
  return out;
}

// ---- bags of words --------------------------------------------------------------------------------------

struct Bag {
  std::string operation;
  std::size_t same;  // of the 720 orders of six tokens: the mean of the outputs is the same
};

std::vector<Bag> bags() {
  Generator numbers(1);
  const Tensor x = numbers.normal({tokens, dim}, 1);
  const std::vector<Operation> all = operations(1, tokens);
  std::vector<Bag> out;
  for (const std::size_t o : {4, 6, 7, 8, 9}) {
    const auto mean = [&](const Tensor& at) { return pooled(all[o].apply(at), std::plus<>(), tokens).data; };
    const std::vector<double> here = mean(x);
    Order order(tokens);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::size_t same = 0;
    do same += largest_difference(mean(attention::reordered(x, order)), here) < rounding;
    while (std::ranges::next_permutation(order).found);
    out.push_back({all[o].name, same});
  }
  return out;
}

// ---- the page -------------------------------------------------------------------------------------------

constexpr std::array<std::size_t, 3> lengths = {4, 8, 16};
constexpr std::array<std::size_t, 6> drawn_operations = {4, 5, 6, 7, 8, 9};

struct Measured {
  std::vector<Residuals> operations;  // 6 tokens
  std::array<std::vector<Residuals>, lengths.size()> by_length;
  std::vector<Apart> apart;
  std::vector<Changed> changed;
  std::vector<Moved> moved;
  Drawn against_batched;
  std::vector<Bag> bags;
};

Measured measure() {
  Measured m{.operations = residuals(tokens),
             .by_length = {},
             .apart = {apart("6 queries, 6 keys", tokens, tokens, false),
                       apart("cross-attention, 5 queries, 7 keys", 5, 7, false),
                       apart("6 queries, 6 keys, causal mask", tokens, tokens, true)},
             .changed = changed(1),
             .moved = moved(),
             .against_batched = against_batched(),
             .bags = bags()};
  for (std::size_t l = 0; l < lengths.size(); ++l) m.by_length[l] = residuals(lengths[l]);
  return m;
}

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
      .y = {.label = "f(P x) less P f(x), largest entry", .logarithmic = true, .range = {{1e-17, 1e2}}},
      .curves = {},
      .caption =
          "Lines: median of 200 draws; bands: from the 5th to the 95th percentile. Width 16, each draw with its own tokens, weights and order; a difference of 0 is drawn at 1e-17."};
  const std::array<std::string_view, drawn_operations.size()> short_names = {
      "attention",           "batch norm", "attention, causal mask",
      "attention, encoding", "recurrent",  "convolution over 3"};
  for (std::size_t d = 0; d < drawn_operations.size(); ++d) {
    Curve curve{std::string(short_names[d]), {}};
    for (std::size_t l = 0; l < lengths.size(); ++l) {
      const Drawn& off = m.by_length[l][drawn_operations[d]].equivariance;
      const auto floor = [](double value) { return std::max(value, 1e-17); };
      curve.points.emplace_back(static_cast<double>(lengths[l]), floor(off.median()));
      curve.band.emplace_back(floor(off.band().first), floor(off.band().second));
    }
    plot.description += fmt::format("{}{}: {} at 16 tokens", d == 0 ? "" : "; ", short_names[d],
                                    scientific(curve.points.back().second, 1));
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
          "Self-attention is equivariant and not invariant: the word “permutation-invariant”, which is often used for it, is right of a pooled output only. "
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
          "In self-attention queries, keys and values are three linear images of one input, X W_Q, X W_K and X W_V (Vaswani et al. 2017, section 3.2.2); they are equal only where the matrices are. "
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
          "Width 16; largest less smallest value for the logits, largest difference of an entry from its value at position 0 for the state; median of 200 draws, 5th and 95th percentile; 0: the same bits in all draws."};
  for (const Moved& one : m.moved) grid.rows.push_back({one.quantity, size_of(one.change)});
  Grid bags{.columns = {"operation", "orders with the same mean of the outputs"},
            .rows = {},
            .caption = "Of all 720 orders of six tokens, for one draw (seed 1): to 1e-12."};
  for (const Bag& one : m.bags) bags.rows.push_back({one.operation, std::to_string(one.same)});
  return {
      Section{"The same token at another position"},
      Paragraph{
          "Without an encoding the logit of a query and a key does not change with their positions; the state of a recurrent network does. "
          "A causal mask is the reading in which a position is the context streamed so far, and not the number of a row."},
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
          "Random weights of variance 1/16 and tokens of variance 1, width 16, 2 heads, 6 tokens unless said otherwise; 200 draws, seeds 1 to 200 (of the tokens of the first table and figure 1001 to 1200); gains of LayerNorm of variance 1; nothing is trained; f64.",
      .blocks = joined(
          {by_operation(m),
           queries_and_keys(m),
           where_it_comes_from(m),
           {PageVerdict{
               "Of a Transformer without mask and encoding every operation is equivariant, so the whole is, and a pooled output is invariant. "
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
