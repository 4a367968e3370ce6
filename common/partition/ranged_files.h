#pragma once
// Parts of files that lie elsewhere. Whoever wants some asks for them all, and then asks again when they were fetched
// together: an answer is waited for as long as for one request. Internal to this folder.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "common/partition/partition_writer.h"

namespace frond::partition {

// Reads bytes `from` to `from + bytes - 1` of a file that lies elsewhere; the file has them. Any thread.
using ReadRange = std::function<Result<ByteBuffer>(const PartitionFile& file, std::uint64_t from, std::size_t bytes)>;

// What is wanted is fetched in one request where the gap between is smaller, of so many bytes at most.
inline constexpr std::size_t kClosedGap = std::size_t{16} << 10;
inline constexpr std::size_t kMostTogether = std::size_t{1} << 20;
inline constexpr std::size_t kRequestsAtOnce = 16;
// So many bytes more are better than one request more.
inline constexpr std::size_t kBytesPerRequest = std::size_t{32} << 10;

// One thread; `read` is called from several at once.
class RangedFiles {
 public:
  RangedFiles(std::span<const PartitionFile> files, ReadRange read);

  const PartitionFile& file(std::size_t number) const { return files_[number].file; }
  // Bytes that the file has, valid until the next fetch() or drop(). Nothing: they are not here yet; they are wanted
  // then.
  std::optional<ByteView> get(std::size_t file, std::uint64_t from, std::size_t bytes);
  std::uint64_t wanted_bytes() const { return wanted_bytes_; }
  // Fetches what is wanted, and holds it until drop(). Errors: those of `read`; kCorrupt: an answer of another length.
  Result<void> fetch();
  void drop(std::size_t file) { files_[file].held.clear(); }
  // Drops what is longer than kMostTogether: whoever asks for so much takes it at once.
  void drop_large();

  // Calls `attempt`, which returns whether get() gave it all that it asked for, and fetches, until it does.
  template <class Attempt>
  Result<void> until_there(const Attempt& attempt) {
    while (!FROND_TRY(attempt())) FROND_TRY(fetch());
    return {};
  }

 private:
  struct Range {
    std::uint64_t from = 0, end = 0;
  };
  struct File {
    PartitionFile file;
    std::vector<Range> wanted{};
    std::map<std::uint64_t, ByteBuffer> held{};  // by where they begin
  };
  struct Request {
    std::size_t file = 0;
    Range range;
    ByteBuffer got;
  };
  std::vector<Request> take_wanted();
  std::vector<File> files_;
  const ReadRange read_;
  std::uint64_t wanted_bytes_ = 0;
};

}  // namespace frond::partition
