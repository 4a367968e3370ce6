#pragma once
// A list copied to its own piece of device memory and admitted, as ListCopier does it; for tests and benches that look
// at single lists.
#include <cstring>
#include <optional>

#include "common/device/runtime.h"
#include "leaf/gpu/list_image.h"
#include "leaf/gpu/list_kernels.h"

namespace frond::support {

class UploadedList {
 public:
  // Waits for the device. kInvalid, kCorrupt: as ListImage::plan(). kDevice.
  static Result<UploadedList> create(const postings::PostingList& list, std::uint32_t documents) {
    auto image = FROND_TRY(leaf::gpu::ListImage::plan(list, documents));
    auto memory = FROND_TRY(device::Memory::create(device::Place::kDevice, image.bytes()));
    auto staging = FROND_TRY(device::Memory::create(device::Place::kPinnedHost, image.bytes()));
    auto errors = FROND_TRY(device::Memory::create(device::Place::kDevice, 4));
    const auto stream = FROND_TRY(device::Stream::create());
    auto event = FROND_TRY(device::Event::create());
    const std::size_t from = image.copied_from(), bytes = image.bytes() - from;
    image.fill(from, {staging.data() + from, bytes});
    FROND_TRY(device::copy_to_device(memory.data() + from, staging.data() + from, bytes, stream.get()));
    FROND_TRY(device::fill_with_zeros(errors.data(), 4, stream.get()));
    FROND_TRY(leaf::gpu::admit(image, memory.data(), reinterpret_cast<std::uint32_t*>(errors.data()), stream.get()));
    FROND_TRY(device::copy_to_host(staging.data(), errors.data(), 4, stream.get()));
    FROND_TRY(event.record(stream.get()));
    FROND_TRY(event.wait());
    UploadedList uploaded(std::move(memory));
    uploaded.list_ = image.at(uploaded.memory_.data());
    uploaded.wrong_blocks_ = load_le<std::uint32_t>(staging.data());
    return uploaded;
  }
  const leaf::gpu::DeviceList& list() const { return list_; }
  std::uint32_t wrong_blocks() const { return wrong_blocks_; }

 private:
  explicit UploadedList(device::Memory memory) : memory_(std::move(memory)) {}
  device::Memory memory_;
  leaf::gpu::DeviceList list_;
  std::uint32_t wrong_blocks_ = 0;
};

}  // namespace frond::support
