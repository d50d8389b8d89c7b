#include <algorithm>
#include <array>
#include <cstdint>

#include "catalogue/encodings/relative_table.h"
#include "catalogue/misreadings/relative_table.h"
#include "encodings/seeded.h"
#include "misreadings/right.h"

namespace posproof::misreadings_relative_table {
namespace {

// Which of the last three rows of the table stands for a class token: as a query, as a key, as both.
using ClassRows = std::array<std::int64_t, 3>;

bool is_class(const Positions& tokens, std::size_t token) {
  return std::min(tokens.at(token, 0), tokens.at(token, 1)) < 0;
}

template <ClassRows rows>
Encoding reads(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::relative_table, given);
  if (p.is("axes", "line") || p.is("class_token", "none")) throw Refusal("a misreading of a class token");
  const std::int64_t first = (2 * p.whole("height") - 1) * (2 * p.whole("width") - 1);
  const bool index = p.is("table", "index");
  const auto seed = static_cast<std::uint64_t>(p.whole("table_seed"));
  Bias out = misread::right<Bias>(encodings::relative_table, given);
  out.bias = [=, own = out.bias, heads = out.heads, scale = p.real("scale")](const Positions& queries,
                                                                             const Positions& keys) {
    Tensor all = own(queries, keys);
    for (std::size_t i = 0; i < queries.size(); ++i)
      for (std::size_t j = 0; j < keys.size(); ++j) {
        const bool query = is_class(queries, i), key = is_class(keys, j);
        if (!query && !key) continue;
        const std::int64_t row = first + rows[query && key ? 2 : key ? 1 : 0];
        for (std::size_t h = 0; h < heads; ++h)
          all.at(h * queries.size() + i, j) =
              scale * (index ? static_cast<double>(row + (first + 3) * static_cast<std::int64_t>(h))
                             : seeded(seed, static_cast<std::uint64_t>(row) * heads + h, 1.0));
      }
    return all;
  };
  return out;
}

constexpr std::string_view with_class = "heads=2 height=3 width=4 class_token=three_rows";

}  // namespace

const MisreadingFamily entry{{
    {"the rows of the class token as a query and as a key are exchanged", &reads<ClassRows{1, 0, 2}>,
     with_class},
    {"the class token has one row as a query and as a key", &reads<ClassRows{0, 0, 2}>, with_class},
    {"the class token has for itself the row that it has as a query", &reads<ClassRows{0, 1, 0}>, with_class},
    {"the class token has for itself the row that it has as a key", &reads<ClassRows{0, 1, 1}>, with_class},
    {"the rows of the class token stand in reverse order: as both, as a key, as a query",
     &reads<ClassRows{2, 1, 0}>, with_class},
}};

}  // namespace posproof::misreadings_relative_table
