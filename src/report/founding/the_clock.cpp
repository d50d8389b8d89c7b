#include "report/founding/claim.h"

namespace posproof::report::founding {
namespace {

constexpr std::string_view index = "raw_index_in_a_softmax";
constexpr std::string_view entropy = "Entropy by position and scale";
constexpr std::string_view without = "attention_without_encodings";
constexpr std::string_view normalised = "why_not_the_normalised_index";
constexpr std::string_view clock = "the_clock_with_many_hands";
constexpr std::string_view own = "every_position_is_its_own";
constexpr std::string_view collision = "first_collision_by_format";
constexpr std::string_view sentences = "Two sentences of the same words";
constexpr std::string_view learn = "add_concatenate_or_learn";
constexpr std::string_view counted = "Parameters, counted";
constexpr std::string_view adding = "adding_position_to_a_token";
constexpr std::string_view directions = "directions_of_position";
constexpr std::string_view carries = "what_each_frequency_carries";
constexpr std::string_view depth = "positions_through_depth";
constexpr std::string_view more = "More channels, smaller tokens";
constexpr std::string_view fixed = "A fixed projector separates token and position";

}  // namespace

const std::vector<Claim>& the_clock() {
  static const std::vector<Claim> all = {
      {.id = "D1",
       .says = "Without encodings “Tom bit a dog” and “A dog bit Tom” are the same.",
       .answer = Answer::under_a_condition,
       .why =
           "Without a mask, and if capitals do not matter and a full stop ends both; else they are not the same words. Under a causal mask the last outputs differ from the second block on.",
       .evidence = {Cell{without,
                         sentences,
                         {"tom bit a dog / a dog bit tom", "none", "none"},
                         "last token, 2 blocks"},
                    Cell{without,
                         sentences,
                         {"tom bit a dog / a dog bit tom", "causal", "none"},
                         "last token, 2 blocks"},
                    Cell{without,
                         sentences,
                         {"Tom bit a dog / A dog bit Tom (with capitals: other words)", "none", "none"},
                         "mean, 2 blocks"}}},
      {.id = "D2",
       .says = "The raw index grows large.",
       .answer = Answer::is_true,
       .why = "Its logits grow with the position of the query, and the softmax becomes a choice of one key.",
       .evidence = {Cell{index, entropy, {"index, scale 1"}, "norm of the row at 511"},
                    Cell{index, entropy, {"index, scale 1"}, "s = 0"},
                    Cell{index, entropy, {"index, scale 1"}, "s = 1"},
                    Cell{index, entropy, {"index, scale 1"}, "first query with one key"},
                    Cell{index, entropy, {"index, scale 1/64"}, "first query with one key"}}},
      {.id = "D3",
       .says = "Normalising to [0, 1] gives other encodings for other lengths.",
       .answer = Answer::is_true,
       .why =
           "An added token changes the values of all others but the first, and one token alone is refused.",
       .evidence =
           {Cell{normalised, "An added token changes earlier values", {"t/(L-1)"}, "positions that change"},
            Cell{normalised,
                 "A sequence of one token",
                 {"t/(L-1)"},
                 "value of the one position of a sequence of length 1"},
            OfProperty{"table/is_prefix_stable", "normalized_index"}}},
      {.id = "D4",
       .says = "Concatenation needs more memory and parameters and trains longer.",
       .answer = Answer::under_a_condition,
       .why = "More parameters, as counted. Memory and the time of training were not measured.",
       .evidence = {Cell{learn, counted, {"sinusoidal, 64 channels concatenated"}, "all, against the first"},
                    Cell{learn, counted, {"the same, mapped back to 512"}, "all, against the first"}}},
      {.id = "D5",
       .says = "A smaller encoding adds a hyper-parameter.",
       .answer = Answer::is_true,
       .why = "Its width.",
       .evidence = {Said{learn, counted, "which is one more number to choose"}}},
      {.id = "D6",
       .says = "So both have the same width and are summed.",
       .answer = Answer::definition,
       .why = "It is what the sum requires.",
       .evidence = {Said{learn, counted, "which is one more number to choose"}}},
      {.id = "D7",
       .says = "Each dimension is a sinusoid of the position.",
       .answer = Answer::is_true,
       .why = "Each pair is a hand that moves round the unit circle at one speed.",
       .evidence = {Said{clock, "The hands", "A pair of columns with one frequency"},
                    OfProperty{"table/keeps_pairs_on_the_unit_circle", "sinusoidal"},
                    OfProperty{"table/has_geometric_wavelengths", "sinusoidal"}}},
      {.id = "D8",
       .says = "The wavelengths form a geometric progression from 2π to 10000 · 2π.",
       .answer = Answer::under_a_condition,
       .why =
           "A progression, yes; its end is that of the released code's divisor, not of the paper's formula.",
       .evidence = {Cell{clock, "The slowest hand", {"512"}, "divisor d (paper)"},
                    Cell{clock, "The slowest hand", {"512"}, "share of 10000 · 2π"},
                    Cell{clock, "The slowest hand", {"512"}, "divisor d - 2 (tensor2tensor)"}}},
      {.id = "D9",
       .says = "512 dimensions are 256 pairs.",
       .answer = Answer::is_true,
       .why = "Half as many pairs as dimensions.",
       .evidence = {Said{carries, "The distance, pair by pair", "pairs, i = "}}},
      {.id = "D10",
       .says = "Values to the right alternate between 0 and 1.",
       .answer = Answer::under_a_condition,
       .why = "As long as position times frequency is small.",
       .evidence = {Said{clock, "The matrix", "The last pair of width"}}},
      {.id = "D11",
       .says = "A table of 16 positions in 32 dimensions is shown.",
       .answer = Answer::is_true,
       .why = "The same matrix is drawn.",
       .evidence = {Said{clock, "The matrix", "and alternates sine and cosine"}}},
      {.id = "D12",
       .says = "Any pair, plotted in the plane, lies on the unit circle.",
       .answer = Answer::under_a_condition,
       .why = "Two columns of the same frequency; which those are depends on the layout.",
       .evidence = {Cell{clock, "The hands", {"sine and cosine alternate", "0 and 1"}, "on the unit circle"},
                    Cell{
                        clock, "The hands", {"sine and cosine alternate", "0 and 2"}, "on the unit circle"}}},
      {.id = "D13",
       .says = "The point moves clockwise with the position.",
       .answer = Answer::under_a_condition,
       .why = "With the sine to the right and the cosine up.",
       .evidence = {Cell{clock,
                         "The hands",
                         {"sine and cosine alternate", "0 and 1"},
                         "rotates (first column to the right, second up)"},
                    Cell{clock,
                         "The hands",
                         {"sine and cosine alternate", "1 and 0"},
                         "rotates (first column to the right, second up)"}}},
      {.id = "D14",
       .says = "512 dimensions are 256 hands of a clock.",
       .answer = Answer::is_true,
       .why = "One for each pair.",
       .evidence = {Said{clock, "The hands", "A pair of columns with one frequency"},
                    Said{carries, "The distance, pair by pair", "pairs, i = "}}},
      {.id = "D15",
       .says = "Later hands move more slowly.",
       .answer = Answer::is_true,
       .why = "Each is slower than the one before by the same factor; a hand's own speed is constant.",
       .evidence = {Cell{clock, "Hours, minutes, seconds?", {"512"}, "ratio of neighbouring hands"}}},
      {.id = "D16",
       .says = "Each position is a time of its own on the clock.",
       .answer = Answer::under_a_condition,
       .why =
           "In exact numbers always; narrow formats make some rows equal at small widths, at the narrowest first.",
       .evidence = {Cell{own, "The nearest pair, base 10000", {"16"}, "its D"},
                    Cell{own, "The nearest pair, base 10000", {"512"}, "its D"},
                    Said{collision, "", "the first equal rows"},
                    OfProperty{"table/has_distinct_positions", "sinusoidal"}}},
      {.id = "D17",
       .says = "The first two dimensions of the encoding put a word on a unit circle around itself.",
       .answer = Answer::under_a_condition,
       .why =
           "Where sine and cosine alternate, as does every pair of one frequency; where all sines come first, the first two columns are of two frequencies.",
       .evidence =
           {Said{adding, "What is added", "In the two channels of a pair"},
            Cell{clock, "The hands", {"sine and cosine alternate", "0 and 1"}, "on the unit circle"},
            Cell{clock, "The hands", {"all sines, then all cosines", "0 and 1"}, "on the unit circle"}}},
      {.id = "D18",
       .says = "How are word and position told apart?",
       .answer = Answer::needs_training,
       .why =
           "By scale, or by a fixed projection: both are possible, and without noise least squares for both together needs neither. Which of them a trained model uses is not shown.",
       .evidence = {Cell{adding, more, {"512"}, "scale for 1 % wrong of 32,000"},
                    Said{adding, more, "A token table that is trained can reach any scale"},
                    Said{adding, "Least squares for token and position together",
                         "finds the token and the position with residual"},
                    Said{directions, fixed, "A linear map that removes"}}},
      {.id = "D19",
       .says = "It is amazing that the model does not mix them up.",
       .answer = Answer::answered,
       .why =
           "The width leaves room for both: the rows of a window occupy few directions, and the others are nearly free of its positions. Which directions a trained model uses is not shown.",
       .evidence = {Cell{directions, "Singular values of the table", {"512", "512"}, "99.9 %"},
                    Said{directions, fixed, "A linear map that removes"}}},
      {.id = "D20",
       .says = "How do positions survive many layers?",
       .answer = Answer::answered,
       .why =
           "Through the residual connections: through random layers the tokens of a sequence become more alike, and what is left of their differences has the position: a linear probe reads it after every depth tried, from the tokens less the mean of their sequence. Without residual connections the tokens of a sequence become one vector after a few layers.",
       .evidence =
           {Cell{depth, "With and without the residual stream", {"0"}, "with residual"},
            Cell{depth, "With and without the residual stream", {"24"}, "with residual"},
            Cell{depth, "With and without the residual stream", {"24"}, "spread with"},
            Cell{depth, "With and without the residual stream", {"24"}, "with residual, tokens as they are"},
            Cell{depth, "With and without the residual stream", {"2"}, "without residual"},
            Said{depth, "With and without the residual stream", "Without that sum"}}},
      {.id = "D21",
       .says = "Vectors start at the origin.",
       .answer = Answer::definition,
       .why =
           "A vector is the same wherever its arrow is drawn. For the sum, the token's arrow starts at the origin and the row's at the end of the token's; the arrow from the origin to the end of both is x + p_t.",
       .evidence = {Cell{adding, "What this page answers", {"Vectors start at the origin."}, "shown by"}}},
      {.id = "D22",
       .says = "The encoding is like a clock with many hands.",
       .answer = Answer::under_a_condition,
       .why =
           "As a picture; under the paper's divisor neighbouring hands are in a whole ratio at two widths only.",
       .evidence = {Cell{clock, "Hours, minutes, seconds?", {"8"}, "the ratio"},
                    Cell{clock, "Hours, minutes, seconds?", {"512"}, "ratio of neighbouring hands"}}},
  };
  return all;
}

}  // namespace posproof::report::founding
