#include "diagnosis/term_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <map>
#include <new>
#include <set>

#include "core/error.h"
#include "core/function.h"
#include "run/narrowed.h"

namespace posproof {
namespace {

// A query's position and a key's.
struct Place {
  Position i, j;
  auto operator<=>(const Place&) const = default;
};

// How far the key stands before the query; behind it: below 0.
Position before(const Place& at) {
  return at.i - at.j;
}

struct Rule {
  std::string words;
  Function<bool(const Place&)> is_wrong;
};

class WrongPairs {
 public:
  WrongPairs(const Contextual& subject, const Contextual& reference, const Contextual& truth,
             const Precision& precision)
      : subject_(subject),
        reference_(reference),
        truth_(truth),
        precision_(precision),
        domain_(overlap(subject.positions, truth.positions)) {}

  std::optional<std::string> found(const std::vector<Answered>& answered) {
    if (domain_.axes > 1 || domain_.real || !take_wrong(answered)) return std::nullopt;
    for (const Rule& rule : rules())
      if (holds(rule)) return fmt::format("wrong {} alone", rule.words);
    return std::nullopt;
  }

 private:
  // Contents and the nearest place at which the subject is wrong alone, too, and every other wrong place.
  bool take_wrong(const std::vector<Answered>& answered) {
    for (const Answered& one : answered) {
      const auto &i = one.call.positions.whole, &j = one.call.keys.whole;
      const Tensor &q = one.call.contents[0], &k = one.call.contents[1];
      const Tensor ought = reference_.logits(q, k, i, j);
      if (one.answer.shape != ought.shape) return false;
      for (std::size_t r = 0; r < ought.rows(); ++r)
        for (std::size_t c = 0; c < j.size(); ++c) {
          const std::size_t a = r % i.size();
          const Place at{i[a], j[c]};
          const double error = logit_error(truth_, q.row(a), k.row(c), at.i, at.j, precision_);
          if (!is_asked(at) || std::abs(one.answer.at(r, c) - ought.at(r, c)) <= error) continue;
          if (wrong_.empty() || std::abs(before(at)) < std::abs(before(first_))) {
            first_ = at;
            q_ = row_of(q, a), k_ = row_of(k, c);
          }
          wrong_.insert(at);
        }
    }
    return !wrong_.empty() && is_wrong(first_);
  }

  static Tensor row_of(const Tensor& all, std::size_t row) {
    const auto values = all.row(row);
    return Tensor({1, all.width()}, {values.begin(), values.end()});
  }

  bool is_asked(const Place& at) const {
    const auto is_in = [&](Position t) { return domain_.lo <= t && t <= domain_.hi; };
    return is_in(at.i) && is_in(at.j) && (!truth_.causal || at.j <= at.i);
  }

  bool is_wrong(const Place& at) const {
    const auto known = known_.find(at);
    if (known != known_.end()) return known->second;
    return known_[at] = is_wrong_when_asked(at);
  }

  bool is_wrong_when_asked(const Place& at) const {
    const Position i[] = {at.i}, j[] = {at.j};
    const Tensor is = subject_.logits(q_, k_, i, j), ought = reference_.logits(q_, k_, i, j);
    const double error = logit_error(truth_, q_.row(0), k_.row(0), at.i, at.j, precision_);
    for (std::size_t h = 0; h < ought.data.size(); ++h)
      if (!(std::abs(is.data.at(h) - ought.data[h]) <= error)) return true;
    return false;
  }

  // The first of 0, 1, .. `last` steps that is wrong, where that one is.
  Position first_wrong(Position last, const Function<Place(Position)>& at) const {
    Position right = -1;
    while (last - right > 1) {
      const Position half = right + (last - right) / 2;
      (is_wrong(at(half)) ? last : right) = half;
    }
    return last;
  }

  std::vector<Rule> rules() const {
    std::vector<Rule> out;
    const Position side = before(first_) < 0 ? -1 : 1, far = std::abs(before(first_));
    const auto at_distance = [=, this](Position d) { return Place{first_.i, first_.i - side * d}; };
    const Position distance = first_wrong(far, at_distance);
    const char* of = side > 0 ? "before" : "after";
    if (distance > 0) {
      out.push_back({fmt::format("for keys {} or more {} the query", distance, of),
                     [=](const Place& at) { return side * before(at) >= distance; }});
      out.push_back({fmt::format("for keys {} or more away from the query", distance),
                     [=](const Place& at) { return std::abs(before(at)) >= distance; }});
      out.push_back({fmt::format("for keys {} {} the query", distance, of),
                     [=](const Place& at) { return side * before(at) == distance; }});
    } else {
      out.push_back({"for the query's own position", [](const Place& at) { return at.i == at.j; }});
    }
    out.push_back({fmt::format("for the key at position {}", first_.j),
                   [j = first_.j](const Place& at) { return at.j == j; }});
    out.push_back({fmt::format("for the query at position {}", first_.i),
                   [i = first_.i](const Place& at) { return at.i == i; }});
    // Both together, as far apart as they are.
    const Position low = std::min(first_.i, first_.j) - domain_.lo;
    const Position steps = first_wrong(low, [=, this](Position step) {
      return Place{first_.i - low + step, first_.j - low + step};
    });
    if (const Position i = first_.i - low + steps; steps > 0)
      out.push_back(
          {fmt::format("for queries from position {} on", i), [=](const Place& at) { return at.i >= i; }});
    if (const Position j = first_.j - low + steps; steps > 0)
      out.push_back(
          {fmt::format("for keys from position {} on", j), [=](const Place& at) { return at.j >= j; }});
    return out;
  }

  // Of each place that is asked: near the wrong ones, along the diagonal, and at the domain's ends. There is
  // one at least that is right.
  bool holds(const Rule& rule) const {
    if (!std::ranges::all_of(wrong_, rule.is_wrong)) return false;
    std::set<Place> asked = {first_};
    std::vector<Position> near = {domain_.lo, domain_.lo + 1, domain_.lo + 2, domain_.lo + 40, domain_.hi};
    for (const Position of : {first_.i, first_.j})
      for (const Position off : {-1, 0, 1}) near.push_back(of + off);
    for (const Position i : near)
      for (const Position j : near) asked.insert({i, j});
    for (const Position i : near)
      for (const Position off : {-1, 0, 1})
        for (const Position sign : {-1, 1}) asked.insert({i, i + sign * std::abs(before(first_)) + off});
    bool some_right = false;
    for (const Place& at : asked) {
      if (!is_asked(at)) continue;
      const bool wrong = is_wrong(at);
      if (wrong != rule.is_wrong(at)) return false;
      some_right = some_right || !wrong;
    }
    return some_right;
  }

  const Contextual &subject_, &reference_, &truth_;
  const Precision& precision_;
  Domain domain_;
  std::set<Place> wrong_;
  mutable std::map<Place, bool> known_ = {};  // every rule is asked of the same places
  Place first_{};
  Tensor q_, k_;
};

}  // namespace

std::optional<std::string> wrong_pairs(const Contextual& subject, const Contextual& reference,
                                       const Contextual& truth, const Precision& precision,
                                       const std::vector<Answered>& answered) {
  if (!truth.error || truth.modulo_rows) return std::nullopt;
  try {
    return WrongPairs(subject, reference, truth, precision).found(answered);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {  // declined, died, another shape, not defined there
    return std::nullopt;
  }
}

}  // namespace posproof
