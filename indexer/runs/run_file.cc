#include "indexer/runs/run_file.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "common/base/check.h"
#include "common/base/long_hash.h"

namespace frond::indexer::runs {

namespace {

constexpr std::size_t kMaxPostingBytes = 10;         // two varints of 32 and 33 bits
constexpr std::size_t kMaxRecordHeader = 3 + 3 + 5;  // three varints, of two lengths and a count
static_assert(RunWriter::kRecordBytes >= kMaxRecordPostings * kMaxPostingBytes);
static_assert(RunWriter::kMinFrameBytes >= kMaxRecordHeader + kMaxRunTermBytes + kMaxPostingBytes);

// How many first bytes are the same.
std::size_t shared_prefix(std::string_view a, std::string_view b) {
  const std::size_t size = std::min(a.size(), b.size());
  std::size_t at = 0;
  for (; at + sizeof(std::uint64_t) <= size; at += sizeof(std::uint64_t)) {
    std::uint64_t x = 0, y = 0;
    std::memcpy(&x, a.data() + at, sizeof x);
    std::memcpy(&y, b.data() + at, sizeof y);
    if (x != y) return at + static_cast<std::size_t>(std::countr_zero(x ^ y)) / 8;
  }
  while (at < size && a[at] == b[at]) ++at;
  return at;
}

// A posting that follows a document, or 0.
std::byte* put_posting(std::byte* to, std::uint64_t gap, Frequency frequency) {
  const bool once = frequency == 1;
  to = store_varint(to, gap << 1 | (once ? 1 : 0));
  return once ? to : store_varint(to, frequency);
}

}  // namespace

Result<RunWriter> RunWriter::create(const std::filesystem::path& path, std::uint32_t partition,
                                    std::size_t frame_bytes) {
  FROND_CHECK(frame_bytes >= kMinFrameBytes && frame_bytes <= kFramePayloadBytes);
  // Whole frames are written, so the file needs no buffer.
  RunWriter writer(FROND_TRY(ScratchWriter::create(path, /*buffer_bytes=*/0)), partition, frame_bytes);
  ByteBuffer header;
  ByteWriter out(header);
  out.put(kRunMagic);
  out.put(kRunVersion);
  out.put(partition);
  out.put(std::uint32_t{0});
  FROND_CHECK(header.size() == kRunHeaderBytes);
  FROND_TRY(writer.file_.append(header));
  writer.frame_.resize(writer.frame_bytes_);
  writer.record_.resize(std::min(kRecordBytes, frame_bytes));
  writer.start_frame();
  return writer;
}

void RunWriter::start_frame() {
  used_ = kFrameHeaderBytes;
  frame_records_ = 0;
  last_term_.clear();
}

Result<void> RunWriter::add(std::string_view term, std::span<const DocId> docids,
                            std::span<const Frequency> frequencies) {
  FROND_CHECK(docids.size() == frequencies.size() && term.size() <= kMaxRunTermBytes);
  std::size_t next = 0;
  while (next < docids.size()) {
    // A record begins with an absolute docID, so it does not depend on others; the rest goes into the next frame.
    const std::size_t head = kMaxRecordHeader + term.size();
    if (frame_bytes_ - used_ < head + kMaxPostingBytes) FROND_TRY(end_frame());
    const std::size_t room = std::min(record_.size(), frame_bytes_ - used_ - head), left = docids.size() - next;
    if (left <= kMaxRecordPostings && left * kMaxPostingBytes <= room) {  // most often: their number is known
      std::byte* to = begin_record(term, left);
      std::uint64_t before = 0;
      for (; next < docids.size(); before = docids[next++])
        to = put_posting(to, docids[next] - before, frequencies[next]);
      used_ = static_cast<std::size_t>(to - frame_.data());
      break;
    }
    const std::size_t end = std::min(docids.size(), next + kMaxRecordPostings);
    std::byte* to = record_.data();
    const std::byte* const last = record_.data() + room - kMaxPostingBytes;
    const std::size_t first = next;
    std::uint64_t before = 0;
    for (; next < end && to <= last; before = docids[next++])
      to = put_posting(to, docids[next] - before, frequencies[next]);
    const auto bytes = static_cast<std::size_t>(to - record_.data());
    std::byte* const begin = begin_record(term, next - first);
    std::memcpy(begin, record_.data(), bytes);
    used_ = static_cast<std::size_t>(begin - frame_.data()) + bytes;
  }
  return {};
}

// Writes what comes before the postings of a record. Gives the place for these.
std::byte* RunWriter::begin_record(std::string_view term, std::size_t postings) {
  const std::size_t shared = shared_prefix(last_term_, term), rest = term.size() - shared;
  std::byte* to = store_varint(frame_.data() + used_, shared);
  to = store_varint(to, rest);
  std::memcpy(to, term.data() + shared, rest);
  last_term_.replace(shared, std::string::npos, term.substr(shared));
  ++frame_records_;
  ++records_;
  postings_ += postings;
  return store_varint(to + rest, postings);
}

Result<void> RunWriter::end_frame() {
  const ByteView payload = ByteView(frame_).subspan(kFrameHeaderBytes, used_ - kFrameHeaderBytes);
  store_le(frame_.data(), static_cast<std::uint32_t>(payload.size()));
  store_le(frame_.data() + 4, frame_records_);
  store_le(frame_.data() + 8, long_hash(payload));
  FROND_TRY(file_.append(ByteView(frame_).first(used_)));
  start_frame();
  return {};
}

Result<RunFile> RunWriter::finish() {
  if (frame_records_ > 0) FROND_TRY(end_frame());
  // The last frame has no records: its payload is the trailer, with the sums of the file.
  for (const std::uint64_t sum : {records_, postings_}) {
    store_le(frame_.data() + used_, sum);
    used_ += sizeof sum;
  }
  FROND_TRY(end_frame());
  FROND_TRY(file_.flush());
  return RunFile{file_.path(), partition_, postings_, file_.bytes()};
}

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
