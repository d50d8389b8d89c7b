#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalogue/encodings/resized_table.h"
#include "catalogue/misreadings/resized_table.h"
#include "core/function.h"
#include "core/resampling.h"
#include "misreadings/right.h"

namespace posproof::misreadings_resized_table {
namespace {

// Interpolation answers [dim, height, width]. Whoever reshapes that to [height width, dim], without moving
// the first axis behind the others, reads entry n of all as that of channel n mod dim in cell n / dim.
Encoding not_permuted(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::resized_table, given);
  const std::size_t kept = p.width("kept_rows"), cells = p.width("height") * p.width("width");
  Table out = misread::right<Table>(encodings::resized_table, given);
  if (out.dim == 1 || cells == 1) throw Refusal("the same with one channel or in one cell");
  out.rows = [=, own = out.rows, dim = out.dim](const Positions& positions, Position length) {
    Tensor rows = own(positions, length);
    for (std::size_t r = 0; r < positions.size(); ++r) {
      const auto at = static_cast<std::size_t>(positions[r]);
      if (at < kept) continue;
      for (std::size_t c = 0; c < dim; ++c) {
        const std::size_t n = (at - kept) * dim + c;
        const Position cell[] = {static_cast<Position>(kept + n % cells)};
        rows.at(r, c) = own(cell, length).at(0, n / cells);
      }
    }
    return rows;
  };
  return out;
}

// These rows, with another cell of the grid in the place of each; those that are kept before them stay.
using Rows = decltype(Table::rows);
Rows of_other_cells(const Arguments& p, Rows rows, Function<std::size_t(std::size_t)> other) {
  const std::size_t kept = p.width("kept_rows"), cells = p.width("height") * p.width("width");
  return [=](const Positions& positions, Position length) {
    std::vector<Position> there(positions.begin(), positions.end());
    for (Position& t : there)
      if (const auto at = static_cast<std::size_t>(t); at >= kept && at - kept < cells)
        t = static_cast<Position>(kept + other(at - kept));
    return rows(there, length);
  };
}

// The trained grid lies as [from_width, from_height], column by column: the same is answered of a grid that
// is transposed before and after.
Encoding by_columns(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::resized_table, given);
  const std::size_t height = p.width("height"), width = p.width("width");
  if (p.width("from_height") == 1 || p.width("from_width") == 1)
    throw Refusal("the same of one row or one column");
  Parameters turned = p.parameters();
  for (const auto& [one, other] : {std::pair("from_height", "from_width"), std::pair("height", "width")}) {
    turned.set(one, static_cast<double>(p.whole(other)));
    turned.set(other, static_cast<double>(p.whole(one)));
  }
  Table out = misread::right<Table>(encodings::resized_table, given);
  out.rows = of_other_cells(p, encodings::resized_table.make<Table>(turned).rows,
                            [=](std::size_t cell) { return cell % width * height + cell / width; });
  return out;
}

// What is resized lies as [width, height].
Encoding answered_by_columns(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::resized_table, given);
  const std::size_t height = p.width("height"), width = p.width("width");
  if (height == 1 || width == 1) throw Refusal("the same of one row or one column");
  Table out = misread::right<Table>(encodings::resized_table, given);
  out.rows =
      of_other_cells(p, out.rows, [=](std::size_t cell) { return cell % height * width + cell / height; });
  return out;
}

// The grid is taken from the table's first row on, rows that are kept among it, so that its last ones are
// left out.
Encoding with_kept_rows_in_the_grid(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::resized_table, given);
  const std::size_t kept = p.width("kept_rows");
  if (kept == 0) throw Refusal("no rows are kept");
  if (!p.is("table", "index") && !p.is("table", "seeded")) throw Refusal("said of rows that all differ");
  Parameters none = p.parameters();
  none.set("kept_rows", 0.0);
  Table out = misread::right<Table>(encodings::resized_table, given);
  out.rows = [=, dim = out.dim, own = out.rows, grid = encodings::resized_table.make<Table>(none).rows](
                 const Positions& positions, Position length) {
    Tensor rows({positions.size(), dim});
    for (std::size_t r = 0; r < positions.size(); ++r) {
      const auto before = static_cast<Position>(kept);
      const Position one[] = {positions[r] < before ? positions[r] : positions[r] - before};
      const Tensor row = (positions[r] < before ? own : grid)(one, length);
      std::ranges::copy(row.data, rows.row(r).begin());
    }
    return rows;
  };
  return out;
}

resampling::Axis axis(const Arguments& p, std::string_view before, std::string_view after) {
  return {.before = p.width(before),
          .after = p.width(after),
          .method = p.is("method", "linear") ? resampling::Method::linear : resampling::Method::cubic,
          .align_corners = p.flag("align_corners"),
          .antialias = false,
          .coefficient = p.real("coefficient"),
          .more = p.real("more")};
}

// A grid of entries that are sums of stored ones, by the taps of rows and of columns.
using Taps = Function<std::vector<resampling::Tap>(std::size_t n)>;
Encoding with_taps(const Arguments& p, const Parameters& given, const Taps& down, const Taps& across) {
  // Of a grid that is not resized.
  Parameters trained = p.parameters();
  trained.set("height", static_cast<double>(p.width("from_height")));
  trained.set("width", static_cast<double>(p.width("from_width")));
  trained.set("method", std::string("first"));
  Table out = misread::right<Table>(encodings::resized_table, given);
  out.rows = [=, kept = p.width("kept_rows"), own = out.rows, width = p.width("width"),
              before = p.width("from_width"), stored = encodings::resized_table.make<Table>(trained).rows](
                 const Positions& positions, Position length) {
    Tensor rows = own(positions, length);
    for (std::size_t r = 0; r < positions.size(); ++r) {
      if (static_cast<std::size_t>(positions[r]) < kept) continue;
      const std::size_t cell = static_cast<std::size_t>(positions[r]) - kept;
      std::vector<long double> sums(rows.width());
      for (const auto& y : down(cell / width))
        for (const auto& x : across(cell % width)) {
          const Position entry[] = {static_cast<Position>(kept + y.index * before + x.index)};
          const Tensor one = stored(entry, length);
          for (std::size_t c = 0; c < sums.size(); ++c) sums[c] += y.weight * x.weight * one.at(0, c);
        }
      for (std::size_t c = 0; c < sums.size(); ++c) rows.at(r, c) = static_cast<double>(sums[c]);
    }
    return rows;
  };
  return out;
}

// Scales that are given as (x, y) where (y, x) is taken, or one of the two for both, while the extents are
// those of the right grid.
enum class Steps { exchanged, of_rows, of_columns };
template <Steps steps>
Encoding with_other_steps(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::resized_table, given);
  if (!p.is("method", "linear") && !p.is("method", "cubic")) throw Refusal("said of grids with filters");
  if (p.flag("antialias")) throw Refusal("filters that are as wide as their step are others");
  const auto down = axis(p, "from_height", "height"), across = axis(p, "from_width", "width");
  if (resampling::step(down) == resampling::step(across)) throw Refusal("the same with equal steps");
  const auto by_steps_of = [](const resampling::Axis& of, const resampling::Axis& other) {
    return [=](std::size_t n) {
      return resampling::taps(of, n, resampling::coordinate(other, n) - resampling::coordinate(of, n));
    };
  };
  return with_taps(p, given, by_steps_of(down, steps == Steps::of_rows ? down : across),
                   by_steps_of(across, steps == Steps::of_columns ? across : down));
}

// What stands past the border, where the last entry is repeated: the entries before it again, mirrored about
// the last one or behind it, or nothing.
enum class Beyond { mirrored_through, mirrored_behind, nothing };
template <Beyond beyond>
Encoding with_other_borders(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::resized_table, given);
  if (!p.is("method", "linear") && !p.is("method", "cubic")) throw Refusal("said of grids with filters");
  if (p.flag("antialias")) throw Refusal("filters that are as wide as their step are cut at the border");
  bool differs = false;
  const auto taps = [&differs](const resampling::Axis& of) {
    const auto last = static_cast<long double>(of.before - 1);
    const int reach = of.method == resampling::Method::cubic ? 2 : 1;
    // Behind the border the last entry stands first, as where it is repeated.
    const long double edge = beyond == Beyond::mirrored_behind ? 1 : 0;
    if (of.before <= static_cast<std::size_t>(reach)) throw Refusal("said of grids with entries to mirror");
    std::vector<std::vector<resampling::Tap>> all(of.after);
    for (std::size_t n = 0; n < of.after; ++n) {
      const long double at = resampling::coordinate(of, n), base = std::floor(at);
      for (int k = 1 - reach; k <= reach; ++k) {
        const long double weight = resampling::filter(of, at - (base + k), 1).value;
        long double index = base + k;
        if (weight == 0) continue;
        differs = differs || index < -edge || index > last + edge;
        if (beyond == Beyond::nothing && (index < 0 || index > last)) continue;
        if (index < 0) index = -index - edge;
        if (index > last) index = 2 * last - index + edge;
        all[n].push_back({static_cast<std::size_t>(std::clamp(index, 0.0L, last)), weight});
      }
    }
    return [all = std::move(all)](std::size_t n) { return all.at(n); };
  };
  const auto down = taps(axis(p, "from_height", "height")), across = taps(axis(p, "from_width", "width"));
  if (!differs) throw Refusal("the same where no filter reaches past the border");
  return with_taps(p, given, down, across);
}

// Entries are taken for points at their upper left corners: half an entry is missing.
Encoding without_half_an_entry(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::resized_table, given);
  if (!p.is("method", "linear") && !p.is("method", "cubic")) throw Refusal("said of grids with filters");
  if (p.flag("align_corners")) throw Refusal("said of entries that are squares");
  if (p.flag("antialias")) throw Refusal("filters that are as wide as their step are others");
  const auto down = axis(p, "from_height", "height"), across = axis(p, "from_width", "width");
  if (resampling::step(down) == 1 && resampling::step(across) == 1)
    throw Refusal("the same of equal extents");
  const auto at_corners = [](const resampling::Axis& of) {
    return [of](std::size_t n) {
      const long double corner = static_cast<long double>(n) * resampling::step(of);
      return resampling::taps(of, n, corner - resampling::coordinate(of, n));
    };
  };
  return with_taps(p, given, at_corners(down), at_corners(across));
}

// No filter: the entry in which a cell's corner lies, as PyTorch's `nearest` has it, or its middle, as
// `nearest-exact` has it.
enum class Nearest { to_the_corner, to_the_middle };
template <Nearest nearest>
Encoding without_a_filter(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::resized_table, given);
  if (!p.is("method", "linear") && !p.is("method", "cubic")) throw Refusal("said of grids with filters");
  if (p.width("from_height") == p.width("height") && p.width("from_width") == p.width("width"))
    throw Refusal("the same of equal extents");
  const auto entry = [](const resampling::Axis& of) {
    return [of](std::size_t n) {
      const long double within = nearest == Nearest::to_the_middle ? 0.5L : 0.0L,
                        step = static_cast<long double>(of.before) / static_cast<long double>(of.after);
      return std::vector<resampling::Tap>{
          {static_cast<std::size_t>((static_cast<long double>(n) + within) * step), 1}};
    };
  };
  return with_taps(p, given, entry(axis(p, "from_height", "height")), entry(axis(p, "from_width", "width")));
}

constexpr auto of_grids = "dim=4 from_height=3 from_width=2 height=4 width=3 kept_rows=1 table=seeded";
constexpr auto past_borders =
    "dim=4 from_height=4 from_width=3 height=7 width=5 kept_rows=1 table=seeded method=cubic";

}  // namespace

const MisreadingFamily entry{{
    {"channels are not moved behind rows and columns: [dim, height, width] is read as [height width, dim]",
     &not_permuted, of_grids},
    {"the trained grid is read column by column: as [from_width, from_height], transposed", &by_columns,
     of_grids},
    {"the resized grid is laid out column by column: as [width, height]", &answered_by_columns, of_grids},
    {"the steps of rows and columns are exchanged: down the grid from_width / width, across it from_height / "
     "height",
     &with_other_steps<Steps::exchanged>, of_grids},
    {"the step of rows serves for columns, too: from_height / height across the grid",
     &with_other_steps<Steps::of_rows>, of_grids},
    {"the step of columns serves for rows, too: from_width / width down the grid",
     &with_other_steps<Steps::of_columns>, of_grids},
    {"the trained grid is taken from the first row of the table on, kept rows among it",
     &with_kept_rows_in_the_grid, of_grids},
    {"past the border the grid is mirrored about its last row and column, which are not repeated",
     &with_other_borders<Beyond::mirrored_through>, past_borders},
    {"past the border the grid is mirrored, its last row and column first, which are not repeated further",
     &with_other_borders<Beyond::mirrored_behind>, past_borders},
    {"past the border stands 0; the last row and column are not repeated",
     &with_other_borders<Beyond::nothing>, past_borders},
    {"half an entry is missing: cell n is taken from n before / after, its corner, not its middle",
     &without_half_an_entry, of_grids},
    {"no filter: each cell is the entry in which its corner lies, number floor(n before / after)",
     &without_a_filter<Nearest::to_the_corner>, of_grids},
    {"no filter: each cell is the entry in which its middle lies, number floor((n + 1/2) before / after)",
     &without_a_filter<Nearest::to_the_middle>, of_grids},
}};

}  // namespace posproof::misreadings_resized_table
