#pragma once
// A second form of a list on the device: plain docIDs with hash segments (Ao et al. 2011 §3.4), for lists that queries
// without ranking often look documents up in. A look-up reads where a bucket begins and ends and a few docIDs
// (HashSegmentation in intersect/plain_search.h); nothing is decoded. Made on the device of the list's image, so
// nothing crosses the bus.
#include <cstddef>
#include <cstdint>

#include "common/base/result.h"
#include "common/device/runtime.h"
#include "leaf/gpu/block_entry.h"
#include "leaf/gpu/intersect/list_view.h"

namespace frond::leaf::gpu {

// docIDs in a bucket, at most, if they are spread evenly: the fastest of 16 to 256
// (docs/measurements/intersection.md).
inline constexpr std::uint32_t kBucketDocids = 16;

class PlainForm {
 public:
  // Of an admitted list in a partition of `documents` documents.
  PlainForm(const DeviceList& list, std::uint32_t documents);
  std::size_t bytes() const { return (std::size_t{view_.count} + view_.parts + 1) * sizeof(std::uint32_t); }
  // The form when its memory is at `at`, aligned to 16.
  intersect::ListView at(std::byte* at) const;

 private:
  intersect::ListView view_;
};

// Writes the form of `list` to the memory of `form`, a PlainForm's. Asynchronous. kDevice.
Result<void> make_plain_form(const DeviceList& list, const intersect::ListView& form, device::StreamHandle stream);

}  // namespace frond::leaf::gpu
