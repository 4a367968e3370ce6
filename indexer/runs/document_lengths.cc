#include "indexer/runs/document_lengths.h"

#include <algorithm>
#include <system_error>

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

}  // namespace frond::indexer::runs
