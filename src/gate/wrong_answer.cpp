#include "gate/wrong_answer.h"

#include <utility>

#include "attention/reference_attention.h"
#include "core/formats.h"
#include "run/agreement.h"
#include "run/packed.h"
#include "search/case_result.h"
#include "search/trial.h"

namespace posproof {
namespace {

// The subject as it is compared, and the truth of that kind.
struct BothAnswers {
  Encoding subject, truth;
  Precision precision;
};

// As agreement compares them: another kind than the truth has, as a whole operator.
BothAnswers both_answers(const Encoding& truth, const Encoding& subject, const Precision& precision) {
  const std::vector<Encoding> truths = attention::in_every_kind(truth);
  if (const Encoding* same = attention::same_kind(truths, subject)) return {subject, *same, precision};
  return {attention::reference_attention(subject), truths.back(), precision};
}

// The calls of one run of a case, and the first answer among theirs that is wrong.
class Recording {
 public:
  enum class Gives { answers, corrected };  // as they come, or the exact one in place of a wrong one

  Recording(const BothAnswers& all, Gives gives) : all_(all), gives_(gives) {}

  Encoding encoding() {
    return answered_by(all_.subject, [this](const Call& call) { return answered(call); });
  }

  std::shared_ptr<const WrongAnswer> first_wrong() const {
    if (wrong_ && wrong_->place) wrong_->place->answers = calls_.size();
    return wrong_;
  }

 private:
  Tensor answered(const Call& call) {
    calls_.push_back(call);
    std::optional<Tensor> given;
    try {
      given = answer(all_.subject, call);
    } catch (const Failure& failure) {
      if (!wrong_)
        keep({.truth = all_.truth,
              .precision = all_.precision,
              .call = call,
              .instead = failure.what(),
              .how = failure.how});
      throw;
    }
    if (wrong_ && gives_ == Gives::answers) return *given;
    auto exact = exact_answer(call);
    const bool wrong = exact && differs(call, *given, *exact);
    return wrong && gives_ == Gives::corrected ? rounded(*exact, all_.precision) : *given;
  }

  // None where the truth is not defined.
  std::optional<Tensor> exact_answer(const Call& call) const {
    try {
      return answer(all_.truth, call);
    } catch (const Refusal&) {
      return std::nullopt;
    }
  }

  bool differs(const Call& call, const Tensor& given, const Tensor& exact) {
    Agreement found =
        agreement_in_full(all_.truth, call, given, exact, all_.precision, positions_of(all_.subject));
    if (found.compared.worst.holds()) return false;
    if (wrong_) return true;
    auto place = place_of(all_.truth, call, given, exact, found.allowed, found.compared.at);
    if (place) place->answer = calls_.size() - 1;
    keep({.truth = all_.truth,
          .precision = all_.precision,
          .call = call,
          .exact = exact,
          .given = given,
          .allowed = std::move(found.allowed),
          .at = found.compared.at,
          .place = std::move(place)});
    return true;
  }

  void keep(WrongAnswer wrong) {
    wrong.before.assign(calls_.begin(), calls_.end() - 1);
    wrong_ = std::make_shared<WrongAnswer>(std::move(wrong));
  }

  const BothAnswers& all_;
  Gives gives_;
  std::vector<Call> calls_;
  std::shared_ptr<WrongAnswer> wrong_;
};

bool fails(const TrialOf& of, Recording& recording, const Case& counterexample) {
  const auto trial = of(recording.encoding());
  return trial && run_repaired(*trial, counterexample).fails();
}

}  // namespace

Tensor rounded(Tensor exact, const Precision& precision) {
  for (double& value : exact.data) value = nearest(format_of(precision.result), value);
  return exact;
}

TrialOf trial_of(const Property& property, const Precision& precision) {
  return [&property, precision](const Encoding& encoding) { return trial(property, encoding, precision); };
}

Shown shown(const TrialOf& of, const Encoding& truth, const Encoding& subject, const Precision& precision,
            const Case& counterexample) {
  const BothAnswers all = both_answers(truth, subject, precision);
  Recording as_they_come(all, Recording::Gives::answers), corrected(all, Recording::Gives::corrected);
  if (!fails(of, as_they_come, counterexample)) return {};
  Shown out{.wrong = as_they_come.first_wrong()};
  out.by_answers_alone = out.wrong && !fails(of, corrected, counterexample);
  return out;
}

}  // namespace posproof
