#include "diagnosis/deviations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <new>
#include <numbers>
#include <optional>
#include <span>

#include "attention/reference_attention.h"
#include "core/error.h"
#include "core/function.h"
#include "diagnosis/answer_deviations.h"
#include "diagnosis/approximate_forms.h"
#include "diagnosis/axes_deviations.h"
#include "diagnosis/axis_ladders.h"
#include "diagnosis/bias_deviations.h"
#include "diagnosis/bucket_deviations.h"
#include "diagnosis/call_deviations.h"
#include "diagnosis/call_fits.h"
#include "diagnosis/calls_apart.h"
#include "diagnosis/circle_forms.h"
#include "diagnosis/content_deviations.h"
#include "diagnosis/exchanged_positions.h"
#include "diagnosis/from_a_position.h"
#include "diagnosis/head_deviations.h"
#include "diagnosis/logit_deviations.h"
#include "diagnosis/measured_buckets.h"
#include "diagnosis/measured_model.h"
#include "diagnosis/measured_rotation.h"
#include "diagnosis/one_token.h"
#include "diagnosis/operator_deviations.h"
#include "diagnosis/operator_rules.h"
#include "diagnosis/other_entries.h"
#include "diagnosis/partner_forms.h"
#include "diagnosis/place_deviations.h"
#include "diagnosis/position_deviations.h"
#include "diagnosis/recurrence_forms.h"
#include "diagnosis/remembered.h"
#include "diagnosis/rotation_forms.h"
#include "diagnosis/rotation_in_calls.h"
#include "diagnosis/rounded_products.h"
#include "diagnosis/row_deviations.h"
#include "diagnosis/rows_by_position.h"
#include "diagnosis/same_bits.h"
#include "diagnosis/stretch_forms.h"
#include "diagnosis/switch_forms.h"
#include "diagnosis/table_deviations.h"
#include "diagnosis/table_forms.h"
#include "diagnosis/term_deviations.h"
#include "diagnosis/window_deviations.h"
#include "diagnosis/wrong_place.h"
#include "run/narrowed.h"

namespace posproof {
namespace {

using Sentences = std::vector<std::string>;

// The subject's answers and what they are compared with, where both are of this kind.
template <class Kind>
struct Both {
  Both(const Encoding& subject, const Encoding& declared)
      : own(std::get_if<Kind>(&subject)), truth(std::get_if<Kind>(&declared)) {}
  explicit operator bool() const { return own != nullptr && truth != nullptr; }

  const Kind *own, *truth;
};

class Deviating {
 public:
  Deviating(const EncodingSpec& spec, const Parameters& parameters, const Subject& subject,
            const Encoding& declared, const std::vector<Answered>& answered)
      : spec_(spec), parameters_(parameters), subject_(subject), declared_(declared), answered_(answered) {}

  Sentences all() {
    const Model right = posproof::model_of(declared_, subject_.precision);
    alone_ = explained(right, declared_, answered_);
    wrong_ = alone_.wrong();
    if (wrong_ == 0) return {};
    const auto of_logits = [&] { return logit_deviation(declared_, subject_.precision, answered_); };
    // A query off by one is a constant on the row of a linear bias, too: without content, what is wrong in
    // the calls says more.
    const bool content = !signature(declared_).takes.empty();
    if (const auto logits = content ? of_logits() : std::nullopt) return {*logits};
    if (const auto calls = call_deviation(right, subject_, declared_, answered_)) return {*calls};
    // What a head gives says more than that a constant lies between two.
    if (auto heads = of_heads_of_a_bias(); !heads.empty()) return heads;
    if (const auto logits = content ? std::nullopt : of_logits()) return {*logits};
    Sentences found = positions_of(declared_).axes > 1
                          ? of_axes()
                          : std::visit([this](const auto& own, const auto& truth) { return of(own, truth); },
                                       subject_.encoding, declared_);
    if (found.empty()) found = of_digits();
    if (found.empty() && content) found = of_contents();
    if (found.empty()) found = of_answers();
    if (found.empty()) found = of_other_positions();
    if (!found.empty()) return found;
    if (const auto place = place_deviation(right, spec_, parameters_, subject_, declared_, answered_))
      return {*place};
    if (signature(declared_).gives.axes.back() == Axis::channel && !signature(declared_).has(Axis::key))
      if (const auto flushed = flushed_answers(declared_, subject_.precision, answered_))
        if (found = least_unexplained({*flushed}); !found.empty()) return found;
    if (found = of_forms_from_a_position(right); !found.empty()) return found;
    if (const auto table = other_entries(declared_, spec_, parameters_, answered_))
      if (found = first_confirmed({*table}); !found.empty()) return found;
    return in_calls_apart(right);
  }

 private:
  // What is measured where the subject is wrong alone; there, it is wrong everywhere.
  Sentences in_calls_apart(const Model& right) const {
    const auto apart = calls_apart(right, subject_, declared_, answered_);
    if (!apart) return {};
    Sentences found = Deviating(spec_, parameters_, apart->subject, declared_, apart->answered).all();
    for (std::string& one : found) one = apart->words + ": " + one;
    return found;
  }

  Sentences of_heads_of_a_bias() const {
    const Both<Bias> both(subject_.encoding, declared_);
    if (!both) return {};
    if (both.truth->positions.axes > 1) {
      Sentences found = first_confirmed(window_deviations(*both.truth, parameters_));
      if (!found.empty()) return found;
      const auto heads = head_deviation(*both.truth, subject_.precision, answered_);
      return heads ? first_confirmed({*heads}) : Sentences{};
    }
    for (const Deviation& one : bias_deviations(*both.own, *both.truth, parameters_, subject_.precision))
      if (!one.guessed && explains_all(measured_model(one), declared_, answered_) && tells(one))
        return one.sentences;
    return {};
  }

  Sentences of_other_positions() const {
    const auto one =
        exchanged_positions(subject_.encoding, declared_, spec_, parameters_, subject_.precision);
    return one ? first_confirmed({*one}) : Sentences{};
  }

  // Answers in fewer digits, or what they are the sum of, but for what falls to the other side of a tie.
  Sentences of_digits() const {
    std::vector<Deviation> all = rounded_answers(declared_, subject_.precision);
    for (Deviation& one : rounded_products(declared_, subject_.precision)) all.push_back(std::move(one));
    return least_unexplained(all);
  }

  // What is done to contents before anything else.
  Sentences of_contents() const {
    Sentences found = least_unexplained(rounded_contents(declared_, subject_.precision));
    if (!found.empty()) return found;
    const auto limited = limited_contents(subject_, declared_);
    return limited ? least_unexplained({*limited}) : found;
  }

  // What is rounded or cut from a position on, where that would have shown just before it, too.
  Sentences of_forms_from_a_position(const Model& right) const {
    const Signature& is = signature(declared_);
    const Domain& domain = positions_of(declared_);
    if (is.mask || is.has(Axis::key) || domain.axes != 1 || domain.real || depends_on_the_call(declared_))
      return {};
    const auto first = first_wrong_along(0, right, subject_, declared_);
    if (!first) return {};
    std::vector<Deviation> all = rounded_answers(declared_, subject_.precision);
    if (const auto* rotary = std::get_if<Rotary>(&declared_))
      for (const RotationForm& form : rotation_forms(*rotary))
        all.push_back({{form.words}, form.rotation, true});
    if (const auto* table = std::get_if<Table>(&declared_))
      for (Deviation& one : table_forms(*table)) all.push_back(std::move(one));
    std::erase_if(all, [&](const Deviation& one) { return !differs_at(*first - 1, right, one.corrected); });
    for (Deviation& one : all) {
      one.sentences.front() = fmt::format("at positions from {} on: {}", *first, one.sentences.front());
      one.corrected = from_a_position(declared_, one.corrected, *first);
    }
    return least_unexplained(all);
  }

  // The one that leaves least unexplained: of two formats the coarser one may seem to explain the other.
  Sentences least_unexplained(const std::vector<Deviation>& all) const {
    if (all.empty()) return {};
    const Unexplained wrong = compare(declared_, subject_, answered_, Until::all);
    std::optional<std::pair<std::uint64_t, Sentences>> best;
    for (const Deviation& one : all) {
      const Unexplained left =
          compare(one.corrected, subject_, answered_, Until::unexplained, most_left(wrong));
      if (explains(left, wrong) && (!best || left.entries < best->first) &&
          (!told(one.corrected, declared_, subject_, answered_, wrong).in_few() ||
           has_its_bits(one.corrected, declared_, subject_, answered_)) &&
          !told_from_others(one.corrected, declared_, subject_, answered_, wrong).in_hardly_any())
        best = {left.entries, one.sentences};
    }
    return best ? best->second : Sentences{};
  }

  // What rounding does to a row grows with it, and what is done to it is rounded, too.
  Sentences of_answers() const {
    const Model right = posproof::model_of(declared_, subject_.precision);
    const auto error = [this, right](const Call& call, const Tensor& expected, Position far) {
      const Tensor before = answer(declared_, call);
      Tensor out = right.error(call, before, far);
      for (std::size_t r = 0; r < out.rows(); ++r) {
        const double is = largest(expected.row(r)), was = largest(before.row(r));
        const double grown = was > 0 && is > was ? is / was : 1;
        for (double& entry : out.row(r)) entry = 3 * (grown * entry + subject_.precision.result * is);
      }
      return out;
    };
    if (explains_all({declared_, error}, declared_, answered_)) return {};  // nothing is done to answers
    std::vector<Deviation> all = answer_deviations(declared_);
    if (auto one = multiplied_answers(declared_, subject_.precision, answered_))
      all.push_back(std::move(*one));
    for (const Deviation& one : all)
      if (const Model model{one.corrected, error};
          explains_all(model, declared_, answered_) && tells_of_most(model, declared_, answered_, alone_))
        return one.sentences;
    return {};
  }

  static double largest(std::span<const double> row) {
    double most = 0;
    for (const double x : row) most = std::max(most, std::abs(x));
    return most;
  }

  Sentences of(const auto&, const auto&) {
    return {};
  }  // the others are not const, either: else this is called

  // What else is measured is a function of one number.
  Sentences of_axes() const {
    if (const auto* table = std::get_if<Table>(&declared_)) {
      Sentences found = of_one_row(*table);
      if (found.empty()) found = of_positions(as<Table>(subject_.encoding), *table);
      if (found.empty()) found = of_columns(*table);
      return found.empty() ? least_unexplained(table_forms(*table)) : found;
    }
    const Both<Rotary> both(subject_.encoding, declared_);
    if (!both) return {};
    const auto found = axes_deviation(*both.own, *both.truth, parameters_, subject_.precision);
    Sentences said = found ? first_confirmed({*found}) : Sentences{};
    if (!said.empty()) return said;
    std::vector<RotationForm> forms = circle_forms(*both.truth);
    for (RotationForm& form : partner_forms(*both.truth)) forms.push_back(std::move(form));
    return best_of(forms);
  }

  Sentences of(const Table& own, const Table& truth) {
    if (const auto row = of_one_row(truth); !row.empty()) return row;
    Sentences found = first_confirmed(table_deviations(own, truth, parameters_, subject_.precision));
    if (found.empty()) found = of_positions(own, truth);
    if (found.empty()) found = of_columns(truth);
    if (found.empty()) found = least_unexplained(table_forms(truth));
    return found.empty() ? of_rows(own, truth) : found;
  }
  Sentences of_rows(const Table& own, const Table& truth) const {
    const auto first_wrong =
        first_wrong_along(0, posproof::model_of(declared_, subject_.precision), subject_, declared_);
    return first_confirmed(rows_by_position(own, truth, spec_, parameters_, first_wrong, subject_.precision));
  }

  // At other positions, or at the declared ones by other frequencies.
  Sentences of_positions(const Table& own, const Table& truth) const {
    std::vector<Deviation> all;
    if (auto one = position_deviation(own, truth, parameters_, subject_.precision))
      all.push_back(std::move(*one));
    if (auto one = axis_ladders(own, truth, parameters_, subject_.precision)) all.push_back(std::move(*one));
    return first_confirmed(all);
  }

  Sentences of_one_row(const Table& truth) const {
    const auto row = same_row_deviation(truth, subject_.precision, answered_);
    return row ? first_confirmed({*row}) : Sentences{};
  }

  Sentences of_columns(const Table& truth) const {
    return first_confirmed(row_deviations(truth, subject_.precision, answered_));
  }

  Sentences of(const Bias& own, const Bias& truth) {
    auto all = bias_deviations(own, truth, parameters_, subject_.precision);
    if (auto one = deviation_at_a_distance(own, truth, parameters_, subject_.precision, answered_))
      all.push_back(std::move(*one));
    if (truth.buckets) {
      for (Deviation& one : bucket_deviations(spec_, parameters_)) all.push_back(std::move(one));
      if (auto one = measured_buckets(own, truth, subject_.precision)) all.push_back(std::move(*one));
    }
    return first_confirmed(all);
  }

  Sentences of(const Contextual& own, const Contextual& truth) {
    const std::vector<Encoding> kinds = attention::in_every_kind(spec_.make(parameters_));
    const auto& reference = as<Contextual>(*attention::same_kind(kinds, subject_.encoding));
    Sentences found = first_confirmed(term_deviations(reference, truth, subject_.precision, answered_));
    if (!found.empty()) return found;
    return with_its_place(wrong_terms(own, reference, truth, subject_.precision, answered_));
  }

  // Which part is wrong is no cause: where it is says more.
  Sentences with_its_place(const std::optional<std::string>& part) const {
    if (!part) return {};
    const auto where = wrong_place(spec_, parameters_, subject_, declared_, answered_);
    return where ? Sentences{*part, *where} : Sentences{*part};
  }

  Sentences of(const Attention& own, const Attention& truth) {
    const std::vector<Encoding> kinds = attention::in_every_kind(spec_.make(parameters_));
    const auto& reference = as<Attention>(*attention::same_kind(kinds, subject_.encoding));
    const bool several = parameters_.find("heads") != nullptr;
    const std::size_t heads = several ? static_cast<std::size_t>(parameters_.real("heads")) : 1;
    Sentences found = first_confirmed(operator_deviations(own, reference, truth, heads));
    if (!found.empty()) return found;
    const OperatorRules rules = operator_rules(own, reference, truth, spec_.make(parameters_));
    Model near = posproof::model_of(declared_, subject_.precision);
    near.error = times_as_much(near.error, rules.more);
    if (explains_all(near, declared_, answered_)) return {};
    found = first_confirmed(rules.all);
    if (!found.empty()) return found;
    return with_its_place(wrong_half(own, truth, subject_.precision, answered_));
  }

  // What is measured of a rotation takes its stretch for constant, and the divisors of its calls: their forms
  // come first.
  Sentences of(const Rotary& own, const Rotary& truth) {
    Sentences switched = best_of(switch_forms(own, truth, parameters_, subject_.precision));
    if (!switched.empty()) return switched;
    // What is measured over few turns is a frequency that is a little too low.
    if (Sentences reduced = best_of(reduced_angles(truth)); !reduced.empty()) return reduced;
    if (Sentences reduced = of_fine_reduction(truth); !reduced.empty()) return reduced;
    // That pairs have other frequencies says less than why.
    const Sentences scaled = of_scaled(own, truth);
    const bool are_others = std::ranges::any_of(
        scaled, [](const std::string& one) { return one.find("at other frequencies") != one.npos; });
    if (!scaled.empty() && !are_others) return scaled;
    Sentences found = truth.stretch ? of_form(truth) : of_measured(own, truth);
    if (found.empty()) found = truth.stretch ? of_measured(own, truth) : of_form(truth);
    return found.empty() ? scaled : found;
  }

  // Where the end of the first turn tells it from a frequency that is too high.
  Sentences of_fine_reduction(const Rotary& truth) const {
    double fastest = 0;
    for (const Pair& pair : truth.pairs) fastest = std::max(fastest, std::abs(pair.frequency));
    const Domain domain = overlap(positions_of(subject_.encoding), truth.positions);
    const double turn = std::floor(6.28 / fastest);
    if (!(turn >= 1 && turn <= static_cast<double>(domain.hi)) || domain.lo > 0 || truth.in_call) return {};
    const auto last = static_cast<Position>(turn);
    const Model right = posproof::model_of(declared_, subject_.precision);
    std::vector<RotationForm> forms;
    for (ReducedAngles& one : finely_reduced_angles(truth))
      if (differs_at(last, right, one.faster)) forms.push_back(std::move(one.reduced));
    if (forms.empty() || !OneToken(right, subject_, declared_, Role::query).is_right(last)) return {};
    return best_of(forms);
  }

  // Of a ladder that is scaled by the call's length, or by divisors.
  Sentences of_scaled(const Rotary& own, const Rotary& truth) const {
    const auto found = measured_in_calls(own, truth, spec_, parameters_, subject_);
    return found ? confirmed(found->model, found->sentences) : Sentences{};
  }

  Sentences of_measured(const Rotary& own, const Rotary& truth) const {
    auto queries = measured_rotation(own, truth, Role::query, subject_.precision),
         keys = measured_rotation(own, truth, Role::key, subject_.precision);
    if (!queries || !keys || !queries->is_known() || !keys->is_known()) return {};
    auto said = measured_sentences(*queries, *keys, truth, parameters_, subject_);
    if (!said || said->empty()) return {};
    settle(*queries, truth, subject_.precision);
    settle(*keys, truth, subject_.precision);
    // What was measured in one call may be otherwise in a longer one.
    return confirmed(posproof::measured_model(truth, *queries, *keys, subject_.precision), std::move(*said));
  }

  // The one that leaves least unexplained; what is rounded may fall to the other side of a tie.
  Sentences of_form(const Rotary& truth) const {
    std::vector<RotationForm> forms =
        stretch_forms(as<Rotary>(subject_.encoding), truth, spec_, parameters_, subject_.precision);
    for (RotationForm& form : rotation_forms(truth)) forms.push_back(std::move(form));
    for (RotationForm& form : sum_forms(truth)) forms.push_back(std::move(form));
    for (RotationForm& form : circle_forms(truth)) forms.push_back(std::move(form));
    for (RotationForm& form : approximate_forms(truth)) forms.push_back(std::move(form));
    const Position last = overlap(positions_of(subject_.encoding), truth.positions).hi;
    for (RotationForm& form : recurrence_forms(truth, last)) forms.push_back(std::move(form));
    const Model right = posproof::model_of(declared_, subject_.precision);
    if (const auto first = first_wrong_along(0, right, subject_, declared_))
      for (RotationForm& form : limited_angles(truth, *first)) forms.push_back(std::move(form));
    return best_of(forms);
  }

  Sentences best_of(const std::vector<RotationForm>& forms) const {
    std::vector<Deviation> all;
    for (const RotationForm& form : forms) all.push_back({{form.words}, form.rotation, true});
    return least_unexplained(all);
  }

  using Error = Function<Tensor(const Call&, const Tensor&, Position)>;
  static Error times_as_much(const Error& error, double factor) {
    return [=](const Call& call, const Tensor& expected, Position far) {
      Tensor more = error(call, expected, far);
      for (double& entry : more.data) entry *= factor;
      return more;
    };
  }

  // Without more, before with another deviation.
  Sentences first_confirmed(const std::vector<Deviation>& all) const {
    for (const Deviation& one : all)
      if (explains_all(measured_model(one), declared_, answered_) && is_nearer(one) && says_something(one))
        return one.sentences;
    for (const Deviation& one : all)
      if (one.guessed || explains_all(measured_model(one), declared_, answered_))
        continue;
      else if (auto said = confirmed(measured_model(one), one.sentences);
               !said.empty() && says_something(one))
        return said;
    return {};
  }

  // A measured model is allowed more than the declared encoding. Where that would explain half of the wrong
  // rows, too, if it were allowed as much, the model has to explain half of them without.
  bool is_nearer(const Deviation& one) const {
    if (one.guessed) return true;
    Model declared = posproof::model_of(declared_, subject_.precision);
    declared.error = times_as_much(declared.error, measured_more);
    const auto wrong_rows = [this](const Model& model) {
      return explained(model, declared_, answered_).wrong();
    };
    return 2 * wrong_rows(declared) > wrong_ ||
           2 * wrong_rows(posproof::model_of(one.corrected, subject_.precision)) <= wrong_;
  }

  // One that answers as the declared encoding does explains little wrong.
  bool says_something(const Deviation& one) const {
    const Unexplained wrong = compare(declared_, subject_, answered_, Until::all);
    const Told by = told(one.corrected, declared_, subject_, answered_, wrong);
    return (by.wrong == 0 || !by.in_none()) && tells(one);
  }
  bool tells(const Deviation& one) const {
    return tells_of_most(measured_model(one), declared_, answered_, alone_);
  }

  // What was measured has the subject's rounding in it, and the subject again; what was guessed is exact.
  static constexpr double measured_more = 3;
  Model measured_model(const Deviation& one) const {
    Model out = posproof::model_of(one.corrected, subject_.precision);
    if (one.guessed) return out;
    out.error = times_as_much(out.error, measured_more);
    return out;
  }

  // Where the model leaves answers unexplained, what else is needed.
  Sentences confirmed(const Model& model, Sentences said) const {
    const std::size_t left = explained(model, declared_, answered_).wrong();
    if (left == 0) return said;
    // What explains nothing by itself is no part of the explanation.
    if (left >= wrong_) return {};
    const auto calls = call_deviation(model, subject_, declared_, answered_);
    if (!calls) return {};
    said.push_back(*calls);
    return said;
  }

  const EncodingSpec& spec_;
  const Parameters& parameters_;
  const Subject& subject_;
  const Encoding& declared_;
  const std::vector<Answered>& answered_;
  Explained alone_;        // what the declared encoding explains
  std::size_t wrong_ = 0;  // rows that it does not
};

}  // namespace

std::vector<std::string> deviations(const EncodingSpec& spec, const Parameters& parameters,
                                    const Subject& subject, const std::vector<Answered>& answered) {
  if (answered.empty()) return {};
  try {
    const std::vector<Encoding> kinds = attention::in_every_kind(as_far_as(spec.oracle(parameters), subject));
    const Encoding* same = attention::same_kind(kinds, subject.encoding);
    if (same == nullptr) return {};
    const Encoding declared = remembering(*same);
    return Deviating(spec, parameters, subject, declared, answered).all();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {  // it declined, or died: nothing is known of it
  }
  return {};
}

bool contradicted(const Encoding& candidate, const EncodingSpec& spec, const Parameters& parameters,
                  const Subject& subject) {
  const Both<Rotary> both(subject.encoding, candidate);
  if (!both) return false;
  const Encoding made = spec.make(parameters);
  const auto& truth = as<Rotary>(made);
  const auto is = measured_rotation(*both.own, truth, Role::query, subject.precision),
             as = measured_rotation(*both.truth, truth, Role::query,
                                    all_f64);  // it is ours, and rounds little
  if (!is || !as || !is->is_known() || !as->is_known()) return false;
  for (std::size_t c = 0; c < truth.dim; ++c) {
    const auto &a = is->heads.front()[c].rotates, &b = as->heads.front()[c].rotates;
    if (a && b &&
        std::abs(std::remainder(a->frequency - b->frequency, 2 * std::numbers::pi)) >
            a->error + b->error + angle_error(subject.precision, 1, Pair{0, 1, b->frequency}))
      return true;
  }
  return false;
}

}  // namespace posproof
