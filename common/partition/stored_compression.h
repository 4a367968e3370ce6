#pragma once
// How the stored fields of a collection are compressed: a choice between size and time. The manifest keeps it, so that
// what is added later and what is merged is compressed in the same way. Readers need not know it: both ways make blocks
// of one format.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace frond::partition {

enum class StoredCompression : std::uint8_t {
  kSmall,  // blocks of 4 KiB with a trained dictionary
  kFast,   // blocks of 8 KiB without one, in which few repetitions are looked for: a third of the time, 1.3 to 1.5
           // times the size (docs/measurements/indexing.md)
};

inline constexpr std::string_view kStoredCompressionNames = "small, fast";
constexpr std::string_view name_of(StoredCompression how) { return how == StoredCompression::kFast ? "fast" : "small"; }
constexpr std::optional<StoredCompression> stored_compression_named(std::string_view name) {
  for (const auto how : {StoredCompression::kSmall, StoredCompression::kFast})
    if (name == name_of(how)) return how;
  return std::nullopt;
}

// Stored fields, before compression: a block ends with the document that fills this.
constexpr std::size_t document_block_bytes(StoredCompression how) {
  return how == StoredCompression::kFast ? std::size_t{8} << 10 : std::size_t{4} << 10;
}

}  // namespace frond::partition
