#include "exact/exact_rotation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "exact/double_double.h"
#include "exact/in_threads.h"
#include "exact/ladder.h"
#include "exact/strip.h"

namespace posproof::exact {

ExactRotation::ExactRotation(std::shared_ptr<const Ladder> ladder, std::span<const Pair> pairs,
                             std::size_t dim)
    : ladder_(std::move(ladder)), dim_(dim) {
  if (pairs.size() > ladder_->size())
    throw std::invalid_argument(
        fmt::format("{} pairs rotate, the ladder has {} frequencies", pairs.size(), ladder_->size()));
  std::vector<bool> taken(dim_, false);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto [first, second] = std::pair{pairs[i].first, pairs[i].second};
    for (const std::size_t channel : {first, second}) {
      if (channel >= dim_ || taken[channel])
        throw std::invalid_argument(fmt::format(
            "pair {} has channel {}: each of {} channels is in one pair at most", i, channel, dim_));
      taken[channel] = true;
    }
    const std::size_t step = second == first + 1 ? 2 : 1;
    Stretch* last = stretches_.empty() ? nullptr : &stretches_.back();
    const bool goes_on = last != nullptr && last->step == step && first == last->first + last->count * step &&
                         second == last->second + last->count * step;
    if (goes_on)
      ++last->count;
    else
      stretches_.push_back({i, 1, first, second, step});
  }
  for (std::size_t channel = 0; channel < dim_; ++channel)
    if (!taken[channel]) left_.push_back(channel);
}

// The angles of a few neighbouring tokens, and what becomes of a pair by one of them; one for each thread.
class ExactRotation::Tokens {
 public:
  static constexpr std::size_t most = 8;  // so many rows of angles stay in the first cache

  explicit Tokens(const Ladder& ladder) : ladder_(ladder), fast_(ladder.phasors()) {
    if (fast_ == nullptr) return;
    giants_.emplace(*fast_);
    room_ = PhasorRows(2 * most + 1, fast_->lanes());
    for (std::size_t token = 0; token < most; ++token) {
      const Phasor &one = room_[2 * token], &scaled = room_[2 * token + 1];
      const auto singles = [](double* room) { return reinterpret_cast<float*>(room); };
      angles_[token] = {one.sine,
                        one.cosine,
                        one.sine_rest,
                        scaled.sine,
                        scaled.cosine,
                        singles(scaled.sine_rest),
                        singles(scaled.cosine_rest)};
    }
  }

  void move_to(std::span<const Position> positions) {
    positions_ = positions;
    whole_row_ = most;
    for (std::size_t token = 0; token < positions.size(); ++token) {
      if (std::abs(positions[token]) > fast_reach)
        throw Refusal(fmt::format("position {}: exact rotations reach from -2^40 to 2^40", positions[token]));
      if (fast_ == nullptr) continue;
      const Block& block = giants_->block(positions[token], 1);
      fast_->kernel().angles(block, block.begin, std::abs(fast_->amplitude()), angles_[token],
                             fast_->lanes());
    }
  }

  std::size_t size() const { return positions_.size(); }
  const Kernel* kernel() const { return fast_ == nullptr ? nullptr : &fast_->kernel(); }
  const Angles* angles() const { return angles_.data(); }

  // (x, y) rotated by the angle of a lane: correctly rounded.
  Multiprecision::Rotated rotated(std::size_t token, std::size_t lane, double x, double y, Format format) {
    if (!std::isfinite(x) || !std::isfinite(y))
      throw Refusal(fmt::format("x holds {} and {} at position {}: only finite numbers are rotated", x, y,
                                positions_[token]));
    if (fast_ != nullptr && splits(x) && splits(y)) {
      if (whole_row_ != token) {
        const Block& block = giants_->block(positions_[token], 1);
        kernel()->multiply(*block.giant, block.babies[block.begin], room_[2 * most], fast_->lanes());
        whole_row_ = token;
      }
      const Phasor& at = room_[2 * most];
      const DoubleDouble s{at.sine[lane], at.sine_rest[lane]}, c{at.cosine[lane], at.cosine_rest[lane]};
      const double off = rotated_error(std::abs(x) + std::abs(y), std::abs(fast_->amplitude()));
      const auto first = certain_in(format, sum_of_products({x, 0}, c, {-y, 0}, s), off);
      const auto second = certain_in(format, sum_of_products({x, 0}, s, {y, 0}, c), off);
      if (first && second) return {*first, *second};
    }
    return ladder_.multiprecision().rotated(lane, positions_[token], x, y, format);
  }

 private:
  const Ladder& ladder_;
  const PhasorTables* fast_;
  std::optional<Giants> giants_;
  PhasorRows room_;
  std::array<Angles, most> angles_{};
  std::span<const Position> positions_;
  std::size_t whole_row_ = most;  // whose row in double-double is there
};

namespace {

// Where the tokens of one batch row begin, in each head.
struct Memory {
  std::size_t heads, tokens, row_bytes;
  std::size_t row(std::size_t batch, std::size_t head, std::size_t token) const {
    return ((batch * heads + head) * tokens + token) * row_bytes;
  }
};

// Calls work(batch, first token, tokens) for the tokens begin .. end - 1 of all batch rows, a few at a time.
template <class Work>
void by_a_few(std::size_t begin, std::size_t end, std::size_t tokens, std::size_t most, Work work) {
  while (begin < end) {
    const std::size_t token = begin % tokens;
    const std::size_t few = std::min({most, end - begin, tokens - token});
    work(begin / tokens, token, few);
    begin += few;
  }
}

}  // namespace

// Compares the entries of one token after the other; one for each thread.
class ExactRotation::Comparing {
 public:
  Comparing(const ExactRotation& rotation, Format format, const Extents& extents)
      : rotation_(rotation), format_(format), one_(bytes(format)), tokens_(*rotation.ladder_) {
    memory_ = {extents.heads, extents.tokens, rotation.dim_ * one_};
    for (auto& lanes : found_) lanes.assign(rotation.ladder_->size() + lane_group, 0.0);
  }

  void compare(std::size_t batch, std::size_t first, std::span<const Position> positions, const char* x,
               const char* y) {
    tokens_.move_to(positions);
    const std::size_t head_bytes = memory_.tokens * memory_.row_bytes;
    for (std::size_t head = 0; head < memory_.heads; ++head) {
      const std::size_t place = memory_.row(batch, head, first);
      for (const Stretch& stretch : rotation_.stretches_) {
        Channels channels = channels_of(stretch);
        channels.stride = memory_.row_bytes;
        channels.ahead = head_bytes;
        const std::size_t at = place + stretch.first * one_;
        if (fast() && tokens_.kernel()->verify_rotated(format_, tokens_.angles(), tokens_.size(), channels,
                                                       x + at, y + at))
          continue;
        for (std::size_t token = 0; token < tokens_.size(); ++token) {
          const Where where{batch, head, first + token};
          measure(stretch, token, where, x + place + token * memory_.row_bytes,
                  y + place + token * memory_.row_bytes);
        }
      }
      for (const std::size_t channel : rotation_.left_)
        for (std::size_t token = 0; token < tokens_.size(); ++token) {
          const std::size_t at = place + token * memory_.row_bytes + channel * one_;
          const double was = load(format_, x + at), is = load(format_, y + at);
          if (was == is || (std::isnan(was) && std::isnan(is))) continue;
          ++found.wrong;
          blame(HUGE_VAL, {batch, head, first + token}, channel);
        }
    }
  }

  ComparedRotation found;

 private:
  struct Where {
    std::size_t batch, head, token;
  };

  bool fast() const { return tokens_.kernel() != nullptr && format_ != Format::f64; }

  Channels channels_of(const Stretch& stretch) const {
    const auto apart =
        static_cast<std::ptrdiff_t>(stretch.second) - static_cast<std::ptrdiff_t>(stretch.first);
    return {stretch.lane, stretch.count, apart * static_cast<std::ptrdiff_t>(one_), stretch.step == 2};
  }

  void blame(double ulp, const Where& where, std::size_t channel) {
    if (!(ulp > found.ulp)) return;
    found.ulp = ulp;
    found.batch = where.batch;
    found.head = where.head;
    found.token = where.token;
    found.channel = channel;
  }

  void measure(const Stretch& stretch, std::size_t token, const Where& where, const char* x, const char* y) {
    Open open;
    if (const auto channel = first_not_finite(stretch, x))
      throw Refusal(fmt::format(
          "x holds {} in batch row {}, head {}, token {}, channel {}: only finite numbers are rotated",
          load(format_, x + *channel * one_), where.batch, where.head, where.token, *channel));
    // An infinity may be right, and it is not near to anything.
    if (fast() && !first_not_finite(stretch, y)) {
      Found lanes{found_[0].data(), found_[1].data(), found_[2].data(), found_[3].data(), 0};
      const std::size_t at = stretch.first * one_;
      tokens_.kernel()->compare_rotated(format_, tokens_.angles()[token], channels_of(stretch), x + at,
                                        y + at, lanes, open.listener());
      found.wrong += lanes.wrong;
      for (const bool second : {false, true}) {
        std::vector<double>&ulp = found_[second ? 3 : 2], &farthest = found_[second ? 1 : 0];
        for (std::size_t k = 0; k < stretch.count; ++k) {
          double& here = ulp[stretch.lane + k];
          if (here > 0.5) blame(here, where, (second ? stretch.second : stretch.first) + k * stretch.step);
          here = farthest[stretch.lane + k] = 0;
        }
      }
    } else {
      for (std::size_t k = 0; k < stretch.count; ++k)
        for (const bool second : {false, true}) open.entries.push_back({0, stretch.lane + k, second});
    }
    for (const Open::Entry& entry : open.entries) settle(stretch, entry, token, where, x, y);
  }

  std::optional<std::size_t> first_not_finite(const Stretch& stretch, const char* row) const {
    for (std::size_t k = 0; k < stretch.count; ++k)
      for (const std::size_t channel : {stretch.first + k * stretch.step, stretch.second + k * stretch.step})
        if (!std::isfinite(load(format_, row + channel * one_))) return channel;
    return std::nullopt;
  }

  // One entry, by itself.
  void settle(const Stretch& stretch, const Open::Entry& entry, std::size_t token, const Where& where,
              const char* x, const char* y) {
    const std::size_t k = entry.lane - stretch.lane;
    const std::size_t first = stretch.first + k * stretch.step, second = stretch.second + k * stretch.step;
    const double a = load(format_, x + first * one_), b = load(format_, x + second * one_);
    const std::size_t channel = entry.cosine ? second : first;
    const double value = load(format_, y + channel * one_);
    const auto right = tokens_.rotated(token, entry.lane, a, b, format_);
    if (value == (entry.cosine ? right.y : right.x)) return;
    ++found.wrong;
    const auto exact = tokens_.rotated(token, entry.lane, a, b, Format::f64);
    const double near = entry.cosine ? exact.y : exact.x;
    const double off = std::isfinite(value) ? std::abs(value - near) : HUGE_VAL;
    blame(std::max(0.5, off / (2 * half_ulp(format_, near))), where, channel);
  }

  const ExactRotation& rotation_;
  Format format_;
  std::size_t one_;
  Tokens tokens_;
  Memory memory_{};
  std::array<std::vector<double>, 4> found_;  // over the lanes, as Found has them
};

ComparedRotation ExactRotation::compare(Format format, const void* x, const void* rotated,
                                        const Extents& extents, std::span<const Position> positions,
                                        unsigned threads) const {
  const std::size_t tokens = extents.batch * extents.tokens;
  if (positions.size() != tokens)
    throw std::invalid_argument(fmt::format("{} positions for {} tokens", positions.size(), tokens));
  std::mutex adding;
  ComparedRotation all;
  in_threads(threads, tokens, [&](std::size_t begin, std::size_t end) {
    Comparing comparing(*this, format, extents);
    by_a_few(begin, end, extents.tokens, Tokens::most,
             [&](std::size_t batch, std::size_t token, std::size_t few) {
               comparing.compare(batch, token, positions.subspan(batch * extents.tokens + token, few),
                                 static_cast<const char*>(x), static_cast<const char*>(rotated));
             });
    const std::scoped_lock one_at_a_time(adding);
    const auto place = [](const ComparedRotation& c) {
      return std::array{c.batch, c.token, c.head, c.channel};
    };
    ComparedRotation& share = comparing.found;
    const std::uint64_t wrong = all.wrong + share.wrong;
    if (share.ulp > all.ulp || (share.ulp == all.ulp && share.ulp > 0 && place(share) < place(all)))
      all = share;
    all.wrong = wrong;
  });
  all.entries = tokens * extents.heads * dim_;
  return all;
}

void ExactRotation::fill(Format format, const void* x, void* rotated, const Extents& extents,
                         std::span<const Position> positions) const {
  const std::size_t all = extents.batch * extents.tokens, one = bytes(format);
  if (positions.size() != all)
    throw std::invalid_argument(fmt::format("{} positions for {} tokens", positions.size(), all));
  const Memory memory{extents.heads, extents.tokens, dim_ * one};
  Tokens tokens(*ladder_);
  by_a_few(0, all, extents.tokens, Tokens::most, [&](std::size_t batch, std::size_t first, std::size_t few) {
    tokens.move_to(positions.subspan(batch * extents.tokens + first, few));
    for (std::size_t token = 0; token < few; ++token)
      for (std::size_t head = 0; head < extents.heads; ++head) {
        const std::size_t place = memory.row(batch, head, first + token);
        const char* const from = static_cast<const char*>(x) + place;
        char* const to = static_cast<char*>(rotated) + place;
        for (const Stretch& stretch : stretches_)
          for (std::size_t k = 0; k < stretch.count; ++k) {
            const std::size_t a = (stretch.first + k * stretch.step) * one;
            const std::size_t b = (stretch.second + k * stretch.step) * one;
            const auto [x_rotated, y_rotated] = tokens.rotated(
                token, stretch.lane + k, load(format, from + a), load(format, from + b), format);
            store(format, to + a, x_rotated);
            store(format, to + b, y_rotated);
          }
        for (const std::size_t channel : left_)
          store(format, to + channel * one, load(format, from + channel * one));
      }
  });
}

}  // namespace posproof::exact
