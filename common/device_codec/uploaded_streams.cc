#include "common/device_codec/uploaded_streams.h"

#include <cstring>
#include <string>

namespace frond::device_codec {
namespace {

using device::Memory, device::Place;

constexpr std::size_t kAlign = 256;
std::size_t aligned(std::size_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

Result<void> wait_for(device::StreamHandle stream) {
  auto event = FROND_TRY(device::Event::create());
  FROND_TRY(event.record(stream));
  return event.wait();
}

Result<std::vector<std::uint32_t>> copied_back(const std::uint32_t* from, std::size_t count,
                                               device::StreamHandle stream) {
  const auto staged = FROND_TRY(Memory::create(Place::kPinnedHost, count * 4));
  FROND_TRY(device::copy_to_host(staged.data(), reinterpret_cast<const std::byte*>(from), count * 4, stream));
  FROND_TRY(wait_for(stream));
  std::vector<std::uint32_t> words(count);
  if (count != 0) std::memcpy(words.data(), staged.data(), count * 4);
  return words;
}

std::uint32_t blocks_of(const Selection& selection) {
  const std::uint32_t all =
      selection.stream.count / codec::kBlockLength + (selection.stream.count % codec::kBlockLength != 0);
  return selection.blocks ? static_cast<std::uint32_t>(selection.blocks->size()) : all;
}

}  // namespace

Result<UploadedStreams> UploadedStreams::create(std::span<const EncodedList> lists, device::StreamHandle stream) {
  std::size_t lasts = 0;
  for (const EncodedList& list : lists) lasts += list.lasts.size_bytes();
  std::size_t at = aligned(lasts), bytes = at;
  for (const EncodedList& list : lists) {
    if (list.stream.size() % 16 != 0)
      return Error(Code::kInvalid, "a stream of " + std::to_string(list.stream.size()) + " bytes");
    bytes = aligned(bytes) + list.stream.size() + codec::kReadSlack;
  }
  auto memory = FROND_TRY(Memory::create(Place::kDevice, bytes));
  const auto staged = FROND_TRY(Memory::create(Place::kPinnedHost, bytes));
  std::vector<StreamOnDevice> streams;
  std::size_t last_at = 0;
  for (const EncodedList& list : lists) {
    at = aligned(at);
    if (!list.stream.empty()) std::memcpy(staged.data() + at, list.stream.data(), list.stream.size());
    if (!list.lasts.empty()) std::memcpy(staged.data() + last_at, list.lasts.data(), list.lasts.size_bytes());
    streams.push_back({.words = reinterpret_cast<const std::uint32_t*>(memory.data() + at),
                       .lasts = reinterpret_cast<const DocId*>(memory.data() + last_at),
                       .size = static_cast<std::uint32_t>(list.stream.size()),
                       .count = list.count});
    at += list.stream.size() + codec::kReadSlack;
    last_at += list.lasts.size_bytes();
  }
  FROND_TRY(device::copy_to_device(memory.data(), staged.data(), bytes, stream));
  FROND_TRY(wait_for(stream));
  return UploadedStreams(std::move(memory), std::move(streams));
}

Result<UploadedBatch> UploadedBatch::create(std::span<const Selection> selections, Output output,
                                            device::StreamHandle stream) {
  std::vector<DecodeTask> tasks;
  std::size_t selected = 0;
  std::uint32_t blocks = 0;
  for (const Selection& selection : selections) {
    tasks.push_back({.stream = selection.stream, .first_block = blocks});
    blocks += blocks_of(selection);
    if (selection.blocks) selected += selection.blocks->size();
  }
  const std::size_t tasks_at = std::size_t{blocks} * codec::kBlockLength * 4;
  const std::size_t selected_at = tasks_at + tasks.size() * sizeof(DecodeTask);
  const std::size_t corrupt_at = selected_at + selected * 4, end = corrupt_at + tasks.size() * 4;
  auto memory = FROND_TRY(Memory::create(Place::kDevice, end));
  const auto staged = FROND_TRY(Memory::create(Place::kPinnedHost, end - tasks_at));
  std::size_t at = selected_at;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (!selections[i].blocks) continue;
    const std::span<const std::uint32_t> names = *selections[i].blocks;
    tasks[i].blocks = reinterpret_cast<const std::uint32_t*>(memory.data() + at);
    if (!names.empty()) std::memcpy(staged.data() + (at - tasks_at), names.data(), names.size_bytes());
    at += names.size_bytes();
  }
  if (!tasks.empty()) std::memcpy(staged.data(), tasks.data(), tasks.size() * sizeof(DecodeTask));
  FROND_TRY(device::copy_to_device(memory.data() + tasks_at, staged.data(), corrupt_at - tasks_at, stream));
  FROND_TRY(device::fill_with_zeros(memory.data() + corrupt_at, end - corrupt_at, stream));
  FROND_TRY(wait_for(stream));
  const DecodeBatch batch{.tasks = reinterpret_cast<const DecodeTask*>(memory.data() + tasks_at),
                          .task_count = static_cast<std::uint32_t>(tasks.size()),
                          .block_count = blocks,
                          .output = output,
                          .numbers = reinterpret_cast<std::uint32_t*>(memory.data()),
                          .corrupt_blocks = reinterpret_cast<std::uint32_t*>(memory.data() + corrupt_at)};
  return UploadedBatch(std::move(memory), batch);
}

Result<std::vector<std::uint32_t>> UploadedBatch::numbers(device::StreamHandle stream) const {
  return copied_back(batch_.numbers, std::size_t{batch_.block_count} * codec::kBlockLength, stream);
}
Result<std::vector<std::uint32_t>> UploadedBatch::corrupt_blocks(device::StreamHandle stream) const {
  return copied_back(batch_.corrupt_blocks, batch_.task_count, stream);
}

}  // namespace frond::device_codec
