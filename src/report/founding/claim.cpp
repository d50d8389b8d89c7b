#include "report/founding/claim.h"

#include <array>

namespace posproof::report::founding {

std::span<const Source> sources() {
  static const std::array<Source, 5> all = {
      {{'A', "Questions and answers: why encodings, and why not the normalised index", why_encodings()},
       {'B', "A blog post: rows on a sphere, and two ways to encode positions", the_sphere()},
       {'C', "Questions and answers: why the sum, the amplitude, sine and cosine", the_sum()},
       {'D', "Notes: the clock with many hands", the_clock()},
       {'E', "A forum on the chapter of d2l.ai on self-attention", attention_in_d2l()}}};
  return all;
}

}  // namespace posproof::report::founding
