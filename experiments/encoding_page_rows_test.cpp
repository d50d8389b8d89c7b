#include "experiments/encoding_page.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "catalogue/defects.h"
#include "core/spec.h"
#include "defects/sources.h"
#include "run/agreement.h"
#include "run/catalogued.h"

namespace posproof::experiments::encoding_page_rows_test {
namespace {

// NeRF's waves declare rotations, from which a constant norm would follow; some implementations have none.
TEST(EncodingPage, says_what_does_not_follow_after_all_and_why) {
  const Document page = encoding_page("nerf");
  std::size_t withdrawn = 0;
  for (const Declared& one : encoding_named("nerf").facts) {
    if (one.because.empty()) continue;
    ++withdrawn;
    const std::string begin = fmt::format("Not claimed, though the encoding {}", one.fact->name),
                      end = fmt::format("The reason: {}.", one.because);
    EXPECT_TRUE(std::ranges::any_of(page.blocks, [&](const document::Block& block) {
      const auto* paragraph = std::get_if<document::Paragraph>(&block);
      return paragraph != nullptr && paragraph->text.starts_with(begin) && paragraph->text.ends_with(end);
    })) << begin;
  }
  EXPECT_GT(withdrawn, 0u);
}

// Which were shipped, and which property refutes each: agreement, where none is named.
TEST(EncodingPage, says_of_every_defect_where_it_was_and_what_refutes_it) {
  const Document page = encoding_page("alibi");
  const auto grid = std::ranges::find_if(page.blocks, [](const document::Block& block) {
    const auto* one = std::get_if<document::Grid>(&block);
    return one != nullptr && one->columns.front() == "defect";
  });
  ASSERT_NE(grid, page.blocks.end());
  const auto& rows = std::get<document::Grid>(*grid).rows;
  const auto family =
      std::ranges::find_if(catalogue::defects(), [](const auto& one) { return one.id == "alibi"; });
  const std::vector<Defect>& defects = family->value->defects;
  ASSERT_EQ(rows.size(), defects.size());
  std::size_t of_kin = 0, of_agreement = 0;
  for (std::size_t n = 0; n < rows.size(); ++n) {
    EXPECT_EQ(rows[n][0], fmt::format("`{}`", defects[n].name));
    EXPECT_EQ(rows[n][2].starts_with("kin of ["), is_kin(defects[n])) << rows[n][2];
    const std::string_view by =
        defects[n].refuted_by == nullptr ? agreement_id : id_of(*defects[n].refuted_by);
    EXPECT_EQ(rows[n][4], fmt::format("`{}`", by));
    of_kin += is_kin(defects[n]);
    of_agreement += defects[n].refuted_by == nullptr;
  }
  EXPECT_TRUE(of_kin > 0 && of_kin < rows.size());
  EXPECT_TRUE(of_agreement > 0 && of_agreement < rows.size());
}

}  // namespace
}  // namespace posproof::experiments::encoding_page_rows_test
