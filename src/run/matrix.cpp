#include "run/matrix.h"

#include <fmt/format.h>

#include <algorithm>

#include "catalogue/encodings.h"
#include "catalogue/properties.h"
#include "run/agreement.h"
#include "run/claimed.h"
#include "run/recorded.h"
#include "search/trial.h"

namespace posproof {
namespace {

Answer judged(const Claim& claim, const EncodingSpec& spec, const Plan& plan) {
  ClaimResult one = judge(claim, spec, plan);
  return {&claim, one.status, std::move(one.verdict), std::move(one.why)};
}

// Nothing is claimed: nothing can be broken.
Answer searched(const Trial& trial, const Plan& plan) {
  return {nullptr, ClaimStatus::as_claimed, search(trial, plan), ""};
}

Answer agreed(const EncodingSpec& spec, const Plan& plan) {
  ClaimResult one = stand(agreement_searched(spec, plan));
  return {nullptr, one.status, std::move(one.verdict), std::move(one.why)};
}

std::string_view word(const Answer& answer) {
  switch (answer.status) {
    case ClaimStatus::broken:
      return "BROKEN";
    case ClaimStatus::stale:
      return "STALE";
    case ClaimStatus::not_checked:
      return "not checked";
    case ClaimStatus::as_claimed:
      break;
  }
  const bool holds = std::holds_alternative<Holds>(answer.verdict);
  const bool fails = std::holds_alternative<Refuted>(answer.verdict);
  if (answer.claim != nullptr) return holds ? "holds" : "fails";
  return holds ? "holds?" : fails ? "fails?" : "";
}

}  // namespace

std::vector<Cell> matrix(const MatrixOptions& options) {
  std::vector<Cell> cells;
  const auto encodings = catalogue::encodings();
  const auto properties = catalogue::properties();
  const std::size_t of = encodings.size() * (properties.size() + 1);
  std::size_t done = 0;
  const bool names_encoding = std::ranges::any_of(
      encodings, [&](const auto& one) { return options.filter.starts_with(fmt::format("{}.", one.id)); });
  const auto begin = [&](std::string_view encoding, std::string_view property) {
    if (options.progress) options.progress(encoding, property, done, of);
    ++done;
    const std::string name = fmt::format("{}.{}", encoding, property);
    return names_encoding ? name.starts_with(options.filter) : name.find(options.filter) != std::string::npos;
  };

  for (const auto& [encoding, spec] : encodings) {
    const auto plan = [&, encoding = encoding](std::string_view property) {
      return Plan{
          .seed = options.seed, .id = fmt::format("{} {}", encoding, property), .budget = options.budget};
    };
    if (begin(encoding, agreement_id))
      cells.push_back(
          {std::string(encoding), std::string(agreement_id), {agreed(*spec, plan(agreement_id))}});
    for (const auto& [id, property] : properties) {
      if (!begin(encoding, id)) continue;
      Cell cell{std::string(encoding), std::string(id), {}};
      for (const Claim& claim : claims_of(*spec))
        if (claim.property == property) cell.answers.push_back(judged(claim, *spec, plan(id)));
      if (cell.answers.empty() && options.unclaimed) {
        if (const auto one = trial(*property, spec->make(standard(*spec)), all_f64))
          cell.answers.push_back(searched(*one, plan(id)));
      }
      cells.push_back(std::move(cell));
    }
  }
  return cells;
}

std::string summary(const Cell& cell) {
  std::string out;
  for (const Answer& answer : cell.answers) {
    if (!out.empty()) out += " / ";
    out += cell.property == agreement_id && answer.status == ClaimStatus::as_claimed ? "holds" : word(answer);
  }
  return out;
}

std::vector<Followed> followed(const std::vector<Cell>& cells) {
  std::vector<Followed> out;
  const auto once = [](std::vector<std::string>& all, std::string one) {
    if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(std::move(one));
  };
  for (const Cell& cell : cells)
    for (const Answer& answer : cell.answers) {
      if (answer.claim == nullptr || answer.claim->follows_from == nullptr) continue;
      const std::string_view fact = answer.claim->follows_from->name;
      auto at = std::find_if(out.begin(), out.end(), [&](const Followed& one) { return one.fact == fact; });
      if (at == out.end()) at = out.insert(out.end(), Followed{fact, {}, {}});
      once(at->encodings, cell.encoding);
      once(at->claims, fmt::format("{} {}", answer.claim->holds ? "holds" : "fails", cell.property));
    }
  return out;
}

bool any(const std::vector<Cell>& cells, ClaimStatus status) {
  return std::any_of(cells.begin(), cells.end(), [&](const Cell& cell) {
    return std::any_of(cell.answers.begin(), cell.answers.end(),
                       [&](const Answer& answer) { return answer.status == status; });
  });
}

}  // namespace posproof
