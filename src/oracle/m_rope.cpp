#include <string>

#include "catalogue/oracle/m_rope.h"
#include "oracle/axial.h"

namespace posproof {
namespace {

constexpr char nobody = '-';

// A letter a pair: `tthhw-` for two, two, one, and one that is left over.
std::string axes_of_pairs(const Arguments& p, std::size_t pairs) {
  const auto section = [&](std::size_t n) { return static_cast<std::size_t>(p.list("sections")[n]); };
  const std::string ids = "thw";
  std::string all(pairs, nobody);
  if (p.is("assignment", "interleaved")) {
    // As slices [id : 3 section : 3].
    for (std::size_t id = 0; id < 3; ++id)
      for (std::size_t i = id; i < std::min(3 * section(id), pairs); i += 3) all[i] = ids[id];
  } else {
    std::string front;
    if (p.is("assignment", "alternating")) {
      while (front.size() < section(1) + section(2)) front += front.size() % 2 == 0 ? 'h' : 'w';
      front.append(section(0), 't');
    } else {
      for (std::size_t id = 0; id < 3; ++id) front.append(section(id), ids[id]);
    }
    all.replace(0, front.size(), front);
  }
  if (p.is("leftover", "t"))
    for (char& one : all)
      if (one == nobody) one = 't';
  return all;
}

}  // namespace

Encoding oracle::m_rope(const Arguments& p) {
  const std::size_t dim = p.width("dim");
  const std::size_t pairs = (p.width("rotary_dim") == 0 ? dim : p.width("rotary_dim")) / 2;
  const std::string all = axes_of_pairs(p, pairs), numbers = p.word("ids");
  std::vector<AxialPair> rotated;
  for (std::size_t i = 0; i < pairs; ++i) {
    if (all[i] == nobody) continue;
    const bool restarted = p.is("ladder", "restarted");
    const std::size_t before = static_cast<std::size_t>(
        std::count(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(i), all[i]));
    AxialPair one{{.first = i, .second = pairs + i, .frequency = 0, .index = restarted ? before : i}, {}};
    if (p.is("layout", "interleaved")) one.pair.first = i + i, one.pair.second = i + i + 1;
    one.pair.axis = numbers.find(all[i]);
    if (one.pair.axis == std::string::npos) continue;
    one.exponent = {static_cast<std::int64_t>(restarted ? 2 * before : i), static_cast<std::int64_t>(pairs)};
    rotated.push_back(one);
  }
  return axial(dim, p.width("heads"), numbers.size(), std::vector<double>(numbers.size(), p.real("base")),
               std::vector<exact::Scaling>(numbers.size(), exact::Unscaled{}), rotated);
}

}  // namespace posproof
