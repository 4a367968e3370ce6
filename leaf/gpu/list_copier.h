#pragma once
// Copies posting lists and other bytes to device memory through pinned memory, which is two halves: the host fills one
// while the other is being copied. Not thread-safe.
#include <cstddef>
#include <optional>
#include <span>
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
  static constexpr std::size_t kMaxLists = 64;  // at a time

  struct Copy {
    const lists::List* list = nullptr;
    const ListImage* image = nullptr;  // planned of `list`
    std::byte* to = nullptr;           // image->bytes() bytes
    // Whether all blocks are right: kernels must not use it otherwise. None: the list's file changed while it was read.
    std::optional<bool> sound = std::nullopt;
  };

  // On the current device. `staging_bytes`: of pinned memory. kDevice.
  static Result<ListCopier> create(std::size_t staging_bytes);

  // Copies the lists, has the device check them (list_kernels.h), and waits once for all: a wait takes longer than to
  // copy a list of usual size. kDevice.
  // REQUIRES: at most kMaxLists.
  Result<void> copy_lists(std::span<Copy> copies);
  // Copies `bytes` to `to` and waits. kDevice.
  Result<void> copy_bytes(ByteView bytes, std::byte* to);
  // Writes the codes of all documents to `to` and waits. kDevice.
  Result<void> copy_codes(const engine::DocumentCodes& codes, std::byte* to);

 private:
  struct Half {
    device::Memory memory;
    device::Event free;  // its last copy has ended
  };
  ListCopier(device::Stream stream, std::vector<Half> halves, device::Memory errors, device::Memory errors_read)
      : stream_(std::move(stream)),
        halves_(std::move(halves)),
        errors_(std::move(errors)),
        errors_read_(std::move(errors_read)) {}
  Result<std::span<std::byte>> room();
  template <class Fill>
  Result<void> copy(std::byte* to, std::size_t from, std::size_t end, const Fill& fill);
  Result<void> wait();

  device::Stream stream_;
  std::vector<Half> halves_;
  std::size_t half_ = 0, filled_ = 0;    // which one is being filled, and how far
  device::Memory errors_, errors_read_;  // wrong blocks of kMaxLists lists, on the device and in pinned memory
};

}  // namespace frond::leaf::gpu
