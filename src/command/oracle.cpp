#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <thread>

#include "catalogue/encodings.h"
#include "command/commands.h"
#include "command/options.h"
#include "command/terminal.h"
#include "report/file.h"
#include "run/exact_array.h"
#include "subject/array_header.h"

namespace posproof::command {
namespace {

struct Arguments {
  std::string positions, format = "f32", file, part = "both";
  unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  bool json = false;
  std::map<std::string, Options, std::less<>> options;
};

const Domain& domain(const Encoding& encoding) {
  static const Domain none;
  if (const auto* table = std::get_if<Table>(&encoding)) return table->positions;
  if (const auto* rotary = std::get_if<Rotary>(&encoding)) return rotary->positions;
  if (const auto* bias = std::get_if<Bias>(&encoding)) return bias->positions;
  return none;
}

// All positions of an encoding that ends; of another the first 4096, of a bias, which has an entry for each
// two of them, 512.
std::pair<Position, Position> positions_of(const Arguments& arguments, const Encoding& truth) {
  if (const auto given = range(arguments.positions)) return *given;
  const Domain& all = domain(truth);
  const Position usual = std::holds_alternative<Bias>(truth) ? 512 : 4096;
  return {all.lo, all.ends ? all.hi : std::min(all.hi, all.lo + usual - 1)};
}

nlohmann::ordered_json json_of(const Parameters& parameters) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  for (const auto& [name, value] : parameters.fields()) {
    if (const auto* real = std::get_if<double>(&value))
      out[name] = *real;
    else
      out[name] = text(value);
  }
  return out;
}

int run_oracle(const std::string& id, const EncodingSpec& spec, const Parameters& parameters,
               const Arguments& arguments) {
  const Encoding truth = spec.oracle(parameters);
  const auto [first, last] = positions_of(arguments, truth);
  const RotaryPart part = arguments.part == "cos"   ? RotaryPart::cosines
                          : arguments.part == "sin" ? RotaryPart::sines
                                                    : RotaryPart::both;
  if (part != RotaryPart::both && !std::holds_alternative<Rotary>(truth))
    throw std::invalid_argument(fmt::format("--part {}: `{}` is a {} encoding; a rotary one has parts",
                                            arguments.part, id, kind(truth)));

  const Format format = *posproof::format(arguments.format);
  const ExactArray array = exact_array(truth, format, first, last, part);
  const std::string positions = fmt::format("{}:{}", first, last);
  const std::string header = array_header(arguments.file, array.name, format, array.shape,
                                          {{"encoding", id},
                                           {"parameters", parameters.text()},
                                           {"positions", positions},
                                           {"rounding", array.rounding},
                                           {"posproof", POSPROOF_VERSION}});
  const std::size_t values = count(array.shape) * bytes(format), size = header.size() + values;

  // Past a limit of the shell, a write is to fail as one on a full disk does, and not to end the process.
  std::signal(SIGXFSZ, SIG_IGN);
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
    const nlohmann::ordered_json out = {{"file", arguments.file},
                                        {"encoding", id},
                                        {"parameters", json_of(parameters)},
                                        {"positions", {first, last}},
                                        {"array", array.name},
                                        {"shape", array.shape},
                                        {"format", name(format)},
                                        {"rounding", array.rounding},
                                        {"bytes", size}};
    write(out.dump(2) + "\n");
  } else {
    write(fmt::format("{}: {} {} in {}, positions {}, {}, {} bytes\n", arguments.file, array.name,
                      text(array.shape), name(format), positions, array.rounding, size));
  }
  return as_claimed;
}

}  // namespace

void add_oracle(CLI::App& app, int& code) {
  const auto arguments = std::make_shared<Arguments>();
  auto* oracle = app.add_subcommand("oracle", "an encoding's exact values, rounded once, as a file");
  oracle->require_subcommand(1);
  for (const auto& [id, spec] : catalogue::encodings()) {
    const std::string encoding(id);
    auto* one = oracle->add_subcommand(encoding, std::string(spec->summary));
    arguments->options[encoding].add(*one, *spec);
    one->add_option("-o,--output", arguments->file, "FILE.npy or FILE.safetensors")->required();
    one->add_option("--positions", arguments->positions,
                    "FIRST:LAST, both included; left out: all where the encoding ends, else the first 4096 "
                    "(512 of a bias)");
    one->add_option("--dtype", arguments->format, "f64, f32, bf16 (not in .npy) or f16")
        ->check(CLI::IsMember({"f64", "f32", "bf16", "f16"}))
        ->capture_default_str();
    one->add_option("--part", arguments->part,
                    "of a rotary encoding: both (cos and sin where the layout has them), cos or sin (a "
                    "column for each pair, as caches hold them)")
        ->check(CLI::IsMember({"both", "cos", "sin"}))
        ->capture_default_str();
    one->add_option("--threads", arguments->threads, "standard: as many as there are processors")
        ->check(CLI::Range(1u, 1024u));
    one->add_flag("--json", arguments->json, "say in JSON what was written");
    one->callback([arguments, &code, encoding, spec = spec] {
      code = run_oracle(encoding, *spec, arguments->options.at(encoding).read(*spec), *arguments);
    });
  }
}

}  // namespace posproof::command
