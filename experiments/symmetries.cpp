#include "symmetries.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>

#include "attention/dot_product.h"
#include "attention/encoder.h"
#include "attention/generator.h"
#include "attention/mask.h"
#include "attention/multi_head.h"
#include "attention/order.h"
#include "catalogue/encodings/sinusoidal.h"
#include "core/function.h"
#include "measure.h"
#include "tables.h"

namespace posproof::experiments::symmetries {
namespace {

using attention::Generator;

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

Tensor pooled(const Tensor& x, const Function<double(double, double)>& join, double divisor) {
  Tensor out({1, x.width()}, std::vector<double>(x.row(0).begin(), x.row(0).end()));
  for (std::size_t t = 1; t < x.rows(); ++t)
    for (std::size_t c = 0; c < x.width(); ++c) out.at(0, c) = join(out.at(0, c), x.at(t, c));
  for (double& value : out.data) value /= divisor;
  return out;
}

struct Operation {
  std::string name;
  std::size_t parameters;  // for that many tokens
  Function<Tensor(const Tensor&)> apply;
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

}  // namespace

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

}  // namespace posproof::experiments::symmetries
