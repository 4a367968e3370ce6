#include "indexer/pipeline/invert_documents.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "common/base/threads/thread_name.h"
#include "indexer/pipeline/stages.h"

namespace frond::indexer::pipeline {
namespace {
constexpr int kParsersYield = 10;  // nice
}  // namespace

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
    ThreadGroup threads(error_);
    threads.begin("reader", [this] { return read(); });
    for (std::uint32_t i = 0; i < plan_.parsers; ++i)
      threads.begin("parser-" + std::to_string(i), [this, i] {
        auto done = parse();
        parse_seconds_[i] = thread_seconds();
        return done;
      });
    threads.begin("sequencer", [this] { return sequence(); });
    for (std::size_t i = 0; i < lanes_.count(); ++i)
      threads.begin("inverter-" + std::to_string(i), [this, i] {
        auto done = lanes_.run(i, pool_, error_.token());
        invert_seconds_[i] = thread_seconds();
        return done;
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
  all.spool_seconds = spools_->seconds();
  all.read_seconds = read_seconds_;
  all.sequence_seconds = sequence_seconds_;
  return all;
}

Result<InvertedDocuments> invert_documents(const InvertOptions& options, const std::filesystem::path& folder,
                                           InvertProgress& progress, Logger& logger, std::stop_token stop) {
  return Pipeline(options, folder, progress, logger, stop).run();
}

}  // namespace frond::indexer::pipeline
