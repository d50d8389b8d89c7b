#include "identify/identified_grid.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include "identify/identified_axes.h"
#include "identify/identified_ladder.h"
#include "run/catalogued.h"
#include "subject/array_file.h"

namespace posproof {
namespace {

using Extents = std::vector<double>;

// Narrow ones are no images: at least 4 rows and columns, one at most 8 times the other.
std::vector<Extents> grids_of(std::size_t places) {
  std::vector<Extents> out;
  for (std::size_t rows = 4; rows * 4 <= places; ++rows) {
    const std::size_t columns = places / rows;
    if (places % rows == 0 && rows <= 8 * columns && columns <= 8 * rows)
      out.push_back({static_cast<double>(rows), static_cast<double>(columns)});
  }
  return out;
}

std::vector<Extents> grids_of(const Shape& shape, std::size_t still_rows = 0) {
  if (shape.size() > 2) return {Extents(shape.begin(), shape.end() - 1)};
  std::vector<Extents> out;
  if (shape.size() != 2) return out;
  std::vector<std::size_t> apart = {0, 1};
  if (still_rows > 1)
    apart.insert(apart.end(), {still_rows - 1, still_rows});  // the first place is still, perhaps
  for (const std::size_t class_tokens : apart)
    if (shape[0] > class_tokens)
      for (Extents& one : grids_of(shape[0] - class_tokens))
        if (std::ranges::find(out, one) == out.end()) out.push_back(std::move(one));
  return out;
}

// Of a film, frame by frame.
std::vector<Extents> films_of(std::size_t places) {
  std::vector<Extents> out;
  for (std::size_t frames = 2; frames * 16 <= places; ++frames) {
    if (places % frames != 0) continue;
    for (const Extents& one : grids_of(places / frames))
      out.push_back({static_cast<double>(frames), one[0], one[1]});
  }
  return out;
}

// The row at a place where one number is 1, or none is.
std::vector<double> row_at(const Table& table, std::optional<std::size_t> axis) {
  std::vector<Position> place(table.positions.axes, 0);
  if (axis) place[*axis] = 1;
  return table.rows({place, place.size()}, 0).data;
}

// Angles of one step along an axis, as long as they fall: of the columns that are 0 where no step was made.
// Sines are those of angles up to 1, where an error counts less than twice.
MeasuredLadder angles_of(const std::vector<double>& origin, const std::vector<double>& step,
                         const Precision& precision) {
  MeasuredLadder out;
  for (std::size_t c = 0; c < step.size(); ++c) {
    if (std::abs(origin[c]) > 0.5 || step[c] == origin[c] || !(std::abs(step[c]) < 0.9)) continue;
    const double w = std::asin(step[c]);
    if (!(w > 0) || (!out.frequencies.empty() && w > out.frequencies.back())) continue;
    out.frequencies.push_back(w);
    out.errors.push_back(2 * (precision.result + 4 * precision.table()) / std::max(w, 1e-30) +
                         4 * precision.angle);
  }
  return out;
}

std::vector<double> bases_of_axis(const MeasuredLadder& ladder, const std::vector<double>& exponents) {
  return bases(ladder, std::span(exponents).first(std::min(exponents.size(), ladder.frequencies.size())));
}

using Given = std::pair<std::string, Value>;

// One for all axes, or one for each where none is that of all.
std::vector<Given> bases_of_axes(const std::vector<MeasuredLadder>& ladders,
                                 const std::vector<double>& exponents) {
  std::vector<Given> out;
  std::vector<std::vector<double>> own = {{}};
  bool shared = false;
  for (const MeasuredLadder& ladder : ladders) {
    const std::vector<double> of_axis = bases_of_axis(ladder, exponents);
    if (&ladder == &ladders.front())
      for (const double base : of_axis) out.emplace_back("base", base);
    std::vector<std::vector<double>> longer;
    for (const auto& some : own)
      for (const double base : of_axis) {
        longer.push_back(some);
        longer.back().push_back(base);
      }
    own = std::move(longer);
  }
  for (const auto& one : own) shared = shared || std::ranges::count(one, one.front()) == std::ssize(one);
  if (!shared)
    for (const auto& one : own) out.emplace_back("bases", one);
  return out;
}

// What the numbers of the axes are divided by, or those of each where they differ; nothing where none is.
std::optional<Given> divisors_of_axes(const std::vector<MeasuredLadder>& ladders) {
  std::vector<double> all;
  for (const MeasuredLadder& ladder : ladders) {
    const Interval first = around(ladder.frequencies.front(), ladder.errors.front());
    all.push_back(first.has(1) ? 1 : simplest({1 / first.hi, 1 / first.lo}));
  }
  if (std::ranges::count(all, all.front()) < std::ssize(all)) return Given{"factors", all};
  if (all.front() == 1) return std::nullopt;
  return Given{"factor", all.front()};
}

// Angles of one step along each axis, as long as they fall: of the pairs as these settings have them.
std::vector<MeasuredLadder> steps_of(const Table& table, const Table& like, const Precision& precision) {
  const std::vector<double> origin = row_at(table, std::nullopt);
  std::vector<MeasuredLadder> out(table.positions.axes);
  std::vector<std::vector<double>> rows;
  for (std::size_t axis = 0; axis < out.size(); ++axis) rows.push_back(row_at(table, axis));
  for (const Pair& pair : like.pairs) {
    MeasuredLadder& to = out[pair.axis];
    const std::vector<double>& step = rows[pair.axis];
    const double c = step[pair.second] * origin[pair.second] + step[pair.first] * origin[pair.first],
                 s = step[pair.first] * origin[pair.second] - step[pair.second] * origin[pair.first];
    const double w = std::atan2(s, c);
    if (!(w > 0) || (!to.frequencies.empty() && w > to.frequencies.back())) continue;
    to.frequencies.push_back(w);
    // The errors of two sines and of two cosines; of the angles of the two rows, which are a few steps.
    to.errors.push_back(4 * (precision.result + 4 * precision.table()) / w + 16 * precision.angle);
  }
  return out;
}

Tensor rotated_ones(const Rotary& rotary, const std::vector<Position>& places) {
  Tensor x({1, rotary.heads, places.size() / rotary.positions.axes, rotary.dim});
  for (std::size_t r = 0; r < x.rows(); ++r)
    for (const Pair& pair : rotary.pairs) x.at(r, pair.first) = 1;
  return rotary.rotate(x, {places, rotary.positions.axes}, Role::query);
}

// As many places as that, spread over all of the grid, the first and the last too.
std::vector<Position> some_places(const std::vector<std::size_t>& extents, std::size_t most) {
  const std::size_t all = count(extents), n = std::min(all, most);
  std::vector<Position> out(n * extents.size());
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t place = n == 1 ? 0 : k * (all - 1) / (n - 1);
    for (std::size_t axis = extents.size(); axis-- > 0; place /= extents[axis])
      out[k * extents.size() + axis] = static_cast<Position>(place % extents[axis]);
  }
  return out;
}

}  // namespace

std::vector<Candidate> grid_caches(const std::vector<Shape>& shapes, std::size_t still_rows) {
  const Shape& shape = shapes.front();
  if (shape.size() < 2) return {};
  const std::size_t columns = shape.back();
  const bool middle = shape.size() == 3 && shape[1] == 1;  // [places, 1, pairs]
  const Shape rows = middle ? Shape{shape[0], columns} : shape;
  const std::vector<const char*> layouts = {"half_split", "half_split_by_axis", "interleaved"};
  std::vector<std::pair<std::size_t, const char*>> as;
  if (shapes.size() == 2) as.emplace_back(2 * columns, "half_split");  // a column for each pair
  for (const char* layout : layouts) as.emplace_back(columns, layout);
  if (shapes.size() == 1 && columns % 2 == 0)  // cosines, then sines
    for (const char* layout : layouts) as.emplace_back(columns / 2, layout);
  std::vector<Extents> grids = grids_of(rows, still_rows);
  if (rows.size() == 2)
    for (Extents& one : films_of(rows.front())) grids.push_back(std::move(one));
  std::vector<Candidate> out;
  for (const Extents& grid : grids)
    for (const auto& [dim, layout] : as) {
      Parameters given;
      given.set("dim", static_cast<double>(dim));
      given.set("layout", std::string(layout));
      given.set("grid", grid);
      if (grid.size() == 3) {
        if (std::string_view(layout) == "half_split_by_axis") continue;  // of how many channels each, is open
        given.set("axes", 3.0);
        given.set("parts",
                  parts_of_three_axes(static_cast<double>(dim)));  // others lie alike in these layouts
      }
      out.push_back({"axial_rope", std::move(given)});
    }
  return out;
}

Rotary from_the_origin(Rotary rotary) {
  rotary.rotate = [own = rotary.rotate, pairs = rotary.pairs](const Tensor& x, const Positions& positions,
                                                              Role role) {
    Tensor ones(x.shape), out = x;
    for (std::size_t r = 0; r < x.rows(); ++r)
      for (const Pair& pair : pairs) ones.at(r, pair.first) = 1;
    const std::vector<Position> origin(positions.size() * positions.axes(), 0);
    const Tensor here = own(ones, positions, role), there = own(ones, {origin, positions.axes()}, role);
    for (std::size_t r = 0; r < x.rows(); ++r)
      for (const Pair& pair : pairs) {
        const double c = here.at(r, pair.first), s = here.at(r, pair.second),
                     from_c = there.at(r, pair.first), from_s = there.at(r, pair.second),
                     size = from_c * from_c + from_s * from_s;
        // Exactly 1 and 0 where both are the same.
        const double cosine = (c * from_c + s * from_s) / size, sine = (s * from_c - c * from_s) / size;
        out.at(r, pair.first) = x.at(r, pair.first) * cosine - x.at(r, pair.second) * sine;
        out.at(r, pair.second) = x.at(r, pair.first) * sine + x.at(r, pair.second) * cosine;
      }
    return out;
  };
  return rotary;
}

OfItsGrid of_its_grid(const Rotary& rotary) {
  const std::size_t axes = rotary.positions.axes;
  std::vector<std::size_t> extents;
  std::vector<Tensor> along;  // one number alone
  for (std::size_t axis = 0; axis < axes; ++axis) {
    extents.push_back(static_cast<std::size_t>(rotary.positions.last(axis)) + 1);
    std::vector<Position> line(extents[axis] * axes, 0);
    for (std::size_t t = 0; t < extents[axis]; ++t) line[t * axes + axis] = static_cast<Position>(t);
    along.push_back(rotated_ones(rotary, line));
  }
  OfItsGrid out = OfItsGrid::yes;
  for (const std::size_t most : {std::size_t{256}, std::size_t{8192}}) {  // most grids fail at the first few
    const std::vector<Position> places = some_places(extents, most);
    const Tensor y = rotated_ones(rotary, places);
    // Along which numbers a channel may be rotated, a bit for each.
    const auto axes_of = [&](std::size_t channel) {
      unsigned out = 0;
      for (std::size_t axis = 0; axis < axes; ++axis) {
        bool is = true;
        for (std::size_t n = 0; is && n * axes < places.size(); ++n)
          is = y.at(n, channel) == along[axis].at(static_cast<std::size_t>(places[n * axes + axis]), channel);
        if (is) out |= 1U << axis;
      }
      return out;
    };
    for (const Pair& pair : rotary.pairs) {
      const unsigned first = axes_of(pair.first), second = axes_of(pair.second);
      if (first == 0 || second == 0) return OfItsGrid::no;
      if ((first & second) == 0) out = OfItsGrid::in_other_pairs;
    }
  }
  return out;
}

std::vector<double> first_place(const Rotary& rotary, const Rotary& like) {
  const std::size_t axes = rotary.positions.axes;
  Rotary as_declared = rotary;
  as_declared.pairs = like.pairs;
  const Tensor y = rotated_ones(as_declared, std::vector<Position>(axes, 0));
  std::vector<Pair> pairs = like.pairs;
  std::ranges::sort(pairs, {}, [](const Pair& one) { return std::abs(one.frequency); });
  std::vector<double> out(axes, 0);
  for (const Pair& pair : pairs) {  // the slowest has made no turn, and says how many the next one has made
    if (pair.frequency == 0) continue;
    const double angle = std::atan2(y.at(0, pair.second), y.at(0, pair.first)), turn = 2 * std::numbers::pi;
    double& t = out[pair.axis];
    t = (angle + turn * std::round((t * pair.frequency - angle) / turn)) / pair.frequency;
  }
  return out;
}

std::vector<Candidate> measured_grid_candidates(const Table& table, const Precision& precision) {
  const Domain& domain = table.positions;
  if (domain.axes < 2 || domain.real || domain.lo > 0) return {};
  for (std::size_t axis = 0; axis < domain.axes; ++axis)
    if (domain.last(axis) < 1) return {};
  const std::vector<double> origin = row_at(table, std::nullopt);
  if (std::ranges::any_of(origin, [](double x) { return std::min(std::abs(x), std::abs(x - 1)) > 1e-3; }))
    return {};  // they do not begin at 0
  std::vector<MeasuredLadder> ladders;
  for (std::size_t axis = 0; axis < domain.axes; ++axis) {
    ladders.push_back(angles_of(origin, row_at(table, axis), precision));
    if (ladders.back().frequencies.size() < 2) return {};
  }
  std::vector<Candidate> out;
  for (const std::string divisor : {"half", "half_minus_one"}) {
    const double half = static_cast<double>(table.dim / (2 * domain.axes)) - (divisor == "half" ? 0 : 1);
    std::vector<double> exponents;
    for (std::size_t i = 0; i < table.dim; ++i) exponents.push_back(static_cast<double>(i) / half);
    for (const auto& [name, value] : bases_of_axes(ladders, exponents)) {
      Parameters given;
      given.set("dim", static_cast<double>(table.dim));
      given.set("axes", static_cast<double>(domain.axes));
      given.set(name, value);
      given.set("divisor", divisor);
      given.set("normalize", "none");
      if (const auto divided = divisors_of_axes(ladders)) given.set(divided->first, divided->second);
      for (Candidate& one : settings("sincos_2d", encoding_named("sincos_2d"), given))
        out.push_back(std::move(one));
    }
  }
  return out;
}

std::vector<Candidate> normalised_grid_candidates(const Table& table, const std::vector<double>& grid,
                                                  const Precision& precision) {
  std::vector<Candidate> out;
  const EncodingSpec& spec = encoding_named("sincos_2d");
  Parameters like;
  like.set("dim", static_cast<double>(table.dim));
  like.set("uneven", std::string("refuse"));
  like.set("grid", grid);
  like.set("normalize", std::string("detr"));
  like.set("offset", 1.0);
  for (const Candidate& setting : settings("sincos_2d", spec, like, 512)) {
    const Encoding made = spec.make(with(spec, setting.parameters));
    const std::vector<MeasuredLadder> ladders = steps_of(table, as<Table>(made), precision);
    if (std::ranges::any_of(ladders, [](const auto& one) { return one.frequencies.size() < 2; })) continue;
    const double half = static_cast<double>(table.dim / (2 * ladders.size())) -
                        (setting.parameters.word("divisor") == "half" ? 0 : 1);
    std::vector<double> exponents;
    for (std::size_t i = 0; i < table.dim; ++i) exponents.push_back(static_cast<double>(i) / half);
    for (const auto& [name, value] : bases_of_axes(ladders, exponents))
      for (const char* normalize : {"detr", "centred"}) {
        Candidate one = setting;
        one.parameters.set(name, value);
        one.parameters.set("normalize", std::string(normalize));
        out.push_back(std::move(one));
      }
  }
  return out;
}

std::vector<Candidate> grid_candidates(Shape shape) {
  shape = without_first_axes(std::move(shape), 2);
  if (shape.size() == 3 && shape[1] == 1) shape.erase(shape.begin() + 1);  // [places, 1, dim]
  std::vector<Candidate> out;
  if (shape.size() > 3) return out;
  for (const Extents& grid : grids_of(shape))
    for (const double base : {10000.0, 20.0})
      for (const double offset : {0.0, 1.0}) {
        Parameters given;
        given.set("dim", static_cast<double>(shape.back()));
        given.set("base", base);
        given.set("offset", offset);
        given.set("uneven", std::string("refuse"));
        given.set("grid", grid);
        for (Candidate& one : settings("sincos_2d", encoding_named("sincos_2d"), given, 512))
          out.push_back(std::move(one));
      }
  return out;
}

}  // namespace posproof
