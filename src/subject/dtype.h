#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/formats.h"

namespace posproof {

// The formats that a safetensors header can name. Only the four floating formats F64, F32, BF16 and F16 are
// ever read as values; of the others the size is known.
enum class Dtype { F64, F32, BF16, F16, I64, I32, I16, I8, U64, U32, U16, U8, BOOL, F8_E4M3, F8_E5M2 };

std::optional<Dtype> dtype(std::string_view name);
std::string_view name(Dtype dtype);
std::size_t size(Dtype dtype);  // bytes of one value
bool is_float(Dtype dtype);     // one of the four

// How positions come, in the words of the protocol.
constexpr std::array<std::string_view, 4> position_dtypes = {"int64", "int32", "float64", "float32"};

std::optional<Format> format(Dtype dtype);  // of the four; none of the others
Dtype dtype(Format format);

// One little-endian value as a double, exactly. It need not be aligned.
double value(Format format, const std::byte* at);
// The other way: the nearest value of the format, ties to even, as nearest() of core/formats.h gives it.
void store(Format format, double value, std::byte* at);

// What an answer in this format is judged by unless the subject says otherwise: `f64`, `f32`, `bf16`,
// `f16`.
std::string_view precision_word(Dtype dtype);

// The values that begin there, as many as `values` has, exactly.
void unpack(Format format, const std::byte* bytes, std::span<double> values);

// Little-endian values of one of the four formats, as doubles, exactly. Throws std::invalid_argument for any
// other format, and std::length_error for bytes that are no whole number of values.
std::vector<double> decode(Dtype dtype, std::string_view bytes);

// Whether the format holds the number without rounding it.
bool holds(Dtype dtype, double value);
// The first that it does not hold; none where it holds all.
std::optional<double> first_not_held(Dtype dtype, std::span<const double> values);

}  // namespace posproof
