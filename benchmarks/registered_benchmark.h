#pragma once

// Benchmarks that are made from the catalogues, which are complete only when main has begun.
namespace posproof {

void register_searches();
void register_rotations();

}  // namespace posproof
