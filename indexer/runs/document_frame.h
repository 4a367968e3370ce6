#pragma once
// Stored fields on their way to a partition: the documents of one batch that go to one partition, compressed together,
// with their lengths in terms. Layout: docs/formats/run-file.md, "The spool".
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "common/partition/partition_writer.h"

namespace frond::indexer::runs {

inline constexpr std::size_t kDocumentFrameHeaderBytes = 24;
// Bytes of fields. A batch exceeds its size by at most one record of kMaxRecordBytes.
inline constexpr std::uint32_t kMaxFrameBytes = 1u << 30;

// The compressor's state of more than a MiB, and scratch memory, of which up to `kept_bytes` are kept. A thread uses
// one for all its frames.
class FrameCompressor {
 public:
  explicit FrameCompressor(std::size_t kept_bytes = std::size_t{4} << 20);
  ~FrameCompressor();
  FrameCompressor(const FrameCompressor&) = delete;
  FrameCompressor& operator=(const FrameCompressor&) = delete;

 private:
  friend class DocumentFrameWriter;
  struct State;
  std::unique_ptr<State> state_;
};

// Makes frames from documents. One thread; reusable, keeps up to twice `kept_bytes` of memory.
class DocumentFrameWriter {
 public:
  explicit DocumentFrameWriter(std::size_t kept_bytes = std::size_t{4} << 20) : kept_bytes_(kept_bytes) {}
  void add(const partition::StoredDocument& document, std::uint32_t length);
  std::size_t documents() const { return lengths_.size(); }
  // The frame of the documents that were added since the last call; empty if there are none.
  ByteBuffer finish(FrameCompressor& compressor);

 private:
  std::size_t kept_bytes_;
  ByteBuffer fields_;
  std::vector<std::uint32_t> lengths_;
};

// A frame's header, with which a reader can skip to the next frame.
struct DocumentFrameHeader {
  std::uint32_t documents = 0, raw_bytes = 0, stored_bytes = 0;
  std::uint64_t checksum = 0;
  std::uint64_t payload_bytes() const { return std::uint64_t{documents} * 4 + stored_bytes; }
};
// kCorrupt: impossible sizes. `bytes` has kDocumentFrameHeaderBytes.
Result<DocumentFrameHeader> read_frame_header(ByteView bytes);

// A frame, decompressed and checked; accepts any bytes. Documents borrow this.
class DocumentFrame {
 public:
  // `payload` is what follows the header. kCorrupt.
  static Result<DocumentFrame> open(const DocumentFrameHeader& header, ByteView payload);
  std::span<const partition::StoredDocument> documents() const { return documents_; }
  std::uint32_t length(std::size_t document) const { return lengths_[document]; }

 private:
  std::unique_ptr<std::byte[]> raw_;
  std::vector<std::uint32_t> lengths_;
  std::vector<partition::StoredDocument> documents_;
};

}  // namespace frond::indexer::runs
