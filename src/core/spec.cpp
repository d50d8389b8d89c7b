#include "core/spec.h"

namespace posproof {

Parameters standard(const EncodingSpec& spec) {
  return with(spec, {});
}

Parameters with(const EncodingSpec& spec, const Parameters& given) {
  return Arguments(spec.parameters, given).parameters();
}

}  // namespace posproof
