#include <algorithm>
#include <cmath>
#include <utility>

#include "core/function.h"

#include "diagnosis/call_effects.h"

namespace posproof {
namespace {

// Whether a query sees a key in the place of what the mask says.
using Sees = Function<bool(const Mask& mask, std::size_t query, std::size_t key)>;

// Keys at the end that no query sees.
bool is_padding(const Mask& mask) {
  return mask.rows() > 0 && mask.width() > 0 && mask.at(mask.rows() - 1, mask.width() - 1) == 0;
}

// A query that would see no key sees what the mask says: no softmax is over none.
Effect effect_on_mask(std::string words, const Sees& sees) {
  return {std::move(words), [sees] {
            return [sees](const Call& call, std::size_t, std::size_t) {
              Instead out{call};
              for (std::size_t i = 0; i < call.mask.rows(); ++i) {
                bool any = false;
                for (std::size_t j = 0; j < call.mask.width(); ++j) any = any || sees(call.mask, i, j);
                for (std::size_t j = 0; any && j < call.mask.width(); ++j)
                  out.call.mask.at(i, j) = sees(call.mask, i, j) ? 1 : 0;
              }
              return out;
            };
          }};
}

// The operands of attention, in their order.
enum class OperandAt : std::size_t { queries, keys, values };

enum class With { its_own, without };

// One stands for another that is as wide, alone or with what is its own.
Effect effect_of_operand(std::string words, OperandAt from, OperandAt to, With with) {
  return effect_on_calls(std::move(words), [=](Call& call) {
    Tensor& x = call.contents.at(static_cast<std::size_t>(to));
    const Tensor& other = call.contents.at(static_cast<std::size_t>(from));
    if (x.shape != other.shape) throw Refusal("of another width");
    for (std::size_t n = 0; n < x.data.size(); ++n)
      x.data[n] = other.data[n] + (with == With::its_own ? x.data[n] : 0);
  });
}

Effect effect_on_queries(std::string words, double (*factor)(double root_of_width)) {
  return effect_on_calls(std::move(words), [factor](Call& call) {
    Tensor& q = call.contents.front();
    const double by = factor(std::sqrt(static_cast<double>(q.width())));
    for (double& x : q.data) x *= by;
  });
}

}  // namespace

std::vector<Effect> effects_on_operands() {
  using M = const Mask&;
  using N = std::size_t;
  return {
      effect_always("the answer is 0", Instead::How::zeros),
      effect_always("the answer is no number", Instead::How::no_numbers),
      effect_on_mask("the mask is ignored: every key is seen", [](M, N, N) { return true; }),
      effect_on_mask("the mask is taken for a causal one: every key up to the query's own is seen",
                     [](M, N i, N j) { return j <= i; }),
      effect_on_mask("a padding mask is ignored: every key is seen",
                     [](M mask, N i, N j) { return mask.at(i, j) != 0 || is_padding(mask); }),
      effect_on_mask("a padding mask is taken for a causal one",
                     [](M mask, N i, N j) { return is_padding(mask) ? j <= i : mask.at(i, j) != 0; }),
      effect_on_mask("keys after the query are hidden, whatever the mask says",
                     [](M mask, N i, N j) { return mask.at(i, j) != 0 && j <= i; }),
      effect_on_mask("the mask is inverted: hidden keys are seen, and no others",
                     [](M mask, N i, N j) { return mask.at(i, j) == 0; }),
      effect_on_mask("the query's own key is hidden",
                     [](M mask, N i, N j) { return mask.at(i, j) != 0 && j != i; }),
      effect_on_mask("the key after the query is seen, too",
                     [](M mask, N i, N j) { return mask.at(i, j) != 0 || j == i + 1; }),
      effect_on_mask(
          "the mask is transposed",
          [](M mask, N i, N j) { return j < mask.rows() && i < mask.width() && mask.at(j, i) != 0; }),
      effect_on_queries("products of query and key are not divided by the root of the width",
                        [](double root) { return root; }),
      effect_on_queries("products of query and key are divided by the root of the width twice",
                        [](double root) { return 1 / root; }),
      effect_on_queries("products of query and key have the other sign", [](double) { return -1.0; }),
      effect_of_operand("keys stand for values", OperandAt::keys, OperandAt::values, With::without),
      effect_of_operand("queries stand for values", OperandAt::queries, OperandAt::values, With::without),
      effect_of_operand("keys are added to values", OperandAt::keys, OperandAt::values, With::its_own),
      effect_of_operand("queries are added to values", OperandAt::queries, OperandAt::values, With::its_own),
      effect_of_operand("keys stand for queries", OperandAt::keys, OperandAt::queries, With::without),
      effect_of_operand("queries stand for keys", OperandAt::queries, OperandAt::keys, With::without),
      effect_of_operand("values stand for keys", OperandAt::values, OperandAt::keys, With::without),
      effect_on_calls("queries and keys are exchanged", [](Call& call) {
        if (call.contents[0].shape != call.contents[1].shape) throw Refusal("of another width");
        std::swap(call.contents[0], call.contents[1]);
      })};
}

}  // namespace posproof
