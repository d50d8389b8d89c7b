#include "oracle/waves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "oracle/bounds.h"
#include "oracle/slow.h"

namespace posproof::oracle {
namespace {

constexpr std::size_t line = 64;
constexpr Position digit = 64;

// As many bits as bounds.h, (0), asks for.
mpfr_prec_t bits_for(const Slow& slow) {
  mpfr_exp_t most = 0;
  for (const Real& w : slow.with(Slow::usual_bits).frequencies)
    if (!w.is_zero()) most = std::max(most, mpfr_get_exp(w.x));
  return Slow::usual_bits + most;
}

// A point of the circle, in MPFR.
struct Seed {
  Real sine, cosine;
};

Seed seed(const Real& frequency) {
  Seed out{Real(frequency.bits()), Real(frequency.bits())};
  mpfr_sin_cos(out.sine.x, out.cosine.x, frequency.x, MPFR_RNDN);
  return out;
}

// Room for numbers in between, so that a seed takes no memory of its own.
struct Room {
  explicit Room(mpfr_prec_t bits) : a(bits), b(bits) {}
  Real a, b;
};

void square(Seed& seed, Room& room) {
  mpfr_sub(room.a.x, seed.cosine.x, seed.sine.x, MPFR_RNDN);
  mpfr_add(room.b.x, seed.cosine.x, seed.sine.x, MPFR_RNDN);
  mpfr_mul(seed.sine.x, seed.sine.x, seed.cosine.x, MPFR_RNDN);
  mpfr_mul_2ui(seed.sine.x, seed.sine.x, 1, MPFR_RNDN);
  mpfr_mul(seed.cosine.x, room.a.x, room.b.x, MPFR_RNDN);
}

void split(const Real& value, double& head, double& rest, Room& room) {
  head = value.nearest();
  mpfr_sub_d(room.a.x, value.x, head, MPFR_RNDN);
  rest = room.a.nearest();
}

std::unique_ptr<double[]> array(std::size_t lanes) {
  return std::make_unique<double[]>(lanes + lane_group);
}

}  // namespace

// ---- rows ----

void Rows::Free::operator()(double* memory) const {
  ::operator delete (memory, std::align_val_t{line});
}

Rows::Rows(std::size_t rows, std::size_t lanes) : waves_(new Wave[rows]) {
  // Of a row, the four arrays follow each other; the padding behind the last row is that of all.
  const std::size_t all = 4 * rows * lanes + lane_group;
  memory_.reset(static_cast<double*>(::operator new (all * sizeof(double), std::align_val_t{line})));
  std::fill_n(memory_.get(), all, 0.0);
  double* at = memory_.get();
  for (std::size_t row = 0; row < rows; ++row, at += 4 * lanes)
    waves_[row] = {at, at + lanes, at + 2 * lanes, at + 3 * lanes};
}

// ---- waves ----

bool Waves::fit(const Slow& slow) {
  if (slow.size() > most_frequencies) return false;
  const auto& numbers = slow.with(Slow::usual_bits);
  const double amplitude = std::abs(numbers.amplitude.nearest());
  if (!(amplitude >= 0x1p-100 && amplitude <= 0x1p100)) return false;
  return std::all_of(numbers.frequencies.begin(), numbers.frequencies.end(), [](const Real& frequency) {
    const double w = std::abs(frequency.nearest());
    return w == 0 || (w >= 0x1p-500 && w <= 0x1p40);
  });
}

struct Waves::Seeds {
  std::vector<Seed> all;
};

Waves::Waves(const Slow& slow, const Kernel& kernel)
    : kernel_(kernel),
      size_(slow.size()),
      lanes_((size_ + lane_group - 1) / lane_group * lane_group),
      sway_(array(lanes_)),
      speed_(array(lanes_)),
      seeds_(std::make_shared<Seeds>()) {
  const auto& numbers = slow.with(bits_for(slow));
  Room room(numbers.amplitude.bits());
  split(numbers.amplitude, amplitude_, amplitude_rest_, room);
  for (std::size_t i = 0; i < size_; ++i) {
    speed_[i] = std::abs(numbers.frequencies[i].nearest()) * (1 + 2 * bounds::u);
    seeds_->all.push_back(seed(numbers.frequencies[i]));
  }
  const Rows& babies = table(0);
  for (std::size_t row = 0; row < rows_per_block; ++row)
    for (std::size_t i = 0; i < size_; ++i) sway_[i] = std::max(sway_[i], std::abs(babies[row].sine[i]));

  halves_ = Rows(rows_per_block, lanes_);
  split_.reset(new SplitWave[rows_per_block]);
  const auto halve = [&](const double* head, const double* rest, double* high, double* low) {
    constexpr double shift = 0x1.8p52 * bounds::quantum;
    for (std::size_t i = 0; i < lanes_; ++i) {
      high[i] = (head[i] + shift) - shift;
      low[i] = (head[i] - high[i]) + rest[i];
    }
  };
  for (std::size_t row = 0; row < rows_per_block; ++row) {
    const Wave &from = babies[row], &to = halves_[row];
    halve(from.sine, from.sine_rest, to.sine, to.sine_rest);
    halve(from.cosine, from.cosine_rest, to.cosine, to.cosine_rest);
    split_[row] = {to.sine, to.sine_rest, to.cosine, to.cosine_rest};
  }
}

const Rows& Waves::table(std::size_t level) const {
  if (built_.load(std::memory_order_acquire) <= level) {
    const std::scoped_lock locked(building_);
    while (built_.load(std::memory_order_relaxed) <= level) build_next();
  }
  return tables_.at(level);
}

void Waves::build_next() const {
  const std::size_t level = built_.load(std::memory_order_relaxed);
  Rows table(digit, lanes_);
  std::fill_n(table[0].cosine, lanes_, 1.0);
  for (std::size_t i = 0; i < size_; ++i) {
    Seed& now = seeds_->all[i];
    Room room(now.sine.bits());
    for (std::size_t bit = 1; bit < rows_per_block; bit *= 2) {
      if (level != 0 || bit != 1) square(now, room);
      split(now.sine, table[bit].sine[i], table[bit].sine_rest[i], room);
      split(now.cosine, table[bit].cosine[i], table[bit].cosine_rest[i], room);
    }
  }
  for (std::size_t row = 3; row < rows_per_block; ++row) {
    const std::size_t lowest = row & (~row + 1), others = row - lowest;
    if (others != 0) kernel_.multiply(table[others], table[lowest], table[row], lanes_);
  }
  tables_.at(level) = std::move(table);
  built_.store(level + 1, std::memory_order_release);
}

// ---- giants ----

Giant::Giant(const Waves& waves) : waves_(waves), rows_(3, waves.lanes()), room_(1, waves.lanes()) {
  errors_ = {room_[0].sine, room_[0].cosine, room_[0].sine_rest, room_[0].cosine_rest, 0, 0, 0};
  std::fill_n(rows_[2].cosine, waves.lanes(), waves.amplitude());
  std::fill_n(rows_[2].cosine_rest, waves.lanes(), waves.amplitude_rest());
  block_ = {&rows_[0], waves.table(0).data(), waves.split_babies(), &errors_, 0, 0};
}

const Block& Giant::at(Position first, std::size_t rows) {
  const Position number = first >= 0 ? first / digit : -((-first + digit - 1) / digit);
  const Position start = number * digit;
  block_.begin = static_cast<std::size_t>(first - start);
  block_.end = block_.begin + rows;
  if (start == start_) return block_;
  start_ = start;

  const bool negative = number < 0;
  Position digits = negative ? -number : number;
  const auto second = static_cast<std::size_t>(digits % digit);
  digits /= digit;
  const Kernel& kernel = waves_.kernel();
  const std::size_t lanes = waves_.lanes();
  if (digits != above_ || negative != negative_) {
    above_ = digits;
    negative_ = negative;
    const Wave* product = &rows_[2];
    for (std::size_t level = 2; digits != 0; ++level, digits /= digit) {
      if (digits % digit == 0) continue;
      kernel.multiply(*product, waves_.table(level)[static_cast<std::size_t>(digits % digit)], rows_[1],
                      lanes);
      product = &rows_[1];
    }
    if (product == &rows_[2])
      for (const auto& [to, from] : {std::pair{rows_[1].sine, rows_[2].sine},
                                     {rows_[1].sine_rest, rows_[2].sine_rest},
                                     {rows_[1].cosine, rows_[2].cosine},
                                     {rows_[1].cosine_rest, rows_[2].cosine_rest}})
        std::copy_n(from, lanes, to);
  }
  kernel.multiply(rows_[1], waves_.table(1)[second], rows_[0], lanes);
  if (negative)  // e^{-i x} is the conjugate
    for (std::size_t i = 0; i < lanes; ++i) {
      rows_[0].sine[i] = 0 - rows_[0].sine[i];
      rows_[0].sine_rest[i] = 0 - rows_[0].sine_rest[i];
    }

  const double farthest = std::abs(static_cast<double>(start)) + static_cast<double>(digit);
  kernel.bound(rows_[0], waves_.sway(), waves_.speed(), farthest, std::abs(waves_.amplitude()), errors_,
               lanes);
  return block_;
}

// ---- which kernel ----

namespace {

#if defined(__x86_64__)
bool has_v3() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2");
}
bool has_v4() {
  return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}
#endif

const Kernel& asked_or_best() {
  const char* asked = std::getenv("POSPROOF_KERNEL");
  if (asked == nullptr || *asked == '\0') return *kernels_here().back();
  for (const Kernel* kernel : kernels_here())
    if (std::string_view(kernel->name) == asked) return *kernel;
  throw std::invalid_argument(
      fmt::format("POSPROOF_KERNEL `{}`: plain, v3 and v4 are there, this processor runs up to {}", asked,
                  kernels_here().back()->name));
}

}  // namespace

std::span<const Kernel* const> kernels_here() {
  static const std::vector<const Kernel*> here = [] {
    std::vector<const Kernel*> all = {&plain_kernel};
#if defined(__x86_64__)
    if (has_v3()) all.push_back(&v3_kernel);
    if (has_v4()) all.push_back(&v4_kernel);
#endif
    return all;
  }();
  return here;
}

const Kernel& best_kernel() {
  static const Kernel& kernel = asked_or_best();
  return kernel;
}

}  // namespace posproof::oracle
