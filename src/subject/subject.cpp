#include "subject/subject.h"

#include <fmt/format.h>

#include "core/call.h"
#include "subject/cache_file.h"
#include "subject/command.h"
#include "subject/library.h"
#include "subject/table_file.h"
#include "subject/words.h"

namespace posproof {

SubjectError::SubjectError(std::string_view what) : std::runtime_error(printable(what)) {}

namespace {

// A rotation of 16-bit tokens multiplies them by cosines of their own format, as modules that cast these to
// the dtype of x do: of a program that says nothing of it, that is allowed. `+table=f32` declares that a
// result is rounded once. Of a table or a bias, which are no products, nothing else is usual than rounding
// once.
Precision usual_for_rotations(Precision precision) {
  const bool said = precision.declared_table != 0 || precision.declared_work != 0;
  if (precision.result > unit_f32 && !said) precision.declared_table = precision.result;
  return precision;
}

}  // namespace

Subject open(std::string_view words, const Expected& expected) {
  const Words parsed = parse_words(words);
  const bool is_library = parsed.scheme == "lib", is_program = parsed.scheme == "cmd" || is_library;
  if (!is_program && parsed.scheme != "table")
    throw std::invalid_argument(
        fmt::format("`{}`: a subject is `cmd:PROGRAM ARGS`, `lib:LIBRARY` or `table:FILE`, not `{}:`", words,
                    parsed.scheme));
  if (expected.sandbox && !is_program)
    throw std::invalid_argument(fmt::format(
        "`{}`: --sandbox is for a program, `cmd:PROGRAM ARGS` or `lib:LIBRARY`; a file is only read", words));
  const bool rotates = !expected.declared.empty() && signature(expected.declared.front()).role;
  Subject subject = is_library   ? open_command(parsed, command_that_serves(parsed.rest), expected)
                    : is_program ? open_command(parsed, split(parsed.rest), expected)
                    : rotates    ? open_cache(parsed, as<Rotary>(expected.declared.front()), expected)
                                 : open_table(parsed, expected);
  subject.name = printable(words);
  if (rotates && subject.live) subject.precision = usual_for_rotations(subject.precision);
  return subject;
}

}  // namespace posproof
