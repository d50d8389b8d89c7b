#include <algorithm>
#include <cmath>

#include "catalogue/defects/sinusoidal.h"
#include "catalogue/encodings/sinusoidal.h"
#include "catalogue/properties/call/agrees_in_chunks.h"
#include "catalogue/properties/call/takes_positions_in_any_order.h"
#include "catalogue/properties/table/has_constant_norm.h"
#include "catalogue/properties/table/has_distinct_positions.h"
#include "catalogue/properties/table/has_geometric_wavelengths.h"
#include "core/function.h"
#include "defects/operators.h"
#include "encodings/seeded.h"

namespace posproof::defects_sinusoidal {
namespace {

Table right(const Parameters& parameters) {
  return encodings::sinusoidal.make<Table>(parameters);
}

// Its own frequencies for sine and cosine, on the parameters' columns.
Encoding with_frequencies(const Parameters& parameters, const Function<Pair(const Pair&)>& of_sine,
                          const Function<Pair(const Pair&)>& of_cosine) {
  Table table = right(parameters);
  std::vector<Pair> sines, cosines;
  for (const Pair& pair : table.pairs) sines.push_back(of_sine(pair)), cosines.push_back(of_cosine(pair));
  if (table.lone) sines.push_back(of_sine(*table.lone));
  table.rows = [=, dim = table.dim, amplitude = table.amplitude, offset = table.offset](
                   std::span<const Position> positions, Position) {
    Tensor rows({positions.size(), dim});
    for (std::size_t r = 0; r < positions.size(); ++r) {
      const long double t = static_cast<long double>(positions[r]) + offset;
      for (const Pair& pair : sines)
        rows.at(r, pair.first) = double(amplitude * std::sin(t * pair.frequency));
      for (const Pair& pair : cosines)
        rows.at(r, pair.second) = double(amplitude * std::cos(t * pair.frequency));
    }
    return rows;
  };
  return table;
}

Encoding base_1000_odd_cosine(const Parameters& p) {
  const auto power = [dim = p.real("dim")](const Pair& pair, std::size_t k) {
    Pair other = pair;
    other.frequency = static_cast<double>(std::pow(1000.0L, -static_cast<long double>(k) / dim));
    return other;
  };
  return with_frequencies(
      p, [power](const Pair& pair) { return power(pair, 2 * pair.index); },
      [power](const Pair& pair) { return power(pair, 2 * pair.index + 1); });
}

Encoding integer_division_exponent(const Parameters& p) {
  const auto one = [](const Pair& pair) { return Pair{pair.first, pair.second, 1.0, pair.index}; };
  const Table table = right(p);
  if (table.pairs.size() + (table.lone ? 1 : 0) < 2) throw Refusal("the first frequency is 1 by right");
  return with_frequencies(p, one, one);
}

// Every token gets the row of one position.
Encoding one_row(const Parameters& p, Function<Position(std::size_t tokens)> position) {
  return operators::asked_for(right(p), [position](Call& call) {
    auto& t = call.positions.whole;
    std::ranges::fill(t, position(t.size()));
  });
}

Encoding single_row_added_to_all(const Parameters& p) {
  return one_row(p, [](std::size_t tokens) { return static_cast<Position>(tokens); });
}

// A call of a table has one batch row, whose number is 0.
Encoding row_of_the_batch_element(const Parameters& p) {
  return one_row(p, [](std::size_t) { return Position{0}; });
}

Encoding positions_ignored(const Parameters& p) {
  return operators::positions_ignored(right(p));
}

Encoding decode_restarts_at_zero(const Parameters& p) {
  return operators::decode_restarts_at_zero(right(p));
}

Encoding odd_width_raises(const Parameters& p) {
  const Table table = right(p);
  operators::refuse_unless(table.dim % 2 == 1, "there is a cosine for every sine: an odd `dim`");
  return operators::raising(table, "raises a RuntimeError",
                            "there is one cosine less than there are sines, and one frequency too many",
                            [](const Call&) { return true; });
}

// The zero is written one column further on, where rows are padded to an even width.
Encoding odd_tail_unwritten(const Parameters& p) {
  const Table table = right(p);
  if (table.dim % 2 == 0 || table.lone)
    throw Refusal("only a zero column is written: `odd=zero_pad` and an odd `dim`");
  return operators::answering(right(p), [](const Call&, Tensor& rows) {
    constexpr double left_from_before = 1;
    for (std::size_t r = 0; r < rows.rows(); ++r) rows.row(r).back() = left_from_before;
  });
}

Encoding scaled_down(const Parameters& p) {
  if (p.real("dim") == 1) throw Refusal("the same for a width of 1");
  return operators::answering(right(p), [factor = 1 / std::sqrt(p.real("dim"))](const Call&, Tensor& rows) {
    for (double& x : rows.data) x *= factor;
  });
}

Encoding overwritten_by_init(const Parameters& p) {
  Table table = right(p);
  table.rows = [dim = table.dim](std::span<const Position> positions, Position) {
    Tensor rows({positions.size(), dim});
    for (std::size_t r = 0; r < positions.size(); ++r)
      for (std::size_t c = 0; c < dim; ++c)
        rows.at(r, c) = seeded(0, static_cast<std::uint64_t>(positions[r]) * dim + c, 0.02);
    return rows;
  };
  return table;
}

Encoding never_added(const Parameters& p) {
  return operators::answering(right(p), [](const Call&, Tensor& rows) { std::ranges::fill(rows.data, 0.0); });
}

using namespace properties;

}  // namespace

const DefectFamily entry{{
    {.name = "base_1000_odd_cosine",
     .wrong = "sines at 1000^(-2i/d) and cosines at 1000^(-(2i+1)/d)",
     .sources = "maxjcohen/transformer#62",
     .recorded = {"sin-base-1000-odd-cos"},
     .make = &base_1000_odd_cosine,
     .setting = "dim=2",
     .refuted_by = &table::has_constant_norm},
    {.name = "integer_division_exponent",
     .wrong = "w_i = 1: 2i/d is divided in whole numbers",
     .sources = "Kyubyong/transformer#81",
     .recorded = {"sin-integer-division-exponent"},
     .make = &integer_division_exponent,
     .setting = "dim=4",
     .refuted_by = &table::has_geometric_wavelengths},
    {.name = "single_row_added_to_all",
     .wrong = "every token gets the row of position n, the length of the call",
     .sources = "DiffPoseTalk#20",
     .recorded = {"sin-single-row-added-to-all"},
     .make = &single_row_added_to_all,
     .setting = "dim=2",
     .refuted_by = &call::agrees_in_chunks},
    {.name = "positions_ignored",
     .wrong = "tokens get the rows of 0 .. n-1, whatever positions were given",
     .sources = "fairseq#3726",
     .recorded = {"sin-positions-argument-ignored"},
     .make = &positions_ignored,
     .setting = "dim=2",
     .refuted_by = &call::takes_positions_in_any_order},
    {.name = "decode_restarts_at_zero",
     .wrong = "after the first call a single token gets the row of 0",
     .sources = "kin of OpenNMT-tf#498",
     .make = &decode_restarts_at_zero,
     .setting = "dim=2",
     .refuted_by = &call::agrees_in_chunks},
    {.name = "odd_tail_unwritten",
     .wrong = "the last column of an odd width holds what the memory held: its zero is written past it",
     .sources = "llama.cpp#15917",
     .recorded = {"sin-odd-d-tail-uninitialised"},
     .make = &odd_tail_unwritten,
     .setting = "dim=3 odd=zero_pad",
     .refuted_by = &table::has_constant_norm},
    {.name = "scaled_down",
     .wrong = "the row is multiplied by 1/sqrt(d)",
     .sources = "kin of dreamer4#4",
     .make = &scaled_down,
     .setting = "dim=2",
     .refuted_by = &table::has_constant_norm},
    {.name = "overwritten_by_init",
     .wrong = "random numbers: a weight initialisation runs after the table was filled",
     .sources = "transformers#29807, transformers#31387",
     .recorded = {"sin-table-overwritten-by-init"},
     .make = &overwritten_by_init,
     .setting = "dim=2",
     .refuted_by = &table::has_constant_norm},
    {.name = "never_added",
     .wrong = "zeros: the row is computed and not added",
     .sources = "pytorch-lightning#19138, CellPLM#19",
     .recorded = {"pe-computed-but-not-added"},
     .make = &never_added,
     .setting = "dim=2",
     .refuted_by = &table::has_constant_norm},
    {.name = "row_of_the_batch_element",
     .wrong = "every token of batch row b gets the row of position b: here that of 0",
     .sources = "numpy-transformer#1, GETNext#2, pytorch-lightning#19138",
     .recorded = {"sin-added-along-batch-axis"},
     .make = &row_of_the_batch_element,
     .setting = "dim=2",
     .refuted_by = &table::has_distinct_positions},
    {.name = "odd_width_raises",
     .wrong =
         "sines and cosines share one vector of frequencies, one too long for the cosines of an odd width: an "
         "error",
     .sources = "pyaptamer#526, BERT-pytorch#78, Informer2020#224",
     .recorded = {"sin-odd-d-crash"},
     .make = &odd_width_raises,
     .setting = "dim=3 odd=truncate"},
}};

}  // namespace posproof::defects_sinusoidal
