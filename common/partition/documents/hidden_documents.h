#pragma once
// The documents of a partition that a generation does not have any more: removed, or replaced by a later document with
// the same id. The partition stays as it is; whoever searches it passes over them. Immutable.
//
// Generations share what is equal: the bits lie in chunks of kChunkDocuments documents, and hiding more documents
// copies only the chunks in which they are. A change of 1,000 documents copies 512 KB at most, whatever is hidden.
#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "common/base/ids.h"

namespace frond::partition {

// Any thread.
class HiddenDocuments {
 public:
  static constexpr std::uint32_t kWordBits = 64;
  static constexpr std::uint32_t kChunkDocuments = 4096;

  // `documents`: of the partition. Takes 512 bytes for each chunk that has hidden documents, and 16 for each chunk.
  // REQUIRES: `docids` ascend, without repetition, and are below `documents`.
  HiddenDocuments(std::uint32_t documents, std::span<const DocId> docids);
  // All but those whose bit is set in `shown`, 64 documents a word, and `hidden` besides, which may be null.
  static std::shared_ptr<const HiddenDocuments> all_but(std::uint32_t documents, std::span<const std::uint64_t> shown,
                                                        const HiddenDocuments* hidden);
  // These and `more`.
  // REQUIRES: `more` ascend, without repetition, are of the partition, and not among these.
  std::shared_ptr<const HiddenDocuments> with(std::span<const DocId> more) const;
  HiddenDocuments(const HiddenDocuments&) = delete;
  HiddenDocuments& operator=(const HiddenDocuments&) = delete;

  bool contains(DocId docid) const { return (word(docid / kWordBits) >> docid % kWordBits & 1) != 0; }
  std::size_t count() const { return count_; }
  // Of memory, with words().
  std::size_t bytes() const;
  // Bits of documents 64 * word to 64 * word + 63; 0 past the last document.
  std::uint64_t word(std::size_t word) const {
    const std::size_t chunk = word / kChunkWords;
    return chunk < chunks_.size() && chunks_[chunk] ? (*chunks_[chunk])[word % kChunkWords] : 0;
  }
  // The first hidden document from `from` on; kNoDoc: there is none.
  DocId next(DocId from) const;
  // All words, for a copy of them in a device's memory; put together when this is first called, a bit for each document
  // of the partition. Their address names the documents while somebody holds them.
  const std::shared_ptr<const std::vector<std::uint64_t>>& words() const;

 private:
  static constexpr std::uint32_t kChunkWords = kChunkDocuments / kWordBits;
  using Chunk = std::array<std::uint64_t, kChunkWords>;
  explicit HiddenDocuments(std::vector<std::shared_ptr<const Chunk>> chunks) : chunks_(std::move(chunks)) {}
  void hide(std::span<const DocId> docids);  // before it is shared

  std::vector<std::shared_ptr<const Chunk>> chunks_;  // null: none of its documents is hidden
  std::uint32_t documents_ = 0;
  std::size_t count_ = 0;
  mutable std::once_flag joined_;
  mutable std::shared_ptr<const std::vector<std::uint64_t>> words_;
};

}  // namespace frond::partition
