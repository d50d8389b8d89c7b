#pragma once

#include <span>
#include <string_view>
#include <variant>
#include <vector>

// What the five documents say and ask that this project began with, and where each answer is shown. A row has
// no measured number of its own: it names the sentence or the cell of a report, which is quoted from there.
namespace posproof::report::founding {

enum class Answer {
  is_true,
  is_false,
  under_a_condition,
  answered,        // of a question, or of what was found astonishing
  definition,      // nothing is said that could be false
  needs_training,  // of trained models alone; its evidence, if any, is what was measured of untrained ones
};

// One sentence of a report: that of this section (empty: before the first heading) with these words, which
// have no digit in them.
struct Said {
  std::string_view page, section, words;
};

// One number of a report: in this column, of the row that begins with these cells.
struct Cell {
  std::string_view page, section;
  std::vector<std::string_view> row;
  std::string_view column;
};

// What the page `encoding_by_property` has for the two.
struct OfProperty {
  std::string_view property;  // `table/has_constant_norm`
  std::string_view encoding;
};

// The page that answers it is still to be written: a fault unless `may_wait` allows it.
struct NoPageYet {
  std::string_view question;
};

using Evidence = std::variant<Said, Cell, OfProperty, NoPageYet>;

struct Claim {
  std::string_view id;    // the document's letter and a number: `A1`
  std::string_view says;  // the claim or question, in our words
  Answer answer;
  std::string_view why;  // condition, or reason; digits in formulas alone
  std::vector<Evidence> evidence;
  std::string_view on_paper = {};  // a verdict that was derived before, where measurement corrected it
};

struct Source {
  char letter;
  std::string_view about;
  const std::vector<Claim>& claims;
};

// The documents in order, A to E.
std::span<const Source> sources();

const std::vector<Claim>& why_encodings();     // A
const std::vector<Claim>& the_sphere();        // B
const std::vector<Claim>& the_sum();           // C
const std::vector<Claim>& the_clock();         // D
const std::vector<Claim>& attention_in_d2l();  // E

}  // namespace posproof::report::founding
