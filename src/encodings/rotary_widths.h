#pragma once

#include <cstddef>

#include "core/spec.h"

// The widths of encodings that rotate: how many channels do, and which numbers are allowed.
namespace posproof::rotary_widths {

// Of `dim` channels, all where `rotary_dim` is 0.
inline std::size_t rotating(const Arguments& p) {
  return p.width("rotary_dim") == 0 ? p.width("dim") : p.width("rotary_dim");
}

inline const Relation all_heads_fit{
    {"heads", "dim"}, "at most 1048576 channels in all heads", [](const Arguments& p) {
      return p.width("heads") * p.width("dim") <= std::size_t{type::any_width.hi};
    }};
inline const Relation a_part_rotates{{"rotary_dim", "dim"}, "widths up to `dim`", [](const Arguments& p) {
                                       return p.width("rotary_dim") <= p.width("dim");
                                     }};
inline const Relation pairs_rotate{{"dim", "rotary_dim"},
                                   "even numbers of channels that rotate",
                                   [](const Arguments& p) { return rotating(p) % 2 == 0; }};

}  // namespace posproof::rotary_widths
