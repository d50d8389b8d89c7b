#include "diagnosis/operator_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>

#include "attention/dot_product.h"
#include "attention/mask.h"
#include "attention/reference_attention.h"
#include "core/call.h"
#include "core/formats.h"
#include "core/function.h"
#include "core/spec.h"
#include "diagnosis/measured_words.h"
#include "diagnosis/pair_forms.h"

namespace posproof {
namespace {

constexpr double hidden = -std::numeric_limits<double>::infinity();

std::vector<Position> numbered_rows(std::size_t n) {
  std::vector<Position> out(n);
  std::iota(out.begin(), out.end(), Position{0});
  return out;
}

// Logits of one head as they are before a softmax, of all keys, whatever the mask: [nq, nk].
using Logits = Function<Tensor(const Tensor& q, const Tensor& k)>;

Logits logits_of(const Contextual& encoding) {
  return [encoding](const Tensor& q, const Tensor& k) {
    Tensor out = encoding.logits(q, k, numbered_rows(q.rows()), numbered_rows(k.rows()));
    if (out.shape != Shape{1, q.rows(), k.rows()}) throw Refusal("several heads");
    return Tensor({q.rows(), k.rows()}, std::move(out.data));
  };
}

// Of an operator that gives weights alone, and whose positions are seen without content: a key that is the
// query's own has nothing from its position. Later keys are hidden.
Logits logits_of(const Attention& reference) {
  return [reference](const Tensor& q, const Tensor& k) {
    const std::size_t nq = q.rows(), nk = k.rows();
    Tensor out = attention::scaled_logits(q, k);
    Mask causal({nq, nk});
    for (std::size_t i = 0; i < nq; ++i)
      for (std::size_t j = 0; j < nk && j <= i; ++j) causal.at(i, j) = 1;
    const Tensor without(q.shape);
    for (std::size_t from = 0; from < nk; from += reference.value_dim) {
      Tensor v({nk, reference.value_dim});
      const std::size_t some = std::min(reference.value_dim, nk - from);
      for (std::size_t n = 0; n < some; ++n) v.at(from + n, n) = 1;
      const Tensor weights = reference.attend(without, k, v, causal);
      for (std::size_t i = 0; i < nq; ++i)
        for (std::size_t n = 0; n < some; ++n) out.at(i, from + n) += std::log(weights.at(i, n));
    }
    for (std::size_t i = 0; i < nq; ++i) {
      const std::size_t own = std::min(i, nk - 1);
      double product = 0;
      for (std::size_t c = 0; c < q.width(); ++c) product += q.at(i, c) * k.at(own, c);
      const double above = out.at(i, own) - product / std::sqrt(static_cast<double>(q.width()));
      for (std::size_t j = 0; j < nk; ++j) out.at(i, j) = j > i ? hidden : out.at(i, j) - above;
    }
    return out;
  };
}

// Of logits that grow from token to token: what each adds is another function of what it adds as declared.
Logits adding(const Logits& declared, const Function<double(double)>& other) {
  return [=](const Tensor& q, const Tensor& k) {
    Tensor out = declared(q, k);
    const Tensor content = attention::scaled_logits(q, k);
    std::vector<double> added(out.rows());
    for (std::size_t i = 1; i < out.rows() && i < out.width(); ++i)
      added[i] = other(out.at(i, i - 1) - content.at(i, i - 1));
    for (std::size_t i = 0; i < out.rows(); ++i) {
      double sum = 0;
      for (std::size_t j = std::min(i + 1, out.width()); j-- > 0;) {
        out.at(i, j) = content.at(i, j) + sum;
        sum += added[j];
      }
    }
    return out;
  };
}

// What positions add to a product of query and key is no less than the limit.
Logits limited(const Logits& declared, double limit) {
  return [=](const Tensor& q, const Tensor& k) {
    Tensor out = declared(q, k);
    const Tensor content = attention::scaled_logits(q, k);
    for (std::size_t i = 0; i < out.rows(); ++i)
      for (std::size_t j = 0; j < out.width() && j <= i; ++j)
        out.at(i, j) = content.at(i, j) + std::max(out.at(i, j) - content.at(i, j), limit);
    return out;
  };
}

// The number that is added to the logits of the first three of many keys alike, where less was declared.
std::optional<double> limit_of(const Attention& subject, const Logits& declared) {
  constexpr std::size_t n = 24;
  const Tensor q({n, subject.dim});
  Tensor k({n, subject.dim});
  // Eighths, which every format has.
  for (std::size_t e = 0; e < k.data.size(); ++e) k.data[e] = (static_cast<double>(7 * e % 17) - 8) / 8;
  const Tensor is = logits_of(subject)(q, k), ought = declared(q, k);
  const double limit = is.at(n - 1, 0);
  for (std::size_t j = 0; j < 3; ++j)
    if (!(std::abs(is.at(n - 1, j) - limit) < 1e-4 && ought.at(n - 1, j) < limit - 0.01)) return std::nullopt;
  return std::abs(limit - std::round(limit)) < 1e-4 ? std::round(limit) : limit;
}

// Weights, of the logits of all keys and the mask.
using Weighing = Function<Tensor(const Tensor& logits, const Mask& mask)>;

Tensor seen(const Tensor& logits, const Mask& mask, const Function<double(double)>& weight) {
  Tensor out(logits.shape);
  for (std::size_t i = 0; i < out.rows(); ++i)
    for (std::size_t j = 0; j < out.width(); ++j)
      out.at(i, j) = mask.at(i, j) != 0 ? weight(logits.at(i, j)) : 0;
  return out;
}

Tensor divided_by_sums(Tensor weights) {
  for (std::size_t i = 0; i < weights.rows(); ++i) {
    double sum = 0;
    for (const double w : weights.row(i)) sum += w;
    for (double& w : weights.row(i)) w = sum == 0 ? 0 : w / sum;
  }
  return weights;
}

Tensor over_all(const Tensor& logits) {
  return attention::softmax(logits, mask::none(logits.rows(), logits.width()));
}

Tensor over_queries(const Tensor& logits, const Mask& mask) {
  Tensor out(logits.shape);
  for (std::size_t j = 0; j < out.width(); ++j) {
    double most = hidden, sum = 0;
    for (std::size_t i = 0; i < out.rows(); ++i)
      if (mask.at(i, j) != 0) most = std::max(most, logits.at(i, j));
    for (std::size_t i = 0; i < out.rows(); ++i)
      if (mask.at(i, j) != 0) sum += out.at(i, j) = std::exp(logits.at(i, j) - most);
    for (std::size_t i = 0; i < out.rows(); ++i) out.at(i, j) = sum == 0 ? 0 : out.at(i, j) / sum;
  }
  return out;
}

Tensor less_where_hidden(Tensor logits, const Mask& mask, double less) {
  for (std::size_t i = 0; i < logits.rows(); ++i)
    for (std::size_t j = 0; j < logits.width(); ++j)
      if (mask.at(i, j) == 0) logits.at(i, j) -= less;
  return logits;
}

// e^logit, as a format of which this is the largest number keeps it.
struct Powers {
  double largest;
  double (*rounded)(double);

  double of(double logit) const {
    const double power = std::exp(logit);
    return power > largest ? std::numeric_limits<double>::infinity() : rounded(power);
  }
};

// A sum of powers that overflow is infinite, and infinite over infinite is no number; nor is 0 over 0 where
// all of them are too small. The sum is kept in the same format, or in a wider one.
Tensor over_sums(const Tensor& logits, const Mask& mask, const Powers& powers, bool sum_is_wider) {
  Tensor out = seen(logits, mask, [&](double logit) { return powers.of(logit); });
  for (std::size_t i = 0; i < out.rows(); ++i) {
    double sum = 0;
    for (const double w : out.row(i)) sum += w;
    if (!sum_is_wider && sum > powers.largest) sum = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < out.width(); ++j)
      if (mask.at(i, j) != 0) out.at(i, j) /= sum;
  }
  return out;
}

std::vector<std::pair<std::string, Weighing>> softmaxes_that_overflow() {
  const struct {
    std::string_view format;
    Powers powers;
  } all[] = {{"f16", {65504, [](double x) { return to_f16(x); }}},
             {"f32 or bf16", {0x1.fffffep127, [](double x) { return to_f32(x); }}},
             {"f64", {std::numeric_limits<double>::max(), [](double x) { return x; }}}};
  std::vector<std::pair<std::string, Weighing>> out;
  for (const auto& [format, powers] : all)
    for (const bool wider : {true, false})
      out.emplace_back(
          fmt::format("the softmax does not take the largest logit off: in {}{} e^x overflows from "
                      "x = {} on",
                      format, wider ? "" : ", sums included,", number(std::log(powers.largest), 1e-5)),
          [powers = powers, wider](const Tensor& l, const Mask& m) {
            return over_sums(l, m, powers, wider);
          });
  return out;
}

std::vector<std::pair<std::string, Weighing>> weighings() {
  const auto positive = [](double logit) { return std::max(logit, 0.0); };
  const auto sigmoid = [](double logit) { return 1 / (1 + std::exp(-logit)); };
  return {
      {"the softmax runs over the queries, not over the keys", &over_queries},
      {"max(logit, 0), divided by its sum over the keys, stands for the softmax",
       [=](const Tensor& l, const Mask& m) { return divided_by_sums(seen(l, m, positive)); }},
      {"max(logit, 0) stands for the softmax",
       [=](const Tensor& l, const Mask& m) { return seen(l, m, positive); }},
      {"the sigmoid of each logit stands for the softmax",
       [=](const Tensor& l, const Mask& m) { return seen(l, m, sigmoid); }},
      {"the mask is applied after the softmax: the weights of a query do not add up to 1",
       [](const Tensor& l, const Mask& m) { return seen(over_all(l), m, [](double w) { return w; }); }},
      {"the mask is multiplied with the logits: a hidden key has logit 0",
       [](const Tensor& l, const Mask& m) {
         return over_all(seen(l, m, [](double logit) { return logit; }));
       }},
  };
}

// Of an operator whose values have positions, too, whose answer is a sum that is linear in values: it is
// multiplied by the share that the keys a query sees have in the weights of all.
Attention masked_after_softmax(const Attention& reference, const Attention& truth) {
  Attention out = truth;
  out.attend = [reference](const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    const Mask all = mask::none(q.rows(), k.rows());
    const Tensor nothing(v.shape), without = reference.attend(q, k, nothing, all);
    Tensor to = reference.attend(q, k, v, mask);
    const std::size_t width = v.width();  // so many queries at once, each in a column
    for (std::size_t from = 0; from < to.rows(); from += width) {
      const std::size_t some = std::min(width, to.rows() - from);
      Tensor is_seen = nothing;
      for (std::size_t n = 0; n < some; ++n)
        for (std::size_t j = 0; j < k.rows(); ++j) is_seen.at(j, n) = mask.at(from + n, j);
      const Tensor with = reference.attend(q, k, is_seen, all);
      for (std::size_t n = 0; n < some; ++n)
        for (double& y : to.row(from + n)) y *= with.at(from + n, n) - without.at(from + n, n);
    }
    return to;
  };
  return out;
}

// What is done to values before, and to the answer after they are weighed.
using Moving = Function<Tensor(const Tensor& x)>;

Attention made(const Attention& truth, const Logits& logits, const Weighing& weigh, double size = 1,
               const Moving& values = {}, const Moving& answers = {}) {
  // Weights that are no softmax lose less by its terms, and sums up to `size` times as much.
  Attention out = as_other_operators(truth, size);
  out.attend = [=](const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    const Tensor weights = weigh(logits(q, k), mask);
    const Tensor y = attention::product(weights, values ? values(v) : v);
    return answers ? answers(y) : y;
  };
  return out;
}

Tensor softmax(const Tensor& logits, const Mask& mask) {
  return attention::softmax(logits, mask);
}

// By how much the logit of a hidden key is smaller: of two keys, the second hidden, without content.
std::optional<double> less_of_hidden(const Attention& subject, const Logits& logits) {
  const Tensor q({1, subject.dim}), k({2, subject.dim});
  Tensor v({2, subject.value_dim});
  v.at(1, 0) = 1;
  const Mask mask({1, 2}, {1, 0});
  const double weight = subject.attend(q, k, v, mask).data.at(0);
  if (!(weight > 1e-4 && weight < 1)) return std::nullopt;
  const Tensor of = logits(q, k);
  const double less = of.at(0, 1) - of.at(0, 0) - std::log(weight / (1 - weight));
  if (!std::isfinite(less)) return std::nullopt;
  return std::abs(less - std::round(less)) < 1e-4 ? std::round(less) : less;
}

Moving rotated(const Rotary& rotary, Role role, Position sign = 1) {
  return [=](const Tensor& x) {
    std::vector<Position> at = numbered_rows(x.rows());
    for (Position& t : at) t *= sign;
    Tensor out = rotary.rotate(Tensor({1, 1, x.rows(), x.width()}, x.data), at, role);
    return Tensor(x.shape, std::move(out.data));
  };
}

// The declared logits of other positions than those of the pair.
Logits at_other_positions(const Contextual& encoding, const PairForm& form) {
  return [=](const Tensor& q, const Tensor& k) {
    const std::vector<Position> i = numbered_rows(q.rows()), j = numbered_rows(k.rows());
    Tensor out({q.rows(), k.rows()});
    for (std::size_t r = 0; r < out.rows(); ++r)
      for (std::size_t c = 0; c < out.width(); ++c) {
        const auto [a, b] = form.to({i[r], j[c], r, c, i, j});
        const Position at[] = {a}, key[] = {b};
        const auto query = q.row(r), of = k.row(c);
        out.at(r, c) = encoding
                           .logits(Tensor({1, q.width()}, {query.begin(), query.end()}),
                                   Tensor({1, k.width()}, {of.begin(), of.end()}), at, key)
                           .data.at(0);
      }
    return out;
  };
}

std::vector<PairForm> forms_inside() {
  using A = const AskedPair&;
  std::vector<PairForm> out = {
      {"keys count as 0", [](A a) { return std::pair(a.i, Position{0}); }},
      {"queries count as 0", [](A a) { return std::pair(Position{0}, a.j); }},
      {"keys have their positions with the other sign", [](A a) { return std::pair(a.i, -a.j); }},
      {"keys are numbered from the last to the first",
       [](A a) { return std::pair(a.i, static_cast<Position>(a.keys.size()) - 1 - a.j); }}};
  for (PairForm& form : pair_forms("logit")) out.push_back(std::move(form));
  return out;
}

}  // namespace

OperatorRules operator_rules(const Attention& subject, const Attention& reference, const Attention& truth,
                             const Encoding& encoding) {
  // The declared error is that of weights whose sum is 1. Of 7 queries, which a drawn call has at most, a key
  // has up to 7 in place of 1, and a logit of up to 9 in place of its exponential over their sum: 63, and one
  // for the sum itself.
  constexpr double many = 64;
  OperatorRules out{many, {}};
  if (!truth.errors) return out;
  try {
    const auto contextual = attention::to_logits(encoding);
    if (contextual && contextual->heads != 1) return out;
    const Logits logits = contextual ? logits_of(*contextual) : logits_of(reference);
    const auto add = [&](std::string words, Attention made) {
      out.all.push_back({{std::move(words)}, std::move(made), true});
    };
    if (const auto less = less_of_hidden(subject, logits))
      add(fmt::format("a mask hides a key by no more than {} off its logit: hidden keys are seen",
                      number(*less, 1e-4)),
          made(truth, logits, [less = *less](const Tensor& l, const Mask& m) {
            return over_all(less_where_hidden(l, m, less));
          }));
    for (const auto& [words, weigh] : weighings()) add(words, made(truth, logits, weigh, many));
    for (const auto& [words, weigh] : softmaxes_that_overflow()) add(words, made(truth, logits, weigh));
    if (!contextual && !truth.causal)
      add("the mask is applied after the softmax: the weights of a query do not add up to 1",
          masked_after_softmax(reference, truth));
    if (!contextual) {
      const std::string adds = "what a token adds to the logits of keys before it is ";
      add(adds + "e^x of the declared x: no logarithm is taken",
          made(truth, adding(logits, [](double x) { return std::exp(x); }), &softmax));
      add(adds + "-e^x of the declared x: the gate stands for its logarithm",
          made(truth, adding(logits, [](double x) { return -std::exp(x); }), &softmax));
      if (const auto limit = limit_of(subject, logits))
        add(fmt::format("what is added to the logit of a key is no less than {}", number(*limit, 1e-4)),
            made(truth, limited(logits, *limit), &softmax));
      return out;
    }
    for (const PairForm& form : forms_inside())
      add(form.words, made(truth, at_other_positions(*contextual, form), &softmax));
    if (!signature(encoding).role) return out;
    const Rotary& rotary = as<Rotary>(encoding);
    if (rotary.heads != 1 || rotary.dim != truth.value_dim) return out;
    constexpr double by_angles = 4;  // what is rotated once more
    add("values are rotated, as keys are",
        made(truth, logits, &softmax, by_angles, rotated(rotary, Role::key)));
    const PairForm keys_at_0{"", [](const AskedPair& a) { return std::pair(a.i, Position{0}); }};
    add("values are rotated, and keys are not", made(truth, at_other_positions(*contextual, keys_at_0),
                                                     &softmax, by_angles, rotated(rotary, Role::key)));
    add("the answer is rotated, as its query is",
        made(truth, logits, &softmax, by_angles, {}, rotated(rotary, Role::query)));
    add("values are rotated, as keys are, and the answer is rotated back by its query's position",
        made(truth, logits, &softmax, by_angles, rotated(rotary, Role::key),
             rotated(rotary, Role::query, -1)));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {  // declined, died, another shape
  }
  return out;
}

}  // namespace posproof
