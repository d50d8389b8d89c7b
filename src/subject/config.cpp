#include "subject/config.h"

#include <fmt/format.h>

#include <array>
#include <stdexcept>

#include "subject/config_reading.h"

namespace posproof {

std::optional<Configured> configured_by_onnx(const ConfigSettings& settings, std::string_view encoding) {
  if (encoding != "rope") return std::nullopt;
  Reading to(settings);
  if (const auto interleaved = to.number({"interleaved"}))
    to.set("layout", std::string(interleaved->value != 0 ? "interleaved" : "half_split"),
           fmt::format("interleaved {:g}", interleaved->value));
  to.set("rotary_dim", to.number({"rotary_embedding_dim"}));
  const auto heads = to.number({"num_heads"});
  if (heads && heads->value != 0) to.set("heads", heads);
  for (const std::string_view name : {"scale", "is_packed_batching"})
    if (const auto one = to.number({name}))
      to.note("", fmt::format("not read: {} = {}", name, number_text(one->value)));
  return to.done();
}

Configured configured(const ConfigSettings& settings, std::string_view encoding) {
  constexpr std::array read = {configured_by_transformers, configured_by_gguf, configured_by_onnx};
  constexpr std::array<std::string_view, 3> encodings = {
      "rope, m_rope, axial_rope, sinusoidal, sincos_2d, learned, alibi, t5_bias, relative_table, log_cpb, shaw and "
      "deberta",
      "rope and alibi", "rope"};
  const auto kind = static_cast<std::size_t>(settings.kind);
  if (auto found = read[kind](settings, encoding)) return *std::move(found);
  throw std::invalid_argument(fmt::format("is read for {}, not for {}", encodings[kind], encoding));
}

}  // namespace posproof
