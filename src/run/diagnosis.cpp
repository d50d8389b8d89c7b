#include "run/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <utility>

#include "catalogue/defects.h"
#include "core/call.h"
#include "run/agreement.h"
#include "run/explains.h"
#include "search/generate.h"
#include "search/trial.h"

namespace posproof {
namespace {

// A case, and what the subject answered.
struct Answered {
  Case asked;
  Tensor answer;
};

// The same function, which leaves its answer in `last`.
Encoding remembering(const Encoding& encoding, const std::shared_ptr<Tensor>& last) {
  return answered_by(encoding, [encoding, last](const Call& call) { return *last = answer(encoding, call); });
}

// Asks the subject once, in one order: one that remembers what it was asked is compared with a defect that is
// asked the same, and no defect costs it a further call. The case that refuted it comes first.
std::vector<Answered> answers_of(const Subject& subject, const Encoding& truth, const Case& counterexample,
                                 std::uint64_t seed) {
  // As they come, and then those that have an unusual size, which some defects show in alone: see
  // search/generate.cpp.
  constexpr std::uint64_t as_they_come = 80, all = as_they_come + 40;
  const auto number = [](std::uint64_t n) {
    return n < as_they_come ? n : 8 * (n - as_they_come) + as_they_come + 7;
  };
  const auto time = std::chrono::milliseconds(10000);
  std::vector<Answered> answered;
  const auto last = std::make_shared<Tensor>();
  const auto one = trial(agreement(truth), remembering(subject.encoding, last), subject.precision);
  if (!one) return answered;
  const auto ask = [&](Draw& draw) {
    try {
      (*one)(draw);
      answered.push_back({draw.drawn(), *last});
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const Discard&) {
    } catch (const std::exception&) {  // declined or died: nothing to compare
    }
  };
  if (!counterexample.empty()) {
    Replay first(counterexample);
    ask(first);
  }
  const auto deadline = std::chrono::steady_clock::now() + time;
  for (std::uint64_t n = 0; n < all && std::chrono::steady_clock::now() < deadline; ++n) {
    RandomDraw draw(seed, "diagnosis", number(n));
    ask(draw);
  }
  return answered;
}

// Case by case, all of them or until the first case is not explained: nothing else can make up for that one.
enum class Until { all, first_unexplained };

Unexplained compare(const Encoding& candidate, const Encoding& subject, Precision precision,
                    const std::vector<Answered>& answered, Until until) {
  Unexplained compared;
  std::uint64_t differ = 0;
  const Tensor* given = nullptr;
  const auto one =
      trial(agreement(candidate, [&](const Residual& entry) { differ += entry.holds() ? 0 : 1; }),
            answered_by(subject, [&given](const Call&) { return *given; }), precision);
  for (const Answered& now : answered) {
    given = &now.answer;
    differ = 0;
    bool declines = false;
    try {
      Replay draw(now.asked);
      if (!one) throw std::invalid_argument("another kind");
      (*one)(draw);
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const Refusal&) {
      declines = true;
    } catch (const NoAnswer&) {  // its domain is another
      declines = true;
    } catch (const std::exception&) {  // another shape
      differ = std::max<std::uint64_t>(1, now.answer.data.size());
    } catch (const Discard&) {
      declines = true;
    }
    compared.entries += differ;
    compared.differs.push_back(differ > 0);
    compared.declined.push_back(declines);
    if (until == Until::first_unexplained && (compared.differs.front() || compared.declined.front())) break;
  }
  return compared;
}

bool is_shape(std::string_view parameter) {
  return parameter == "dim" || parameter == "heads" || parameter == "length";
}

}  // namespace

std::vector<Explanation> diagnose(const EncodingSpec& spec, std::string_view id, const Parameters& parameters,
                                  const Subject& subject, const Case& counterexample, std::uint64_t seed) {
  std::vector<std::pair<std::uint64_t, Explanation>> found;
  const Encoding truth = spec.oracle(parameters);
  const std::vector<Answered> answered = answers_of(subject, truth, counterexample, seed);
  if (answered.empty()) return {};
  const Unexplained wrong = compare(truth, subject.encoding, subject.precision, answered, Until::all);
  const auto consider = [&](const Encoding& candidate, Explanation explanation) {
    const Unexplained left =
        compare(candidate, subject.encoding, subject.precision, answered, Until::first_unexplained);
    if (explains(left, wrong)) found.emplace_back(left.entries, std::move(explanation));
  };
  for (const Parameter& parameter : spec.parameters) {
    if (is_shape(parameter.name)) continue;
    for (const Value& value : parameter.grid) {
      Parameters other = parameters;
      other.set(parameter.name, value);
      if (other == parameters) continue;
      try {
        consider(spec.oracle(other),
                 {Explanation::Kind::convention, fmt::format("--{} {}", parameter.name, text(value)),
                  std::string(parameter.meaning), ""});
      } catch (const Refusal&) {  // this value makes no sense with the others
      }
    }
  }
  for (const auto& [family, defects] : catalogue::defects()) {
    if (family != id) continue;
    for (const Defect& defect : defects->defects) {
      try {
        consider(defect.make(parameters),
                 {Explanation::Kind::defect, fmt::format("{}/{}", family, defect.name),
                  std::string(defect.wrong), std::string(defect.sources)});
      } catch (const Refusal&) {
      }
    }
  }
  // The best first; of several that explain as much, conventions before defects.
  std::ranges::stable_sort(found, {}, [](const auto& one) { return one.first; });
  std::vector<Explanation> best;
  for (auto& [left, explanation] : found)
    if (left == found.front().first) best.push_back(std::move(explanation));
  return best;
}

}  // namespace posproof
