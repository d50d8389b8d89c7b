#pragma once

#include <cstddef>

#include "core/call.h"
#include "core/encoding.h"
#include "core/function.h"

namespace posproof {

// One entry of an answer: where it is, of how many, and in which call. Axes that the kind has not are of
// length 1.
struct AnswerEntry {
  std::size_t batch = 0, head = 0, token = 0, key = 0, channel = 0;  // token: or query
  std::size_t batches = 1, heads = 1, tokens = 1, keys = 1, channels = 1;
  Position position = 0;      // of the token or query; of the whole operator its row
  Position key_position = 0;  // of the key
  Role role = Role::query;
  bool repeated = false;  // a token before it in its batch row has the same position
  std::size_t calls = 0;  // that were answered before this one
  const Call* call = nullptr;

  bool in_last_batch_row() const { return batch + 1 == batches; }
  bool in_last_head() const { return head + 1 == heads; }
  bool of_last_token() const { return token + 1 == tokens; }
  bool of_last_key() const { return key + 1 == keys; }
  bool in_last_channel() const { return channel + 1 == channels; }
  bool is_last() const {
    return in_last_batch_row() && in_last_head() && of_last_token() && of_last_key() && in_last_channel();
  }
  bool is_first() const { return batch + head + token + key + channel == 0; }
};

// What negative examples of any kind are made of: an encoding that is right but where `value` says otherwise,
// which is given each entry of each answer and the right number there. Copies share the count of calls.
Encoding spoiled(const Encoding& right, const Function<double(const AnswerEntry& at, double exact)>& value);

// Right but for one corner of every answer, which is 1 + by times as large: the last batch row, head, token,
// key and channel together, or the first of each. Who compares only the first (or only the last) of any axis
// does not see it.
Encoding last_entry_larger(const Encoding& right, double by);
Encoding first_entry_larger(const Encoding& right, double by);

}  // namespace posproof
