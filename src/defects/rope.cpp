#include <initializer_list>

#include "catalogue/defects/rope.h"
#include "defects/rope_angles.h"
#include "defects/rope_calls.h"
#include "defects/rope_channels.h"
#include "defects/rope_ladders.h"
#include "defects/rope_positions.h"

namespace posproof::defects_rope {
namespace {

using namespace wrong_ropes;

std::vector<Defect> joined(std::initializer_list<const std::vector<Defect>*> parts) {
  std::vector<Defect> out;
  for (const std::vector<Defect>* part : parts) out.insert(out.end(), part->begin(), part->end());
  return out;
}

}  // namespace

const DefectFamily entry{joined({&angles, &ladders, &channels, &calls, &positions})};

}  // namespace posproof::defects_rope
