// Checkpoints: what is in files when a killed build goes on.
#include <utility>

#include "indexer/pipeline/stages.h"

namespace frond::indexer::pipeline {

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

// What the sequencer's thread knows. All of it is in files, but for what is being written to runs and spools.
InvertedDocuments Pipeline::counted(std::uint64_t text_tokens) const {
  InvertedDocuments all = made_;
  static_cast<RefusedRecords&>(all) = log_.counts();
  all.sample = sequencer_->sample();
  all.documents = sequencer_->documents();
  all.tokens = sequencer_->tokens() + text_tokens;
  return all;
}

}  // namespace frond::indexer::pipeline
