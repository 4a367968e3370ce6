#include "common/codec/patched/patched_blocks.h"

#include <algorithm>
#include <bit>

#include "common/codec/bits/vertical.h"
#include "common/codec/distances.h"

namespace frond::codec {
namespace {

// The width that costs least; of equally good ones the widest, which has fewer exceptions.
unsigned best_width(const PatchedFormat& format, const PatchedNumbers& distances) {
  std::uint32_t all = 0;
  for (const std::uint32_t distance : distances) all |= distance;
  auto best = static_cast<unsigned>(std::bit_width(all));
  std::uint64_t fewest = std::uint64_t{best} * kBlockLength;
  for (unsigned width = best; width-- > 0;) {
    const std::uint64_t exceptions = format.exception_cost(distances, width);
    if (exceptions == PatchedFormat::kCannot) continue;
    // Whole words are stored, so sizes are compared in words.
    const std::uint64_t bits = std::uint64_t{width} * kBlockLength + (exceptions + 31) / 32 * 32;
    if (bits < fewest) {
      fewest = bits;
      best = width;
    }
  }
  return best;
}

}  // namespace

void PatchedCodec::encode(std::span<const std::uint32_t> numbers, Numbers kind, ByteBuffer& out) const {
  FROND_CHECK(!numbers.empty() && out.size() % 16 == 0);
  const std::size_t start = out.size();
  ByteBuffer sizes, headers, checkpoints;
  ByteWriter writer(out), header_writer(headers);
  const auto put_header = [&](std::uint32_t header) {
    if (format_.header_bytes() == 2)
      header_writer.put(static_cast<std::uint16_t>(header));
    else
      header_writer.put(header);
  };
  DocId before = kNoDoc;
  for (std::size_t first = 0; first < numbers.size(); first += kBlockLength) {
    const auto some = numbers.subspan(first, std::min<std::size_t>(kBlockLength, numbers.size() - first));
    if (first > 0 && sizes.size() % kGroupBlocks == 0)
      ByteWriter(checkpoints).put(static_cast<std::uint32_t>((out.size() - start) / 4));
    PatchedNumbers distances;
    to_distances(some, kind, before, distances.data());
    before = some.back();
    if (some.size() < kBlockLength) {
      sizes.push_back(std::byte{0});
      put_header(encode_last_block(std::span(distances).first(some.size()), out));
      break;
    }
    const unsigned width = best_width(format_, distances);
    const PatchedBlock block = format_.encode(distances, width);
    const std::size_t begin = out.size();
    simd_bp_pack(block.slots, width, out);
    writer.put_bytes(block.exceptions);
    writer.align(4);
    sizes.push_back(static_cast<std::byte>((out.size() - begin) / 4));
    put_header(block.header);
  }
  const std::size_t index = sizes.size() + headers.size() + checkpoints.size();
  out.resize((out.size() + index + 15) / 16 * 16 - index);
  for (const ByteBuffer* part : {&sizes, &headers, &checkpoints}) writer.put_bytes(*part);
}

Result<void> PatchedCodec::decode(ByteView stream, std::uint32_t count, Numbers kind, std::uint32_t block, DocId before,
                                  std::span<std::uint32_t, kBlockLength> out) const {
  const std::uint32_t blocks = blocks_of(count), header_bytes = format_.header_bytes();
  FROND_CHECK(block < blocks);
  const std::size_t index = patched_index_bytes(count, header_bytes);
  if (stream.size() < index) [[unlikely]]
    return corrupt_block("no room for the index", block);
  const ByteView payload = stream.first(stream.size() - index);
  const std::byte* sizes = stream.data() + payload.size();
  const std::byte* headers = sizes + blocks;
  const std::byte* checkpoints = headers + std::size_t{blocks} * header_bytes;
  const std::uint32_t header = header_bytes == 2 ? load_le<std::uint16_t>(headers + std::size_t{block} * 2)
                                                 : load_le<std::uint32_t>(headers + std::size_t{block} * 4);
  const std::uint64_t begin = block_begin(sizes, checkpoints, block) * 4;
  if (block == count / kBlockLength) [[unlikely]] {
    if (!decode_last_block(payload, begin, header, kind, before, out, count % kBlockLength))
      return corrupt_block("a wrong Rice code", block);
    return {};
  }
  const std::uint32_t width = header % 64, slots = 16 * width, size = static_cast<std::uint8_t>(sizes[block]) * 4u;
  if (width > 32 || slots > size || begin + size > payload.size()) [[unlikely]]
    return corrupt_block("a wrong width or offset", block);
  if (kind == Numbers::kDocIds && slots == size && width <= 24) {  // no exceptions: unpack and add up at once
    unpack_table().docids[width](payload.data() + begin, before, out.data());
    if (before != kNoDoc && out[kBlockLength - 1] <= before) [[unlikely]]
      return corrupt_block("docIDs that do not ascend", block);
    return {};
  }
  unpack_table().frequencies[width](payload.data() + begin, 0, out.data());
  const unsigned bound =
      slots == size ? width : format_.patch(header, payload.subspan(begin + slots, size - slots), out);
  if (bound == PatchedFormat::kCorruptPatch) [[unlikely]]
    return corrupt_block("wrong exceptions", block);
  if (!numbers_from_differences(out, kind, before, bound)) [[unlikely]]
    return corrupt_block("docIDs or frequencies out of range", block);
  return {};
}

}  // namespace frond::codec
