#pragma once
// Copies posting lists and other bytes to device memory through pinned memory, which is two halves: the host fills one
// while the other is being copied. Not thread-safe.
#include <cstddef>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "common/device/runtime.h"
#include "leaf/engine/document_codes.h"
#include "leaf/gpu/list_image.h"
#include "leaf/gpu/list_kernels.h"
#include "leaf/lists/list_store.h"

namespace frond::leaf::gpu {

class ListCopier {
 public:
  // On the current device. `staging_bytes`: of pinned memory. kDevice.
  static Result<ListCopier> create(std::size_t staging_bytes);

  // Copies `image` to `to`, has the device check it (list_kernels.h), and waits. False: blocks are wrong, so kernels
  // must not use it. kDevice; List::intact()'s errors.
  // REQUIRES: it was planned of `list`; `to` has image.bytes() bytes.
  Result<bool> copy_list(const lists::List& list, const ListImage& image, std::byte* to);
  // Copies `bytes` to `to` and waits. kDevice.
  Result<void> copy_bytes(ByteView bytes, std::byte* to);
  // Writes the codes of all documents to `to` and waits. kDevice.
  Result<void> copy_codes(const engine::DocumentCodes& codes, std::byte* to);

 private:
  struct Half {
    device::Memory memory;
    device::Event free;  // its last copy has ended
  };
  ListCopier(device::Stream stream, std::vector<Half> halves)
      : stream_(std::move(stream)), halves_(std::move(halves)) {}
  Half& next_half() { return halves_[next_ ^= 1]; }
  template <class Fill>
  Result<void> copy(std::byte* to, std::size_t from, std::size_t end, const Fill& fill);

  device::Stream stream_;
  std::vector<Half> halves_;
  std::size_t next_ = 0;
};

}  // namespace frond::leaf::gpu
