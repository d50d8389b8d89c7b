#include "report/printed_words.h"

#include <vector>

namespace posproof::report {
namespace {

std::vector<Term> verdicts() {
  return {
      {{"holds", "held"},
       "A verdict: every case that was asked is within the error bound. In a matrix, an encoding claims it and no case "
       "was found in which it fails.",
       "gate, check, accuracy, matrix"},
      {{"refuted"},
       "A verdict: a case was found whose error is larger than its bound, or in which the implementation raised an "
       "error, died, or answered another shape or format. The case is shrunk and printed.",
       "gate, check, accuracy"},
      {{"undecided"},
       "A verdict: too little was learned, since the search was cut short, no case could be drawn, or all cases were "
       "vacuous. It is never a pass; the exit code is 3.",
       "gate, check"},
      {{"errored", "error of the run"},
       "A verdict: the check could not be carried out, since no answer came in time or the exchange broke down. "
       "Nothing is said of the implementation.",
       "gate, check, accuracy"},
      {{"not applicable"},
       "A verdict: the property speaks of something that this encoding has not.",
       "check"},
      {{"flaky", "repeats"},
       "Said of a counterexample that did not fail when it was asked again, alone: the implementation answers the same "
       "call in different ways, or remembers earlier calls.",
       "gate, check"},
      {{"skipped"},
       "A claim of the encoding that this subject cannot be asked, and why. It changes no exit code. Of a test, exit "
       "code 77.",
       "gate, ctest"},
      {{"not checked"},
       "Something that was to be checked and was not: the positions that the subject declined, or a cell of the matrix "
       "of which nothing was learned. The exit code is 3 where nothing is broken.",
       "gate, accuracy, matrix"},
  };
}

std::vector<Term> statuses() {
  return {
      {{"as claimed"},
       "A claim stands: what is claimed to hold holds, what is claimed to fail fails by the recorded "
       "amount.",
       "matrix, check"},
      {{"broken"},
       "A claim does not stand: what is claimed to hold fails, or what is claimed to fail fails by another amount than "
       "recorded.",
       "matrix, check"},
      {{"stale"},
       "The recorded witness of a claimed failure no longer fails. It counts as broken.",
       "matrix, check"},
      {{"fails"},
       "An encoding claims that the property fails, and its recorded witness does, by the recorded amount.",
       "matrix, explain"},
      {{"holds?"},
       "The encoding claims nothing; no case was found in which the property fails for its standard parameters.",
       "matrix"},
      {{"fails?"},
       "The encoding claims nothing; a case was found in which the property fails for its standard parameters.",
       "matrix"},
      {{"follows from", "fact"},
       "A claim that an encoding does not make itself: it declares a fact, from which the claim follows.",
       "explain, matrix"},
      {{"is an encoding"},
       "The fact that every encoding has. What follows from it is claimed of all encodings that can be asked, unless one limits it or claims the contrary: agreement with the oracle, and properties such as call/agrees_in_chunks.",
       "explain, matrix"},
      {{"where", "when", "matters_where"},
       "For which parameters something is claimed or looked at: each named parameter is one of the listed values.",
       "explain, matrix, list encodings"},
      {{"standing"}, "What became of a claim: as claimed, broken, stale or not checked.", "matrix --json"},
  };
}

std::vector<Term> of_a_gate() {
  return {
      {{"observed", "repeated", "alone"},
       "Measured and nobody's failure: whether a call that is repeated, and a batch row or a token that is asked alone, "
       "gets the same bits.",
       "gate"},
      {{"alike"},
       "Words of a convention that give the same values for these parameters, so that the subject cannot be told which "
       "one it has; and the setting that would tell.",
       "gate"},
      {{"identified", "not identified", "or_else", "not_told_apart", "less_simple"},
       "A convention holds of the subject; of several the one that takes the fewest digits to declare. What the subject "
       "cannot tell are values and conventions that hold as well.",
       "identify"},
      {{"trained", "trained_numbers"},
       "The entries of a bias depend on T5's buckets, or on the offset in a window, alone; the numbers in them are no "
       "convention's and are compared with none.",
       "identify"},
      {{"read as", "read_as"},
       "All numbers of a file are numbers of a format with fewer digits than its own, and a convention holds in that "
       "format alone.",
       "identify"},
      {{"nearest", "would hold as", "would_hold_as"},
       "Where no convention holds, the one that explains most answers; and the precision under which it, or all that "
       "was refuted, would hold.",
       "identify, gate"},
      {{"config", "comes before"},
       "What was understood of a model's configuration, and where an option or --spec says something else.",
       "gate, check, accuracy, oracle"},
      {{"precision", "seeming_precision", "tighter_by_far"},
       "The formats in which a subject says that it works; and, from its answers, the tightest one that would hold.",
       "gate, @PRECISION behind a subject"},
      {{"accuracy", "curve", "largest_error", "largest_ulp", "within_bound", "first_beyond"},
       "Every entry compared with the exact number: how many are not correctly rounded, the largest errors and where "
       "they are, by position.",
       "gate, accuracy"},
      {{"bound_only"},
       "The error beside it, marked `<=` in the text, was not measured: no entry is off by more. Of sines and cosines, "
       "errors up to half an ulp of the amplitude are not told apart.",
       "gate, accuracy, --json"},
      {{"from the exact value rounded to f64"},
       "An error of an answer in f64 that is no sine or cosine is measured from the f64 number nearest to the exact "
       "value: from that itself it is larger or smaller by half an ulp at most.",
       "gate, accuracy"},
      {{"ulp", "correctly rounded", "not_correctly_rounded"},
       "An entry is correctly rounded where no number of its format is nearer to the exact value. An ulp is the "
       "distance between neighbouring numbers of the format at the exact value.",
       "accuracy, gate"},
      {{"contained", "not contained", "not_contained", "sandbox"},
       "What a program that was started with --sandbox could not reach, and what it could.",
       "gate, check, accuracy"},
      {{"place", "expected", "got", "channel", "pair", "head", "token"},
       "Where in the answer a refutation is wrong: batch row, head, token and channel, the number that was expected and "
       "the one that came.",
       "gate, check, --json"},
      {{"cause", "follows_from", "follow from"},
       "What explains a refutation comes first; a property whose counterexample holds with the exact answer in its place "
       "follows from agreement and is one line.",
       "gate, --json"},
      {{"again"},
       "The command that asks the counterexample again. It holds everything that the case needs.",
       "gate, check"},
      {{"at", "worst_at"},
       "The case: the counterexample after `at`, the one nearest to its bound as worst_at.",
       "gate, check, --json"},
      {{"share_of_bound", "share"},
       "The largest error of the answers as a share of what rounding allows: 1 is all of it.",
       "identify, gate, --json"},
      {{"worst"}, "Of the cases that held, the residual that was the largest share of its bound.", "--json"},
      {{"off by", "by"},
       "The error of a counterexample or of a recorded witness, in the unit of the statement.",
       "gate, check, explain"},
      {{"does not matter", "irrelevant"},
       "Fields of the counterexample that were drawn anew without making it hold.",
       "gate, check"},
      {{"fails in the same way as", "same_as"},
       "This property showed a failure that another one showed before it: one finding, two properties.",
       "gate"},
      {{"needs_history"},
       "The counterexample holds where a new object is asked nothing but that: it depends on the calls before.",
       "gate --json"},
      {{"explanations", "behaves exactly like"},
       "The convention, the defect or the misread formula that gives the subject's answers in every case that was "
       "compared.",
       "gate"},
      {{"measured"},
       "What differs from the declaration, as it was measured. It explains every case that was compared.",
       "gate, identify"},
      {{"located"}, "Where the wrong answers lie, if nothing explains them. It is no cause.", "gate"},
      {{"found_after", "shrinks"},
       "How many cases were asked before one failed, and how many while that one was made smaller.",
       "--json"},
      {{"instead"},
       "What the implementation did where it gave no answer: it raised, died, or answered another shape.",
       "gate, --json"},
      {{"properties asked", "asked"}, "How many properties the subject was asked, by verdict.", "gate"},
      {{"declined"},
       "Positions that the subject does not answer for, as it said itself. They are not checked.",
       "gate, accuracy"},
      {{"interrupted"},
       "SIGINT, SIGTERM or SIGHUP came; what was known was printed. The exit code is 130, 143 or 129.",
       "gate, check, accuracy"},
  };
}

std::vector<Term> of_a_case() {
  return {
      {{"i", "j", "t", "s", "u", "near", "far"},
       "Positions in a case: i of the query, j of the key, t of a token or a shift, s another one.",
       "cases"},
      {{"q", "k", "x", "y", "v", "w"}, "Contents in a case: query, key, token, value.", "cases"},
      {{"batch", "tokens", "n", "nq", "nk", "keys", "queries", "rows"},
       "Sizes of the call in a case: batch rows, tokens of a row, queries, keys.",
       "cases"},
      {{"role"}, "Whether a rotation is asked as of a query or of a key, in a case.", "cases"},
      {{"1*3", "0*62"}, "In a list of a case, VALUE*COUNT is that value as many times.", "cases"},
  };
}

std::vector<Term> kinds() {
  return {
      {{"table"}, "A kind of encoding: a row for each position, which is added to the token.", "gate, list"},
      {{"rotary"}, "A kind of encoding: query and key are rotated, pair by pair of channels.", "gate, list"},
      {{"bias"},
       "A kind of encoding: a number for each head, query and key is added to the logit.",
       "gate, list"},
      {{"contextual"},
       "A kind of encoding: the logits of queries and keys, which may depend on their content.",
       "gate, list"},
      {{"attention"},
       "A kind of encoding: the whole operator, from queries, keys, values and mask to outputs.",
       "gate, list"},
  };
}

std::vector<Term> exit_codes() {
  return {
      {{"0", "exit 0"}, "Exit code: everything selected is as claimed, and something ran.", "every command"},
      {{"1", "exit 1"}, "Exit code: something is broken.", "gate, check, accuracy, matrix"},
      {{"2", "exit 2"},
       "Exit code: the command line or a configuration is wrong, or output could not be written.",
       "every command"},
      {{"3", "exit 3"},
       "Exit code: nothing is broken, but something was not checked.",
       "gate, check, accuracy, identify, matrix"},
      {{"4", "exit 4"}, "Exit code: the subject could not be started.", "gate, check, accuracy, identify"},
      {{"77", "exit 77"}, "Exit code of a test: skipped, since an optional component is absent.", "ctest"},
      {{"129", "exit 129", "130", "exit 130", "143", "exit 143"},
       "Exit codes: interrupted by SIGHUP (129), SIGINT (130) or SIGTERM (143); what is known was printed.",
       "gate, check, accuracy"},
  };
}

}  // namespace

std::span<const Term> printed_words() {
  static const std::vector<Term> all = [] {
    std::vector<Term> out;
    for (auto& part : {verdicts(), statuses(), of_a_gate(), of_a_case(), kinds(), exit_codes()})
      out.insert(out.end(), part.begin(), part.end());
    return out;
  }();
  return all;
}

}  // namespace posproof::report
