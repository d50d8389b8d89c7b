#include "report/founding/cited.h"
#include "report/founding/claim.h"

namespace posproof::report::founding {
namespace {

constexpr std::string_view sphere = "constant_norm_and_the_sphere";
constexpr std::string_view ends = "A learned table ends";
constexpr std::string_view beside = "What is not added";
constexpr std::string_view fires = "only who can prevent forest fires / who can prevent forest fires only";
constexpr std::string_view wide = "Does a wide encoding move tokens further apart?";
constexpr std::string_view differences = "Differences of tokens";

}  // namespace

const std::vector<Claim>& the_sphere() {
  static const std::vector<Claim> all = {
      {.id = "B1",
       .says = "A context is a matrix of row vectors, one for each token.",
       .answer = Answer::definition,
       .why = "It is the shape that every report uses.",
       .evidence = {Said{learn, counted, "A context of n tokens is a matrix"}}},
      {.id = "B2",
       .says =
           "Somewhere in attention the position is lost, so that “only who can prevent forest fires” and “who can prevent forest fires only” look the same.",
       .answer = Answer::under_a_condition,
       .why =
           "It is not lost but never used: without a mask the means are the same, and the tokens' outputs are the same in another order.",
       .evidence = {Cell{without, sentences, {fires, "none", "none"}, "mean, 2 blocks"},
                    Cell{without, sentences, {fires, "none", "none"}, "last token, 2 blocks"},
                    Cell{without, sentences, {fires, "none", "sinusoidal"}, "mean, 2 blocks"}}},
      {.id = "B3",
       .says = "Positions are numbered from 1 in the text and from 0 in the program.",
       .answer = Answer::is_true,
       .why =
           "And it does dot products no harm: at even widths, and at odd ones with a last column of zeros, the shift multiplies every row by the same rotation, so that mutual dot products agree, though the rows do not.",
       .evidence = {OfProperty{"table/shifts_base_by_a_rotation", "sinusoidal"},
                    OfProperty{"table/dot_product_depends_on_offset", "sinusoidal"}}},
      {.id = "B4",
       .says = "The paper has two ways: one without parameters and a learned table.",
       .answer = Answer::is_true,
       .why = "The parameters were counted.",
       .evidence = {Cell{learn, counted, {"sinusoidal, added"}, "its own parameters"},
                    Cell{learn, counted, {"learned, added"}, "its own parameters"}}},
      {.id = "B5",
       .says = "Column k has the exponent k/d for even k and (k-1)/d for odd k.",
       .answer = Answer::is_true,
       .why = "The same as `2i/d`; with `2k/d` the frequencies are squared.",
       .evidence = {Cell{recipes, "The exponent of a column", {"3"}, "2i/d"},
                    Cell{recipes, "The exponent of a column", {"3"}, "2k/d, k = 2i"}}},
      {.id = "B6",
       .says = "Every row lies on the sphere of radius √(d/2).",
       .answer = Answer::under_a_condition,
       .why =
           "For even widths; of the ways to fill an odd one that were tried only with a last column of zeros, and then with the radius of the width below.",
       .evidence = {Cell{sphere, "Even widths", {"512"}, "largest norm"},
                    Cell{sphere, "Even widths", {"512"}, "constant"},
                    Cell{sphere, "Odd widths", {"7", "a sine without its cosine"}, "constant"},
                    Cell{sphere, "Odd widths", {"7", "zero"}, "constant"}}},
      {.id = "B7",
       .says = "So the vocabulary is moved by equal amounts in different directions.",
       .answer = Answer::under_a_condition,
       .why = "For even widths: the norms are equal, and no two rows are.",
       .evidence = {Cell{sphere, "Even widths", {"64"}, "constant"},
                    Cell{own, "The nearest pair, base 10000", {"64"}, "its D"}}},
      {.id = "B8",
       .says = "The program computes the exponents as (k >> 1) << 1 over d.",
       .answer = Answer::is_true,
       .why = "For odd widths as well.",
       .evidence = {Said{recipes, "The exponent of a column", "so it is right for odd widths as well"}}},
      {.id = "B9",
       .says = "Printed: the table of angles for 4 positions at width 8.",
       .answer = Answer::is_true,
       .why = "All its digits.",
       .evidence = {Said{recipes, "Printed tables", "are the exact ones, rounded"}}},
      {.id = "B10",
       .says = "Printed: the table of encodings for 4 positions at width 8.",
       .answer = Answer::under_a_condition,
       .why =
           "Of single precision: the last digit of one entry is another in exact numbers. Some of the entries that are printed as one are less.",
       .evidence = {Said{recipes, "Printed tables", "are the exact ones, rounded"},
                    Said{recipes, "Printed tables", "with every step rounded once"},
                    Said{recipes, "Printed tables", "are less than"}},
       .on_paper = "true to the five printed digits, of all entries."},
      {.id = "B11",
       .says = "Printed: all norms are 2 at width 8.",
       .answer = Answer::is_true,
       .why = "`√(8/2)`.",
       .evidence = {Cell{
           sphere, "Against the derivation", {"width 8, positions 0 to 3: all norms"}, "measured"}}},
      {.id = "B12",
       .says = "The program works for every width.",
       .answer = Answer::under_a_condition,
       .why = "It runs for odd widths, but their rows do not have a constant norm.",
       .evidence = {Cell{sphere, "Odd widths", {"7", "a sine without its cosine"}, "smallest norm"},
                    Cell{sphere, "Odd widths", {"7", "a sine without its cosine"}, "largest norm"}}},
      {.id = "B13",
       .says = "A table of a fixed length is added to the embeddings.",
       .answer = Answer::under_a_condition,
       .why =
           "Right for inputs of that length alone; one token is broadcast to the whole table without an error.",
       .evidence = {Cell{learn, ends, {"8"}, "rows of the sum with a table of 8 rows"},
                    Cell{learn, ends, {"7"}, "rows of the sum with a table of 8 rows"},
                    Cell{learn, ends, {"1"}, "rows of the sum with a table of 8 rows"}}},
      {.id = "B14",
       .says = "A learned table is less code and more parameters; the paper reports nearly the same results.",
       .answer = Answer::is_true,
       .why = "As a report; its numbers are from trained models and were not measured again.",
       .evidence = {Said{learn, ends, "Trained models of both kinds"},
                    Cell{learn, counted, {"learned, added"}, "its own parameters"}}},
      {.id = "B15",
       .says = "So both are about equally effective.",
       .answer = Answer::under_a_condition,
       .why =
           "Within the trained length, on that task: a learned table ends, and what lies beyond is not defined.",
       .evidence = {Cell{learn, ends, {"511"}, "learned table of 512 rows"},
                    Cell{learn, ends, {"512"}, "learned table of 512 rows"},
                    Cell{learn, ends, {"512"}, "sinusoidal"},
                    Said{learn, ends, "does not say that a trained model can use it"}}},
      {.id = "B16",
       .says =
           "RoPE and ALiBi change the score of query and key instead: by rotations, and by a penalty that grows with the distance.",
       .answer = Answer::is_true,
       .why = "Neither touches the values.",
       .evidence = {Cell{learn, beside, {"RoPE"}, "touches the values"},
                    Cell{learn, beside, {"ALiBi, 4 heads"}, "touches the values"},
                    Cell{learn, beside, {"sinusoidal, added"}, "touches the values"},
                    OfProperty{"bias/falls_with_distance", "alibi"}}},
      {.id = "B17",
       .says = "With the width, points at different positions are pushed further apart.",
       .answer = Answer::under_a_condition,
       .why =
           "In absolute terms; relative to tokens of unit variance the radius is the same at every width, and neighbours are nearer in wider rows, at the widths shown.",
       .evidence = {Cell{sphere, wide, {"16"}, "D(1)"}, Cell{sphere, wide, {"1024"}, "D(1)"},
                    Cell{sphere, wide, {"16"}, "radius / √d"}, Cell{sphere, wide, {"1024"}, "radius / √d"},
                    Cell{sphere, wide, {"16"}, "D(1) / √d"}, Cell{sphere, wide, {"1024"}, "D(1) / √d"}}},
      {.id = "B18",
       .says = "Meaning may be in the differences of words, not in their location.",
       .answer = Answer::under_a_condition,
       .why =
           "At equal positions, where the same row is added to all words; at different positions a difference changes by the difference of the rows.",
       .evidence = {Said{adding, differences, "Adding one row to every token is a translation"},
                    Said{adding, differences, "At different positions the difference changes"},
                    Cell{adding, differences, {"512"}, "|p_0 - p_1 + p_2 - p_3|"},
                    Cell{adding, differences, {"512"}, "ratio"}}},
      {.id = "B19",
       .says = "The sinusoidal encoding costs no parameters.",
       .answer = Answer::is_true,
       .why = "They were counted.",
       .evidence = {Cell{learn, counted, {"sinusoidal, added"}, "its own parameters"}}},
  };
  return all;
}

}  // namespace posproof::report::founding
