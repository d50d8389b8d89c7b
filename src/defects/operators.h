#pragma once
// What wrong implementations of every kind are made of: the right one, asked for another call than the one
// that came, or with another answer.
#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "core/call.h"
#include "core/failure.h"
#include "core/function.h"

namespace posproof::operators {

inline void refuse_unless(bool differs, const char* why) {
  if (!differs) throw Refusal(why);
}

// ---- another call, or another answer

inline Encoding asked_for(const Encoding& right, Function<void(Call&)> change) {
  return answered_by(right, [right, change = std::move(change)](Call call) {
    change(call);
    return answer(right, call);
  });
}

inline Encoding answering(const Encoding& right, Function<void(const Call&, Tensor& out)> change) {
  return answered_by(right, [right, change = std::move(change)](const Call& call) {
    Tensor out = answer(right, call);
    change(call, out);
    return out;
  });
}

// Some calls are answered by another encoding of the same kind.
inline Encoding where(const Encoding& right, const Encoding& other, Function<bool(const Call&)> is_other) {
  return answered_by(right, [right, other, is_other = std::move(is_other)](const Call& call) {
    return answer(is_other(call) ? other : right, call);
  });
}

// An error of the implementation's own, in some calls.
inline Encoding raising(const Encoding& right, const char* error, const char* text,
                        Function<bool(const Call&)> raises) {
  return asked_for(right, [error, text, raises = std::move(raises)](const Call& call) {
    if (raises(call)) throw Failure(Failure::How::raised, error, text);
  });
}

// ---- calls

inline std::size_t tokens_of_a_row(const Call& call) {
  return call.batch == 0 ? 0 : call.positions.size() / call.batch;
}

// A step of decoding.
inline bool is_one_token(const Call& call) {
  return tokens_of_a_row(call) == 1;
}

// A chunk after the first, or a step.
inline bool starts_past_zero(const Call& call) {
  return !call.positions.whole.empty() && call.positions.whole.front() > 0;
}

// ---- positions

// Each by itself, of queries and keys alike.
inline Encoding at(const Encoding& right, Function<Position(Position)> other) {
  return asked_for(right, [other = std::move(other)](Call& call) {
    for (Position& t : call.positions.whole) t = other(t);
    for (Position& t : call.keys.whole) t = other(t);
  });
}

// Each batch row by itself; of a bias its queries, and then its keys.
using Row = std::span<Position>;
inline void in_each_row(Call& call, const Function<void(Row)>& change) {
  const std::size_t n = tokens_of_a_row(call);
  for (std::size_t b = 0; b < call.batch; ++b) change(Row(call.positions.whole).subspan(b * n, n));
  if (!call.keys.whole.empty()) change(call.keys.whole);
}

inline void number_from(Row row, Position first) {
  for (Position& t : row) t = first++;
}

inline Encoding positions_doubled(const Encoding& right) {
  return at(right, [](Position t) { return 2 * t; });
}

inline Encoding positions_ahead(const Encoding& right, Position by) {
  return at(right, [by](Position t) { return t + by; });
}

inline Encoding positions_clamped(const Encoding& right, Position most) {
  return at(right, [most](Position t) { return std::min(t, most); });
}

inline Encoding positions_wrapped(const Encoding& right, Position length) {
  return at(right, [length](Position t) { return (t % length + length) % length; });
}

inline Encoding positions_ignored(const Encoding& right) {
  return asked_for(right, [](Call& call) { in_each_row(call, [](Row row) { number_from(row, 0); }); });
}

// Padding stands at the position of the first token; counted, it moves every token behind it.
inline Encoding padding_counted(const Encoding& right) {
  return asked_for(right, [](Call& call) {
    in_each_row(call, [](Row row) {
      if (row.size() > 1 && row[0] == row[1]) number_from(row, row[0]);
    });
  });
}

// ---- prefill and decode

inline Encoding single_token_at(const Encoding& right, Function<Position(Position)> other) {
  return asked_for(right, [other = std::move(other)](Call& call) {
    if (is_one_token(call))
      for (Position& t : call.positions.whole) t = other(t);
  });
}

inline Encoding decode_restarts_at_zero(const Encoding& right) {
  return asked_for(right, [called = std::make_shared<bool>(false)](Call& call) {
    if (*called && is_one_token(call)) std::ranges::fill(call.positions.whole, 0);
    *called = true;
  });
}

inline Encoding prompt_counted_twice(const Encoding& right) {
  return asked_for(right, [prompt = std::make_shared<Position>(0)](Call& call) {
    if (is_one_token(call))
      for (Position& t : call.positions.whole) t += *prompt;
    else
      *prompt = static_cast<Position>(tokens_of_a_row(call));
  });
}

inline Encoding resumed_one_behind(const Encoding& right) {
  return asked_for(right, [](Call& call) {
    if (starts_past_zero(call))
      for (Position& t : call.positions.whole) --t;
  });
}

inline Encoding chunks_restart_at_zero(const Encoding& right) {
  return asked_for(right, [](Call& call) {
    if (!is_one_token(call) && starts_past_zero(call))
      in_each_row(call, [](Row row) { number_from(row, 0); });
  });
}

}  // namespace posproof::operators
