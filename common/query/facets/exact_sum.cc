#include "common/query/facets/exact_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace frond::query {
namespace {

constexpr unsigned kUnit = 1088;  // the bit of 2^0
constexpr unsigned kMantissaBits = 52;

// a + b + carry, which is 0 or 1 before and after.
std::uint64_t add_carry(std::uint64_t a, std::uint64_t b, bool& carry) {
  std::uint64_t sum = 0;
  const bool first = __builtin_add_overflow(a, b, &sum);
  const bool second = __builtin_add_overflow(sum, std::uint64_t{carry}, &sum);
  carry = first || second;
  return sum;
}

// Adds `low` and `high` to word `at` and the next, or subtracts them.
template <std::size_t kWords>
void accumulate(std::array<std::uint64_t, kWords>& words, std::size_t at, std::uint64_t low, std::uint64_t high,
                bool negative) {
  // In two's complement −x is ~x + 1, and the words above are all ones.
  bool carry = negative;
  const std::uint64_t above = negative ? ~std::uint64_t{0} : 0;
  words[at] = add_carry(words[at], low ^ above, carry);
  words[at + 1] = add_carry(words[at + 1], high ^ above, carry);
  for (std::size_t i = at + 2; i < kWords && carry != negative; ++i) words[i] = add_carry(words[i], above, carry);
}

}  // namespace

void ExactSum::add(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const unsigned exponent = bits >> kMantissaBits & 0x7ff;
  std::uint64_t mantissa = bits & ((std::uint64_t{1} << kMantissaBits) - 1);
  if (exponent != 0) mantissa |= std::uint64_t{1} << kMantissaBits;
  // The lowest bit of the mantissa is 2^(exponent - 1075); numbers without a leading one have the exponent 1.
  const unsigned at = kUnit - 1075 + std::max(exponent, 1u);
  const unsigned shift = at % 64;
  accumulate(words_, at / 64, mantissa << shift, shift == 0 ? 0 : mantissa >> (64 - shift), std::signbit(value));
}

void ExactSum::add_integer(std::int64_t value) {
  const auto magnitude = value < 0 ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value);
  accumulate(words_, kUnit / 64, magnitude, 0, value < 0);
}

void ExactSum::add(const ExactSum& other) {
  bool carry = false;
  for (std::size_t i = 0; i < kWords; ++i) words_[i] = add_carry(words_[i], other.words_[i], carry);
}

double ExactSum::rounded() const {
  auto magnitude = words_;
  const bool negative = (words_.back() >> 63) != 0;
  if (negative) {
    bool carry = true;
    for (auto& word : magnitude) word = add_carry(~word, 0, carry);
  }
  const auto bit = [&](unsigned at) { return (magnitude[at / 64] >> at % 64 & 1) != 0; };
  std::size_t top = kWords;
  while (top > 0 && magnitude[top - 1] == 0) --top;
  if (top == 0) return 0;
  const auto highest =
      static_cast<unsigned>(top * 64 - 1) - static_cast<unsigned>(std::countl_zero(magnitude[top - 1]));
  // The lowest bit that a double of this size has.
  const unsigned lowest = std::max(highest, kUnit - 1074 + kMantissaBits) - kMantissaBits;
  std::uint64_t mantissa = 0;
  for (unsigned at = highest + 1; at > lowest; --at) mantissa = mantissa << 1 | (bit(at - 1) ? 1 : 0);
  bool below_half = false;
  for (unsigned at = 0; at + 1 < lowest && !below_half; ++at) below_half = bit(at);
  if (bit(lowest - 1) && (below_half || (mantissa & 1) != 0)) ++mantissa;
  const double value = std::ldexp(static_cast<double>(mantissa), static_cast<int>(lowest) - static_cast<int>(kUnit));
  return negative ? -value : value;
}

std::vector<std::uint64_t> ExactSum::words() const {
  std::size_t count = kWords;
  while (count > 0 && words_[count - 1] == 0) --count;
  return {words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(count)};
}

bool ExactSum::set_words(const std::vector<std::uint64_t>& words) {
  if (words.size() > kWords) return false;
  words_ = {};
  std::ranges::copy(words, words_.begin());
  return true;
}

}  // namespace frond::query
