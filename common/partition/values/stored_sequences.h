#pragma once
// The sequences of the words of a partition's documents (token_codes.h), where its files are mapped: by document, and
// as one array for devices.
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/ids.h"
#include "common/base/result.h"

namespace frond::partition {

// Records of adjacent documents: u32 documents, u32 where each record ends behind these, records. Borrows its bytes.
class CodesChunk {
 public:
  CodesChunk() = default;
  // kCorrupt: no such chunk, or its records do not fill it.
  static Result<CodesChunk> open(ByteView bytes);
  std::uint32_t documents() const { return documents_; }
  // Empty: the document, which is below documents(), has none. Safe if the bytes have become zeros meanwhile.
  ByteView record(std::uint32_t document) const;
  ByteView bytes() const { return records_; }  // of all records, one behind the other
  // Where the document's record begins among these, never behind their end.
  std::size_t begin(std::uint32_t document) const;

 private:
  std::uint32_t documents_ = 0;
  const std::byte* ends_ = nullptr;
  ByteView records_;
};

// Any thread.
class StoredSequences {
 public:
  // `starts`: the first document of each chunk, ascending; chunks do not go over the end of a group (kValueGroup). The
  // bytes of the chunks outlive this.
  StoredSequences(std::uint32_t documents, std::vector<DocId> starts, std::vector<CodesChunk> chunks);

  // Empty: the document has none.
  ByteView record(DocId docid) const;

  // All records, one behind the other: where the document's begins, which is where that of the document before ends. Of
  // documents(): where the last ends. Never beyond that, also if bytes have become zeros.
  std::uint64_t begin(DocId docid) const;
  std::uint32_t documents() const { return documents_; }
  std::uint64_t bytes() const { return bytes_before_.back(); }
  // Fills `out` with them, from a byte on; zeros behind the last.
  void copy(std::uint64_t from, std::span<std::byte> out) const;
  // Names them while somebody holds the name.
  const std::shared_ptr<const void>& name() const { return name_; }

 private:
  std::size_t chunks_until(DocId docid) const;

  const std::uint32_t documents_;
  const std::vector<DocId> starts_;
  const std::vector<CodesChunk> chunks_;
  std::vector<std::uint32_t> chunks_before_;  // by group, and one more: those that begin before it
  std::vector<std::uint64_t> bytes_before_;   // by chunk, and one more
  const std::shared_ptr<const void> name_ = std::make_shared<const char>();
};

}  // namespace frond::partition
