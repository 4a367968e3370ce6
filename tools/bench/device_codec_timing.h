#pragma once
// How fast a GPU decodes a set of lists: time on the device, between events in its stream; what is decoded stays in
// device memory. Lists are copied there as often as it takes to have so many integers, each copy with a place of its
// own, so that neither streams nor numbers fit into a device's cache.
#include <span>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "tools/bench/codec_timing.h"
#include "tools/bench/integer_sets.h"

namespace frond::tools {

// Thousands of millions of integers a second. All to docIDs or frequencies, but those "without sum", which give gaps;
// for frequencies these are 0.
struct DeviceCodecTiming {
  const codec::ListCodec* codec = nullptr;
  double bits = 0;           // an integer, of whole streams
  Spread alone;              // one list, one launch, and waited for
  Spread row, row_gaps;      // launches of one list each, one behind the other
  Spread batch, batch_gaps;  // all lists in one launch
};

// "NVIDIA H200, 132 processors". kDevice: there is no GPU, or the build has no CUDA.
Result<std::string> describe_device();

// kCorrupt: a decoder does not give the numbers back, which is checked before anything is timed; kDevice as above, or
// what failed.
inline constexpr std::uint64_t kIntegersOnDevice = std::uint64_t{1} << 27;
Result<std::vector<DeviceCodecTiming>> time_codecs_on_device(const IntegerSet& set,
                                                             std::span<const codec::ListCodec* const> codecs,
                                                             unsigned rounds,
                                                             std::uint64_t integers = kIntegersOnDevice);

}  // namespace frond::tools
