#include "diagnosis/same_bits.h"

#include <exception>
#include <new>

#include "attention/reference_attention.h"
#include "core/call.h"
#include "core/formats.h"

namespace posproof {
namespace {

// A key behind the query, where a causal mask hides it: entry n of [.., queries, keys].
bool is_hidden(const Encoding& truth, const Call& call, std::size_t n) {
  const Positions queries = call.positions, keys = call.keys;
  if (!is_causal(truth) || queries.axes() != 1 || queries.size() == 0 || keys.size() == 0) return false;
  return keys.at(n % keys.size()) > queries.at(n / keys.size() % queries.size());
}

}  // namespace

bool has_its_bits(const Encoding& candidate, const Encoding& truth, const Subject& subject,
                  const std::vector<Answered>& answered) {
  const double unit = subject.precision.result;
  if (unit != unit_bf16 && unit != unit_f16) return false;
  const Format format = unit == unit_bf16 ? Format::bf16 : Format::f16;
  const std::vector<Encoding> rights = attention::in_every_kind(truth),
                              others = attention::in_every_kind(candidate);
  const Encoding *right = attention::same_kind(rights, subject.encoding),
                 *other = attention::same_kind(others, subject.encoding);
  if (right == nullptr || other == nullptr) return false;
  std::size_t own = 0, rest = 0;
  try {
    for (const Answered& one : answered) {
      const Tensor declared = answer(*right, one.call), is = answer(*other, one.call);
      if (declared.shape != one.answer.shape || is.shape != one.answer.shape) return false;
      for (std::size_t n = 0; n < is.data.size(); ++n) {
        if (is_hidden(truth, one.call, n)) continue;
        const double here = nearest(format, is.data[n]);
        if (one.answer.data[n] != here)
          ++rest;
        else if (here != nearest(format, declared.data[n]))
          ++own;
      }
    }
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {  // it is not defined there
    return false;
  }
  constexpr std::size_t several = 16, most = 50;
  return own >= several && own >= most * rest;
}

}  // namespace posproof
