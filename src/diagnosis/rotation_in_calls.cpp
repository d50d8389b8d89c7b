#include "diagnosis/rotation_in_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "core/by_row.h"
#include "core/error.h"
#include "core/function.h"
#include "diagnosis/ladder_deviations.h"
#include "diagnosis/measured_model.h"
#include "diagnosis/measured_rotation.h"
#include "diagnosis/measured_words.h"
#include "run/narrowed.h"

namespace posproof {
namespace {

using Sentences = std::vector<std::string>;

// What divides each pair's frequency: 1 where nothing does.
std::vector<double> divisors(const Rotary& truth, const EncodingSpec& spec, const Parameters& parameters) {
  std::vector<double> out(truth.pairs.size(), 1);
  if (parameters.word("scaling") != "longrope") return out;
  Parameters plain = parameters;
  plain.set("scaling", std::string("none"));
  const auto undivided = spec.oracle<Rotary>(plain);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = undivided.pairs.at(i).frequency / truth.pairs[i].frequency;
  return out;
}

// ---- of one length

class InCalls {
 public:
  InCalls(const Rotary& subject, const Rotary& truth, const EncodingSpec& spec, const Parameters& parameters,
          const Subject& as)
      : truth_(truth),
        parameters_(parameters),
        as_(as),
        queries_(measured_rotation(subject, truth, Role::query, as.precision)),
        keys_(measured_rotation(subject, truth, Role::key, as.precision)),
        divisors_(divisors(truth, spec, parameters)) {}

  bool is_known() const { return queries_ && keys_ && queries_->is_known() && keys_->is_known(); }

  // None where what was measured cannot be put into words.
  std::optional<Sentences> sentences() const {
    if (auto of_divisors = words_of_divisors()) return Sentences{*of_divisors};
    Rotary plain = truth_;
    for (std::size_t i = 0; i < plain.pairs.size(); ++i) plain.pairs[i].frequency *= divisors_[i];
    Parameters without = parameters_;
    without.set("scaling", std::string("none"));
    return measured_sentences(undivided(*queries_), undivided(*keys_), plain, without, as_);
  }

  Model model() const {
    MeasuredRotation queries = *queries_, keys = *keys_;
    settle(queries, truth_, as_.precision);
    settle(keys, truth_, as_.precision);
    return measured_model(truth_, queries, keys, as_.precision);
  }

 private:
  // Of the channels of each declared pair.
  MeasuredRotation undivided(MeasuredRotation measured) const {
    for (auto& channels : measured.heads)
      for (std::size_t i = 0; i < truth_.pairs.size(); ++i)
        for (const std::size_t c : {truth_.pairs[i].first, truth_.pairs[i].second})
          if (auto& rotates = channels[c].rotates)
            rotates->frequency *= divisors_[i], rotates->error *= divisors_[i];
    return measured;
  }

  // The frequency of each pair, where all heads of queries and of keys rotate the declared channels alike.
  std::optional<std::vector<MeasuredFrequency>> frequencies() const {
    std::vector<MeasuredFrequency> out;
    for (const Pair& pair : truth_.pairs) {
      std::optional<MeasuredFrequency> own;
      for (const MeasuredRotation* role : {&*queries_, &*keys_})
        for (const auto& channels : role->heads)
          for (const std::size_t c : {pair.first, pair.second}) {
            const MeasuredChannel& one = channels[c];
            if (!one.rotates || one.own + one.partner != pair.first + pair.second) return std::nullopt;
            const Rotating& is = *one.rotates;
            const MeasuredFrequency here{pair.frequency, is.frequency, is.error,
                                         angle_error(as_.precision, 1, pair)};
            if (own && !here.is_at(own->measured)) return std::nullopt;
            if (!own || here.error < own->error) own = here;
          }
      out.push_back(*own);
    }
    return out;
  }

  std::optional<std::string> words_of_divisors() const {
    if (parameters_.word("scaling") != "longrope") return std::nullopt;
    const auto all = frequencies();
    if (!all) return std::nullopt;
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < all->size(); ++i)
      if (all->at(i).differs()) others.push_back(i);
    if (others.empty()) return std::nullopt;
    const auto divided_by = [&](double (*other)(double)) {
      return are_divided_by(*all, [&](std::size_t i) { return other(divisors_[i]); });
    };
    if (divided_by([](double d) { return 1 / d; })) return "frequencies are multiplied by their divisors";
    if (divided_by([](double) { return 1.0; })) return "frequencies are not divided";
    if (divided_by([](double d) { return std::nearbyint(d); }))
      return "divisors are rounded to whole numbers";
    if (divided_by([](double d) { return std::floor(d); }))
      return "divisors are rounded down to whole numbers";
    if (const auto moved = moved_divisors(*all)) return moved;
    if (const auto limit = limited(*all, others); limit && others.size() > 1) return limit;
    constexpr std::size_t few = 3;
    if (others.size() > few || 2 * others.size() > all->size()) return std::nullopt;
    return of_few(*all, others);
  }

  // Whether the undivided frequency of each pair is divided by that.
  bool are_divided_by(const std::vector<MeasuredFrequency>& all,
                      const Function<double(std::size_t pair)>& divisor) const {
    for (std::size_t i = 0; i < all.size(); ++i)
      if (!all[i].is_at(all[i].declared * divisors_[i] / divisor(i))) return false;
    return true;
  }

  // Each pair has the divisor of another.
  std::optional<std::string> moved_divisors(const std::vector<MeasuredFrequency>& all) const {
    const std::size_t n = all.size();
    const auto are = [&](const Function<std::size_t(std::size_t)>& other) {
      return are_divided_by(all, [&](std::size_t i) { return divisors_[other(i)]; });
    };
    if (are([=](std::size_t i) { return n - 1 - i; }))
      return "divisors stand in reverse order: pair i has that of the last pair but i";
    if (are([=](std::size_t i) { return (i + n - 1) % n; }))
      return "every pair has the divisor of the pair before, the first that of the last";
    if (are([=](std::size_t i) { return (i + 1) % n; }))
      return "every pair has the divisor of the pair after, the last that of the first";
    if (are([](std::size_t i) { return i == 0 ? 0 : i - 1; }))
      return "every pair but the first has the divisor of the pair before";
    if (are([=](std::size_t i) { return std::min(i + 1, n - 1); }))
      return "every pair but the last has the divisor of the pair after";
    return std::nullopt;
  }

  // One number stands for all that are larger.
  std::optional<std::string> limited(const std::vector<MeasuredFrequency>& all,
                                     const std::vector<std::size_t>& others) const {
    const MeasuredFrequency& first = all[others.front()];
    const double at = divisors_[others.front()] * first.declared / first.measured;
    const double limit = std::abs(at / std::round(at) - 1) < first.ratio_error() ? std::round(at) : at;
    if (!are_divided_by(all, [&](std::size_t i) { return std::min(divisors_[i], limit); }))
      return std::nullopt;
    return fmt::format("divisors past {0} count as {0}", number(limit, first.ratio_error()));
  }

  std::string of_few(const std::vector<MeasuredFrequency>& all,
                     const std::vector<std::size_t>& others) const {
    std::string out;
    for (const std::size_t i : others) {
      const auto [is, ought] =
          told_apart(divisors_[i] * all[i].declared / all[i].measured, all[i].ratio_error(), divisors_[i]);
      out += fmt::format("{}the divisor of pair {} is {}, not {}", out.empty() ? "" : ", ", i, is, ought);
    }
    return out;
  }

  const Rotary& truth_;
  const Parameters& parameters_;
  const Subject& as_;
  std::optional<MeasuredRotation> queries_, keys_;
  std::vector<double> divisors_;
};

// ---- of both

// The one in calls that end before that position, the other in the others.
Model by_length(const Rotary& truth, Position trained, const Model& shorter, const Model& longer) {
  Rotary out = truth;
  out.in_call = nullptr;
  out.exact = nullptr;
  out.rotate = [=](const Tensor& x, const Positions& positions, Role role) {
    const Position last = positions.empty() ? 0 : std::ranges::max(positions);
    return as<Rotary>((last < trained ? shorter : longer).encoding).rotate(x, positions, role);
  };
  return {out, [=](const Call& call, const Tensor& expected, Position far) {
            return (last_of(call) < trained ? shorter : longer).error(call, expected, far);
          }};
}

}  // namespace

Rotary in_calls_to(const Rotary& rotary, Position last) {
  Rotary out = rotary;
  out.in_call = nullptr;
  out.exact = nullptr;
  out.positions = Domain(rotary.positions.lo, last);
  out.rotate = [rotate = rotary.rotate, last](const Tensor& x, const Positions& positions, Role role) {
    const std::size_t batch = x.shape[0], heads = x.shape[1], n = x.shape[2], width = x.shape[3];
    Tensor longer({batch, heads, n + 1, width});
    std::vector<Position> at;
    for (std::size_t row = 0; row < batch; ++row) {
      for (std::size_t token = 0; token < n; ++token)
        at.push_back(static_cast<Position>(positions.at(row * n + token)));
      at.push_back(last);
    }
    for (std::size_t r = 0; r < x.rows(); ++r)
      std::ranges::copy(x.row(r), longer.row(r / n * (n + 1) + r % n).begin());
    const Tensor rotated = rotate(longer, at, role);
    if (rotated.shape != longer.shape) throw std::runtime_error("another shape");
    Tensor y(x.shape);
    for (std::size_t r = 0; r < y.rows(); ++r)
      std::ranges::copy(rotated.row(r / n * (n + 1) + r % n), y.row(r).begin());
    return y;
  };
  return out;
}

std::optional<MeasuredInCalls> measured_in_calls(const Rotary& subject, const Rotary& truth,
                                                 const EncodingSpec& spec, const Parameters& parameters,
                                                 const Subject& as) {
  if (parameters.find("scaling") == nullptr || parameters.find("original_length") == nullptr)
    return std::nullopt;
  const bool longrope = parameters.word("scaling") == "longrope";
  const auto measured = [&](const Rotary& own, const Rotary& declared) {
    const InCalls is(own, declared, spec, parameters, as);
    auto said = is.is_known() ? is.sentences() : std::nullopt;
    return said && !said->empty() ? std::optional(MeasuredInCalls{std::move(*said), is.model()})
                                  : std::nullopt;
  };
  if (!truth.in_call) return longrope ? measured(subject, truth) : std::nullopt;
  if (is_by_row(truth)) return std::nullopt;
  const auto trained = static_cast<Position>(parameters.real("original_length"));
  const Domain domain = overlap(subject.positions, truth.positions);
  const auto until = [&](Position last) {
    Rotary fixed = *in_call(truth, last);
    fixed.positions = Domain(domain.lo, last);
    return std::pair(fixed, measured(in_calls_to(subject, last), fixed));
  };
  const Position short_end = std::min(trained - 1, domain.hi);
  if (domain.lo < 0 || short_end < fewest_positions) return std::nullopt;
  const auto [short_truth, shorter] = until(short_end);
  std::optional<MeasuredInCalls> longer;
  if (longrope && domain.hi >= trained) longer = until(domain.hi).second;
  if (!shorter && !longer) return std::nullopt;
  const Model right = model_of(truth, as.precision);
  Sentences said;
  const auto say = [&](const std::optional<MeasuredInCalls>& one, const std::string& where) {
    if (one)
      for (const std::string& sentence : one->sentences) said.push_back(where + sentence);
  };
  if (shorter && longer && shorter->sentences == longer->sentences) {
    said = shorter->sentences;
  } else {
    say(shorter, fmt::format("in calls that end before position {}: ", trained));
    say(longer, fmt::format("in calls that reach position {}: ", trained));
  }
  return MeasuredInCalls{std::move(said), by_length(truth, trained, shorter ? shorter->model : right,
                                                    longer ? longer->model : right)};
}

}  // namespace posproof
