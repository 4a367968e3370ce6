// What the stages need before they begin, from nothing or from the last checkpoint of a killed build.
#include <algorithm>
#include <utility>

#include "common/base/check.h"
#include "indexer/ingest/files/input_list.h"
#include "indexer/pipeline/stages.h"

namespace frond::indexer::pipeline {
namespace {

std::string session_of(const CheckpointOptions& checkpoints) {
  return checkpoints.session == 0 ? std::string() : "s" + std::to_string(checkpoints.session) + "-";
}
std::filesystem::path spool_path(const std::filesystem::path& folder, std::uint32_t partition) {
  return folder / ("spool-p" + std::to_string(partition));
}

}  // namespace

Pipeline::Pipeline(const InvertOptions& options, const std::filesystem::path& folder, InvertProgress& progress,
                   Logger& logger, std::stop_token stop)
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
              .lengths = lengths_},
             plan_, budget_, folder) {}

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
    for (std::uint32_t p = 0; p < options_.partitions; ++p) made_.partitions[p].spool = spool_path(folder_, p);
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

}  // namespace frond::indexer::pipeline
