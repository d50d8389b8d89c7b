// A function kept as a value: std::function for functions that keep no state of their own. Copies share what
// they hold, so that an encoding, which is a dozen of them, is copied by counting; and what GCC 12 compiles
// for each lambda takes a fifth of the time of std::function (10 ms, of a few thousand lambdas).
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>

namespace posproof {

template <class Signature>
class Function;

template <class Result, class... Arguments>
class Function<Result(Arguments...)> {
  template <class F>
  static constexpr bool takes = requires(const F& f, Arguments... arguments) {
    { f(std::forward<Arguments>(arguments)...) } -> std::convertible_to<Result>;
  };
  template <class F>
  static constexpr bool runs = std::is_void_v<Result>&& requires(const F& f, Arguments... arguments) {
    f(std::forward<Arguments>(arguments)...);
  };

 public:
  Function() = default;
  Function(std::nullptr_t) {}
  // A lambda that is `mutable` is none: each copy of a std::function changes its own.
  template <class F>
  requires(!std::same_as<F, Function> && (takes<F> || runs<F>)) Function(F f) {
    if constexpr (requires { f == nullptr; })
      if (f == nullptr) return;
    held_ = new Own<F>(std::move(f));
  }
  Function(const Function& other) noexcept : held_(other.held_) {
    if (held_ != nullptr) held_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  Function(Function&& other) noexcept : held_(std::exchange(other.held_, nullptr)) {}
  Function& operator=(Function other) noexcept {
    std::swap(held_, other.held_);
    return *this;
  }
  ~Function() {
    if (held_ != nullptr && held_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) held_->destroy(held_);
  }

  // Throws std::bad_function_call where there is none.
  Result operator()(Arguments... arguments) const {
    if (held_ == nullptr) throw std::bad_function_call();
    return held_->call(held_, std::forward<Arguments>(arguments)...);
  }
  explicit operator bool() const { return held_ != nullptr; }
  friend bool operator==(const Function& function, std::nullptr_t) { return function.held_ == nullptr; }

  // Whether it was made of an F.
  template <class F>
  bool holds() const {
    return held_ != nullptr && held_->call == &Own<F>::run;
  }

 private:
  struct Held {
    Result (*call)(const Held*, Arguments&&...);
    void (*destroy)(const Held*);
    mutable std::atomic<std::size_t> owners = 1;
  };
  template <class F>
  struct Own : Held {
    explicit Own(F&& given) : Held{&run, &destroy_own}, f(std::move(given)) {}
    static Result run(const Held* held, Arguments&&... arguments) {
      if constexpr (std::is_void_v<Result>)
        static_cast<const Own*>(held)->f(std::forward<Arguments>(arguments)...);
      else
        return static_cast<const Own*>(held)->f(std::forward<Arguments>(arguments)...);
    }
    static void destroy_own(const Held* held) { delete static_cast<const Own*>(held); }
    const F f;
  };

  const Held* held_ = nullptr;
};

}  // namespace posproof
