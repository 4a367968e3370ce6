#include "indexer/runs/run_writer.h"

#include <algorithm>

#include "common/base/check.h"
#include "common/base/long_hash.h"
#include "indexer/runs/run_format.h"

namespace frond::indexer::runs {
namespace {

constexpr std::size_t kMaxPostingBytes = 10;         // two varints of 32 and 33 bits
constexpr std::size_t kMaxRecordHeader = 3 + 3 + 5;  // three varints, of two lengths and a count
static_assert(RunWriter::kRecordBytes >= kMaxRecordPostings * kMaxPostingBytes);
static_assert(RunWriter::kMinFrameBytes >= kMaxRecordHeader + kMaxRunTermBytes + kMaxPostingBytes);

std::size_t shared_prefix(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

// The caller has reserved the space. Returns the end.
std::byte* put_varint(std::byte* to, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) *to++ = static_cast<std::byte>(value | 0x80);
  *to++ = static_cast<std::byte>(value);
  return to;
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
  writer.frame_.reserve(writer.frame_bytes_);
  writer.record_.resize(std::min(kRecordBytes, frame_bytes));
  writer.start_frame();
  return writer;
}

void RunWriter::start_frame() {
  frame_.resize(kFrameHeaderBytes);
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
    if (frame_bytes_ - frame_.size() < head + kMaxPostingBytes) FROND_TRY(end_frame());
    const std::size_t room = std::min(record_.size(), frame_bytes_ - frame_.size() - head);
    const std::size_t end = std::min(docids.size(), next + kMaxRecordPostings);
    std::byte* to = record_.data();
    const std::byte* const last = record_.data() + room - kMaxPostingBytes;
    const std::size_t first = next;
    std::uint64_t before = 0;
    for (; next < end && to <= last; ++next) {
      const std::uint64_t gap = docids[next] - before;
      before = docids[next];
      const bool once = frequencies[next] == 1;
      to = put_varint(to, gap << 1 | (once ? 1 : 0));
      if (!once) to = put_varint(to, frequencies[next]);
    }
    const std::size_t shared = shared_prefix(last_term_, term);
    ByteWriter out(frame_);
    out.put_varint(shared);
    out.put_text(term.substr(shared));
    out.put_varint(next - first);
    out.put_bytes(ByteView(record_.data(), to));
    last_term_ = term;
    ++frame_records_;
    ++records_;
    postings_ += next - first;
  }
  return {};
}

Result<void> RunWriter::end_frame() {
  const ByteView payload = ByteView(frame_).subspan(kFrameHeaderBytes);
  store_le(frame_.data(), static_cast<std::uint32_t>(payload.size()));
  store_le(frame_.data() + 4, frame_records_);
  store_le(frame_.data() + 8, long_hash(payload));
  FROND_TRY(file_.append(frame_));
  start_frame();
  return {};
}

Result<RunFile> RunWriter::finish() {
  if (frame_records_ > 0) FROND_TRY(end_frame());
  // The last frame has no records: its payload is the trailer, with the sums of the file.
  ByteWriter out(frame_);
  out.put(records_);
  out.put(postings_);
  FROND_TRY(end_frame());
  FROND_TRY(file_.flush());
  return RunFile{file_.path(), partition_, postings_, file_.bytes()};
}

}  // namespace frond::indexer::runs
