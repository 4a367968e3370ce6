#include "common/postings/deficit_table.h"

namespace frond::postings {

DeficitTable::DeficitTable(double b, double average_length) : b_(b), average_length_(average_length) {
  table_.reserve(kFrequencies * kLengths);
  for (Frequency frequency = 1; frequency <= kFrequencies; ++frequency)
    for (std::uint32_t length = 0; length < kLengths; ++length)
      table_.push_back(std::bit_cast<std::uint32_t>(scoring::deficit(b, average_length, frequency, length)));
}

}  // namespace frond::postings
