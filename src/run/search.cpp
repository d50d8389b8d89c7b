#include "run/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace posproof {
namespace {

std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

class Random final : public Draw {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

 protected:
  Value answer(std::string_view, const Ask& ask) override {
    if (const auto* a = std::get_if<ask::Integer>(&ask)) return double(between(a->lo, a->hi));
    if (const auto* a = std::get_if<ask::Place>(&ask)) {
      const auto range = double(a->hi - a->lo);
      if (next() % 4 == 0 && a->hard && !a->hard->empty())
        return double(std::clamp((*a->hard)[next() % a->hard->size()], a->lo, a->hi));
      return double(a->lo) + std::floor(std::min(range, std::expm1(double(next() % 1000) / 1000 * std::log1p(range))));
    }
    if (const auto* a = std::get_if<ask::Content>(&ask)) {
      std::vector<double> v(a->size);
      for (double& x : v) x = double(between(-128, 128)) / 64;
      return v;
    }
    if (const auto* a = std::get_if<ask::Order>(&ask)) {
      std::vector<double> v(a->size);
      for (std::size_t i = 0; i < v.size(); ++i) v[i] = double(i);
      for (std::size_t i = v.size(); i > 1; --i) std::swap(v[i - 1], v[next() % i]);
      return v;
    }
    const auto& values = std::get<ask::Option>(ask).values;
    return values[next() % values.size()];
  }

 private:
  std::uint64_t next() { return mix(state_++); }
  std::int64_t between(std::int64_t lo, std::int64_t hi) {
    return lo + std::int64_t(next() % std::uint64_t(hi - lo + 1));
  }
  std::uint64_t state_;
};

}  // namespace

Verdict search(const Trial& trial, const Plan& plan) {
  Holds holds{0, 0, {0, 0, 0}, {}};
  for (std::uint64_t n = 0; n < plan.budget.cases; ++n) {
    Random draw(mix(plan.seed + std::hash<std::string>{}(plan.id)) + n * 1000003);
    try {
      const Residual r = trial(draw);
      ++holds.cases;
      if (r.telling()) ++holds.telling;
      if (!r.holds()) return Refuted{draw.drawn(), r, n + 1, 0, true, {}};
      if (r.telling() && r.use() >= holds.worst.use()) holds.worst = r, holds.worst_at = draw.drawn();
    } catch (const Discard&) {
    } catch (const Refusal&) {
    } catch (const std::exception& e) {
      return Errored{e.what(), draw.drawn()};
    }
  }
  if (holds.telling == 0) return Undecided{fmt::format("no telling case among {}", holds.cases)};
  return holds;
}

Verdict replay(const Trial& trial, const Case& recorded) {
  Replay draw(recorded);
  const Residual r = trial(draw);
  if (!r.holds()) return Refuted{draw.drawn(), r, 1, 0, true, {}};
  return Holds{1, r.telling() ? 1u : 0u, r, draw.drawn()};
}

}  // namespace posproof
