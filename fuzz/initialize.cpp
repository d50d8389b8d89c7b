// libFuzzer begins with the large inputs.
#include "fuzz/harness.h"

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  for (const std::string& input : posproof::fuzz::large_inputs())
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  return 0;
}
