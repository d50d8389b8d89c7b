#include "diagnosis/remembered.h"

#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/call.h"

namespace posproof {
namespace {

template <class T>
void add(std::span<const T> values, std::string& to) {
  const std::size_t count = values.size();
  to.append(reinterpret_cast<const char*>(&count), sizeof count);
  to.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

void add(const Tensor& tensor, std::string& to) {
  add(std::span<const std::size_t>(tensor.shape), to);
  add(std::span<const double>(tensor.data), to);
}

// All that it is, in bytes.
std::string key(const Call& call) {
  std::string out;
  const std::int64_t numbers[] = {static_cast<std::int64_t>(call.batch), call.role == Role::query ? 0 : 1,
                                  call.length};
  add(std::span<const std::int64_t>(numbers), out);
  for (const TokenPositions* all : {&call.positions, &call.keys}) {
    add(std::span<const Position>(all->whole), out);
    add(std::span<const double>(all->real), out);
  }
  for (const Tensor& content : call.contents) add(content, out);
  add(call.mask, out);
  return out;
}

class Remembered {
 public:
  Remembered(Encoding encoding, std::size_t most_bytes)
      : encoding_(std::move(encoding)), most_bytes_(most_bytes) {}

  Tensor operator()(const Call& call) {
    std::string asked = key(call);
    if (const auto known = answers_.find(asked); known != answers_.end()) return known->second;
    Tensor out = answer(encoding_, call);
    const std::size_t own = asked.size() + std::as_bytes(std::span(out.data)).size();
    if (bytes_ + own > most_bytes_) answers_.clear(), bytes_ = 0;
    bytes_ += own;
    answers_.emplace(std::move(asked), out);
    return out;
  }

 private:
  Encoding encoding_;
  std::size_t most_bytes_;
  std::unordered_map<std::string, Tensor> answers_;
  std::size_t bytes_ = 0;
};

}  // namespace

Encoding remembering(const Encoding& encoding, std::size_t most_bytes) {
  return answered_by(encoding, [all = std::make_shared<Remembered>(encoding, most_bytes)](const Call& call) {
    return (*all)(call);
  });
}

}  // namespace posproof
