#include "diagnosis/head_deviations.h"

#include <utility>

#include "core/call.h"
#include "core/error.h"
#include "diagnosis/measured_columns.h"

namespace posproof {
namespace {

// Of recorded answers, a row for each pair of query and key, a column for each head.
struct Pairs {
  Entries values, declared, allowed;
};

Pairs pairs_of(const Bias& truth, const Precision& precision, const std::vector<Answered>& answered) {
  constexpr std::size_t many = 400;
  Pairs out;
  for (const Answered& one : answered) {
    const Tensor ought = answer(truth, one.call);
    if (one.answer.shape != ought.shape) continue;
    const Tensor error = bound(truth, one.call, ought, precision).error;
    const std::size_t pairs = ought.data.size() / truth.heads;
    const auto column = [&](const Tensor& from, std::size_t pair) {
      std::vector<double> to;
      for (std::size_t head = 0; head < truth.heads; ++head) to.push_back(from.data[head * pairs + pair]);
      return to;
    };
    for (std::size_t pair = 0; pair < pairs && out.values.size() < many; ++pair) {
      out.values.push_back(column(one.answer, pair));
      out.declared.push_back(column(ought, pair));
      out.allowed.push_back(column(error, pair));
    }
  }
  return out;
}

}  // namespace

std::optional<Deviation> head_deviation(const Bias& truth, const Precision& precision,
                                        const std::vector<Answered>& answered) {
  constexpr std::size_t several = 16;  // pairs, in which no head is another by chance
  if (truth.heads < 2) return std::nullopt;
  const Pairs all = pairs_of(truth, precision, answered);
  if (all.values.size() < several) return std::nullopt;
  const auto heads = measured_columns(all.values, all.declared, all.allowed);
  if (!heads) return std::nullopt;
  Deviation out{column_deviations(*heads, "head", "entry", 1), truth};
  if (out.sentences.empty()) return std::nullopt;
  as<Bias>(out.corrected).bias = [own = truth.bias, heads = *heads](const Positions& queries,
                                                                    const Positions& keys) {
    const Tensor from = own(queries, keys);
    Tensor to(from.shape);
    const std::size_t pairs = heads.empty() ? 0 : from.data.size() / heads.size();
    for (std::size_t head = 0; head < heads.size(); ++head)
      for (std::size_t pair = 0; pair < pairs && heads[head].factor != 0; ++pair)
        to.data[head * pairs + pair] = heads[head].factor * from.data[heads[head].of * pairs + pair];
    return to;
  };
  return out;
}

}  // namespace posproof
