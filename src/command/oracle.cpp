#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "command/commands.h"
#include "command/options.h"
#include "command/terminal.h"
#include "core/call.h"
#include "report/configured.h"
#include "report/file.h"
#include "report/json.h"
#include "run/exact_array.h"
#include "subject/array_header.h"
#include "subject/words.h"

namespace posproof::command {
namespace {

struct OracleArguments {
  std::string positions, format = "f32", file, part = "both";
  unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  bool json = false;
};

// All positions of an encoding that ends; of another the first 4096, of a bias, which has an entry for each
// two of them, 512.
std::pair<Position, Position> asked_for(const OracleArguments& arguments, const Encoding& truth) {
  if (const auto given = range(arguments.positions)) return *given;
  const Domain& all = positions_of(truth);
  const Position usual = signature(truth).has(Axis::key) ? 512 : 4096;
  return {all.lo, all.ends ? all.hi : std::min(all.hi, all.lo + usual - 1)};
}

int run_oracle(const Chosen& chosen, const OracleArguments& arguments) {
  const auto& [id, spec, parameters, given, configured] = chosen;
  const Encoding truth = spec.oracle(parameters);
  const auto [first, last] = asked_for(arguments, truth);
  const RotaryPart part = arguments.part == "cos"   ? RotaryPart::cosines
                          : arguments.part == "sin" ? RotaryPart::sines
                                                    : RotaryPart::both;
  if (part != RotaryPart::both && !signature(truth).role)
    throw std::invalid_argument(fmt::format("--part {}: `{}` is a {} encoding; a rotary one has parts",
                                            arguments.part, id, kind(truth)));

  const Format format = *posproof::format(arguments.format);
  const ExactArray array = exact_array(truth, format, first, last, part);
  const std::string positions = fmt::format("{}:{}", first, last);
  const std::string header = array_header(arguments.file, array.name, format, array.shape,
                                          {{"encoding", std::string(id)},
                                           {"parameters", parameters.text()},
                                           {"positions", positions},
                                           {"rounding", array.rounding},
                                           {"posproof", POSPROOF_VERSION}});
  const std::size_t values = count(array.shape) * bytes(format), size = header.size() + values;

  report::NewFile file(arguments.file, size);
  file.write(0, std::as_bytes(std::span(header)));
  {
    Progress progress;
    std::size_t done = 0;
    constexpr std::size_t mebibyte = std::size_t{1} << 20;
    array.give(
        [&](std::size_t at, std::span<const std::byte> piece) {
          file.write(header.size() + at, piece);
          done += piece.size();
          if (values > mebibyte) progress("MiB", done / mebibyte, values / mebibyte);
        },
        arguments.threads);
  }
  file.commit();

  if (arguments.json) {
    write(report::with_configuration(report::json({arguments.file, id, parameters, first, last, array, size}),
                                     configured));
  } else {
    write(fmt::format("{}: {} {} in {}, positions {}, {}, {} bytes\n", printable(arguments.file), array.name,
                      text(array.shape), name(format), positions, array.rounding, size));
  }
  return as_claimed;
}

}  // namespace

Command oracle_command() {
  const auto arguments = std::make_shared<OracleArguments>();
  return {
      .name = "oracle",
      .help = "write an encoding's exact values, rounded once, to a file",
      .after_encoding =
          {{.names = "-o,--output",
            .field = &arguments->file,
            .help = "FILE.npy or FILE.safetensors",
            .allowed = Option::NewFile{},
            .required = true},
           {"--positions", &arguments->positions,
            "FIRST:LAST, both included; left out: all where the encoding ends, else the first 4096 (512 of a "
            "bias)"},
           {"--dtype", &arguments->format, "f64, f32, bf16 (not in .npy) or f16",
            Option::OneOf{"f64", "f32", "bf16", "f16"}},
           {"--part", &arguments->part,
            "of a rotary encoding: both (cos and sin where the layout has them), cos or sin (a column for "
            "each "
            "pair, as caches hold them)",
            Option::OneOf{"both", "cos", "sin"}},
           {.names = "--threads",
            .field = &arguments->threads,
            .help = "standard: as many as there are processors",
            .allowed = Option::Range{1, 1024},
            .shows_standard = false},
           {"--json", &arguments->json, "say in JSON what was written"}},
      .run = [arguments](const Chosen& chosen) { return run_oracle(chosen, *arguments); }};
}

}  // namespace posproof::command
