#pragma once
// Stored fields on their way to a partition: the documents of one batch that go to one partition, with their lengths in
// terms and their priors. Not compressed: a partition compresses them once, in blocks, when it is written. Layout:
// docs/formats/run-file.md, "The spool".
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "common/partition/partition_writer.h"

namespace frond::indexer::runs {

inline constexpr std::size_t kDocumentFrameHeaderBytes = 16;
// Bytes of fields. A batch exceeds its size by at most one record of kMaxRecordBytes.
inline constexpr std::uint32_t kMaxFrameBytes = 1u << 30;

// Makes frames from documents. One thread; reusable, keeps up to twice `kept_bytes` of memory.
class DocumentFrameWriter {
 public:
  explicit DocumentFrameWriter(std::size_t kept_bytes = std::size_t{4} << 20) : kept_bytes_(kept_bytes) {}
  // Returns the bytes that the document's fields take in the frame.
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
  void note(std::uint32_t length, scoring::Prior prior);
  std::vector<std::uint32_t> lengths_;
  std::vector<scoring::Prior> priors_;
  bool any_prior_ = false;
};

// The header of a frame of these fields, which lie behind each other. priors: of all documents, or none.
std::array<std::byte, kDocumentFrameHeaderBytes> frame_header(ByteView fields, std::span<const std::uint32_t> lengths,
                                                              std::span<const scoring::Prior> priors);

// A frame's header, with which a reader can skip to the next frame.
struct DocumentFrameHeader {
  std::uint32_t documents = 0, field_bytes = 0;
  bool priors = false;  // documents have priors, behind the lengths; otherwise all are 0
  std::uint64_t checksum = 0;
  std::uint64_t payload_bytes() const { return std::uint64_t{documents} * (priors ? 8 : 4) + field_bytes; }
};
// kCorrupt: impossible sizes. `bytes` has kDocumentFrameHeaderBytes.
Result<DocumentFrameHeader> read_frame_header(ByteView bytes);
// kCorrupt: not the checksum of these fields, lengths and priors, or a prior is out of range.
Result<void> check_frame(const DocumentFrameHeader& header, ByteView fields, std::span<const std::uint32_t> lengths,
                         std::span<const scoring::Prior> priors);

// The fields of the next document, which `fields` begins with; `fields` moves behind them. kCorrupt.
Result<ByteView> take_fields(ByteView& fields);
// Reads the texts of the next document. in.ok() is false afterwards if it is not whole.
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
