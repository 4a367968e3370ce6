#include "leaf/gpu/intersect/device_index.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <optional>
#include <thread>

namespace frond::leaf::gpu::intersect {
namespace {

std::vector<std::optional<ListForm>> forms_of(Method method, std::span<const std::vector<DocId>> lists,
                                              std::uint32_t documents, unsigned threads) {
  std::vector<std::optional<ListForm>> forms(lists.size());
  std::atomic<std::size_t> next{0};
  std::vector<std::jthread> workers;
  for (unsigned t = 0; t < std::max(threads, 1u); ++t)
    workers.emplace_back([&] {
      for (std::size_t l = next++; l < lists.size(); l = next++) forms[l].emplace(method, lists[l], documents);
    });
  return forms;
}

// Copies through two pieces of pinned memory: one is filled while the other is being copied.
class Upload {
 public:
  static constexpr std::size_t kPiece = std::size_t{16} << 20;
  static Result<Upload> create() {
    auto stream = FROND_TRY(device::Stream::create());
    auto first = FROND_TRY(device::Memory::create(device::Place::kPinnedHost, kPiece));
    auto second = FROND_TRY(device::Memory::create(device::Place::kPinnedHost, kPiece));
    auto first_done = FROND_TRY(device::Event::create());
    auto second_done = FROND_TRY(device::Event::create());
    return Upload(std::move(stream), {std::move(first), std::move(second)},
                  {std::move(first_done), std::move(second_done)});
  }
  Result<void> put(std::byte* to, ByteView from) {
    for (std::size_t at = 0; at < from.size(); at += kPiece) {
      const ByteView piece = from.subspan(at, std::min(kPiece, from.size() - at));
      side_ = 1 - side_;
      FROND_TRY(done_[side_].wait());
      std::memcpy(pinned_[side_].data(), piece.data(), piece.size());
      FROND_TRY(device::copy_to_device(to + at, pinned_[side_].data(), piece.size(), stream_.get()));
      FROND_TRY(done_[side_].record(stream_.get()));
    }
    return {};
  }
  Result<void> finish() {
    for (const device::Event& done : done_) FROND_TRY(done.wait());
    return {};
  }

 private:
  Upload(device::Stream stream, std::array<device::Memory, 2> pinned, std::array<device::Event, 2> done)
      : stream_(std::move(stream)), pinned_(std::move(pinned)), done_(std::move(done)) {}
  device::Stream stream_;
  std::array<device::Memory, 2> pinned_;
  std::array<device::Event, 2> done_;
  std::size_t side_ = 0;
};

}  // namespace

Result<DeviceIndex> DeviceIndex::create(Method method, std::span<const std::vector<DocId>> lists,
                                        std::uint32_t documents, unsigned threads) {
  const auto forms = forms_of(method, lists, documents, threads);
  std::vector<std::size_t> places;
  std::vector<std::uint32_t> counts;
  std::size_t bytes = (lists.size() * sizeof(ListView) + 255) / 256 * 256 + 256;
  for (std::size_t l = 0; l < lists.size(); ++l) {
    places.push_back(bytes);
    counts.push_back(static_cast<std::uint32_t>(lists[l].size()));
    bytes += (forms[l]->bytes().size() + 127) / 128 * 128;
  }
  auto memory = FROND_TRY(device::Memory::create(device::Place::kDevice, bytes));
  auto upload = FROND_TRY(Upload::create());
  std::vector<ListView> views;
  for (std::size_t l = 0; l < lists.size(); ++l) {
    views.push_back(forms[l]->at(memory.data() + places[l]));
    FROND_TRY(upload.put(memory.data() + places[l], forms[l]->bytes()));
  }
  FROND_TRY(upload.put(memory.data(), std::as_bytes(std::span<const ListView>(views))));
  FROND_TRY(upload.finish());
  return DeviceIndex(method, std::move(memory), std::move(counts));
}

}  // namespace frond::leaf::gpu::intersect
