#include "run/seeming_precision.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "attention/reference_attention.h"
#include "core/bounded.h"
#include "core/bounds.h"
#include "run/agreement.h"
#include "run/format_shown.h"
#include "run/overflows.h"

namespace posproof {
namespace {

constexpr std::size_t most_answers = 1000, most_values_kept = 4096;

// In what follows the declared format of the result, the tighter and the commoner ones first.
constexpr std::array<std::string_view, 10> of_wide = {
    "/f64",      "",           "/f64+table=f32", "/f32", "/f32+table=f32",
    "+iterated", "+table=f16", "+table=bf16",    "/f16", "/bf16"};
constexpr std::array<std::string_view, 6> of_narrow = {"/f64+table=f32",         "+table=f32",
                                                       "+iterated+table=f32",    "+table=RESULT",
                                                       "+table=f32+work=RESULT", "/RESULT"};

std::vector<Precision> candidates_of(const Precision& declared) {
  const std::string word = declared.word(), result = word.substr(0, word.find_first_of("/+"));
  std::vector<Precision> all;
  const auto add = [&](std::string_view after) {
    std::string words = result + std::string(after);
    if (const auto at = words.find("RESULT"); at != std::string::npos) words.replace(at, 6, result);
    Precision one = Precision::parse(words);
    one.declared_input = declared.declared_input;
    if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
  };
  if (declared.result <= unit_f32) std::ranges::for_each(of_wide, add);
  if (declared.result > unit_f32) std::ranges::for_each(of_narrow, add);
  if (std::find(all.begin(), all.end(), declared) == all.end()) all.push_back(declared);
  return all;
}

struct PrecisionTried {
  Precision precision;
  double share = 0;       // largest of its bound
  bool explains = false;  // something that the declared one does not allow, where it does not allow anything
};

// A bound that no answer could exceed explains none.
bool explains(const Residual& tried, const Residual& declared) {
  return !declared.holds() && tried.holds() && !tried.vacuous() && 2 * tried.error >= declared.error;
}

double share_of_bound(const Residual& residual) {
  return residual.holds() ? residual.error_over_bound() : std::numeric_limits<double>::infinity();
}

// None where the truth is not defined.
std::optional<Tensor> answered(const Encoding& truth, const Call& call) {
  try {
    return answer(truth, call);
  } catch (const Refusal&) {
    return std::nullopt;
  }
}

bool is_shown(FormatShown formats, const Encoding& truth, const Answers& answers) {
  for (const Answers::One& one : answers.all()) {
    if (overflows(truth, one.call)) continue;
    if (const auto here = answered(truth, one.call)) formats.see(truth, one.call, one.answer, *here);
  }
  return formats.shown();
}

}  // namespace

Encoding Answers::kept_of(const Encoding& subject) const {
  return answered_by(subject, [subject, kept = kept_](const Call& call) {
    Tensor given = answer(subject, call);
    if (kept->size() < most_answers && given.data.size() <= most_values_kept) kept->push_back({call, given});
    return given;
  });
}

SeemingPrecision seeming_precision(const Encoding& truth, const Encoding& subject, const Precision& declared,
                                   const Answers& answers) {
  SeemingPrecision out;
  const std::vector<Encoding> truths = attention::in_every_kind(truth);
  const Encoding* same = attention::same_kind(truths, subject);
  if (same == nullptr) return out;
  std::vector<PrecisionTried> all;
  for (const Precision& precision : candidates_of(declared)) all.push_back({precision});
  for (const Answers::One& one : answers.all()) {
    if (overflows(*same, one.call)) continue;
    const auto here = answered(*same, one.call);
    if (!here) continue;
    const Residual as_declared =
        agreement_of(*same, one.call, one.answer, *here, declared, positions_of(subject));
    for (PrecisionTried& tried : all) {
      const Residual found =
          agreement_of(*same, one.call, one.answer, *here, tried.precision, positions_of(subject));
      tried.share = std::max(tried.share, share_of_bound(found));
      tried.explains = tried.explains || explains(found, as_declared);
    }
    ++out.answers;
  }
  const auto declared_one = std::find_if(
      all.begin(), all.end(), [&](const PrecisionTried& tried) { return tried.precision == declared; });
  out.declared_share = declared_one->share;
  const bool refuted = !(out.declared_share <= 1);
  std::erase_if(
      all, [&](const PrecisionTried& tried) { return !(tried.share <= 1) || (refuted && !tried.explains); });
  if (refuted && !all.empty()) {  // what a bound allows is no sign of it
    std::erase_if(all, [&](const PrecisionTried& tried) {
      return !is_shown(FormatShown(declared, tried.precision), *same, answers);
    });
    out.allowed_alone = all.empty();
  }
  if (out.answers == 0 || all.empty()) return out;
  const PrecisionTried* const tightest = &all.front();
  out.word = tightest->precision.word();
  out.share = tightest->share;
  out.tighter_by_far = out.declared_share <= out.share / 4 && tightest->precision != declared;
  return out;
}

std::string in_words(const SeemingPrecision& seeming, const Precision& declared) {
  if (seeming.answers == 0 || (!seeming.word.empty() && seeming.share == 0)) return {};
  if (seeming.allowed_alone) return {};
  if (seeming.word.empty())
    return fmt::format("no precision explains all of {} answers: more than rounding is wrong",
                       seeming.answers);
  const std::string& word = seeming.word;
  if (!(seeming.declared_share <= 1))
    return bounded("would agree as `@{}`: {} answers use at most {} of what that allows", word,
                   seeming.answers, percent_at_most(seeming.share));
  const std::string measured = bounded(
      "seems to work in `{}`: {} answers use at most {} of what that "
      "allows, {} of what `{}` does",
      word, seeming.answers, percent_at_most(seeming.share), percent_at_most(seeming.declared_share),
      declared.word());
  if (!seeming.tighter_by_far) return measured;
  return measured +
         fmt::format("\n  warning: the declared precision hides smaller defects; declare `@{}`", word);
}

}  // namespace posproof
