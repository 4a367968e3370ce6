#include "indexer/pipeline/invert_documents.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "common/base/bounded_queue.h"
#include "common/base/check.h"
#include "common/base/parallel.h"
#include "common/base/thread_name.h"
#include "indexer/ingest/files/input_list.h"
#include "indexer/invert/assignment.h"
#include "indexer/parse/batch_parser.h"
#include "indexer/parse/large_pages.h"
#include "indexer/pipeline/batch.h"
#include "indexer/pipeline/batch_filler.h"
#include "indexer/pipeline/inverter_lanes.h"
#include "indexer/pipeline/memory.h"
#include "indexer/pipeline/sequencer.h"
#include "indexer/pipeline/spools.h"

namespace frond::indexer::pipeline {
namespace {

constexpr int kParsersYield = 10;  // nice

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
        texts_kept_(2 * plan_.text_batch),
        pool_(plan_.batches, plan_.batches * plan_.batch_bytes),
        to_parsers_(plan_.parsers),
        to_sequencer_(plan_.batches),
        parsing_(plan_.parsers),
        session_(session_of(options.checkpoints)),
        lanes_({.cpu = *options.inverter,
                .gpu = options.gpu_inverter,
                .gpu_memory = options.gpu,
                .partitions = options.partitions,
                .run_prefix = session_,
                .warn = [&logger](const std::string& said) { logger.warn(said); },
                .around = options.around_inverter,
                .texts = options.text_inverter,
                .analyzer = options.analyzer,
                .lengths = lengths_,
                .spares = wants_spares(options),
                .may_lose_postings = options.may_lose_postings},
               plan_, budget_, folder) {}

  Result<InvertedDocuments> run();

 private:
  // A spare inverter of texts takes half of the device's memory, and is of use only if runs are written: at
  // checkpoints, or where postings do not fit, which take about a byte for each byte of text.
  static bool wants_spares(const InvertOptions& options) {
    const std::uint64_t every = options.checkpoints.every;
    if (every == 0 || options.memory.text_batch == 0 || options.checkpoints.from != nullptr) return every > 0;
    return ingest::may_exceed(options.inputs, options.read.hidden, std::min(every, options.gpu.bytes / 4 * 3));
  }
  static std::string session_of(const CheckpointOptions& checkpoints) {
    return checkpoints.session == 0 ? std::string() : "s" + std::to_string(checkpoints.session) + "-";
  }
  std::filesystem::path spool_path(std::uint32_t partition) const {
    return folder_ / ("spool-p" + std::to_string(partition));
  }
  Result<void> open();
  Result<void> open_spools();
  Result<std::optional<IdLog>> open_ids(IdSet& seen);
  Result<void> open_lengths(std::uint64_t documents);
  Result<void> read();
  void hold_window(std::uint64_t bytes);
  bool admit(Batch& batch);
  Result<void> parse();
  Result<void> sequence();
  Result<bool> finish_checkpoint();
  Result<bool> begin_checkpoint(ingest::ReadPosition position);
  Result<void> end_checkpoint();
  std::uint64_t may_keep();
  void add_runs(std::vector<runs::RunFile> runs);
  void split(Batch& batch);
  Batch* next_parsed();
  InvertedDocuments counted(std::uint64_t text_tokens) const;
  InvertedDocuments collect();

  const InvertOptions& options_;
  const MemoryPlan& plan_;
  const std::filesystem::path& folder_;
  InvertProgress& progress_;
  FirstError error_;
  BadRecordLog log_;
  MemoryBudget budget_;
  parse::WorkingMemory parse_memory_;
  const parse::LargePagesKept texts_kept_;
  BatchPool pool_;
  BoundedQueue<Batch*> to_parsers_;
  BoundedQueue<Batch*> to_sequencer_;
  std::atomic<std::uint32_t> parsing_;           // parsers that have not ended
  std::map<std::uint64_t, Batch*> out_of_turn_;  // of the sequencer: parsed before the one that comes next
  std::uint64_t next_sequence_ = 0;              // the number of that
  const std::string session_;
  std::vector<runs::LengthsWriter> lengths_;  // by partition, with an inverter of texts
  InverterLanes lanes_;
  std::unique_ptr<BatchFiller> filler_;
  std::optional<Sequencer> sequencer_;
  std::optional<Spools> spools_;
  std::optional<invert::Assignment> assignment_;
  // A checkpoint whose runs are being written, and the order to write them.
  struct OpenCheckpoint {
    Checkpoint made;
    std::uint64_t order = 0;
  };
  std::optional<OpenCheckpoint> checkpoint_;
  InvertedDocuments made_;  // its runs are those of checkpoints, or all when the threads have ended
  std::vector<double> parse_seconds_, invert_seconds_;
  double read_seconds_ = 0, sequence_seconds_ = 0;
};

// Of a killed build: cuts off what it wrote behind its last checkpoint.
Result<void> Pipeline::open_spools() {
  std::vector<runs::SpoolWriter> writers;
  for (const InvertedDocuments::Part& part : made_.partitions)
    writers.push_back(FROND_TRY(options_.checkpoints.from != nullptr
                                    ? runs::SpoolWriter::append_to(part.spool, part.spool_bytes, plan_.spool_bytes)
                                    : runs::SpoolWriter::create(part.spool, plan_.spool_bytes)));
  spools_.emplace(std::move(writers), plan_.spoolers, pool_, error_);
  return {};
}

// The same. Adds the ids that it logged to `seen`.
Result<std::optional<IdLog>> Pipeline::open_ids(IdSet& seen) {
  const Checkpoint* const from = options_.checkpoints.from;
  if (options_.checkpoints.every == 0) return std::optional<IdLog>();
  const std::filesystem::path path = folder_ / kIdsName;
  if (from == nullptr) return std::optional<IdLog>(FROND_TRY(IdLog::create(path)));
  return std::optional<IdLog>(FROND_TRY(IdLog::append_to(path, from->so_far.documents, from->ids_xxh3, seen)));
}

// documents: that a killed build had inverted.
Result<void> Pipeline::open_lengths(std::uint64_t documents) {
  for (std::uint32_t p = 0; p < options_.partitions && plan_.text_batch > 0; ++p) {
    const std::uint64_t of_partition = (documents + options_.partitions - 1 - p) / options_.partitions;
    lengths_.push_back(
        FROND_TRY(options_.checkpoints.from != nullptr
                      ? runs::LengthsWriter::append_to(made_.partitions[p].spool, of_partition, plan_.lengths_bytes)
                      : runs::LengthsWriter::create(made_.partitions[p].spool, plan_.lengths_bytes)));
  }
  return {};
}

Result<void> Pipeline::open() {
  const Checkpoint* const from = options_.checkpoints.from;
  ingest::ReadOptions read = options_.read;
  read.from = from != nullptr ? &from->position : nullptr;
  read.stop = error_.token();
  Sequencer::Seen seen;
  if (from != nullptr) {
    FROND_CHECK(from->so_far.partitions.size() == options_.partitions && options_.checkpoints.every > 0);
    made_.partitions = from->so_far.partitions;
    made_.runs = from->so_far.runs;
    made_.run_bytes = from->so_far.run_bytes;
    made_.resumed_documents = from->so_far.documents;
    seen.documents = from->so_far.documents;
    seen.tokens = from->so_far.tokens;
    seen.sample = from->so_far.sample;
    log_.go_on_from(from->so_far);
  } else {
    made_.partitions.resize(options_.partitions);
    for (std::uint32_t p = 0; p < options_.partitions; ++p) made_.partitions[p].spool = spool_path(p);
  }
  FROND_TRY(open_spools());
  std::optional<IdLog> ids = FROND_TRY(open_ids(seen.ids));
  budget_.set_ids(seen.ids.bytes());
  FROND_TRY(open_lengths(from != nullptr ? from->so_far.documents : 0));
  filler_ = FROND_TRY(BatchFiller::open(options_.inputs, options_.format, read, plan_, options_.checkpoints.every,
                                        [this](std::uint64_t bytes) { hold_window(bytes); }));
  progress_.stored_total = filler_->reader().stored_bytes_total();
  sequencer_.emplace(options_.partitions, std::move(ids), std::move(seen), plan_.ids, log_);
  parse_seconds_.resize(plan_.parsers);
  invert_seconds_.resize(lanes_.count());
  progress_.reading = true;
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
  read_seconds_ = thread_seconds();
  return {};
}

Result<void> Pipeline::parse() {
  // Who answers a device goes first: it waits, and all parsers in the end wait for it.
  if (plan_.text_batch > 0) yield_to_others(kParsersYield);
  parse::BatchParser parser(
      options_.analyzer, options_.partitions,
      {ingest::InputLimits::of(plan_.limit).record_bytes, plan_.batch_bytes, plan_.table_bits, &parse_memory_},
      options_.parse, plan_.text_batch > 0 ? parse::TextUse::kCopy : parse::TextUse::kTokens);
  while (const std::optional<Batch*> batch = to_parsers_.pop(error_.token())) {
    parser.parse((*batch)->records, (*batch)->parsed, error_.token());
    if (error_.token().stop_requested()) return {};  // records may be missing, which no checkpoint must leave out
    (void)to_sequencer_.push(*batch, error_.token());
  }
  if (--parsing_ == 0) to_sequencer_.close();
  return {};
}

// Sequencer thread: waits until the files of the open checkpoint, if there is one, are written, and ends it. False:
// stopped.
Result<bool> Pipeline::finish_checkpoint() {
  if (!checkpoint_) return true;
  if (!lanes_.wait_for_flush(checkpoint_->order, error_.token()) || !spools_->wait_for_flush()) return false;
  FROND_TRY(end_checkpoint());
  return true;
}

// Sequencer thread: has all that came before the position brought to files. Runs and spools are written while the
// pipeline goes on; end_checkpoint() comes when they are. False: stopped.
Result<bool> Pipeline::begin_checkpoint(ingest::ReadPosition position) {
  if (!FROND_TRY(finish_checkpoint())) return false;
  const std::uint64_t order = lanes_.order_flush(error_.token());
  if (order == 0) return false;
  spools_->order_flush();
  FROND_TRY(sequencer_->flush());
  checkpoint_ = {Checkpoint{std::move(position), counted(0), sequencer_->ids_xxh3()}, order};
  InvertedDocuments& so_far = checkpoint_->made.so_far;
  so_far.files_read = checkpoint_->made.position.files_read;
  so_far.skipped = checkpoint_->made.position.skipped;
  so_far.skipped_records = checkpoint_->made.position.skipped_records;
  so_far.bytes = checkpoint_->made.position.bytes();
  return true;
}

// Sequencer thread: the runs and spools of the checkpoint are written.
Result<void> Pipeline::end_checkpoint() {
  Checkpoint made = std::move(checkpoint_->made);
  add_runs(lanes_.take_runs(checkpoint_->order));
  for (std::uint32_t p = 0; p < options_.partitions; ++p) {
    made.so_far.partitions[p].runs = made_.partitions[p].runs;
    made.so_far.partitions[p].spool_bytes = spools_->flushed_bytes(p);
  }
  made.so_far.runs = made_.runs;
  made.so_far.run_bytes = made_.run_bytes;
  made.so_far.tokens += lanes_.text_tokens_before(checkpoint_->order);
  checkpoint_.reset();
  return options_.checkpoints.save(std::move(made));
}

// Runs that were taken together; what was added before them has lower docIDs.
void Pipeline::add_runs(std::vector<runs::RunFile> runs) {
  for (runs::RunFile& run : runs) {
    made_.partitions[run.partition].runs.push_back(std::move(run.path));
    ++made_.runs;
    made_.run_bytes += run.bytes;
  }
}

void Pipeline::split(Batch& batch) {
  if (!assignment_) assignment_.emplace(batch.parsed.tokens.groups, plan_.inverters, plan_.gpu_inverters);
  assignment_->split(batch.parsed.tokens.groups, batch.shares);
}

// Sequencer thread, at the end: how much of the postings may stay in memory. The end of a stage that is recorded, since
// the input was as long as what may be lost, needs them on the disk.
std::uint64_t Pipeline::may_keep() {
  const bool is_recorded =
      made_.runs > 0 || (options_.checkpoints.every > 0 && progress_.bytes >= options_.checkpoints.every);
  if (options_.unspilled == nullptr || is_recorded || lanes_.has_runs()) return 0;
  if (plan_.text_batch == 0 && lanes_.memory_bytes() > plan_.unspilled) return 0;
  const WritePlan plan =
      plan_writing_at_once(plan_.limit, options_.partitions, 1, plan_.unspilled, sequencer_->documents());
  return plan.fits ? plan_.unspilled : 0;
}

// Sequencer thread: the next batch in input order; null: after the last one, or stopped. Spools get several batches at
// once as long as there is nothing to wait for.
Batch* Pipeline::next_parsed() {
  while (!out_of_turn_.contains(next_sequence_)) {
    std::optional<Batch*> parsed = to_sequencer_.try_pop();
    if (!parsed) {
      spools_->hand_over();
      parsed = to_sequencer_.pop(error_.token());
    }
    if (!parsed) return nullptr;
    out_of_turn_.emplace((*parsed)->sequence, *parsed);
  }
  return out_of_turn_.extract(next_sequence_++).mapped();
}

Result<void> Pipeline::sequence() {
  name_this_thread("sequencer");
  while (Batch* const batch = next_parsed()) {
    FROND_TRY(sequencer_->number(*batch));
    progress_.documents = sequencer_->documents();
    progress_.bad_records = log_.counts().bad_records;
    progress_.duplicates = log_.counts().duplicates;
    budget_.set_ids(sequencer_->id_bytes());
    const std::unique_ptr<ingest::ReadPosition> position = std::move(batch->position);
    if (plan_.text_batch == 0) split(*batch);
    batch->readers_left = plan_.all_inverters() + spools_->count();
    spools_->push(*batch);
    if (!lanes_.push(*batch, error_.token())) return {};
    if (resident_bytes() > plan_.flush_at) lanes_.flush_above(plan_.min_run, error_.token());
    if (position && !FROND_TRY(begin_checkpoint(std::move(*position)))) return {};
    if (checkpoint_ && lanes_.has_flushed(checkpoint_->order) && spools_->has_flushed()) FROND_TRY(end_checkpoint());
  }
  if (!FROND_TRY(finish_checkpoint())) return {};
  spools_->order_flush();
  FROND_TRY(sequencer_->flush());
  log_.finish();
  lanes_.close(may_keep());
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
  (void)spools_->wait_for_flush();  // where it is not stopped by an error
  FROND_TRY(error_.result());
  for (runs::LengthsWriter& lengths : lengths_) FROND_TRY(lengths.flush());
  if (options_.unspilled != nullptr) {
    options_.unspilled->bytes = lanes_.unspilled_bytes();
    options_.unspilled->in_memory = FROND_TRY(lanes_.take_in_memory());
    options_.unspilled->on_device = lanes_.take_slices();
  }
  return collect();
}

// What the sequencer's thread knows. All of it is in files, but for what is being written to runs and spools.
InvertedDocuments Pipeline::counted(std::uint64_t text_tokens) const {
  InvertedDocuments all = made_;
  static_cast<RefusedRecords&>(all) = log_.counts();
  all.sample = sequencer_->sample();
  all.documents = sequencer_->documents();
  all.tokens = sequencer_->tokens() + text_tokens;
  return all;
}

InvertedDocuments Pipeline::collect() {
  add_runs(lanes_.take_runs());
  InvertedDocuments all = counted(lanes_.text_tokens());
  for (std::uint32_t p = 0; p < options_.partitions; ++p) all.partitions[p].spool_bytes = spools_->flushed_bytes(p);
  all.input = filler_->reader().input();
  all.files_read = filler_->reader().files_read();
  all.skipped = filler_->reader().skipped();
  all.skipped_records = filler_->reader().skipped_records();
  all.bytes = filler_->reader().bytes_read();
  for (const double seconds : parse_seconds_) all.parse_seconds += seconds;
  for (const double seconds : invert_seconds_) all.invert_seconds += seconds;
  all.invert_seconds += lanes_.flush_seconds();
  all.spool_seconds = spools_->seconds();
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
