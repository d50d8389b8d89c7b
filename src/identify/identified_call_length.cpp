#include "identify/identified_call_length.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <numeric>
#include <optional>

#include "identify/identified_rotary.h"
#include "run/narrowed.h"

namespace posproof {
namespace {

constexpr Position near = 64;  // positions of the shortest call
// Digits of a factor that somebody wrote down; what takes more is measured.
constexpr int most_digits = 4;

// The same, with one more token behind every row of tokens: at that position.
Rotary in_calls_to(const Rotary& subject, Position last) {
  Rotary out = subject;
  out.positions.hi = last;
  out.rotate = [subject, last](const Tensor& x, const Positions& positions, Role role) {
    const std::size_t n = x.shape[2];
    std::vector<Position> at(positions.begin(), positions.end());
    at.push_back(last);
    Tensor longer({1, x.shape[1], n + 1, x.shape[3]});
    for (std::size_t r = 0; r < x.rows(); ++r)
      for (std::size_t c = 0; c < x.shape[3]; ++c) longer.at(r / n * (n + 1) + r % n, c) = x.at(r, c);
    const Tensor answer = subject.rotate(longer, at, role);
    if (answer.shape != longer.shape) return answer;
    Tensor y(x.shape);
    for (std::size_t r = 0; r < y.rows(); ++r)
      for (std::size_t c = 0; c < y.shape[3]; ++c) y.at(r, c) = answer.at(r / n * (n + 1) + r % n, c);
    return y;
  };
  return out;
}

// What becomes of the first positions in a call to that one.
Tensor first_rows(const Rotary& subject, Position last) {
  std::vector<Position> at(near);
  std::iota(at.begin(), at.end(), subject.positions.lo);
  Tensor x({1, subject.heads, at.size(), subject.dim});
  std::ranges::fill(x.data, 1.0);
  return in_calls_to(subject, last).rotate(x, at, Role::query);
}

class ByLength {
 public:
  ByLength(const Rotary& subject, const Rotary& like, const Precision& precision)
      : subject_(subject), like_(like), precision_(precision) {
    subject_.positions = overlap(subject.positions, like.positions);
    if (subject_.positions.hi > subject_.positions.lo + near)
      short_ = first_rows(subject_, subject_.positions.lo + near);
  }

  std::vector<Candidate> all() {
    const Position hi = subject_.positions.hi;
    if (short_.data.empty() || !differs(hi)) return {};
    Position same = subject_.positions.lo + near, other = hi;
    for (Position t = 2 * same; t < hi; same = t, t *= 2)
      if (differs(t)) {
        other = t;
        break;
      }
    add_dynamic(std::min(hi, 2 * other), std::min(hi, 4 * other));
    while (other - same > 1) (differs(same + (other - same) / 2) ? other : same) = same + (other - same) / 2;
    add_longrope(static_cast<double>(same + 1), hi);
    // Calls of one row do not tell whose length it is.
    for (std::size_t n = 0, count = found_.size(); n < count; ++n) {
      found_.push_back(found_[n]);
      found_.back().parameters.set("length_of", std::string("row"));
    }
    return std::move(found_);
  }

 private:
  bool differs(Position last) const {
    const Tensor rows = first_rows(subject_, last);
    if (rows.data.size() != short_.data.size()) return false;
    double largest = 0, off = 0;
    for (std::size_t n = 0; n < rows.data.size(); ++n) {
      largest = std::max(largest, std::abs(short_.data[n]));
      off = std::max(off, std::abs(rows.data[n] - short_.data[n]));
    }
    return off > 16 * precision_.result * largest;
  }

  std::vector<IdentifiedChannels> channels(const Rotary& rotary) const {
    const auto measured = measured_rotation(rotary, like_, Role::query, precision_);
    if (!measured || measured->heads.empty()) return {};
    return identified_channels(*measured, precision_);
  }

  Rotary shortest() const { return in_calls_to(subject_, subject_.positions.lo + near); }

  // ---- a base for each length

  // By how much the base is stretched, without the power d/(d - 2).
  static std::optional<Interval> stretch(const MeasuredLadder& is, const MeasuredLadder& was, double over) {
    std::vector<Interval> all;
    for (std::size_t i = 1; i < std::min(is.frequencies.size(), was.frequencies.size()); ++i) {
      const Interval slower = around(was.frequencies[i] / is.frequencies[i], is.errors[i] + was.errors[i]);
      const double power = (over - 2) / (2 * static_cast<double>(i));
      all.push_back({std::pow(slower.lo, power), std::pow(slower.hi, power)});
    }
    return most_overlap(all);
  }

  // A stretch of factor n / original_length - (factor - 1) at two lengths.
  void add_dynamic(Position one, Position other) {
    if (one == other) return;
    const auto was = channels(shortest()), first = channels(in_calls_to(subject_, one)),
               second = channels(in_calls_to(subject_, other));
    if (was.empty() || first.empty() || second.empty()) return;
    const auto over = static_cast<double>(was.front().width);
    if (over <= 2) return;
    const auto s = stretch(first.front().ladder, was.front().ladder, over),
               t = stretch(second.front().ladder, was.front().ladder, over);
    if (!s || !t) return;
    const auto tokens = static_cast<double>(one + 1), more = static_cast<double>(other - one);
    const Interval slope{(t->lo - s->hi) / more, (t->hi - s->lo) / more};
    if (!(slope.lo > 0)) return;
    const double factor = simplest({slope.lo * tokens - s->hi + 1, slope.hi * tokens - s->lo + 1});
    const double length = simplest({factor / slope.hi, factor / slope.lo});
    for (Candidate& like : rotary_candidates(shortest(), like_, precision_)) {
      if (like.parameters.word("scaling") != "none") continue;
      like.parameters.set("scaling", std::string("dynamic_ntk"));
      like.parameters.set("factor", factor);
      like.parameters.set("original_length", length);
      found_.push_back(std::move(like));
    }
  }

  // ---- divisors up to a length, and others behind it

  static std::optional<std::vector<double>> divisors(const Parameters& parameters) {
    const std::string& scaling = parameters.word("scaling");
    if (scaling == "none" || (scaling == "yarn" && parameters.real("factor") == 1)) return {{1}};
    if (scaling == "linear") return {{parameters.real("factor")}};
    if (scaling == "longrope") return std::get<std::vector<double>>(*parameters.find("factors"));
    return std::nullopt;
  }

  void add_longrope(double length, Position last) {
    const Rotary longer = in_calls_to(subject_, last);
    const auto measured = channels(longer);
    if (measured.empty()) return;
    const MeasuredLadder& ladder = measured.front().ladder;
    const auto behind = rotary_candidates(longer, like_, precision_);
    for (const Candidate& up_to : rotary_candidates(shortest(), like_, precision_))
      for (const Candidate& from : behind)
        if (up_to.parameters.real("base") == from.parameters.real("base"))
          add_longrope(up_to, from, length, around(ladder.amplitude, ladder.amplitude_error));
  }

  void add_longrope(const Candidate& up_to, const Candidate& from, double length, const Interval& amplitude) {
    const auto few = divisors(up_to.parameters), many = divisors(from.parameters);
    if (!few || !many || *few == *many) return;
    Candidate out = up_to;
    out.parameters.set("scaling", std::string("longrope"));
    out.parameters.set("original_length", length);
    out.parameters.set("short_factors", *few);
    out.parameters.set("factors", *many);
    const auto factor_of = [&](double a) { return std::exp((a * a - 1) * std::log(length)); };
    const double factor = simplest({factor_of(amplitude.lo), factor_of(amplitude.hi)});
    if (factor > 1 && digits(factor) <= most_digits) {
      out.parameters.set("factor", factor);
      found_.push_back(out);
    }
    out.parameters.set("factor", 1.0);
    out.parameters.set("attention_factor", simplest(amplitude));
    found_.push_back(std::move(out));
  }

  Rotary subject_;
  const Rotary& like_;
  const Precision& precision_;
  Tensor short_;
  std::vector<Candidate> found_;
};

}  // namespace

std::vector<Candidate> call_length_candidates(const Rotary& subject, const Rotary& like,
                                              const Precision& precision) {
  try {
    return ByLength(subject, like, precision).all();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {  // declined, died
    return {};
  }
}

}  // namespace posproof
