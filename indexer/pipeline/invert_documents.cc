#include "indexer/pipeline/invert_documents.h"

#include <time.h>

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "common/base/thread_name.h"
#include "indexer/invert/assignment.h"
#include "indexer/parse/batch_parser.h"
#include "indexer/pipeline/batch_filler.h"
#include "indexer/pipeline/batch_pool.h"
#include "indexer/pipeline/bounded_queue.h"
#include "indexer/pipeline/first_error.h"
#include "indexer/pipeline/inverter_lanes.h"
#include "indexer/pipeline/memory_budget.h"
#include "indexer/pipeline/reorder_buffer.h"
#include "indexer/pipeline/sequencer.h"

namespace frond::indexer::pipeline {
namespace {

double thread_seconds() {
  struct timespec now {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

class Pipeline {
 public:
  Pipeline(const InvertOptions& options, const std::filesystem::path& folder, InvertProgress& progress, Logger& logger,
           std::stop_token stop)
      : options_(options),
        plan_(options.memory),
        folder_(folder),
        progress_(progress),
        error_(stop),
        log_(logger, options.max_bad_records),
        budget_(plan_),
        parse_memory_(plan_.parse),
        pool_(plan_.batches, plan_.batches * plan_.batch_bytes),
        to_parsers_(plan_.parsers),
        lanes_({.cpu = *options.inverter,
                .gpu = options.gpu_inverter,
                .gpu_memory = options.gpu,
                .partitions = options.partitions,
                .warn = [&logger](const std::string& said) { logger.warn(said); },
                .around = options.around_inverter},
               plan_, budget_, folder) {}

  Result<InvertedDocuments> run();

 private:
  Result<void> open();
  Result<void> read();
  void hold_window(std::uint64_t bytes);
  bool admit(Batch& batch);
  Result<void> parse();
  Result<void> sequence();
  InvertedDocuments collect();

  const InvertOptions& options_;
  const MemoryPlan& plan_;
  const std::filesystem::path& folder_;
  InvertProgress& progress_;
  FirstError error_;
  BadRecordLog log_;
  MemoryBudget budget_;
  parse::WorkingMemory parse_memory_;
  BatchPool pool_;
  BoundedQueue<Batch*> to_parsers_;
  ReorderBuffer to_sequencer_;
  InverterLanes lanes_;
  std::unique_ptr<BatchFiller> filler_;
  std::optional<Sequencer> sequencer_;
  std::optional<invert::Assignment> assignment_;
  std::vector<double> parse_seconds_, invert_seconds_;
  double read_seconds_ = 0, sequence_seconds_ = 0;
};

Result<void> Pipeline::open() {
  filler_ = FROND_TRY(BatchFiller::open(options_.inputs, options_.format, options_.read, plan_,
                                        [this](std::uint64_t bytes) { hold_window(bytes); }));
  progress_.stored_total = filler_->reader().stored_bytes_total();
  std::vector<runs::SpoolWriter> spools;
  for (std::uint32_t p = 0; p < options_.partitions; ++p)
    spools.push_back(
        FROND_TRY(runs::SpoolWriter::create(folder_ / ("spool-p" + std::to_string(p)), plan_.spool_bytes)));
  sequencer_.emplace(std::move(spools), plan_.ids, log_);
  parse_seconds_.resize(plan_.parsers);
  invert_seconds_.resize(lanes_.count());
  return {};
}

// Reader thread: a decompressor is about to allocate so much. While a record is alone, it has the memory of all
// windows.
void Pipeline::hold_window(std::uint64_t bytes) {
  if (bytes > 0) pool_.wait_for_alone(error_.token());
  budget_.set_window(bytes);
  if (bytes > 0) lanes_.flush_above(budget_.postings_of_one(), error_.token());
}

// Reader thread. False: stopped.
bool Pipeline::admit(Batch& batch) {
  if (!pool_.admit(batch, error_.token())) return false;
  budget_.set_alone(batch.alone_bytes);
  if (batch.alone_bytes > 0) {
    release_unused_memory();
    lanes_.flush_above(budget_.postings_of_one(), error_.token());
  }
  return to_parsers_.push(&batch, error_.token());
}

Result<void> Pipeline::read() {
  name_this_thread("reader");
  std::uint64_t sequence = 0;
  for (bool more = true; more;) {
    Batch* const batch = pool_.acquire(error_.token());
    if (batch == nullptr) return {};
    more = FROND_TRY(filler_->fill(*batch));
    batch->sequence = sequence;
    progress_.bytes = filler_->reader().bytes_read();
    progress_.stored_bytes = filler_->reader().stored_bytes_read();
    for (std::size_t i = 0; i < ingest::kSkipReasons; ++i) {
      progress_.skipped[i] = filler_->reader().skipped().by_reason()[i].count;
      progress_.skipped_records[i] = filler_->reader().skipped_records().by_reason()[i].count;
    }
    if (!admit(*batch)) return {};
    ++sequence;
  }
  to_parsers_.close();
  to_sequencer_.close(sequence);
  read_seconds_ = thread_seconds();
  return {};
}

Result<void> Pipeline::parse() {
  parse::BatchParser parser(
      options_.analyzer, options_.partitions,
      {ingest::InputLimits::of(plan_.limit).record_bytes, plan_.batch_bytes, plan_.table_bits, &parse_memory_},
      options_.parse);
  while (const std::optional<Batch*> batch = to_parsers_.pop(error_.token())) {
    parser.parse((*batch)->records, (*batch)->parsed, error_.token());
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
    budget_.set_ids(sequencer_->id_bytes());
    if (!assignment_) assignment_.emplace(batch->parsed.tokens.groups, plan_.inverters, plan_.gpu_inverters);
    assignment_->split(batch->parsed.tokens.groups, batch->shares);
    batch->inverters_left = plan_.all_inverters();
    if (!lanes_.push(*batch, error_.token())) return {};
    if (resident_bytes() > plan_.flush_at) lanes_.flush_above(plan_.min_run, error_.token());
  }
  FROND_TRY(sequencer_->finish());
  log_.finish();
  lanes_.close();
  sequence_seconds_ = thread_seconds();
  return {};
}

Result<InvertedDocuments> Pipeline::run() {
  FROND_TRY(open());
  {
    std::vector<std::jthread> threads;
    threads.emplace_back([this] { error_.guard([this] { return read(); }); });
    for (std::uint32_t i = 0; i < plan_.parsers; ++i)
      threads.emplace_back([this, i] {
        name_this_thread(("parser-" + std::to_string(i)).c_str());
        error_.guard([this] { return parse(); });
        parse_seconds_[i] = thread_seconds();
      });
    threads.emplace_back([this] { error_.guard([this] { return sequence(); }); });
    for (std::size_t i = 0; i < lanes_.count(); ++i)
      threads.emplace_back([this, i] {
        name_this_thread(("inverter-" + std::to_string(i)).c_str());
        error_.guard([this, i] { return lanes_.run(i, pool_, error_.token()); });
        invert_seconds_[i] = thread_seconds();
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
  // All postings of a term come from one inverter, whose runs are in the order in which it wrote them.
  for (std::size_t i = 0; i < lanes_.count(); ++i) {
    for (const runs::RunFile& run : lanes_.runs(i)) {
      all.partitions[run.partition].runs.push_back(run.path);
      ++all.runs;
      all.run_bytes += run.bytes;
    }
    all.invert_seconds += invert_seconds_[i];
  }
  all.sample = sequencer_->take_sample();
  all.titles_cut = log_.titles_cut();
  all.urls_dropped = log_.urls_dropped();
  all.input = filler_->reader().input();
  all.files_read = filler_->reader().files_read();
  all.skipped = filler_->reader().skipped();
  all.skipped_records = filler_->reader().skipped_records();
  all.documents = sequencer_->documents();
  all.tokens = sequencer_->tokens();
  all.bytes = filler_->reader().bytes_read();
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

}  // namespace frond::indexer::pipeline
