#include "indexer/runs/document_frame.h"

#include <xxhash.h>
#include <zstd.h>

#include "common/base/check.h"

namespace frond::indexer::runs {
namespace {

// The spool is written once and read once: speed matters more than size.
constexpr int kSpoolLevel = 1;

}  // namespace

struct FrameCompressor::State {
  explicit State(std::size_t kept) : kept_bytes(kept) {}
  // Uninitialised memory of so many bytes.
  std::byte* room(std::size_t bytes) {
    if (bytes > scratch_bytes) {
      scratch.reset();
      scratch = std::make_unique_for_overwrite<std::byte[]>(bytes);
      scratch_bytes = bytes;
    }
    return scratch.get();
  }
  void shrink() {
    if (scratch_bytes <= kept_bytes) return;
    scratch.reset();
    scratch_bytes = 0;
  }

  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context{ZSTD_createCCtx(), &ZSTD_freeCCtx};
  std::size_t kept_bytes, scratch_bytes = 0;
  std::unique_ptr<std::byte[]> scratch;
};
FrameCompressor::FrameCompressor(std::size_t kept_bytes) : state_(std::make_unique<State>(kept_bytes)) {}
FrameCompressor::~FrameCompressor() = default;

void DocumentFrameWriter::add(const partition::StoredDocument& document, std::uint32_t length) {
  constexpr std::size_t kLongDocument = 1 << 20, kLengthBytes = 20;
  const std::size_t bytes = document.id.size() + document.url.size() + document.title.size() + document.body.size();
  // A buffer that doubles would exist twice.
  if (bytes > kLongDocument) fields_.reserve(fields_.size() + bytes + kLengthBytes);
  ByteWriter out(fields_);
  for (const std::string_view field : {document.id, document.url, document.title, document.body}) out.put_text(field);
  lengths_.push_back(length);
}

ByteBuffer DocumentFrameWriter::finish(FrameCompressor& compressor) {
  ByteBuffer frame;
  if (lengths_.empty()) return frame;
  FROND_CHECK(fields_.size() <= kMaxFrameBytes);
  const std::size_t bound = ZSTD_compressBound(fields_.size());
  std::byte* const room = compressor.state_->room(bound);
  const std::size_t stored =
      ZSTD_compressCCtx(compressor.state_->context.get(), room, bound, fields_.data(), fields_.size(), kSpoolLevel);
  FROND_CHECK(!ZSTD_isError(stored));  // the room is what zstd asked for
  frame.reserve(kDocumentFrameHeaderBytes + lengths_.size() * 4 + stored);
  frame.resize(kDocumentFrameHeaderBytes);
  store_le(frame.data(), static_cast<std::uint32_t>(lengths_.size()));
  store_le(frame.data() + 4, static_cast<std::uint32_t>(fields_.size()));
  store_le(frame.data() + 8, static_cast<std::uint32_t>(stored));
  store_le(frame.data() + 12, std::uint32_t{0});
  ByteWriter out(frame);
  out.put_bytes(std::as_bytes(std::span(lengths_)));
  out.put_bytes(ByteView(room, stored));
  const ByteView payload = ByteView(frame).subspan(kDocumentFrameHeaderBytes);
  store_le(frame.data() + 16, std::uint64_t{XXH3_64bits(payload.data(), payload.size())});
  fields_.clear();
  if (fields_.capacity() > 2 * kept_bytes_) ByteBuffer().swap(fields_);
  lengths_.clear();
  compressor.state_->shrink();
  return frame;
}

Result<DocumentFrameHeader> read_frame_header(ByteView bytes) {
  FROND_CHECK(bytes.size() >= kDocumentFrameHeaderBytes);
  ByteReader in(bytes);
  DocumentFrameHeader header;
  header.documents = in.get<std::uint32_t>();
  header.raw_bytes = in.get<std::uint32_t>();
  header.stored_bytes = in.get<std::uint32_t>();
  const auto reserved = in.get<std::uint32_t>();
  header.checksum = in.get<std::uint64_t>();
  if (header.documents == 0 || header.raw_bytes > kMaxFrameBytes || header.raw_bytes / 4 < header.documents ||
      header.stored_bytes > ZSTD_compressBound(header.raw_bytes) || reserved != 0)
    return Error(Code::kCorrupt, "a frame of documents has an impossible header");
  return header;
}

Result<DocumentFrame> DocumentFrame::open(const DocumentFrameHeader& header, ByteView payload) {
  const auto corrupt = [](const char* what) {
    return Error(Code::kCorrupt, std::string("a frame of documents ") + what);
  };
  if (payload.size() != header.payload_bytes()) return corrupt("is cut short");
  if (XXH3_64bits(payload.data(), payload.size()) != header.checksum) return corrupt("has a wrong checksum");
  DocumentFrame frame;
  frame.lengths_.resize(header.documents);
  std::memcpy(frame.lengths_.data(), payload.data(), std::size_t{header.documents} * 4);
  const ByteView stored = payload.subspan(std::size_t{header.documents} * 4);
  if (ZSTD_getFrameContentSize(stored.data(), stored.size()) != header.raw_bytes) return corrupt("is damaged");
  frame.raw_ = std::make_unique_for_overwrite<std::byte[]>(header.raw_bytes);
  if (ZSTD_decompress(frame.raw_.get(), header.raw_bytes, stored.data(), stored.size()) != header.raw_bytes)
    return corrupt("is damaged");
  ByteReader in(ByteView(frame.raw_.get(), header.raw_bytes));
  frame.documents_.reserve(header.documents);
  for (std::uint32_t i = 0; i < header.documents; ++i) {
    partition::StoredDocument document;
    for (std::string_view* field : {&document.id, &document.url, &document.title, &document.body})
      *field = in.get_text();
    frame.documents_.push_back(document);
  }
  if (!in.ok() || !in.at_end()) return corrupt("holds other documents than it says");
  return frame;
}

}  // namespace frond::indexer::runs
