#pragma once
// Measures how fast a GPU decodes a set of lists, as time between events on the device. Decoded numbers stay in device
// memory. The lists are copied there repeatedly until there are `integers` numbers. Each copy has its own input and
// output, so that neither fits into the device's cache.
#include <span>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "tools/bench/codec/codec_timing.h"
#include "tools/bench/codec/integer_sets.h"

namespace frond::tools::bench {

// Thousands of millions of integers per second. `…_gaps`: docIDs decoded to gaps, without adding up; 0 for frequencies.
struct DeviceCodecTiming {
  const codec::ListCodec* codec = nullptr;
  double bits = 0;           // per integer, of whole streams
  Spread alone;              // one list, one launch, then a wait
  Spread row, row_gaps;      // launches of one list each, without waiting between them
  Spread batch, batch_gaps;  // all lists in one launch
};

// "NVIDIA H200, 132 processors". kDevice: no GPU, or a build without CUDA.
Result<std::string> describe_device();

// First checks that every decoder returns the original numbers; kCorrupt if one does not. kDevice: as above, or a
// failure of the device.
inline constexpr std::uint64_t kIntegersOnDevice = std::uint64_t{1} << 27;
Result<std::vector<DeviceCodecTiming>> time_codecs_on_device(const IntegerSet& set,
                                                             std::span<const codec::ListCodec* const> codecs,
                                                             unsigned rounds,
                                                             std::uint64_t integers = kIntegersOnDevice);

}  // namespace frond::tools::bench
