#include "run/batch_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

namespace posproof {
namespace {

class Asking {
 public:
  Asking(const Walk& walk, const Walk::Rows& done, Walked& walked)
      : walk_(walk), done_(done), walked_(walked) {}

  // False where the walk is over.
  bool batch(Position first, Position rows) {
    const std::uint64_t before = walked_.declined;
    const bool goes_on = ask(first, rows, declines_);
    declines_ = walked_.declined - before == static_cast<std::uint64_t>(rows);
    return goes_on;
  }

 private:
  // A subject that declines the whole of a batch has probably come to its end: what follows is asked at its
  // ends first, and where both are declined, so is what is between them.
  bool ask(Position first, Position rows, bool ends_first) {
    if (rows == 0) return true;
    try {
      walk_.rows(first, static_cast<std::size_t>(rows));
      done_(first, static_cast<std::size_t>(rows));
      return true;
    } catch (const Refusal&) {
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {
      walked_.errored = Errored{error.what(), walk_.again(first)};
      return false;
    }
    if (rows == 1) {
      ++walked_.declined;
      return true;
    }
    if (!ends_first || rows == 2)
      return ask(first, rows / 2, false) && ask(first + rows / 2, rows - rows / 2, false);
    const std::uint64_t before = walked_.declined;
    if (!ask(first, 1, false) || !ask(first + rows - 1, 1, false)) return false;
    if (walked_.declined - before < 2) return ask(first + 1, rows - 2, false);
    walked_.declined += static_cast<std::uint64_t>(rows - 2);
    return true;
  }

  const Walk& walk_;
  const Walk::Rows& done_;
  Walked& walked_;
  bool declines_ = false;
};

}  // namespace

Walked Walk::along(Position first, Position last, const Rows& done) const {
  Walked walked;
  Asking asking(*this, done, walked);
  for (Position t = first; t <= last;) {
    if (deadline && std::chrono::steady_clock::now() >= *deadline) {
      walked.stopped = fmt::format("out of time: positions {} to {} were not compared", t, last);
      break;
    }
    const Position past = (t % batch + batch) % batch;
    const Position stop = std::min(last + 1, t - past + batch);
    if (!asking.batch(t, stop - t)) break;
    t = stop;
    if (progress) progress(t - first, last - first + 1);
  }
  return walked;
}

}  // namespace posproof
