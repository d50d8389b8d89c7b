#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

// The words that are ours, or that are used here in a narrower sense than in the field: what they mean, once.
namespace posproof::report {

struct Term {
  std::vector<std::string_view> names;  // more than one where a definition needs them together
  std::string_view definition;          // one or two sentences
  std::string_view used_in;             // where a reader meets it
};

// In alphabetical order of their first names.
std::span<const Term> glossary();

// The entry that has this name, in any case; null where there is none.
const Term* term_named(std::string_view name);

// `reports/glossary.md`
std::string glossary_page();

}  // namespace posproof::report
