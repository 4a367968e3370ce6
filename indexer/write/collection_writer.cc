#include "indexer/write/collection_writer.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <system_error>
#include <utility>

#include "common/base/thread_name.h"
#include "common/repository/disk_space.h"
#include "common/repository/repository.h"
#include "indexer/build.h"
#include "indexer/build_lock.h"
#include "indexer/change/remove.h"
#include "indexer/ingest/json.h"
#include "indexer/ingest/parse_cost.h"
#include "indexer/ingest/parse_record.h"
#include "indexer/pipeline/memory.h"
#include "indexer/write/folded.h"

namespace frond::indexer::write {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

// With each so many partitions, publications come as much less often: compaction has to keep up.
constexpr std::size_t kManyPartitions = 64;
constexpr std::size_t kMaxWaiting = 1024;  // requests for a publication
constexpr seconds kShortPatience{5};       // of a client, for whoever holds the collection
constexpr milliseconds kFirstPause{1000};  // after a failure; doubled up to
constexpr milliseconds kLongestPause{30'000};
constexpr const char* kBatchFile = "log-batch.jsonl";  // in the collection's folder, while it is indexed

Result<void> write_lines(const fs::path& file, const std::vector<const Operation*>& documents) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  for (const Operation* document : documents) out << document->line << '\n';
  out.close();
  if (!out) return Error(Code::kUnavailable, file.string() + " can't be written");
  return {};
}

// That index so many bytes: starting a parser, with its tables, takes as long as parsing some 100 KiB.
std::uint32_t threads_for(std::uint64_t bytes) {
  constexpr std::uint64_t kBytesEach = 512 << 10;
  const std::uint64_t most = std::clamp(std::thread::hardware_concurrency(), 1u, 16u);
  return static_cast<std::uint32_t>(std::min(1 + bytes / kBytesEach, most));
}

// Removes the file when it ends.
struct RemovedFile {
  fs::path path;
  ~RemovedFile() {
    std::error_code ignored;
    fs::remove(path, ignored);
  }
};

}  // namespace

CollectionWriter::CollectionWriter(WriterOptions options, const CollectionPlaces& places, std::string collection,
                                   Held held, SharedWork& shared, WriteMetrics metrics, Logger& log)
    : options_(std::move(options)),
      places_(places),
      collection_(std::move(collection)),
      folder_(std::move(held.folder)),
      source_(std::move(held.source)),
      operations_(std::move(held.operations)),
      lease_place_(std::move(held.lease_place)),
      lease_(std::move(held.lease)),
      settings_(*std::move(held.settings)),
      shared_(shared),
      metrics_(metrics),
      log_(log, "collection", collection_),
      most_for_a_record_(pipeline::plan_memory(options_.memory_limit, 1, 1).alone),
      // What was forgotten is published, too: a rollback may have made an older generation current.
      published_(operations_->published()),
      publisher_([this](const std::stop_token& stop) { publish_loop(stop); }),
      compactor_([this](const std::stop_token& stop) { compact_loop(stop); }) {
  if (lease_) leaser_ = std::jthread([this](const std::stop_token& stop) { lease_loop(stop); });
}

CollectionWriter::~CollectionWriter() {
  publisher_.request_stop();
  compactor_.request_stop();
  publisher_.join();
  compactor_.join();
  if (leaser_.joinable()) {
    leaser_.request_stop();
    leaser_.join();
    lease_->release(operations_->operations());
  }
  answer_failed(Error(Code::kUnavailable, "the service ends, or another one has the collection"));
}

Result<std::string> CollectionWriter::checked_id(const std::string& line) const {
  const auto limits = ingest::InputLimits::of(options_.memory_limit);
  if (line.size() > limits.record_bytes) return Error(Code::kInvalid, ingest::too_long(limits.record_bytes));
  ingest::RawRecord record;
  record.format = &ingest::kJsonl;
  record.bytes = line;
  const ingest::ParseCost cost = ingest::parse_cost(record);
  if (cost.bytes - cost.tree_bytes > most_for_a_record_)
    return Error(Code::kInvalid, "takes up to " + ingest::in_mebibytes(cost.bytes) +
                                     " of memory to parse, more than --memory-limit allows");
  record.tree_bytes = cost.tree_bytes;
  return FROND_TRY(ingest::parse_record(record)).id;
}

Result<Appended> CollectionWriter::accept(std::span<const Operation> operations,
                                          const std::optional<RequestMark>& mark) {
  {
    const MutexLock lock(mutex_);
    FROND_TRY(expect_going());
    ++accepting_;
  }
  auto appended = append(operations, mark);
  const MutexLock lock(mutex_);
  --accepting_;
  changed_.notify_all();
  return appended;
}

Result<Appended> CollectionWriter::append(std::span<const Operation> operations,
                                          const std::optional<RequestMark>& mark) {
  std::uint64_t bytes = 0;
  for (const Operation& operation : operations) bytes += operation.bytes();
  FROND_TRY(expect_held());
  // Publishing needs room, too.
  FROND_TRY(repository::expect_room(folder(), bytes, options_.disk_reserve, "accepting changes"));
  const Appended appended = FROND_TRY(operations_->append(operations, mark, options_.max_pending_bytes));
  // Whoever takes the collection over now has not seen this log: what is not acknowledged may be in it, or not.
  FROND_TRY(expect_held());
  if (!appended.repeated) metrics_.accepted.add(static_cast<double>(operations.size()));
  return appended;
}

void CollectionWriter::when_published(Done done) {
  {
    MutexLock lock(mutex_);
    const Sequence accepted = operations_->last();
    if (accepted > published_) {
      if (waiting_.size() < kMaxWaiting) {
        waiting_.push_back({accepted, std::move(done)});
        changed_.notify_all();
        return;
      }
      done = [done = std::move(done)](const Result<Published>&) {
        done(Error(Code::kOverloaded, "too many requests wait for a publication"));
      };
    }
  }
  const auto number = current();
  if (!number) return done(number.error());
  done(Published{number->value_or(0), published_});
}

void CollectionWriter::compact_soon() {
  MutexLock lock(mutex_);
  compact_asked_ = true;
  changed_.notify_all();
}

CollectionWriter::State CollectionWriter::state() const {
  State state;
  state.pending_operations = operations_->operations();
  state.pending_bytes = operations_->bytes();
  state.accepted = operations_->last();
  state.published = published_;
  state.compacting = compacting_;
  state.compaction_documents = progress_.documents;
  state.compaction_written = progress_.documents_written;
  state.publishing_operations = publishing_operations_;
  state.publishing_documents = publishing_documents_;
  state.publishing_written = publishing_.documents_written;
  MutexLock lock(mutex_);
  state.error = error_;
  return state;
}

Result<std::optional<Generation>> CollectionWriter::current() const {
  const auto number = source_->current();
  if (number) return std::optional<Generation>(*number);
  if (number.error().code() == Code::kNotFound) return std::optional<Generation>();
  return number.error();
}

Result<std::optional<Generation>> CollectionWriter::published_last() const {
  const auto known = options_.objects.memory ? options_.objects.memory->known() : nullptr;
  return known ? std::optional<Generation>(known->generation) : current();
}

Result<std::unique_ptr<repository::RepositoryWriter>> CollectionWriter::writer(milliseconds patience,
                                                                               const std::stop_token& stop) const {
  return open_writer(options_.repository, collection_, options_.objects, patience, stop);
}

Result<void> CollectionWriter::expect_going() const {
  if (!ending_) return {};
  return Error(Code::kUnavailable, "the service ends");
}

Result<Generation> CollectionWriter::rollback(const std::optional<RequestMark>& mark) {
  {
    const MutexLock lock(mutex_);
    FROND_TRY(expect_going());
  }
  const auto held = FROND_TRY(writer(kShortPatience, {}));
  if (mark)
    if (const auto before = FROND_TRY(operations_->known(*mark))) return Generation{*before};
  const Generation generation = FROND_TRY(held->rollback());
  if (mark) FROND_TRY(operations_->remember(*mark, generation));
  places_.note_current(collection_);
  return generation;
}

Result<void> CollectionWriter::switch_to(Generation generation, const std::optional<RequestMark>& mark) {
  {
    const MutexLock lock(mutex_);
    FROND_TRY(expect_going());
  }
  const auto held = FROND_TRY(writer(kShortPatience, {}));
  if (mark && FROND_TRY(operations_->known(*mark))) return {};
  FROND_TRY(held->switch_to(generation));
  if (mark) FROND_TRY(operations_->remember(*mark, generation));
  places_.note_current(collection_);
  return {};
}

void CollectionWriter::publish_loop(const std::stop_token& stop) {
  name_this_thread("publish");
  yield_to_others(10);
  auto next = steady_clock::now();
  milliseconds pause = kFirstPause;
  while (!stop.stop_requested()) {
    {
      MutexLock lock(mutex_);
      const auto pending = [this] { return operations_->last() > published_; };
      changed_.wait(mutex_, stop, pending);
      // Until it is time, somebody asks, the service ends, or there is more than fits into one publication.
      changed_.wait_until(mutex_, stop, next, [this]() FROND_REQUIRES(mutex_) {
        return ending_ || !waiting_.empty() || operations_->bytes() > batch_bytes();
      });
    }
    if (stop.stop_requested()) return;
    next = steady_clock::now() + options_.refresh * (1 + partitions_ / kManyPartitions);
    const auto published = publish_next(stop);
    if (stop.stop_requested()) return;
    (published ? metrics_.published : metrics_.failed).add();
    if (published) {
      pause = kFirstPause;
      answer_published();
      continue;
    }
    log_.error("accepted changes can't be published; it is tried again",
               {{"reason", published.error().message()}, {"pause_ms", std::to_string(pause.count())}});
    answer_failed(published.error());
    MutexLock lock(mutex_);
    changed_.wait_for(mutex_, stop, pause, [] { return false; });
    pause = ending_ ? kFirstPause : std::min(2 * pause, kLongestPause);
  }
}

// The next part of what was accepted becomes a generation.
Result<void> CollectionWriter::publish_next(const std::stop_token& stop) {
  const auto begin = steady_clock::now();
  FROND_TRY(expect_held());
  auto taken = FROND_TRY(operations_->read(published_, batch_bytes()));
  if (taken.operations.empty())
    return Error(Code::kCorrupt, (folder() / kLogFolder).string() + ": changes after " +
                                     std::to_string(published_.load()) + " are missing");
  publishing_documents_ = 0;
  publishing_.documents_written = 0;
  publishing_operations_ = taken.operations.size();
  const auto indexed = index(taken, stop);
  publishing_operations_ = 0;
  FROND_TRY(indexed);
  if (options_.objects.memory)
    places_.note_current(collection_, *options_.objects.memory);
  else
    places_.note_current(collection_);
  FROND_TRY(operations_->forget(taken));
  published_ = taken.last;
  metrics_.publish_seconds.observe(std::chrono::duration<double>(steady_clock::now() - begin).count());
  return {};
}

// Afterwards `taken` has no lines any more.
Result<void> CollectionWriter::index(OperationLog::Taken& taken, const std::stop_token& stop) {
  Folded change = folded(taken.operations);
  const bool exists = FROND_TRY(published_last()).has_value();
  if (change.documents.empty()) {
    if (!exists) return {};  // nothing to remove from
    change::ChangeOptions options{options_.repository, collection_, options_.disk_reserve, {}, options_.objects,
                                  kLockPatience,       taken.last,  operations_->id()};
    auto next = change.removed_ids.begin();
    const auto next_id = [&]() -> Result<std::optional<std::string>> {
      if (next == change.removed_ids.end()) return std::optional<std::string>();
      return std::optional<std::string>(*next++);
    };
    const MutexLock one_at_a_time(shared_.building);
    FROND_TRY(change::remove_documents(options, next_id, stop));
    return {};
  }
  const RemovedFile batch{folder() / kBatchFile};
  FROND_TRY(write_lines(batch.path, change.documents));
  for (Operation& operation : taken.operations) std::string().swap(operation.line);
  BuildOptions options;
  options.repository = options_.repository;
  options.objects = options_.objects;
  options.collection = collection_;
  options.invert.inputs = {batch.path};
  options.invert.format = &ingest::kJsonl;
  options.invert.analyzer = settings_.analyzer;
  options.invert.max_bad_records = std::numeric_limits<std::uint64_t>::max();
  const std::uint32_t cores = threads_for(taken.bytes);
  options.invert.memory = pipeline::plan_memory(options_.memory_limit, cores, std::max(1u, cores / 3));
  options.codecs = settings_.codecs;
  options.stored = settings_.stored;
  options.bm25 = settings_.bm25;
  options.disk_reserve = options_.disk_reserve;
  options.may_be_empty = true;
  options.threads = cores;
  options.resume = false;
  options.log_sequence = taken.last;
  options.log_id = operations_->id();
  if (exists) options.removed_ids = std::move(change.removed_ids);
  const MutexLock one_at_a_time(shared_.building);
  publishing_documents_ = change.documents.size();
  const auto built =
      FROND_TRY(exists ? add(options, publishing_, log_, stop) : build(options, publishing_, log_, stop));
  partitions_ = built.manifest.partitions.size();
  if (built.inverted.documents != change.documents.size())
    log_.error("accepted documents could not be indexed",
               {{"documents", std::to_string(change.documents.size() - built.inverted.documents)},
                {"last", built.inverted.last_bad}});
  return {};
}

void CollectionWriter::answer_published() {
  const auto number = published_last();
  std::vector<Waiting> ready;
  {
    MutexLock lock(mutex_);
    error_.clear();
    damaged_ = false;
    const auto later = std::partition(waiting_.begin(), waiting_.end(),
                                      [this](const Waiting& one) { return one.sequence > published_; });
    ready.assign(std::make_move_iterator(later), std::make_move_iterator(waiting_.end()));
    waiting_.erase(later, waiting_.end());
    changed_.notify_all();  // for the compactor
  }
  for (Waiting& one : ready) {
    if (number)
      one.done(Published{number->value_or(0), published_});
    else
      one.done(number.error());
  }
}

void CollectionWriter::answer_failed(const Error& error) {
  std::vector<Waiting> failed;
  {
    MutexLock lock(mutex_);
    error_ = error.message();
    damaged_ = error.code() == Code::kCorrupt || error.code() == Code::kInvalid;
    changed_.notify_all();
    failed.swap(waiting_);
  }
  for (Waiting& one : failed) one.done(error);
}

}  // namespace frond::indexer::write
