#pragma once

#include <string_view>

namespace posproof {

// What runs along a dimension of a call's tensors. Tokens are queries and keys alike; a kind that tells them
// apart has both.
enum class Axis { batch, head, query, key, token, channel };

// `batch`, `head`, `query`, `key`, `token`, `channel`.
std::string_view name(Axis axis);

}  // namespace posproof
