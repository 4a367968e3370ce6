#include "indexer/runs/document_frame.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "common/base/check.h"
#include "common/base/long_hash.h"
#include "indexer/runs/run_file.h"

namespace frond::indexer::runs {
namespace {

constexpr std::size_t kMinDocumentBytes = 4;  // four lengths of zero

Error corrupt(const char* what) { return Error(Code::kCorrupt, std::string("a frame of documents ") + what); }

// In the number of documents: they have priors.
constexpr std::uint32_t kPriorsBit = 1u << 31;

// Fields, then lengths, then priors if there are any.
std::uint64_t checksum_of(ByteView fields, std::span<const std::uint32_t> lengths,
                          std::span<const scoring::Prior> priors) {
  const std::uint64_t of_priors = priors.empty() ? 0 : XXH3_64bits(priors.data(), priors.size_bytes());
  return long_hash(fields, XXH3_64bits_withSeed(lengths.data(), lengths.size_bytes(), of_priors));
}

constexpr std::size_t kShortFields = 480;  // together

// All but the body's bytes, at once: appending lengths and short fields one by one takes several times as long.
void put_short_fields(const std::array<std::string_view, 3>& fields, std::size_t body_bytes, ByteWriter& out) {
  constexpr std::size_t kLengthsBytes = 3 * 2 + 10;
  std::array<std::byte, kShortFields + kLengthsBytes> bytes;
  std::byte* at = bytes.data();
  for (const std::string_view field : fields) {
    at = store_varint(at, field.size());
    at = std::copy_n(as_bytes(field).data(), field.size(), at);
  }
  at = store_varint(at, body_bytes);
  out.put_bytes(ByteView(bytes.data(), at));
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
  if (document.id.size() + document.url.size() + document.title.size() <= kShortFields) {
    put_short_fields({document.id, document.url, document.title}, document.body.size(), out);
    out.put_bytes(as_bytes(document.body));
  } else {
    for (const std::string_view field : {document.id, document.url, document.title, document.body}) out.put_text(field);
  }
  note(length, document.prior);
  return bytes_.size() - before;
}

void DocumentFrameWriter::note(std::uint32_t length, scoring::Prior prior) {
  lengths_.push_back(length);
  priors_.push_back(prior);
  any_prior_ |= prior != 0;
}

void DocumentFrameWriter::add_fields(ByteView fields, std::uint32_t length, scoring::Prior prior) {
  bytes_.resize(std::max(bytes_.size(), kDocumentFrameHeaderBytes));
  ByteWriter(bytes_).put_bytes(fields);
  note(length, prior);
}

void DocumentFrameWriter::finish(ByteBuffer& frame) {
  frame.clear();
  if (lengths_.empty()) return;
  const ByteView fields = ByteView(bytes_).subspan(kDocumentFrameHeaderBytes);
  if (!any_prior_) priors_.clear();
  const auto header = frame_header(fields, lengths_, priors_);
  std::copy(header.begin(), header.end(), bytes_.begin());
  bytes_.reserve(bytes_.size() + (lengths_.size() + priors_.size()) * sizeof(std::uint32_t));
  ByteWriter(bytes_).put_bytes(std::as_bytes(std::span(lengths_)));
  ByteWriter(bytes_).put_bytes(std::as_bytes(std::span(priors_)));
  lengths_.clear();
  priors_.clear();
  any_prior_ = false;
  std::swap(bytes_, frame);
  if (bytes_.capacity() > 2 * kept_bytes_) ByteBuffer().swap(bytes_);
}

std::array<std::byte, kDocumentFrameHeaderBytes> frame_header(ByteView fields, std::span<const std::uint32_t> lengths,
                                                              std::span<const scoring::Prior> priors) {
  FROND_CHECK(fields.size() <= kMaxFrameBytes);
  std::array<std::byte, kDocumentFrameHeaderBytes> header{};
  store_le(header.data(), static_cast<std::uint32_t>(lengths.size()) | (priors.empty() ? 0 : kPriorsBit));
  store_le(header.data() + 4, static_cast<std::uint32_t>(fields.size()));
  store_le(header.data() + 8, checksum_of(fields, lengths, priors));
  return header;
}

Result<DocumentFrameHeader> read_frame_header(ByteView bytes) {
  FROND_CHECK(bytes.size() >= kDocumentFrameHeaderBytes);
  ByteReader in(bytes);
  DocumentFrameHeader header;
  const auto documents = in.get<std::uint32_t>();
  header.documents = documents & ~kPriorsBit;
  header.priors = (documents & kPriorsBit) != 0;
  header.field_bytes = in.get<std::uint32_t>();
  header.checksum = in.get<std::uint64_t>();
  if (header.documents == 0 || header.field_bytes > kMaxFrameBytes ||
      header.field_bytes / kMinDocumentBytes < header.documents)
    return corrupt("has an impossible header");
  return header;
}

Result<void> check_frame(const DocumentFrameHeader& header, ByteView fields, std::span<const std::uint32_t> lengths,
                         std::span<const scoring::Prior> priors) {
  if (checksum_of(fields, lengths, priors) != header.checksum) return corrupt("has a wrong checksum");
  if (std::any_of(priors.begin(), priors.end(), [](scoring::Prior prior) { return prior > scoring::kMaxPrior; }))
    return corrupt("has a prior out of range");
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
  std::vector<scoring::Prior> priors(header.priors ? header.documents : 0);
  if (!priors.empty())
    std::memcpy(priors.data(), frame.payload_.data() + header.field_bytes + header.documents * sizeof(std::uint32_t),
                priors.size() * sizeof(scoring::Prior));
  FROND_TRY(check_frame(header, fields, frame.lengths_, priors));
  frame.documents_.reserve(header.documents);
  ByteReader in(fields);
  for (std::uint32_t i = 0; i < header.documents; ++i) frame.documents_.push_back(read_fields(in));
  if (!in.ok() || !in.at_end()) return corrupt("holds other documents than it says");
  for (std::size_t i = 0; i < priors.size(); ++i) frame.documents_[i].prior = priors[i];
  return frame;
}

}  // namespace frond::indexer::runs
