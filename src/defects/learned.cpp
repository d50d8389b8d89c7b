#include <algorithm>
#include <memory>
#include <optional>

#include "catalogue/defects/learned.h"
#include "catalogue/encodings/learned.h"
#include "catalogue/properties/call/agrees_in_chunks.h"
#include "catalogue/properties/call/refuses_out_of_range.h"
#include "catalogue/properties/table/has_distinct_positions.h"
#include "core/failure.h"
#include "core/formats.h"
#include "core/function.h"
#include "defects/operators.h"

namespace posproof::defects_learned {
namespace {

Table right(const Parameters& parameters) {
  return encodings::learned.make<Table>(parameters);
}

// The rows that the parameters' table has at other positions; none: zeros.
using Elsewhere = Function<std::optional<Position>(Position t, Position last)>;

Encoding reading(const Parameters& parameters, Elsewhere elsewhere) {
  // The whole table: what stands before the offset is read too.
  Parameters all = parameters;
  all.set("offset", 0.0);
  Table table = right(parameters);
  table.rows = [rows = right(all).rows, dim = table.dim, offset = parameters.integer("offset"),
                last = parameters.integer("length") - 1,
                elsewhere](std::span<const Position> positions, Position length) {
    Tensor out({positions.size(), dim});
    for (std::size_t r = 0; r < positions.size(); ++r)
      if (const auto row = elsewhere(positions[r] + offset, last))
        std::ranges::copy(rows(std::span(&*row, 1), length).data, out.row(r).begin());
    return out;
  };
  return table;
}

Encoding wraps_past_the_end(const Parameters& p) {
  return reading(p, [](Position row, Position last) { return std::optional(row % (last + 1)); });
}

Encoding clamps_past_the_end(const Parameters& p) {
  return reading(p, [](Position row, Position last) { return std::optional(std::min(row, last)); });
}

Encoding returns_zero_past_the_end(const Parameters& p) {
  return reading(p,
                 [](Position row, Position last) { return row > last ? std::nullopt : std::optional(row); });
}

Encoding offset_missing(const Parameters& p) {
  const Position offset = p.integer("offset");
  if (offset == 0) throw Refusal("the same without an offset");
  return reading(p, [offset](Position row, Position) { return std::optional(row - offset); });
}

Encoding offset_twice(const Parameters& p) {
  const Position offset = p.integer("offset");
  if (offset == 0) throw Refusal("the same without an offset");
  return reading(p, [offset](Position row, Position) { return std::optional(row + offset); });
}

// Past the end of the table it raises, as an index out of range does.
Encoding positions_accumulate(const Parameters& p) {
  Table table = right(p);
  table.rows = [right_rows = table.rows, last = table.positions.hi, next = std::make_shared<Position>(0)](
                   std::span<const Position> positions, Position length) {
    std::vector<Position> out(positions.begin(), positions.end());
    for (Position& t : out) t += *next;
    if (std::ranges::any_of(out, [&](Position t) { return t > last; }))
      throw Failure(Failure::How::raised, "raises an IndexError", "index out of range");
    Tensor rows = right_rows(out, length);
    *next = out.empty() ? *next : out.back() + 1;
    return rows;
  };
  return table;
}

Encoding decode_restarts_at_zero(const Parameters& p) {
  return operators::decode_restarts_at_zero(right(p));
}

Encoding single_token_without_a_row(const Parameters& p) {
  return operators::answering(right(p), [](const Call& call, Tensor& rows) {
    if (operators::is_one_token(call)) std::ranges::fill(rows.data, 0.0);
  });
}

Encoding padding_counted(const Parameters& p) {
  return operators::padding_counted(right(p));
}

// 0.1 t + 0.9 t in f32, which makes less than 3 of 3.
Encoding positions_averaged_in_f32(const Parameters& p) {
  const Table table = right(p);
  operators::refuse_unless(table.positions.hi >= 3, "the same for positions below 3");
  return operators::at(table, [](Position t) {
    const auto share = [t](double weight) { return to_f32(to_f32(weight) * static_cast<double>(t)); };
    return static_cast<Position>(to_f32(share(0.1) + share(0.9)));
  });
}

Encoding table_without_room_for_its_offset(const Parameters& p) {
  const Position offset = p.integer("offset");
  operators::refuse_unless(offset > 0, "the same without an offset");
  const Table table = right(p);
  return operators::raising(table, "raises an IndexError", "index out of range",
                            [last = table.positions.hi - offset](const Call& call) {
                              return std::ranges::any_of(call.positions.whole,
                                                         [last](Position t) { return t > last; });
                            });
}

using namespace properties;

}  // namespace

const DefectFamily entry{{
    {.name = "wraps_past_the_end",
     .wrong =
         "position t gets row (t + offset) mod length, as after a roll of the table that takes the place of the offset",
     .sources = "PaddleNLP#2659",
     .recorded = {"opt-offset-2"},
     .make = &wraps_past_the_end,
     .setting = "dim=1 length=4",
     .refuted_by = &call::refuses_out_of_range},
    {.name = "clamps_past_the_end",
     .wrong = "position t gets row min(t + offset, length - 1)",
     .sources = "x-transformers@a549c55",
     .recorded = {"abs-pos-cache-past-window"},
     .make = &clamps_past_the_end,
     .setting = "dim=1 length=4",
     .refuted_by = &call::refuses_out_of_range},
    {.name = "returns_zero_past_the_end",
     .wrong = "positions past the end get a row of zeros",
     .sources = "bert4keras@e52a3bb",
     .recorded = {"learned-out-of-range-returns-zero"},
     .make = &returns_zero_past_the_end,
     .setting = "dim=1 length=4",
     .refuted_by = &call::refuses_out_of_range},
    {.name = "offset_missing",
     .wrong = "position t gets row t",
     .sources = "gpt-neox#650, sentence-transformers#3879",
     .recorded = {"opt-offset-2"},
     .make = &offset_missing,
     .setting = "dim=1 length=8 offset=2"},
    {.name = "offset_twice",
     .wrong = "position t gets row t + 2 offset",
     .sources = "kin of gpt-neox#650",
     .make = &offset_twice,
     .setting = "dim=1 length=8 offset=2"},
    {.name = "positions_accumulate",
     .wrong = "each call counts on from where the last one ended",
     .sources = "gpt-neox@e9dc55f",
     .recorded = {"learned-position-ids-accumulate"},
     .make = &positions_accumulate,
     .setting = "dim=1 length=8"},
    {.name = "decode_restarts_at_zero",
     .wrong = "after the first call a single token gets the row of position 0",
     .sources = "kin of mlx-lm#93",
     .make = &decode_restarts_at_zero,
     .setting = "dim=1 length=4",
     .refuted_by = &call::agrees_in_chunks},
    {.name = "single_token_without_a_row",
     .wrong = "a call with one token gets no row: it is added to longer inputs only",
     .sources = "mlx-lm#93",
     .recorded = {"gpt2-decode-position-skipped-or-zero"},
     .make = &single_token_without_a_row,
     .setting = "dim=1 length=4",
     .refuted_by = &call::agrees_in_chunks},
    {.name = "padding_counted",
     .wrong = "positions count the padding: a token after it gets a row that is later by each pad",
     .sources = "transformers#21080, transformers#18478, transformers#1761, TransformerLens#1609",
     .recorded = {"leftpad-positions-count-pads", "roberta-embeds-path-positions"},
     .make = &padding_counted,
     .setting = "dim=1 length=8"},
    {.name = "positions_averaged_in_f32",
     .wrong = "position t gets row floor(0.1 t + 0.9 t), computed in f32: position 3 gets row 2",
     .sources = "stable-diffusion-webui#6728",
     .recorded = {"clip-position-ids-averaged-as-floats"},
     .make = &positions_averaged_in_f32,
     .setting = "dim=1 length=4",
     .refuted_by = &table::has_distinct_positions},
    {.name = "table_without_room_for_its_offset",
     .wrong = "the table has length rows, not length + offset: the last positions are out of range, an error",
     .sources = "japanese-pretrained-models#3, transformers#9116, transformers#15292",
     .recorded = {"roberta-table-too-small"},
     .make = &table_without_room_for_its_offset,
     .setting = "dim=1 length=4 offset=1"},
}};

}  // namespace posproof::defects_learned
