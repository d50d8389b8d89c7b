#pragma once

#include <string>
#include <string_view>

#include "core/experiment.h"

namespace posproof::report {

// What stands around a document on its page.
struct Page {
  std::string_view id;  // of the page: its file's name, and its figures' folder
  std::string_view question, method;
  std::string command;  // that writes it again
};

// The page: finding, question, method, condition, what was measured, and the command that repeats it. Figures
// are expected in figures/<id>/ beside it, see `figures`.
std::string markdown(const Document& document, const Page& page);

// The page of one experiment.
Page page_of(std::string_view id, const Experiment& experiment);

}  // namespace posproof::report
