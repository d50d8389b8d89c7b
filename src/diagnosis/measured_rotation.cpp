#include "diagnosis/measured_rotation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <new>
#include <numbers>
#include <numeric>
#include <set>
#include <unordered_map>
#include <utility>

#include "core/error.h"
#include "core/function.h"
#include "run/narrowed.h"

namespace posproof {
namespace {

using Complex = std::complex<double>;

constexpr std::size_t most_channels = 1024, longest_sequence = 256;

std::vector<Position> in_sequence(Position first, std::size_t n) {
  std::vector<Position> out(n);
  std::iota(out.begin(), out.end(), first);
  return out;
}

// Asks in one row of tokens, all heads alike, and has each channel of an answer where the declared rotation
// has it.
class Asking {
 public:
  Asking(const Rotary& subject, const Rotary& truth, const Domain& domain, Role role)
      : subject_(subject), truth_(truth), domain_(domain), role_(role) {}

  std::size_t heads() const { return subject_.heads; }
  std::size_t dim() const { return subject_.dim; }
  const Domain& domain() const { return domain_; }

  // As many positions as a sequence has.
  std::size_t length() const {
    const auto room = std::max<std::size_t>(8, (std::size_t{1} << 18) / (dim() * heads()));
    return std::min({longest_sequence, room, static_cast<std::size_t>(domain_.hi - domain_.lo + 1)});
  }

  // [head, token, channel]; `content(token, channel)`.
  template <class Content>
  Tensor rotated(const std::vector<Position>& at, const Content& content) const {
    Tensor x({1, heads(), at.size(), dim()});
    for (std::size_t r = 0; r < x.rows(); ++r)
      for (std::size_t c = 0; c < dim(); ++c) x.at(r, c) = content(r % at.size(), c);
    Tensor out = in_place(truth_, subject_.rotate(x, at, role_));
    if (out.shape != x.shape || out.data.size() != x.data.size()) throw std::runtime_error("another shape");
    return out;
  }

 private:
  const Rotary& subject_;
  const Rotary& truth_;
  Domain domain_;
  Role role_;
};

// Adds the inputs that one-hot inputs reach, each at one position after the first, where a rotation is the
// identity. `input(n)` is the n-th that is asked.
void add_inputs(const Asking& asking, const Function<std::size_t(std::size_t)>& input,
                std::vector<std::vector<std::set<std::size_t>>>& to) {
  const std::size_t dim = asking.dim(), n = asking.length(), each = n - 1;
  const auto at = in_sequence(asking.domain().lo, n);
  for (std::size_t begin = 0; begin < dim; begin += each) {
    const auto of = [&](std::size_t token) {
      const std::size_t number = begin + token - 1;
      return token > 0 && number < dim ? std::optional(input(number)) : std::nullopt;
    };
    const Tensor rows =
        asking.rotated(at, [&](std::size_t token, std::size_t c) { return of(token) == c ? 1.0 : 0.0; });
    for (std::size_t r = 0; r < rows.rows(); ++r)
      if (const auto own = of(r % n))
        for (std::size_t c = 0; c < dim; ++c)
          if (rows.at(r, c) != 0) to[r / n][c].insert(*own);
  }
}

// The inputs of each output of each head. Each is asked at two positions: one may be rotated as the first is.
std::vector<std::vector<MeasuredChannel>> with_inputs(const Asking& asking) {
  const std::size_t dim = asking.dim();
  std::vector<std::vector<std::set<std::size_t>>> inputs(asking.heads(),
                                                         std::vector<std::set<std::size_t>>(dim));
  add_inputs(
      asking, [](std::size_t n) { return n; }, inputs);
  add_inputs(
      asking, [dim](std::size_t n) { return dim - 1 - n; }, inputs);
  std::vector<std::vector<MeasuredChannel>> out(asking.heads(), std::vector<MeasuredChannel>(dim));
  for (std::size_t head = 0; head < out.size(); ++head)
    for (std::size_t c = 0; c < dim; ++c)
      out[head][c].from.assign(inputs[head][c].begin(), inputs[head][c].end());
  return out;
}

// A group for each input, such that no output of any head depends on two inputs of one group.
std::vector<std::size_t> groups(const std::vector<std::vector<MeasuredChannel>>& heads) {
  const std::size_t dim = heads.front().size();
  std::vector<std::vector<std::size_t>> meets(dim);
  for (const auto& channels : heads)
    for (const MeasuredChannel& channel : channels)
      for (const std::size_t a : channel.from)
        for (const std::size_t b : channel.from)
          if (b < a) meets[a].push_back(b);
  std::vector<std::size_t> out(dim, 0);
  for (std::size_t a = 0; a < dim; ++a)
    while (std::ranges::any_of(meets[a], [&](std::size_t b) { return out[b] == out[a]; })) ++out[a];
  return out;
}

// The factor of each input in each output, at these positions.
class Factors {
 public:
  Factors(const Asking& asking, const std::vector<std::size_t>& group, std::vector<Position> at)
      : group_(group), at_(std::move(at)) {
    for (std::size_t g = 0; g <= *std::ranges::max_element(group); ++g)
      rows_.push_back(
          asking.rotated(at_, [&](std::size_t, std::size_t c) { return group[c] == g ? 1.0 : 0.0; }));
  }

  double operator()(std::size_t head, std::size_t token, std::size_t output, std::size_t input) const {
    return rows_[group_[input]].at(head * at_.size() + token, output);
  }
  const std::vector<Position>& positions() const { return at_; }

 private:
  const std::vector<std::size_t>& group_;
  std::vector<Position> at_;
  std::vector<Tensor> rows_;
};

// The factors of two inputs as one number that rotates with the pair.
Complex entry_of(const Factors& factors, std::size_t head, std::size_t token, std::size_t output,
                 std::size_t own, std::size_t partner) {
  const double sine = factors(head, token, output, partner);
  return {factors(head, token, output, own), partner > own ? -sine : sine};
}

const Pair* declared(const Rotary& truth, std::size_t channel) {
  for (const Pair& pair : truth.pairs)
    if (pair.first == channel || pair.second == channel) return &pair;
  return nullptr;
}

void share_out(MeasuredChannel& channel) {
  if (channel.constant) channel.shares = {{channel.own, *channel.constant, 0, 0}};
  const double sign = channel.partner > channel.own ? -1 : 1;
  if (channel.apart) {
    const auto& [cosine, sine] = *channel.apart;
    channel.shares = {{channel.own, cosine.amplitude * std::cos(cosine.phase), 0, cosine.frequency},
                      {channel.partner, 0, sign * sine.amplitude * std::cos(sine.phase), sine.frequency}};
  }
  if (!channel.rotates) return;
  const auto& [amplitude, frequency, phase, error] = *channel.rotates;
  const double c = amplitude * std::cos(phase), s = amplitude * std::sin(phase);
  channel.shares = {{channel.own, c, -s, frequency}, {channel.partner, sign * s, sign * c, frequency}};
  if (channel.added) channel.shares.push_back({channel.own, 1, 0, 0});
}

class Measuring {
 public:
  Measuring(const Asking& asking, const Rotary& truth, const Precision& precision)
      : asking_(asking), truth_(truth), out_{with_inputs(asking)} {
    std::size_t steps = truth.pairs.empty() ? 0 : truth.pairs.back().index;
    noise_ = [precision, steps](double t, double w) {
      return rotation_rounding(precision, t, Pair{0, 1, w, steps, {1, 1}}) + rotation_underflow(precision);
    };
  }

  MeasuredRotation all() {
    // A rotation mixes two; what mixes many, or gives no numbers, would take a call for each of them.
    for (const auto& channels : out_.heads)
      for (const MeasuredChannel& one : channels)
        if (one.from.size() > 4) return std::move(out_);
    group_ = groups(out_.heads);
    const Factors near(asking_, group_, in_sequence(asking_.domain().lo, asking_.length()));
    // From some position on it may be another rotation: then from a shorter sequence.
    const MeasuredRotation inputs = out_;
    for (const std::size_t tokens : {near.positions().size(), std::size_t{32}, std::size_t{8}}) {
      if (tokens > near.positions().size()) continue;
      tokens_ = tokens;
      out_ = inputs;
      for (std::size_t head = 0; head < out_.heads.size(); ++head)
        for (std::size_t c = 0; c < asking_.dim(); ++c) measure(near, head, c, out_.heads[head][c]);
      if (known()) break;
    }
    if (tokens_ == near.positions().size()) follow_all(near.positions().back());
    for (auto& channels : out_.heads)
      for (MeasuredChannel& channel : channels) share_out(channel);
    return std::move(out_);
  }

 private:
  bool known() const {
    return std::ranges::all_of(out_.heads, [](const auto& channels) {
      return std::ranges::all_of(channels, [](const MeasuredChannel& one) {
        return one.is_known() || one.rotates || one.apart || one.constant;
      });
    });
  }

  void measure(const Factors& near, std::size_t head, std::size_t c, MeasuredChannel& out) {
    if (out.from.size() == 1) measure_alone(near, head, c, out);
    if (out.from.size() != 2) return;
    const bool is_first = out.from[0] == c;
    out.own = is_first || out.from[1] != c ? out.from[0] : c;
    out.partner = out.own == out.from[0] ? out.from[1] : out.from[0];
    out.rotates = fitted(near, head, c, out.own, out.partner);
    const auto other = fitted(near, head, c, out.partner, out.own);
    if (!out.rotates && !other) measure_unlike(near, head, c, out);
    if (!other || std::abs(other->phase) > 1e-3) return;
    // A cosine and a sine in each other's place are no channels in each other's place.
    const Pair* pair = declared(truth_, c);
    if (pair != nullptr && other->frequency * pair->frequency < 0) return;
    if (out.rotates && std::abs(out.rotates->phase) <= 1e-3) return;
    std::swap(out.own, out.partner);
    out.rotates = other;
  }

  // What two inputs make that do not rotate together: on top of one of them as it was, or by two frequencies.
  void measure_unlike(const Factors& near, std::size_t head, std::size_t c, MeasuredChannel& out) const {
    out.rotates = fitted(near, head, c, out.own, out.partner, 1);
    out.added = out.rotates.has_value();
    for (const auto& [own, partner] : {std::pair{out.own, out.partner}, std::pair{out.partner, out.own}}) {
      if (out.rotates || out.apart) return;
      const auto first = wave(near, head, c, own), second = wave(near, head, c, partner);
      if (!first || !second || first->sine != 0 || second->cosine != 0) continue;
      const double sign = partner > own ? -1 : 1, half = std::numbers::pi;
      const double turns = std::copysign(1.0, sign * second->sine);
      out.own = own, out.partner = partner;
      out.apart = Halves{{std::abs(first->cosine), first->frequency, first->cosine < 0 ? half : 0, 0},
                         {std::abs(second->sine), turns * second->frequency, 0, 0}};
    }
  }

  std::optional<Rotating> fitted(const Factors& near, std::size_t head, std::size_t c, std::size_t own,
                                 std::size_t partner, double without = 0) const {
    std::vector<Complex> values;
    for (std::size_t token = 0; token < tokens_; ++token)
      values.push_back(entry_of(near, head, token, c, own, partner) - without);
    return rotating(values, near.positions().front(), noise_);
  }

  // A constant, or a cosine and a sine of the declared frequency.
  void measure_alone(const Factors& near, std::size_t head, std::size_t c, MeasuredChannel& out) const {
    out.own = out.partner = out.from[0];
    const auto value = [&](std::size_t token) { return near(head, token, c, out.own); };
    const std::size_t n = tokens_;
    const double first = value(0), unit = noise_(0, 0);
    bool same = true;
    for (std::size_t token = 0; token < n; ++token)
      same = same && std::abs(value(token) - first) <= 2 * unit * std::abs(first);
    if (same) {
      out.constant = first;
      return;
    }
    if (const auto is = wave(near, head, c, out.own)) out.shares = {*is};
  }

  // The factor of one input as a cosine and a sine of the frequency that a pair declares, the channel's own
  // before others'. What is within rounding of 0 is that.
  std::optional<Share> wave(const Factors& near, std::size_t head, std::size_t c, std::size_t input) const {
    if (near.positions().front() != 0 || tokens_ < 4) return std::nullopt;
    const Pair* own = declared(truth_, c);
    if (own != nullptr)
      if (const auto is = wave_of(*own, near, head, c, input)) return is;
    for (const Pair& pair : truth_.pairs)
      if (const auto is = wave_of(pair, near, head, c, input)) return is;
    return std::nullopt;
  }

  std::optional<Share> wave_of(const Pair& pair, const Factors& near, std::size_t head, std::size_t c,
                               std::size_t input) const {
    const double w = pair.frequency;
    if (w == 0) return std::nullopt;
    const auto value = [&](std::size_t token) { return near(head, token, c, input); };
    const Turns& turns = turns_of(w);
    const double first = value(0),
                 sine = (value(turns.widest) - first * turns.cosine[turns.widest]) / turns.sine[turns.widest];
    const double size = std::abs(first) + std::abs(sine);
    const double allowed = 8 * noise_(static_cast<double>(tokens_), w) * size;
    double of_sine = 0, largest = 0;
    for (std::size_t token = 0; token < tokens_; ++token) {
      if (std::abs(value(token) - first * turns.cosine[token] - sine * turns.sine[token]) > allowed)
        return std::nullopt;
      of_sine = std::max(of_sine, std::abs(sine * turns.sine[token]));
      largest = std::max(largest, std::abs(value(token)));
    }
    if (largest == 0) return std::nullopt;
    return Share{input, std::abs(first) > allowed ? first : 0, of_sine > allowed ? sine : 0, w};
  }

  // A frequency's cosine and sine at each token: every channel is compared with those of every pair.
  struct Turns {
    std::vector<double> cosine, sine;
    std::size_t widest = 1;  // the token whose sine is largest, by which a factor of the sine is known best
  };

  const Turns& turns_of(double w) const {
    const auto [found, is_new] = turns_.try_emplace({w, tokens_});
    Turns& out = found->second;
    if (!is_new) return out;
    for (std::size_t token = 0; token < tokens_; ++token) {
      const double angle = w * static_cast<double>(token);
      out.cosine.push_back(std::cos(angle)), out.sine.push_back(std::sin(angle));
      if (token > 1 && std::abs(out.sine[token]) > std::abs(out.sine[out.widest])) out.widest = token;
    }
    return out;
  }

  // All at once: the positions are as they were asked for as long as all follow.
  void follow_all(Position last) {
    std::vector<Position> far;
    for (Position t = 1; t <= asking_.domain().hi; t *= 2)
      if (t > last) far.push_back(t);
    if (far.empty()) return;
    std::optional<Factors> factors;
    try {
      factors.emplace(asking_, group_, far);
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception&) {  // not in one call with these
      return;
    }
    for (std::size_t token = 0; token < far.size(); ++token) {
      MeasuredRotation next = out_;
      for (std::size_t head = 0; head < next.heads.size(); ++head)
        for (std::size_t c = 0; c < asking_.dim(); ++c) {
          MeasuredChannel& channel = next.heads[head][c];
          if (channel.rotates && !follow(*channel.rotates, far[token],
                                         entry_of(*factors, head, token, c, channel.own, channel.partner) -
                                             (channel.added ? 1.0 : 0.0),
                                         noise_))
            return;
        }
      out_ = std::move(next);
    }
  }

  const Asking& asking_;
  const Rotary& truth_;
  MeasuredRotation out_;
  std::vector<std::size_t> group_;
  std::size_t tokens_ = 0;  // of the sequence
  PhaseNoise noise_;
  mutable std::map<std::pair<double, std::size_t>, Turns> turns_;  // by frequency and tokens
};

}  // namespace

bool MeasuredRotation::is_known() const {
  return std::ranges::all_of(heads, [](const auto& channels) {
    return std::ranges::all_of(channels, [](const MeasuredChannel& one) { return one.is_known(); });
  });
}

std::optional<MeasuredRotation> measured_rotation(const Rotary& subject, const Rotary& truth, Role role,
                                                  const Precision& precision) {
  const Domain domain = overlap(subject.positions, truth.positions);
  if (subject.dim > most_channels || domain.axes != 1 || domain.hi - domain.lo + 1 < fewest_positions)
    return std::nullopt;
  try {
    const Asking asking(subject, truth, domain, role);
    return Measuring(asking, truth, precision).all();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {  // declined, died, another shape
    return std::nullopt;
  }
}

void settle(MeasuredRotation& measured, const Rotary& truth, const Precision& precision) {
  for (auto& channels : measured.heads)
    for (std::size_t c = 0; c < channels.size(); ++c) {
      MeasuredChannel& one = channels[c];
      if (!one.rotates) continue;
      Rotating& is = *one.rotates;
      const Pair* pair = declared(truth, one.own);
      if (pair != nullptr)
        for (const double w : {pair->frequency, -pair->frequency})
          if (std::abs(is.frequency - w) <= is.error + angle_error(precision, 1, *pair)) is.frequency = w;
      const double noise = rotation_rounding(precision, longest_sequence, Pair{0, 1, is.frequency}) +
                           static_cast<double>(longest_sequence) * is.error;
      const double quarter = std::numbers::pi / 2, turns = std::round(is.phase / quarter);
      if (std::abs(is.phase - turns * quarter) <= 4 * noise) is.phase = turns * quarter;
      for (const double whole : {1.0, truth.amplitude})
        if (std::abs(is.amplitude / whole - 1) <= 16 * (precision.result + precision.table()))
          is.amplitude = whole;
      share_out(one);
    }
}

namespace {

// Cosines and sines of some frequencies, of positions that are asked for again and again: a diagnosis
// compares the same calls with hundreds of effects.
class Phasors {
 public:
  explicit Phasors(std::vector<double> frequencies) : frequencies_(std::move(frequencies)) {}

  std::size_t number_of(double frequency) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(frequencies_, frequency) - frequencies_.begin());
  }

  // One for each frequency; valid until the next call.
  const std::vector<std::pair<double, double>>& at(double position) {
    constexpr std::size_t most_kept = std::size_t{1} << 22;
    if (kept_.size() * frequencies_.size() > most_kept) kept_.clear();
    if (const auto known = kept_.find(position); known != kept_.end()) return known->second;
    std::vector<std::pair<double, double>> all;
    for (const double w : frequencies_) {
      const long double angle = static_cast<long double>(position) * w;
      all.emplace_back(static_cast<double>(std::cos(angle)), static_cast<double>(std::sin(angle)));
    }
    return kept_[position] = std::move(all);
  }

 private:
  std::vector<double> frequencies_;  // rising
  std::unordered_map<double, std::vector<std::pair<double, double>>> kept_;
};

// Of one head: what is added to a channel of its output.
struct Part {
  std::size_t output, input;
  double a, b;            // of the cosine and of the sine
  std::size_t frequency;  // its number
};

}  // namespace

Rotary rotation_of(const Rotary& truth, const MeasuredRotation& queries, const MeasuredRotation& keys) {
  // A cosine and a sine for each frequency of a token, however many channels and heads have it.
  std::set<double> frequencies;
  for (const MeasuredRotation* one : {&queries, &keys})
    for (const auto& channels : one->heads)
      for (const MeasuredChannel& channel : channels)
        for (const Share& share : channel.shares) frequencies.insert(share.frequency);
  const auto phasors = std::make_shared<Phasors>(std::vector<double>(frequencies.begin(), frequencies.end()));
  const auto parts_of = [&](const MeasuredRotation& one) {
    std::vector<std::vector<Part>> heads;
    for (const auto& channels : one.heads) {
      heads.emplace_back();
      for (std::size_t c = 0; c < channels.size(); ++c)
        for (const auto& [input, a, b, frequency] : channels[c].shares)
          heads.back().push_back({c, input, a, b, phasors->number_of(frequency)});
    }
    return heads;
  };
  Rotary out = truth;
  out.rotate = [of_queries = parts_of(queries), of_keys = parts_of(keys), phasors, truth](
                   const Tensor& x, const Positions& positions, Role role) {
    const auto& heads = role == Role::query ? of_queries : of_keys;
    const std::size_t n = x.shape[2];
    Tensor y(x.shape);
    for (std::size_t token = 0; token < positions.size(); ++token) {
      const auto& circle = phasors->at(positions.at(token));
      for (std::size_t head = 0; head < heads.size(); ++head) {
        const std::size_t r = (token / n * heads.size() + head) * n + token % n;
        const auto from = x.row(r);
        const auto to = y.row(r);
        for (const auto& [output, input, a, b, frequency] : heads[head])
          to[output] += from[input] * (a * circle[frequency].first + b * circle[frequency].second);
      }
    }
    return in_order(truth, std::move(y));
  };
  return out;
}

}  // namespace posproof
