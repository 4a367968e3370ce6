#pragma once
// A sum of doubles that is exact, so that it is the same in whichever order and parts they were added: Kulisch's long
// accumulator (Kulisch and Miranker 1986, "The Arithmetic of the Digital Computer: A New Approach", section 3).
#include <array>
#include <cstdint>
#include <vector>

namespace frond::query {

class ExactSum {
 public:
  void add(double value);  // finite
  void add(const ExactSum& other);
  void add_integer(std::int64_t value);
  double rounded() const;  // to nearest, ties to even; infinite if it is too large
  // For the wire: from the lowest word to the highest that is not 0.
  std::vector<std::uint64_t> words() const;
  // False: there are too many words.
  bool set_words(const std::vector<std::uint64_t>& words);
  friend bool operator==(const ExactSum&, const ExactSum&) = default;

 private:
  // Two's complement; word i has the bits from 2^(64 i − 1088) on. Room for 2^63 values.
  static constexpr std::size_t kWords = 35;
  std::array<std::uint64_t, kWords> words_{};
};

}  // namespace frond::query
