#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/founding/claim.h"
#include "report/report.h"

// The page of all founding claims and questions: each with its answer and what shows it, quoted from the
// other pages.
namespace posproof::report {

constexpr std::string_view founding_name = "founding_questions";

// Whether a row may say `NoPageYet`. Every page is there, so such a row is a fault; `yes` while a new claim's
// page is being written.
enum class MayWait { no, yes };
constexpr MayWait may_wait = MayWait::no;

// What is wrong with the rows, a line each: a row without evidence, a page, heading, sentence or cell that is
// not in `pages` exactly once, a digit where a number would be typed by hand, ids out of order.
std::vector<std::string> founding_faults(std::span<const founding::Source> sources,
                                         const std::vector<File>& pages, MayWait wait);

// Throws std::logic_error with the faults, where there are any.
File founding_page(std::span<const founding::Source> sources, const std::vector<File>& pages, MayWait wait);

// The questions among them, a line each with links to what answers them; of the page's faults none is
// expected. Ends in a newline.
std::string founding_map(std::span<const founding::Source> sources, const std::vector<File>& pages);

}  // namespace posproof::report
