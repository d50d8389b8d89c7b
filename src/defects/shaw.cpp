#include "catalogue/defects/shaw.h"

#include "catalogue/encodings/shaw.h"
#include "catalogue/properties/score/depends_on_offset.h"
#include "defects/operators.h"

namespace posproof::defects_shaw {
namespace {

using namespace operators;

Encoding indexed_absolutely(const Parameters& p) {
  return asked_for(encodings::shaw.make(p), [](Call& call) { std::ranges::fill(call.positions.whole, 0); });
}

}  // namespace

const DefectFamily entry{{
    {.name = "indexed_absolutely",
     .wrong = "the vector is that of the key's position in the window, not of its offset from the query",
     .sources = "kin of MartinGer/Stand-Alone-Self-Attention-in-Vision-Models#1",
     .make = &indexed_absolutely,
     .setting = "dim=1 clip=2",
     .refuted_by = &properties::score::depends_on_offset},
}};

}  // namespace posproof::defects_shaw
