#include "indexer/pipeline/batch_filler.h"

#include <algorithm>
#include <utility>

#include "indexer/ingest/records/parse_record.h"

namespace frond::indexer::pipeline {
namespace {

// What a record takes beside its bytes: the allocator's overhead, and its copy of the file's name.
std::uint64_t bytes_of(const ingest::RawRecord& record) {
  constexpr std::uint64_t kAllocated = 64;
  return sizeof record + kAllocated + record.file.size() + record.name.size() + record.bytes.size();
}

// Of lines that are read together, none is too expensive to be parsed beside others: the parsers' memory is enough for
// the worst of so many bytes (parse_record.h: JSON of the shortest values takes 45 bytes a byte).
ingest::LinesAtOnce lines_at_once(const MemoryPlan& plan) {
  constexpr std::uint64_t kWorstCost = 64;
  return {static_cast<std::size_t>(std::min(plan.batch_bytes / 2, plan.parse / (2 * kWorstCost))),
          static_cast<std::uint32_t>(parse::kMaxBatchDocuments)};
}

std::size_t documents_of(const ingest::RawRecord& record) { return std::max<std::uint32_t>(record.lines, 1); }

}  // namespace

Result<std::unique_ptr<BatchFiller>> BatchFiller::open(std::vector<std::filesystem::path> inputs,
                                                       const ingest::SourceFormat* format, ingest::ReadOptions options,
                                                       const MemoryPlan& plan, std::uint64_t checkpoint_bytes,
                                                       std::function<void(std::uint64_t)> on_window) {
  std::unique_ptr<BatchFiller> filler(new BatchFiller(plan, checkpoint_bytes));
  options.limits = ingest::InputLimits::of(plan.limit);
  options.limits.threads = plan.parsers;
  options.limits.on_window = std::move(on_window);
  options.lines = lines_at_once(plan);
  filler->reader_ = FROND_TRY(ingest::RecordReader::open(
      std::move(inputs), format, [to = filler.get()](const ingest::BadRecord& bad) { to->note_bad(bad); },
      std::move(options)));
  filler->next_mark_ = filler->reader_->bytes_read() + checkpoint_bytes;
  return filler;
}

void BatchFiller::note_bad(const ingest::BadRecord& bad) {
  if (bad_.size() < kMaxDetails) {
    bad_.push_back(bad);
  } else {
    bad_.back() = bad;
    ++bad_left_out_;
  }
}

// Whether the record fits into the memory limit. Sets parse_bytes and tree_bytes; of many lines, the parser does.
bool BatchFiller::fits(ingest::RawRecord& record) {
  if (record.lines > 0) return true;
  ingest::ParseCost cost = ingest::parse_cost(record);
  if (plan_.text_batch > 0) cost.bytes += ingest::form_cost(record.text());
  const std::uint64_t min_bytes = cost.bytes - cost.tree_bytes;
  const std::uint64_t max_bytes = plan_.alone - std::min(plan_.alone, reader_->window_bytes());
  if (min_bytes > max_bytes) {
    note_bad(
        ingest::bad_record(record, Error(Code::kInvalid, "takes up to " + ingest::in_mebibytes(min_bytes) +
                                                             " of memory to parse, more than --memory-limit allows (" +
                                                             ingest::in_mebibytes(max_bytes) + ")")));
    return false;
  }
  // Most pages take much less than the estimate, so a page gets what there is.
  record.tree_bytes = std::min(cost.tree_bytes, max_bytes - min_bytes);
  record.parse_bytes = min_bytes + record.tree_bytes;
  return true;
}

// Reads the next record into next_. False: there is none.
Result<bool> BatchFiller::next_record() {
  while (!next_) {
    next_ = FROND_TRY(reader_->next());
    if (!next_) return false;
    if (!fits(*next_)) next_.reset();
  }
  return true;
}

void BatchFiller::take(Batch& batch) {
  batch.record_bytes += bytes_of(*next_);
  batch.records.push_back(std::move(*next_));
  next_.reset();
}

// Gives the batch the reader's position, if one is due and all that was read is in this batch or in earlier ones.
void BatchFiller::mark(Batch& batch) {
  if (checkpoint_bytes_ == 0 || next_ || !reader_->between_records() || reader_->bytes_read() < next_mark_) return;
  batch.position = std::make_unique<ingest::ReadPosition>(reader_->position());
  next_mark_ = reader_->bytes_read() + checkpoint_bytes_;
}

Result<bool> BatchFiller::fill(Batch& batch) {
  bool more = true;
  for (std::size_t documents = 0; batch.record_bytes < plan_.batch_bytes;) {
    if (!next_ && !batch.line_memory.empty()) {
      reader_->lend(std::move(batch.line_memory.back()));
      batch.line_memory.pop_back();
    }
    more = FROND_TRY(next_record());
    if (!more) break;
    documents += documents_of(*next_);
    const bool alone = next_->parse_bytes > plan_.parse;
    if (!batch.records.empty() && (alone || documents > parse::kMaxBatchDocuments)) break;
    if (alone) batch.alone_bytes = next_->parse_bytes;
    take(batch);
    if (alone) break;
  }
  batch.parsed.bad = std::exchange(bad_, {});
  batch.bad_left_out = std::exchange(bad_left_out_, 0);
  if (more) mark(batch);
  return more;
}

}  // namespace frond::indexer::pipeline
