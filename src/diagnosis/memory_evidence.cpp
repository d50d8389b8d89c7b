#include "diagnosis/memory_evidence.h"

#include <algorithm>
#include <cstddef>
#include <new>

#include "core/failure.h"
#include "diagnosis/call_fits.h"

namespace posproof {
namespace {

// A recorded call, and its rows whose answer the effect gives after the calls before alone.
struct Telling {
  std::size_t item;
  std::vector<std::size_t> rows;
  bool wrong = false;  // one of them needs the effect
};

std::vector<Telling> telling_calls(const Effect& effect, const std::vector<bool>& by_effect,
                                   const Explained& alone, const Model& model, const Encoding& declared,
                                   const std::vector<Answered>& answered) {
  std::vector<Telling> out;
  std::size_t first = 0;
  for (std::size_t item = 0; item < answered.size(); ++item) {
    const auto& [asked, call, given, near] = answered[item];
    std::vector<RowFit> anew(given.rows());
    try {
      anew = fits(effect, effect.begin(), model, declared, call, given);
    } catch (const Refusal&) {  // it is not defined where the effect then leads to: that tells nothing
    }
    Telling one{item, {}};
    for (std::size_t r = 0; r < anew.size(); ++r) {
      if (!by_effect[first + r] || anew[r].right) continue;
      one.rows.push_back(r);
      one.wrong = one.wrong || !alone.right[first + r];
    }
    if (!one.rows.empty()) out.push_back(std::move(one));
    first += anew.size();
  }
  return out;
}

}  // namespace

bool remembers_as(const Effect& effect, const std::vector<bool>& by_effect, const Explained& alone,
                  const Model& model, const Subject& subject, const Encoding& declared,
                  const std::vector<Answered>& answered) {
  // One call is a proof. Of a subject that is wrong in some calls alone others say nothing, so several are
  // asked; each may start a program.
  constexpr std::size_t most_asked = 4;
  std::size_t asked = 0;
  auto all = telling_calls(effect, by_effect, alone, model, declared, answered);
  // Rows of a batch may be asked one after the other, each of which then remembers the one before.
  std::ranges::stable_sort(all, {}, [&](const Telling& one) { return answered[one.item].call.batch; });
  for (const bool wrong : {true, false})
    for (const Telling& one : all) {
      if (one.wrong != wrong) continue;
      if (asked++ == most_asked) return false;
      const Call& call = answered[one.item].call;
      try {
        subject.renew();
        const std::vector<RowFit> anew =
            fits(effect, effect.begin(), model, declared, call, answer(subject.encoding, call));
        for (const std::size_t r : one.rows)
          if (anew.at(r).right) return true;
      } catch (const std::bad_alloc&) {
        throw;
      } catch (const std::exception&) {  // it does not start again, or declines the call
        return false;
      }
    }
  return false;
}

}  // namespace posproof
