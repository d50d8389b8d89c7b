#include "report/glossary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <strings.h>

#include <algorithm>
#include <array>

namespace posproof::report {

std::span<const Term> glossary() {
  static const std::array terms = {
      Term{{"agreement"},
           "The claim, checked of every subject, that it gives what the oracle gives, within the error "
           "bound. Its "
           "id is agrees_with_its_oracle.",
           "gate, check, encoding_by_property"},
      Term{{"case"},
           "The inputs of one run of a check, as text that reads back to the same bits: `i=127 j=0 t=130`.",
           "counterexamples, witnesses, --case, .cases files"},
      Term{{"claim"},
           "What an encoding's source file says of one property: that it holds, or that it fails, with a "
           "witness, "
           "the size of the failure and the reason.",
           "explain, matrix"},
      Term{
          {"convention"},
          "A parameter of an encoding, or a subject's precision, on which projects, or a paper and its code, may disagree. The gate names the value that "
          "explains a disagreement.",
          "gate"},
      Term{
          {"defect"},
          "A wrong implementation that a real project shipped, or kin of a reported one, reproduced under a name and with its "
          "source.",
          "list, explain, gate"},
      Term{
          {"diagnosis"},
          "The search for what explains a refuted subject: a measured deviation, or a convention, a defect or a "
          "misread formula that gives the same answers in every case.",
          "gate"},
      Term{{"domain"},
           "The positions at which an encoding is defined, or for which a subject says that it answers.",
           "gate, accuracy, --positions"},
      Term{{"error", "bound", "ceiling"},
           "The error is how far a case is from the statement, the bound is how far rounding alone may put "
           "it there, "
           "and the ceiling is the largest error that the case could have had.",
           "verdicts, --json"},
      Term{{"hard case"},
           "A position whose exact value is recorded as nearest to a rounding boundary of a format, or whose "
           "angle "
           "is nearest to a multiple of pi/2. Hard cases are asked first.",
           "gate, check, matrix, src/oracle/cases"},
      Term{{"ladder"},
           "The frequencies of all pairs of a sinusoidal or rotary encoding, after any scaling.",
           "accuracy, reports"},
      Term{
          {"layout"},
          "Which two channels form a pair: of r that rotate, 2i and 2i + 1 (interleaved) or i and i + r/2 (half_split; "
          "half_split_by_axis within the part of each axis). In tables, where sines and cosines stand "
          "(interleaved, sin_cos, cos_sin, sines_first, alternating) or real and imaginary parts (interleaved, real_imaginary).",
          "the parameter --layout"},
      Term{{"matrix"},
           "The table of every encoding against every property, with the state of each claim.",
           "matrix, encoding_by_property"},
      Term{{"negative example"},
           "An encoding that is wrong by little, which a property must refute; of a statement that holds or "
           "does not, one that is wrong outright. Every property has one for each of its checks.",
           "explain, the tests `rejects.*`"},
      Term{{"oracle"},
           "An encoding computed from its paper in exact or multiprecision arithmetic, sharing no code with "
           "the "
           "implementation under test.",
           "gate, accuracy, oracle"},
      Term{{"residual"},
           "What a check returns instead of yes or no: error, bound and ceiling. The statement holds where "
           "the error "
           "is at most the bound.",
           "--json"},
      Term{
          {"score"},
          "The attention logit of a query q at position i and a key k at position j, before the softmax; of a table or "
          "a rotation the dot product, not divided by sqrt(dim).",
          "the properties `score/*`"},
      Term{{"subject"},
           "An implementation under test, with its name and its declared precision: built in, a program "
           "(`cmd:`), a shared library (`lib:`) or a "
           "file (`table:`).",
           "gate, accuracy, check"},
      Term{{"vacuous"},
           "Said of a case that could not have failed, because its ceiling is within the bound. Where all "
           "cases of a search are vacuous, the verdict is undecided.",
           "verdicts"},
      Term{{"verdict"},
           "The outcome of checking one property: holds, refuted, undecided, errored or not applicable. Only "
           "the "
           "first is a pass.",
           "gate, check, reports"},
      Term{{"witness"},
           "The recorded case in which a claimed failure fails. It is replayed on every run and must fail by "
           "the "
           "recorded amount.",
           "explain, encoding_by_property"},
  };
  return terms;
}

const Term* term_named(std::string_view name) {
  const std::string wanted(name);
  for (const Term& term : glossary())
    for (const std::string_view one : term.names)
      if (::strcasecmp(std::string(one).c_str(), wanted.c_str()) == 0) return &term;
  return nullptr;
}

std::string glossary_page() {
  std::string out =
      "# Glossary\n\n"
      "The terms that posproof defines itself, or uses in a narrower sense than the literature. `posproof "
      "explain "
      "TERM` prints one of them.\n";
  for (const Term& term : glossary())
    out += fmt::format("\n**{}**: {} *Used in: {}.*\n", fmt::join(term.names, ", "), term.definition,
                       term.used_in);
  return out + "\n---\n\nThis page is written by `posproof report`.\n";
}

}  // namespace posproof::report
