#include "indexer/ingest/input_size.h"

#include <fcntl.h>

#include <array>
#include <optional>
#include <system_error>

#include "common/files/descriptor.h"
#include "common/files/read.h"
#include "indexer/ingest/decompress.h"
#include "indexer/ingest/input_list.h"

namespace frond::indexer::ingest {
namespace {

constexpr std::uint64_t kMostRatio = 100;  // text that is packed more tightly is rare

// No value: not known.
std::optional<std::uint64_t> most_bytes_of(const std::filesystem::path& path) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed) || failed) return std::nullopt;
  const std::uint64_t size = std::filesystem::file_size(path, failed);
  if (failed) return std::nullopt;
  const auto file = files::open(path, O_RDONLY);
  if (!file) return std::nullopt;
  std::array<std::byte, kCompressionSniffBytes> head{};
  const auto read = files::read_at(*file, 0, head, path);
  if (!read) return std::nullopt;
  return sniff_compression(ByteView(head).first(*read)) == Compression::kNone ? size : size * kMostRatio;
}

}  // namespace

bool may_exceed(std::span<const std::filesystem::path> inputs, bool hidden, std::uint64_t bytes) {
  std::uint64_t sum = 0;
  for (const std::filesystem::path& input : inputs) {
    InputWalk walk(input, hidden);
    while (const std::optional<InputFile> file = walk.next()) {
      const std::optional<std::uint64_t> most = most_bytes_of(file->path);
      if (!most || (sum += *most) > bytes) return true;
    }
  }
  return false;
}

}  // namespace frond::indexer::ingest
