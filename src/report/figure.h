#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "core/document.h"

// Figures, drawn by gnuplot: the same values give the same bytes. Each is drawn twice, for light and dark
// pages.
namespace posproof::report {

enum class Theme { light, dark };

// gnuplot is not installed; the message names the package.
struct NoGnuplot : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What gnuplot is asked to draw, data included: every coordinate with a fixed number of digits.
std::string script(const document::Plot& plot, Theme theme);
std::string script(const document::HeatMap& map, Theme theme);

// The standard output of `gnuplot` for that script. Throws NoGnuplot, or std::runtime_error with what gnuplot
// said.
std::string gnuplot(const std::string& script);

// gnuplot's SVG as it is published: heat maps with sharp cells, a title and a description for those who
// cannot see it, and a comment with the version that drew it.
std::string published(std::string svg, const std::string& title, const std::string& description);

// The version in that comment, `gnuplot 5.4 patchlevel 4`; empty where there is none. Another version draws
// other bytes from the same script.
std::string_view drawn_by(std::string_view svg);

}  // namespace posproof::report
