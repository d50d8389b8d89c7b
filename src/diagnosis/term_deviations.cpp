#include "diagnosis/term_deviations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numeric>
#include <span>

#include "core/function.h"
#include "diagnosis/measured_words.h"
#include "diagnosis/pair_forms.h"

namespace posproof {
namespace {

constexpr std::size_t term_count = 4;
using Parts = std::array<double, term_count>;  // without content, of the query, of the key, of both
constexpr std::array<std::string_view, term_count> names = {
    "the term without content", "the term of the query", "the term of the key", "the term of query and key"};

// One logit of an answer.
struct Logit {
  const Answered* from;
  std::size_t head, row, column;
  double given, error;

  AskedPair pair() const {
    const auto &i = from->call.positions.whole, &j = from->call.keys.whole;
    return {i[row], j[column], row, column, i, j};
  }
};

Tensor row_of(const Tensor& all, std::size_t row) {
  const auto values = all.row(row);
  return Tensor({1, all.width()}, {values.begin(), values.end()});
}

// Whose content stands in the term of the query, and in that of the key.
enum class Contents { own, exchanged };

// What a function of two contents gives for the heads' logits of one pair, in parts.
std::vector<Parts> parts_of(const Contextual& of, const Tensor& q, const Tensor& k, Position i, Position j,
                            Contents contents = Contents::own) {
  const Tensor none(q.shape), nothing(k.shape);
  const Position at[] = {i}, key[] = {j};
  const auto ask = [&](const Tensor& a, const Tensor& b) { return of.logits(a, b, at, key).data; };
  const auto neither = ask(none, nothing), first = ask(q, nothing), second = ask(none, k), both = ask(q, k);
  const bool own = contents == Contents::own;
  const auto of_query = own ? first : ask(k, nothing), of_key = own ? second : ask(none, q);
  std::vector<Parts> out;
  for (std::size_t h = 0; h < of.heads; ++h)
    out.push_back({neither.at(h), of_query.at(h) - neither[h], of_key.at(h) - neither[h],
                   both.at(h) - first[h] - second[h] + neither[h]});
  return out;
}

// Of long calls some, evenly: what a rule of positions says is true of all. What cannot be off by anything,
// where nothing is added up, says nothing.
std::vector<Logit> logits_of(const Contextual& truth, const Precision& precision,
                             const std::vector<Answered>& answered) {
  constexpr std::size_t most = 6;
  std::vector<Logit> out;
  for (const Answered& one : answered) {
    const auto &i = one.call.positions.whole, &j = one.call.keys.whole;
    if (one.answer.shape != Shape{truth.heads, i.size(), j.size()}) return {};
    for (std::size_t a = 0; a < std::min(most, i.size()); ++a)
      for (std::size_t b = 0; b < std::min(most, j.size()); ++b) {
        const std::size_t row = a * i.size() / std::min(most, i.size()),
                          column = b * j.size() / std::min(most, j.size());
        if (truth.causal && j[column] > i[row]) continue;
        const double error = logit_error(truth, one.call.contents[0].row(row),
                                         one.call.contents[1].row(column), i[row], j[column], precision);
        for (std::size_t h = 0; h < truth.heads && error > 0; ++h)
          out.push_back({&one, h, row, column, one.answer.at(h * i.size() + row, column), error});
      }
  }
  return out;
}

// ---- factors

struct Fitted {
  Parts factor, error;  // of one that is exact 0
};

// Least squares, each logit in units of its error. Terms that are nowhere keep 1.
std::optional<Fitted> fitted(const std::vector<Parts>& of, const std::vector<Logit>& logits,
                             std::size_t dim) {
  std::array<std::array<double, term_count + 1>, term_count> normal{};
  Parts most{};
  for (std::size_t n = 0; n < of.size(); ++n) {
    const double error = logits[n].error;
    if (!std::isfinite(logits[n].given)) return std::nullopt;
    for (std::size_t a = 0; a < term_count; ++a) {
      if (!std::isfinite(of[n][a])) return std::nullopt;
      most[a] = std::max(most[a], std::abs(of[n][a]) / error);
      for (std::size_t b = 0; b < term_count; ++b) normal[a][b] += of[n][a] / error * (of[n][b] / error);
      normal[a][term_count] += of[n][a] / error * (logits[n].given / error);
    }
  }
  for (std::size_t a = 0; a < term_count; ++a)
    if (most[a] < 16) {
      normal[a] = {};
      for (std::size_t b = 0; b < term_count; ++b) normal[b][term_count] -= normal[b][a], normal[b][a] = 0;
      normal[a][a] = normal[a][term_count] = 1;
    }
  for (std::size_t a = 0; a < term_count; ++a) {
    const double pivot = normal[a][a];
    if (!(pivot > 1e-9 * most[a] * most[a] || most[a] < 16)) return std::nullopt;  // two say the same
    for (std::size_t b = 0; b < term_count; ++b)
      if (b != a)
        for (std::size_t c = term_count + 1; c-- > a;) normal[b][c] -= normal[b][a] / pivot * normal[a][c];
  }
  const double d = static_cast<double>(dim);
  Fitted out{};
  for (std::size_t a = 0; a < term_count; ++a) {
    out.factor[a] = normal[a][term_count] / normal[a][a];
    out.error[a] = most[a] < 16 ? 0 : 8 / most[a];
    for (const double known : {1.0, 0.0, -1.0, 2.0, 0.5, std::sqrt(d), 1 / std::sqrt(d), d, 1 / d})
      if (std::abs(out.factor[a] - known) <= out.error[a] * std::max(1.0, known)) {
        out.factor[a] = known, out.error[a] = 0;
        break;
      }
  }
  return out;
}

bool holds(const Fitted& fit, const std::vector<Parts>& of, const std::vector<Logit>& logits) {
  for (std::size_t n = 0; n < of.size(); ++n) {
    double sum = 0, error = 3 * logits[n].error, most = 1;
    for (std::size_t a = 0; a < term_count; ++a) {
      sum += fit.factor[a] * of[n][a];
      error += fit.error[a] * std::abs(of[n][a]);
      most = std::max(most, std::abs(fit.factor[a]));
    }
    if (!(std::abs(logits[n].given - sum) <= most * error)) return false;
  }
  return true;
}

std::string words_of_factor(std::size_t term, const Fitted& fit, std::size_t dim) {
  const double factor = fit.factor[term];
  if (factor == 0) return fmt::format("{} is missing", names[term]);
  if (factor == -1) return fmt::format("{} has the other sign", names[term]);
  const auto is = [&](double x) { return std::abs(factor / x - 1) <= fit.error[term] + 1e-12; };
  const double root = std::sqrt(static_cast<double>(dim));
  if (is(root)) return fmt::format("{} is not divided by sqrt({})", names[term], dim);
  if (is(1 / root)) return fmt::format("{} is divided by sqrt({}) once more", names[term], dim);
  return fmt::format("{} is {} the declared one", names[term],
                     times(factor, fit.error[term] / std::abs(factor) + 1e-7));
}

// ---- positions

// Which terms a form of the positions moves.
using Moved = std::array<bool, term_count>;

struct Tried {
  PairForm form;
  Moved moved;
  Fitted fit;
  Contents contents = Contents::own;
};

Encoding corrected_term(const Contextual& reference, const Contextual& truth, const Tried& by) {
  Contextual out = truth;
  double most = 1;
  for (const double factor : by.fit.factor) most = std::max(most, std::abs(factor));
  out.error = [error = truth.error, most, contents = by.contents](const auto& q, const auto& k,
                                                                  const auto&... of) {
    // Where there is no query, the key's content is rounded in its place.
    const double exchanged = contents == Contents::exchanged ? error(k, q, of...) : 0;
    return most * (error(q, k, of...) + exchanged);
  };
  out.logits = [reference, by](const Tensor& q, const Tensor& k, const Positions& queries,
                               const Positions& keys) {
    const std::vector<Position> i(queries.begin(), queries.end()), j(keys.begin(), keys.end());
    Tensor to({reference.heads, i.size(), j.size()});
    for (std::size_t r = 0; r < i.size(); ++r)
      for (std::size_t c = 0; c < j.size(); ++c) {
        const auto [a, b] = by.form.to({i[r], j[c], r, c, i, j});
        const Tensor query = row_of(q, r), key = row_of(k, c);
        const auto own = parts_of(reference, query, key, i[r], j[c], by.contents),
                   moved = parts_of(reference, query, key, a, b);
        for (std::size_t h = 0; h < reference.heads; ++h)
          for (std::size_t n = 0; n < term_count; ++n)
            to.at(h * i.size() + r, c) += by.fit.factor[n] * (by.moved[n] ? moved : own)[h][n];
      }
    return to;
  };
  return out;
}

Deviation deviation(const Contextual& reference, const Contextual& truth, const Tried& by) {
  Deviation out{{}, corrected_term(reference, truth, by)};
  if (std::ranges::find(by.moved, true) != by.moved.end()) {
    std::string of;
    if (std::ranges::find(by.moved, false) != by.moved.end())
      for (std::size_t n = 0; n < term_count; ++n)
        if (by.moved[n]) of = fmt::format("in {}: ", names[n]);
    out.sentences.push_back(of + by.form.words);
  }
  if (by.contents == Contents::exchanged)
    out.sentences.emplace_back(
        "the key's content stands in the term of the query, and the query's in that of the key");
  for (std::size_t n = 0; n < term_count; ++n)
    if (by.fit.factor[n] != 1) out.sentences.push_back(words_of_factor(n, by.fit, truth.dim));
  return out;
}

class Terms {
 public:
  Terms(const Contextual& reference, const Contextual& truth, const Precision& precision,
        std::vector<Logit> logits)
      : reference_(reference), truth_(truth), precision_(precision), logits_(std::move(logits)) {}

  std::vector<Deviation> found() {
    const PairForm as_it_is{"", [](const AskedPair& pair) { return std::pair(pair.i, pair.j); }};
    own_ = parts_at(as_it_is.to);
    if (const auto fit = fits(own_); fit && fit->factor == Parts{1, 1, 1, 1})
      return {};
    else if (fit)
      return {deviation(reference_, truth_, {as_it_is, {}, *fit})};
    if (const auto fit = fits(parts_at(as_it_is.to, Contents::exchanged), exchanged()))
      return {deviation(reference_, truth_, {as_it_is, {}, *fit, Contents::exchanged})};
    std::vector<PairForm> forms = pair_forms("logit");
    if (auto limit = limited()) forms.push_back(std::move(*limit));
    for (const PairForm& form : forms) try {
        const std::vector<Parts> there = parts_at(form.to);
        for (const Moved& moved : {Moved{true, true, true, true}, Moved{true, false, false, false},
                                   Moved{false, true, false, false}, Moved{false, false, true, false}}) {
          std::vector<Parts> mixed = own_;
          for (std::size_t n = 0; n < mixed.size(); ++n)
            for (std::size_t a = 0; a < term_count; ++a)
              if (moved[a]) mixed[n][a] = there[n][a];
          if (const auto fit = fits(mixed)) return {deviation(reference_, truth_, {form, moved, *fit})};
        }
      } catch (const Refusal&) {  // not defined there
      }
    return {};
  }

 private:
  // The distance at which the logit of n is the declared one of a key on the same side, and nearer: the
  // largest below its own.
  std::optional<Position> nearer(std::size_t n) const {
    const Logit& one = logits_[n];
    const AskedPair at = one.pair();
    const Tensor q = row_of(one.from->call.contents[0], one.row),
                 k = row_of(one.from->call.contents[1], one.column);
    constexpr Position most = 4096;
    const Position own = std::abs(at.i - at.j), side = at.j > at.i ? 1 : -1;
    for (Position d = own - 1; d > 0 && d >= own - most; --d) {
      const Parts there = parts_of(reference_, q, k, at.i, at.i + side * d)[one.head];
      if (std::abs(one.given - std::accumulate(there.begin(), there.end(), 0.0)) <= 3 * one.error) return d;
    }
    return std::nullopt;
  }

  // The largest distance that counts, of keys on both sides, or on one: that of the nearest key whose logit
  // is another.
  std::optional<PairForm> limited() const {
    std::optional<std::size_t> first_later, first_earlier;
    const auto distance = [&](std::size_t n) { return std::abs(logits_[n].pair().i - logits_[n].pair().j); };
    for (std::size_t n = 0; n < logits_.size(); ++n) {
      const double declared = std::accumulate(own_[n].begin(), own_[n].end(), 0.0);
      if (std::abs(logits_[n].given - declared) <= logits_[n].error) continue;
      const AskedPair at = logits_[n].pair();
      std::optional<std::size_t>& first = at.j > at.i ? first_later : first_earlier;
      if (!first || distance(n) < distance(*first)) first = n;
    }
    if (!first_later && !first_earlier) return std::nullopt;
    const auto later = first_later ? nearer(*first_later) : std::nullopt,
               earlier = first_earlier ? nearer(*first_earlier) : std::nullopt;
    if ((first_later && !later) || (first_earlier && !earlier)) return std::nullopt;
    const auto past = [](Position last, const char* of) {
      return fmt::format("distances {0}past {1} count as {1}", of, last);
    };
    constexpr auto of_later = "of later keys ", of_earlier = "of earlier keys ";
    const std::string words = !earlier           ? past(*later, of_later)
                              : !later           ? past(*earlier, of_earlier)
                              : later == earlier ? past(*later, "")
                                                 : past(*later, of_later) + ", " + past(*earlier, of_earlier);
    return PairForm{words, [later, earlier](const AskedPair& at) {
                      Position offset = at.j - at.i;
                      if (later) offset = std::min(offset, *later);
                      if (earlier) offset = std::max(offset, -*earlier);
                      return std::pair(at.i, at.i + offset);
                    }};
  }

  std::vector<Parts> parts_at(const Function<std::pair<Position, Position>(const AskedPair&)>& to,
                              Contents contents = Contents::own) const {
    std::vector<Parts> out;
    const Answered* from = nullptr;
    std::pair<std::size_t, std::size_t> last;
    std::vector<Parts> heads;
    for (const Logit& one : logits_) {
      const std::pair here(one.row, one.column);
      if (one.from != from || here != last) {
        const auto [i, j] = to(one.pair());
        heads = parts_of(reference_, row_of(one.from->call.contents[0], one.row),
                         row_of(one.from->call.contents[1], one.column), i, j, contents);
        from = one.from, last = here;
      }
      out.push_back(heads[one.head]);
    }
    return out;
  }

  std::optional<Fitted> fits(const std::vector<Parts>& of) const { return fits(of, logits_); }
  // Terms as declared come first: the factors of many exact logits are off 1 by more than any of them.
  std::optional<Fitted> fits(const std::vector<Parts>& of, const std::vector<Logit>& logits) const {
    constexpr Fitted as_declared{{1, 1, 1, 1}, {}};
    if (holds(as_declared, of, logits)) return as_declared;
    const auto fit = fitted(of, logits, truth_.dim);
    return fit && holds(*fit, of, logits) ? fit : std::nullopt;
  }

  // What is rounded then is the other content.
  std::vector<Logit> exchanged() const {
    std::vector<Logit> out = logits_;
    for (Logit& one : out) {
      const AskedPair at = one.pair();
      one.error += logit_error(truth_, one.from->call.contents[1].row(one.column),
                               one.from->call.contents[0].row(one.row), at.i, at.j, precision_);
    }
    return out;
  }

  const Contextual &reference_, &truth_;
  const Precision& precision_;
  std::vector<Logit> logits_;
  std::vector<Parts> own_;
};

bool is_known(const Contextual& truth) {
  return truth.error && !truth.modulo_rows;
}

// Whether twice a content is twice what it adds: else its terms are no parts of a sum.
bool is_linear(const Contextual& reference, const std::vector<Logit>& logits) {
  for (const Logit& one : logits) {
    const Tensor q = row_of(one.from->call.contents[0], one.row),
                 k = row_of(one.from->call.contents[1], one.column);
    Tensor twice = q;
    for (double& x : twice.data) x *= 2;
    const AskedPair at = one.pair();
    const Parts once = parts_of(reference, q, k, at.i, at.j)[one.head],
                again = parts_of(reference, twice, k, at.i, at.j)[one.head];
    for (const std::size_t n : {1, 3})
      if (!(std::abs(again[n] - 2 * once[n]) <= one.error)) return false;
  }
  return true;
}

}  // namespace

std::vector<Deviation> term_deviations(const Contextual& reference, const Contextual& truth,
                                       const Precision& precision, const std::vector<Answered>& answered) {
  if (!is_known(truth)) return {};
  std::vector<Logit> logits = logits_of(truth, precision, answered);
  if (logits.size() < 2 * term_count) return {};
  return Terms(reference, truth, precision, std::move(logits)).found();
}

std::optional<std::string> wrong_terms(const Contextual& subject, const Contextual& reference,
                                       const Contextual& truth, const Precision& precision,
                                       const std::vector<Answered>& answered) {
  constexpr std::size_t asked = 24, several = 3;
  if (!is_known(truth)) return std::nullopt;
  // Those that are wrong say most: a term may be wrong at some offsets alone.
  std::vector<Logit> all = logits_of(truth, precision, answered);
  const auto right_ones = std::stable_partition(all.begin(), all.end(), [&](const Logit& one) {
    const auto parts = parts_of(reference, row_of(one.from->call.contents[0], one.row),
                                row_of(one.from->call.contents[1], one.column), one.pair().i, one.pair().j)
                           .at(one.head);
    return !(std::abs(one.given - std::accumulate(parts.begin(), parts.end(), 0.0)) <= one.error);
  });
  const auto some_of = [](std::span<const Logit> from, std::vector<Logit>& to) {
    for (std::size_t n = 0; n < from.size(); n += std::max<std::size_t>(1, from.size() / asked))
      to.push_back(from[n]);
  };
  std::vector<Logit> logits;
  some_of({all.begin(), right_ones}, logits);
  some_of({right_ones, all.end()}, logits);
  if (logits.size() < several || !is_linear(reference, logits)) return std::nullopt;
  std::array<std::size_t, term_count> wrong{};
  for (const Logit& one : logits) {
    const Tensor q = row_of(one.from->call.contents[0], one.row),
                 k = row_of(one.from->call.contents[1], one.column);
    const AskedPair at = one.pair();
    const Parts is = parts_of(subject, q, k, at.i, at.j).at(one.head),
                ought = parts_of(reference, q, k, at.i, at.j)[one.head];
    // A part is a sum of up to four answers, none off by more than that of both contents.
    for (std::size_t n = 0; n < term_count; ++n)
      wrong[n] += std::abs(is[n] - ought[n]) <= 4 * one.error ? 0 : 1;
  }
  std::string others, right;
  for (std::size_t n = 0; n < term_count; ++n) {
    if (wrong[n] != 0 && wrong[n] < several) return std::nullopt;
    std::string& to = wrong[n] != 0 ? others : right;
    to += fmt::format("{}{}", to.empty() ? "" : " and ", names[n]);
  }
  if (others.empty() || right.empty()) return std::nullopt;
  const bool several_others = others.find(" and the term") != std::string::npos,
             several_right = right.find(" and the term") != std::string::npos;
  return fmt::format("{} {}; {} {} as declared", others, several_others ? "are wrong" : "is wrong", right,
                     several_right ? "are" : "is");
}

}  // namespace posproof
