#pragma once
// The entries of the catalogue of shipped defects that no defect here stands for, and why.
#include <array>
#include <string_view>

namespace posproof {

struct NotAsked {
  std::string_view id, family, because;
};

constexpr auto not_asked = std::to_array<NotAsked>({
    {"rope-reciprocal-vs-divide", "rope", "no defect: two orders of evaluation, both within the bound"},
    {"rope-noncontiguous-input-strides", "rope",
     "a call has no strides; the SDK gives a foreign subject arrays that are transposed in memory and slices of wider ones"},
    {"rope-grid-limit-65535-rows", "rope",
     "needs 65,536 rows in one call; the longest that is asked for has 4,097 tokens"},
    {"rope-int32-offset-overflow", "rope",
     "needs 2^31 values in one call; `rope/index_in_16_bits` is kin of it"},
    {"linear-interp-rederived-from-length", "rope-scaling",
     "a choice of its authors; `rope/linear_factor_follows_the_length` is kin of what it is where keys are cached"},
    {"rope-no-gradient", "rope",
     "a defect here is a forward pass; of a foreign subject the gate asks the backward pass, too (`vjp=` in the SDK)"},
    {"rope-backward-rotate-order", "rope",
     "a defect here is a forward pass; of a foreign subject the gate asks the backward pass, too (`vjp=` in the SDK)"},
    {"rope-backward-other", "rope",
     "a defect here is a forward pass; of a foreign subject the gate asks the backward pass, too (`vjp=` in the SDK)"},
    {"rope-cross-attention-q-only", "rope",
     "a choice of its authors; it is reported as `rope/keys_left_alone`"},
    {"sin-concat-vs-interleave", "sinusoidal",
     "a convention: `--layout` of `sinusoidal`, and a diagnosis names its other values"},
    {"pe-trainable-by-accident", "sinusoidal",
     "shows after a training step; what is asked for is the table as it is"},
    {"dndetr-normalise-half-pixel", "sincos_2d",
     "the thread asks for the half outside of the bracket, where the released code has it inside; what it asks for is `sincos_2d/half_outside_the_bracket`"},
    {"nerf-missing-pi", "sinusoidal",
     "a convention: `--factor` of `nerf`, which the original code leaves out on purpose"},
    {"learned-table-detached", "learned-absolute", "the gradient of a table is not asked for"},
    {"conv-positional-embedding-padding-sensitive", "learned-absolute",
     "its encoding is not in the catalogue (a convolution over the tokens)"},
    {"rope-prefetched-table-per-device", "rope",
     "needs several devices; where the memory holds zeros it is `rope/frequencies_never_initialised`"},
    {"rope-inference-mode-table-reused", "rope",
     "an error that PyTorch raises between two modes of a module"},
    {"flax-table-truncated-on-feature-axis", "rope",
     "needs a table of fewer positions than channels; `rope` here has no table whose length could be chosen"},
    {"packing-boundary-strict-decrease", "rope", "decides which tokens see each other, not where they stand"},
    {"cp-cu-seqlens-from-positions", "rope", "decides which tokens see each other, not where they stand"},
    {"xl-memory-rotary-offset", "rope", "shows between layers with memories of different lengths"},
    {"sin-decode-step-restarts", "sinusoidal",
     "its thread counts decoded tokens from 0 behind a context, so that the first of them alone has row 0; `sinusoidal/decode_restarts_at_zero` is kin of it"},
    {"pe-scaled-down", "sinusoidal",
     "a choice of its authors, whose checkpoints were trained so; `sinusoidal/scaled_down` is kin of it, and `--amplitude` declares it"},
    {"2d-sincos-hw-swapped", "2d-vision",
     "a convention: `--axis_order` of `sincos_2d`; its threads ask about names; `sincos_2d/axes_swapped` is kin of what they fear"},
    {"alibi-half-precision-distance", "alibi",
     "the two of its threads that could be read round the finished bias, or slopes and key positions; `alibi/distance_in_bf16` is kin of them"},
    {"yarn-betas-swapped", "rope-scaling",
     "its thread shows names that are exchanged, and values of the configuration with them: no ramp was reversed; `rope/yarn_betas_swapped` is kin of it"},
    {"position-row-index-missing", "learned-absolute",
     "the one of its sources that could be read gives rows of the batch whose number is past the context's length the position of a mask; `rope/later_rows_overwritten` is kin of it"},
    {"relative-embedding-indexed-absolutely", "relative-other",
     "no defect: its thread asks about a window around each query, whose index is the offset and a constant; `shaw/indexed_absolutely` is kin of what it fears"},
    {"txl-relshift-slice", "relative-other",
     "no defect: its code pads on the right, where its thread compares one that pads on the left, and cutting the last row is right there; `transformer_xl/shifted_by_one` is kin of what it fears"},
    {"rope-partial-table-padded-over-full-head", "rope",
     "found in review and repaired before it was merged; `rope/table_padded_over_full_head` is kin of it"},
    {"longrope-batch-coupled", "rope-scaling", "a convention: `--length_of` of `rope`"},
    {"rope3d-axis-split-mismatch", "2d-vision",
     "its thread shows another: of 64 channels a table is built for the parts [24, 20, 20] and cut as [22, 21, 21]; `axial_rope/even_split` is kin of it"},
    {"flux-ids-unpacked-grid", "2d-vision",
     "the one of its sources that could be read counts frames before they are packed in time; `axial_rope/ids_of_the_unpacked_grid` is kin of it"},
    {"alibi-constant-row-shift", "alibi",
     "no defect: the softmax does not see it, and `--rows any` of `alibi` allows it"},
});

}  // namespace posproof
