#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/call_deviations.h"
#include "diagnosis/call_places.h"

namespace posproof {

// Places in calls in which two or three things are so at once.
class JointPlaces {
 public:
  // Of these places, the first that says nothing passed over. Rows that `alone` says are wrong are those that
  // need an effect. What is given lives as long.
  JointPlaces(const std::vector<PlaceInCalls>& single, const Explained& alone,
              const std::vector<Answered>& answered);

  struct Found {
    std::string words;       // `keys, the last token of a row, in calls of more than 4 tokens`
    std::size_t conditions;  // how many things are so
  };

  // The fewest that hold of all rows that need an effect, and of none that it would make wrong; whether it
  // explains each row is given. Each of them has to keep out rows of several calls that all the others let
  // in, and rows that need the effect have to be in several calls: what few rows have in common may be an
  // accident.
  std::optional<Found> of(const std::vector<bool>& by_effect) const;

 private:
  struct Row {
    std::size_t item, tokens, all_tokens;  // of its row of the batch, of its call
    bool wrong;
  };
  using Rows = std::vector<std::size_t>;  // numbers of rows, rising

  bool is_of_several_calls(const Rows& rows) const;
  std::optional<std::string> limit(const Rows& needed, const Rows& against) const;
  std::optional<std::string> limit(const Rows& needed, const Rows& against, std::size_t Row::*tokens,
                                   std::string_view named) const;

  std::vector<Row> rows_;
  std::vector<std::string> words_;        // of each single place
  std::vector<std::vector<bool>> is_at_;  // whether each row is there
};

}  // namespace posproof
