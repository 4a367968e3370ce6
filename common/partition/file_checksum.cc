#include "common/partition/file_checksum.h"

#include <xxhash.h>

#include "common/base/check.h"
#include "common/base/long_hash.h"
#include "common/base/text.h"
#include "common/files/read.h"
#include "common/partition/files/mapped_file.h"

namespace frond::partition {

struct Xxh3::State {
  XXH3_state_t* xxh = XXH3_createState();
  ~State() { XXH3_freeState(xxh); }
};

Xxh3::Xxh3() : state_(std::make_unique<State>()) {
  FROND_CHECK(state_->xxh != nullptr);
  XXH3_128bits_reset(state_->xxh);
}
Xxh3::~Xxh3() = default;

void Xxh3::update(ByteView bytes) { update_long_hash_128(state_->xxh, bytes); }

std::string Xxh3::hex() const {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state_->xxh));
  return hex_text(std::as_bytes(std::span(canonical.digest)));
}

std::string xxh3_hex(ByteView bytes) {
  Xxh3 hash;
  hash.update(bytes);
  return hash.hex();
}

Result<PartitionFile> describe_file(const std::filesystem::path& file) {
  PartitionFile result{.name = file.filename().string()};
  Xxh3 hash;
  FROND_TRY(files::read_file(file, [&](ByteView piece) -> Result<void> {
    hash.update(piece);
    result.bytes += piece.size();
    return {};
  }));
  result.xxh3 = hash.hex();
  return result;
}

Result<void> verify_file(const std::filesystem::path& folder, const PartitionFile& file) {
  const std::filesystem::path path = folder / file.name;
  const auto mapped = MappedFile::open(path, std::make_shared<Loss>());
  if (!mapped)
    return Error(mapped.error().code() == Code::kNotFound ? Code::kCorrupt : mapped.error().code(),
                 mapped.error().message());
  if ((*mapped)->size() != file.bytes)
    return Error(Code::kCorrupt, path.string() + ": " + std::to_string((*mapped)->size()) + " bytes, expected " +
                                     std::to_string(file.bytes));
  Xxh3 hash;
  FROND_TRY((*mapped)->read_through([&](ByteView piece) { hash.update(piece); }));
  if (const std::string found = hash.hex(); found != file.xxh3)
    return Error(Code::kCorrupt, path.string() + ": XXH3-128 " + found + ", expected " + file.xxh3);
  return {};
}

}  // namespace frond::partition
