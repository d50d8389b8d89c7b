#include "diagnosis/call_deviations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <span>
#include <string_view>

#include "diagnosis/call_effects.h"
#include "diagnosis/call_fits.h"
#include "diagnosis/call_places.h"
#include "diagnosis/joint_places.h"
#include "diagnosis/lone_position.h"
#include "diagnosis/measured_words.h"
#include "diagnosis/memory_evidence.h"
#include "diagnosis/own_length.h"
#include "diagnosis/padding_effects.h"
#include "diagnosis/position_effects.h"
#include "diagnosis/position_steps.h"
#include "diagnosis/token_effects.h"
#include "run/narrowed.h"

namespace posproof {
namespace {

// Places that the answers themselves give: heads that are never right.
void add_heads(const Explained& alone, std::size_t heads, const Subject& subject,
               const std::vector<Answered>& answered, std::vector<PlaceInCalls>& to) {
  std::set<std::size_t> wrong;
  std::set<Role> roles;
  for (std::size_t n = 0; n < alone.rows.size(); ++n)
    if (!alone.right[n])
      wrong.insert(alone.rows[n].head), roles.insert(answered[alone.rows[n].item].call.role);
  if (wrong.empty() || wrong.size() == heads) return;
  const std::vector<std::size_t> rising(wrong.begin(), wrong.end());
  std::string words = numbered_heads(rising, heads, heads);
  if (subject.own_heads && roles.size() == 1) {
    const bool keys = roles.contains(Role::key);
    const std::string own = numbered_heads(rising, heads, (*subject.own_heads)[keys ? 1 : 0]);
    if (own != words) words = (keys ? "key " : "query ") + own;
  }
  to.push_back({std::move(words), [wrong](const RowInCall& s) { return wrong.contains(s.row.head); }});
}

// One number of a token in its row, past those that every call has, behind which others are right.
void add_lone_token(const Explained& alone, std::vector<PlaceInCalls>& to) {
  std::set<std::size_t> wrong;
  std::size_t last_right = 0;
  for (std::size_t n = 0; n < alone.rows.size(); ++n)
    if (alone.right[n])
      last_right = std::max(last_right, alone.rows[n].token);
    else
      wrong.insert(alone.rows[n].token);
  if (wrong.size() != 1 || *wrong.begin() < 2 || *wrong.begin() > last_right) return;
  to.push_back({fmt::format("in token number {} of a call alone", *wrong.begin()),
                [token = *wrong.begin()](const RowInCall& s) { return s.row.token == token; }});
}

PlaceInCalls from_on(Position first) {
  return {fmt::format("at positions from {} on", first),
          [first](const RowInCall& s) { return s.at >= first; }};
}

// From a number of tokens or a position on: those that are right without an effect lie below those that
// need it, and no number is between them.
void add_limits(const Explained& alone, const std::vector<bool>& by_effect,
                const std::vector<Answered>& answered, std::optional<Position> first_wrong,
                std::vector<PlaceInCalls>& to) {
  std::size_t most_right = 0, least_wrong = std::numeric_limits<std::size_t>::max();
  for (std::size_t n = 0; n < alone.rows.size(); ++n) {
    const std::size_t tokens = seen(alone.rows[n], answered).tokens;
    if (alone.right[n] && !by_effect[n]) most_right = std::max(most_right, tokens);
    if (!alone.right[n]) least_wrong = std::min(least_wrong, tokens);
  }
  if (most_right > 0 && most_right < least_wrong && least_wrong < std::numeric_limits<std::size_t>::max())
    to.push_back({least_wrong == most_right + 1
                      ? fmt::format("in calls of more than {} tokens", most_right)
                      : fmt::format("in calls of more tokens than some number from {} to {}", most_right,
                                    least_wrong - 1),
                  [least_wrong](const RowInCall& s) { return s.tokens >= least_wrong; }});
  if (first_wrong) to.push_back(from_on(*first_wrong));
}

// The same of the length of the sequence, where an encoding is given one.
void add_length_limit(const Explained& alone, const std::vector<bool>& by_effect,
                      const std::vector<Answered>& answered, std::vector<PlaceInCalls>& to) {
  std::optional<Position> most_right, least_wrong;
  for (std::size_t n = 0; n < alone.rows.size(); ++n) {
    const Position length = answered[alone.rows[n].item].call.length;
    if (alone.right[n] && !by_effect[n]) most_right = std::max(most_right.value_or(length), length);
    if (!alone.right[n]) least_wrong = std::min(least_wrong.value_or(length), length);
  }
  if (!most_right || !least_wrong || *most_right >= *least_wrong) return;
  to.push_back(
      {*most_right + 1 == *least_wrong
           ? fmt::format("in sequences longer than {}", *most_right)
           : fmt::format("in sequences longer than some number from {} to {}", *most_right, *least_wrong - 1),
       [least = *least_wrong](const RowInCall& s) { return s.call.length >= least; }});
}

// The same of the number of a token in its row, or of a row in its batch.
void add_limit(std::size_t AnsweredRow::*number, std::string_view place, const Explained& alone,
               const std::vector<bool>& by_effect, std::vector<PlaceInCalls>& to) {
  std::optional<std::size_t> last_right, first_wrong;
  for (std::size_t n = 0; n < alone.rows.size(); ++n) {
    const std::size_t own = alone.rows[n].*number;
    if (alone.right[n] && !by_effect[n]) last_right = std::max(last_right.value_or(0), own);
    if (!alone.right[n]) first_wrong = std::min(first_wrong.value_or(own), own);
  }
  if (!last_right || !first_wrong || *last_right >= *first_wrong) return;
  to.push_back({*last_right + 1 == *first_wrong ? fmt::format("{} from number {} on", place, *first_wrong)
                                                : fmt::format("{} from some number from {} to {} on", place,
                                                              *last_right + 1, *first_wrong),
                [number, first = *first_wrong](const RowInCall& s) { return s.row.*number >= first; }});
}

// From a first position of a row on; between that of rows that are right and that of rows that need the
// effect the subject is asked. Where both are the same, nothing tells them apart.
class RowBegins {
 public:
  RowBegins(const Effect& effect, const Model& model, const Subject& subject, const Encoding& declared)
      : effect_(effect), model_(model), subject_(subject), declared_(declared) {}

  std::optional<PlaceInCalls> found(const Explained& alone, const std::vector<bool>& by_effect,
                                    const std::vector<Answered>& answered) const {
    std::optional<Position> right, wrong;
    std::set<std::size_t> wrong_calls, right_calls;
    for (std::size_t n = 0; n < alone.rows.size(); ++n) {
      const RowInCall row = seen(alone.rows[n], answered);
      const Position first = first_of_row(row);
      if (alone.right[n] && !by_effect[n])
        right = std::max(right.value_or(first), first), right_calls.insert(row.row.item);
      if (!alone.right[n]) wrong = std::min(wrong.value_or(first), first), wrong_calls.insert(row.row.item);
    }
    if (!right || !wrong || *right >= *wrong) return std::nullopt;
    constexpr std::size_t several_calls = 3;
    if (std::min(wrong_calls.size(), right_calls.size()) < several_calls) return std::nullopt;
    const auto [last, first, is_exact] = between(*right, *wrong);
    return PlaceInCalls{
        is_exact ? fmt::format("in rows that begin past {}", first - 1)
                 : fmt::format("in rows that begin past some number from {} to {}", last, first - 1),
        [first = first](const RowInCall& s) { return first_of_row(s) >= first; }};
  }

 private:
  struct Between {
    Position right, wrong;
    bool is_exact;
  };

  Between between(Position right, Position wrong) const {
    while (wrong - right > 1) {
      // Of those that tell, the one next to the middle.
      std::optional<std::pair<Position, bool>> told;
      const Position middle = right + (wrong - right) / 2;
      constexpr Position tried = 64;
      for (Position by = 0; by <= std::min(tried, wrong - right) && !told; ++by)
        for (const Position at : {middle - by, middle + by})
          if (!told && right < at && at < wrong)
            if (const auto is = is_wrong(at)) told = {at, *is};
      if (!told) return {right, wrong, wrong - right <= tried};
      (told->second ? wrong : right) = told->first;
    }
    return {right, wrong, true};
  }

  // Of a row that begins there; none where it cannot be told, or is neither.
  std::optional<bool> is_wrong(Position first) const {
    try {
      Call call = sequence(declared_, {first, first + 1});
      for (Tensor& content : call.contents) std::ranges::fill(content.data, 1.0);
      const Tensor given = answer(subject_.encoding, call);
      const auto all = [](const std::vector<RowFit>& rows) {
        return std::ranges::all_of(rows, &RowFit::right);
      };
      const bool as_model =
          all(fits(model_, declared_, call, given, answer(model_.encoding, call), farthest(call)));
      const bool as_effect = all(fits(effect_, effect_.begin(), model_, declared_, call, given));
      return as_model == as_effect ? std::nullopt : std::optional(as_effect);
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception&) {  // it declined, or died
      return std::nullopt;
    }
  }

  const Effect& effect_;
  const Model& model_;
  const Subject& subject_;
  const Encoding& declared_;
};

// Rows of tokens whose positions are whole numbers on one axis begin somewhere.
bool rows_begin_somewhere(const Encoding& declared) {
  const Signature& is = signature(declared);
  return is.has(Axis::batch) && is.positions && !is.mask && positions_of(declared).axes == 1 &&
         !positions_of(declared).real;
}

// What a block of a thousand leaves over, where "every token from a thousand on" is contradicted: no call is
// asked for that tells 512 from 1024.
PlaceInCalls past_the_last_thousand() {
  return {"in calls of more than 512 or 1024 tokens, past the last multiple of that",
          [](const RowInCall& s) { return s.tokens > 1024 && s.row.token >= s.tokens / 1024 * 1024; }};
}

// ---- effects

constexpr std::size_t several = 3;  // rows that are wrong are more than an accident

// The call with the fewest rows of those that the model leaves unexplained, and its first row among all.
struct LeastWrong {
  const Answered* call = nullptr;
  std::size_t first = 0;

  LeastWrong(const std::vector<Answered>& answered, const Explained& alone) {
    std::vector<std::size_t> rows(answered.size(), 0), wrong(answered.size(), 0);
    for (std::size_t n = 0; n < alone.rows.size(); ++n) {
      ++rows[alone.rows[n].item];
      if (!alone.right[n]) ++wrong[alone.rows[n].item];
    }
    std::size_t before = 0, least = std::numeric_limits<std::size_t>::max();
    for (std::size_t item = 0; item < answered.size(); before += rows[item], ++item)
      if (wrong[item] > 0 && rows[item] < least) {
        least = rows[item];
        call = &answered[item];
        first = before;
      }
  }

  // Most effects are seen to explain nothing by one short call; of one that remembers those before it matter.
  bool is_explained_by(const Effect& effect, const Model& model, const Encoding& declared,
                       const Explained& alone) const {
    if (!call || effect.remembers) return true;
    const auto rows = fits(effect, effect.begin(), model, declared, call->call, call->answer);
    for (std::size_t r = 0; r < rows.size(); ++r)
      if (!alone.right[first + r] && !rows[r].right) return false;
    return true;
  }
};

// Whether the effect explains each row; none where one that the model leaves unexplained stays so. An effect
// is allowed the error of the positions that it leads to: where the model's own answers are within that, too,
// in all rows that it explains, it explains nothing; nor where that is as large as what is answered in all
// but a few of them.
std::optional<std::vector<bool>> explained_by(const Effect& effect, const Model& model,
                                              const Encoding& declared, const std::vector<Answered>& answered,
                                              const Explained& alone, const LeastWrong& least) {
  std::vector<bool> out;
  bool differs = false;
  std::size_t told = 0;
  const Steps steps = effect.begin(), again = effect.begin();
  try {
    if (!least.is_explained_by(effect, model, declared, alone)) return std::nullopt;
    for (const Answered& one : answered) {
      const auto rows = fits(effect, steps, model, declared, one.call, one.answer);
      const std::size_t first = out.size();
      for (const RowFit& row : rows) {
        if (!alone.right[out.size()]) {
          if (!row.right) return std::nullopt;
          if (row.tells) ++told;
        }
        out.push_back(row.right);
      }
      if (differs) continue;
      const auto of_model = fits(effect, again, model, declared, one.call, answer(model.encoding, one.call));
      for (std::size_t r = 0; r < rows.size(); ++r)
        differs = differs || (!alone.right[first + r] && !of_model[r].right);
    }
  } catch (const Refusal&) {  // the declared encoding is not defined at these positions
    return std::nullopt;
  }
  return differs && told >= several ? std::optional(out) : std::nullopt;
}

// One operand, [batch, head, token, channel].
bool takes_tokens_of_heads(const Signature& signature) {
  constexpr std::array axes{Axis::batch, Axis::head, Axis::token, Axis::channel};
  return signature.takes.size() == 1 && std::ranges::equal(signature.takes.front().axes, axes);
}

bool holds_at(const PlaceInCalls& where, const Explained& alone, const std::vector<bool>& by_effect,
              const std::vector<Answered>& answered) {
  for (std::size_t n = 0; n < alone.rows.size(); ++n)
    if (!(where.is(seen(alone.rows[n], answered)) ? by_effect[n] : alone.right[n])) return false;
  return true;
}

// Whether the place is said by the rows that are wrong: few others are in it.
bool is_where_rows_are_wrong(const PlaceInCalls& where, const Explained& alone,
                             const std::vector<Answered>& answered) {
  std::size_t all = 0;
  for (const AnsweredRow& row : alone.rows) all += where.is(seen(row, answered)) ? 1 : 0;
  return 2 * alone.wrong() > all;
}

// Whether rows are wrong in several calls and at several positions: with many effects and places to choose
// from, one of them may be right at one position by chance.
bool are_of_several_positions(const Explained& alone, const std::vector<Answered>& answered) {
  std::set<std::size_t> calls;
  std::set<std::vector<double>> positions;
  for (std::size_t n = 0; n < alone.rows.size(); ++n) {
    if (alone.right[n]) continue;
    const RowInCall row = seen(alone.rows[n], answered);
    calls.insert(row.row.item);
    const TokenPositions& all = row.call.positions;
    std::vector<double> own;
    for (std::size_t axis = 0; axis < all.axes; ++axis) {
      const std::size_t at = (row.row.batch * row.tokens + row.row.token) * all.axes + axis;
      if (all.size() == 0)
        own.push_back(static_cast<double>(row.at));  // a row number
      else
        own.push_back(all.real.empty() ? static_cast<double>(all.whole.at(at)) : all.real.at(at));
    }
    positions.insert(std::move(own));
  }
  return calls.size() >= several && positions.size() >= several;
}

// The first position whose answer is another, along each axis; of those that have none nothing.
std::vector<std::optional<Position>> all_first_wrong(const Model& model, const Subject& subject,
                                                     const Encoding& declared) {
  std::vector<std::optional<Position>> out;
  for (std::size_t axis = 0; !signature(declared).mask && axis < positions_of(declared).axes; ++axis)
    out.push_back(first_wrong_along(axis, model, subject, declared));
  return out;
}

std::vector<Effect> effects_of(const Model& model, const Subject& subject, const Encoding& declared,
                               const std::vector<std::optional<Position>>& first_wrong) {
  const Signature& is = signature(declared);
  std::vector<Effect> out =
      is.mask ? effects_on_operands() : known_effects(is.has(Axis::key), is.has(Axis::batch));
  const auto add = [&out](std::vector<Effect> more) {
    for (Effect& one : more) out.push_back(std::move(one));
  };
  if (takes_tokens_of_heads(is)) {
    add(effects_on_tokens());
    if (subject.live) add(effects_of_strides(declared));
    if (const auto& own = subject.own_heads; own && (*own)[1] < (*own)[0])
      add(effects_of_fewer_key_heads((*own)[0], (*own)[1]));
  }
  if (subject.takes_positions == "mask" && !is.has(Axis::key)) add(effects_of_padding(!is.takes.empty()));
  if (is.positions) {
    const Domain domain = overlap(positions_of(subject.encoding), positions_of(declared));
    add(domain.axes > 1 ? effects_on_axes(domain) : effects_at_the_ends(domain));
    add(effects_on_a_grid(domain));
    add(effects_around_0(model, subject, declared));
    if (domain.real) add(effects_on_reals());
    if (domain.axes == 1 && !domain.real)
      add(effects_of_steps(measured_steps(model, subject, declared), is.has(Axis::key)));
  }
  std::set<Position> from;
  for (const auto& one : first_wrong)
    if (one) from.insert(*one);
  for (const Position one : from)
    add(positions_of(declared).real ? effects_on_reals_from(one)
                                    : effects_from(one, positions_of(declared).axes));
  return out;
}

// What explains all rows at the first place; places are in their order.
struct Best {
  std::size_t rank = std::numeric_limits<std::size_t>::max();
  std::string words = {};
  bool remembers = false;
};

}  // namespace

std::vector<Effect> all_effects(const Model& model, const Subject& subject, const Encoding& declared) {
  return effects_of(model, subject, declared, all_first_wrong(model, subject, declared));
}

std::optional<std::string> call_deviation(const Model& model, const Subject& subject,
                                          const Encoding& declared, const std::vector<Answered>& answered,
                                          const Further& further) {
  const Explained alone = explained(model, declared, answered);
  if (alone.wrong() < several) return std::nullopt;
  if (further.joint && !are_of_several_positions(alone, answered)) return std::nullopt;
  const auto all_first = all_first_wrong(model, subject, declared);
  const auto first_wrong = all_first.empty() ? std::nullopt : all_first.front();
  std::vector<PlaceInCalls> places =
      known_places(signature(declared).has(Axis::batch), signature(declared).has(Axis::token));
  add_heads(alone, heads_of(declared), subject, answered, places);
  add_lone_token(alone, places);
  Best best;
  std::optional<JointPlaces> joint;
  std::vector<Effect> effects =
      further.effects.empty() ? effects_of(model, subject, declared, all_first) : further.effects;
  for (Effect& one : effects_at_the_own_length(effects, declared, subject.precision, answered))
    effects.push_back(std::move(one));
  std::optional<LonePosition> lone;
  if (further.effects.empty()) lone = lone_position(alone, model, subject, declared, answered);
  if (lone) effects.insert(effects.begin(), lone->effects.begin(), lone->effects.end());
  // What needs no memory is tried first: it may explain the same answers.
  std::stable_partition(effects.begin(), effects.end(), [](const Effect& one) { return !one.remembers; });
  const LeastWrong least(answered, alone);
  for (const Effect& effect : effects) {
    if (effect.remembers && !subject.live) continue;  // a file
    // Nothing comes before an effect that explains all rows everywhere, but for one that was seen to
    // remember.
    if (best.rank == 0 && !(effect.remembers && subject.renew)) continue;
    const auto by_effect = explained_by(effect, model, declared, answered, alone, least);
    if (!by_effect) continue;
    std::vector<PlaceInCalls> own = places;
    add_limits(alone, *by_effect, answered, first_wrong, own);
    if (signature(declared).length) add_length_limit(alone, *by_effect, answered, own);
    add_limit(&AnsweredRow::token, "every token", alone, *by_effect, own);
    own.push_back(past_the_last_thousand());
    for (PlaceInCalls& one : places_by_remainder()) own.push_back(std::move(one));
    if (signature(declared).has(Axis::batch))
      add_limit(&AnsweredRow::batch, "in batch rows", alone, *by_effect, own);
    if (lone && effect.always) own.push_back(lone->place);
    if (rows_begin_somewhere(declared) && !effect.remembers)
      if (auto one = RowBegins(effect, model, subject, declared).found(alone, *by_effect, answered))
        own.push_back(std::move(*one));
    // Memory is said where it was seen: the subject is asked anew once.
    std::optional<bool> is_seen;
    const auto take = [&](std::size_t rank, const std::string& place) {
      if (effect.remembers && subject.renew) {
        if (!is_seen) is_seen = remembers_as(effect, *by_effect, alone, model, subject, declared, answered);
        if (!*is_seen) return;
      }
      best = {.rank = rank, .words = words_in(place, effect.words), .remembers = effect.remembers};
    };
    // What was seen to remember says more than what explains the same without.
    const auto may_be = [&](std::size_t rank) {
      return rank < best.rank || (rank == best.rank && effect.remembers && subject.renew && !best.remembers);
    };
    // What is not done at all is the simplest, where just those rows are wrong: another effect may lead to
    // the same answers at some larger place.
    for (std::size_t n = 0; effect.always && n < own.size() && best.rank > 1; ++n)
      if (holds_at(own[n], alone, *by_effect, answered) && is_where_rows_are_wrong(own[n], alone, answered))
        take(std::min<std::size_t>(n, 1), own[n].words);
    for (std::size_t n = 0; n < own.size() && may_be(n); ++n)
      if (holds_at(own[n], alone, *by_effect, answered)) take(n, own[n].words);
    if (!further.joint || best.rank < own.size()) continue;
    if (!joint) {
      std::vector<PlaceInCalls> single = places;
      for (PlaceInCalls& one :
           further_places(signature(declared).has(Axis::batch), positions_of(declared).axes))
        single.push_back(std::move(one));
      if (first_wrong) single.push_back(from_on(*first_wrong));
      joint.emplace(single, alone, answered);
    }
    if (const auto found = joint->of(*by_effect); found && may_be(own.size() + found->conditions))
      take(own.size() + found->conditions, found->words);
  }
  return best.words.empty() ? std::nullopt : std::optional(best.words);
}

}  // namespace posproof
