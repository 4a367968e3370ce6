#include "common/partition/format/sst_layout.h"

#include <string>

#include <xxhash.h>

namespace frond::partition {
namespace {

constexpr std::size_t kMinRestartBytes = 2 * 4;  // one restart point, and how many there are
constexpr std::size_t kMaxRestartBytes = 4096;

}  // namespace

BlockAnswer find_in_block(ByteView head, std::size_t block_bytes, std::string_view key) {
  constexpr BlockAnswer kNotTold{};
  if (block_bytes < kBlockTrailerBytes + kMinRestartBytes) return kNotTold;
  const std::size_t end = block_bytes - kBlockTrailerBytes - kMinRestartBytes;  // no entry ends behind it
  std::string stored;
  for (std::size_t at = 0; at < head.size();) {
    ByteReader reader(head.subspan(at));
    const std::uint64_t shared = reader.get_varint(), rest = reader.get_varint(), value = reader.get_varint();
    if (!reader.ok() || shared > stored.size() || rest > reader.left()) return kNotTold;
    stored.resize(shared);
    stored += as_text(reader.get_bytes(rest));
    const std::size_t begin = head.size() - reader.left();
    if (stored.size() < kInternalBytes || begin > end || value > end - begin) return kNotTold;
    const std::string_view user = std::string_view(stored).substr(0, stored.size() - kInternalBytes);
    if (user == key) {
      const bool is_value = static_cast<std::uint8_t>(stored[user.size()]) == kTypeValue;
      return is_value ? BlockAnswer{true, ValuePlace{begin, value}} : kNotTold;
    }
    if (user > key) return {true, std::nullopt};
    at = begin + value;
    // The few restart points follow the last entry, so an entry that reaches so far is the last.
    if (at > head.size()) return {end - at < kMaxRestartBytes, std::nullopt};
  }
  return kNotTold;
}

namespace {

constexpr std::uint64_t kMagic = 0x88e241b785f4cff7;  // of block-based tables
constexpr std::uint32_t kLayoutVersion = 5;
constexpr std::uint8_t kXxh3 = 4;  // type of checksum
constexpr std::uint32_t kMaxRestarts = 0x7fffffff;

// A handle as it is stored is without the trailer. Nothing if the block does not end before `end`.
std::optional<BlockHandle> decode_handle(ByteReader& reader, std::uint64_t end) {
  const std::uint64_t offset = reader.get_varint(), bytes = reader.get_varint();
  if (!reader.ok() || end < kBlockTrailerBytes || offset > end - kBlockTrailerBytes ||
      bytes > end - kBlockTrailerBytes - offset)
    return std::nullopt;
  return BlockHandle{offset, bytes + kBlockTrailerBytes};
}

// Where the entries of a whole block end; nothing if its restart points do not fit in.
std::optional<std::size_t> end_of_entries(ByteView block) {
  if (block.size() < kCountBytes + kBlockTrailerBytes) return std::nullopt;
  const std::size_t left = block.size() - kCountBytes - kBlockTrailerBytes;
  const std::uint64_t restarts = 4 * std::uint64_t{restarts_of_count(block.subspan(left, kCountBytes))};
  return restarts <= left ? std::optional(left - static_cast<std::size_t>(restarts)) : std::nullopt;
}

}  // namespace

std::optional<BlockHandle> index_of_footer(ByteView footer, std::uint64_t file_bytes) {
  if (footer.size() != kFooterBytes || file_bytes < kFooterBytes) return std::nullopt;
  ByteReader end(footer.last(12));
  const auto version = end.get<std::uint32_t>();
  if (end.get<std::uint64_t>() != kMagic || version != kLayoutVersion) return std::nullopt;
  ByteReader reader(footer.first(kFooterBytes - 12));
  if (reader.get<std::uint8_t>() != kXxh3) return std::nullopt;
  const std::uint64_t blocks_end = file_bytes - kFooterBytes;
  if (!decode_handle(reader, blocks_end)) return std::nullopt;  // of the list of other blocks
  const auto index = decode_handle(reader, blocks_end);
  return index && index->bytes >= kCountBytes + kBlockTrailerBytes ? index : std::nullopt;
}

std::uint32_t restarts_of_count(ByteView count) { return load_le<std::uint32_t>(count.data()) & kMaxRestarts; }

std::optional<IndexEntry> decode_index_entry(ByteView in, std::uint64_t end) {
  ByteReader reader(in);
  const std::uint64_t shared = reader.get_varint();
  const ByteView key = reader.get_bytes(reader.get_varint());
  const auto block = decode_handle(reader, end);
  if (shared != 0 || !block) return std::nullopt;
  return IndexEntry{as_text(key), *block};
}

bool is_intact(ByteView block) {
  if (block.size() < kCountBytes + kBlockTrailerBytes) return false;
  ByteReader trailer(block.last(kBlockTrailerBytes));
  const ByteView rest = block.first(block.size() - kBlockTrailerBytes);
  // The type of compression would change the checksum; none is 0.
  return trailer.get<std::uint8_t>() == 0 &&
         trailer.get<std::uint32_t>() == static_cast<std::uint32_t>(XXH3_64bits(rest.data(), rest.size()));
}

Result<std::optional<BlockEntry>> last_up_to(ByteView block, std::string_view key) {
  const Error corrupt(Code::kCorrupt, "a block does not decode");
  const auto end = end_of_entries(block);
  if (!end) return corrupt;
  std::optional<BlockEntry> found;
  std::string stored;
  for (ByteReader reader(block.first(*end)); !reader.at_end();) {
    const std::uint64_t shared = reader.get_varint(), rest = reader.get_varint(), value = reader.get_varint();
    if (!reader.ok() || shared > stored.size()) return corrupt;
    stored.resize(shared);
    stored += as_text(reader.get_bytes(rest));
    const ByteView bytes = reader.get_bytes(value);
    if (!reader.ok() || stored.size() < kInternalBytes) return corrupt;
    const std::string_view user = std::string_view(stored).substr(0, stored.size() - kInternalBytes);
    if (user > key) break;
    if (static_cast<std::uint8_t>(stored[user.size()]) != kTypeValue) return corrupt;
    found = BlockEntry{std::string(user), bytes};
  }
  return found;
}

std::optional<std::string> first_key(ByteView front) {
  ByteReader reader(front);
  const std::uint64_t shared = reader.get_varint(), rest = reader.get_varint();
  reader.get_varint();  // bytes of the value
  const std::string_view key = as_text(reader.get_bytes(rest));
  if (!reader.ok() || shared != 0 || key.size() < kInternalBytes) return std::nullopt;
  return std::string(key.substr(0, key.size() - kInternalBytes));
}

}  // namespace frond::partition
