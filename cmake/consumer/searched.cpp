// RoPE and a table of wrong norm, each asked one of posproof's properties.
#include <cstdio>
#include <variant>

#include "catalogue/encodings/raw_index.h"
#include "catalogue/encodings/rope.h"
#include "catalogue/properties/score/depends_on_offset.h"
#include "catalogue/properties/table/has_constant_norm.h"
#include "search/trial.h"

using namespace posproof;

namespace {

Verdict verdict(const Property& property, const Encoding& encoding) {
  return search(*trial(property, encoding, all_f64), {.seed = 1, .id = "consumer", .budget = {.cases = 50}});
}

}  // namespace

int main() {
  const Encoding rope = encodings::rope.make(standard(encodings::rope));
  const Encoding index = encodings::raw_index.make(standard(encodings::raw_index));
  const bool offset = std::holds_alternative<Holds>(verdict(properties::score::depends_on_offset, rope));
  const bool norm = std::holds_alternative<Refuted>(verdict(properties::table::has_constant_norm, index));
  std::printf("rope depends on the offset: %d; raw_index has no constant norm: %d\n", offset, norm);
  return offset && norm ? 0 : 1;
}
