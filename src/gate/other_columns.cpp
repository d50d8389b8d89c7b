#include "gate/other_columns.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <variant>

#include "core/call.h"
#include "run/exhaustive.h"
#include "subject/cache_file.h"
#include "subject/words.h"

namespace posproof {
namespace {

struct Order {
  std::string_view words;
  std::string cosines, sines;  // indices of their columns
};

std::array<Order, 4> orders(std::size_t pairs) {
  const std::string before = fmt::format("[..., :{}]", pairs), behind = fmt::format("[..., {}:]", pairs),
                    even = "[..., 0::2]", odd = "[..., 1::2]";
  return {{{"the cosines of all pairs stand before the sines", before, behind},
           {"the sines of all pairs stand before the cosines", behind, before},
           {"cosine and sine of a pair stand next to each other", even, odd},
           {"sine and cosine of a pair stand next to each other, in this order", odd, even}}};
}

}  // namespace

std::optional<std::string> other_columns(const Encoding& truth, const Subject& subject,
                                         const Expected& expected, const Budget& budget) {
  if (!signature(truth).role || subject.live || !subject.name.starts_with("table:")) return std::nullopt;
  const Words words = parse_words(subject.name);
  if (cache_paths(words.rest).size() != 1) return std::nullopt;
  const std::string precision = words.precision ? subject.name.substr(subject.name.rfind('@')) : "";
  for (const Order& order : orders(pairs_of(truth).size())) {
    const std::string read_so =
        fmt::format("table:{}{},{}{}", words.rest, order.cosines, order.sines, precision);
    try {
      Subject other = open(read_so, expected);
      other.precision = subject.precision;
      const auto verdict = exhaustive(truth, other, budget, false).verdict;
      if (verdict && std::holds_alternative<Holds>(*verdict))
        return fmt::format("{}: `{}` reads them so, and every row is right", order.words, read_so);
    } catch (const std::exception&) {  // the file has no such columns
    }
  }
  return std::nullopt;
}

}  // namespace posproof
