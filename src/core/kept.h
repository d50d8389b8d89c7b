#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>

#include "core/encoding.h"

namespace posproof {

// What depends on one whole number alone, and is dear: made once. Copies share what they keep.
template <class Value>
class Kept {
 public:
  template <class Make>
  Value operator()(Position n, Make make) const {
    const std::lock_guard held(all_->lock);
    if (const auto at = all_->values.find(n); at != all_->values.end()) return at->second;
    if (all_->values.size() >= most) all_->values.clear();
    return all_->values.emplace(n, make(n)).first->second;
  }
  void clear() const {
    const std::lock_guard held(all_->lock);
    all_->values.clear();
  }

 private:
  static constexpr std::size_t most = 4096;
  struct All {
    std::mutex lock = {};
    std::map<Position, Value> values = {};
  };
  std::shared_ptr<All> all_ = std::make_shared<All>();
};

}  // namespace posproof
