// How what a CollectionWriter has accepted becomes generations, and what happens to a document that can't be indexed.
#include <algorithm>
#include <fstream>
#include <system_error>
#include <utility>

#include "common/base/guarded.h"
#include "common/base/machine.h"
#include "common/base/threads/pause.h"
#include "common/base/threads/thread_name.h"
#include "common/repository/disk_space.h"
#include "common/repository/repository.h"
#include "indexer/build/build.h"
#include "indexer/change/change_publication.h"
#include "indexer/change/removed_terms.h"
#include "indexer/ingest/formats/formats.h"
#include "indexer/pipeline/memory.h"
#include "indexer/write/collection_writer.h"

namespace frond::indexer::write {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

// With each so many partitions, publications come as much less often: compaction has to keep up.
constexpr std::size_t kManyPartitions = 64;
constexpr milliseconds kFirstPause{1000};  // after a failure; doubled up to
constexpr milliseconds kLongestPause{30'000};
constexpr const char* kBatchFile = "log-batch.jsonl";  // in the collection's folder, while it is indexed
constexpr const char* kTrialFolder = ".trial";         // there, a repository, while one document is tried alone
constexpr const char* kTrialDocument = R"({"id":"1","body":"word"})";  // that nothing is wrong with

// Whether an error may come from what is published, and not from the disk or from other writers.
bool may_be_of_changes(const Error& error) { return error.code() == Code::kInvalid || error.code() == Code::kCorrupt; }

// How many changes are published at a time: all that fit, or fewer, while one of them is looked for.
class Part {
 public:
  std::size_t most() const { return most_; }
  bool is_all() const { return most_ == OperationLog::kAll; }
  void published() {
    failed_before_ = false;
    most_ = most_ < whole_ / 2 ? 2 * most_ : OperationLog::kAll;
  }
  // Whether it is time to look for one change: the same ones failed before, and may fail for ever.
  bool failed(const Error& error) {
    const bool before = std::exchange(failed_before_, may_be_of_changes(error));
    return failed_before_ && (before || !is_all());
  }
  void halve(std::size_t tried) {
    if (is_all()) whole_ = tried;
    most_ = tried / 2;
  }

 private:
  std::size_t most_ = OperationLog::kAll, whole_ = 0;  // whole: that failed together
  bool failed_before_ = false;
};

// `number`: of a document's change. One that has a version gets it besides (latest_documents.h).
Result<void> write_lines(const fs::path& file, const std::vector<const Operation*>& documents,
                         const std::function<Sequence(const Operation&)>& number = {}) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  for (const Operation* document : documents) {
    std::string_view line = document->line;
    if (number && line.starts_with(kVersionedLine) && line.find(kSourceOfLine) != line.npos) {
      out << "{\"_seq_no\":" << number(*document) - 1 << ',';
      line.remove_prefix(1);
    }
    out << line << '\n';
  }
  out.close();
  if (!out) return Error(Code::kUnavailable, file.string() + " can't be written");
  return {};
}

// That index so many bytes: starting a parser, with its tables, takes as long as parsing some 100 KiB.
std::uint32_t threads_for(std::uint64_t bytes) {
  constexpr std::uint64_t kBytesEach = 512 << 10;
  const std::uint64_t most = std::clamp(this_machine().cores, 1u, 16u);
  return static_cast<std::uint32_t>(std::min(1 + bytes / kBytesEach, most));
}

// Removes the file or folder when it ends.
struct Removed {
  fs::path path;
  ~Removed() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

}  // namespace

void CollectionWriter::publish_loop(const std::stop_token& stop) {
  name_this_thread("publish");
  yield_to_others(10);
  auto next = steady_clock::now();
  milliseconds pause = kFirstPause;
  Part part;
  while (!stop.stop_requested()) {
    {
      MutexLock lock(mutex_);
      const auto pending = [this] { return operations_->last() > published_; };
      changed_.wait(mutex_, stop, pending);
      // Until it is time, somebody asks, the service ends, or there is more than fits into one publication.
      changed_.wait_until(mutex_, stop, next, [&]() FROND_REQUIRES(mutex_) {
        return ending_ || !waiting_.empty() || !part.is_all() || operations_->bytes() > batch_bytes();
      });
    }
    if (stop.stop_requested()) return;
    next = steady_clock::now() + service_.options.refresh * (1 + partitions_ / kManyPartitions);
    std::size_t tried = 0;
    auto published = guarded(collection_, [&] { return publish_next(part.most(), tried, stop); });
    publishing_operations_ = 0;
    if (stop.stop_requested()) return;
    (published ? service_.metrics.published : service_.metrics.failed).add();
    bool hopeless = false;
    if (!published && part.failed(published.error())) {
      if (tried > 1) {
        log_.warn("accepted changes can't be published together; fewer are tried",
                  {{"reason", published.error().message()}, {"changes", std::to_string(tried)}});
        part.halve(tried);
        continue;
      }
      published = guarded(collection_, [&] { return set_aside_next(published.error(), stop); });
      if (stop.stop_requested()) return;
      hopeless = !published && may_be_of_changes(published.error());
    }
    if (published) {
      pause = kFirstPause;
      part.published();
      answer(nullptr);
      continue;
    }
    log_.error("accepted changes can't be published; it is tried again",
               {{"reason", published.error().message()}, {"pause_ms", std::to_string(pause.count())}});
    answer(&published.error(), hopeless);
    pause_for(pause, stop);
    const MutexLock lock(mutex_);
    pause = ending_ ? kFirstPause : std::min(2 * pause, kLongestPause);
  }
}

// The next part of what was accepted becomes a generation: `most` changes, of which `tried` says how many there were.
Result<void> CollectionWriter::publish_next(std::size_t most, std::size_t& tried, const std::stop_token& stop) {
  const auto begin = steady_clock::now();
  FROND_TRY(expect_held());
  auto taken = FROND_TRY(operations_->read(published_, batch_bytes(), most));
  tried = taken.operations.size();
  if (tried == 0)
    return Error(Code::kCorrupt, (folder_ / kLogFolder).string() + ": changes after " +
                                     std::to_string(published_.load()) + " are missing");
  publishing_documents_ = 0;
  publishing_.documents_written = 0;
  publishing_operations_ = tried;
  FROND_TRY(index(taken, stop));
  service_.places->note_current(collection_, target_.objects.memory.get());
  write_off(taken);
  service_.metrics.publish_seconds.observe(std::chrono::duration<double>(steady_clock::now() - begin).count());
  return {};
}

void CollectionWriter::write_off(const OperationLog::Taken& taken) {
  const MutexLock lock(changing_);
  // Also if it stays in the log for now: published again, in smaller parts, it would undo what came after it.
  published_ = taken.last;
  if (latest_) latest_->published(taken.last);
  if (const auto forgotten = operations_->forget(taken); !forgotten)
    log_.warn("published changes stay in the log until it can be written",
              {{"reason", forgotten.error().message()}, {"sequence", std::to_string(taken.last)}});
}

// Afterwards `taken` has no lines any more.
Result<void> CollectionWriter::index(OperationLog::Taken& taken, const std::stop_token& stop) {
  Folded change = folded(taken.operations);
  const bool exists = FROND_TRY(published_last()).has_value();
  change::ChangeOptions target = target_;
  target.log_sequence = taken.last;
  if (change.documents.empty()) {
    if (!exists) return {};  // nothing to remove from
    auto next = change.removed_ids.begin();
    const auto next_id = [&]() -> Result<std::optional<std::string>> {
      if (next == change.removed_ids.end()) return std::optional<std::string>();
      return std::optional<std::string>(*next++);
    };
    const MutexLock one_at_a_time(service_.building);
    FROND_TRY(change::remove_documents(target, next_id, stop));
    return {};
  }
  const auto wanted = wanted_schema();
  const Removed batch{folder_ / kBatchFile};
  FROND_TRY(write_lines(batch.path, change.documents, [&](const Operation& one) {
    return taken.numbers[static_cast<std::size_t>(&one - taken.operations.data())];
  }));
  for (Operation& operation : taken.operations) std::string().swap(operation.line);
  BuildOptions options = build_options(batch.path, change.documents.size(), taken.bytes);
  static_cast<change::ChangeOptions&>(options) = std::move(target);
  if (exists) {
    options.removed_ids = std::move(change.removed_ids);
    options.take_schema(nullptr);  // the collection's, whatever it is by then
  }
  if (wanted != nullptr) options.take_schema(wanted);
  const MutexLock one_at_a_time(service_.building);
  publishing_documents_ = change.documents.size();
  const auto built =
      FROND_TRY(exists ? add(options, publishing_, log_, stop) : build(options, publishing_, log_, stop));
  partitions_ = built.manifest.partitions.size();
  return take_schema(built.manifest);
}

// Of a file with so many documents, all of which have to be indexed; not yet where to.
BuildOptions CollectionWriter::build_options(const fs::path& file, std::uint64_t documents, std::uint64_t bytes) const {
  BuildOptions options;
  options.invert.inputs = {file};
  options.invert.format = &ingest::kJsonl;
  options.take(settings_);
  const std::uint32_t cores = threads_for(bytes);
  options.invert.memory = pipeline::plan_memory(service_.options.memory_limit, cores, std::max(1u, cores / 3));
  options.documents = documents;
  options.may_be_empty = true;
  options.threads = cores;
  options.resume = false;
  return options;
}

// `why`: the next change can't be published by itself. Gives this back if it is not the document's fault.
Result<void> CollectionWriter::set_aside_next(const Error& why, const std::stop_token& stop) {
  FROND_TRY(expect_held());
  const auto taken = FROND_TRY(operations_->read(published_, batch_bytes(), 1));
  if (taken.operations.size() != 1 || taken.operations[0].removes()) return why;
  const Operation& document = taken.operations[0];
  const std::string fault = FROND_TRY(fault_of(document, stop));
  if (fault.empty() || stop.stop_requested()) return why;
  FROND_TRY(
      repository::expect_room(folder_, document.bytes(), service_.options.disk_reserve, "setting a document aside"));
  FROND_TRY(not_indexed_->add(document, taken.numbers[0], fault));
  log_.error("an accepted document can't be indexed; it is set aside", {{"id", document.id},
                                                                        {"sequence", std::to_string(taken.numbers[0])},
                                                                        {"reason", fault},
                                                                        {"file", not_indexed_->file().string()}});
  write_off(taken);
  return {};
}

// Why it can't be indexed, into no matter what collection; empty: it can, or nothing can.
Result<std::string> CollectionWriter::fault_of(const Operation& document, const std::stop_token& stop) {
  FROND_TRY(renew_schema());
  if (const auto id = checked_id(document.line); !id) return id.error().message();
  const auto alone = try_alone(document.line, stop);
  if (alone) return std::string();
  if (!may_be_of_changes(alone.error())) return alone.error();
  const auto other = try_alone(kTrialDocument, stop);
  return other ? alone.error().message() : std::string();
}

// Indexes a document for a collection like this one, which is removed again.
Result<void> CollectionWriter::try_alone(const std::string& line, const std::stop_token& stop) {
  const Removed trial{folder_ / kTrialFolder};
  std::error_code failed;
  fs::create_directories(trial.path, failed);
  if (failed) return Error(Code::kUnavailable, "creating " + trial.path.string() + ": " + failed.message());
  const Operation document{"", line};
  FROND_TRY(write_lines(trial.path / kBatchFile, {&document}));
  BuildOptions options = build_options(trial.path / kBatchFile, 1, line.size());
  options.disk_reserve = service_.options.disk_reserve;
  options.repository = trial.path;
  options.collection = collection_;
  if (const auto number = FROND_TRY(current())) {
    const auto manifest = FROND_TRY(source_->manifest(*number));
    options.invert.analyzer = manifest.analyzer;
    options.bm25 = manifest.bm25;
    options.take_schema(FROND_TRY(change::schema_of(manifest)));
  }
  BuildProgress progress;
  const MutexLock one_at_a_time(service_.building);
  FROND_TRY(build(options, progress, log_, stop));
  return {};
}

// Those that wait for what is published now; or all, with why it failed.
void CollectionWriter::answer(const Error* failed, bool damaged) {
  const auto number = failed != nullptr ? Result<std::optional<Generation>>(*failed) : published_last();
  std::vector<Waiting> ready;
  {
    MutexLock lock(mutex_);
    error_ = failed != nullptr ? failed->message() : "";
    damaged_ = damaged;
    const auto later = std::partition(waiting_.begin(), waiting_.end(), [&](const Waiting& one) {
      return failed == nullptr && one.sequence > published_;
    });
    ready.assign(std::make_move_iterator(later), std::make_move_iterator(waiting_.end()));
    waiting_.erase(later, waiting_.end());
    changed_.notify_all();  // for the compactor
  }
  for (Waiting& one : ready)
    one.done(number ? Result<Published>(Published{number->value_or(0), published_}) : number.error());
}

}  // namespace frond::indexer::write
