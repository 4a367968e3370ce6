#include "indexer/runs/document_spool.h"

#include <algorithm>
#include <system_error>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "common/base/bytes.h"

namespace frond::indexer::runs {

namespace {

constexpr std::size_t kHeaderBytes = 8, kFrameHeader = 12;
constexpr std::uint32_t kMaxFrameLengths = 1 << 14;

std::uint64_t checksum_of(std::span<const std::uint32_t> lengths) {
  return XXH3_64bits(lengths.data(), lengths.size_bytes());
}

}  // namespace

std::filesystem::path lengths_path(const std::filesystem::path& spool) {
  std::filesystem::path path = spool;
  return path += ".lengths";
}

LengthsWriter::LengthsWriter(ScratchWriter file, std::size_t buffer_bytes)
    : file_(std::move(file)), most_(std::clamp<std::size_t>(buffer_bytes / 8, 1, kMaxFrameLengths)) {}

Result<LengthsWriter> LengthsWriter::append_to(const std::filesystem::path& spool, std::uint64_t lengths,
                                               std::size_t buffer_bytes) {
  auto reader = LengthsReader::open(lengths_path(spool));
  if (!reader) return Error(Code::kCorrupt, reader.error().message());
  const std::uint64_t end = FROND_TRY(reader->find_end(lengths));
  return LengthsWriter(FROND_TRY(ScratchWriter::append_to(lengths_path(spool), end, buffer_bytes / 2)), buffer_bytes);
}

Result<LengthsWriter> LengthsWriter::create(const std::filesystem::path& spool, std::size_t buffer_bytes) {
  LengthsWriter writer(FROND_TRY(ScratchWriter::create(lengths_path(spool), buffer_bytes / 2)), buffer_bytes);
  ByteBuffer header;
  ByteWriter out(header);
  out.put(kLengthsMagic);
  out.put(kLengthsVersion);
  FROND_TRY(writer.file_.append(header));
  return writer;
}

Result<void> LengthsWriter::add(std::uint32_t length) {
  frame_.push_back(length);
  return frame_.size() < most_ ? Result<void>() : end_frame();
}

Result<void> LengthsWriter::end_frame() {
  ByteBuffer header;
  ByteWriter out(header);
  out.put(static_cast<std::uint32_t>(frame_.size()));
  out.put(checksum_of(frame_));
  FROND_TRY(file_.append(header));
  FROND_TRY(file_.append(std::as_bytes(std::span(frame_))));
  frame_.clear();
  return {};
}

Result<void> LengthsWriter::flush() {
  if (!frame_.empty()) FROND_TRY(end_frame());
  return file_.flush();
}

Result<std::optional<LengthsReader>> LengthsReader::open_beside(const std::filesystem::path& spool) {
  std::error_code failed;
  if (!std::filesystem::exists(lengths_path(spool), failed)) return std::optional<LengthsReader>();
  return std::optional<LengthsReader>(FROND_TRY(open(lengths_path(spool))));
}

Result<LengthsReader> LengthsReader::open(const std::filesystem::path& path) {
  LengthsReader reader(FROND_TRY(ScratchReader::open(path)));
  std::byte header[kHeaderBytes];
  FROND_TRY(reader.file_.read(header));
  if (load_le<std::uint32_t>(header) != kLengthsMagic || load_le<std::uint32_t>(header + 4) != kLengthsVersion)
    return reader.file_.corrupt("not the lengths of documents");
  return reader;
}

Result<void> LengthsReader::next_frame() {
  std::byte header[kFrameHeader];
  FROND_TRY(file_.read(header));
  const auto count = load_le<std::uint32_t>(header);
  if (count == 0 || count > kMaxFrameLengths) return file_.corrupt("a frame of an impossible size");
  frame_.resize(count);
  at_ = 0;
  FROND_TRY(file_.read(std::as_writable_bytes(std::span(frame_))));
  if (checksum_of(frame_) != load_le<std::uint64_t>(header + 4)) return file_.corrupt("wrong checksum of lengths");
  return {};
}

Result<std::uint64_t> LengthsReader::find_end(std::uint64_t lengths) {
  const std::uint64_t size = kHeaderBytes + file_.left();  // called first
  while (lengths > 0) {
    FROND_TRY(next_frame());
    if (frame_.size() > lengths) return file_.corrupt("lengths do not end where a checkpoint was");
    lengths -= frame_.size();
  }
  return size - file_.left();
}

Result<void> LengthsReader::read(std::span<std::uint32_t> lengths) {
  for (std::size_t done = 0; done < lengths.size();) {
    if (at_ == frame_.size()) FROND_TRY(next_frame());
    const std::size_t some = std::min(lengths.size() - done, frame_.size() - at_);
    std::copy_n(frame_.begin() + static_cast<std::ptrdiff_t>(at_), some,
                lengths.begin() + static_cast<std::ptrdiff_t>(done));
    done += some;
    at_ += some;
  }
  return {};
}

namespace {
constexpr std::size_t kSpoolHeaderBytes = 8;
}  // namespace

Result<SpoolWriter> SpoolWriter::create(const std::filesystem::path& path, std::size_t buffer_bytes) {
  SpoolWriter writer(FROND_TRY(ScratchWriter::create(path, buffer_bytes)));
  ByteBuffer header;
  ByteWriter out(header);
  out.put(kSpoolMagic);
  out.put(kSpoolVersion);
  FROND_TRY(writer.file_.append(header));
  return writer;
}

Result<SpoolWriter> SpoolWriter::append_to(const std::filesystem::path& path, std::uint64_t bytes,
                                           std::size_t buffer_bytes) {
  SpoolWriter writer(FROND_TRY(ScratchWriter::append_to(path, bytes, buffer_bytes)));
  FROND_TRY(SpoolReader::open(path));
  return writer;
}

Result<void> SpoolWriter::append(ByteView frame) { return file_.append(frame); }

Result<void> SpoolWriter::append(FrameParts parts) {
  if (parts.lengths.empty()) return {};
  const auto& priors = parts.priors;
  if (std::all_of(priors.begin(), priors.end(), [](scoring::Prior prior) { return prior == 0; })) parts.priors = {};
  if (parts.values.empty()) parts.value_sizes = {};
  FROND_TRY(file_.append(frame_header(parts)));
  FROND_TRY(file_.append(parts.fields));
  FROND_TRY(file_.append(parts.values));
  FROND_TRY(file_.append(std::as_bytes(parts.lengths)));
  FROND_TRY(file_.append(std::as_bytes(parts.priors)));
  return file_.append(std::as_bytes(parts.value_sizes));
}

Result<SpoolReader> SpoolReader::open(const std::filesystem::path& path) {
  SpoolReader reader(FROND_TRY(ScratchReader::open(path)));
  std::byte header[kSpoolHeaderBytes];
  FROND_TRY(reader.file_.read(header));
  if (load_le<std::uint32_t>(header) != kSpoolMagic || load_le<std::uint32_t>(header + 4) != kSpoolVersion)
    return reader.file_.corrupt("not a spool of documents");
  reader.lengths_ = FROND_TRY(LengthsReader::open_beside(path));
  return reader;
}

Result<DocumentFrameHeader> SpoolReader::next_header() {
  std::byte bytes[kDocumentFrameHeaderBytes];
  FROND_TRY(file_.read(bytes));
  auto header = read_frame_header(bytes);
  if (!header) return file_.corrupt(header.error().message());
  if (header->payload_bytes() > file_.left()) return file_.corrupt("the file ends inside a frame of documents");
  return header;
}

Result<std::uint64_t> SpoolReader::next_bytes() {
  if (!header_ && file_.left() == 0) return std::uint64_t{0};
  if (!header_) header_ = FROND_TRY(next_header());
  return std::uint64_t{header_->field_bytes};
}

Result<std::optional<DocumentFrame>> SpoolReader::next() {
  if (FROND_TRY(next_bytes()) == 0) return std::optional<DocumentFrame>();
  const DocumentFrameHeader header = *std::exchange(header_, std::nullopt);
  ByteBuffer payload(header.payload_bytes());
  FROND_TRY(file_.read(payload));
  auto frame = DocumentFrame::open(header, std::move(payload));
  if (!frame) return file_.corrupt(frame.error().message());
  if (lengths_) FROND_TRY(lengths_->read(frame->lengths()));
  return std::optional<DocumentFrame>(std::move(*frame));
}

Result<bool> SpoolReader::append_next(Documents& to) {
  if (FROND_TRY(next_bytes()) == 0) return false;
  const DocumentFrameHeader header = *std::exchange(header_, std::nullopt);
  const std::size_t first = to.lengths.size();
  to.lengths.resize(first + header.documents);
  to.priors.resize(first + header.documents);
  to.value_sizes.resize(first + header.documents);
  const std::span<std::byte> bytes = to.fields.grow(header.field_bytes);
  const std::span<std::uint32_t> new_lengths = std::span(to.lengths).subspan(first);
  FROND_TRY(file_.read(bytes));
  FROND_TRY(file_.read(std::as_writable_bytes(new_lengths)));
  const auto new_priors = std::span(to.priors).subspan(first).first(header.priors ? header.documents : 0);
  FROND_TRY(file_.read(std::as_writable_bytes(new_priors)));
  const auto new_sizes = std::span(to.value_sizes).subspan(first).first(header.values ? header.documents : 0);
  FROND_TRY(file_.read(std::as_writable_bytes(new_sizes)));
  const auto value_bytes = value_bytes_of(header, new_sizes);
  if (!value_bytes) return file_.corrupt(value_bytes.error().message());
  const ByteView values = bytes.last(*value_bytes);
  const FrameParts parts{bytes.first(bytes.size() - *value_bytes), values, new_lengths, new_priors, new_sizes};
  if (auto checked = check_frame(header, parts); !checked) return file_.corrupt(checked.error().message());
  to.values.insert(to.values.end(), values.begin(), values.end());
  to.fields.drop_last(*value_bytes);
  if (lengths_) FROND_TRY(lengths_->read(new_lengths));
  return true;
}

Result<SpoolContents> SpoolReader::read_contents(const std::filesystem::path& path) {
  // Counted first, since a vector that doubles would exist twice.
  SpoolReader counter = FROND_TRY(open(path));
  SpoolContents contents;
  std::size_t documents = 0;
  while (counter.file_.left() > 0) {
    const DocumentFrameHeader header = FROND_TRY(counter.next_header());
    documents += header.documents;
    contents.field_bytes += header.field_bytes;
    FROND_TRY(counter.file_.skip(header.payload_bytes()));
  }
  SpoolReader reader = FROND_TRY(open(path));
  contents.lengths.reserve(documents);
  while (reader.file_.left() > 0) {
    const DocumentFrameHeader header = FROND_TRY(reader.next_header());
    const std::size_t at = contents.lengths.size();
    contents.lengths.resize(at + header.documents);
    FROND_TRY(reader.file_.skip(header.field_bytes));
    const std::span<std::uint32_t> lengths = std::span(contents.lengths).subspan(at);
    FROND_TRY(reader.file_.read(std::as_writable_bytes(lengths)));
    for (const bool is_there : {header.priors, header.values})
      if (is_there) FROND_TRY(reader.file_.skip(lengths.size_bytes()));
    if (reader.lengths_) FROND_TRY(reader.lengths_->read(lengths));
  }
  return contents;
}

}  // namespace frond::indexer::runs
