#include "subject/npz.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <utility>

#include "subject/cache_file.h"
#include "subject/testing/table_files.h"

namespace posproof::npz_test {
namespace {

using testing::bytes;
using testing::dictionary;
using testing::eight;
using testing::expected;
using testing::npy;

class Npz : public testing::ArrayFiles {};

// A zip archive of files that are stored as they are. `wrong` changes the directory's entries.
std::string npz(
    const std::vector<std::pair<std::string, std::string>>& files,
    const std::function<void(std::string&)>& wrong = [](std::string&) {}) {
  const auto number = [](std::size_t value, int size) {
    std::string out;
    for (int n = 0; n < size; ++n) out.push_back(n < 8 ? char(value >> (8 * n) & 255) : '\0');
    return out;
  };
  std::string all, directory;
  for (const auto& [name, values] : files) {
    // numpy gives each local header an extra field with 64-bit sizes, and the directory none.
    std::string entry = "PK\1\2" + number(20, 2) + number(45, 2) + number(0, 2) + number(0, 2) +
                        number(0, 8) + number(values.size(), 4) + number(values.size(), 4) +
                        number(name.size(), 2) + number(0, 12) + number(all.size(), 4) + name;
    wrong(entry);
    directory += entry;
    all += "PK\3\4" + number(45, 2) + number(0, 4) + number(0, 8) + number(0xffffffff, 4) +
           number(0xffffffff, 4) + number(name.size(), 2) + number(20, 2) + name + number(1, 2) +
           number(16, 2) + number(values.size(), 8) + number(values.size(), 8) + values;
  }
  return all + directory + "PK\5\6" + number(0, 4) + number(files.size(), 2) + number(files.size(), 2) +
         number(directory.size(), 4) + number(all.size(), 4) + number(0, 2);
}

TEST_F(Npz, is_read_by_name_and_alone) {
  const std::string two = npy(dictionary("<f8", "(2, 4)"), bytes(eight));
  std::vector<double> more = eight;
  more[5] = -1;
  const std::string other = npy(dictionary("<f8", "(2, 4)"), bytes(more));
  const auto row = [&](const std::string& words, Position t = 1) {
    const Subject subject = open("table:" + words, expected(Table{.dim = 4}));
    return testing::rows(subject, {t}, 2);
  };
  const std::string one = file("one.npz", npz({{"pe.npy", two}})),
                    both = file("both.npz", npz({{"cos.npy", two}, {"sin.npy", other}}));
  EXPECT_EQ(row(one), Tensor({1, 4}, {10, 11, 12, 13}));
  EXPECT_EQ(row(one + ":pe"), Tensor({1, 4}, {10, 11, 12, 13}));
  EXPECT_EQ(row(both + ":sin"), Tensor({1, 4}, {10, -1, 12, 13}));
  EXPECT_EQ(row(both + ":sin[1:2]", 0), Tensor({1, 4}, {10, -1, 12, 13}));
  EXPECT_EQ(cache_paths(both + ":cos,sin"), (std::vector<std::string>{both + ":cos", both + ":sin"}));
  EXPECT_EQ(cache_paths("a.npz:cos,b.npz:sin"), (std::vector<std::string>{"a.npz:cos", "b.npz:sin"}));
}

// As other writers of zip files do: the directory may have extra fields and comments.
TEST_F(Npz, may_say_more_of_each_array) {
  const std::string two = npy(dictionary("<f8", "(2, 4)"), bytes(eight));
  const auto more = [](std::string& entry) {
    entry[30] = 5, entry[32] = 3;
    entry += "extraits";
  };
  const std::string path = file("more.npz", npz({{"cos.npy", two}, {"sin.npy", two}}, more));
  for (const char* name : {":cos", ":sin"})
    EXPECT_EQ(testing::rows(open("table:" + path + name, expected(Table{.dim = 4})), {1}, 2),
              Tensor({1, 4}, {10, 11, 12, 13}))
        << name;
}

TEST_F(Npz, that_lies_is_refused) {
  const std::string two = npy(dictionary("<f8", "(2, 4)"), bytes(eight));
  const std::vector<std::pair<std::string, std::string>> files = {{"a.npy", two}, {"b.npy", two}};
  EXPECT_EQ(said("x.npz", "PK"), ": does not end as a .npz file does");
  EXPECT_EQ(said("x.npz", npz({})), ": holds no array");
  EXPECT_EQ(said("x.npz", npz(files)),
            ": holds more than one array; say which: FILE.npz:NAME with NAME one of a, b");
  EXPECT_EQ(said("x.npz", npz(files), ":c"), ": holds no `c`: FILE.npz:NAME with NAME one of a, b");
  EXPECT_EQ(said("x.npz", npz(files, [](std::string& entry) { entry[10] = 12; })),
            ": `a.npy` is compressed by method 12 of zip; numpy writes 0 (as it is) and 8 (deflate)");
  EXPECT_EQ(said("x.npz", npz(files, [](std::string& entry) { entry[8] = 1; })), ": `a.npy` is encrypted");
  EXPECT_EQ(said("x.npz", npz(files, [](std::string& entry) { entry[0] = 'Q'; })),
            ": has a directory that is cut short: 0 of 2 arrays");
  EXPECT_EQ(said("x.npz", npz(files, [](std::string& entry) { entry[29] = 1; })),
            ": has a directory that is cut short: 0 of 2 arrays");
  for (const std::size_t field : {30u, 32u})  // three bytes more than the directory has
    EXPECT_EQ(said("x.npz", npz({{"a.npy", two}}, [field](std::string& entry) { entry[field] = 3; })),
              ": has a directory that is cut short: 0 of 1 arrays");
  EXPECT_EQ(said("x.npz", npz(files, [](std::string& entry) { entry[22] = entry[26] = 1; })),
            ": ends within `a.npy`");
  EXPECT_EQ(said("x.npz", npz(files, [](std::string& entry) { entry[24] ^= 1; })),
            ": `a.npy` is stored as it is, in 137 bytes, and has 136");
  for (const std::size_t field : {20u, 24u})
    EXPECT_EQ(said("x.npz", npz(files, [field](std::string& entry) { entry.replace(field, 4, 4, '\xff'); })),
              ": `a.npy` has no size below 4 GiB");
  EXPECT_EQ(said("x.npz", npz(files, [](std::string& entry) { entry[42] = 7; })),
            ": has no header of `a.npy`");
  EXPECT_EQ(said("x.npz", npz(files, [](std::string& entry) { entry[45] = 7; })),
            ": ends within the header of `a.npy`");
  const std::string whole = npz({{"a.npy", two}});
  EXPECT_EQ(said("x.npz", whole.substr(0, whole.size() - 1)), ": does not end as a .npz file does");
  EXPECT_EQ(said("x.npz", npz({{"a.npy", two.substr(0, two.size() - 1)}})),
            ": the header promises 2 x 4 float64 (64 bytes), the file holds 63");
}

// Without the frame of zlib, as archives have it.
std::string deflated(const std::string& bytes) {
  std::string out(bytes.size() + 1000, '\0');
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// An archive whose arrays all have these bytes, as numpy.savez_compressed writes it.
std::string compressed(
    const std::string& bytes, const std::vector<std::string>& names,
    const std::function<void(std::string&)>& wrong = [](std::string&) {}, const std::string& tail = "") {
  const std::string stored = deflated(bytes) + tail;
  std::vector<std::pair<std::string, std::string>> files;
  for (const std::string& name : names) files.emplace_back(name, stored);
  const auto crc = static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
  return npz(files, [&](std::string& entry) {
    entry[10] = 8;
    for (int n = 0; n < 4; ++n) entry[16 + n] = static_cast<char>(crc >> (8 * n) & 255);
    for (int n = 0; n < 4; ++n) entry[24 + n] = static_cast<char>(bytes.size() >> (8 * n) & 255);
    wrong(entry);
  });
}

TEST_F(Npz, compressed_arrays_are_read_as_the_others) {
  const std::string two = npy(dictionary("<f8", "(2, 4)"), bytes(eight));
  const std::string path = file("x.npz", compressed(two, {"cos.npy", "sin.npy"}));
  for (const char* name : {":cos", ":sin"})
    EXPECT_EQ(testing::rows(open("table:" + path + name, expected(Table{.dim = 4})), {0, 1}, 2),
              Tensor({2, 4}, {0, 1, 2, 3, 10, 11, 12, 13}))
        << name;
  // More than is read of the archive at once, and than zlib gives at once: bytes without a pattern.
  std::mt19937_64 random(7);
  std::vector<double> many(40'000);
  for (double& x : many) x = std::ldexp(static_cast<double>(random() >> 11), -53);
  const std::string large =
      file("large.npz", compressed(npy(dictionary("<f8", "(10000, 4)"), bytes(many)), {"pe.npy"}));
  const Tensor last = testing::rows(open("table:" + large, expected(Table{.dim = 4})), {9'999}, 10'000);
  EXPECT_EQ(last, Tensor({1, 4}, {many[39'996], many[39'997], many[39'998], many[39'999]}));
}

TEST_F(Npz, compressed_arrays_that_are_damaged_are_refused) {
  const std::string two = npy(dictionary("<f8", "(2, 4)"), bytes(eight));
  const std::size_t stored = deflated(two).size();
  const auto with = [&](std::size_t field, int by) {
    return said("x.npz", compressed(two, {"a.npy"},
                                    [&](std::string& entry) { entry[field] += static_cast<char>(by); }));
  };
  const std::string damaged =
      ": `a` is damaged: what is deflated there is not the {} bytes of its checksum";
  EXPECT_EQ(with(16, 1), fmt::format(fmt::runtime(damaged), two.size()));  // the checksum
  EXPECT_EQ(with(24, 1), fmt::format(fmt::runtime(damaged), two.size() + 1));
  EXPECT_EQ(with(24, -1), fmt::format(fmt::runtime(damaged), two.size() - 1));
  EXPECT_EQ(with(20, -1), fmt::format(fmt::runtime(damaged), two.size()));  // cut short
  EXPECT_EQ(with(26, 16), fmt::format(": `a.npy` promises {} bytes, more than {} of deflate can hold",
                                      two.size() + (1 << 20), stored));
  std::string archive = compressed(two, {"a.npy"});
  archive[30 + 5 + 20 + stored / 2] ^= 1;  // a bit in the middle of what is deflated
  EXPECT_EQ(said("x.npz", archive), fmt::format(fmt::runtime(damaged), two.size()));
  EXPECT_EQ(said("x.npz", compressed(two.substr(0, two.size() - 1), {"a.npy"})),
            ": the header promises 2 x 4 float64 (64 bytes), the file holds 63");
}

}  // namespace
}  // namespace posproof::npz_test
