#include "catalogue/properties/attention/is_causal.h"
#include "attention/dot_product.h"
#include "attention/reference_attention.h"
#include "negative_examples.h"
#include "tokens.h"

namespace posproof::properties_attention_is_causal {
namespace {

Residual check(const Attention& attention, Precision p, Draw& draw) {
  const auto n = static_cast<std::size_t>(draw.integer("n", 2, 8));
  const auto first = static_cast<std::size_t>(draw.integer("first", 1, static_cast<std::int64_t>(n) - 1));
  const Tensor x = draw.content("x", {n, attention.dim});
  const Tensor later = draw.content("later", {n - first, attention.dim});

  Tensor y = x;
  for (std::size_t r = first; r < n; ++r)
    std::copy(later.row(r - first).begin(), later.row(r - first).end(), y.row(r).begin());
  const Mask mask = mask::causal(n);
  const Tensor with_x = tokens::attend(attention, x, mask), with_y = tokens::attend(attention, y, mask);
  const std::size_t before = first * attention.value_dim;
  // The exact rows before `first` are the same by the statement, each answer is within its error of them. Bit
  // for bit would refuse a kernel that keeps a running maximum over keys it will not use.
  const double bound = tokens::error_of_both(attention, x, mask, y, mask, p);
  return difference(std::span(with_y.data).first(before), std::span(with_x.data).first(before), bound,
                    x == y ? 0 : no_ceiling);
}

// The operator without position, of 4 channels, that takes `penalty` off the logit of a key that it may not
// see.
Encoding taking_off(double penalty) {
  const Bias nothing{.heads = 1, .bias = [](std::span<const Position> a, std::span<const Position> b) {
                       return Tensor({1, a.size(), b.size()});
                     }};
  Attention attention = attention::reference_attention(nothing);
  attention.attend = [penalty](const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    Tensor logits = attention::scaled_logits(q, k);
    for (std::size_t e = 0; e < logits.data.size(); ++e) logits.data[e] -= mask.data[e] == 0 ? penalty : 0;
    return attention::product(attention::softmax(logits, mask::none(q.rows(), k.rows())), v);
  };
  return attention;
}

// Every query sees the key after its own as well.
Encoding one_key_ahead() {
  Attention attention = as<Attention>(taking_off(0));
  attention.attend = [](const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    Mask seen = mask;
    for (std::size_t i = 0; i + 1 < seen.rows(); ++i) seen.at(i, i + 1) = 1;
    return attention::scaled_dot_product(q, k, v, seen);
  };
  return attention;
}

// Each answer is larger by a 2^17th where the next value is above 0: 128 units of f32, where each of two
// answers may be off by 8 and a few.
Encoding leak() {
  Attention attention = as<Attention>(taking_off(0));
  attention.attend = [](const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    Tensor out = attention::scaled_dot_product(q, k, v, mask);
    for (std::size_t i = 0; i + 1 < v.rows(); ++i)
      for (std::size_t c = 0; c < v.width(); ++c) out.at(i, c) *= v.at(i + 1, c) > 0 ? 1 + 0x1p-17 : 1;
    return out;
  };
  return attention;
}

// The first answer is larger by so much where the last value is above 0.
Encoding growing(double by) {
  return spoiled(tokens::still_attention(), [by](const AnswerEntry& at, double exact) {
    const bool grows = at.token == 0 && at.channel == 0 && at.call->contents.back().data.back() > 0;
    return grows ? exact * (1 + by) : exact;
  });
}

Encoding soft_mask() {
  return taking_off(16);
}

// The last token is seen by what comes before it: a rotation and logits are told of all of them.
Encoding leaking(Encoding (*right)(), double by) {
  return spoiled(right(), [by](const AnswerEntry& at, double exact) {
    const bool early = at.key == 0 && at.head == 0 && at.channel == 0 && at.token < 2;
    return early ? exact + by * at.call->contents.back().data.back() : exact;
  });
}

// Of the four calls of a case, two answers and a bound for each, the second.
const tokens::WrongEntries every_fourth{
    "the first key of the first two tokens in every fourth answer", [](const AnswerEntry& at) {
      return at.key + at.head + at.channel == 0 && at.token < 2 && at.calls % 4 == 1;
    }};

}  // namespace

const Property entry{
    .statement = "Under the causal mask no token changes an answer before it.",
    .formula = "x_r = y_r for r <= i  =>  f(X; causal)_i = f(Y; causal)_i",
    .source =
        "Vaswani et al. 2017, section 3.2.3: masking out all values which correspond to illegal connections",
    .checks = {CheckOf<Attention>(&check)},
    .must_reject = tokens::joined(
        {{"a mask that takes 16 off the logit, a weight of 1e-7", &soft_mask},
         {"a mask that shows the next key too", &one_key_ahead},
         {"answers that grow by a 2^17th where the next value is above 0, in f32", &leak, all_f32},
         {"a first answer that grows by a 2^17th where the last value is above 0, in f32",
          [] { return growing(0x1p-17); }, all_f32},
         {"a first answer that grows by a 16th where the last value is above 0, in bf16",
          [] { return growing(0x1p-4); }, tokens::bf16},
         {"a rotation that adds 2^-16 of the last token to the first two, in f32",
          [] { return leaking(&tokens::still_rotary, 0x1p-16); }, all_f32},
         {"a rotation that adds -2^-1 of the last token to the first two, in bf16",
          [] { return leaking(&tokens::still_rotary, -0x1p-1); }, tokens::bf16},
         {"logits that add 2^-16 of the last token to the first two, in f32",
          [] { return leaking(&tokens::still_contextual, 0x1p-16); }, all_f32},
         {"logits that add -2^-1 of the last token to the first two, in bf16",
          [] { return leaking(&tokens::still_contextual, -0x1p-1); }, tokens::bf16}},
        tokens::wrong_by({{&tokens::still_table, -20, -4}, {&tokens::still_bias, -17, -2}}, every_fourth)),
    .universal = true,
};

}  // namespace posproof::properties_attention_is_causal
