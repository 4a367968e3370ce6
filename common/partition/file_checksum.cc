#include "common/partition/file_checksum.h"

#include <fcntl.h>
#include <unistd.h>
#include <xxhash.h>

#include <cerrno>
#include <cstring>

#include "common/base/check.h"

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

void Xxh3::update(ByteView bytes) { XXH3_128bits_update(state_->xxh, bytes.data(), bytes.size()); }

std::string Xxh3::hex() const {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state_->xxh));
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (const unsigned char byte : canonical.digest) hex.append({kDigits[byte >> 4], kDigits[byte & 15]});
  return hex;
}

std::string xxh3_hex(ByteView bytes) {
  Xxh3 hash;
  hash.update(bytes);
  return hash.hex();
}

Result<PartitionFile> describe_file(const std::filesystem::path& file) {
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return Error(errno == ENOENT ? Code::kNotFound : Code::kUnavailable, file.string() + ": " + std::strerror(errno));
  PartitionFile result{.name = file.filename().string()};
  Xxh3 hash;
  ByteBuffer buffer(1 << 18);
  for (;;) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      const std::string why = std::strerror(errno);
      ::close(fd);
      return Error(Code::kUnavailable, file.string() + ": " + why);
    }
    if (got == 0) break;
    hash.update(ByteView(buffer).first(static_cast<std::size_t>(got)));
    result.bytes += static_cast<std::uint64_t>(got);
  }
  ::close(fd);
  result.xxh3 = hash.hex();
  return result;
}

}  // namespace frond::partition
