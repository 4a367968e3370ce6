#pragma once
// The database of a log, and its keys, as operation_log.h lists them. Internal to this folder.
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <rocksdb/options.h>
#include <rocksdb/status.h>

#include "common/base/result.h"
#include "indexer/write/log_head.h"

namespace frond::indexer::write {

inline constexpr std::string_view kSettings = "s", kForgotten = "n", kIdentity = "i", kEpoch = "e";
inline constexpr char kOperation = 'o', kKey = 'k', kRing = 'r';

inline std::string numbered(char kind, std::uint64_t number) {
  std::string key(1, kind);
  for (int shift = 56; shift >= 0; shift -= 8) key.push_back(static_cast<char>(number >> shift));
  return key;
}
// Nothing: it has another form, or a number that no log comes to.
inline std::optional<std::uint64_t> number_of(std::string_view key) {
  if (key.size() != 9) return std::nullopt;
  std::uint64_t number = 0;
  for (const char c : key.substr(1)) number = number << 8 | static_cast<unsigned char>(c);
  return number <= kMaxSequence ? std::optional(number) : std::nullopt;
}

rocksdb::Options log_options();
Result<void> checked(const rocksdb::Status& status, const std::filesystem::path& folder);
// Whether it is that another one has the database open.
bool is_held(const rocksdb::Status& status);

}  // namespace frond::indexer::write
