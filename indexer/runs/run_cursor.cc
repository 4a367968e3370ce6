#include "indexer/runs/run_cursor.h"

#include <utility>

namespace frond::indexer::runs {

Result<RunCursor> RunCursor::open(const std::filesystem::path& path, std::uint32_t partition, TaskPool* ahead) {
  RunCursor cursor(path);
  cursor.reader_ = std::make_unique<RunReader>(FROND_TRY(RunReader::open(path, partition)));
  if (ahead != nullptr) {
    cursor.ahead_ = std::make_unique<OrderedTasks<Batch>>(*ahead, 1);
    cursor.begin_batch();
  }
  return cursor;
}

Result<bool> RunCursor::next_of_reader() {
  if (!FROND_TRY(reader_->next())) return false;
  term_ = reader_->term();
  docids_ = reader_->docids();
  frequencies_ = reader_->frequencies();
  return true;
}

Result<bool> RunCursor::next_of_batch() {
  while (at_ == batch_.records.size()) {
    if (batch_.error) return *batch_.error;
    if (batch_.last) return false;
    batch_ = FROND_TRY(ahead_->take());
    at_ = 0;
    if (!batch_.last && !batch_.error) begin_batch();
  }
  const Batch::Record begin = at_ == 0 ? Batch::Record{0, 0} : batch_.records[at_ - 1];
  const Batch::Record end = batch_.records[at_++];
  term_ = std::string_view(batch_.terms).substr(begin.term_end, end.term_end - begin.term_end);
  const std::size_t count = end.posting_end - begin.posting_end;
  docids_ = std::span(batch_.docids).subspan(begin.posting_end, count);
  frequencies_ = std::span(batch_.frequencies).subspan(begin.posting_end, count);
  return true;
}

void RunCursor::begin_batch() {
  ahead_->begin(1, [reader = reader_.get()](std::size_t) -> Result<Batch> { return read_batch(*reader); });
}

RunCursor::Batch RunCursor::read_batch(RunReader& reader) {
  Batch batch;
  batch.docids.reserve(kBatchPostings);
  batch.frequencies.reserve(kBatchPostings);
  while (batch.docids.size() < kBatchPostings && batch.records.size() < kBatchRecords &&
         batch.terms.size() < kBatchTermBytes) {
    auto more = reader.next();
    if (!more) batch.error = std::move(more).error();
    batch.last = more.has_value() && !*more;
    if (batch.error || batch.last) break;
    batch.terms.append(reader.term());
    batch.docids.insert(batch.docids.end(), reader.docids().begin(), reader.docids().end());
    batch.frequencies.insert(batch.frequencies.end(), reader.frequencies().begin(), reader.frequencies().end());
    batch.records.push_back(
        {static_cast<std::uint32_t>(batch.terms.size()), static_cast<std::uint32_t>(batch.docids.size())});
  }
  return batch;
}

}  // namespace frond::indexer::runs
