#include "run/drawn_names.h"

#include <algorithm>
#include <sstream>
#include <vector>

namespace posproof {
namespace {

constexpr const char* of_several_kinds =
    "a arranged arrangedk arrangedq axis b batch block by c# doublings f far first i i# "
    "inside j j# k kept keys later m mask n near nk nq packed packedk packedq padding paddingk "
    "paddingq pairs permutation prefill q queries reach role row s s# shuffle shuffled "
    "shuffledk shuffledq shufflek shuffleq side t t# then tk# tokens tq# u unseen v weights x y";

std::vector<DrawnName> all_names() {
  // Three that are parameters of encodings of another kind.
  std::vector<DrawnName> out = {{"c", "table"}, {"rows", "table"}, {"step", "bias"}};
  std::istringstream words(of_several_kinds);
  for (std::string word; words >> word;) out.push_back({word});
  return out;
}

}  // namespace

std::span<const DrawnName> drawn_names() {
  static const std::vector<DrawnName> names = all_names();
  return names;
}

std::string without_number(std::string_view name) {
  std::string out(name.substr(0, name.find('_')));
  const std::size_t letters = out.find_last_not_of("0123456789") + 1;
  return letters == out.size() ? out : out.substr(0, letters) + "#";
}

bool is_drawn(std::string_view name, const Encoding& encoding) {
  return std::ranges::any_of(drawn_names(), [&](const DrawnName& one) {
    const bool same = one.name == name || (one.name.ends_with('#') && one.name == without_number(name));
    return same && (one.kind.empty() || one.kind == kind(encoding));
  });
}

}  // namespace posproof
