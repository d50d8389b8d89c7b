#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/spec.h"
#include "gate/gate.h"
#include "gate/wrong_answer.h"

// A wrong answer as a Python script for an issue, which needs numpy alone (PyTorch where an argument or the
// answer is in bf16): the input, the exact values and the assertion, at most 30 lines.
namespace posproof::report {

// What a script says of where it comes from.
struct Origin {
  std::string_view encoding, property;
  const EncodingSpec& spec;
  const Parameters& parameters;
};

std::string script(const WrongAnswer& wrong, const Origin& origin);

// Of the first finding whose wrong answer shows by itself, or with the calls before it. None where there is
// none.
std::optional<std::string> script(const GateResult& gated);

// Throws Unwritable where there is a regular file that is not empty and no script of ours.
void refuse_other_files(const std::filesystem::path& path);

}  // namespace posproof::report
