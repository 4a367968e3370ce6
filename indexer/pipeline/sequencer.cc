#include "indexer/pipeline/sequencer.h"

#include <string>
#include <vector>

#include "common/base/check.h"
#include "indexer/pipeline/batch_filler.h"

namespace frond::indexer::pipeline {
namespace {

constexpr std::size_t kKeptBytes = std::size_t{1} << 20;  // for batches with duplicates

// Calls visit(i, fields) for the stored fields of each document of the batch.
template <class Visit>
void for_each_fields(const Batch& batch, Visit&& visit) {
  const std::vector<ByteBuffer>& frames = batch.parsed.frames;
  std::vector<std::size_t> at(frames.size(), runs::kDocumentFrameHeaderBytes);
  for (std::size_t i = 0; i < batch.parsed.documents.size(); ++i) {
    const std::size_t j = i % frames.size(), bytes = batch.parsed.documents[i].field_bytes;
    visit(i, ByteView(frames[j]).subspan(at[j], bytes));
    at[j] += bytes;
  }
}

}  // namespace

Sequencer::Sequencer(Files files, Seen seen, std::uint64_t max_id_bytes, BadRecordLog& log)
    : spools_(std::move(files.spools)),
      frames_(spools_.size(), runs::DocumentFrameWriter(kKeptBytes / spools_.size())),
      sample_(std::move(seen.sample)),
      ids_(std::move(seen.ids)),
      id_log_(std::move(files.ids)),
      max_id_bytes_(max_id_bytes),
      log_(log),
      next_(seen.documents),
      tokens_(seen.tokens) {}

Result<void> Sequencer::number(Batch& batch) {
  for (std::size_t i = 0; i < batch.parsed.bad.size(); ++i) {
    if (i + 1 == BatchFiller::kMaxDetails) log_.left_out(batch.bad_left_out);
    FROND_TRY(log_.bad(batch.parsed.bad[i]));
  }
  for (const parse::ShortenedDocument& document : batch.parsed.shortened)
    log_.shortened(ingest::place_of(batch.records[document.record], document.line), document.title_cut,
                   document.url_dropped);
  const invert::DocumentNumber first = next_;
  bool duplicates = false;
  batch.numbers.clear();
  for (const parse::ParsedDocument& document : batch.parsed.documents) {
    if (ids_.insert(document.id)) {
      batch.numbers.push_back(next_++);
      tokens_ += document.length;
      if (id_log_) FROND_TRY(id_log_->add(document.id));
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
  take_samples(batch);
  return duplicates ? spool_without_duplicates(batch) : spool(batch, first);
}

Result<void> Sequencer::spool(const Batch& batch, invert::DocumentNumber first) {
  for (std::size_t j = 0; j < batch.parsed.frames.size(); ++j)
    FROND_TRY(spool_of(first + j).append(batch.parsed.frames[j]));
  return {};
}

// The parser dealt the documents as if there were no duplicates; this deals them again.
Result<void> Sequencer::spool_without_duplicates(const Batch& batch) {
  for_each_fields(batch, [&](std::size_t i, ByteView fields) {
    const parse::ParsedDocument& document = batch.parsed.documents[i];
    if (batch.numbers[i] != invert::kDropped) {
      frames_[batch.numbers[i] % frames_.size()].add_fields(fields, document.length, document.prior);
      return;
    }
    ByteReader in(fields);
    log_.duplicate(ingest::place_of(batch.records[document.record], document.line), runs::read_fields(in).id);
  });
  ByteBuffer frame;
  for (std::size_t p = 0; p < frames_.size(); ++p) {
    frames_[p].finish(frame);
    FROND_TRY(spools_[p].append(frame));
  }
  return {};
}

void Sequencer::take_samples(const Batch& batch) {
  for_each_fields(batch, [&](std::size_t i, ByteView fields) {
    if (batch.numbers[i] != invert::kDropped) sample_.add(batch.numbers[i], fields);
  });
}

Result<void> Sequencer::flush() {
  for (runs::SpoolWriter& spool : spools_) FROND_TRY(spool.finish());
  if (id_log_) FROND_TRY(id_log_->flush());
  return {};
}

}  // namespace frond::indexer::pipeline
