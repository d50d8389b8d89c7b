#include "run/recorded.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "attention/reference_attention.h"
#include "catalogue/hard_cases.h"
#include "run/agreement.h"
#include "run/narrowed.h"
#include "search/case_result.h"
#include "search/shrink.h"
#include "search/trial.h"

namespace posproof {
namespace {

constexpr std::size_t values_of_a_call = std::size_t{1} << 20;

using Positions = std::span<const Position>;

// How one kind of subject is asked for many positions at once, and what then answers for it, one at a time.
struct Questions {
  std::size_t values = 1;                      // of an answer to one position
  std::function<void(Positions)> choice = {};  // remembers the answers
  std::function<Case(Position)> case_of = {};  // of agreement
  std::function<Encoding()> remembered = {};   // the subject as it answered; for the cases that were asked
};

using Answers = std::shared_ptr<std::map<Position, std::vector<double>>>;

// What was asked in vain and is asked again starts over.
void forget(const Answers& answers, Positions at) {
  for (const Position t : at) answers->erase(t);
}

// The rows from number `from` on, of so many.
void remember(const Answers& answers, Positions at, const Tensor& rows, std::size_t from, std::size_t of) {
  if (rows.rows() != of)
    throw std::runtime_error(fmt::format("{} rows were asked for, {} came", of, text(rows.shape)));
  for (std::size_t r = 0; r < at.size(); ++r) {
    const auto row = rows.row(from + r);
    auto& all = (*answers)[at[r]];
    all.insert(all.end(), row.begin(), row.end());
  }
}

Questions questions(const Table& truth, const Table& subject) {
  const Domain domain = overlap(subject.positions, truth.positions);
  const auto answers = std::make_shared<std::map<Position, std::vector<double>>>();
  return {truth.dim,
          [=](Positions at) {
            forget(answers, at);
            remember(answers, at, subject.rows(at, domain.hi + 1), 0, at.size());
          },
          [=](Position t) { return case_of_rows(domain, t); },
          [=] {
            Table table = subject;
            table.rows = [answers, dim = subject.dim](Positions at, Position) {
              return Tensor({1, dim}, answers->at(at[0]));
            };
            return Encoding(table);
          }};
}

// Both channels of every pair are 1, so that both the sine and the cosine show; the roles take turns.
Role role_of(Position t) {
  return t % 2 == 0 ? Role::query : Role::key;
}

Questions questions(const Rotary& truth, const Rotary& subject) {
  const auto answers = std::make_shared<std::map<Position, std::vector<double>>>();
  const std::size_t heads = truth.heads, dim = truth.dim;
  const Tensor token = contents_of_tokens(truth, 1, 1, std::vector<double>(dim, 1.0));
  const auto choice = [=](Positions at) {
    forget(answers, at);
    for (const Role role : {Role::query, Role::key}) {
      std::vector<Position> own;
      std::ranges::copy_if(at, std::back_inserter(own), [&](Position t) { return role_of(t) == role; });
      if (own.empty()) continue;
      Tensor x({1, heads, own.size(), dim});
      for (std::size_t r = 0; r < x.rows(); ++r)
        std::ranges::copy(token.row(r / own.size()), x.row(r).begin());
      const Tensor rotated = subject.rotate(x, own, role);
      for (std::size_t head = 0; head < heads; ++head)
        remember(answers, own, rotated, head * own.size(), heads * own.size());
    }
  };
  return {heads * dim, choice,
          [=](Position t) { return case_of_rotation(t, role_of(t), std::vector<double>(dim, 1.0)); },
          [=] {
            Rotary rotary = subject;
            rotary.rotate = [answers](const Tensor& x, Positions at, Role) {
              return Tensor(x.shape, answers->at(at[0]));
            };
            return Encoding(rotary);
          }};
}

Questions questions(const Bias& truth, const Bias& subject) {
  const auto answers = std::make_shared<std::map<Position, std::vector<double>>>();
  const std::size_t heads = truth.heads;
  const Position key = overlap(subject.positions, truth.positions).lo;
  const auto choice = [=](Positions at) {
    forget(answers, at);
    const Tensor biases = subject.bias(at, {&key, 1});
    for (std::size_t head = 0; head < heads; ++head)
      remember(answers, at, biases, head * at.size(), heads * at.size());
  };
  return {heads, choice, [=](Position i) { return case_of_pair(i, key); },
          [=] {
            Bias bias = subject;
            bias.bias = [answers, heads](Positions queries, Positions) {
              return Tensor({heads, 1, 1}, answers->at(queries[0]));
            };
            return Encoding(bias);
          }};
}

// Logits of contents of ones, each query against the first key.
Questions questions(const Contextual& truth, const Contextual& subject) {
  const auto answers = std::make_shared<std::map<Position, std::vector<double>>>();
  const std::size_t heads = truth.heads, dim = truth.dim;
  const Position key = overlap(subject.positions, truth.positions).lo;
  const auto ones = [dim](std::size_t n) { return Tensor({n, dim}, std::vector<double>(n * dim, 1.0)); };
  const auto choice = [=](Positions at) {
    forget(answers, at);
    const Tensor logits = subject.logits(ones(at.size()), ones(1), at, {&key, 1});
    for (std::size_t head = 0; head < heads; ++head)
      remember(answers, at, logits, head * at.size(), heads * at.size());
  };
  const auto case_of = [=](Position i) {
    Case one = case_of_pair(i, key);
    one.set("q", std::vector<double>(dim, 1.0));
    one.set("k", std::vector<double>(dim, 1.0));
    return one;
  };
  return {heads + dim, choice, case_of, [=] {
            Contextual contextual = subject;
            contextual.logits = [answers, heads](const Tensor&, const Tensor&, Positions queries, Positions) {
              return Tensor({heads, 1, 1}, answers->at(queries[0]));
            };
            return Encoding(contextual);
          }};
}

std::optional<Questions> questions(const Encoding& truth, const Encoding& subject) {
  if (const auto* logits = std::get_if<Contextual>(&subject)) {
    const auto right = attention::to_logits(truth);
    return right ? std::optional(questions(*right, *logits)) : std::nullopt;
  }
  if (truth.index() != subject.index()) return std::nullopt;
  return std::visit(
      [&](const auto& right) -> std::optional<Questions> {
        using Kind = std::decay_t<decltype(right)>;
        if constexpr (requires { questions(right, right); })
          return questions(right, std::get<Kind>(subject));
        else
          return std::nullopt;
      },
      truth);
}

const Domain& positions_of(const Encoding& encoding) {
  static const Domain none(0, -1);
  return std::visit(
      [](const auto& kind) -> const Domain& {
        if constexpr (requires { kind.positions; }) return kind.positions;
        return none;
      },
      encoding);
}

class Replaying {
 public:
  Replaying(const Encoding& truth, const Encoding& subject, const Precision& precision, const Budget& budget,
            Questions questions)
      : questions_(std::move(questions)),
        budget_(budget),
        deadline_(Clock::now() + budget.time),
        alone_(*trial(agreement(truth), subject, precision)),
        remembered_(*trial(agreement(truth), questions_.remembered(), precision)) {}

  // False where there is an end: refuted, an error, a position that is declined.
  bool replay(Positions at) {
    if (at.empty()) return true;
    if (Clock::now() >= deadline_) return false;
    try {
      questions_.choice(at);
    } catch (const Refusal&) {
      if (at.size() == 1) return false;
      const std::size_t half = at.size() / 2;
      return replay(at.first(half)) && replay(at.subspan(half));
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {  // by which position?
      if (std::ranges::all_of(at, [&](Position t) { return judge(t, alone_, false); }))
        end_ = Errored{fmt::format("{} (in a call of {} positions from this one on; alone they are answered)",
                                   error.what(), at.size()),
                       questions_.case_of(at.front())};
      return false;
    }
    return std::ranges::all_of(at, [&](Position t) { return judge(t, remembered_, true); });
  }

  std::optional<Verdict> verdict() const {
    if (end_) return end_;
    if (!holds_.learned()) return std::nullopt;
    return holds_;
  }

 private:
  using Clock = std::chrono::steady_clock;

  bool judge(Position t, const Trial& by, bool batched) {
    const Case asked = questions_.case_of(t);
    const CaseResult found = run_repaired(by, asked);
    if (found.end == CaseResult::End::threw) {
      end_ = Errored{found.what, found.drawn.values};
      return false;
    }
    if (found.end == CaseResult::End::refuted) {
      end_ = refuted(batched ? run_repaired(alone_, asked) : found, found);
      return false;
    }
    if (found.end != CaseResult::End::held) return found.end != CaseResult::End::refused;
    holds_.add(found.residual, found.drawn.values);
    return true;
  }

  // What was wrong in a call of many positions only is not seen again.
  Verdict refuted(const CaseResult& again, const CaseResult& found) const {
    if (again.end == CaseResult::End::threw) return Errored{again.what, again.drawn.values};
    if (again.end != CaseResult::End::refuted)
      return Refuted{found.drawn.values, found.residual, holds_.cases + 1, 0, false, {}};
    const Shrunk shrunk = shrink(alone_, again, budget_.shrinks, Clock::now() + budget_.shrink_time);
    return Refuted{
        shrunk.smallest.drawn.values, shrunk.smallest.residual, holds_.cases + 1, shrunk.runs, true, {}};
  }

  Questions questions_;
  Budget budget_;
  Clock::time_point deadline_;
  Trial alone_, remembered_;
  Holds holds_;
  std::optional<Verdict> end_;
};

bool goes_on(const std::optional<Verdict>& verdict) {
  return !verdict || std::holds_alternative<Holds>(*verdict);
}

// Both, where both hold; else the one that does not, the first of two.
Verdict sum(const std::optional<Verdict>& first, Verdict second) {
  const auto* before = first ? std::get_if<Holds>(&*first) : nullptr;
  if (before == nullptr) return first ? *first : second;
  if (auto* refuted = std::get_if<Refuted>(&second)) refuted->found_after += before->cases;
  auto* holds = std::get_if<Holds>(&second);
  if (holds == nullptr) return second;
  holds->add(*before);
  return second;
}

bool has_all(const EncodingSpec& spec, const Parameters& parameters) {
  return std::ranges::all_of(parameters.fields(), [&](const Case::Field& field) {
    return std::ranges::any_of(spec.parameters, [&](const Parameter& one) { return one.name == field.name; });
  });
}

// Ours have a ladder's angles at every position; what they declare is where they are searched.
Encoding reaching(Encoding encoding) {
  std::visit(
      [&](auto& kind) {
        if constexpr (requires { kind.positions; })
          if (!kind.positions.ends) kind.positions.hi = std::max(kind.positions.hi, Position{1} << 40);
      },
      encoding);
  return encoding;
}

Verdict in_setting(Verdict verdict, const Parameters& parameters) {
  const auto put = [&](Case& at) {
    Case whole = parameters;
    for (const Case::Field& field : at.fields()) whole.set(field.name, field.value);
    at = std::move(whole);
  };
  if (auto* refuted = std::get_if<Refuted>(&verdict)) put(refuted->counterexample);
  if (auto* errored = std::get_if<Errored>(&verdict)) put(errored->at);
  if (auto* holds = std::get_if<Holds>(&verdict)) put(holds->worst_at);
  return verdict;
}

}  // namespace

std::span<const oracle::HardCases> recorded_ladders() {
  static const std::vector<oracle::HardCases> all = [] {
    std::vector<oracle::HardCases> read;
    for (const auto& [id, contents] : catalogue::hard_cases())
      read.push_back(oracle::hard_cases(std::string(id) + ".cases", contents));
    return read;
  }();
  return all;
}

std::vector<Position> recorded_positions(const Domain& within) {
  static const std::vector<Position> all = [] {
    std::vector<Position> found;
    for (const oracle::HardCases& ladder : recorded_ladders())
      for (const oracle::HardCase& one : ladder.cases) found.push_back(one.t);
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }();
  return {std::ranges::lower_bound(all, within.lo), std::ranges::upper_bound(all, within.hi)};
}

std::optional<Verdict> agreement_where_recorded(const Encoding& truth, const Encoding& subject,
                                                const Precision& precision, const Budget& budget) {
  auto asked = questions(truth, subject);
  if (!asked) return std::nullopt;
  const Domain domain = overlap(positions_of(subject), positions_of(truth));
  if (domain.lo > domain.hi) return std::nullopt;
  const std::vector<Position> at = recorded_positions(domain);
  const std::size_t batch =
      std::max<std::size_t>(1, values_of_a_call / std::max<std::size_t>(1, asked->values));
  Replaying replaying(truth, subject, precision, budget, std::move(*asked));
  for (std::size_t from = 0; from < at.size(); from += batch)
    if (!replaying.replay(Positions(at).subspan(from, std::min(batch, at.size() - from)))) break;
  return replaying.verdict();
}

Verdict agreement_searched(const Encoding& truth, const Encoding& subject, const Precision& precision,
                           const Plan& plan) {
  const auto one = trial(agreement(truth), subject, precision);
  if (!one) return NotApplicable{"the subject has no view that agreement is asked of"};
  const auto recorded = agreement_where_recorded(truth, subject, precision, plan.budget);
  if (!goes_on(recorded)) return *recorded;
  return sum(recorded, search(*one, plan));
}

Verdict agreement_searched(const EncodingSpec& spec, const Plan& plan) {
  std::vector<Parameters> settings = {{}};
  for (const oracle::HardCases& ladder : recorded_ladders())
    if (has_all(spec, ladder.parameters)) settings.push_back(ladder.parameters);
  std::optional<Verdict> all;
  for (const Parameters& setting : settings) {
    const Parameters parameters = with(spec, setting);
    Encoding truth = spec.oracle(parameters), subject = spec.make(parameters);
    if (!setting.empty()) truth = reaching(truth), subject = reaching(subject);
    auto found = agreement_where_recorded(truth, subject, all_f64, plan.budget);
    if (!found) continue;
    all = sum(all, in_setting(std::move(*found), setting));
    if (!goes_on(all)) return *all;
  }
  return sum(all, search(agreement_over_grid(spec), plan));
}

}  // namespace posproof
