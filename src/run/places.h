#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/call.h"
#include "core/encoding.h"

namespace posproof {

// The places of a grid, counted row by row from 0: the last number of a place changes fastest.
struct Places {
  std::vector<Position> first = {}, last = {};  // of each axis, both included
  std::optional<Position> class_token = {};     // Domain::complete

  Position count() const;  // saturates
  std::vector<Position> at(Position place) const;
  std::string text(Position place) const;  // `(3, 5)`
};

// Those that the domain ends at.
Places places_of(const Domain& domain);

// A call for neighbouring places: of a table or a rotation, whose contents are zeros; of a bias those are the
// queries, and all places the keys.
Call call_of(const Encoding& encoding, const Places& places, Position first, std::size_t count);

// The case in which agreement draws one place: of a bias the query's, against the key's.
Case case_of(const Encoding& encoding, const Domain& domain, const std::vector<Position>& place,
             const std::vector<Position>& key = {}, const std::vector<double>& content = {},
             Role role = Role::query);

}  // namespace posproof
