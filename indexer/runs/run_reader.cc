#include "indexer/runs/run_reader.h"

#include <utility>

#include "common/base/long_hash.h"
#include "indexer/runs/run_format.h"

namespace frond::indexer::runs {
namespace {

// Reads the varint at `at` and moves `at` behind it. If the varint is cut short or too long, gives a value that no
// posting has.
std::uint64_t take_varint(const std::byte*& at, const std::byte* end) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 42 && at != end; shift += 7) {
    const auto byte = static_cast<std::uint8_t>(*at++);
    value |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return value;
  }
  return ~std::uint64_t{0};
}

// The same, where 8 bytes are left. Most are one or two bytes long.
std::uint64_t take_varint_inside(const std::byte*& at, const std::byte* end) {
  const auto word = load_le<std::uint64_t>(at);
  if ((word & 0x80) == 0) {
    ++at;
    return word & 0x7f;
  }
  if ((word & 0x8000) == 0) {
    at += 2;
    return (word & 0x7f) | (word >> 1 & 0x3f80);
  }
  return take_varint(at, end);
}

}  // namespace

Result<bool> RunFrame::next() {
  if (left_ == 0) {
    if (!in_.empty()) return Error(Code::kCorrupt, "bytes after the last record of a frame");
    return false;
  }
  --left_;
  ByteReader in(in_);
  const std::uint64_t shared = in.get_varint();
  const std::string_view rest = in.get_text();
  const std::uint64_t count = in.get_varint();
  if (!in.ok()) return Error(Code::kCorrupt, "a record is cut short");
  if (shared > term_.size() || shared + rest.size() > kMaxRunTermBytes || shared + rest.size() == 0)
    return Error(Code::kCorrupt, "a term's length is impossible");
  if (rest < std::string_view(term_).substr(shared)) return Error(Code::kCorrupt, "terms are out of order");
  term_.resize(shared);
  term_ += rest;
  if (count == 0 || count > kMaxRecordPostings || count > in.left())
    return Error(Code::kCorrupt, "a count of postings is impossible");
  in_ = in_.last(in.left());
  FROND_TRY(read_postings(count));
  return true;
}

Result<void> RunFrame::read_postings(std::uint64_t count) {
  docids_.resize(count);
  frequencies_.resize(count);
  const std::byte* at = in_.data();
  const std::byte* const end = at + in_.size();
  std::uint64_t docid = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const bool inside = end - at >= 16;
    const std::uint64_t code = inside ? take_varint_inside(at, end) : take_varint(at, end);
    const std::uint64_t gap = code >> 1;
    const std::uint64_t frequency = code & 1 ? 1 : inside ? take_varint_inside(at, end) : take_varint(at, end);
    if (gap >= kNoDoc || (i > 0 && gap == 0) || frequency == 0 || frequency > 0xffffffff)
      return Error(Code::kCorrupt, "a posting is impossible");
    docid += gap;
    if (docid >= kNoDoc) return Error(Code::kCorrupt, "a docID is impossible");
    docids_[i] = static_cast<DocId>(docid);
    frequencies_[i] = static_cast<Frequency>(frequency);
  }
  in_ = ByteView(at, end);
  return {};
}

Result<RunReader> RunReader::open(const std::filesystem::path& path, std::uint32_t partition) {
  RunReader reader(FROND_TRY(ScratchReader::open(path)));
  std::byte header[kRunHeaderBytes];
  FROND_TRY(reader.file_.read(header));
  if (load_le<std::uint32_t>(header) != kRunMagic) return reader.corrupt("not a run file");
  if (const auto version = load_le<std::uint32_t>(header + 4); version != kRunVersion)
    return reader.corrupt("version " + std::to_string(version) + " of the run file is unknown");
  if (load_le<std::uint32_t>(header + 8) != partition) return reader.corrupt("a run of another partition");
  if (load_le<std::uint32_t>(header + 12) != 0) return reader.corrupt("reserved bytes are set");
  return reader;
}

Result<bool> RunReader::next() {
  while (!ended_) {
    auto more = frame_.next();
    if (!more) return corrupt(more.error().message());
    if (*more) {
      if (!last_term_.empty()) {
        if (frame_.term() < last_term_) return corrupt("terms are out of order between frames");
        last_term_.clear();
      }
      ++records_;
      postings_ += docids().size();
      return true;
    }
    FROND_TRY(read_frame());
  }
  return false;
}

Result<bool> RunReader::read_frame() {
  std::byte header[kFrameHeaderBytes];
  FROND_TRY(file_.read(header));
  const auto bytes = load_le<std::uint32_t>(header);
  const auto records = load_le<std::uint32_t>(header + 4);
  if (bytes > kFramePayloadBytes) return corrupt("a frame is too large");
  last_term_ = frame_.term();
  payload_.resize(bytes);
  FROND_TRY(file_.read(payload_));
  if (long_hash(payload_) != load_le<std::uint64_t>(header + 8)) return corrupt("a frame's checksum is wrong");
  if (records == 0) {
    FROND_TRY(read_trailer());
    return false;
  }
  frame_.start(payload_, records);
  return true;
}

Result<void> RunReader::read_trailer() {
  if (payload_.size() != kRunTrailerBytes || file_.left() != 0) return corrupt("the trailer is not at the end");
  if (load_le<std::uint64_t>(payload_.data()) != records_ || load_le<std::uint64_t>(payload_.data() + 8) != postings_)
    return corrupt("the trailer disagrees with what the file holds");
  ended_ = true;
  return {};
}

}  // namespace frond::indexer::runs
