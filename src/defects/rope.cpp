#include "catalogue/defects/rope.h"
#include "catalogue/properties/call/agrees_in_chunks.h"
#include "catalogue/properties/call/takes_positions_in_any_order.h"
#include "catalogue/properties/call/treats_batch_rows_independently.h"
#include "catalogue/properties/call/treats_heads_alike.h"
#include "catalogue/properties/rotary/composes.h"
#include "catalogue/properties/rotary/is_identity_at_zero.h"
#include "catalogue/properties/rotary/leaves_the_tail_untouched.h"
#include "catalogue/properties/rotary/preserves_norm.h"
#include "catalogue/properties/rotary/preserves_pair_norms.h"
#include "catalogue/properties/rotary/role_does_not_matter.h"
#include "catalogue/properties/score/depends_on_offset.h"
#include "catalogue/properties/score/depends_on_order.h"
#include "defects/rope_angles.h"
#include "defects/rope_calls.h"
#include "defects/rope_channels.h"
#include "defects/rope_ladders.h"

namespace posproof {
namespace {

constexpr Precision bf16_over_f32{unit_f32, unit_bf16};
constexpr Precision f32_over_f64{unit_f64, unit_f32};

using namespace properties;
using namespace wrong_ropes;

}  // namespace

const DefectFamily defects::rope{{
    {"positions_in_bf16", "cos(bf16(t) w_i): above 256 neighbouring positions are one",
     "candle#3520, keras-hub#1494", &positions_in_bf16, "dim=2", &rotary::composes, bf16_over_f32},
    {"angles_in_bf16", "cos(bf16(bf16(t) w_i)): position and product in bf16", "candle#3520, keras-hub#1497",
     &angles_in_bf16, "dim=2", &score::depends_on_offset, bf16_over_f32},
    {"frequencies_in_bf16",
     "cos(t bf16(w_i)): each pair rotates exactly, at a speed that is off by up to 2^-9",
     "sglang-jax#1472, transformers#29496, TransformerEngine#875", &frequencies_in_bf16, "dim=4", nullptr},
    {"angle_products_in_bf16", "cos(bf16(t w_i)): the product, made in f32, is kept in bf16",
     "transformers#29285, TransformerEngine#2240, candle#3520", &angle_products_in_bf16, "dim=2", nullptr,
     bf16_over_f32},
    {"angles_all_in_bf16", "cos(bf16(bf16(t) bf16(w_i))): position, frequency and product in bf16",
     "transformers#29496, transformers#29285", &angles_all_in_bf16, "dim=2", nullptr, bf16_over_f32},
    {"angle_products_in_f16", "cos(f16(t w_i)): the product is kept in f16, and overflows past 65504",
     "kin of flashinfer#585, transformers#29285", &angle_products_in_f16, "dim=2", nullptr},
    {"positions_in_f16", "cos(f16(t) w_i): above 2048 neighbouring positions are one",
     "kin of keras-hub#1494", &positions_in_f16, "dim=2", nullptr},
    {"frequencies_in_f16",
     "cos(t f16(w_i)): each pair rotates exactly, at a speed that is off by up to 2^-11",
     "kin of TransformerEngine#875", &frequencies_in_f16, "dim=4", nullptr},
    {"angles_in_tf32", "cos(tf32(t) tf32(w_i)): the outer product of positions and frequencies runs in tf32",
     "kin of TransformerEngine#2240", &angles_in_tf32, "dim=2", nullptr},
    {"frequencies_in_f32", "cos(t f32(w_i)) in a subject that says f64", "xformers@51aa071",
     &frequencies_in_f32, "dim=4", nullptr, all_f64},
    {"cos_sin_in_bf16", "bf16(cos(t w_i)), bf16(sin(t w_i)): c^2 + s^2 is not 1",
     "modded-nanogpt#39, transformers#29285, flashinfer#585", &cos_sin_in_bf16, "dim=2",
     &rotary::preserves_norm},
    {"cos_sin_swapped", "x_a sin(t w_i) - x_b cos(t w_i): cosine and sine in each other's place",
     "kin of ark-nlp#47", &cos_sin_swapped, "dim=2", &rotary::is_identity_at_zero},
    // An angle that is a product in f32 may be off by more than this; only one that is known better shows
    // it.
    {"fast_trig", "sin((1 + 1e-7) t w_i): a sine that is good near 0 only, its argument reduced in f32",
     "imp#1316, imp#1304, mlxcel#1055", &fast_trig, "dim=2", nullptr, f32_over_f64},
    {"frequencies_never_initialised",
     "w_i = 0: a buffer that is allocated and never filled, no channel rotates",
     "transformers#45902, SkyRL#1709, torchtune#612", &frequencies_never_initialised, "dim=2",
     &score::depends_on_order},
    {"base_ignored", "w_i = 10000^(-2i/d), whatever the base",
     "airllm#369, SpecForge#265, vllm#9503, TensorRT-LLM#785", &base_ignored, "dim=4 base=500000", nullptr},
    {"exponent_off_by_one", "w_i = base^(-2(i-1)/d) with i from 0: the first frequency is above 1",
     "llama-from-scratch#8, assignment1-basics#22", &exponent_off_by_one, "dim=2", nullptr},
    {"exponent_one_ahead", "w_i = base^(-2(i+1)/d) with i from 0: the first frequency is below 1",
     "kin of llama-from-scratch#8", &exponent_one_ahead, "dim=4", nullptr},
    {"exponent_halved", "w_i = base^(-i/d): the slowest pair rotates too fast", "kin of llama-from-scratch#8",
     &exponent_halved, "dim=4", nullptr},
    {"exponent_doubled", "w_i = base^(-4i/d): the 2 of the exponent is taken twice",
     "kin of llama-from-scratch#8", &exponent_doubled, "dim=4", nullptr},
    {"exponent_over_pairs_minus_one", "w_i = base^(-i/(d/2 - 1)), as some sinusoidal tables have it",
     "kin of llama-from-scratch#8", &exponent_over_pairs_minus_one, "dim=4", nullptr},
    {"scaling_ignored", "w_i = base^(-2i/d), whatever `scaling` says",
     "mlxcel#1355, unsloth#6197, llama.cpp#8676, mlx-vlm#1709", &scaling_ignored, "dim=2 scaling=linear",
     nullptr},
    {"linear_scale_in_exponent", "w_i = base^(-2i/(d factor)): the first pair is not scaled at all",
     "keras-hub#1605", &linear_scale_in_exponent, "dim=4 scaling=linear", nullptr},
    {"llama3_smoothing_in_wavelength",
     "the blend of llama3 is linear in the wavelength and the other way round: it jumps at both ends",
     "mlx-examples#907, mlx-swift-examples#152", &llama3_smoothing_in_wavelength, "dim=64 scaling=llama3",
     nullptr},
    {"yarn_attention_factor_ignored", "cosine and sine are not multiplied by the attention factor",
     "vllm#46280, vllm#48351, mlx-lm#1507", &yarn_attention_factor_ignored, "dim=2 scaling=yarn", nullptr},
    {"yarn_betas_swapped", "beta_fast and beta_slow in each other's place: the ramp is reversed",
     "torchtitan#3787", &yarn_betas_swapped, "dim=64 scaling=yarn", nullptr},
    {"pairing_swapped",
     "half-split pairs (i, i + d/2) where neighbours (2i, 2i+1) were meant, or the reverse",
     "TinyLlama#24, vllm-ascend#12765, TransformerLens#365, mlx-lm#512", &pairing_swapped, "dim=4",
     &rotary::preserves_pair_norms},
    {"table_layout_against_rotate_layout",
     "a table [w0,w0,w1,w1] under half-split pairs, or [w0,w1,w0,w1] under neighbours",
     "how-to-train-your-gpt#7, bert4torch#1, ark-nlp#47", &table_layout_against_rotate_layout, "dim=4",
     &rotary::preserves_norm},
    {"rotate_layout_against_table_layout",
     "neighbours rotate under a table [w0,w1,w0,w1], where halves were meant, or halves under [w0,w0,w1,w1]",
     "how-to-train-your-gpt#7, bert4torch#1, ark-nlp#47", &rotate_layout_against_table_layout, "dim=4",
     nullptr},
    {"halves_swapped", "the two components of each rotated pair stand in each other's place",
     "kin of ark-nlp#47", &halves_swapped, "dim=2", nullptr},
    {"exponent_over_head_dim",
     "w_i = base^(-2i/dim) and pairs (i, i + dim/2) where rotary_dim channels rotate", "pie#602",
     &exponent_over_head_dim, "dim=4 rotary_dim=2", &rotary::leaves_the_tail_untouched},
    {"table_padded_over_full_head",
     "the tables of rotary_dim channels, filled up and used with pairs (i, i + dim/2)", "cascadia#69",
     &table_padded_over_full_head, "dim=4 rotary_dim=2", &rotary::preserves_norm},
    {"partial_factor_ignored", "all channels rotate, with w_i = base^(-2i/dim): the tail as well",
     "maxtext#4616, vllm#43770", &partial_factor_ignored, "dim=4 rotary_dim=2",
     &rotary::leaves_the_tail_untouched},
    {"warp_shuffle_limit", "the partner of a channel is taken modulo 32, the width of a warp",
     "DeepSpeed#2448", &warp_shuffle_limit, "dim=34", &rotary::preserves_norm},
    {"inplace_aliasing",
     "x_b' = x_a' s + x_b c: the first of a pair is overwritten before the second is made", "llama.cpp#20274",
     &inplace_aliasing, "dim=2", &rotary::preserves_norm},
    {"only_batch_row_0", "with one token a row, rows of the batch after the first stay zero",
     "mlx#3494, mlx#3795, mlx-rs#359, mlx-swift#441", &only_batch_row_0, "dim=2",
     &call::treats_batch_rows_independently},
    {"positions_of_row_0", "every row of the batch is rotated at the positions of the first",
     "unsloth#3795, transformers#22161, alpaca-lora#315", &positions_of_row_0, "dim=2",
     &call::treats_batch_rows_independently},
    {"position_plus_head", "with one token a row, head h is rotated at t + h", "emlx#121, mlx#1340",
     &position_plus_head, "dim=2 heads=2", &call::treats_heads_alike},
    {"position_is_the_head", "head h is rotated at h, wherever the token stands: the axes are mixed up",
     "xformers#841, open_lm#4, smolGPT#22, LLMs-from-scratch#411", &position_is_the_head, "dim=2",
     &score::depends_on_order},
    {"row_of_the_untransposed_layout", "the token's row is taken as (head n + token) / heads mod n",
     "DeepSpeed#2782", &row_of_the_untransposed_layout, "dim=2 heads=2", &call::treats_heads_alike},
    {"keys_left_alone", "queries rotate and keys do not", "mesh-transformer-jax@d8c73fd", &keys_left_alone,
     "dim=2", &rotary::role_does_not_matter},
    {"keys_rotate_backwards", "keys rotate by -t w_i: the logit depends on the sum of the positions",
     "kin of mesh-transformer-jax@d8c73fd", &keys_rotate_backwards, "dim=2", nullptr},
    {"positions_ignored", "tokens are rotated at 0 .. n-1, whatever positions were given",
     "Megatron-LM#453, torchtitan#2559, nanoVLM#204", &positions_ignored, "dim=2",
     &call::takes_positions_in_any_order},
    {"positions_clamped", "tokens are rotated at min(t, n-1)", "foundation-model-stack@dd6fdf7",
     &positions_clamped, "dim=2", &call::agrees_in_chunks},
    {"positions_doubled", "tokens are rotated at 2t, or rotated twice", "mlx-lm#1545, mlxcel#1324",
     &positions_doubled, "dim=2", nullptr},
    {"one_position_ahead", "tokens are rotated at t + 1",
     "sglang#25015, vllm#54498, efficient-transformers#1250", &one_position_ahead, "dim=2",
     &rotary::is_identity_at_zero},
    {"decode_restarts_at_zero", "after the first call a single token is rotated at 0",
     "mlx-vlm#1983, executorch#2010, equinox#704", &decode_restarts_at_zero, "dim=2",
     &call::agrees_in_chunks},
    {"single_token_at_zero", "a call with one token is rotated at 0, whatever its position",
     "mlx-vlm#1983, executorch#2010, equinox#799", &single_token_at_zero, "dim=2", nullptr},
    {"clamped_at_2047", "positions past 2047 are rotated as 2047", "kin of foundation-model-stack@dd6fdf7",
     &clamped_at<2047>, "dim=2", nullptr},
    {"clamped_at_4095", "positions past 4095 are rotated as 4095", "kin of foundation-model-stack@dd6fdf7",
     &clamped_at<4095>, "dim=2", nullptr},
    {"clamped_at_8191", "positions past 8191 are rotated as 8191", "kin of foundation-model-stack@dd6fdf7",
     &clamped_at<8191>, "dim=2", nullptr},
    {"wraps_at_65536", "positions are kept in 16 bits: 65536 is rotated as 0", "kin of vllm#44286",
     &wrapped_at<65536>, "dim=2", nullptr},
    {"cache_ignores_offset",
     "the table is kept by its length: the first call's positions serve every later one",
     "rotary-embedding-torch#11", &cache_ignores_offset, "dim=2", &call::agrees_in_chunks},
}};

}  // namespace posproof
