#include <cstddef>
#include <string>
#include <vector>

#include "catalogue/encodings/mixed_rope.h"
#include "catalogue/misreadings/mixed_rope.h"
#include "encodings/seeded.h"
#include "misreadings/right.h"

namespace posproof::misreadings_mixed_rope {
namespace {

struct Extents {
  std::size_t axes, heads, pairs;
};

// Where the frequency of a head's pair on an axis is read in a table of these extents.
using Place = std::size_t (*)(const Extents& of, std::size_t axis, std::size_t head, std::size_t pair);

std::vector<double> table_of(const Arguments& p, std::size_t count) {
  if (p.is("table", "given")) return p.list("frequencies");
  std::vector<double> out;
  for (std::size_t n = 0; n < count; ++n)
    out.push_back(seeded(static_cast<std::uint64_t>(p.whole("table_seed")), n, p.real("std")));
  return out;
}

template <Place place, bool of_heads>
Encoding reads(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::mixed_rope, given);
  const Extents of{p.width("axes"), p.flag("shared") ? 1 : p.width("heads"), p.width("dim") / 2};
  if (of_heads && of.heads == 1) throw Refusal("said of several heads");
  const std::vector<double> declared = table_of(p, of.axes * of.heads * of.pairs);
  std::vector<double> read;
  for (std::size_t axis = 0; axis < of.axes; ++axis)
    for (std::size_t head = 0; head < of.heads; ++head)
      for (std::size_t pair = 0; pair < of.pairs; ++pair)
        read.push_back(declared.at(place(of, axis, head, pair)));
  if (read == declared) throw Refusal("the same table");
  Parameters other = p.parameters();
  other.set("table", std::string("given"));
  other.set("frequencies", read);
  return encodings::mixed_rope.make(other);
}

std::size_t right(const Extents& of, std::size_t axis, std::size_t head, std::size_t pair) {
  return (axis * of.heads + head) * of.pairs + pair;
}
std::size_t heads_reversed(const Extents& of, std::size_t axis, std::size_t head, std::size_t pair) {
  return right(of, axis, of.heads - 1 - head, pair);
}
std::size_t first_head(const Extents& of, std::size_t axis, std::size_t, std::size_t pair) {
  return right(of, axis, 0, pair);
}
std::size_t next_head(const Extents& of, std::size_t axis, std::size_t head, std::size_t pair) {
  return right(of, axis, (head + 1) % of.heads, pair);
}
std::size_t pairs_reversed(const Extents& of, std::size_t axis, std::size_t head, std::size_t pair) {
  return right(of, axis, head, of.pairs - 1 - pair);
}
std::size_t heads_before_axes(const Extents& of, std::size_t axis, std::size_t head, std::size_t pair) {
  return (head * of.axes + axis) * of.pairs + pair;
}
std::size_t pairs_before_heads(const Extents& of, std::size_t axis, std::size_t head, std::size_t pair) {
  return (axis * of.pairs + pair) * of.heads + head;
}
std::size_t axes_last(const Extents& of, std::size_t axis, std::size_t head, std::size_t pair) {
  return (head * of.pairs + pair) * of.axes + axis;
}

constexpr std::string_view several = "dim=8 heads=3 shared=false";

}  // namespace

const MisreadingFamily entry{{
    {"heads have each other's frequencies, in reverse order", &reads<heads_reversed, true>, several},
    {"all heads have the frequencies of the first", &reads<first_head, true>, several},
    {"every head has the frequencies of the next one, the last of the first", &reads<next_head, true>,
     several},
    {"pairs have each other's frequencies, in reverse order", &reads<pairs_reversed, false>, several},
    {"the table is read as [heads, axes, pairs], not [axes, heads, pairs]", &reads<heads_before_axes, true>,
     several},
    {"the table is read as [axes, pairs, heads], not [axes, heads, pairs]", &reads<pairs_before_heads, true>,
     several},
    {"the table is read as [heads, pairs, axes], not [axes, heads, pairs]", &reads<axes_last, false>,
     several},
}};

}  // namespace posproof::misreadings_mixed_rope
