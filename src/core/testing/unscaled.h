#pragma once

#include "core/term.h"

namespace posproof {

// As long as it lives, every term of a bound is what it is in production, whatever is scaled outside: what a
// test's own right encoding is allowed does not change with the bound that it is held against.
class Unscaled {
 public:
  Unscaled() : before_(terms::scales.of) { set({}); }
  ~Unscaled() { set({.of = before_}); }
  Unscaled(const Unscaled&) = delete;
  Unscaled& operator=(const Unscaled&) = delete;

 private:
  static void set(terms::Scales scales) {
    scales.changes = terms::scales.changes + 1;
    terms::scales = scales;
  }
  decltype(terms::Scales::of) before_;
};

}  // namespace posproof
