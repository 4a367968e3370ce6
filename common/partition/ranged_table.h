#pragma once
// Finds blocks of one *.sst file that lies elsewhere. A file of 256 MiB has an index of about 1 MB. For a few keys only
// parts of it are read: where a key is guessed from how far it is between the first and the last one. Internal to this
// folder.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/result.h"
#include "common/partition/ranged_files.h"
#include "common/partition/sst_layout.h"

namespace frond::partition {

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

}  // namespace frond::partition
