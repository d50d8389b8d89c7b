#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/defect.h"
#include "core/experiment.h"
#include "core/identity.h"
#include "core/property.h"
#include "core/spec.h"

// What a name stands for that posproof prints: several things, sometimes.
namespace posproof::report {

template <class T>
struct Entry {
  std::string id;
  std::shared_ptr<const T> value;
};

// A parameter of the encodings that have it with the same help, or one of its words.
struct NamedParameter {
  const Parameter* parameter;
  std::vector<std::string> encodings;
};

// A word and what it says: a term of the glossary, a verdict, a fact, a precision, an exit code, a command.
struct Meaning {
  std::vector<std::string> names;
  std::string text;
  std::string used_in;
};

using Named = std::variant<Entry<Property>, Entry<EncodingSpec>, Entry<Identity>, Entry<Experiment>,
                           Entry<Defect>, NamedParameter, Meaning>;

// Everything in the catalogues, the glossary and what is printed that has this name; capitals, and `_` or `-`
// for a space, make no difference. A precision is one that `@` may stand before: `bf16+table=f32`.
std::vector<Named> everything_called(std::string_view name);

// All names but those of precisions, each once.
std::vector<std::string> all_names();

// Whether two names are one, by those rules.
bool same_name(std::string_view a, std::string_view b);

std::string explain(const Named& named);

// An array with an object for each, whose `what` is encoding, property, identity, experiment, defect,
// parameter or word.
std::string json(const std::vector<Named>& named);

}  // namespace posproof::report
