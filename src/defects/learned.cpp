#include <algorithm>
#include <memory>
#include <optional>

#include "catalogue/defects/learned.h"
#include "catalogue/encodings/learned.h"
#include "catalogue/properties/call/agrees_in_chunks.h"
#include "catalogue/properties/call/refuses_out_of_range.h"
#include "core/failure.h"

namespace posproof {
namespace {

Table right(const Parameters& parameters) {
  return std::get<Table>(encodings::learned.make(parameters));
}

// The rows that the parameters' table has at other positions; none: zeros.
using Elsewhere = std::function<std::optional<Position>(Position t, Position last)>;

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
  Table table = right(p);
  table.rows = [rows = table.rows, called = std::make_shared<bool>(false)](
                   std::span<const Position> positions, Position length) {
    std::vector<Position> out(positions.begin(), positions.end());
    if (*called && out.size() == 1) out[0] = 0;
    *called = true;
    return rows(out, length);
  };
  return table;
}

using namespace properties;

}  // namespace

const DefectFamily defects::learned{{
    {"wraps_past_the_end",
     "position t gets row t mod length, as after a roll of the table that takes the place of the offset",
     "PaddleNLP#2659", &wraps_past_the_end, "dim=1 length=4", &call::refuses_out_of_range},
    {"clamps_past_the_end", "position t gets row min(t, length-1)", "jax#3604, ParlAI#1717",
     &clamps_past_the_end, "dim=1 length=4", &call::refuses_out_of_range},
    {"returns_zero_past_the_end", "positions past the end get zeros", "bert4keras@e52a3bb, onnxruntime#28205",
     &returns_zero_past_the_end, "dim=1 length=4", &call::refuses_out_of_range},
    {"offset_missing", "position t gets row t", "transformers#19240, gpt-neox#650", &offset_missing,
     "dim=1 length=8 offset=2", nullptr},
    {"offset_twice", "position t gets row t + 2 offset", "fairseq#1685, transformers#20761", &offset_twice,
     "dim=1 length=8 offset=2", nullptr},
    {"positions_accumulate", "each call goes on counting where the one before ended", "gpt-neox@e9dc55f",
     &positions_accumulate, "dim=1 length=8", nullptr},
    {"decode_restarts_at_zero", "after the first call a single token gets row 0", "mlx-lm#93",
     &decode_restarts_at_zero, "dim=1 length=4", &call::agrees_in_chunks},
}};

}  // namespace posproof
