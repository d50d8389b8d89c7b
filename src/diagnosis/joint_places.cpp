#include "diagnosis/joint_places.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "diagnosis/call_fits.h"

namespace posproof {
namespace {

constexpr std::size_t several_rows = 3, several_calls = 3;

}  // namespace

JointPlaces::JointPlaces(const std::vector<PlaceInCalls>& single, const Explained& alone,
                         const std::vector<Answered>& answered) {
  for (std::size_t n = 0; n < alone.rows.size(); ++n) {
    const RowInCall row = seen(alone.rows[n], answered);
    rows_.push_back({row.row.item, row.tokens, row.tokens * row.call.batch, !alone.right[n]});
  }
  for (const PlaceInCalls& one : single) {
    if (one.words.empty()) continue;
    std::vector<bool> is;
    bool all_wrong = true;  // are there
    for (std::size_t n = 0; n < rows_.size() && all_wrong; ++n) {
      is.push_back(one.is(seen(alone.rows[n], answered)));
      all_wrong = is.back() || !rows_[n].wrong;
    }
    if (!all_wrong || std::ranges::find(is_at_, is) != is_at_.end()) continue;
    words_.push_back(one.words);
    is_at_.push_back(std::move(is));
  }
}

bool JointPlaces::is_of_several_calls(const Rows& rows) const {
  std::set<std::size_t> calls;
  for (const std::size_t n : rows) calls.insert(rows_[n].item);
  return rows.size() >= several_rows && calls.size() >= several_calls;
}

// A number of tokens that lies between them.
std::optional<std::string> JointPlaces::limit(const Rows& needed, const Rows& against) const {
  if (needed.empty() || !is_of_several_calls(against)) return std::nullopt;
  if (auto of_rows = limit(needed, against, &Row::tokens, "tokens")) return of_rows;
  return limit(needed, against, &Row::all_tokens, "tokens in all");
}

std::optional<std::string> JointPlaces::limit(const Rows& needed, const Rows& against,
                                              std::size_t Row::*tokens, std::string_view named) const {
  const auto of = [&](std::size_t n) { return rows_[n].*tokens; };
  const auto range = [&](const Rows& rows) {
    const auto [least, most] = std::ranges::minmax(rows, {}, of);
    return std::pair(of(least), of(most));
  };
  const auto [least, most] = range(needed);
  const auto [least_against, most_against] = range(against);
  const auto than = [&](std::string_view which, std::size_t first, std::size_t last) {
    if (first == 1 && last == 1) return fmt::format("in calls of several {}", named);  // more than one
    return first == last
               ? fmt::format("in calls of {} than {} {}", which, first, named)
               : fmt::format("in calls of {} {} than some number from {} to {}", which, named, first, last);
  };
  if (most_against < least) return than("more", most_against, least - 1);
  if (most < least_against) return than("fewer", most + 1, least_against);
  return std::nullopt;
}

std::optional<JointPlaces::Found> JointPlaces::of(const std::vector<bool>& by_effect) const {
  Rows needed, against;
  for (std::size_t n = 0; n < rows_.size(); ++n) {
    if (rows_[n].wrong) needed.push_back(n);
    if (!rows_[n].wrong && !by_effect[n]) against.push_back(n);
  }
  if (!is_of_several_calls(needed)) return std::nullopt;
  const auto inside = [&](const Rows& rows, std::size_t place) {
    Rows out;
    std::ranges::copy_if(rows, std::back_inserter(out), [&](std::size_t n) { return is_at_[place][n]; });
    return out;
  };
  // Whether the place keeps out enough of these.
  const auto keeps_out = [&](std::size_t place, const Rows& rows) {
    Rows out;
    std::ranges::copy_if(rows, std::back_inserter(out), [&](std::size_t n) { return !is_at_[place][n]; });
    return is_of_several_calls(out);
  };
  std::optional<Found> best;
  const auto take = [&](std::vector<std::string> words) {
    // Whose tokens they are is said first.
    std::stable_partition(words.begin(), words.end(),
                          [](const std::string& one) { return one == "keys" || one == "queries"; });
    if (!best || words.size() < best->conditions)
      best = {fmt::format("{}", fmt::join(words, ", ")), words.size()};
  };
  // Of one thing a place says more than a number of tokens, which any few calls may have in common.
  const std::size_t places = words_.size();
  for (std::size_t a = 0; a < places && !best; ++a)
    if (inside(against, a).empty() && keeps_out(a, against)) take({words_[a]});
  if (const auto only = limit(needed, against)) take({*only});
  for (std::size_t a = 0; a < places && (!best || best->conditions > 2); ++a) {
    const Rows of_a = inside(against, a);
    if (of_a.size() == against.size()) continue;
    if (keeps_out(a, against))
      if (const auto more = limit(needed, of_a)) take({words_[a], *more});
    for (std::size_t b = a + 1; b < places && (!best || best->conditions > 2); ++b) {
      const Rows of_b = inside(against, b), of_both = inside(of_a, b);
      if (!keeps_out(a, of_b) || !keeps_out(b, of_a)) continue;
      if (of_both.empty()) {
        take({words_[a], words_[b]});
        continue;
      }
      if (best) continue;
      if (const auto more = limit(needed, of_both)) take({words_[a], words_[b], *more});
      for (std::size_t c = b + 1; c < places && !best; ++c)
        if (inside(of_both, c).empty() && keeps_out(c, of_both) && keeps_out(a, inside(of_b, c)) &&
            keeps_out(b, inside(of_a, c)))
          take({words_[a], words_[b], words_[c]});
    }
  }
  return best;
}

}  // namespace posproof
