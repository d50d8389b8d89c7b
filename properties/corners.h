#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/function.h"
#include "core/precision.h"
#include "core/property.h"
#include "core/spoiled.h"

// Negative examples of statements about answers: encodings that are right but in some entries, which are
// larger or smaller by a power of two of themselves.
namespace posproof::corners {

using Make = Function<Encoding()>;
using Where = Function<bool(const AnswerEntry& at)>;

constexpr Precision in_bf16{unit_f32, unit_bf16};  // computed in f32, rounded once

inline std::vector<NegativeExample> joined(std::vector<NegativeExample> these,
                                           const std::vector<NegativeExample>& those) {
  these.insert(these.end(), those.begin(), those.end());
  return these;
}

// Right but where it says: there 1 + by times as large.
inline Encoding larger_where(const Encoding& right, double by, const Where& where) {
  return spoiled(right, [by, where](const AnswerEntry& at, double exact) {
    return where(at) ? exact * (1 + by) : exact;
  });
}

// `what` is plural: "keys". `by`: plus or minus a power of two.
inline NegativeExample off(std::string_view what, const Make& right, double by, const Where& where,
                           const Precision& precision = all_f32) {
  return {fmt::format("{} {} by 2^{} of themselves, in {}", what, by > 0 ? "larger" : "smaller",
                      std::ilogb(by), precision == in_bf16 ? "bf16" : precision.word()),
          [=] { return larger_where(right(), by, where); }, precision};
}

inline bool is_last(const AnswerEntry& at) {
  return at.is_last();
}
inline bool is_first(const AnswerEntry& at) {
  return at.is_first();
}
inline bool of_query(const AnswerEntry& at) {
  return at.role == Role::query;
}
inline bool of_key(const AnswerEntry& at) {
  return at.role == Role::key;
}
inline bool past_65536(const AnswerEntry& at) {
  return at.position > 65536;
}
inline bool at_negative_position(const AnswerEntry& at) {
  return at.position < 0;
}

// Wrong in the last entry of every answer, or in the first (batch row, head, token, key and channel at once):
// too large and too small, in f32 and in bf16. Who compares one head, row, token or channel only, or all but
// one, misses some of them.
inline std::vector<NegativeExample> last_and_first(const Make& right, double by_in_f32, double by_in_bf16) {
  return {off("the last entries of all answers", right, by_in_f32, &is_last),
          off("the first entries of all answers", right, -by_in_f32, &is_first),
          off("the last entries of all answers", right, -by_in_bf16, &is_last, in_bf16),
          off("the first entries of all answers", right, by_in_bf16, &is_first, in_bf16)};
}

}  // namespace posproof::corners
