#include "indexer/pipeline/invert_documents.h"

#include <time.h>

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "common/base/thread_name.h"
#include "indexer/ingest/record_reader.h"
#include "indexer/invert/assignment.h"
#include "indexer/invert/cpu_inverter.h"
#include "indexer/parse/batch_parser.h"
#include "indexer/pipeline/batch_pool.h"
#include "indexer/pipeline/bounded_queue.h"
#include "indexer/pipeline/first_error.h"
#include "indexer/pipeline/sequencer.h"

namespace frond::indexer {
namespace {

double thread_seconds() {
  struct timespec now {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// An inverter with what comes to it and from it.
struct InverterLane {
  std::unique_ptr<Inverter> inverter;
  std::unique_ptr<BoundedQueue<Batch*>> queue;  // null: flush
  std::atomic<std::uint32_t> flushes_ordered = 0, flushes_done = 0;
  std::vector<RunFile> runs;
  double seconds = 0;
};

class Pipeline {
 public:
  Pipeline(const InvertOptions& options, const std::filesystem::path& folder, InvertProgress& progress, Logger& logger,
           std::stop_token stop)
      : options_(options),
        folder_(folder),
        progress_(progress),
        error_(stop),
        log_(logger, options.max_bad_records),
        pool_(options.memory.batches, options.memory.batches * options.memory.batch_bytes),
        to_parsers_(options.parsers) {}

  Result<InvertedDocuments> run();

 private:
  Result<void> open();
  Result<void> read();
  Result<bool> fill(Batch& batch);
  Result<void> parse();
  Result<void> sequence();
  void order_flush_if_needed();
  Result<void> invert(std::size_t lane);
  InvertedDocuments collect();

  const InvertOptions& options_;
  const std::filesystem::path& folder_;
  InvertProgress& progress_;
  FirstError error_;
  BadRecordLog log_;
  BatchPool pool_;
  BoundedQueue<Batch*> to_parsers_;
  ReorderBuffer to_sequencer_;
  std::unique_ptr<RecordReader> reader_;
  std::vector<BadRecord> unreadable_;  // reader thread: since the last batch
  std::optional<Sequencer> sequencer_;
  std::optional<Assignment> assignment_;
  std::vector<std::unique_ptr<InverterLane>> lanes_;
  std::vector<double> parse_seconds_;
  double read_seconds_ = 0, sequence_seconds_ = 0;
};

Result<void> Pipeline::open() {
  reader_ = FROND_TRY(RecordReader::open(
      options_.inputs, options_.format, [this](const BadRecord& bad) { unreadable_.push_back(bad); }, options_.read));
  progress_.stored_total = reader_->stored_bytes_total();
  std::vector<SpoolWriter> spools;
  for (std::uint32_t p = 0; p < options_.partitions; ++p)
    spools.push_back(FROND_TRY(SpoolWriter::create(folder_ / ("spool-p" + std::to_string(p)))));
  sequencer_.emplace(std::move(spools), options_.memory.ids, log_);
  for (std::uint32_t i = 0; i < options_.cpu_inverters; ++i) {
    auto& lane = *lanes_.emplace_back(std::make_unique<InverterLane>());
    lane.inverter = std::make_unique<CpuInverter>(folder_, "cpu" + std::to_string(i), options_.partitions);
    lane.queue = std::make_unique<BoundedQueue<Batch*>>(options_.memory.batches + 1);
  }
  parse_seconds_.resize(options_.parsers);
  return {};
}

// False: there are no more records (the batch may have some).
Result<bool> Pipeline::fill(Batch& batch) {
  while (batch.record_bytes < options_.memory.batch_bytes && batch.records.size() < kMaxBatchDocuments) {
    std::optional<RawRecord> record = FROND_TRY(reader_->next());
    if (!record) return false;
    batch.record_bytes += record->bytes.size() + sizeof(RawRecord);
    batch.records.push_back(std::move(*record));
  }
  return true;
}

Result<void> Pipeline::read() {
  name_this_thread("reader");
  std::uint64_t sequence = 0;
  for (bool more = true; more;) {
    Batch* const batch = pool_.acquire(error_.token());
    if (batch == nullptr) return {};
    more = FROND_TRY(fill(*batch));
    batch->sequence = sequence;
    batch->parsed.bad = std::exchange(unreadable_, {});
    progress_.bytes = reader_->bytes_read();
    progress_.stored_bytes = reader_->stored_bytes_read();
    for (std::size_t i = 0; i < kSkipReasons; ++i) progress_.skipped[i] = reader_->skipped().by_reason()[i].count;
    if (!pool_.admit(*batch, error_.token()) || !to_parsers_.push(batch, error_.token())) return {};
    ++sequence;
  }
  to_parsers_.close();
  to_sequencer_.close(sequence);
  read_seconds_ = thread_seconds();
  return {};
}

Result<void> Pipeline::parse() {
  BatchParser parser(options_.analyzer, options_.partitions, ParseLimits{}, options_.parse);
  while (const std::optional<Batch*> batch = to_parsers_.pop(error_.token())) {
    parser.parse((*batch)->records, (*batch)->parsed);
    to_sequencer_.put(**batch);
  }
  return {};
}

Result<void> Pipeline::sequence() {
  name_this_thread("sequencer");
  while (Batch* const batch = to_sequencer_.next(error_.token())) {
    FROND_TRY(sequencer_->number(*batch));
    progress_.documents = sequencer_->documents();
    progress_.bad_records = log_.bad_records();
    progress_.duplicates = log_.duplicates();
    if (!assignment_) assignment_.emplace(batch->parsed.tokens.groups, options_.cpu_inverters);
    assignment_->split(batch->parsed.tokens.groups, batch->shares);
    batch->inverters_left = options_.cpu_inverters;
    for (const auto& lane : lanes_)
      if (!lane->queue->push(batch, error_.token())) return {};
    order_flush_if_needed();
  }
  FROND_TRY(sequencer_->finish());
  log_.finish();
  for (const auto& lane : lanes_) lane->queue->close();
  sequence_seconds_ = thread_seconds();
  return {};
}

void Pipeline::order_flush_if_needed() {
  std::uint64_t postings = 0;
  for (const auto& lane : lanes_) {
    if (lane->flushes_done != lane->flushes_ordered) return;  // one at a time
    postings += lane->inverter->memory_bytes();
  }
  const MemoryPlan& plan = options_.memory;
  if (postings < plan.least_run) return;
  if (postings + sequencer_->id_bytes() < plan.postings && resident_bytes() < plan.flush_at) return;
  for (const auto& lane : lanes_) {
    ++lane->flushes_ordered;
    lane->queue->push(nullptr, error_.token());
  }
}

Result<void> Pipeline::invert(std::size_t number) {
  InverterLane& lane = *lanes_[number];
  const auto flush = [&]() -> Result<void> {
    for (RunFile& run : FROND_TRY(lane.inverter->flush())) lane.runs.push_back(std::move(run));
    return {};
  };
  while (const std::optional<Batch*> item = lane.queue->pop(error_.token())) {
    Batch* const batch = *item;
    if (batch == nullptr) {
      FROND_TRY(flush());
      release_unused_memory();
      ++lane.flushes_done;
      continue;
    }
    FROND_TRY(lane.inverter->invert(batch->parsed.tokens, batch->shares[number], batch->numbers));
    if (--batch->inverters_left == 0) pool_.release(*batch);
  }
  if (error_.token().stop_requested()) return {};
  return flush();
}

Result<InvertedDocuments> Pipeline::run() {
  FROND_TRY(open());
  {
    std::vector<std::jthread> threads;
    threads.emplace_back([this] { error_.guard([this] { return read(); }); });
    for (std::uint32_t i = 0; i < options_.parsers; ++i)
      threads.emplace_back([this, i] {
        name_this_thread(("parser-" + std::to_string(i)).c_str());
        error_.guard([this] { return parse(); });
        parse_seconds_[i] = thread_seconds();
      });
    threads.emplace_back([this] { error_.guard([this] { return sequence(); }); });
    for (std::size_t i = 0; i < lanes_.size(); ++i)
      threads.emplace_back([this, i] {
        name_this_thread(("inverter-" + std::to_string(i)).c_str());
        error_.guard([this, i] { return invert(i); });
        lanes_[i]->seconds = thread_seconds();
      });
  }
  FROND_TRY(error_.result());
  return collect();
}

InvertedDocuments Pipeline::collect() {
  InvertedDocuments all;
  all.partitions.resize(options_.partitions);
  for (std::uint32_t p = 0; p < options_.partitions; ++p)
    all.partitions[p].spool = folder_ / ("spool-p" + std::to_string(p));
  // A term's postings are all of one inverter, whose runs come in the order in which it made them.
  for (const auto& lane : lanes_) {
    for (const RunFile& run : lane->runs) {
      all.partitions[run.partition].runs.push_back(run.path);
      ++all.runs;
      all.run_bytes += run.bytes;
    }
    all.invert_seconds += lane->seconds;
  }
  all.input = reader_->input();
  all.files_read = reader_->files_read();
  all.skipped = reader_->skipped();
  all.titles_cut = log_.titles_cut();
  all.urls_dropped = log_.urls_dropped();
  all.documents = sequencer_->documents();
  all.tokens = sequencer_->tokens();
  all.bytes = reader_->bytes_read();
  all.bad_records = log_.bad_records();
  all.duplicates = log_.duplicates();
  all.last_bad = log_.last_bad();
  for (const double seconds : parse_seconds_) all.parse_seconds += seconds;
  all.read_seconds = read_seconds_;
  all.sequence_seconds = sequence_seconds_;
  return all;
}

}  // namespace

Result<InvertedDocuments> invert_documents(const InvertOptions& options, const std::filesystem::path& folder,
                                           InvertProgress& progress, Logger& logger, std::stop_token stop) {
  return Pipeline(options, folder, progress, logger, stop).run();
}

}  // namespace frond::indexer
