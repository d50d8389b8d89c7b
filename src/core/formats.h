#pragma once

namespace posproof {

// The nearest value of a narrower format, ties to the even one, as a double. Subnormals are kept, what is too
// large becomes an infinity, NaN stays NaN. Rounded once, straight from the double.
double to_fp32(double x);
double to_bf16(double x);
double to_fp16(double x);

}  // namespace posproof
