#include <algorithm>

#include "catalogue/encodings/relative_table.h"
#include "catalogue/oracle/relative_table.h"
#include "catalogue/properties/attention/breaks_the_symmetry.h"
#include "catalogue/properties/attention/has_the_symmetry_of_its_mask.h"
#include "catalogue/properties/attention/key_order_invariant.h"
#include "catalogue/properties/attention/permutation_equivariant.h"
#include "catalogue/properties/attention/pooled_readout_invariant.h"
#include "catalogue/properties/attention/query_order_equivariant.h"
#include "catalogue/properties/bias/depends_on_offset.h"
#include "catalogue/properties/bias/falls_at_the_first_step.h"
#include "catalogue/properties/bias/falls_with_distance.h"
#include "catalogue/properties/bias/has_monotone_buckets.h"
#include "catalogue/properties/bias/is_conditionally_positive_definite.h"
#include "catalogue/properties/bias/is_zero_at_offset_zero.h"
#include "catalogue/properties/bias/saturates.h"
#include "catalogue/properties/score/decays_with_distance.h"
#include "catalogue/properties/score/depends_on_offset.h"
#include "core/declare.h"
#include "core/hard.h"
#include "encodings/facts.h"
#include "encodings/seeded.h"

namespace posproof::encodings_relative_table {
namespace {

// The row of the table for the offset of a query from a key, by axes: time, rows, columns, or the last of
// these.
struct Window {
  std::vector<std::int64_t> extents;  // as many as a position has numbers
  bool query_minus_key, last_axis_fastest, class_token, by_distance;

  // Behind the rows of offsets stand those of a class token: as a query, as a key, as both.
  std::int64_t all_rows() const { return rows() + (class_token ? 3 : 0); }
  std::int64_t offsets(std::size_t axis) const { return by_distance ? extents[axis] : 2 * extents[axis] - 1; }
  std::int64_t rows() const {
    std::int64_t all = 1;
    for (std::size_t axis = 0; axis < extents.size(); ++axis) all *= offsets(axis);
    return all;
  }

  std::int64_t along(std::size_t axis, Position query, Position key) const {
    const std::int64_t most = extents[axis] - 1;
    if (by_distance) return std::min(query < key ? key - query : query - key, most);
    return std::clamp(query_minus_key ? query - key : key - query, -most, most) + most;
  }
  static bool is_class(std::span<const Position> token) { return std::ranges::min(token) < 0; }
  std::int64_t row(std::span<const Position> query, std::span<const Position> key) const {
    if (class_token && (is_class(query) || is_class(key)))
      return rows() + (is_class(query) ? (is_class(key) ? 2 : 0) : 1);
    std::int64_t row = 0;
    for (std::size_t n = 0; n < extents.size(); ++n) {
      const std::size_t axis = last_axis_fastest ? n : extents.size() - 1 - n;
      row = row * offsets(axis) + along(axis, query[axis], key[axis]);
    }
    return row;
  }
};

std::span<const Position> of(const Positions& positions, std::size_t token) {
  return positions.flat().subspan(token * positions.axes(), positions.axes());
}

Window window_of(const Arguments& p) {
  const bool plane = p.is("axes", "rows_and_columns"), time = p.is("axes", "time_rows_and_columns");
  Window window{{},
                p.is("relative", "query_minus_key"),
                !plane || p.is("fastest", "columns"),
                plane && p.is("class_token", "three_rows"),
                p.is("relative", "distance")};
  if (time) window.extents.push_back(p.whole("frames"));
  if (time || plane) window.extents.push_back(p.whole("height"));
  window.extents.push_back(p.whole("width"));
  return window;
}

bool has_few_rows(const Arguments& p) {
  return window_of(p).all_rows() <= std::int64_t{1} << 20;
}

const Condition on_a_grid{{{"axes", {"rows_and_columns", "time_rows_and_columns"}}}},
    on_a_plane{{{"axes", {"rows_and_columns"}}}}, with_time{{{"axes", {"time_rows_and_columns"}}}},
    on_a_line{{{"axes", {"line"}}}};

Encoding make(const Arguments& p) {
  const std::size_t heads = p.width("heads");
  const Window window = window_of(p);
  const bool index = p.is("table", "index");
  const auto seed = static_cast<std::uint64_t>(p.whole("table_seed"));
  const double scale = p.real("scale");

  Bias bias{.heads = heads};
  bias.positions.axes = window.extents.size();
  // A grid is the window itself (Swin): tokens outside have no place in it. A line goes on, and is clipped.
  if (bias.positions.axes > 1) {
    for (const std::int64_t extent : window.extents) bias.positions.last_on_axis.push_back(extent - 1);
    bias.positions.hi = std::ranges::max(bias.positions.last_on_axis);
  }
  if (window.class_token) bias.positions.lo = -1, bias.positions.class_token = -1;
  bias.bias = [=](const Positions& queries, const Positions& keys) {
    Tensor out({heads, queries.size(), keys.size()});
    for (std::size_t i = 0; i < queries.size(); ++i)
      for (std::size_t j = 0; j < keys.size(); ++j) {
        const std::int64_t row = window.row(of(queries, i), of(keys, j));
        for (std::size_t h = 0; h < heads; ++h)
          out.at(h * queries.size() + i, j) =
              scale * (index ? static_cast<double>(row + window.all_rows() * static_cast<std::int64_t>(h))
                             : seeded(seed, static_cast<std::uint64_t>(row) * heads + h, 1.0));
      }
    return out;
  };
  return bias;
}

using namespace properties;

const Condition no_class{{{"class_token", {"none"}}}};
const Condition directed{{{"relative", {"query_minus_key", "key_minus_query"}}}};
const Condition by_distance{{{"relative", {"distance"}}}};
const Condition with_class{{{"class_token", {"three_rows"}}}};

}  // namespace

const EncodingSpec entry{
    .summary = "a trained number on the logit for each offset inside a window, on a line or on a grid",
    .formula =
        "b_g(i,j) = scale E[(dy + h - 1) (2 w - 1) + dx + w - 1, g], (dy, dx) = i - j, each held within the window; "
        "with time, (dt + f - 1) (2 h - 1) (2 w - 1) rows on",
    .source =
        "Liu et al. 2021, Swin Transformer: Hierarchical Vision Transformer using Shifted Windows, section 3.2; Liu et "
        "al. 2022, Video Swin Transformer, section 3.2, and its code, for windows with time; "
        "Shaw, Uszkoreit and Vaswani 2018, section 3.2, for offsets that are clipped; class_token: Bao et al. 2022, "
        "BEiT, and its code; distance: Graham et al. 2021, LeViT, section 4.2, and its code",
    .parameters =
        {.all =
             {whole("heads", any_heads, 4, {1, 2, 3}, "heads, each with its column of the table"),
              of_words(
                  "axes", {"rows_and_columns", "line", "time_rows_and_columns"},
                  "rows_and_columns: positions are (row, column), and both have a window; line: one number; "
                  "time_rows_and_columns: (frame, row, column), or (slice, row, column) of a volume (Video Swin, "
                  "Swin UNETR)"),
              where(with_time, whole("frames", {1, 4096}, 8, {2, 3}, "frames of the window, f", "frames")),
              where(on_a_grid, whole("height", {1, 4096}, 7, {3, 7}, "rows of the window, h", "rows")),
              whole("width", {1, std::int64_t{1} << 19}, 7, {2, 5},
                    "columns of the window, w; of a line its length"),
              convention(
                  "relative", {"query_minus_key", "key_minus_query", "distance"},
                  "direction of the offset; distance: none, |dy| w + |dx| (LeViT, EfficientFormer, TinyViT, in whose "
                  "code rows are numbered as distances appear)"),
              where(on_a_plane,
                    convention("fastest", {"columns", "rows"},
                               "columns: the table goes through the columns of one row offset first")),
              where(on_a_plane,
                    convention(
                        "class_token", {"none", "three_rows"},
                        "three_rows: a token with a negative number is a class token, and the last rows of "
                        "the table are its own, as a query, as a key and as both (BEiT)")),
              above_0("scale", 1, {1, 0.5}, "factor of every entry"),
              of_words(
                  "table", {"index", "seeded"},
                  "what stands for the trained numbers: index (row + rows * head), seeded (uniform, of mean 0)"),
              where({{{"table", {"seeded"}}}},
                    whole("table_seed", type::any_whole, 1, {1, 2}, "seed of the table [rows, heads]"))},
         .relations =
             {{{"height", "width"}, "tables of up to 1048576 rows", &has_few_rows, on_a_plane},
              {{"frames", "height", "width"}, "tables of up to 1048576 rows", &has_few_rows, with_time},
              {{"class_token"},
               "none, where entries are those of distances",
               [](const Arguments& p) { return p.is("class_token", "none"); },
               {{{"axes", {"rows_and_columns"}}, {"relative", {"distance"}}}}}}},
    .reference = &make,
    .exact = &oracle::relative_table,
    .facts = {{&facts::acts_on_logits_alone},
              {&facts::depends_on_offset_alone, no_class},
              // Row numbers of many rows outweigh all content.
              {&facts::distinguishes_positions, {}, {&attention::breaks_the_symmetry}}},
    .witnesses =
        {
            fails(attention::has_the_symmetry_of_its_mask,
                  "heads=1 axes=line n=2 mask=none permutation=[1,0] x=[1,0*7]", 0.462,
                  "keys before a query have other entries than keys after it"),
            fails(attention::permutation_equivariant,
                  "heads=1 axes=line n=2 permutation=[1,0] mask=none x=[1,0*7]", 0.462,
                  "keys before a query have other entries than keys after it"),
            fails(attention::pooled_readout_invariant, "heads=1 axes=line n=2 permutation=[1,0] x=[1,0*7]",
                  0.462, "the key before has the larger entry: the first token counts for more"),
            fails(
                attention::query_order_equivariant,
                "heads=1 axes=line width=3 table=seeded queries=2 keys=2 permutation=[1,0] q=[0*8] k=[1,0*7]",
                0.439, "the entries depend on the query's position"),
            fails(attention::key_order_invariant,
                  "heads=1 axes=line queries=1 keys=2 permutation=[1,0] q=[0*4] k=[1,0*7]", 0.462,
                  "the next key has another entry than the query's own position"),
        },
    .claims =
        {
            // Past the window an offset is held at its end.
            holds(bias::saturates, on_a_line),
            fails(bias::saturates, "heads=1 axis=0 far=6 near=5 side=past i=6", 13,
                  "inside the window no offset is clipped: one row farther is 13 table rows farther",
                  on_a_grid),
            fails(bias::depends_on_offset,
                  "heads=1 height=3 width=2 class_token=three_rows axis=0 i=-1 j=-1 k=0 t=1", 1,
                  "the class token has the entries 17 and 15, tokens one step on have 7 and 4", with_class),
            fails(score::depends_on_offset,
                  "heads=1 height=3 width=2 class_token=three_rows axis=0 q=[0*4] k=[0*4] i=-1 j=-1 t=1", 10,
                  "offset 0 has table row 17 for the class token, row 7 for any other", with_class),
            fails(bias::falls_at_the_first_step, "heads=1 axes=line side=past i=1", 1,
                  "the table holds its row numbers, which grow with the offset"),
            fails(bias::falls_with_distance, "heads=1 axes=line far=1 near=0 side=past i=1", 1,
                  "the table holds its row numbers, which grow with the offset"),
            fails(score::decays_with_distance, "heads=1 axes=line q=[0*4] i=1 far=1 near=0", 1,
                  "the table holds its row numbers, which grow with the offset"),
            fails(bias::has_monotone_buckets, "heads=1 axes=line near=1 t=1 side=future i=0", 1,
                  "the table holds its row numbers, which fall with the distance to later keys"),
            fails(bias::is_zero_at_offset_zero, "heads=1 axes=line i=0", 6,
                  "offset 0 is an entry like any other"),
            // The numbers of the rows are odd in the offset, but for a constant: nothing is left of them.
            holds(bias::is_conditionally_positive_definite,
                  {.all = {{"table", {"index"}},
                           {"class_token", {"none"}},
                           {"relative", {"query_minus_key", "key_minus_query"}}}}),
            fails(bias::is_conditionally_positive_definite,
                  "heads=1 axes=line relative=distance n=3 step=1 i=0 weights=balanced c0=1", 4,
                  "the entries are the distances: with the weights 1, -2 and 1 the sum is 2 (2 - 2 - 2) = -4",
                  by_distance),
            fails(
                bias::is_conditionally_positive_definite,
                "heads=1 height=4 width=2 class_token=three_rows axis=0 n=3 step=1 i=-1 weights=balanced c0=1",
                10,
                "the class token has the table rows 21, 22 and 23, which are larger than those of all offsets",
                with_class),
            fails(bias::is_conditionally_positive_definite,
                  "heads=1 axes=line width=5 table=seeded n=3 step=1 i=0 weights=balanced c0=1", 2.41,
                  "trained entries are not such a kernel in general", {.all = {{"table", {"seeded"}}}}),
            holds(attention::breaks_the_symmetry,
                  {.all = {{"table", {"seeded"}}, {"relative", {"query_minus_key", "key_minus_query"}}}}),
            fails(
                attention::breaks_the_symmetry,
                "heads=1 height=7 width=5 relative=key_minus_query fastest=rows axis=1 n=3 permutation=[1,0,2]",
                0.000485, "one column farther is 13 table rows farther: every query attends to one key alone",
                {.all = {{"table", {"index"}}}}),
        },
};

}  // namespace posproof::encodings_relative_table
