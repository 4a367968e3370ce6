#include "indexer/resume/journal_writer.h"

#include <exception>
#include <system_error>
#include <utility>

#include "common/base/thread_name.h"
#include "common/files/write.h"

namespace frond::indexer::resume {

namespace fs = std::filesystem;

JournalWriter::JournalWriter(fs::path folder, Journal journal, bool written)
    : folder_(std::move(folder)), journal_(std::move(journal)), written_(written) {}

JournalWriter::~JournalWriter() {
  if (pending_.valid()) pending_.wait();
}

Result<void> JournalWriter::checkpoint(pipeline::Checkpoint made) {
  FROND_TRY(wait());
  {
    const MutexLock lock(mutex_);
    journal_.checkpoint = std::move(made);
  }
  pending_ = std::async(std::launch::async, [this]() -> Result<void> {
    name_this_thread("journal");
    try {
      const MutexLock lock(mutex_);
      return write();
    } catch (const std::exception& thrown) {
      return Error(Code::kUnavailable, std::string("writing the journal: ") + thrown.what());
    }
  });
  return {};
}

Result<void> JournalWriter::wait() { return pending_.valid() ? pending_.get() : Result<void>(); }

Result<void> JournalWriter::end_stage(Stage stage, const pipeline::InvertedDocuments& documents) {
  FROND_TRY(wait());
  const MutexLock lock(mutex_);
  journal_.stage = stage;
  journal_.checkpoint.so_far = documents;
  journal_.finished.clear();
  return write();
}

Result<void> JournalWriter::finish(FinishedPartition partition) {
  const MutexLock lock(mutex_);
  FROND_TRY(files::sync(folder_ / partition.id));  // its files were synced when they were finished
  journal_.finished.push_back(std::move(partition));
  return write();
}

bool JournalWriter::written() const {
  const MutexLock lock(mutex_);
  return written_;
}

Result<void> JournalWriter::sync_once(const fs::path& file) {
  if (synced_.contains(file)) return {};
  FROND_TRY(files::sync(file));
  synced_.insert(file);
  return {};
}

Result<void> JournalWriter::write() {
  const auto& parts = journal_.checkpoint.so_far.partitions;
  journal_.run_bytes.assign(parts.size(), {});
  for (std::uint32_t p = 0; p < parts.size(); ++p) {
    if (journal_.is_finished(p)) continue;  // its runs and its spool may be gone; their sizes do not matter any more
    for (const fs::path& run : parts[p].runs) {
      FROND_TRY(sync_once(run));
      std::error_code failed;
      journal_.run_bytes[p].push_back(fs::file_size(run, failed));
      if (failed) return Error(Code::kUnavailable, run.string() + ": " + failed.message());
    }
    if (journal_.stage == Stage::kInverting)
      FROND_TRY(files::sync(parts[p].spool));
    else
      FROND_TRY(sync_once(parts[p].spool));
  }
  for (std::uint32_t p = 0; p < parts.size(); ++p) journal_.run_bytes[p].resize(parts[p].runs.size());
  if (journal_.stage == Stage::kInverting) FROND_TRY(files::sync(folder_ / pipeline::kIdsName));
  FROND_TRY(files::sync(folder_));
  FROND_TRY(files::replace_file(folder_ / kJournalName, as_text(encode(journal_))));
  written_ = true;
  return {};
}

}  // namespace frond::indexer::resume
