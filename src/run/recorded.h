#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/encoding.h"
#include "core/spec.h"
#include "core/verdict.h"
#include "oracle/hard_cases.h"
#include "search/search.h"

// The hard cases that were recorded (src/oracle/cases/), replayed before anything is searched.
namespace posproof {

// All files, read once.
std::span<const oracle::HardCases> recorded_ladders();

// The positions that were recorded and lie in the domain, rising, each once.
std::vector<Position> recorded_positions(const Domain& within);

// Agreement (run/agreement.h) at every recorded position that both declare. Positions are positions: those
// that are hard for another ladder are asked for, too. The subject is asked for all of them in one call (a
// rotary in one for each role; in as many as 2^20 values take), each answer is judged as the case of one
// position, and one that is refuted, or a call that ends in an error, is asked again position by position.
// From the first position on that the subject declines, it is asked for nothing more. Holds with as many
// cases as were judged; none where there is none to judge: the whole operator has no positions of its own.
std::optional<Verdict> agreement_where_recorded(const Encoding& truth, const Encoding& subject,
                                                const Precision& precision, const Budget& budget);

// Agreement, where recorded and then searched.
Verdict agreement_searched(const Encoding& truth, const Encoding& subject, const Precision& precision,
                           const Plan& plan);

// "Agrees with its oracle" of our own encoding: with the standard parameters and with those of every recorded
// ladder that the spec has, also past the domain that is searched; then over the grid.
Verdict agreement_searched(const EncodingSpec& spec, const Plan& plan);

}  // namespace posproof
