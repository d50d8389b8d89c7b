// What holds where nothing is said: the values of fields that nobody set.
#include <gtest/gtest.h>

#include <chrono>

#include "attention/encoder.h"
#include "attention/to_logits.h"
#include "command/options.h"
#include "core/call.h"
#include "core/document.h"
#include "core/parameter.h"
#include "core/property.h"
#include "core/spoiled.h"
#include "exact/frequencies.h"
#include "gate/gate.h"
#include "gate/wrong_answer.h"
#include "identify/identify.h"
#include "report/words.h"
#include "run/accuracy.h"
#include "run/batch_sweep.h"
#include "run/matrix.h"
#include "run/seeming_precision.h"
#include "run/sharpness.h"
#include "search/search.h"
#include "subject/protocol.h"
#include "subject/subject.h"

namespace posproof::defaults_test {
namespace {

using namespace std::chrono_literals;

TEST(Defaults, of_a_search) {
  const Budget budget;
  EXPECT_EQ(budget.cases, 300u);
  EXPECT_EQ(budget.shrinks, 2000u);
  EXPECT_EQ(budget.time, 30s);
  EXPECT_EQ(budget.shrink_time, 10s);
  EXPECT_EQ(budget.limit, "--time");
  EXPECT_EQ(Plan{}.seed, 1u);
}

TEST(Defaults, of_commands) {
  const GateOptions gate;
  EXPECT_FALSE(gate.two_heads);
  EXPECT_EQ(gate.seed, 1u);
  EXPECT_EQ(gate.budget.cases, 300u);
  EXPECT_EQ(gate.filter, "");
  EXPECT_EQ(gate.call_time, 20s);
  EXPECT_EQ(gate.total, 2min);
  EXPECT_FALSE(gate.sandbox || gate.exhaustive);
  const IdentifyOptions identify;
  EXPECT_EQ(identify.call_time, 20s);
  EXPECT_FALSE(identify.sandbox || identify.dim || identify.heads);
  const MatrixOptions matrix;
  EXPECT_EQ(matrix.seed, 1u);
  EXPECT_TRUE(matrix.unclaimed);
  const AccuracyOptions accuracy;
  EXPECT_FALSE(accuracy.everything || accuracy.positions || accuracy.deadline);
  EXPECT_TRUE(accuracy.attribution);
  EXPECT_EQ(accuracy.threads, 1u);
  const command::Common common;
  EXPECT_EQ(common.seed, 1u);
  EXPECT_EQ(common.cases, 300u);
  EXPECT_EQ(common.seconds, 30);
  EXPECT_EQ(common.call_seconds, 20);
  EXPECT_EQ(common.total_seconds, 120);
  EXPECT_FALSE(common.json);
  bool given = false;
  const command::Option option{"--given", &given};
  EXPECT_FALSE(option.required);
  EXPECT_TRUE(option.shows_standard);
  EXPECT_EQ(option.group, "Options");
  EXPECT_FALSE(report::Style{}.colour);
  EXPECT_FALSE(report::Wanted{}.in_full);
}

TEST(Defaults, of_what_was_found) {
  const Accuracy accuracy;
  EXPECT_EQ(accuracy.format, Format::f64);
  EXPECT_EQ(accuracy.first, 0);
  EXPECT_EQ(accuracy.last, -1);
  EXPECT_EQ(accuracy.columns + accuracy.keys + accuracy.channels, 0u);
  EXPECT_EQ(accuracy.rows + accuracy.declined + accuracy.entries + accuracy.wrong + accuracy.vacuous, 0u);
  EXPECT_EQ(accuracy.amplitude, 1);
  EXPECT_EQ(accuracy.ulp + accuracy.largest, 0);
  EXPECT_FALSE(accuracy.of_angles || accuracy.out_of_time);
  const SeemingPrecision seeming;
  EXPECT_EQ(seeming.answers, 0u);
  EXPECT_EQ(seeming.share + seeming.declared_share, 0);
  EXPECT_FALSE(seeming.tighter_by_far);
  EXPECT_FALSE(Shown{}.by_answers_alone);
  EXPECT_EQ(Sharpness{}.times, 0);
  EXPECT_FALSE(Convention{}.trained);
  EXPECT_EQ(Convention{}.share, 0);
  EXPECT_FALSE(MeasuredExample{}.in_16_bits);
  const BatchSweep sweep;
  EXPECT_EQ(sweep.batch, 1);
  const SweepResult swept;
  EXPECT_EQ(swept.declined, 0u);
  EXPECT_EQ(swept.first_declined, 0);
  const Undecided undecided{"why"};
  EXPECT_FALSE(undecided.out_of_time);
  EXPECT_TRUE(Refuted{}.repeats);
  const Place place;
  EXPECT_EQ(place.answer, 0u);
  EXPECT_EQ(place.answers, 1u);
}

TEST(Defaults, of_subjects) {
  const Subject subject{};
  EXPECT_TRUE(subject.live);
  EXPECT_EQ(subject.takes_positions, "each");
  const Expected expected{};
  EXPECT_EQ(expected.call_time, 20s);
  EXPECT_FALSE(expected.sandbox);
  const Introduction introduction{};
  EXPECT_FALSE(introduction.renews || introduction.backward || introduction.processor);
  EXPECT_EQ(introduction.dtype, Dtype::F32);
  EXPECT_EQ(introduction.positions, std::vector<std::string>{"int64"});
  EXPECT_EQ(introduction.takes_positions, "each");
}

TEST(Defaults, of_encodings) {
  const Domain domain;
  EXPECT_EQ(domain.lo, 0);
  EXPECT_EQ(domain.axes, 1u);
  EXPECT_FALSE(domain.real || domain.ends);
  const Pair pair{};
  EXPECT_EQ(pair.index + pair.axis, 0u);
  const FrequencyError& error = pair.frequency_error;
  EXPECT_EQ(error.condition, 1);
  EXPECT_EQ(error.roundings + error.margin + error.jump, 0);
  const Table table;
  EXPECT_EQ(table.dim, 0u);
  EXPECT_EQ(table.amplitude, 1);
  EXPECT_EQ(table.offset, 0);
  const Rotary rotary;
  EXPECT_EQ(rotary.dim, 0u);
  EXPECT_EQ(rotary.heads, 1u);
  EXPECT_EQ(rotary.amplitude, 1);
  const Bias bias;
  EXPECT_EQ(bias.heads, 0u);
  EXPECT_FALSE(bias.causal || bias.modulo_rows);
  const Contextual contextual;
  EXPECT_EQ(contextual.dim, 0u);
  EXPECT_EQ(contextual.heads, 1u);
  EXPECT_TRUE(contextual.positional);
  EXPECT_FALSE(contextual.causal || contextual.modulo_rows);
  const Attention attention;
  EXPECT_EQ(attention.dim + attention.value_dim, 0u);
  EXPECT_TRUE(attention.positional);
  EXPECT_FALSE(attention.only_logits || attention.causal || attention.any_mask);
  const attention::Logits logits;
  EXPECT_EQ(logits.dim, 0u);
  EXPECT_EQ(logits.heads, 1u);
  EXPECT_TRUE(logits.positional);
  EXPECT_FALSE(logits.causal || logits.modulo_rows);
  const attention::Block block{};
  EXPECT_TRUE(block.residual && block.normalise && block.with_feed_forward);
}

TEST(Defaults, of_calls_and_entries) {
  const Call call;
  EXPECT_EQ(call.batch, 1u);
  EXPECT_EQ(call.length, 0);
  EXPECT_EQ(call.role, Role::query);
  EXPECT_EQ(call.positions.axes, 1u);
  const AnswerEntry entry;
  EXPECT_EQ(entry.batch + entry.head + entry.token + entry.key + entry.channel + entry.calls, 0u);
  EXPECT_EQ(entry.batches * entry.heads * entry.tokens * entry.keys * entry.channels, 1u);
  EXPECT_EQ(entry.position, 0);
  EXPECT_EQ(entry.key_position, 0);
  EXPECT_EQ(entry.role, Role::query);
  EXPECT_FALSE(entry.repeated);
  const Property property;
  EXPECT_FALSE(property.universal || property.yes_or_no);
  EXPECT_EQ(property.needs, Needs::any_subject);
  EXPECT_EQ(NegativeExample{}.precision, all_f64);
}

TEST(Defaults, of_ladders_and_figures) {
  const exact::ByIndex ramp{};
  EXPECT_TRUE(ramp.truncate);
  const exact::Frequencies frequencies;
  EXPECT_FALSE(frequencies.backward);
  EXPECT_EQ(frequencies.multiple, 1);
  const exact::YarnAmplitude amplitude{};
  EXPECT_EQ(amplitude.mscale, 1);
  EXPECT_EQ(amplitude.mscale_all_dim, 0);
  const document::FigureAxis axis;
  EXPECT_FALSE(axis.logarithmic);
  EXPECT_EQ(axis.log_base, 10);
  EXPECT_FALSE(document::Curve{}.dots || document::Curve{}.dashed || document::Plot{}.square);
  EXPECT_EQ(document::Plot{}.decimals, 6);
  EXPECT_EQ(document::HeatMap{}.decimals, 4);
}

}  // namespace
}  // namespace posproof::defaults_test
