#include "indexer/runs/run_cursor.h"

#include <exception>
#include <utility>

namespace frond::indexer::runs {

Result<RunCursor> RunCursor::open(const std::filesystem::path& path, std::uint32_t partition, const DoAhead& ahead) {
  RunCursor cursor(path);
  cursor.reader_ = std::make_shared<RunReader>(FROND_TRY(RunReader::open(path, partition)));
  cursor.ahead_ = ahead;
  if (cursor.ahead_) cursor.begin_batch();
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
    batch_ = coming_.get();
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

// The task keeps the reader if this cursor ends before it.
void RunCursor::begin_batch() {
  const auto promised = std::make_shared<std::promise<Batch>>();
  coming_ = promised->get_future();
  ahead_([promised, reader = reader_] {
    try {
      promised->set_value(read_batch(*reader));
    } catch (const std::exception&) {
      promised->set_exception(std::current_exception());
    }
  });
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
