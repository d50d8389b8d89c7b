#include "run/identify.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <new>

#include "attention/reference_attention.h"
#include "catalogue/encodings.h"
#include "core/call.h"
#include "core/failure.h"
#include "run/agreement.h"
#include "run/catalogued.h"
#include "run/exhaustive.h"
#include "run/identified_bias.h"
#include "run/identified_rotary.h"
#include "run/identified_table.h"
#include "run/narrowed.h"
#include "run/words_alike.h"
#include "search/generate.h"

namespace posproof {
namespace {

constexpr std::uint64_t calls = 100, calls_of_a_file = 32;  // all rows of a file are compared on top
constexpr Position rows_near = 256;
constexpr std::size_t most_counted = 48;
// Values: an exact answer may take a microsecond for each, or a hundred.
constexpr std::size_t longest_answer = 4096;
// Digits and words by which another convention that holds may be less simple than the answer, and still be
// read.
constexpr int about_as_simple = 4;
// Of the entries, right ones: below that, nothing is near.
constexpr double least_near = 0.25;

struct Proposed {
  Candidate candidate;
  bool trained = false;
};

// Call number n, as agreement draws it, and what came; none where nothing did.
std::optional<Answers::One> asked(const Encoding& subject, const Domain& domain, std::uint64_t n) {
  try {
    RandomDraw draw(1, "identify", n);
    Answers::One out{draw_call(subject, domain, draw), {}};
    if (count(shape_of_answer(subject, out.call)) > longest_answer) return std::nullopt;
    out.answer = answer(subject, out.call);
    return out;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const Discard&) {
  } catch (const Refusal&) {
  } catch (const Failure&) {
  }
  return std::nullopt;
}

void record(const Answers& answers, const Subject& subject) {
  const Encoding kept = answers.kept_of(subject.encoding);
  for (std::uint64_t n = 0; n < (subject.live ? calls : calls_of_a_file); ++n)
    asked(kept, positions_of(subject.encoding), n);
}

// The answers that a candidate is compared with, one by one, until it has been told enough.
using Each = std::function<bool(const Answers::One&)>;
using Source = std::function<void(const Each&)>;

Source recorded(const Answers& answers) {
  return [&answers](const Each& each) {
    for (const Answers::One& one : answers.all())
      if (!each(one)) return;
  };
}

Source asking(const Encoding& subject, const Domain& domain) {
  return [&subject, domain](const Each& each) {
    for (std::uint64_t n = 0; n < calls_of_a_file; ++n)
      if (const auto one = asked(subject, domain, n); one && !each(*one)) return;
  };
}

struct Compared {
  int passes_over = 0;            // keys after the query: 1; a constant on every row: 2
  std::size_t wrong = 0, of = 0;  // calls
  double share = 0;
  double near = 0, entries = 0;  // a right entry is 1, one that is off by a hundredth of the largest a half
  std::optional<Place> first = {};
  Case counterexample = {};

  bool holds() const { return of > 0 && wrong == 0; }
};

const Encoding* same_kind(const std::vector<Encoding>& kinds, const Encoding& subject) {
  for (const Encoding& one : kinds)
    if (one.index() == subject.index()) return &one;
  return nullptr;
}

enum class Until { first_wrong, all };

// How near entries are, whatever rounding allows: what tells a slip from another convention.
void add_entries(const Tensor& there, const Tensor& here, const Bound& allowed, Compared& to) {
  double largest = 0;
  for (const double entry : here.data) largest = std::max(largest, std::abs(entry));
  for (std::size_t n = 0; n < here.data.size(); ++n) {
    const double off = std::abs(there.data[n] - here.data[n]);
    to.near += off <= allowed.error.data[n] ? 1 : off <= 0.01 * largest ? 0.5 : 0;
    ++to.entries;
  }
}

// Answer by answer. What the candidate is not defined for is not compared.
Compared compared(const Encoding& truth, const Source& answers, const Precision& precision, Until until) {
  Compared out{.passes_over = is_modulo_rows(truth) ? 2 : is_causal(truth) ? 1 : 0};
  answers([&](const Answers::One& one) {
    try {
      const Tensor here = answer(truth, one.call);
      const Agreement found = agreement_in_full(truth, one.call, one.answer, here, precision);
      const Residual& worst = found.compared.worst;
      ++out.of;
      if (until == Until::all) add_entries(one.answer, here, found.allowed, out);
      if (worst.holds()) {
        out.share = std::max(out.share, worst.error_over_bound());
        return true;
      }
      ++out.wrong;
      if (!out.first)
        out.first = place_of(truth, one.call, one.answer, here, found.allowed, found.compared.at);
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const Refusal&) {
      return true;
    } catch (const std::exception&) {  // it takes calls of another shape
      ++out.of, ++out.wrong;
    }
    return until == Until::all;
  });
  return out;
}

// The only one of the first rows that is all 0.
std::optional<Position> zero_row(const Table& table, Position length, const Domain& domain) {
  std::optional<Position> out;
  for (Position t = domain.lo; t <= domain.hi && t - domain.lo < 16; ++t) {
    const Position at[] = {t};
    if (std::ranges::any_of(table.rows(at, length).data, [](double entry) { return entry != 0; })) continue;
    if (out) return std::nullopt;
    out = t;
  }
  return out;
}

// Rows at the first positions, and at some that double from there.
std::optional<MeasuredRows> rows_of(const Table& table, bool live, Position skipped) {
  const Domain& domain = table.positions;
  const Position first = domain.lo + skipped, count = domain.hi - first + 1,
                 near = std::min(rows_near, count);
  if (domain.axes != 1 || count < (skipped == 0 ? 1 : 32)) return std::nullopt;
  MeasuredRows out;
  out.first = first;
  out.length = live && !domain.ends ? 0 : static_cast<std::size_t>(skipped + count);
  const Position length = domain.hi + 1;
  std::vector<Position> at;
  for (Position t = 0; t < near; ++t) at.push_back(first + t);
  out.near = table.rows(at, length);
  out.zero_row = zero_row(table, length, domain);
  for (Position t = near; t < count && t < (Position{1} << 20); t *= 2) out.at.push_back(first + t);
  if (!out.at.empty()) out.far = table.rows(out.at, length);
  return out;
}

std::optional<MeasuredBias> entries_of(const Bias& bias) {
  const Domain& domain = bias.positions;
  if (domain.axes != 1) return std::nullopt;
  std::vector<Position> at;
  for (Position t = domain.lo; t <= domain.hi && t - domain.lo < rows_near; ++t) at.push_back(t);
  return MeasuredBias{bias.bias(at, at), domain.lo};
}

class Identifying {
 public:
  Identifying(std::string_view words, const IdentifyOptions& options)
      : options_(options), asked_(words, options) {}

  Identified all() {
    if (asked_.live()) record(answers_, asked_.subject());
    say("measuring it");
    propose();
    say("comparing it with what it may be");
    for (const Proposed& one : proposed_)
      if (!one.trained) try_out(one);
    if (hold_.empty())  // what is known of its numbers says more
      for (const Proposed& one : proposed_)
        if (one.trained) try_out(one);
    if (hold_.empty())
      find_nearest();
    else
      find_what_holds_too();
    return std::move(found_);
  }

 private:
  void say(std::string_view what) const {
    if (options_.progress) options_.progress(what);
  }

  void add(Candidate candidate, bool trained = false) {
    const EncodingSpec& spec = encoding_named(candidate.encoding);
    if (!makes_sense(spec, candidate.parameters)) return;
    const Parameters all = with(spec, candidate.parameters);
    for (const Proposed& one : proposed_)
      if (one.candidate.encoding == candidate.encoding && with(spec, one.candidate.parameters) == all) return;
    proposed_.push_back({std::move(candidate), trained});
  }

  // ---- proposing

  void propose() {
    if (asked_.live())
      propose_for(asked_.subject(), asked_.taken_for());
    else
      propose_for_files();
  }

  void propose_for_files() {
    const std::vector<Shape>& shapes = asked_.shapes();
    const Shape& shape = shapes.front();
    if (shape.empty() || count(shape) == 0) return;
    const double columns = static_cast<double>(shape.back());
    const auto rotary = [&](double dim, const char* layout) {
      Parameters parameters;
      parameters.set("dim", dim);
      parameters.set("layout", std::string(layout));
      propose_as({"rope", parameters});
    };
    if (shapes.size() == 2) rotary(2 * columns, "half_split");
    if (shape.size() != 3 || shapes.size() == 2) {
      rotary(columns, "half_split");
      rotary(columns, "interleaved");
    }
    if (shapes.size() == 2) return;
    Parameters parameters;
    if (shape.size() == 2) {
      parameters.set("dim", columns);
      parameters.set("odd", std::string("zero_pad"));
      propose_as({"sinusoidal", parameters});
    }
    if (shape.size() == 3) {
      parameters.set("heads", static_cast<double>(shape.front()));
      propose_as({"alibi", parameters});
    }
  }

  void propose_as(const Candidate& candidate) {
    if (!makes_sense(encoding_named(candidate.encoding), candidate.parameters)) return;
    try {
      propose_for(asked_.as(candidate), candidate);
    } catch (const std::invalid_argument&) {  // the file has another shape
    }
  }

  void propose_for(const Subject& subject, const Candidate& like) {
    likes_.push_back(like);
    try {
      if (const auto* rotary = std::get_if<Rotary>(&subject.encoding))
        propose_rotary(*rotary, like, subject.precision);
      if (const auto* table = std::get_if<Table>(&subject.encoding)) propose_table(*table, subject.precision);
      if (const auto* bias = std::get_if<Bias>(&subject.encoding)) propose_bias(*bias, subject.precision);
    } catch (const Refusal&) {  // it declines what measuring would ask
    } catch (const Failure&) {
    }
    if (subject.live) propose_settings(subject.encoding);
  }

  void propose_rotary(const Rotary& rotary, const Candidate& like, const Precision& precision) {
    const Encoding truth = encoding_named("rope").oracle(rope_like(rotary, like));
    for (Candidate& one : rotary_candidates(rotary, std::get<Rotary>(truth), precision)) add(std::move(one));
  }

  static Parameters rope_like(const Rotary& rotary, const Candidate& like) {
    if (like.encoding == "rope") return like.parameters;
    Parameters out;
    out.set("dim", static_cast<double>(rotary.dim));
    out.set("heads", static_cast<double>(rotary.heads));
    return out;
  }

  void propose_table(const Table& table, const Precision& precision) {
    for (const Position skipped :
         {0, 16}) {  // the first rows may be special: that of padding is 0 in fairseq
      const auto rows = rows_of(table, asked_.live(), skipped);
      if (!rows) return;
      for (const auto& [id, spec] : catalogue::encodings())
        for (Candidate& one : table_candidates(std::string(id), *spec, *rows, precision)) add(std::move(one));
    }
  }

  void propose_bias(const Bias& bias, const Precision& precision) {
    const auto entries = entries_of(bias);
    if (!entries) return;
    for (Candidate& one : alibi_candidates(encoding_named("alibi"), *entries, precision)) add(std::move(one));
    for (auto& [candidate, trained] : bucket_candidates(encoding_named("t5_bias"), *entries))
      add(std::move(candidate), trained);
    if (!asked_.live()) propose_settings(bias);
  }

  // Every combination of words of every encoding of that kind and shape.
  void propose_settings(const Encoding& subject) {
    for (const auto& [id, spec] : catalogue::encodings()) {
      Parameters shape;
      std::visit(
          [&](const auto& kind) {
            if constexpr (requires { kind.dim; })
              if (spec->parameters.find("dim") != nullptr) shape.set("dim", static_cast<double>(kind.dim));
            if constexpr (requires { kind.heads; })
              if (spec->parameters.find("heads") != nullptr)
                shape.set("heads", static_cast<double>(kind.heads));
          },
          subject);
      for (Candidate& one : settings(std::string(id), *spec, shape, 64))
        if (is_of_kind(*spec, one.parameters, subject)) add(std::move(one));
    }
  }

  static bool is_of_kind(const EncodingSpec& spec, const Parameters& parameters, const Encoding& subject) {
    try {
      const auto kinds = attention::in_every_kind(spec.make(parameters));
      const Encoding* same = same_kind(kinds, subject);
      return same != nullptr && (std::holds_alternative<Attention>(*same) ||
                                 positions_of(*same).axes == positions_of(subject).axes);
    } catch (const Refusal&) {
      return false;
    }
  }

  // ---- comparing

  struct Tried {
    Proposed proposed;
    Compared compared;
  };

  // By the answers to some calls, and of a file by all of its rows.
  std::optional<Compared> compare(const Proposed& one, Until until) {
    const EncodingSpec& spec = encoding_named(one.candidate.encoding);
    try {
      const std::vector<Encoding> kinds =
          attention::in_every_kind(spec.oracle(with(spec, one.candidate.parameters)));
      if (asked_.live()) {
        const Encoding* truth = same_kind(kinds, asked_.subject().encoding);
        if (truth == nullptr) return std::nullopt;
        return compared(*truth, recorded(answers_), asked_.subject().precision, until);
      }
      const Subject subject = asked_.as(one.candidate, kinds);
      const Encoding* truth = same_kind(kinds, subject.encoding);
      if (truth == nullptr) return std::nullopt;
      const Domain both = overlap(positions_of(subject.encoding), positions_of(*truth));
      Compared out = compared(*truth, asking(subject.encoding, both), subject.precision, until);
      if (out.holds()) add_every_row(*truth, subject, out);
      return out;
    } catch (const std::invalid_argument&) {  // the file has another shape
      return std::nullopt;
    } catch (const Refusal&) {
      return std::nullopt;
    }
  }

  void add_every_row(const Encoding& truth, const Subject& subject, Compared& out) {
    Budget budget{.time = std::chrono::seconds(20)};
    budget.shrinks = 0;
    const Exhaustive all = exhaustive(truth, subject, budget, true);
    if (!all.verdict) return;
    if (const auto* refuted = std::get_if<Refuted>(&*all.verdict)) {
      out.wrong = 1;
      out.counterexample = refuted->counterexample;
      out.first = place_in(truth, subject, refuted->counterexample);
    } else if (const auto* held = std::get_if<Holds>(&*all.verdict)) {
      out.share = std::max(out.share, held->worst.error_over_bound());
      if (all.accuracy) out.of = static_cast<std::size_t>(all.accuracy->rows);
    } else {
      out.wrong = 1;
    }
  }

  // Where the answer to that case is wrong.
  static std::optional<Place> place_in(const Encoding& truth, const Subject& subject,
                                       const Case& counterexample) {
    Replay draw(counterexample);
    const Call call = draw_call(truth, overlap(positions_of(subject.encoding), positions_of(truth)), draw);
    const Tensor there = answer(subject.encoding, call), here = answer(truth, call);
    const Agreement found = agreement_in_full(truth, call, there, here, subject.precision);
    return place_of(truth, call, there, here, found.allowed, found.compared.at);
  }

  void try_out(const Proposed& one) {
    ++found_.tried;
    if (one.trained) {  // its buckets were compared when it was proposed
      Compared buckets;
      buckets.of = 1,
      buckets.passes_over = is_causal(encoding_named("t5_bias").make(one.candidate.parameters)) ? 1 : 0;
      hold_.push_back({one, std::move(buckets)});
      return;
    }
    auto found = compare(one, Until::first_wrong);
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
  void find_what_holds_too() {
    rank();
    const Candidate answer = hold_.front().proposed.candidate;
    const EncodingSpec& spec = encoding_named(answer.encoding);
    const Parameters all = with(spec, answer.parameters);
    if (!hold_.front().proposed.trained)
      for (const Parameter& parameter : spec.parameters) {
        if (!parameter.convention || !parameter.matters_where.met(all)) continue;
        if (std::holds_alternative<type::Whole>(parameter.type)) continue;
        for (const Value& word : parameter.grid) {
          Candidate other = answer;
          other.parameters.set(parameter.name, word);
          const std::size_t before = proposed_.size();
          add(std::move(other));
          if (proposed_.size() > before) try_out(Proposed(proposed_.back()));
        }
      }
    rank();
    describe();
  }

  void rank() {
    std::ranges::stable_sort(hold_, [](const Tried& a, const Tried& b) {
      if (a.compared.passes_over != b.compared.passes_over)
        return a.compared.passes_over < b.compared.passes_over;
      return complexity_of(a.proposed.candidate) < complexity_of(b.proposed.candidate);
    });
  }

  void describe() {
    found_.subject = asked_.as(hold_.front().proposed.candidate);
    // What says less than the answer is no other answer.
    std::erase_if(hold_, [&](const Tried& one) {
      return one.compared.passes_over > hold_.front().compared.passes_over;
    });
    for (const Tried& one : hold_)
      found_.hold.push_back({one.proposed.candidate, one.compared.share, one.proposed.trained});
    found_.compared = hold_.front().compared.of;
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
      const auto& [name, value] = differs.front();
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

  // ---- what is near

  void find_nearest() {
    try_usual();
    if (!hold_.empty()) return find_what_holds_too();
    std::ranges::stable_sort(fail_, [](const Tried& a, const Tried& b) {
      return complexity_of(a.proposed.candidate) < complexity_of(b.proposed.candidate);
    });
    if (fail_.size() > most_counted) fail_.resize(most_counted);
    const Tried* best = nullptr;
    for (Tried& one : fail_) {
      if (auto all = compare(one.proposed, Until::all)) one.compared = std::move(*all);
      if (right_share(one) >= least_near && (best == nullptr || is_nearer(one, *best))) best = &one;
    }
    if (best == nullptr) return describe_none();
    describe(*best);
  }

  // What is so wrong that its numbers cannot be measured is compared with those in common use.
  void try_usual() {
    const std::size_t before = proposed_.size();
    for (const Candidate& like : likes_)
      if (like.encoding == "rope")
        for (const double base : {10000.0, 500000.0, 1000000.0}) {
          Candidate one = like;
          one.parameters.set("base", base);
          add(std::move(one));
        }
      else if (like.encoding == "sinusoidal")
        for (Candidate& one : settings("sinusoidal", encoding_named("sinusoidal"), like.parameters))
          add(std::move(one));
    for (std::size_t n = before; n < proposed_.size(); ++n) try_out(Proposed(proposed_[n]));
  }

  // What passes over constants on rows explains more for that alone: it counts where nothing else explains
  // anything.
  static bool is_nearer(const Tried& one, const Tried& other) {
    const bool shifted = one.compared.passes_over == 2, others = other.compared.passes_over == 2;
    if (shifted != others) return others;
    return right_share(one) > right_share(other);
  }

  static double right_share(const Tried& one) {
    return one.compared.entries == 0 ? 0 : one.compared.near / one.compared.entries;
  }

  void describe_none() {
    if (asked_.live()) found_.subject = asked_.subject();
  }

  void describe(const Tried& best) {
    const Candidate& candidate = best.proposed.candidate;
    const EncodingSpec& spec = encoding_named(candidate.encoding);
    const Parameters parameters = with(spec, candidate.parameters);
    found_.subject = asked_.as(candidate);
    NearestConvention out{candidate, best.compared.wrong, best.compared.of, best.compared.first, {}, {}};
    const Encoding truth = spec.oracle(parameters);
    const Answers own;
    if (!asked_.live()) record(own, found_.subject);
    if (best.compared.counterexample.empty())  // else the answers alone hold
      out.precision = seeming_precision(truth, found_.subject.encoding, found_.subject.precision,
                                        asked_.live() ? answers_ : own)
                          .word;
    out.explanations =
        diagnose(spec, candidate.encoding, parameters, found_.subject, best.compared.counterexample, 1);
    found_.nearest = std::move(out);
  }

  const IdentifyOptions& options_;
  Unidentified asked_;
  Answers answers_;
  std::vector<Proposed> proposed_;
  std::vector<Candidate> likes_;  // as which the subject was measured
  std::vector<Tried> hold_, fail_;
  Identified found_;
};

}  // namespace

Identified identify(std::string_view words, const IdentifyOptions& options) {
  return Identifying(words, options).all();
}

}  // namespace posproof
