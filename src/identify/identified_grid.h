#pragma once

#include <vector>

#include "core/tensor.h"
#include "identify/identified.h"

namespace posproof {

// Settings of `sincos_2d` that a file of that shape may have: of [rows, columns, dim] on that grid, of
// [places, dim] on every grid of so many places, behind one row of a class token or none. The base is one of
// those in use: 10000, and 20 (DAB-DETR).
std::vector<Candidate> grid_candidates(Shape shape);

// As what files of those shapes may be read that are the cosines and sines of a grid: `axial_rope` of a width
// and a layout, on every grid of so many places, behind or before one row of a class token or without,
// or behind the rows that rotate nothing (`still_rows`, the first of which may be the first place's); and on
// every grid of frames, rows and columns. One grid after the other.
std::vector<Candidate> grid_caches(const std::vector<Shape>& shapes, std::size_t still_rows = 0);

// Whether each pair is rotated along one number of a place alone, as far as it was rotated from a file of
// places: on another grid of as many, it is not. Where each channel is, and channels that were taken for a
// pair are not along the same number, other ones are pairs.
enum class OfItsGrid { no, in_other_pairs, yes };
OfItsGrid of_its_grid(const Rotary& rotary);

// The numbers of the first place, in steps, where the frequencies of the pairs are those of `like`.
std::vector<double> first_place(const Rotary& rotary, const Rotary& like);

// Each place against the first one, as if that rotated nothing: what is linear in the numbers of a place,
// whatever number they begin at, is a rotation by them.
Rotary from_the_origin(Rotary rotary);

// Settings of `sincos_2d` that a table of places from (0, 0) on may have, by its rows at one step along each
// axis: the base of its sines, and what positions are divided by, as on a grid that is not of the trained
// size.
std::vector<Candidate> measured_grid_candidates(const Table& table, const Precision& precision);

// The same of a table whose positions are normalised, on that grid: the bases of its axes, by the angles of
// one step.
std::vector<Candidate> normalised_grid_candidates(const Table& table, const std::vector<double>& grid,
                                                  const Precision& precision);

}  // namespace posproof
