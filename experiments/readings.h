#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/bounds.h"
#include "core/encoding.h"

// Conventions that are read in more than one way, for the page on them: what the readings are, and how far
// the exact encodings that follow from them are apart.
namespace posproof::experiments {

inline constexpr std::string_view nobody = "not found in released code";

// One of the ways in which a convention is read: the encoding with these parameters.
struct Reading {
  std::string encoding, words;
  std::string formula, who;    // Markdown
  std::string precision = "";  // behind the subject, where that is what differs
};

Encoding oracle(const Reading& of);

// The largest difference of any two entries of both answers. Positions are [n, axes]; of a rotation each unit
// vector is asked at each position, so that answers are columns of its matrix, of other encodings contents of
// ones.
double apart(const Reading& a, const Reading& b, const std::vector<Position>& at, std::size_t axes = 1);

std::vector<Position> up_to(Position n);  // 0 to n - 1

// Of a pair of two rotations: the larger frequency over the smaller one, where that is largest.
struct Ratio {
  double most = 0;
  std::size_t pair = 0;
};
Ratio ratio(const Reading& a, const Reading& b);

// The pairs whose frequencies are not the same in both.
std::vector<std::size_t> pairs_that_differ(const Reading& a, const Reading& b);

struct Conflict {
  std::string title;      // of the section
  std::string parameter;  // that tells the readings apart
  std::vector<Reading> readings;
  std::string setting, difference;  // of the table: where, and by how much
  std::string found;                // a paragraph
  double least = 0;                 // of the differences
};

// Links in Markdown.
std::string link(std::string_view name, std::string_view where);
std::string arxiv(std::string_view name, std::string_view number);
std::string github(std::string_view name, std::string_view path);

// `0.842` of the largest difference 0.8415: three significant digits, rounded up.
AtMost three(double most);

}  // namespace posproof::experiments
