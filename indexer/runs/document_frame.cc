#include "indexer/runs/document_frame.h"

#include <xxhash.h>

#include <cstring>
#include <string>
#include <utility>

#include "common/base/check.h"

namespace frond::indexer::runs {
namespace {

constexpr std::size_t kMinDocumentBytes = 4;  // four lengths of zero

Error corrupt(const char* what) { return Error(Code::kCorrupt, std::string("a frame of documents ") + what); }

// Fields, then lengths.
std::uint64_t checksum_of(ByteView fields, std::span<const std::uint32_t> lengths) {
  return XXH3_64bits_withSeed(fields.data(), fields.size(), XXH3_64bits(lengths.data(), lengths.size_bytes()));
}

}  // namespace

std::size_t DocumentFrameWriter::add(const partition::StoredDocument& document, std::uint32_t length) {
  constexpr std::size_t kLongDocument = 1 << 20, kLengthBytes = 20;
  bytes_.resize(std::max(bytes_.size(), kDocumentFrameHeaderBytes));
  const std::size_t before = bytes_.size();
  const std::size_t size = document.id.size() + document.url.size() + document.title.size() + document.body.size();
  // A buffer that doubles would exist twice.
  if (size > kLongDocument) bytes_.reserve(before + size + kLengthBytes);
  ByteWriter out(bytes_);
  for (const std::string_view field : {document.id, document.url, document.title, document.body}) out.put_text(field);
  lengths_.push_back(length);
  return bytes_.size() - before;
}

void DocumentFrameWriter::add_fields(ByteView fields, std::uint32_t length) {
  bytes_.resize(std::max(bytes_.size(), kDocumentFrameHeaderBytes));
  ByteWriter(bytes_).put_bytes(fields);
  lengths_.push_back(length);
}

void DocumentFrameWriter::finish(ByteBuffer& frame) {
  frame.clear();
  if (lengths_.empty()) return;
  const std::size_t field_bytes = bytes_.size() - kDocumentFrameHeaderBytes;
  FROND_CHECK(field_bytes <= kMaxFrameBytes);
  const std::uint64_t checksum = checksum_of(ByteView(bytes_).subspan(kDocumentFrameHeaderBytes), lengths_);
  store_le(bytes_.data(), static_cast<std::uint32_t>(lengths_.size()));
  store_le(bytes_.data() + 4, static_cast<std::uint32_t>(field_bytes));
  store_le(bytes_.data() + 8, checksum);
  bytes_.reserve(bytes_.size() + lengths_.size() * sizeof(std::uint32_t));
  ByteWriter(bytes_).put_bytes(std::as_bytes(std::span(lengths_)));
  lengths_.clear();
  std::swap(bytes_, frame);
  if (bytes_.capacity() > 2 * kept_bytes_) ByteBuffer().swap(bytes_);
}

Result<DocumentFrameHeader> read_frame_header(ByteView bytes) {
  FROND_CHECK(bytes.size() >= kDocumentFrameHeaderBytes);
  ByteReader in(bytes);
  DocumentFrameHeader header;
  header.documents = in.get<std::uint32_t>();
  header.field_bytes = in.get<std::uint32_t>();
  header.checksum = in.get<std::uint64_t>();
  if (header.documents == 0 || header.field_bytes > kMaxFrameBytes ||
      header.field_bytes / kMinDocumentBytes < header.documents)
    return corrupt("has an impossible header");
  return header;
}

Result<void> check_frame(const DocumentFrameHeader& header, ByteView fields, std::span<const std::uint32_t> lengths) {
  if (checksum_of(fields, lengths) != header.checksum) return corrupt("has a wrong checksum");
  return {};
}

Result<ByteView> take_fields(ByteView& fields) {
  ByteReader in(fields);
  for (int field = 0; field < 4; ++field) in.get_text();
  if (!in.ok()) return corrupt("holds other documents than it says");
  const std::size_t size = fields.size() - in.left();
  const ByteView taken = fields.first(size);
  fields = fields.subspan(size);
  return taken;
}

partition::StoredDocument read_fields(ByteReader& in) {
  partition::StoredDocument document;
  for (std::string_view* field : {&document.id, &document.url, &document.title, &document.body}) *field = in.get_text();
  return document;
}

Result<DocumentFrame> DocumentFrame::open(const DocumentFrameHeader& header, ByteBuffer payload) {
  if (payload.size() != header.payload_bytes()) return corrupt("is cut short");
  DocumentFrame frame;
  frame.payload_ = std::move(payload);
  frame.lengths_.resize(header.documents);
  std::memcpy(frame.lengths_.data(), frame.payload_.data() + header.field_bytes,
              header.documents * sizeof(std::uint32_t));
  const ByteView fields = ByteView(frame.payload_).first(header.field_bytes);
  FROND_TRY(check_frame(header, fields, frame.lengths_));
  frame.documents_.reserve(header.documents);
  ByteReader in(fields);
  for (std::uint32_t i = 0; i < header.documents; ++i) frame.documents_.push_back(read_fields(in));
  if (!in.ok() || !in.at_end()) return corrupt("holds other documents than it says");
  return frame;
}

}  // namespace frond::indexer::runs
