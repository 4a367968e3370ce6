#include "leaf/gpu/list_copier.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace frond::leaf::gpu {

Result<ListCopier> ListCopier::create(std::size_t staging_bytes) {
  auto stream = FROND_TRY(device::Stream::create());
  std::vector<Half> halves;
  halves.reserve(2);
  for (int i = 0; i < 2; ++i) {
    auto memory = FROND_TRY(device::Memory::create(device::Place::kPinnedHost, staging_bytes / 2));
    auto free = FROND_TRY(device::Event::create());
    halves.push_back({std::move(memory), std::move(free)});
  }
  return ListCopier(std::move(stream), std::move(halves));
}

// Copies [from, end) piece by piece; fill(at, out) writes the bytes from `at` on to `out`. Does not wait for the last
// two pieces.
template <class Fill>
Result<void> ListCopier::copy(std::byte* to, std::size_t from, std::size_t end, const Fill& fill) {
  while (from < end) {
    Half& half = next_half();
    FROND_TRY(half.free.wait());
    const std::size_t bytes = std::min(end - from, half.memory.bytes());
    fill(from, std::span(half.memory.data(), bytes));
    FROND_TRY(device::copy_to_device(to + from, half.memory.data(), bytes, stream_.get()));
    FROND_TRY(half.free.record(stream_.get()));
    from += bytes;
  }
  return {};
}

Result<void> ListCopier::copy_bytes(ByteView bytes, std::byte* to) {
  FROND_TRY(copy(to, 0, bytes.size(), [bytes](std::size_t from, std::span<std::byte> out) {
    std::memcpy(out.data(), bytes.data() + from, out.size());
  }));
  for (const Half& half : halves_) FROND_TRY(half.free.wait());
  return {};
}

Result<void> ListCopier::copy_codes(const engine::DocumentCodes& codes, std::byte* to) {
  FROND_TRY(copy(to, 0, codes.bytes(), [&codes](std::size_t from, std::span<std::byte> out) {
    codes.write(static_cast<DocId>(from / codes.width()), out);
  }));
  for (const Half& half : halves_) FROND_TRY(half.free.wait());
  return {};
}

Result<bool> ListCopier::copy_list(const lists::List& list, const ListImage& image, std::byte* to) {
  FROND_TRY(copy(to, image.copied_from(), image.bytes(),
                 [&image](std::size_t from, std::span<std::byte> out) { image.fill(from, out); }));
  FROND_TRY(list.intact());  // after its bytes were read: a mapped file may have changed meanwhile
  FROND_TRY(admit(image, to, stream_.get()));
  Half& half = next_half();
  FROND_TRY(half.free.wait());
  FROND_TRY(device::copy_to_host(half.memory.data(), errors_of(to), 4, stream_.get()));
  FROND_TRY(half.free.record(stream_.get()));
  FROND_TRY(half.free.wait());
  return load_le<std::uint32_t>(half.memory.data()) == 0;
}

}  // namespace frond::leaf::gpu
