#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include "command/answered.h"
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

// How many numbers each axis of a grid has; none of an encoding of one number, or without a `grid`.
std::optional<Shape> grid_of(const OracleArguments& arguments, const Encoding& truth,
                             const Parameters& parameters) {
  const Value* const given = parameters.find("grid");
  const std::size_t axes = positions_of(truth).axes;
  if (axes == 1 || given == nullptr) return std::nullopt;
  if (!arguments.positions.empty())
    throw std::invalid_argument(
        fmt::format("--positions {}: the rows are all places of the grid; `--grid` says "
                    "how many these are",
                    arguments.positions));
  Shape out;
  for (const double extent : std::get<std::vector<double>>(*given)) {
    if (!(extent >= 1 && extent <= 0x1p30 && extent == std::floor(extent))) break;
    out.push_back(static_cast<std::size_t>(extent));
  }
  if (out.size() != axes || out.size() != std::get<std::vector<double>>(*given).size())
    throw std::invalid_argument(
        fmt::format("`grid={}`; allowed: whole numbers from 1, one for each axis", text(*given)));
  return out;
}

int run_oracle(const Chosen& chosen, const OracleArguments& arguments) {
  const auto& [id, spec, said, given, configured] = chosen;
  const Parameters parameters = as_answered(said);
  const Encoding truth = spec.oracle(parameters);
  refuse_what_reads_contents(truth);
  const RotaryPart part = arguments.part == "cos"   ? RotaryPart::cosines
                          : arguments.part == "sin" ? RotaryPart::sines
                                                    : RotaryPart::both;
  if (part != RotaryPart::both && !signature(truth).role)
    throw std::invalid_argument(fmt::format("--part {}: `{}` is a {} encoding; a rotary one has parts",
                                            arguments.part, id, kind(truth)));

  const Format format = *posproof::format(arguments.format);
  const auto grid = grid_of(arguments, truth, parameters);
  const auto [first, last] = grid ? std::pair<Position, Position>{} : asked_for(arguments, truth);
  const ExactArray array =
      grid ? exact_array_of_grid(truth, format, *grid, part) : exact_array(truth, format, first, last, part);
  const std::string positions =
      grid ? fmt::format("{}", fmt::join(*grid, " x ")) : fmt::format("{}:{}", first, last);
  const std::string header = array_header(arguments.file, array.name, format, array.shape,
                                          {{"encoding", std::string(id)},
                                           {"parameters", parameters.text()},
                                           {grid ? "grid" : "positions", positions},
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
    write(fmt::format("{}: {} {} in {}, {} {}, {}, {} bytes\n", printable(arguments.file), array.name,
                      text(array.shape), name(format), grid ? "a grid of" : "positions", positions,
                      array.rounding, size));
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
            "bias); of an encoding of places all those of --grid, row by row, are written"},
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
