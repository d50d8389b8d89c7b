#pragma once

#include <string_view>

// The pages, and the sections of them, that the answers of several founding documents cite.
namespace posproof::report::founding {

inline constexpr std::string_view learn = "add_concatenate_or_learn";
inline constexpr std::string_view adding = "adding_position_to_a_token";
inline constexpr std::string_view without = "attention_without_encodings";
inline constexpr std::string_view directions = "directions_of_position";
inline constexpr std::string_view own = "every_position_is_its_own";
inline constexpr std::string_view back = "looking_k_tokens_back";
inline constexpr std::string_view depth = "positions_through_depth";
inline constexpr std::string_view recipes = "recipes_for_the_frequencies";
inline constexpr std::string_view kernel = "the_kernel_of_the_sinusoid";
inline constexpr std::string_view rotation = "translation_is_a_rotation";
inline constexpr std::string_view carries = "what_each_frequency_carries";
inline constexpr std::string_view symmetric = "what_is_symmetric";
inline constexpr std::string_view normalised = "why_not_the_normalised_index";

inline constexpr std::string_view fixed = "A fixed projector separates token and position";
inline constexpr std::string_view more = "More channels, smaller tokens";
inline constexpr std::string_view counted = "Parameters, counted";
inline constexpr std::string_view sentences = "Two sentences of the same words";

}  // namespace posproof::report::founding
