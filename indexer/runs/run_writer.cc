#include "indexer/runs/run_writer.h"

#include <xxhash.h>

#include <algorithm>

#include "common/base/check.h"
#include "indexer/runs/run_format.h"

namespace frond::indexer {
namespace {

constexpr std::size_t kMaxPostingBytes = 10;         // two varints of 32 and 33 bits
constexpr std::size_t kMaxRecordHeader = 3 + 3 + 5;  // three varints, of two lengths and a count

std::size_t shared_prefix(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

// Never resizes: the caller has reserved. Returns the end.
std::byte* put_varint(std::byte* to, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) *to++ = static_cast<std::byte>(value | 0x80);
  *to++ = static_cast<std::byte>(value);
  return to;
}

}  // namespace

Result<RunWriter> RunWriter::create(const std::filesystem::path& path, std::uint32_t partition) {
  RunWriter writer(FROND_TRY(ScratchWriter::create(path, kFramePayloadBytes)), partition);
  ByteBuffer header;
  ByteWriter out(header);
  out.put(kRunMagic);
  out.put(kRunVersion);
  out.put(partition);
  out.put(std::uint32_t{0});
  FROND_CHECK(header.size() == kRunHeaderBytes);
  FROND_TRY(writer.file_.append(header));
  writer.payload_.reserve(kFramePayloadBytes);
  writer.record_.resize(kFramePayloadBytes);
  return writer;
}

Result<void> RunWriter::add(std::string_view term, std::span<const DocId> docids,
                            std::span<const Frequency> frequencies) {
  FROND_CHECK(docids.size() == frequencies.size() && term.size() <= kMaxRunTermBytes);
  std::size_t next = 0;
  while (next < docids.size()) {
    // A record starts with an absolute docID, so it stands alone; what does not fit goes into the next frame.
    std::size_t head = kMaxRecordHeader + term.size();
    if (kFramePayloadBytes - payload_.size() < head + kMaxPostingBytes) FROND_TRY(end_frame());
    const std::size_t room = kFramePayloadBytes - payload_.size() - head;
    std::byte* to = record_.data();
    const std::byte* const last = record_.data() + room - kMaxPostingBytes;
    const std::size_t first = next;
    std::uint64_t before = 0;
    for (; next < docids.size() && to <= last; ++next) {
      const std::uint64_t gap = docids[next] - before;
      before = docids[next];
      const bool once = frequencies[next] == 1;
      to = put_varint(to, gap << 1 | (once ? 1 : 0));
      if (!once) to = put_varint(to, frequencies[next]);
    }
    const std::size_t shared = shared_prefix(last_term_, term);
    ByteWriter out(payload_);
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
  ByteBuffer header;
  ByteWriter out(header);
  out.put(static_cast<std::uint32_t>(payload_.size()));
  out.put(frame_records_);
  out.put(std::uint64_t{XXH3_64bits(payload_.data(), payload_.size())});
  FROND_TRY(file_.append(header));
  FROND_TRY(file_.append(payload_));
  payload_.clear();
  frame_records_ = 0;
  last_term_.clear();
  return {};
}

Result<RunFile> RunWriter::finish() {
  if (frame_records_ > 0) FROND_TRY(end_frame());
  // The last frame has no records: its payload tells what the whole file holds.
  ByteWriter out(payload_);
  out.put(records_);
  out.put(postings_);
  FROND_TRY(end_frame());
  FROND_TRY(file_.flush());
  return RunFile{file_.path(), partition_, postings_, file_.bytes()};
}

}  // namespace frond::indexer
