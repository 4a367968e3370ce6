#include "indexer/pipeline/sequencer.h"

#include <optional>
#include <string>

#include "common/base/check.h"
#include "indexer/pipeline/batch_filler.h"

namespace frond::indexer::pipeline {
namespace {

constexpr std::size_t kKeptBytes = std::size_t{1} << 20;  // for batches with duplicates

}  // namespace

Sequencer::Sequencer(std::vector<runs::SpoolWriter> spools, std::uint64_t max_id_bytes, BadRecordLog& log)
    : spools_(std::move(spools)),
      compressor_(kKeptBytes),
      frames_(spools_.size(), runs::DocumentFrameWriter(kKeptBytes / spools_.size())),
      max_id_bytes_(max_id_bytes),
      log_(log) {}

Result<void> Sequencer::number(Batch& batch) {
  for (std::size_t i = 0; i < batch.parsed.bad.size(); ++i) {
    if (i + 1 == BatchFiller::kMaxDetails) log_.left_out(batch.bad_left_out);
    FROND_TRY(log_.bad(batch.parsed.bad[i]));
  }
  for (const parse::ShortenedDocument& document : batch.parsed.shortened)
    log_.shortened(batch.records[document.record], document.title_cut, document.url_dropped);
  const invert::DocumentNumber first = next_;
  bool duplicates = false;
  batch.numbers.clear();
  for (const parse::ParsedDocument& document : batch.parsed.documents) {
    if (ids_.insert(document.id)) {
      batch.numbers.push_back(next_++);
      tokens_ += document.length;
    } else {
      batch.numbers.push_back(invert::kDropped);
      duplicates = true;
    }
  }
  if (ids_.bytes() > max_id_bytes_)
    return Error(Code::kInvalid, "the ids of " + std::to_string(ids_.size()) + " documents need " +
                                     std::to_string(ids_.bytes() >> 20) + " MiB, and " +
                                     std::to_string(max_id_bytes_ >> 20) +
                                     " MiB of the memory limit are for them; raise --memory-limit");
  if (next_ / spools_.size() >= kNoDoc)
    return Error(Code::kInvalid, "more than 2^32 - 1 documents in a partition; raise --partitions");
  return duplicates ? spool_without_duplicates(batch) : spool(batch, first);
}

Result<void> Sequencer::spool(const Batch& batch, invert::DocumentNumber first) {
  for (std::size_t j = 0; j < batch.parsed.frames.size(); ++j)
    FROND_TRY(spool_of(first + j).append(batch.parsed.frames[j]));
  return {};
}

// The parser dealt the documents as if there were no duplicates; this deals them again.
Result<void> Sequencer::spool_without_duplicates(const Batch& batch) {
  std::vector<std::optional<runs::DocumentFrame>> frames;
  for (const ByteBuffer& bytes : batch.parsed.frames) {
    frames.emplace_back();
    if (bytes.empty()) continue;
    const runs::DocumentFrameHeader header = FROND_TRY(runs::read_frame_header(bytes));
    frames.back() =
        FROND_TRY(runs::DocumentFrame::open(header, ByteView(bytes).subspan(runs::kDocumentFrameHeaderBytes)));
  }
  for (std::size_t i = 0; i < batch.numbers.size(); ++i) {
    const runs::DocumentFrame& frame = *frames[i % frames.size()];
    const partition::StoredDocument& document = frame.documents()[i / frames.size()];
    if (batch.numbers[i] == invert::kDropped)
      log_.duplicate(batch.records[batch.parsed.documents[i].record], document.id);
    else
      frames_[batch.numbers[i] % frames_.size()].add(document, batch.parsed.documents[i].length);
  }
  for (std::size_t p = 0; p < frames_.size(); ++p) FROND_TRY(spools_[p].append(frames_[p].finish(compressor_)));
  return {};
}

Result<void> Sequencer::finish() {
  for (runs::SpoolWriter& spool : spools_) FROND_TRY(spool.finish());
  return {};
}

}  // namespace frond::indexer::pipeline
