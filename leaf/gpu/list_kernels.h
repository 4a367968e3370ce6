#pragma once
// Makes plain forms of lists, and makes a copied list ready for kernels: writes its block entries, table and starts of
// runs, and checks that every block decodes to what the blob's index says. Kernels check nothing of the list later:
// device memory does not change.
#include <cstddef>
#include <cstdint>

#include "common/base/result.h"
#include "common/device/runtime.h"
#include "leaf/gpu/block_entry.h"
#include "leaf/gpu/list_image.h"
#include "leaf/gpu/list_search.h"

namespace frond::leaf::gpu {

// Asynchronous, in `stream`, in which the image was copied to `at` before. Also writes the number of wrong blocks to
// errors_of(at). Any bytes are safe to admit; a list with wrong blocks must not be given to other kernels. kDevice.
//
// A block is wrong if its numbers do not lie within their stream, if its docIDs do not ascend from the last of the
// block before to the one in the index, if they are not below the number of documents, or if a frequency is 0.
Result<void> admit(const ListImage& image, std::byte* at, device::StreamHandle stream);

// Where admit() writes the number of wrong blocks: 32 bits in the image at `at`.
inline std::byte* errors_of(std::byte* at) { return at + offsetof(BlockEntry, docids); }

// A second form of a list on the device: plain docIDs with hash segments (Ao et al. 2011 §3.4), for lists that queries
// without ranking often look documents up in. A look-up reads where a bucket begins and ends and a few docIDs
// (PlainView::holds()); nothing is decoded. Made on the device of the list's image, so
// nothing crosses the bus.

// docIDs in a bucket, at most, if they are spread evenly: the fastest of 16 to 256
// (docs/measurements/intersection.md).
inline constexpr std::uint32_t kBucketDocids = 16;

class PlainForm {
 public:
  // Of a list in a partition of `documents` documents. REQUIRES: it was admitted.
  PlainForm(const DeviceList& list, std::uint32_t documents);
  std::size_t bytes() const { return (std::size_t{view_.count} + view_.parts + 1) * sizeof(std::uint32_t); }
  // The form when its memory is at `at`. REQUIRES: `at` is aligned to 16.
  PlainView at(std::byte* at) const;

 private:
  PlainView view_;
};

// Writes the form of `list` to the memory of `form`, a PlainForm's. Asynchronous. kDevice.
Result<void> make_plain_form(const DeviceList& list, const PlainView& form, device::StreamHandle stream);

}  // namespace frond::leaf::gpu
