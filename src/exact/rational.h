#pragma once

#include <boost/multiprecision/gmp.hpp>

namespace posproof::exact {

// A fraction of whole numbers of any size: sums, products and quotients of doubles without any rounding.
using Rational =
    boost::multiprecision::number<boost::multiprecision::gmp_rational, boost::multiprecision::et_off>;

// The double nearest to it, ties to even.
double nearest(const Rational& value);

}  // namespace posproof::exact
