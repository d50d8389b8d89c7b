#include "subject/subject.h"

#include <fmt/format.h>

#include "subject/cache_file.h"
#include "subject/command.h"
#include "subject/table_file.h"
#include "subject/words.h"

namespace posproof {

SubjectError::SubjectError(std::string_view what) : std::runtime_error(printable(what)) {}

Subject open(std::string_view words, const Expected& expected) {
  const Words parsed = parse_words(words);
  if (parsed.scheme != "cmd" && parsed.scheme != "table")
    throw std::invalid_argument(fmt::format(
        "`{}`: a subject is `cmd:PROGRAM ARGS` or `table:FILE`, not `{}:`", words, parsed.scheme));
  if (expected.sandbox && parsed.scheme != "cmd")
    throw std::invalid_argument(
        fmt::format("`{}`: --sandbox is for a program, `cmd:PROGRAM ARGS`; a file is only read", words));
  const auto* rotary = expected.declared.empty() ? nullptr : std::get_if<Rotary>(&expected.declared.front());
  Subject subject = parsed.scheme == "cmd" ? open_command(parsed, expected)
                    : rotary               ? open_cache(parsed, *rotary, expected)
                                           : open_table(parsed, expected);
  subject.name = printable(words);
  return subject;
}

}  // namespace posproof
