#pragma once
// The tables of one family whose files lie elsewhere: finds the blocks of a key in all of its files. Internal to this
// folder.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/partition/format/format.h"
#include "common/partition/format/sst_layout.h"
#include "common/partition/partition_writer.h"

namespace frond::partition {

// Parts of files that lie elsewhere. Whoever wants some asks for them all, and then asks again when they were fetched
// together: an answer is waited for as long as for one request. Internal to this folder.

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

// Finds blocks of one *.sst file that lies elsewhere. A file of 256 MiB has an index of about 1 MB. For a few keys only
// parts of it are read: where a key is guessed from how far it is between the first and the last one. Internal to this
// folder.

// Which keys a file has, about. Only guesses depend on it. No `end`: what the file says is asked for.
struct KeyBounds {
  std::string first{}, end{};
};

// One thread. A method that returns nothing wants what RangedFiles::fetch() brings. Errors: kCorrupt: the file is not
// of the kind that we write, or damaged. Of an index that was read in parts no checksum is verified: callers verify the
// blocks that it leads to, and look whether they have the key.
class RangedTable {
 public:
  RangedTable(RangedFiles& files, std::size_t number, KeyBounds bounds = {})
      : files_(files), number_(number), bounds_(std::move(bounds)) {}
  void set_bounds(KeyBounds bounds) { bounds_ = std::move(bounds); }
  // So many keys will be looked for: if they are many, the index is read whole.
  void expect(std::size_t keys) { expected_ = keys; }

  struct Blocks {
    std::optional<BlockHandle> before, at;
  };
  // The block that has the key, if one has it, is `at`. The last key that is not above it is there or in the block
  // before.
  Result<std::optional<Blocks>> find(std::string_view key);
  // The first key of the file.
  Result<std::optional<std::string>> first();
  std::size_t number() const { return number_; }
  // Forgets an index that was read whole.
  void release() { index_ = {}; }

 private:
  struct Window;
  bool reads_whole() const;
  Result<bool> open();
  Result<bool> learn_bounds();
  Result<std::optional<Window>> whole();
  Result<std::optional<Window>> part(std::uint32_t begin, std::uint32_t end);
  Result<IndexEntry> entry(const Window& window, std::uint32_t i) const;
  Result<std::uint32_t> first_not_below(const Window& window, std::string_view key) const;
  Result<Blocks> around(const Window& window, std::uint32_t i) const;
  Error corrupt(std::string_view what) const;
  std::uint64_t entries_end() const { return place_.bytes - kTailBytes - std::uint64_t{4} * count_; }

  static constexpr std::size_t kTailBytes = kCountBytes + 5;  // of the index, behind its restart points

  RangedFiles& files_;
  const std::size_t number_;
  KeyBounds bounds_;
  std::size_t expected_ = 1;
  std::size_t front_bytes_ = 256;  // that have the first key
  std::optional<BlockHandle> index_place_;
  BlockHandle place_;        // the same, once it was opened
  std::uint32_t count_ = 0;  // entries of the index; 0: not opened yet
  ByteBuffer index_;         // if it was read whole
};

// Which of a partition's files have this family (is_file_of()), in the order of their keys.
std::vector<std::size_t> files_of(std::span<const PartitionFile> files, Family family);

// One thread. As RangedTable's: find() gives nothing while it wants something.
class RangedTables {
 public:
  // numbers: those of the family's files in `files`, in the order of their keys; the bounds are of all of them.
  RangedTables(RangedFiles& files, std::span<const std::size_t> numbers, KeyBounds bounds = {});
  // Which documents will be looked for, where keys are their numbers. Borrowed.
  // REQUIRES: they ascend; find() was not called yet.
  void expect(std::span<const DocId> docids) { expected_ = docids; }
  // So many keys will be looked for, anywhere.
  void expect(std::size_t keys) { expected_keys_ = keys; }

  struct Found {
    std::size_t file = 0;
    RangedTable::Blocks blocks{};
  };
  // In the last file that begins with the key or before it. No blocks: there are no files.
  Result<std::optional<Found>> find(std::string_view key);
  // Drops what is held of the files, and indexes that were read whole, but that of the last file where a key was found:
  // keys come in ascending order.
  void drop();

 private:
  Result<bool> learn_firsts();
  RangedFiles& files_;
  const KeyBounds bounds_;
  std::vector<RangedTable> tables_;
  std::vector<std::string> firsts_;  // keys of tables_; empty: not known yet
  std::span<const DocId> expected_;
  std::size_t expected_keys_ = 0;
  std::size_t last_ = 0;  // in tables_, where a key was found
};

}  // namespace frond::partition
