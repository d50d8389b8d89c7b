#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace posproof {

using Position = std::int64_t;

// An encoding, or an implementation of one, that declines what it was asked, and why. A position past a
// table's end is answered this way; it is an answer, not a crash.
struct Refusal : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The positions of n tokens as a function sees them: one number for each token, or one for each of its axes,
// row-major [n, axes]. Whole numbers are exact; real ones are what interpolation and timesteps ask for. A
// view: the numbers outlive it.
class Positions {
 public:
  Positions(std::span<const Position> whole, std::size_t axes = 1) : whole_(whole), axes_(axes) {}
  Positions(const Position* first, std::size_t count) : whole_(first, count) {}
  Positions(const std::vector<Position>& whole) : whole_(whole) {}
  template <std::size_t n>
  Positions(const std::array<Position, n>& whole) : whole_(whole) {}
  template <std::size_t n>
  Positions(const Position (&whole)[n]) : whole_(whole) {}
  explicit Positions(std::span<const double> real, std::size_t axes = 1) : real_(real), axes_(axes) {}

  std::size_t size() const { return (whole_.size() + real_.size()) / axes_; }  // tokens
  std::size_t axes() const { return axes_; }
  bool are_whole() const { return real_.empty(); }

  double at(std::size_t token, std::size_t axis = 0) const {
    const std::size_t n = token * axes_ + axis;
    return are_whole() ? static_cast<double>(whole_[n]) : real_[n];
  }

  Position operator[](std::size_t token) const { return whole()[token]; }
  auto begin() const { return whole().begin(); }
  auto end() const { return whole().end(); }
  Position back() const { return whole().back(); }
  bool empty() const { return size() == 0; }

  // All of them, as most encodings have them: whole numbers, one for each token. Throws Refusal for others. A
  // function that takes a span of them is given these.
  std::span<const Position> whole() const;

  // Every axis of every token. Throws Refusal for real ones.
  std::span<const Position> flat() const;

 private:
  std::span<const Position> whole_ = {};
  std::span<const double> real_ = {};
  std::size_t axes_ = 1;
};

}  // namespace posproof
