#include "diagnosis/as_called.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

namespace posproof {
namespace {

using Numbers = std::vector<std::size_t>;

// The rows of a batch that have the same positions, in the order of the first of each.
std::vector<Numbers> rows_alike(const Call& call, std::size_t tokens) {
  const auto row = [&](std::size_t n) { return std::span(call.positions.whole).subspan(n * tokens, tokens); };
  std::vector<Numbers> out;
  for (std::size_t n = 0; n < call.batch; ++n) {
    const auto same = std::ranges::find_if(
        out, [&](const Numbers& rows) { return std::ranges::equal(row(rows.front()), row(n)); });
    if (same == out.end())
      out.push_back({n});
    else
      same->push_back(n);
  }
  return out;
}

std::vector<Numbers> runs(std::span<const Position> row) {
  std::vector<Numbers> out;
  for (std::size_t n = 0; n < row.size(); ++n) {
    if (n == 0 || row[n] != row[n - 1] + 1) out.emplace_back();
    out.back().push_back(n);
  }
  return out;
}

}  // namespace

std::optional<std::vector<Answered>> as_called(const std::string& takes_positions, const Encoding& declared,
                                               const std::vector<Answered>& answered) {
  const Signature& is = signature(declared);
  if (takes_positions != "offset" || !is.has(Axis::token) || positions_of(declared).axes > 1)
    return std::nullopt;
  std::vector<Answered> out;
  for (const auto& [asked, call, given, near] : answered) {
    const std::size_t tokens = call.batch == 0 ? 0 : call.positions.whole.size() / call.batch;
    if (tokens == 0) continue;
    for (const Numbers& rows : rows_alike(call, tokens)) {
      const Call alike = is.has(Axis::batch) ? take(declared, call, Axis::batch, rows) : call;
      const Tensor of_rows = is.has(Axis::batch) ? take(is.gives, given, Axis::batch, rows) : given;
      for (const Numbers& run : runs(std::span(alike.positions.whole).first(tokens)))
        out.push_back(
            {asked, take(declared, alike, Axis::token, run), take(is.gives, of_rows, Axis::token, run)});
    }
  }
  return out.size() == answered.size() ? std::nullopt : std::optional(std::move(out));
}

}  // namespace posproof
