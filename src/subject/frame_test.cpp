#include "subject/frame.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <ctime>
#include <tuple>

namespace posproof::frame_test {

using frame::Header;
using frame::Message;

namespace {

std::string refused(std::string_view json) {
  try {
    frame::parse(json);
  } catch (const frame::Malformed& malformed) {
    return malformed.what();
  }
  return "nothing was thrown";
}

}  // namespace

TEST(Frame, reads_back_what_it_writes) {
  const Tensor x({2, 1}, {0.5, -3});
  const std::vector<Position> positions = {7, -1};
  Message message;
  message.values("x", x).positions("positions", positions, {1, 2}).mask("mask", Tensor({3}, {1, 0, 1}));
  message.word("call", "rotate").word("id", "4").word("role", "say \"key\"");
  EXPECT_EQ(message.text(), "rotate(x [2, 1], positions [1, 2], mask [3], role say \"key\")");

  const std::string bytes = message.bytes();
  const std::size_t size = frame::header_size(bytes);
  EXPECT_EQ(size % 8, 0u);
  const Header header = frame::parse(std::string_view(bytes).substr(8, size));
  EXPECT_EQ(header.word("role"), "say \"key\"");
  EXPECT_EQ(header.size, 16u + 16u + 3u);
  EXPECT_EQ(bytes.size(), 8 + size + header.size);
  ASSERT_EQ(header.parts.size(), 3u);
  EXPECT_EQ(header.parts[0].name, "x");
  EXPECT_EQ(decode(Dtype::F64, std::string_view(bytes).substr(8 + size, 16)), x.data);
  EXPECT_EQ(header.parts[1].dtype, Dtype::I64);
  EXPECT_EQ(std::memcmp(bytes.data() + 8 + size + 16, positions.data(), 16), 0);
  EXPECT_EQ(bytes.substr(bytes.size() - 3), std::string("\1\0\1", 3));
}

TEST(Frame, further_words_stand_behind_its_own) {
  Message message;
  message.values("x", Tensor({1}, {0.5})).word("role", "key");
  const frame::Words more = {{"arrays", "slice"}, {"call", "rotate"}, {"id", "4"}};
  EXPECT_EQ(message.text(more), "rotate(x [1], role key, arrays slice)");
  EXPECT_EQ(message.bytes(more).substr(8, 78),
            R"({"__metadata__":{"role":"key","arrays":"slice","call":"rotate","id":"4"},"x":{)");
  EXPECT_EQ(message.text(), "(x [1], role key)") << "they are not kept";
}

// What comes as it is known is not parsed: the header that is given for it here says so itself.
TEST(Frame, a_header_that_is_known_is_what_its_text_says) {
  const frame::Words words = {{"answer", "result"}, {"id", "12"}};
  frame::Known usual = frame::known(words, {{"result", Dtype::F32, {2, 3}, 0, 24}});
  const Header parsed = frame::parse(usual.text);
  EXPECT_EQ(usual.header.words, parsed.words);
  EXPECT_EQ(usual.header.size, parsed.size);
  ASSERT_EQ(parsed.parts.size(), 1u);
  ASSERT_EQ(usual.header.parts.size(), 1u);
  const frame::Part &known = usual.header.parts.front(), &part = parsed.parts.front();
  EXPECT_EQ(std::tie(known.name, known.dtype, known.shape, known.begin, known.size),
            std::tie(part.name, part.dtype, part.shape, part.begin, part.size));

  usual.header.words["id"] = "as known";
  const auto id = [&](const std::string& text) { return frame::parse(text, usual).word("id"); };
  EXPECT_EQ(id(usual.text), "as known");
  EXPECT_EQ(id(usual.text + "   "), "as known");
  EXPECT_EQ(id(frame::known({{"answer", "result"}, {"id", "13"}}, parsed.parts).text), "13");
  EXPECT_EQ(id(" " + usual.text), "12");
  EXPECT_THROW(id(usual.text + "  x"), frame::Malformed);
  EXPECT_THROW(id(usual.text.substr(0, usual.text.size() - 1)), frame::Malformed);
  EXPECT_THROW(frame::parse("  ", frame::Known{}), frame::Malformed);
}

TEST(Frame, a_shape_that_is_not_the_values_shape_is_not_sent) {
  Message message;
  EXPECT_THROW(message.positions("positions", std::vector<Position>{1, 2, 3}, {2, 2}), std::length_error);
}

TEST(Frame, tensors_may_stand_in_any_order_in_the_header) {
  const Header header = frame::parse(
      R"({"b":{"dtype":"U8","shape":[3],"data_offsets":[4,7]},"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]},)"
      R"("none":{"dtype":"F32","shape":[0,5],"data_offsets":[4,4]}}   )");
  ASSERT_EQ(header.parts.size(), 3u);
  EXPECT_EQ(header.parts[0].name, "a");
  EXPECT_EQ(header.parts[1].name, "none");
  EXPECT_EQ(header.size, 7u);
}

TEST(Frame, a_header_is_at_most_a_mebibyte_long) {
  const auto size = [](std::uint64_t said) {
    std::string eight(8, '\0');
    std::memcpy(eight.data(), &said, 8);
    return frame::header_size(eight);
  };
  EXPECT_EQ(size(0), 0u);
  EXPECT_EQ(size(1048576), 1048576u);
  for (const std::uint64_t longer : {std::uint64_t{1048577}, ~std::uint64_t{0}}) try {
      size(longer);
      ADD_FAILURE() << longer;
    } catch (const frame::Malformed& malformed) {
      EXPECT_EQ(malformed.what(),
                fmt::format("the header is {} bytes long; allowed: at most 1048576", longer));
    }
}

TEST(Frame, every_rule_that_a_header_breaks_is_named) {
  EXPECT_EQ(refused(""), "the header is not JSON");
  EXPECT_EQ(refused("{} {}"), "the header is not JSON");
  EXPECT_EQ(refused(std::string(100000, '[')), "the header is nested deeper than 16");
  EXPECT_EQ(refused("{\"a\":{\"dtype\":" + std::string(100000, '[') + std::string(100000, ']') + "}}"),
            "the header is nested deeper than 16");
  EXPECT_EQ(refused(R"({"a":{"dtype":)" + std::string(14, '[') + std::string(14, ']') +
                    R"(,"shape":[1],"data_offsets":[0,4]}})"),
            "tensor `a` has the unknown dtype " + std::string(14, '[') + std::string(14, ']'));
  EXPECT_EQ(refused("[]"), "the header is not a JSON object");
  EXPECT_EQ(refused(R"({"__metadata__":{"id":"1","id":"2"}})"), "the header has the key `id` twice");
  EXPECT_EQ(refused(R"({"a":{"dtype":"U8","dtype":"U8"}})"), "the header has the key `dtype` twice");
  EXPECT_EQ(refused(R"({"a":{},"b":{},"a":{}})"), "the header has the key `a` twice");
  EXPECT_EQ(refused(R"({"__metadata__":{},"__metadata__":{}})"),
            "the header has the key `__metadata__` twice");
  EXPECT_EQ(refused(R"({"__metadata__":{"id":1}})"), "`__metadata__` has under `id` what is no string");
  EXPECT_EQ(refused(R"({"__metadata__":"id"})"), "`__metadata__` is not a JSON object");
  EXPECT_EQ(refused(R"({"a":{"dtype":"F32","shape":[1]}})"),
            "tensor `a` has not exactly dtype, shape and data_offsets");
  EXPECT_EQ(refused(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"x":1}})"),
            "tensor `a` has not exactly dtype, shape and data_offsets");
  for (const std::string three :
       {R"("x":1,"shape":[1],"data_offsets":[0,4])", R"("dtype":"F32","x":1,"data_offsets":[0,4])",
        R"("dtype":"F32","shape":[1],"x":[0,4])"})
    EXPECT_EQ(refused("{\"a\":{" + three + "}}"), "tensor `a` has not exactly dtype, shape and data_offsets");
  EXPECT_EQ(refused(R"({"a":{"dtype":"F31","shape":[1],"data_offsets":[0,4]}})"),
            "tensor `a` has the unknown dtype \"F31\"");
  EXPECT_EQ(refused(R"({"a":{"dtype":"F32","shape":1,"data_offsets":[0,4]}})"),
            "tensor `a` has a shape that is no list");
  EXPECT_EQ(refused(R"({"a":{"dtype":"F32","shape":[1,1,1,1,1,1,1,1,1],"data_offsets":[0,4]}})"),
            "tensor `a` has 9 axes; allowed: at most 8");
  EXPECT_EQ(refused(R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})"),
            "tensor `a`: extent -1 is not a whole number from 0 on");
  EXPECT_EQ(refused(R"({"a":{"dtype":"F32","shape":[1.0],"data_offsets":[0,4]}})"),
            "tensor `a`: extent 1.0 is not a whole number from 0 on");
  EXPECT_EQ(refused(R"({"a":{"dtype":"F32","shape":[18446744073709551616],"data_offsets":[0,4]}})"),
            "tensor `a`: extent 1.8446744073709552e+19 is not a whole number from 0 on");
  EXPECT_EQ(refused(R"({"a":{"dtype":"F32","shape":[4611686018427387905],"data_offsets":[0,4]}})"),
            "tensor `a` of shape [4611686018427387905] has more bytes than can be counted");
  EXPECT_EQ(refused(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0]}})"),
            "tensor `a` has data_offsets that are no pair");
  EXPECT_EQ(refused(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})"),
            "tensor `a` ends at 0, before it begins at 4");
  EXPECT_EQ(refused(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})"),
            "tensor `a` of shape [2] in F32 has 8 bytes, its data_offsets hold 4");
}

TEST(Frame, tensors_neither_overlap_nor_leave_holes) {
  const auto with = [](std::string_view second) {
    return R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[1],"data_offsets":[)" +
           std::string(second) + "]}}";
  };
  EXPECT_EQ(refused(with("8,12")), "nothing was thrown");
  EXPECT_EQ(refused(with("4,8")), "tensor `b` begins at byte 4, the one before it ends at 8");
  EXPECT_EQ(refused(with("12,16")), "tensor `b` begins at byte 12, the one before it ends at 8");
  EXPECT_EQ(refused(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})"),
            "tensor `a` begins at byte 1, the one before it ends at 0");
}

TEST(Frame, a_long_name_does_not_make_a_long_message) {
  EXPECT_LT(refused("{\"" + std::string(1000, 'x') + "\":1}").size(), 500u);
  EXPECT_EQ(refused("{\"\\u001b[2J\":1}"), "tensor `\\x1b[2J` has not exactly dtype, shape and data_offsets");
}

// The parser that fills a document goes over what it has at every entry if it is watched meanwhile: an hour
// for these.
TEST(Frame, time_is_linear_in_the_number_of_tensors) {
  const auto takes = [](int tensors) {
    std::string json = "{\"__metadata__\":{}";
    for (int n = 0; n < tensors; ++n)
      json += fmt::format(R"(,"t{}":{{"dtype":"U8","shape":[1],"data_offsets":[{},{}]}})", n, n, n + 1);
    const std::clock_t start = std::clock();  // of this process: a busy machine does not count
    EXPECT_EQ(frame::parse(json + "}").parts.size(), static_cast<std::size_t>(tensors));
    return static_cast<double>(std::clock() - start);
  };
  takes(1000);
  EXPECT_LT(takes(64000), 32 * 8 * takes(2000));
}

}  // namespace posproof::frame_test
