#include "search/case_result.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <typeinfo>

#include "core/failure.h"
#include "search/generate.h"

namespace posproof {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

double repaired_whole(const Value* value, std::int64_t lo, std::int64_t hi, std::int64_t otherwise) {
  const auto* real = value ? std::get_if<double>(value) : nullptr;
  if (real == nullptr || std::isnan(*real)) return static_cast<double>(otherwise);
  return std::clamp(std::trunc(*real), static_cast<double>(lo), static_cast<double>(hi));
}

std::vector<double> repaired_list(const Value* value, std::size_t size) {
  const auto* list = value ? std::get_if<std::vector<double>>(value) : nullptr;
  std::vector<double> out = list ? *list : std::vector<double>{};
  out.resize(size);
  return out;
}

// Those below `size` in the order in which they come, then those that are missing.
std::vector<double> repaired_order(const Value* value, std::size_t size) {
  std::vector<double> out;
  std::vector<bool> seen(size, false);
  const auto take = [&](double x) {
    if (!(x >= 0 && x < static_cast<double>(size)) || x != std::trunc(x) || seen[static_cast<std::size_t>(x)])
      return;
    seen[static_cast<std::size_t>(x)] = true;
    out.push_back(x);
  };
  if (const auto* list = value ? std::get_if<std::vector<double>>(value) : nullptr)
    for (const double x : *list) take(x);
  for (std::size_t i = 0; i < size; ++i) take(static_cast<double>(i));
  return out;
}

class RepairingDraw final : public Draw {
 public:
  RepairingDraw(const Case& wanted, std::string_view redrawn, RandomChoice* choose)
      : wanted_(wanted), redrawn_(redrawn), choose_(choose) {}

  Drawn all() const { return {drawn(), asks_}; }

 protected:
  Value answer(std::string_view name, const Choice& choice) override {
    asks_.push_back(choice);
    // The domain lives as long as the check; the questions are kept longer.
    if (auto* place = std::get_if<choice::PositionIn>(&asks_.back())) place->hard = nullptr;
    if (choose_ != nullptr && name == redrawn_) return choose_->answer(choice);
    return repaired(wanted_.find(name), choice);
  }

 private:
  const Case& wanted_;
  std::string_view redrawn_;
  RandomChoice* choose_;
  std::vector<Choice> asks_;
};

CaseResult run_repaired(const Trial& trial, RepairingDraw draw) {
  CaseResult attempt = run(trial, draw);
  attempt.drawn = draw.all();
  return attempt;
}

}  // namespace

std::string kind_of_error(const std::exception& error) {
  const auto* failure = dynamic_cast<const Failure*>(&error);
  const std::string_view text = failure != nullptr ? std::string_view(failure->reason) : error.what();
  std::string kind = typeid(error).name(), word;
  bool quoted = false, number = false;
  const auto finish = [&] {
    if (!word.empty() && !number && !quoted) kind += ' ' + word;
    word.clear();
    number = false;
  };
  for (const char c : text) {
    if (is_letter(c) || is_digit(c)) {
      word += c;
      number = number || is_digit(c);
      continue;
    }
    finish();
    if (c == '`') quoted = !quoted;
  }
  finish();
  return kind;
}

CaseResult ended_by(const std::exception& error) {
  const auto* failure = dynamic_cast<const Failure*>(&error);
  return {.end = failure != nullptr ? CaseResult::End::failed : CaseResult::End::threw,
          .what = error.what(),
          .kind = kind_of_error(error),
          .died = failure != nullptr && failure->how == Failure::How::died,
          .raised = failure != nullptr && failure->how == Failure::How::raised};
}

CaseResult run(const Trial& trial, Draw& draw) {
  using End = CaseResult::End;
  try {
    const Residual residual = trial(draw);
    return {.end = residual.holds() ? End::held : End::refuted, .residual = residual};
  } catch (const Discard&) {
    return {.end = End::discarded};
  } catch (const Inapplicable&) {
    throw;
  } catch (const Refusal& refusal) {
    return {.end = End::refused, .what = refusal.what()};
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    return ended_by(error);
  } catch (...) {
    return {.end = End::threw, .what = "an exception that is no std::exception", .kind = "?"};
  }
}

Verdict verdict_of(const CaseResult& failing, std::uint64_t found_after) {
  if (failing.end == CaseResult::End::threw) return Errored{failing.what, failing.drawn.values};
  Refuted refuted{failing.drawn.values, failing.residual, found_after, 0, true, {},
                  failing.what,         failing.kind};
  if (failing.end == CaseResult::End::failed) {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    refuted.residual = {infinite, 0, infinite};
  }
  return refuted;
}

Value repaired(const Value* value, const Choice& choice) {
  struct {
    const Value* value;
    Value operator()(const choice::Integer& a) const {
      return repaired_whole(value, a.lo, a.most, std::clamp<std::int64_t>(0, a.lo, a.hi));
    }
    Value operator()(const choice::Size& a) const {
      const auto [least, most] = std::ranges::minmax(a.all());
      return repaired_whole(value, least, most, a.sizes.front());
    }
    Value operator()(const choice::PositionIn& a) const {
      return repaired_whole(value, a.lo, a.hi, std::clamp<std::int64_t>(0, a.lo, a.hi));
    }
    Value operator()(const choice::Values& a) const { return repaired_list(value, a.size); }
    Value operator()(const choice::Permutation& a) const { return repaired_order(value, a.size); }
    Value operator()(const choice::OneOf& a) const {
      return value != nullptr && answers(*value, a) ? *value : a.values.front();
    }
  } visitor{value};
  return std::visit(visitor, choice);
}

CaseResult run_repaired(const Trial& trial, const Case& wanted) {
  return run_repaired(trial, RepairingDraw(wanted, "", nullptr));
}

CaseResult run_redrawn(const Trial& trial, const Case& wanted, std::string_view field, RandomChoice& choose) {
  return run_repaired(trial, RepairingDraw(wanted, field, &choose));
}

}  // namespace posproof
