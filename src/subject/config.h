#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/case.h"
#include "subject/config_settings.h"

namespace posproof {

// What a model's configuration says of an encoding.
struct Configured {
  Parameters parameters = {};
  std::vector<std::string> understood = {};  // `rope_theta 500000: base=500000`
  // What it says in two ways: it is refused unless somebody names the parameter.
  struct Ambiguous {
    std::string parameter;
    std::string
        readings;  // `1000000 (rope_theta, global layers) or 10000 (rope_local_base_freq, local ones)`
  };
  std::vector<Ambiguous> ambiguous = {};
  // What it says only in part: it is refused, too, unless somebody names the parameter.
  struct Missing {
    std::string parameter;
    std::string what;  // `has rope type linear and no factor`
  };
  std::vector<Missing> missing = {};
  // What stays as it is, unless somebody names the parameter, and what was not read.
  struct Note {
    std::string parameter;  // empty: of none
    std::string what;       // `not read: use_logn_attn = true`
  };
  std::vector<Note> notes = {};
};

// Of an encoding of which files of its form are read: the refusal of another one names them. Throws
// std::invalid_argument for another encoding, and where the file describes another one.
Configured configured(const ConfigSettings& settings, std::string_view encoding);

}  // namespace posproof
