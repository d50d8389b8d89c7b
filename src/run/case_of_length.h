#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/call.h"
#include "core/case.h"
#include "core/precision.h"
#include "run/long_cases.h"

// What long calls (run/long_cases.h) are made of: so many rows of so many tokens, in some arrangement.
namespace posproof::sized {

// Two of `long_sizes`: tokens that fill every tile, and one more.
struct Sizes {
  std::int64_t full, past;
};
// Those that every kind is asked for, and the most.
constexpr Sizes shortest_sizes = {256, 257}, usual_sizes = {1024, most_usual_tokens},
                most_sizes = {4096, 4097};
// Past what a program may set apart for a batch, and past tiles of 512 of queries and of keys at once.
constexpr std::int64_t past_a_buffer = 8257, past_wide_tiles = 577;
// Of points at real coordinates, past chunks of 1,024 and of 2,048: an exact answer takes long there.
constexpr std::int64_t most_real_tokens = 2049;
// Between them, in no tile's size: what a program does for up to so many tokens alone.
constexpr std::array<std::int64_t, 3> between_sizes = {199, 777, 3001};
// Lengths that prompts are cut to or padded to, which fill tiles of 64 or of 96 or bins of a power of two.
constexpr std::array<std::int64_t, 4> filled_sizes = {160, 384, 512, 2048};

// Where positions have several numbers they may repeat a few times: code for whole grids is asked for one
// after the other. Real ones never do; an exact answer takes long there, so that no call is longer than
// usual.
bool fits(std::int64_t tokens, const Domain& domain);

// Of a long call: what each content of the encoding is given in every channel of its first token.
class Contents {
 public:
  Contents(const Encoding& truth, const Precision& precision) : truth_(&truth), precision_(&precision) {}
  std::vector<double> of(std::size_t content) const;
  // Of the first; none where nothing is taken.
  std::vector<double> first() const;
  std::vector<double> of(std::size_t content, const Call& call) const;

 private:
  const Encoding* truth_;
  const Precision* precision_;
};

// Of the token with this number, counted through all rows.
void put_number(Case& into, std::size_t number, std::size_t axis, Position t);

// Of several numbers of a position each is so much behind the one before: none is another in its place.
constexpr Position between_axes = 5;

// Where that row of so many tokens begins: so much behind the first position, where there is room for it, and
// of several numbers none with another.
void begin(Case& into, const Domain& domain, std::size_t row, std::int64_t tokens, Position behind);

// So many tokens, or the most of `long_sizes` that a call of so many rows has room for.
std::int64_t in_room(const Encoding& truth, std::int64_t tokens, std::int64_t rows, std::size_t most);

// A case of agreement: no content is 0, so that every channel shows. Where the call has no room for so many
// tokens, the repaired case has as many as it has.
Case case_of_length(const Encoding& truth, const Domain& domain, std::int64_t tokens,
                    std::string_view arranged, const Contents& contents, std::int64_t rows = 1);

// One row of a rotation, so much behind the first position.
Case case_of_one_row(const Encoding& truth, const Domain& domain, std::int64_t tokens,
                     const std::string& role, const Contents& contents, Position behind = 0);

// Two rows of a rotation, at positions of their own where there is room for it: the second goes on behind
// many tokens that were there before, which fill no tile.
Case case_of_two_rows(const Encoding& truth, const Domain& domain, std::int64_t tokens,
                      std::string_view arranged, const Contents& contents);

// So many rows of so many tokens, whose positions are put into it.
Case case_of_rows_of(const Encoding& truth, const Domain& domain, Position batch, Position tokens,
                     const Contents& contents);

// Rows that begin so far behind each other.
Case case_of_a_batch(const Encoding& truth, const Domain& domain, Position rows, Position tokens,
                     const Contents& contents, Position apart = 19);

// Tokens that are arranged in another way from number `turn` on, or in rows of so many columns.
struct Arranged {
  const char *word, *turn_of;
  std::int64_t turn;
  const char* role;
};

void arrange(Case& into, const Arranged& as);

}  // namespace posproof::sized
