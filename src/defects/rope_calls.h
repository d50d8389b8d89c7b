#pragma once
// Tokens rotated at the position of another: by batch row, head, role, length of the call, or what was called
// before.
#include <algorithm>
#include <map>
#include <memory>

#include "defects/rope_made.h"

namespace posproof::wrong_ropes {

inline Encoding only_batch_row_0(const Parameters& p) {
  Rotary rotary = right(p);
  rotary.rotate = [rotate = rotary.rotate](const Tensor& x, std::span<const Position> positions, Role role) {
    Tensor out = rotate(x, positions, role);
    if (x.shape[2] == 1)
      for (std::size_t r = x.shape[1]; r < x.rows(); ++r)
        std::fill(out.row(r).begin(), out.row(r).end(), 0.0);
    return out;
  };
  return rotary;
}

inline Encoding positions_of_row_0(const Parameters& p) {
  return at_positions(p, [](const Tensor& x, std::span<const Position> positions) {
    PositionVector out(positions.begin(), positions.end());
    for (std::size_t token = 0; token < out.size(); ++token) out[token] = out[token % x.shape[2]];
    return out;
  });
}

// A launch with one block for the whole batch.
inline Encoding first_batch_row_only(const Parameters& p) {
  Rotary rotary = right(p);
  rotary.rotate = [rotate = rotary.rotate](const Tensor& x, std::span<const Position> positions, Role role) {
    Tensor out = rotate(x, positions, role);
    const std::size_t row = x.shape[1] * x.shape[2];
    for (std::size_t r = row; r < x.rows(); ++r) std::ranges::copy(x.row(r), out.row(r).begin());
    return out;
  };
  return rotary;
}

// Heads that are left as they are, or tokens: by their number in the call.
inline Encoding left_alone(const Parameters& p, bool (*is_left)(std::size_t heads, std::size_t head,
                                                                std::size_t n, std::size_t token)) {
  Rotary rotary = right(p);
  rotary.rotate = [rotate = rotary.rotate, is_left](const Tensor& x, std::span<const Position> positions,
                                                    Role role) {
    Tensor out = rotate(x, positions, role);
    const std::size_t heads = x.shape[1], n = x.shape[2];
    for (std::size_t r = 0; r < x.rows(); ++r)
      if (is_left(heads, r / n % heads, n, r % n)) std::ranges::copy(x.row(r), out.row(r).begin());
    return out;
  };
  return rotary;
}

inline Encoding first_head_only(const Parameters& p) {
  refuse_unless(right(p).heads > 1, "the same for one head");
  return left_alone(p, [](std::size_t, std::size_t head, std::size_t, std::size_t) { return head > 0; });
}

inline Encoding last_head_left_alone(const Parameters& p) {
  refuse_unless(right(p).heads > 1, "it would be the only head");
  return left_alone(
      p, [](std::size_t heads, std::size_t head, std::size_t, std::size_t) { return head + 1 == heads; });
}

// Blocks of so many tokens, and no block for what is left over.
template <std::size_t block>
inline Encoding rest_of_a_block_left_alone(const Parameters& p) {
  return left_alone(p, [](std::size_t, std::size_t, std::size_t n, std::size_t token) {
    return n > block && token >= n / block * block;
  });
}

// Two tokens of a pack of 16 in each other's place, where a call fills packs.
inline Encoding packs_shuffled(const Parameters& p) {
  return at_positions(p, [](const Tensor& x, std::span<const Position> positions) {
    PositionVector out(positions.begin(), positions.end());
    if (x.shape[2] % 16 == 0)
      for (std::size_t token = 0; token + 1 < out.size(); token += 16) std::swap(out[token], out[token + 1]);
    return out;
  });
}

// The rotation of each head at its own position.
inline Encoding by_head(const Parameters& p,
                        Position (*position)(std::span<const Position> row, std::size_t heads,
                                             std::size_t head, std::size_t token)) {
  Rotary rotary = right(p);
  rotary.rotate = [rotate = rotary.rotate, position](const Tensor& x, std::span<const Position> positions,
                                                     Role role) {
    const std::size_t heads = x.shape[1], n = x.shape[2];
    Tensor out = x;
    for (std::size_t head = 0; head < heads; ++head) {
      PositionVector own;
      for (std::size_t token = 0; token < positions.size(); ++token)
        own.push_back(position(positions.subspan(token / n * n, n), heads, head, token % n));
      const Tensor rotated = rotate(x, own, role);
      for (std::size_t r = 0; r < x.rows(); ++r)
        if (r / n % heads == head) std::ranges::copy(rotated.row(r), out.row(r).begin());
    }
    return out;
  };
  return rotary;
}

inline Encoding position_plus_head(const Parameters& p) {
  refuse_unless(right(p).heads > 1, "the same for one head");
  return by_head(p, [](std::span<const Position> row, std::size_t, std::size_t head, std::size_t token) {
    return row[token] + (row.size() == 1 ? static_cast<Position>(head) : 0);
  });
}

inline Encoding position_is_the_head(const Parameters& p) {
  return by_head(p, [](std::span<const Position>, std::size_t, std::size_t head, std::size_t) {
    return static_cast<Position>(head);
  });
}

inline Encoding row_of_the_untransposed_layout(const Parameters& p) {
  refuse_unless(right(p).heads > 1, "the same for one head");
  return by_head(p, [](std::span<const Position> row, std::size_t heads, std::size_t head,
                       std::size_t token) { return row[(head * row.size() + token) / heads % row.size()]; });
}

inline Encoding keys_left_alone(const Parameters& p) {
  Rotary rotary = right(p);
  rotary.rotate = [rotate = rotary.rotate](const Tensor& x, std::span<const Position> positions, Role role) {
    return role == Role::key ? x : rotate(x, positions, role);
  };
  return rotary;
}

inline Encoding keys_rotate_backwards(const Parameters& p) {
  Parameters back = p;
  back.set("direction", p.word("direction") == "forward" ? "backward" : "forward");
  Rotary rotary = right(p);
  rotary.rotate = [rotate = rotary.rotate, other = right(back).rotate](
                      const Tensor& x, std::span<const Position> positions, Role role) {
    return role == Role::key ? other(x, positions, role) : rotate(x, positions, role);
  };
  return rotary;
}

inline Encoding single_token_at_zero(const Parameters& p) {
  return at_positions(p, [](const Tensor& x, std::span<const Position> positions) {
    PositionVector out(positions.begin(), positions.end());
    if (x.shape[2] == 1) std::ranges::fill(out, 0);
    return out;
  });
}

template <Position most>
inline Encoding clamped_at(const Parameters& p) {
  return at_positions(p, [](const Tensor&, std::span<const Position> positions) {
    PositionVector out(positions.begin(), positions.end());
    for (Position& t : out) t = std::min(t, most);
    return out;
  });
}

template <Position length>
inline Encoding wrapped_at(const Parameters& p) {
  return at_positions(p, [](const Tensor&, std::span<const Position> positions) {
    PositionVector out(positions.begin(), positions.end());
    for (Position& t : out) t = (t % length + length) % length;
    return out;
  });
}

inline Encoding positions_ignored(const Parameters& p) {
  return at_positions(p, [](const Tensor& x, std::span<const Position> positions) {
    PositionVector out;
    for (std::size_t token = 0; token < positions.size(); ++token)
      out.push_back(static_cast<Position>(token % x.shape[2]));
    return out;
  });
}

inline Encoding positions_clamped(const Parameters& p) {
  return at_positions(p, [](const Tensor& x, std::span<const Position> positions) {
    PositionVector out(positions.begin(), positions.end());
    for (Position& t : out) t = std::min(t, static_cast<Position>(x.shape[2]) - 1);
    return out;
  });
}

inline Encoding positions_doubled(const Parameters& p) {
  return at_positions(p, [](const Tensor&, std::span<const Position> positions) {
    PositionVector out(positions.begin(), positions.end());
    for (Position& t : out) t *= 2;
    return out;
  });
}

inline Encoding one_position_ahead(const Parameters& p) {
  return at_positions(p, [](const Tensor&, std::span<const Position> positions) {
    PositionVector out(positions.begin(), positions.end());
    for (Position& t : out) ++t;
    return out;
  });
}

inline Encoding decode_restarts_at_zero(const Parameters& p) {
  return at_positions(
      p, [called = std::make_shared<bool>(false)](const Tensor& x, std::span<const Position> positions) {
        PositionVector out(positions.begin(), positions.end());
        if (*called && x.shape[2] == 1) std::ranges::fill(out, 0);
        *called = true;
        return out;
      });
}

inline Encoding cache_ignores_offset(const Parameters& p) {
  return at_positions(p, [tables = std::make_shared<std::map<std::size_t, PositionVector>>()](
                             const Tensor&, std::span<const Position> positions) {
    return tables->try_emplace(positions.size(), positions.begin(), positions.end()).first->second;
  });
}

}  // namespace posproof::wrong_ropes
