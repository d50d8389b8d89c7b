#include "subject/words.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "subject/subject.h"

namespace posproof::subject_words_test {

namespace {

using List = std::vector<std::string>;

std::string refused(const auto& action) {
  try {
    action();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace

TEST(Words, are_split_as_a_shell_would) {
  EXPECT_EQ(split("python3  rope.py\t--dim 8 "), (List{"python3", "rope.py", "--dim", "8"}));
  EXPECT_EQ(split("'a b'c \"d 'e' \\\"f\\\"\" g\\ h ''"), (List{"a bc", "d 'e' \"f\"", "g h", ""}));
  EXPECT_EQ(split("'a\\b' \"a\\b\" $HOME *"), (List{"a\\b", "a\\b", "$HOME", "*"}));
  EXPECT_EQ(split(R"("a\\b" "a\"b" "a\$b")"), (List{R"(a\b)", "a\"b", R"(a\$b)"}));
  EXPECT_EQ(refused([] { split("rope 'it is"); }), "`rope 'it is`: a ' is not closed");
  EXPECT_EQ(refused([] { split("  "); }), "`  ` names no program");
}

TEST(Words, end_with_a_precision_only_where_it_is_one) {
  const Words words = parse_words("cmd:ssh me@host rope@bf16/bf16");
  EXPECT_EQ(words.scheme, "cmd");
  EXPECT_EQ(words.rest, "ssh me@host rope");
  EXPECT_EQ(words.precision, Precision::parse("bf16/bf16"));
  EXPECT_EQ(parse_words("cmd:ssh me@host rope").rest, "ssh me@host rope");
  EXPECT_EQ(parse_words("cmd:ssh me@host rope").precision, std::nullopt);
  EXPECT_EQ(parse_words("table:x.npy@").rest, "x.npy@");
}

TEST(Words, that_name_no_subject_are_refused) {
  EXPECT_EQ(
      refused([] { open("rope.py", {}); }),
      "`rope.py` names no subject; `cmd:PROGRAM ARGS`, `lib:LIBRARY` and `table:FILE` do, and `@PRECISION` may follow");
  EXPECT_EQ(refused([] { open("file:librope.so", {}); }),
            "`file:librope.so`: a subject is `cmd:PROGRAM ARGS`, `lib:LIBRARY` or `table:FILE`, not `file:`");
  EXPECT_EQ(refused([] { open("cmd:@f32", {}); }), "`` names no program");
  EXPECT_EQ(refused([] { open("cmd:", {}); }),
            "`cmd:` ends at the colon; `cmd:PROGRAM ARGS`, `lib:LIBRARY` or `table:FILE` was asked for");
}

TEST(Words, of_unknown_origin_cannot_command_a_terminal) {
  EXPECT_EQ(printable("a\tb\n\033[2J\x7f", 100), "a\tb\n\\x1b[2J\\x7f");
  EXPECT_EQ(printable("abcdef", 3), "abc...");
  EXPECT_EQ(printable("abc", 3), "abc");
}

TEST(Words, of_unknown_origin_become_valid_utf8) {
  EXPECT_EQ(printable("\u03c0 \u20ac \U0001f600", 100), "\u03c0 \u20ac \U0001f600");
  EXPECT_EQ(printable("\u20ac\u20ac\u20ac", 2), "\u20ac\u20ac...");
  EXPECT_EQ(printable("\u0085\u009b2J", 100), "\\xc2\\x85\\xc2\\x9b2J");  // control characters of Latin-1
  EXPECT_EQ(printable("a\xff\xe2\x82", 100), "a\\xff\\xe2\\x82");         // no UTF-8, cut short
  EXPECT_EQ(printable("\xc0\xaf\xed\xa0\x80", 100), "\\xc0\\xaf\\xed\\xa0\\x80");  // overlong, a surrogate
}

}  // namespace posproof::subject_words_test
