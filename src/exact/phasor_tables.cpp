#include "exact/phasor_tables.h"

#include <fmt/format.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <new>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "exact/bounds.h"
#include "exact/multiprecision.h"

namespace posproof::exact {
namespace {

constexpr std::size_t line = 64;
constexpr Position digit = 64;

// As many bits as bounds.h, (0), asks for.
mpfr_prec_t bits_for(const Multiprecision& multiprecision) {
  mpfr_exp_t most = 0;
  for (const Real& w : multiprecision.with(Multiprecision::usual_bits).frequencies)
    if (!w.is_zero()) most = std::max(most, mpfr_get_exp(w.x));
  return Multiprecision::usual_bits + most;
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

// By the first 128 digits; MPFR's own conversions take several times as long. They are there because bits_for
// asks for more.
void split(const Real& value, double& head, double& rest) {
  static_assert(GMP_NUMB_BITS == 64);
  __extension__ using Wide = unsigned __int128;
  __extension__ using Signed = __int128;
  head = rest = 0;
  if (value.is_zero()) return;
  const auto* limbs = static_cast<const mp_limb_t*>(mpfr_custom_get_significand(value.x));
  const auto last = static_cast<std::size_t>((value.bits() - 1) / GMP_NUMB_BITS);
  const Wide digits = Wide{limbs[last]} << 64 | limbs[last - 1];
  constexpr int left = 128 - 53;
  const Wide nearest = (digits >> left) + (digits >> (left - 1) & 1);
  const auto exponent = static_cast<int>(mpfr_get_exp(value.x));
  const double sign = mpfr_signbit(value.x) != 0 ? -1 : 1;
  head = sign * std::ldexp(static_cast<double>(static_cast<std::uint64_t>(nearest)), exponent - 53);
  rest =
      sign * std::ldexp(static_cast<double>(static_cast<Signed>(digits - (nearest << left))), exponent - 128);
}

std::unique_ptr<double[]> array(std::size_t lanes) {
  return std::make_unique<double[]>(lanes + lane_group);
}

}  // namespace

// ---- rows ----

void FreeLines::operator()(void* memory) const {
  ::operator delete (memory, std::align_val_t{line});
}

template <class Real>
std::unique_ptr<Real, FreeLines> zeros(std::size_t numbers) {
  std::unique_ptr<Real, FreeLines> memory(
      static_cast<Real*>(::operator new (numbers * sizeof(Real), std::align_val_t{line})));
  std::fill_n(memory.get(), numbers, Real{0});
  return memory;
}

Lines lines(std::size_t numbers) {
  return zeros<double>(numbers);
}

// Of a row, the four arrays follow each other; the padding behind the last row is that of all.
PhasorRows::PhasorRows(std::size_t rows, std::size_t lanes)
    : memory_(lines(4 * rows * lanes + lane_group)), phasors_(new Phasor[rows]) {
  double* at = memory_.get();
  for (std::size_t row = 0; row < rows; ++row, at += 4 * lanes)
    phasors_[row] = {at, at + lanes, at + 2 * lanes, at + 3 * lanes};
}

// ---- phasor tables ----

bool PhasorTables::fit(const Multiprecision& multiprecision) {
  if (multiprecision.size() > most_frequencies) return false;
  const auto& numbers = multiprecision.with(Multiprecision::usual_bits);
  const double amplitude = std::abs(numbers.amplitude.nearest());
  if (!(amplitude >= 0x1p-100 && amplitude <= 0x1p100)) return false;
  return std::all_of(numbers.frequencies.begin(), numbers.frequencies.end(), [](const Real& frequency) {
    const double w = std::abs(frequency.nearest());
    return w == 0 || (w >= 0x1p-500 && w <= 0x1p40);
  });
}

struct PhasorTables::Seeds {
  std::vector<Seed> all;
};

PhasorTables::PhasorTables(const Multiprecision& multiprecision, const Kernel& kernel)
    : kernel_(kernel),
      size_(multiprecision.size()),
      lanes_((size_ + lane_group - 1) / lane_group * lane_group),
      largest_sine_(array(lanes_)),
      frequency_(array(lanes_)),
      seeds_(std::make_shared<Seeds>()) {
  const auto& numbers = multiprecision.with(bits_for(multiprecision));
  split(numbers.amplitude, amplitude_, amplitude_rest_);
  for (std::size_t i = 0; i < size_; ++i) {
    frequency_[i] = std::abs(numbers.frequencies[i].nearest()) * (1 + 2 * bounds::u);
    seeds_->all.push_back(seed(numbers.frequencies[i]));
  }
  const PhasorRows& babies = table(0);
  for (std::size_t row = 0; row < rows_per_block; ++row)
    for (std::size_t i = 0; i < size_; ++i)
      largest_sine_[i] = std::max(largest_sine_[i], std::abs(babies[row].sine[i]));

  coarse_ = lines(2 * rows_per_block * lanes_);
  split_ = lines(4 * rows_per_block * lanes_);
  double *coarse = coarse_.get(), *split = split_.get();
  const auto halve = [](double head, double rest, double* high, double* low) {
    constexpr double shift = 0x1.8p52 * bounds::quantum;
    *high = (head + shift) - shift;
    *low = (head - *high) + rest;
  };
  constexpr std::size_t few = lanes_together;
  for (std::size_t lane = 0; lane < lanes_; lane += few)
    for (std::size_t row = 0; row < rows_per_block; ++row, coarse += 2 * few, split += 4 * few) {
      const Phasor& from = babies[row];
      for (std::size_t i = 0; i < few; ++i) {
        coarse[i] = from.sine[lane + i];
        coarse[few + i] = from.cosine[lane + i];
        halve(from.sine[lane + i], from.sine_rest[lane + i], split + i, split + few + i);
        halve(from.cosine[lane + i], from.cosine_rest[lane + i], split + 2 * few + i, split + 3 * few + i);
      }
    }
  build_singles();
}

void PhasorTables::build_singles() {
  const double amplitude = std::abs(amplitude_);
  if (amplitude < bounds::least_power || amplitude > bounds::most_power) return;
  singles_ = zeros<float>(2 * rows_per_block * lanes_);
  largest_single_ = std::make_unique<float[]>(lanes_);
  constexpr std::size_t few = singles_together;
  float* to = singles_.get();
  for (std::size_t lane = 0; lane < lanes_; lane += few)
    for (std::size_t row = 0; row < rows_per_block; ++row)
      for (const double* from : {tables_[0][row].sine, tables_[0][row].cosine})
        for (std::size_t i = 0; i < few; ++i) *to++ = static_cast<float>(from[lane + i]);
  for (std::size_t i = 0; i < size_; ++i)
    largest_single_[i] = std::nextafter(static_cast<float>(largest_sine_[i]), 2.0f);
  int exponent = 0;
  const double fraction = std::frexp(amplitude, &exponent);
  single_ = {singles_.get(), largest_single_.get(),
             std::ldexp(1.0f, fraction == 0.5 ? exponent - 1 : exponent)};
}

const PhasorRows& PhasorTables::table(std::size_t level) const {
  if (built_.load(std::memory_order_acquire) <= level) {
    const std::scoped_lock locked(building_);
    while (built_.load(std::memory_order_relaxed) <= level) build_next();
  }
  return tables_.at(level);
}

void PhasorTables::build_next() const {
  const std::size_t level = built_.load(std::memory_order_relaxed);
  PhasorRows table(digit, lanes_);
  std::fill_n(table[0].cosine, lanes_, 1.0);
  for (std::size_t i = 0; i < size_; ++i) {
    Seed& now = seeds_->all[i];
    Room room(now.sine.bits());
    for (std::size_t bit = 1; bit < rows_per_block; bit *= 2) {
      if (level != 0 || bit != 1) square(now, room);
      split(now.sine, table[bit].sine[i], table[bit].sine_rest[i]);
      split(now.cosine, table[bit].cosine[i], table[bit].cosine_rest[i]);
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

namespace {

constexpr Position none = std::numeric_limits<Position>::max();

void copy(const Phasor& from, const Phasor& to, std::size_t lanes) {
  std::copy_n(from.sine, lanes, to.sine);
  std::copy_n(from.sine_rest, lanes, to.sine_rest);
  std::copy_n(from.cosine, lanes, to.cosine);
  std::copy_n(from.cosine_rest, lanes, to.cosine_rest);
}

// e^{-i x} is the conjugate.
void conjugate(const Phasor& phasor, std::size_t lanes) {
  for (std::size_t i = 0; i < lanes; ++i) {
    phasor.sine[i] = 0 - phasor.sine[i];
    phasor.sine_rest[i] = 0 - phasor.sine_rest[i];
  }
}

// Rounded down.
Position block_of(Position t) {
  return t >= 0 ? t / digit : -((-t + digit - 1) / digit);
}

}  // namespace

Giants::Giants(const PhasorTables& phasors, std::size_t most)
    : phasors_(phasors),
      rows_(most, phasors.lanes()),
      errors_(most, phasors.lanes()),
      common_(2, phasors.lanes()),
      above_(none),
      numbers_(most, none),
      bounds_(most),
      blocks_(most) {
  std::fill_n(common_[1].cosine, phasors.lanes(), phasors.amplitude());
  std::fill_n(common_[1].cosine_rest, phasors.lanes(), phasors.amplitude_rest());
  for (std::size_t i = 0; i < most; ++i) {
    const Phasor& room = errors_[i];
    bounds_[i] = {room.sine, room.cosine, room.sine_rest, room.cosine_rest, 0, 0, 0};
    blocks_[i] = {
        &rows_[i], phasors.table(0).data(), phasors.coarse_babies(), phasors.split_babies(), &bounds_[i], 0,
        0,         phasors.in_single()};
  }
}

Blocks Giants::blocks(Position first, std::size_t rows) {
  std::size_t count = 0;
  while (rows != 0 && count < blocks_.size()) {
    const Position number = block_of(first);
    Block& block = blocks_[count];
    block.begin = static_cast<std::size_t>(first - number * digit);
    block.end = std::min(block.begin + rows, rows_per_block);
    if (numbers_[count] != number) move(count, number);
    const std::size_t done = block.end - block.begin;
    first += static_cast<Position>(done);
    rows -= done;
    ++count;
  }
  return {blocks_.data(), count};
}

// The block of the rows 64 number .. 64 number + 63.
void Giants::move(std::size_t slot, Position number) {
  numbers_[slot] = number;
  const bool negative = number < 0;
  Position digits = negative ? -number : number;
  const auto second = static_cast<std::size_t>(digits % digit);
  digits /= digit;
  const Kernel& kernel = phasors_.kernel();
  const std::size_t lanes = phasors_.lanes();
  const Phasor &above = common_[0], &giant = rows_[slot];
  if (digits != above_) {
    above_ = digits;
    const Phasor* product = &common_[1];
    for (std::size_t level = 2; digits != 0; ++level, digits /= digit) {
      if (digits % digit == 0) continue;
      kernel.multiply(*product, phasors_.table(level)[static_cast<std::size_t>(digits % digit)], above,
                      lanes);
      product = &above;
    }
    if (product != &above) copy(*product, above, lanes);
  }
  kernel.multiply(above, phasors_.table(1)[second], giant, lanes);
  if (negative) conjugate(giant, lanes);

  const double farthest = std::abs(static_cast<double>(number)) * digit + digit;
  kernel.bound(giant, phasors_.largest_sine(), phasors_.frequency(), farthest, std::abs(phasors_.amplitude()),
               bounds_[slot], lanes);
}

// ---- which kernel ----

namespace {

#if defined(__x86_64__)
// clang 14 has no name for it in __builtin_cpu_supports.
bool has_f16c() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
}
bool has_v3() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && has_f16c();
}
bool has_v4() {
  return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}
#endif

const Kernel& requested_or_best() {
  const char* asked = std::getenv("POSPROOF_KERNEL");
  if (asked == nullptr || *asked == '\0') return *kernels_here().back();
  for (const Kernel* kernel : kernels_here())
    if (std::string_view(kernel->name) == asked) return *kernel;
  throw std::invalid_argument(
      fmt::format("POSPROOF_KERNEL `{}`: plain, v3, v4 and v4_vbmi2 are there, this processor runs up to {}",
                  asked, kernels_here().back()->name));
}

}  // namespace

std::span<const Kernel* const> kernels_here() {
  static const std::vector<const Kernel*> here = [] {
    std::vector<const Kernel*> all = {&plain_kernel};
#if defined(__x86_64__)
    if (has_v3()) all.push_back(&v3_kernel);
    if (has_v4()) all.push_back(&v4_kernel);
    if (has_v4() && __builtin_cpu_supports("avx512vbmi2")) all.push_back(&v4_vbmi2_kernel);
#endif
    return all;
  }();
  return here;
}

const Kernel& best_kernel() {
  static const Kernel& kernel = requested_or_best();
  return kernel;
}

}  // namespace posproof::exact
