#include <algorithm>

#include "catalogue/oracle/kerple.h"
#include "exact/bias_kernels.h"
#include "oracle/bias_bounds.h"
#include "oracle/of_offset.h"

namespace posproof {

using namespace exact;

namespace {

// A list may be shorter than there are heads: what is missing is its last number.
double number_of(const std::vector<double>& list, std::size_t head) {
  return head < list.size() ? list[head] : list.back();
}

using bias_bounds::KerpleHead, bias_bounds::Kernel;

KerpleHead head_of(const Arguments& p, std::size_t head) {
  const auto number = [&](std::string_view name) { return number_of(p.list(name), head); };
  const Kernel kernel = p.is("kernel", "log")     ? Kernel::log
                        : p.is("kernel", "power") ? Kernel::power
                                                  : Kernel::log_power;
  return {kernel, number("r1"), number("r2"), number("exponent")};
}

BiasKernel kernel_of(const KerpleHead& head) {
  if (head.kernel == Kernel::power) return PowerLaw{head.r1, head.r2};
  return Logarithmic{head.r1, head.r2, head.kernel == Kernel::log ? 1 : head.exponent};
}

}  // namespace

Encoding oracle::kerple(const Arguments& p) {
  const bool causal = p.is("form", "causal");
  std::vector<KerpleHead> heads;
  std::vector<BiasKernel> kernels;
  std::vector<std::size_t> like;
  for (std::size_t h = 0; h < p.width("heads"); ++h) {
    heads.push_back(head_of(p, h));
    kernels.push_back(kernel_of(heads.back()));
    like.push_back(static_cast<std::size_t>(std::ranges::find(heads, heads.back()) - heads.begin()));
  }
  Bias bias =
      bias_of_offset(like, causal, [kernels, causal](std::size_t head, Position offset, Format format) {
        return value(kernels.at(head), distance_of(offset, causal), format);
      });
  bias.error = bias_bounds::of_kerple(heads, causal);
  return bias;
}

}  // namespace posproof
