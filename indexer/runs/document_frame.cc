#include "indexer/runs/document_frame.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>

#include "common/base/check.h"
#include "common/base/long_hash.h"
#include "indexer/runs/run_file.h"

namespace frond::indexer::runs {
namespace {

constexpr std::size_t kMinDocumentBytes = 4;  // four lengths of zero

Error corrupt(const char* what) { return Error(Code::kCorrupt, std::string("a frame of documents ") + what); }

// In the number of documents: they have priors, or values.
constexpr std::uint32_t kPriorsBit = 1u << 31, kValuesBit = 1u << 30;

// Each part's hash is the seed of the one before it, but for parts that are not there.
std::uint64_t checksum_of(const FrameParts& parts) {
  std::uint64_t hash = 0;
  if (!parts.value_sizes.empty())
    hash = long_hash(parts.values, XXH3_64bits(parts.value_sizes.data(), parts.value_sizes.size_bytes()));
  if (!parts.priors.empty()) hash = XXH3_64bits_withSeed(parts.priors.data(), parts.priors.size_bytes(), hash);
  return long_hash(parts.fields, XXH3_64bits_withSeed(parts.lengths.data(), parts.lengths.size_bytes(), hash));
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
  note(length, document.prior, document.values);
  return bytes_.size() - before;
}

void DocumentFrameWriter::note(std::uint32_t length, scoring::Prior prior, std::string_view values) {
  lengths_.push_back(length);
  priors_.push_back(prior);
  any_prior_ |= prior != 0;
  ByteWriter(values_).put_bytes(as_bytes(values));
  value_sizes_.push_back(static_cast<std::uint32_t>(values.size()));
}

void DocumentFrameWriter::add_fields(ByteView fields, std::uint32_t length, scoring::Prior prior) {
  bytes_.resize(std::max(bytes_.size(), kDocumentFrameHeaderBytes));
  ByteWriter(bytes_).put_bytes(fields);
  note(length, prior, {});
}

void DocumentFrameWriter::finish(ByteBuffer& frame) {
  frame.clear();
  if (lengths_.empty()) return;
  const ByteView fields = ByteView(bytes_).subspan(kDocumentFrameHeaderBytes);
  if (!any_prior_) priors_.clear();
  if (values_.empty()) value_sizes_.clear();
  const auto header = frame_header({fields, values_, lengths_, priors_, value_sizes_});
  std::copy(header.begin(), header.end(), bytes_.begin());
  bytes_.reserve(bytes_.size() + values_.size() +
                 (lengths_.size() + priors_.size() + value_sizes_.size()) * sizeof(std::uint32_t));
  ByteWriter out(bytes_);
  out.put_bytes(values_);
  out.put_bytes(std::as_bytes(std::span(lengths_)));
  out.put_bytes(std::as_bytes(std::span(priors_)));
  out.put_bytes(std::as_bytes(std::span(value_sizes_)));
  lengths_.clear();
  priors_.clear();
  any_prior_ = false;
  values_.clear();
  value_sizes_.clear();
  std::swap(bytes_, frame);
  if (bytes_.capacity() > 2 * kept_bytes_) ByteBuffer().swap(bytes_);
  if (values_.capacity() > 2 * kept_bytes_) ByteBuffer().swap(values_);
}

std::array<std::byte, kDocumentFrameHeaderBytes> frame_header(const FrameParts& parts) {
  FROND_CHECK(parts.fields.size() + parts.values.size() <= kMaxFrameBytes);
  std::array<std::byte, kDocumentFrameHeaderBytes> header{};
  store_le(header.data(), static_cast<std::uint32_t>(parts.lengths.size()) | (parts.priors.empty() ? 0 : kPriorsBit) |
                              (parts.value_sizes.empty() ? 0 : kValuesBit));
  store_le(header.data() + 4, static_cast<std::uint32_t>(parts.fields.size() + parts.values.size()));
  store_le(header.data() + 8, checksum_of(parts));
  return header;
}

Result<DocumentFrameHeader> read_frame_header(ByteView bytes) {
  FROND_CHECK(bytes.size() >= kDocumentFrameHeaderBytes);
  ByteReader in(bytes);
  DocumentFrameHeader header;
  const auto documents = in.get<std::uint32_t>();
  header.documents = documents & ~(kPriorsBit | kValuesBit);
  header.priors = (documents & kPriorsBit) != 0;
  header.values = (documents & kValuesBit) != 0;
  header.field_bytes = in.get<std::uint32_t>();
  header.checksum = in.get<std::uint64_t>();
  if (header.documents == 0 || header.field_bytes > kMaxFrameBytes ||
      header.field_bytes / kMinDocumentBytes < header.documents)
    return corrupt("has an impossible header");
  return header;
}

Result<std::size_t> value_bytes_of(const DocumentFrameHeader& header, std::span<const std::uint32_t> value_sizes) {
  const std::uint64_t bytes = std::accumulate(value_sizes.begin(), value_sizes.end(), std::uint64_t{0});
  if (bytes > header.field_bytes) return corrupt("has values that do not fit into it");
  return static_cast<std::size_t>(bytes);
}

Result<void> check_frame(const DocumentFrameHeader& header, const FrameParts& parts) {
  if (checksum_of(parts) != header.checksum) return corrupt("has a wrong checksum");
  if (std::any_of(parts.priors.begin(), parts.priors.end(),
                  [](scoring::Prior prior) { return prior > scoring::kMaxPrior; }))
    return corrupt("has a prior out of range");
  return {};
}

FrameValues values_of_frame(ByteView frame) {
  const auto documents = load_le<std::uint32_t>(frame.data());
  if ((documents & kValuesBit) == 0) return {};
  const ByteView sizes = frame.last((documents & ~(kPriorsBit | kValuesBit)) * sizeof(std::uint32_t));
  std::size_t bytes = 0;
  for (std::size_t at = 0; at < sizes.size(); at += sizeof(std::uint32_t))
    bytes += load_le<std::uint32_t>(sizes.data() + at);
  const std::size_t end = kDocumentFrameHeaderBytes + load_le<std::uint32_t>(frame.data() + 4);
  return {frame.subspan(end - bytes, bytes), sizes};
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
  std::vector<scoring::Prior> priors(header.priors ? header.documents : 0);
  std::vector<std::uint32_t> value_sizes(header.values ? header.documents : 0);
  const std::byte* const behind = frame.payload_.data() + header.field_bytes + header.documents * sizeof(std::uint32_t);
  const std::size_t prior_bytes = priors.size() * sizeof(scoring::Prior);
  if (!priors.empty()) std::memcpy(priors.data(), behind, prior_bytes);
  if (!value_sizes.empty())
    std::memcpy(value_sizes.data(), behind + prior_bytes, value_sizes.size() * sizeof(std::uint32_t));
  const std::size_t value_bytes = FROND_TRY(value_bytes_of(header, value_sizes));
  const ByteView fields = ByteView(frame.payload_).first(header.field_bytes - value_bytes);
  ByteView values = ByteView(frame.payload_).subspan(fields.size(), value_bytes);
  FROND_TRY(check_frame(header, {fields, values, frame.lengths_, priors, value_sizes}));
  frame.documents_.reserve(header.documents);
  ByteReader in(fields);
  for (std::uint32_t i = 0; i < header.documents; ++i) frame.documents_.push_back(read_fields(in));
  if (!in.ok() || !in.at_end()) return corrupt("holds other documents than it says");
  for (std::size_t i = 0; i < priors.size(); ++i) frame.documents_[i].prior = priors[i];
  for (std::size_t i = 0; i < value_sizes.size(); ++i) {
    frame.documents_[i].values = as_text(values.first(value_sizes[i]));
    values = values.subspan(value_sizes[i]);
  }
  return frame;
}

}  // namespace frond::indexer::runs
