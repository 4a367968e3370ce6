// Any bytes as a build's journal. What reads must write and read back the same. A second pass makes the header right,
// so that the members are reached.
#include <xxhash.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "common/base/bytes.h"
#include "common/base/check.h"
#include "indexer/resume/journal.h"

namespace {

const std::filesystem::path kFolder = "/builds/0";

void expect_below(const std::filesystem::path& file) {
  FROND_CHECK(file.parent_path() == kFolder && file.filename() != ".." && file.filename() != ".");
}

void read(frond::ByteView bytes) {
  const auto journal = frond::indexer::resume::decode(bytes, kFolder);
  if (!journal) return;
  const auto& parts = journal->checkpoint.so_far.partitions;
  FROND_CHECK(journal->run_bytes.size() == parts.size());
  for (std::size_t p = 0; p < parts.size(); ++p) {
    FROND_CHECK(journal->run_bytes[p].size() == parts[p].runs.size());
    expect_below(parts[p].spool);
    for (const auto& run : parts[p].runs) expect_below(run);
  }
  for (const auto& partition : journal->finished) FROND_CHECK(partition.number < parts.size());
  const frond::ByteBuffer written = encode(*journal);
  const auto again = frond::indexer::resume::decode(written, kFolder);
  FROND_CHECK(again.has_value() && encode(*again) == written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kHeaderBytes = 24;
  const frond::ByteView bytes(reinterpret_cast<const std::byte*>(data), size);
  read(bytes);
  if (size < kHeaderBytes) return 0;
  frond::ByteBuffer mended(bytes.begin(), bytes.end());
  const frond::ByteView payload = bytes.subspan(kHeaderBytes);
  frond::store_le(mended.data(), std::uint32_t{0x4e524a46});
  frond::store_le(mended.data() + 4, std::uint32_t{1});
  frond::store_le(mended.data() + 8, std::uint64_t{payload.size()});
  frond::store_le(mended.data() + 16, std::uint64_t{XXH3_64bits(payload.data(), payload.size())});
  read(mended);
  return 0;
}
