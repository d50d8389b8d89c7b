#include "diagnosis/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>
#include <optional>
#include <utility>

#include "attention/reference_attention.h"
#include "catalogue/defects.h"
#include "catalogue/misreadings.h"
#include "core/function.h"
#include "diagnosis/answered.h"
#include "diagnosis/deviations.h"
#include "diagnosis/explains.h"
#include "diagnosis/made_candidate.h"
#include "diagnosis/other_values.h"
#include "diagnosis/remembered.h"
#include "diagnosis/rounded_numbers.h"
#include "diagnosis/same_bits.h"
#include "diagnosis/time_limit.h"
#include "diagnosis/wrong_place.h"
#include "run/narrowed.h"

namespace posproof {
namespace {

bool is_shape(std::string_view parameter) {
  return parameter == "dim" || parameter == "heads" || parameter == "length";
}

// Fewer columns, heads or numbers of a position: where these agree, nothing says that the others do.
bool is_of_another_shape(const Encoding& candidate, const Encoding& truth) {
  if (candidate.index() != truth.index()) return false;
  return std::visit(
      [&](const auto& one) {
        const auto& other = std::get<std::decay_t<decltype(one)>>(truth);
        if constexpr (requires { one.dim; })
          if (one.dim != other.dim) return true;
        if constexpr (requires { one.heads; })
          if (one.heads != other.heads) return true;
        if constexpr (requires { one.positions.axes; })
          if (one.positions.axes != other.positions.axes) return true;
        return false;
      },
      candidate);
}

// `--layout interleaved --offset 1`, what differs, and what these parameters are.
Explanation of_setting(const Schema& schema, const Parameters& other, const Parameters& declared) {
  Explanation out{Explanation::Kind::convention, "", "", ""};
  for (const Parameter& parameter : schema) {
    const std::string value = text(*other.find(parameter.name));
    if (value == text(*declared.find(parameter.name))) continue;
    const bool first = out.what.empty();
    out.what += fmt::format("{}--{} {}", first ? "" : " ", parameter.name, value);
    out.meaning += fmt::format("{}{}", first ? "" : "; ", parameter.meaning);
  }
  return out;
}

// The misreading of the encoding's formula that leaves least of the subject unexplained, of those that leave
// as much the first: what stands in for a 1 differs from another such number in few answers.
using LeftBy = Function<std::optional<std::uint64_t>(const Encoding&)>;

std::optional<std::string> best_misread(std::string_view encoding, const Parameters& parameters,
                                        const LeftBy& left_by) {
  std::optional<std::pair<std::uint64_t, std::string>> best;
  for (const auto& [id, family] : catalogue::misreadings()) {
    if (id != encoding) continue;
    for (const Misreading& one : family->misreadings) {
      const auto candidate = made_candidate([&] { return one.make(parameters); });
      const auto left = candidate ? left_by(*candidate) : std::nullopt;
      if (left && (!best || *left < best->first)) best = {*left, std::string(one.what)};
    }
  }
  return best ? std::optional(std::move(best->second)) : std::nullopt;
}

// A number of a list that serves for all of them, or its numbers in another order.
std::optional<Explanation> first_of_a_list(const EncodingSpec& spec, const Parameters& all,
                                           const Function<bool(const Encoding&)>& is_explained_by) {
  for (const auto& others : {shared_numbers(spec.parameters, all), other_orders(spec.parameters, all)})
    for (const Parameters& other : others) {
      const auto candidate = made_candidate([&] { return spec.oracle(other); });
      if (candidate && is_explained_by(*candidate)) return of_setting(spec.parameters, other, all);
    }
  return std::nullopt;
}

std::optional<Explanation> first_rounded(const EncodingSpec& spec, const Parameters& all,
                                         const Precision& precision,
                                         const Function<bool(const Encoding&)>& is_explained_by) {
  for (RoundedNumbers& one : rounded_numbers(spec, all, precision))
    if (is_explained_by(one.encoding))
      return Explanation{Explanation::Kind::measured, std::move(one.words), "", ""};
  return std::nullopt;
}

struct Candidate {
  std::uint64_t left;  // entries that it leaves unexplained
  Explanation explanation;
  std::optional<Encoding> setting;  // of the encoding
};

// Bit for bit, in what the subject was asked.
bool same_answers(const Encoding& one, const Encoding& other, const std::vector<Answered>& answered) {
  try {
    return std::ranges::all_of(answered, [&](const Answered& asked) {
      return answer(one, asked.call).data == answer(other, asked.call).data;
    });
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {  // one is not defined there, or of another kind
    return false;
  }
}

std::vector<Explanation> explained(const EncodingSpec& spec, std::string_view id,
                                   const Parameters& parameters, const Subject& subject,
                                   const Case& counterexample, std::uint64_t seed) {
  std::vector<Candidate> found;
  // It is asked the same calls three times.
  const Encoding truth = remembering(as_far_as(spec.oracle(parameters), subject));
  const std::vector<Answered> answered = answers_of(subject, truth, counterexample, seed);
  if (answered.empty()) return {};
  const Unexplained wrong = compare(truth, subject, answered, Until::all);
  // Entries that it leaves unexplained; none where it explains nothing.
  const auto left_by = [&](const Encoding& candidate) -> std::optional<std::uint64_t> {
    if (is_of_another_shape(candidate, truth)) return std::nullopt;
    const Unexplained left = compare(compared_as(as_far_as(candidate, subject), truth), subject, answered,
                                     Until::unexplained, most_left(wrong));
    if (!explains(left, wrong)) return std::nullopt;
    const Encoding compared = compared_as(as_far_as(candidate, subject), truth);
    if (told_from_others(compared, truth, subject, answered, wrong).in_hardly_any()) return std::nullopt;
    return left.entries;
  };
  for (const Parameter& parameter : spec.parameters) {
    if (is_shape(parameter.name)) continue;
    for (const Value& value : parameter.grid) {
      Parameters other = parameters;
      other.set(parameter.name, value);
      if (other == parameters) continue;
      const auto candidate = made_candidate([&] { return spec.oracle(other); });
      if (const auto left = candidate ? left_by(*candidate) : std::nullopt)
        found.push_back({*left,
                         {Explanation::Kind::convention, fmt::format("--{} {}", parameter.name, text(value)),
                          std::string(parameter.meaning), ""},
                         *candidate});
    }
  }
  for (const auto& [family, defects] : catalogue::defects()) {
    if (family != id) continue;
    for (const Defect& defect : defects->defects) {
      const auto candidate = made_candidate([&] { return defect.make(parameters); });
      if (const auto left = candidate ? left_by(*candidate) : std::nullopt;
          left && !contradicted(*candidate, spec, parameters, subject) &&
          !told(compared_as(as_far_as(*candidate, subject), truth), truth, subject, answered, wrong).in_few())
        found.push_back({*left,
                         {Explanation::Kind::defect, fmt::format("{}/{}", family, defect.name),
                          std::string(defect.wrong), std::string(defect.sources)},
                         std::nullopt});
    }
  }
  // The best first; of several that explain as much, conventions before defects, and of settings that are the
  // same the first.
  std::ranges::stable_sort(found, {}, &Candidate::left);
  std::vector<Explanation> best;
  std::vector<Encoding> settings;
  for (Candidate& one : found) {
    if (one.left != found.front().left) break;
    const auto is_same = [&](const Encoding& other) { return same_answers(*one.setting, other, answered); };
    if (one.setting && std::ranges::any_of(settings, is_same)) continue;
    if (one.setting) settings.push_back(std::move(*one.setting));
    best.push_back(std::move(one.explanation));
  }
  const Parameters all = Arguments(spec.parameters, parameters).parameters();
  // Some settings are so large that rounding allows them almost any answer.
  const auto allows_all = [&](const Encoding& candidate) {
    const Encoding compared = compared_as(as_far_as(candidate, subject), truth);
    return told(compared, truth, subject, answered, wrong).in_few() &&
           !has_its_bits(compared, truth, subject, answered);
  };
  const auto explains_alone = [&](const Encoding& candidate) {
    return left_by(candidate) && !allows_all(candidate);
  };
  // What the formula was taken for, a number that serves all, numbers in another order, or of few digits say
  // more than what was measured of it.
  std::optional<Explanation> simple;
  if (best.empty()) {
    const auto left_alone = [&](const Encoding& candidate) {
      const auto left = left_by(candidate);
      return left && !allows_all(candidate) ? left : std::nullopt;
    };
    if (auto misread = best_misread(id, all, left_alone))
      simple = {Explanation::Kind::measured, std::move(*misread), "", ""};
    // No angle is rounded in them: no tie falls to the other side.
    const auto explains_each = [&](const Encoding& candidate) {
      return left_by(candidate) == 0 && !allows_all(candidate);
    };
    if (!simple) simple = first_of_a_list(spec, all, explains_each);
    if (!simple) simple = first_rounded(spec, all, subject.precision, explains_each);
  }
  if (simple) {
    best.push_back(std::move(*simple));
  } else {
    for (std::string& sentence : deviations(spec, parameters, subject, answered))
      best.push_back({Explanation::Kind::measured, std::move(sentence), "", ""});
  }
  if (best.empty()) {
    for (const Parameters& other : other_settings(spec.parameters, all)) {
      if (best.size() == 2) break;
      const auto candidate = made_candidate([&] { return spec.oracle(other); });
      if (candidate && explains_alone(*candidate)) best.push_back(of_setting(spec.parameters, other, all));
    }
  }
  if (best.empty())
    if (auto where = wrong_place(spec, parameters, subject, truth, answered))
      best.push_back({Explanation::Kind::place, std::move(*where), "", ""});
  std::ranges::stable_sort(best, {}, &Explanation::kind);
  return best;
}

}  // namespace

std::vector<Explanation> diagnose(const EncodingSpec& spec, std::string_view id, const Parameters& parameters,
                                  const Subject& subject, const Case& counterexample, std::uint64_t seed,
                                  BudgetClock::time_point deadline) {
  const TimeLimit limit(deadline);
  try {
    return explained(spec, id, parameters, subject, counterexample, seed);
  } catch (const TimeIsOver&) {
    return {{Explanation::Kind::unfinished, "the time was over before all that is known had been compared",
             "", ""}};
  }
}

}  // namespace posproof
