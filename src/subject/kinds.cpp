#include "subject/kinds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/call.h"

namespace posproof {

const Encoding& choose(std::string_view subject, const std::vector<std::string>& implemented,
                       const Expected& expected) {
  std::vector<std::string_view> askable;
  for (const Encoding& declared : expected.declared) {
    if (std::find(implemented.begin(), implemented.end(), signature(declared).call) != implemented.end())
      return declared;
    askable.push_back(signature(declared).call);
  }
  throw SubjectError(fmt::format("{}: implements {}; `{}` can be asked as {}", subject,
                                 fmt::join(implemented, ", "), expected.encoding, fmt::join(askable, ", ")));
}

Domain within(const Domain& subjects, const Domain& domain) {
  Domain result = subjects;
  std::copy_if(domain.hard.begin(), domain.hard.end(), std::back_inserter(result.hard),
               [&](Position t) { return t >= subjects.lo && t <= subjects.hi; });
  return result;
}

}  // namespace posproof
