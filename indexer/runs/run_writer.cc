#include "indexer/runs/run_writer.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "common/base/check.h"
#include "common/base/long_hash.h"
#include "indexer/runs/run_format.h"
#include "indexer/runs/store_varint.h"

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

}  // namespace frond::indexer::runs
