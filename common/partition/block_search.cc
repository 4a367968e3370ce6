#include "common/partition/block_search.h"

#include <string>

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

}  // namespace frond::partition
