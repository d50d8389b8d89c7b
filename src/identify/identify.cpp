#include "identify/identify.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/call.h"
#include "core/function.h"
#include "identify/identified_fit.h"
#include "identify/identified_proposals.h"
#include "run/catalogued.h"
#include "run/words_alike.h"

namespace posproof {
namespace {

constexpr std::size_t most_counted = 48;
// Digits and words by which another convention that holds may be less simple than the answer, and still be
// read.
constexpr int about_as_simple = 4;
// Of the entries, right ones: below that, nothing is near.
constexpr double least_near = 0.25;

class Identifying {
 public:
  Identifying(Unidentified asked, Function<void(std::string_view what)> progress)
      : progress_(std::move(progress)), asked_(std::move(asked)) {}

  // Whether one holds.
  bool found() {
    if (asked_.live()) record(answers_, asked_.subject());
    say("measuring it");
    Proposals proposals(asked_);
    say("comparing it with what it may be");
    for (const Proposed& one : proposals.all())
      if (!one.trained) try_out(one);
    if (hold_.empty())  // what is known of its numbers says more
      for (const Proposed& one : proposals.all())
        if (one.trained) try_out(one);
    if (hold_.empty())
      for (const Proposed& one : proposals.in_common_use()) try_out(one);
    if (hold_.empty())
      for (const Proposed& one : proposals.on_a_grid()) try_out(one);
    if (hold_.empty() && !asked_.live() && !is_near())
      for (const Proposed& one : proposals.in_trained_windows()) try_out(one);
    if (hold_.empty()) return false;
    find_what_holds_too(proposals);
    return true;
  }

  Identified answer() && { return std::move(found_); }
  // Where none holds: whether most answers are those of one.
  bool is_near() {
    find_nearest();
    return nearest_ != nullptr && 2 * nearest_->fit.wrong <= nearest_->fit.of;
  }
  // After is_near().
  Identified nearest() && {
    if (nearest_ == nullptr)
      describe_none();
    else
      describe_nearest();
    return std::move(found_);
  }
  std::size_t tried() const { return found_.tried; }
  std::optional<Unidentified> taken_otherwise() const { return asked_.taken_otherwise(); }
  std::optional<Unidentified> in_another_order() const { return asked_.in_another_order(); }
  std::optional<Narrow> in_fewer_digits() const { return asked_.in_fewer_digits(); }

 private:
  void say(std::string_view what) const {
    if (progress_) progress_(what);
  }

  struct Tried {
    Proposed proposed;
    Fit fit;
  };

  void try_out(const Proposed& one) {
    ++found_.tried;
    if (one.trained) {  // what its entries look up was compared when it was proposed
      Fit buckets;
      buckets.of = 1,
      buckets.passes_over =
          is_causal(encoding_named(one.candidate.encoding).make(one.candidate.parameters)) ? 1 : 0;
      hold_.push_back({one, std::move(buckets)});
      return;
    }
    auto found = fit(one.candidate, asked_, answers_, FitUntil::first_wrong);
    if (!found) return;
    (found->holds() ? hold_ : fail_).push_back({one, std::move(*found)});
  }

  // ---- what holds

  // The same numbers are a table of positions before they are anything less common.
  static int complexity_of(const Candidate& candidate) {
    constexpr std::array<std::string_view, 4> common = {"rope", "sinusoidal", "alibi", "t5_bias"};
    const bool is_common = std::ranges::find(common, candidate.encoding) != common.end();
    return complexity(encoding_named(candidate.encoding), candidate) + (is_common ? 0 : 6);
  }

  // The answer with another word in the place of one on which projects disagree.
  void find_what_holds_too(Proposals& proposals) {
    rank();
    if (const Proposed answer = hold_.front().proposed; !answer.trained)
      for (const Proposed& one : proposals.with_another_word(answer.candidate)) try_out(one);
    rank();
    describe();
  }

  void rank() {
    std::ranges::stable_sort(hold_, [](const Tried& a, const Tried& b) {
      if (a.fit.passes_over != b.fit.passes_over) return a.fit.passes_over < b.fit.passes_over;
      return complexity_of(a.proposed.candidate) < complexity_of(b.proposed.candidate);
    });
  }

  void describe() {
    found_.subject = asked_.as(hold_.front().proposed.candidate);
    // What says less than the answer is no other answer.
    std::erase_if(hold_,
                  [&](const Tried& one) { return one.fit.passes_over > hold_.front().fit.passes_over; });
    for (const Tried& one : hold_)
      if (std::ranges::none_of(found_.hold, [&](const Convention& before) {
            return are_one(before.candidate, one.proposed.candidate);
          }))
        found_.hold.push_back({one.proposed.candidate, one.fit.share, one.proposed.trained});
    found_.compared = hold_.front().fit.of;
    describe_not_told();
    if (hold_.front().proposed.trained) return;
    const EncodingSpec& spec = encoding_named(found_.hold.front().candidate.encoding);
    const Encoding truth = spec.oracle(with(spec, found_.hold.front().candidate.parameters));
    const Answers own;
    if (!asked_.live()) record(own, found_.subject);
    const std::string seeming =
        in_words(seeming_precision(truth, found_.subject.encoding, found_.subject.precision,
                                   asked_.live() ? answers_ : own),
                 found_.subject.precision);
    found_.seeming = seeming.substr(0, seeming.find('\n'));  // without the advice of a gate
  }

  // By parameter where the two differ in one alone.
  void describe_not_told() {
    const Candidate& answer = found_.hold.front().candidate;
    const EncodingSpec& spec = encoding_named(answer.encoding);
    const Parameters own = with(spec, answer.parameters);
    const std::vector<AlikeWord> alike = found_.hold.size() == 1 || found_.hold.front().trained
                                             ? std::vector<AlikeWord>{}
                                             : alike_words(spec, own);
    for (const Convention& other : std::span(found_.hold).subspan(1)) {
      const auto differs = differing(answer, other.candidate);
      if (std::ranges::any_of(differs, [&](const auto& one) { return is_no_convention(spec, one.first); }))
        continue;
      if (differs.size() != 1) {
        if (complexity_of(other.candidate) <= complexity_of(answer) + about_as_simple)
          found_.or_else.push_back(other.candidate);
        else
          ++found_.less_simple;
        continue;
      }
      const auto& name = differs.front().first;
      const auto& value = differs.front().second;
      const auto same = std::ranges::find_if(
          alike, [&](const AlikeWord& one) { return one.parameter == name && one.other == value; });
      if (same != alike.end() && same->apart.empty()) continue;  // no subject can tell them apart
      const auto known = std::ranges::find(found_.not_told, name, &NotTold::parameter);
      NotTold& to = known != found_.not_told.end() ? *known : found_.not_told.emplace_back(NotTold{name, {}});
      if (to.values.empty()) to.values.push_back(text(*own.find(name)));
      to.values.push_back(value);
      if (same != alike.end()) to.apart = same->apart;
    }
  }

  // A word on which projects do not disagree: where it makes no difference, it does not matter here.
  static bool is_no_convention(const EncodingSpec& spec, std::string_view name) {
    const Parameter* parameter = spec.parameters.find(name);
    return !parameter->convention && std::holds_alternative<type::Word>(parameter->type);
  }

  // Parameters in which the other differs, and their values there; of another encoding none.
  static std::vector<std::pair<std::string, std::string>> differing(const Candidate& answer,
                                                                    const Candidate& other) {
    std::vector<std::pair<std::string, std::string>> out;
    if (other.encoding != answer.encoding) return out;
    const EncodingSpec& spec = encoding_named(answer.encoding);
    const Parameters own = with(spec, answer.parameters), others = with(spec, other.parameters);
    for (const auto& [name, value] : others.fields())
      if (text(value) != text(*own.find(name))) out.emplace_back(name, text(value));
    return out;
  }

  // Proposed in two ways, one of which says what is standard.
  static bool are_one(const Candidate& one, const Candidate& other) {
    return one.encoding == other.encoding && differing(one, other).empty();
  }

  // ---- what is near

  void find_nearest() {
    if (std::exchange(looked_for_nearest_, true)) return;
    std::ranges::stable_sort(fail_, [](const Tried& a, const Tried& b) {
      return complexity_of(a.proposed.candidate) < complexity_of(b.proposed.candidate);
    });
    if (fail_.size() > most_counted) fail_.resize(most_counted);
    for (Tried& one : fail_) {
      if (auto all = fit(one.proposed.candidate, asked_, answers_, FitUntil::all_nearly))
        one.fit = std::move(*all);
      if (right_share(one) >= least_near && (nearest_ == nullptr || is_nearer(one, *nearest_)))
        nearest_ = &one;
    }
    if (nearest_ == nullptr || !asked_.live()) return;
    if (auto all = fit(nearest_->proposed.candidate, asked_, answers_, FitUntil::all))
      nearest_->fit = std::move(*all);
  }

  // What passes over constants on rows explains more for that alone: it counts where nothing else explains
  // anything.
  static bool is_nearer(const Tried& one, const Tried& other) {
    const bool shifted = one.fit.passes_over == 2, others = other.fit.passes_over == 2;
    if (shifted != others) return others;
    return right_share(one) > right_share(other);
  }

  static double right_share(const Tried& one) {
    return one.fit.entries == 0 ? 0 : one.fit.near / one.fit.entries;
  }

  void describe_none() {
    if (asked_.live()) found_.subject = asked_.subject();
  }

  // The nearest, and where most of its answers are others and nothing says why, one of the simplest of its
  // encoding of which something does.
  void describe_nearest() {
    constexpr std::size_t most_explained = 3;
    found_.nearest = described(*nearest_);
    if (2 * nearest_->fit.wrong <= nearest_->fit.of || has_a_cause(*found_.nearest)) return;
    std::size_t explained = 0;
    for (Tried& one : fail_) {
      if (&one == nearest_ || one.proposed.candidate.encoding != nearest_->proposed.candidate.encoding ||
          right_share(one) < least_near)
        continue;
      if (explained++ == most_explained) break;
      if (asked_.live())
        if (auto all = fit(one.proposed.candidate, asked_, answers_, FitUntil::all))
          one.fit = std::move(*all);
      NearestConvention other = described(one);
      if (!has_a_cause(other)) continue;
      found_.nearest = std::move(other);
      return;
    }
    found_.subject = asked_.as(nearest_->proposed.candidate);
  }

  static bool has_a_cause(const NearestConvention& near) {
    return std::ranges::any_of(near.explanations, [](const Explanation& one) {
      return one.kind != Explanation::Kind::place && one.kind != Explanation::Kind::unfinished;
    });
  }

  NearestConvention described(const Tried& best) {
    const Candidate& candidate = best.proposed.candidate;
    const EncodingSpec& spec = encoding_named(candidate.encoding);
    const Parameters parameters = with(spec, candidate.parameters);
    found_.subject = asked_.as(candidate);
    NearestConvention out{candidate, best.fit.wrong, best.fit.of, best.fit.first, {}, {}};
    const Encoding truth = spec.oracle(parameters);
    const Answers own;
    if (!asked_.live()) record(own, found_.subject);
    if (best.fit.counterexample.empty())  // else the answers alone hold
      out.precision = seeming_precision(truth, found_.subject.encoding, found_.subject.precision,
                                        asked_.live() ? answers_ : own)
                          .word;
    out.explanations =
        diagnose(spec, candidate.encoding, parameters, found_.subject, best.fit.counterexample, 1);
    return out;
  }

  Function<void(std::string_view what)> progress_;
  Unidentified asked_;
  Answers answers_;
  std::vector<Tried> hold_, fail_;
  Tried* nearest_ = nullptr;  // of those that fail
  bool looked_for_nearest_ = false;
  Identified found_;
};

// Where none holds in the precision of a file: numbers that were computed in fewer digits and stored in more
// are right in fewer. Not asked before: in these, conventions that differ by little hold alike.
std::optional<Identified> in_fewer_digits(const Identifying& first,
                                          const Function<void(std::string_view what)>& progress) {
  const auto narrow = first.in_fewer_digits();
  if (!narrow) return std::nullopt;
  Identifying again(narrow->subject, progress);
  if (!again.found()) return std::nullopt;
  const std::size_t tried = first.tried() + again.tried();
  Identified out = std::move(again).answer();
  out.read_as = narrow->subject.words();
  out.stored_in = name(narrow->stored_in);
  out.tried = tried;
  return out;
}

// Of a program that is near nothing the questions may be wrong: a table that is taken for a rotation, say.
// One that is nearly right is asked nothing else, which it may answer rightly and is not what it is. The
// nearest is that of the first questions.
Identified identified(Identifying& first, const Function<void(std::string_view what)>& progress) {
  if (first.found()) return std::move(first).answer();
  if (auto narrow = in_fewer_digits(first, progress)) return std::move(*narrow);
  std::size_t tried = 0;
  const auto as_it_may_be = [&](const Unidentified& other) -> std::optional<Identified> {
    Identifying again(other, progress);
    const bool found = again.found();
    tried += again.tried();
    std::optional<Identified> out = found          ? std::optional(std::move(again).answer())
                                    : other.live() ? std::nullopt
                                                   : in_fewer_digits(again, progress);
    if (out) out->tried = first.tried() + tried;
    return out;
  };
  if (const auto other = first.is_near() ? std::nullopt : first.in_another_order())
    if (auto out = as_it_may_be(*other)) return std::move(*out);
  for (auto other = first.is_near() ? std::nullopt : first.taken_otherwise(); other;
       other = other->taken_otherwise())
    if (auto out = as_it_may_be(*other)) return std::move(*out);
  Identified out = std::move(first).nearest();
  out.tried += tried;
  return out;
}

}  // namespace

Identified identify(std::string_view words, const IdentifyOptions& options) {
  Identifying first(Unidentified(words, options), options.progress);
  return identified(first, options.progress);
}

Identified identify(Subject live, const Candidate& taken_for) {
  Identifying first(Unidentified(std::move(live), taken_for), {});
  return identified(first, {});
}

}  // namespace posproof
