#include "leaf/gpu/list_copier.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace frond::leaf::gpu {
namespace {

constexpr std::size_t kErrorBytes = sizeof(std::uint32_t);
constexpr std::size_t kAlignment = 64;  // of pieces in pinned memory

}  // namespace

Result<ListCopier> ListCopier::create(std::size_t staging_bytes) {
  auto stream = FROND_TRY(device::Stream::create());
  std::vector<Half> halves;
  halves.reserve(2);
  for (int i = 0; i < 2; ++i) {
    auto memory = FROND_TRY(device::Memory::create(device::Place::kPinnedHost, staging_bytes / 2));
    auto free = FROND_TRY(device::Event::create());
    halves.push_back({std::move(memory), std::move(free)});
  }
  auto errors = FROND_TRY(device::Memory::create(device::Place::kDevice, kMaxLists * kErrorBytes));
  auto errors_read = FROND_TRY(device::Memory::create(device::Place::kPinnedHost, kMaxLists * kErrorBytes));
  return ListCopier(std::move(stream), std::move(halves), std::move(errors), std::move(errors_read));
}

// What is left of the half that is being filled, or else all of the other one, when its last copy has ended.
Result<std::span<std::byte>> ListCopier::room() {
  if (filled_ >= halves_[half_].memory.bytes()) {
    FROND_TRY(halves_[half_].free.record(stream_.get()));
    half_ ^= 1;
    FROND_TRY(halves_[half_].free.wait());
    filled_ = 0;
  }
  const device::Memory& memory = halves_[half_].memory;
  return std::span(memory.data() + filled_, memory.bytes() - filled_);
}

// Copies [from, end) piece by piece; fill(at, out) writes the bytes from `at` on to `out`. Does not wait for the last
// two halves.
template <class Fill>
Result<void> ListCopier::copy(std::byte* to, std::size_t from, std::size_t end, const Fill& fill) {
  while (from < end) {
    const std::span<std::byte> free = FROND_TRY(room());
    const std::size_t bytes = std::min(end - from, free.size());
    fill(from, free.first(bytes));
    FROND_TRY(device::copy_to_device(to + from, free.data(), bytes, stream_.get()));
    filled_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
    from += bytes;
  }
  return {};
}

// Until all that was begun has ended.
Result<void> ListCopier::wait() {
  FROND_TRY(halves_[half_].free.record(stream_.get()));
  FROND_TRY(halves_[half_].free.wait());
  filled_ = 0;
  return {};
}

Result<void> ListCopier::copy_bytes(ByteView bytes, std::byte* to) {
  FROND_TRY(copy(to, 0, bytes.size(), [bytes](std::size_t from, std::span<std::byte> out) {
    std::memcpy(out.data(), bytes.data() + from, out.size());
  }));
  return wait();
}

Result<void> ListCopier::copy_codes(const engine::DocumentCodes& codes, std::byte* to) {
  FROND_TRY(copy(to, 0, codes.bytes(), [&codes](std::size_t from, std::span<std::byte> out) {
    codes.write(static_cast<DocId>(from / codes.width()), out);
  }));
  return wait();
}

Result<void> ListCopier::copy_lists(std::span<Copy> copies) {
  FROND_CHECK(copies.size() <= kMaxLists);
  if (copies.empty()) return {};
  const std::size_t error_bytes = copies.size() * kErrorBytes;
  auto* const errors = reinterpret_cast<std::uint32_t*>(errors_.data());
  FROND_TRY(device::fill_with_zeros(errors_.data(), error_bytes, stream_.get()));
  for (std::size_t i = 0; i < copies.size(); ++i) {
    Copy& one = copies[i];
    FROND_TRY(copy(one.to, one.image->copied_from(), one.image->bytes(),
                   [&one](std::size_t from, std::span<std::byte> out) { one.image->fill(from, out); }));
    FROND_TRY(admit(*one.image, one.to, errors + i, stream_.get()));
  }
  FROND_TRY(device::copy_to_host(errors_read_.data(), errors_.data(), error_bytes, stream_.get()));
  FROND_TRY(wait());
  for (std::size_t i = 0; i < copies.size(); ++i)
    if (copies[i].list->intact())  // after its bytes were read: a mapped file may have changed meanwhile
      copies[i].sound = load_le<std::uint32_t>(errors_read_.data() + i * kErrorBytes) == 0;
  return {};
}

}  // namespace frond::leaf::gpu
