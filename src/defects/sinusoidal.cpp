#include <cmath>
#include <memory>
#include <numeric>

#include "catalogue/defects/sinusoidal.h"
#include "catalogue/encodings/sinusoidal.h"
#include "catalogue/properties/call/agrees_in_chunks.h"
#include "catalogue/properties/call/takes_positions_in_any_order.h"
#include "catalogue/properties/table/has_constant_norm.h"
#include "catalogue/properties/table/has_geometric_wavelengths.h"
#include "encodings/seeded.h"

namespace posproof {
namespace {

using PositionVector = std::vector<Position>;

Table right(const Parameters& parameters) {
  return std::get<Table>(encodings::sinusoidal.make(parameters));
}

// The rows that the parameters ask for, of other positions.
Encoding at_positions(const Parameters& parameters,
                      std::function<PositionVector(std::span<const Position>)> other) {
  Table table = right(parameters);
  table.rows = [rows = table.rows, other](std::span<const Position> positions, Position length) {
    return rows(other(positions), length);
  };
  return table;
}

// The rows that the parameters ask for, changed afterwards.
Encoding changed(const Parameters& parameters, std::function<void(Tensor& rows)> change) {
  Table table = right(parameters);
  table.rows = [rows = table.rows, change](std::span<const Position> positions, Position length) {
    Tensor out = rows(positions, length);
    change(out);
    return out;
  };
  return table;
}

// Its own frequencies for sine and cosine, on the parameters' columns.
Encoding with_frequencies(const Parameters& parameters, const std::function<Pair(const Pair&)>& of_sine,
                          const std::function<Pair(const Pair&)>& of_cosine) {
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

Encoding single_row_added_to_all(const Parameters& p) {
  return at_positions(p, [](std::span<const Position> positions) {
    return PositionVector(positions.size(), static_cast<Position>(positions.size()));
  });
}

Encoding positions_ignored(const Parameters& p) {
  return at_positions(p, [](std::span<const Position> positions) {
    PositionVector out(positions.size());
    std::iota(out.begin(), out.end(), Position{0});
    return out;
  });
}

Encoding decode_restarts_at_zero(const Parameters& p) {
  return at_positions(p, [called = std::make_shared<bool>(false)](std::span<const Position> positions) {
    PositionVector out(positions.begin(), positions.end());
    if (*called && out.size() == 1) out[0] = 0;
    *called = true;
    return out;
  });
}

// The zero is written one column further on: into the next row, and past the end of the last.
Encoding odd_tail_unwritten(const Parameters& p) {
  const Table table = right(p);
  if (table.dim % 2 == 0 || table.lone)
    throw Refusal("only a zero column is written: `odd=zero_pad` and an odd `dim`");
  return changed(p, [](Tensor& rows) {
    constexpr double left_from_before = 1;
    for (std::size_t r = 0; r < rows.rows(); ++r) {
      rows.row(r).back() = left_from_before;
      if (r > 0) rows.at(r, 0) = 0;
    }
  });
}

Encoding scaled_down(const Parameters& p) {
  if (p.real("dim") == 1) throw Refusal("the same for a width of 1");
  return changed(p, [factor = 1 / std::sqrt(p.real("dim"))](Tensor& rows) {
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
  return changed(p, [](Tensor& rows) { rows.data.assign(rows.data.size(), 0.0); });
}

using namespace properties;

}  // namespace

const DefectFamily defects::sinusoidal{{
    {"base_1000_odd_cosine", "sines at 1000^(-2i/d) and cosines at 1000^(-(2i+1)/d)",
     "maxjcohen/transformer#62", &base_1000_odd_cosine, "dim=2", &table::has_constant_norm},
    {"integer_division_exponent", "w_i = 1: 2i/d is divided in whole numbers", "Kyubyong/transformer#81",
     &integer_division_exponent, "dim=4", &table::has_geometric_wavelengths},
    {"single_row_added_to_all", "every token gets the row of position n, the length of the call",
     "annotated_deep_learning_paper_implementations#133, DiffPoseTalk#20", &single_row_added_to_all, "dim=2",
     &call::agrees_in_chunks},
    {"positions_ignored", "tokens get the rows of 0 .. n-1, whatever positions were given", "fairseq#3726",
     &positions_ignored, "dim=2", &call::takes_positions_in_any_order},
    {"decode_restarts_at_zero", "after the first call a single token gets the row of 0", "OpenNMT-tf#498",
     &decode_restarts_at_zero, "dim=2", &call::agrees_in_chunks},
    {"odd_tail_unwritten", "the zero of an odd width is written past its column, into the next row",
     "llama.cpp#15917", &odd_tail_unwritten, "dim=3 odd=zero_pad", &table::has_constant_norm},
    {"scaled_down", "the code times 1/sqrt(d)", "dreamer4#4", &scaled_down, "dim=2",
     &table::has_constant_norm},
    {"overwritten_by_init", "random numbers: a weight initialisation runs after the table was filled",
     "transformers#29807, transformers#31387, transformers#44454", &overwritten_by_init, "dim=2",
     &table::has_constant_norm},
    {"never_added", "zeros: the code is made and dropped", "pytorch-lightning#19138, CellPLM#19",
     &never_added, "dim=2", &table::has_constant_norm},
}};

}  // namespace posproof
