#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/encoding.h"
#include "identify/identified_subject.h"

namespace posproof {

// A convention to compare a subject with. `trained`: the buckets, or the rows of a table, that its entries
// look up were compared when it was proposed, and the numbers in them are not those of the parameters.
struct Proposed {
  Candidate candidate;
  bool trained = false;
};

// The conventions that a subject may have, each proposed once.
class Proposals {
 public:
  // Measures the subject: settings of which its numbers may be, and all words of encodings of its kind.
  explicit Proposals(const Unidentified& subject);

  const std::vector<Proposed>& all() const { return proposed_; }

  // Each proposes more, and gives those that are new.
  std::vector<Proposed> with_another_word(const Candidate& answer);  // in the place of one that is disputed
  std::vector<Proposed> in_common_use();  // for a subject so wrong that its numbers cannot be measured

  std::vector<Proposed> on_a_grid();  // for a file whose rows are places of a grid

  // For the file of a bias that is near to no convention with numbers of its own.
  std::vector<Proposed> in_trained_windows();

 private:
  void add(Candidate candidate, bool trained = false);
  std::vector<Proposed> since(std::size_t before) const;
  void propose_for_files();
  void propose_as(const Candidate& candidate);
  void propose_caches(const std::vector<Candidate>& likes);
  void propose_cache(const Rotary& rotary, const Candidate& like, const Precision& precision);
  void propose_measured(const Candidate& like);
  void propose_for(const Subject& subject, const Candidate& like);
  void propose(const Rotary& rotary, const Candidate& like, const Precision& precision);
  void propose(const Table& table, const Candidate& like, const Precision& precision);
  void propose(const Bias& bias, const Candidate& like, const Precision& precision);
  void propose(const auto&, const Candidate&, const Precision&) {}  // nothing of it is measured
  void propose_settings(const Encoding& subject);

  const Unidentified& asked_;
  std::vector<Proposed> proposed_ = {};
  std::set<std::pair<std::string, std::string>> known_ = {};  // their encodings and words
  std::vector<Candidate> likes_ = {};                         // as which the subject was measured
  std::optional<Bias> of_file_ = {};                          // measured last
};

}  // namespace posproof
