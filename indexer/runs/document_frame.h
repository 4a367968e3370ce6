#pragma once
// Stored fields on their way to a partition: the documents of one batch that go to one partition, with their lengths in
// terms, their priors, and their values (StoredDocument::values), which lie apart from the fields. Not compressed: a
// partition compresses them once, in blocks, when it is written. Layout: docs/formats/run-file.md, "The spool".
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "common/partition/partition_writer.h"

namespace frond::indexer::runs {

inline constexpr std::size_t kDocumentFrameHeaderBytes = 16;
// Bytes of fields and values. A batch exceeds its size by at most one record of kMaxRecordBytes.
inline constexpr std::uint32_t kMaxFrameBytes = 1u << 30;

// Makes frames from documents. One thread; reusable, keeps up to twice `kept_bytes` of memory.
class DocumentFrameWriter {
 public:
  explicit DocumentFrameWriter(std::size_t kept_bytes = std::size_t{4} << 20) : kept_bytes_(kept_bytes) {}
  // Returns the bytes that the document's fields take in the frame; its values take as many as they have.
  std::size_t add(const partition::StoredDocument& document, std::uint32_t length);
  // The same for fields that are in that form already: id, url, title and body, each a varint length and bytes.
  void add_fields(ByteView fields, std::uint32_t length, scoring::Prior prior = 0);
  std::size_t documents() const { return lengths_.size(); }
  // The frame of the documents that were added since the last call; empty if there are none. The frame's memory is
  // that of `frame`'s old content and this writer's, exchanged, so that neither is allocated for each frame.
  void finish(ByteBuffer& frame);

 private:
  std::size_t kept_bytes_;
  ByteBuffer bytes_;  // space for the header, and fields
  void note(std::uint32_t length, scoring::Prior prior, std::string_view values);
  std::vector<std::uint32_t> lengths_;
  std::vector<scoring::Prior> priors_;
  bool any_prior_ = false;
  ByteBuffer values_;
  std::vector<std::uint32_t> value_sizes_;  // of each document
};

// What a frame holds, or some adjacent documents of one. Borrows.
struct FrameParts {
  ByteView fields;  // behind each other
  ByteView values;  // likewise
  std::span<const std::uint32_t> lengths;
  std::span<const scoring::Prior> priors;           // of all documents, or none
  std::span<const std::uint32_t> value_sizes = {};  // of all documents; or none, and then there are no values
};
// The header of a frame. After it follow the parts in their order.
// REQUIRES: fields and values have at most kMaxFrameBytes together.
std::array<std::byte, kDocumentFrameHeaderBytes> frame_header(const FrameParts& parts);

// A frame's header, with which a reader can skip to the next frame.
struct DocumentFrameHeader {
  std::uint32_t documents = 0, field_bytes = 0;  // of fields and values
  bool priors = false;                           // documents have priors, behind the lengths; otherwise all are 0
  bool values = false;  // documents have values, whose sizes come last; otherwise all are empty
  std::uint64_t checksum = 0;
  std::uint64_t payload_bytes() const {
    return std::uint64_t{documents} * (4u + (priors ? 4u : 0u) + (values ? 4u : 0u)) + field_bytes;
  }
};
// kCorrupt: impossible sizes. `bytes` has kDocumentFrameHeaderBytes.
Result<DocumentFrameHeader> read_frame_header(ByteView bytes);
// Of `bytes`, the header's field_bytes, how many are values. kCorrupt: more than there are.
Result<std::size_t> value_bytes_of(const DocumentFrameHeader& header, std::span<const std::uint32_t> value_sizes);
// kCorrupt: not the checksum of these parts, or a prior is out of range.
Result<void> check_frame(const DocumentFrameHeader& header, const FrameParts& parts);
// Of a whole frame of DocumentFrameWriter, with its header: the values of its documents, and their sizes, unaligned;
// both empty if it has none.
struct FrameValues {
  ByteView values, sizes;
};
FrameValues values_of_frame(ByteView frame);

// The fields of the next document, which `fields` begins with; `fields` moves behind them. kCorrupt.
Result<ByteView> take_fields(ByteView& fields);
// Reads the texts of the next document, without its values. in.ok() is false afterwards if it is not whole.
partition::StoredDocument read_fields(ByteReader& in);

// A frame, checked; accepts any bytes. Documents borrow this.
class DocumentFrame {
 public:
  // `payload` is what follows the header. kCorrupt.
  static Result<DocumentFrame> open(const DocumentFrameHeader& header, ByteBuffer payload);
  std::span<const partition::StoredDocument> documents() const { return documents_; }
  std::uint32_t length(std::size_t document) const { return lengths_[document]; }
  std::span<std::uint32_t> lengths() { return lengths_; }

 private:
  ByteBuffer payload_;
  std::vector<std::uint32_t> lengths_;
  std::vector<partition::StoredDocument> documents_;
};

}  // namespace frond::indexer::runs
