#include "diagnosis/named_orders.h"

namespace posproof {

std::vector<NamedOrder> named_orders(std::size_t count) {
  const std::size_t half = (count + 1) / 2;
  std::vector<NamedOrder> out = {
      {"evens then odds", [=](std::size_t c) { return c < half ? 2 * c : 2 * (c - half) + 1; }},
      {"both halves interleaved", [=](std::size_t c) { return c % 2 == 0 ? c / 2 : half + c / 2; }}};
  if (count % 2 == 0)
    out.push_back({"the halves are swapped", [=](std::size_t c) { return c < half ? c + half : c - half; }});
  out.push_back({"neighbours are swapped", [=](std::size_t c) { return (c ^ 1) < count ? c ^ 1 : c; }});
  out.push_back({"in reverse order", [=](std::size_t c) { return count - 1 - c; }});
  return out;
}

}  // namespace posproof
