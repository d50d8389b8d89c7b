#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/formats.h"
#include "core/function.h"
#include "core/spec.h"
#include "core/tensor.h"
#include "identify/identified.h"
#include "subject/subject.h"

namespace posproof {

struct IdentifyOptions {
  std::optional<std::size_t> dim = {}, heads = {};  // that a live subject is asked with
  std::chrono::milliseconds call_time{20000};       // longest time for one answer
  bool sandbox = false;
  Function<void(std::string_view what)> progress = {};
};

// The shapes that a program is asked with as this encoding, the first of which it may have been built for.
std::vector<Parameters> shapes_of(const EncodingSpec& spec, const IdentifyOptions& options);

struct Narrow;

// A subject of which nobody says what it is.
class Unidentified {
 public:
  // Starts a program, taken for one encoding after the other until it takes part and answers; of a file,
  // looks at the shapes of its arrays. Throws as open() does.
  Unidentified(std::string_view words, IdentifyOptions options);
  // One that answers already, as opened for that candidate.
  Unidentified(Subject live, Candidate taken_for);

  // The same program, started as the next encoding of another kind, or of positions of another number of
  // axes, that it answers, a layer of attention as biases of another number of heads; none of a file, and
  // where there is no other.
  std::optional<Unidentified> taken_otherwise() const;

  bool live() const { return live_.has_value(); }
  // What a program was taken for when it answered.
  const Candidate& taken_for() const { return taken_for_; }
  const Subject& subject() const { return *live_; }

  // Of a file: one array or two, without axes of one element in front.
  const std::vector<Shape>& shapes() const { return shapes_; }

  // The same file with one array read otherwise: [dim, n] and [dim, rows, columns] whose columns are all as
  // long as rows of sines are, [nq, nk, heads] of as many queries as keys. Its shape is then that of the
  // usual order; open() finds out by itself.
  std::optional<Unidentified> in_another_order() const;
  bool is_in_another_order() const { return in_another_order_; }

  // Of a file with one array: from the first of its columns to behind the last that is not 0 in all of its
  // first rows. None where all are 0.
  struct Columns {
    std::size_t begin, end;
  };
  std::optional<Columns> columns_in_use() const;

  // Of two files, cosines and sines: how many of their first rows rotate nothing.
  std::size_t still_rows() const;

  // Of a file all of whose numbers are of a format with fewer digits than its own, an f32 with the numbers of
  // a bf16 for one: the same file, in that precision. None of a program, of a file whose words have a
  // precision, and where no format has them all.
  std::optional<Narrow> in_fewer_digits() const;
  std::string_view words() const { return words_; }

  // The subject as that convention has it: of a file its arrays, of a program the one that runs. Throws as
  // open() does where a file has another shape.
  Subject as(const Candidate& candidate) const;
  // The same, of which the encoding in every kind is known.
  Subject as(const Candidate& candidate, std::vector<Encoding> kinds) const;

 private:
  using Questions = std::pair<std::string, std::size_t>;  // kind and axes

  bool start(std::vector<std::string>& failed);
  std::string not_started(const std::vector<std::string>& failed) const;
  bool next_layer();
  bool is_asked_already(const Candidate& candidate) const;
  bool started(const Candidate& candidate, std::vector<std::string>& failed);

  std::string words_;
  IdentifyOptions options_;
  std::optional<Subject> live_;
  Candidate taken_for_;
  std::vector<Questions> asked_already_;
  std::string no_answer_;   // what came of the first call of one that takes part and answers none
  std::size_t layers_ = 0;  // of the numbers of heads, how many a layer was asked with
  std::vector<Shape> shapes_;
  bool in_another_order_ = false;
};

// In the precision that its numbers have, and the format that they are stored in.
struct Narrow {
  Unidentified subject;
  Format stored_in;
};

}  // namespace posproof
