#include "tokens.h"

#include "catalogue/properties/rotary/role_does_not_matter.h"

namespace posproof::properties_rotary_role_does_not_matter {
namespace {

using namespace rotations;

Residual check(const Rotary& rotary, Precision p, Draw& draw) {
  const Tokens token = drawn_tokens(rotary, draw);
  const Tensor query = rotated(rotary, token.x, token.positions, Role::query);
  const Tensor key = rotated(rotary, token.x, token.positions, Role::key);

  // Queries and keys may be rotated by different code, so both may be off, each by its own bound.
  return compare(rotary, p, token, query, key, [&](const Pair& pair, std::size_t place) {
    return 2 * rotation_error(p, static_cast<double>(token.positions[place]), pair);
  });
}

bool is_last_of_key(const AnswerEntry& at) {
  return of_key(at) && at.is_last();
}
bool is_first_of_key(const AnswerEntry& at) {
  return of_key(at) && at.is_first();
}
bool is_last_of_query(const AnswerEntry& at) {
  return of_query(at) && at.is_last();
}
bool is_key_past_65536(const AnswerEntry& at) {
  return of_key(at) && past_65536(at);
}
bool is_key_at_negative_position(const AnswerEntry& at) {
  return of_key(at) && at_negative_position(at);
}

// As in xPos, but weaker: keys shrink a little where queries grow.
Encoding scaled_by_role() {
  return multiplied_by(4, 2, neighbours(), [](const Pair& pair, const Rotated& token) {
    const long double sign = token.role == Role::query ? 1 : -1;
    return rotation(pair, token.t) * std::exp(sign * 1e-9L * static_cast<long double>(token.t));
  });
}

}  // namespace

const Property entry{
    .statement = "A query and a key at the same position are rotated alike.",
    .formula = "R_t^q = R_t^k",
    .source = "Su et al. 2021, RoFormer, eq. 14: one R for q and k",
    .checks = {CheckOf<Rotary>(&check)},
    .must_reject = {{"queries that grow and keys that shrink by 1e-9 a position", &scaled_by_role},
                    off("the last entries of keys", &near_zero, 0x1p-18, &is_last_of_key),
                    off("the first entries of keys", &near_zero, -0x1p-18, &is_first_of_key),
                    off("the last entries of queries", &near_zero, 0x1p-18, &is_last_of_query),
                    off("the last entries of keys", &near_zero, -0x1p-5, &is_last_of_key, in_bf16),
                    off("the first entries of keys", &near_zero, 0x1p-5, &is_first_of_key, in_bf16),
                    off("keys past position 65536", &slow, 0x1p-18, &is_key_past_65536),
                    off("keys at negative positions", &of_either_sign, -0x1p-18,
                        &is_key_at_negative_position),
                    off("channels of keys in no pair", &with_tail, 0x1p-22, &is_last_of_key)},
};

}  // namespace posproof::properties_rotary_role_does_not_matter
