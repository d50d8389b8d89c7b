#include "run/batch_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "core/failure.h"
#include "search/budget_clock.h"
#include "search/case_result.h"

namespace posproof {
namespace {

class Asking {
 public:
  Asking(const BatchSweep& sweep, const BatchSweep::Rows& done, SweepResult& swept)
      : sweep_(sweep), done_(done), swept_(swept) {}

  // False where the walk is over.
  bool batch(Position first, Position rows) {
    const std::uint64_t before = swept_.declined;
    const bool goes_on = ask(first, rows, declines_);
    declines_ = swept_.declined - before == static_cast<std::uint64_t>(rows);
    return goes_on;
  }

 private:
  // A subject that declines the whole of a batch has probably come to its end: what follows is asked at its
  // ends first, and where both are declined, so is what is between them.
  bool ask(Position first, Position rows, bool ends_first) {
    if (rows == 0) return true;
    try {
      sweep_.rows(first, static_cast<std::size_t>(rows));
      done_(first, static_cast<std::size_t>(rows));
      return true;
    } catch (const Refusal&) {
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const Failure& failure) {
      CaseResult failing = ended_by(failure);
      failing.drawn.values = sweep_.again(first);
      swept_.failed = std::get<Refuted>(verdict_of(failing, 1));
      return false;
    } catch (const std::exception& error) {
      swept_.errored = Errored{error.what(), sweep_.again(first)};
      return false;
    }
    if (rows == 1) {
      if (swept_.declined++ == 0) swept_.first_declined = first;
      return true;
    }
    if (!ends_first || rows == 2)
      return ask(first, rows / 2, false) && ask(first + rows / 2, rows - rows / 2, false);
    const std::uint64_t before = swept_.declined;
    if (!ask(first, 1, false) || !ask(first + rows - 1, 1, false)) return false;
    if (swept_.declined - before < 2) return ask(first + 1, rows - 2, false);
    swept_.declined += static_cast<std::uint64_t>(rows - 2);
    return true;
  }

  const BatchSweep& sweep_;
  const BatchSweep::Rows& done_;
  SweepResult& swept_;
  bool declines_ = false;
};

}  // namespace

SweepResult BatchSweep::along(Position first, Position last, const Rows& done) const {
  SweepResult swept;
  Asking asking(*this, done, swept);
  for (Position t = first; t <= last;) {
    if (deadline && BudgetClock::now() >= *deadline) {
      swept.stopped = fmt::format("out of time: {} were not compared",
                                  words ? words(t, last) : fmt::format("positions {} to {}", t, last));
      break;
    }
    const Position past = (t % batch + batch) % batch;
    const Position stop = std::min(last + 1, t - past + batch);
    if (!asking.batch(t, stop - t)) break;
    t = stop;
    if (progress) progress(t - first, last - first + 1);
  }
  return swept;
}

}  // namespace posproof
