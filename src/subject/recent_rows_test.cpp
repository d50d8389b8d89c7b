#include "subject/recent_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "subject/subject.h"

namespace posproof::recent_rows_test {
namespace {

// [rows, 2] in f64: row r holds r and -r. Counts what is read of it.
Array counted(std::size_t rows, std::size_t& reads) {
  return {"rows.npy", Format::f64, {rows, 2}, [rows, &reads](std::size_t at, std::span<std::byte> to) {
            ++reads;
            ASSERT_LE(at + to.size(), 16 * rows);
            for (std::size_t done = 0; done < to.size(); done += 16) {
              const auto r = static_cast<double>((at + done) / 16);
              const double values[2] = {r, -r};
              std::memcpy(to.data() + done, values, sizeof values);
            }
          }};
}

std::vector<double> row(const RecentRows& rows, std::size_t r) {
  std::vector<double> out(2);
  rows.row(r, out);
  return out;
}

TEST(RecentRows, reads_eight_rows_at_once_and_once) {
  std::size_t reads = 0;
  const RecentRows rows(counted(10, reads));
  for (int time = 0; time < 3; ++time)
    for (const std::size_t r : {7, 0, 8, 9})  // the second group has two rows
      EXPECT_EQ(row(rows, r), (std::vector<double>{static_cast<double>(r), -static_cast<double>(r)}));
  EXPECT_EQ(reads, 2);
}

TEST(RecentRows, wide_rows_are_read_alone) {
  std::vector<std::size_t> reads;
  const RecentRows rows(
      {"rows.npy", Format::f64, {4, 400}, [&reads](std::size_t at, std::span<std::byte> to) {
         reads.push_back(at);
         EXPECT_EQ(to.size(), 3200u);
         std::ranges::fill(to, std::byte{0});
       }});
  std::vector<double> out(400, 1.0);
  rows.row(3, out);
  EXPECT_EQ(reads, (std::vector<std::size_t>{3 * 3200}));
  EXPECT_EQ(out, std::vector<double>(400, 0.0));
}

TEST(RecentRows, groups_with_one_place_follow_each_other) {
  std::size_t reads = 0;
  const RecentRows rows(counted(3 * 4096, reads));
  for (const std::size_t r : {5, 5 + 4096, 5, 5 + 8192})
    EXPECT_EQ(row(rows, r), (std::vector<double>{static_cast<double>(r), -static_cast<double>(r)}));
  EXPECT_EQ(reads, 4);
}

TEST(RecentRows, a_row_that_cannot_be_read_is_not_kept) {
  bool broken = true;
  const RecentRows rows({"rows.npy", Format::f64, {4, 1}, [&broken](std::size_t, std::span<std::byte> to) {
                           if (broken) throw SubjectError("rows.npy: was cut short");
                           std::ranges::fill(to, std::byte{0});
                         }});
  std::vector<double> out(1, 5.0);
  EXPECT_THROW(rows.row(2, out), SubjectError);
  EXPECT_THROW(rows.row(2, out), SubjectError);
  broken = false;
  rows.row(2, out);
  EXPECT_EQ(out, (std::vector<double>{0.0}));
}

}  // namespace
}  // namespace posproof::recent_rows_test
