#include "indexer/write/collection_writer.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "common/base/guarded.h"
#include "common/base/threads/pause.h"
#include "common/base/threads/thread_name.h"
#include "common/repository/disk_space.h"
#include "common/repository/repository.h"
#include "indexer/change/removed_terms.h"
#include "indexer/ingest/formats/formats.h"
#include "indexer/ingest/records/parse_record.h"
#include "indexer/pipeline/memory.h"

namespace frond::indexer::write {
namespace {

constexpr std::size_t kMaxWaiting = 1024;          // requests for a publication
constexpr std::chrono::seconds kShortPatience{5};  // of a client, for whoever holds the collection

constexpr std::chrono::seconds kCompactEvery{2};      // at most so often
constexpr std::chrono::seconds kRenewSchemaEvery{1};  // at most so often for documents that are refused

}  // namespace

CollectionWriter::CollectionWriter(WriterService& service, const std::string& collection)
    : service_(service),
      collection_(collection),
      folder_(service.places->folder(collection)),
      log_(service.log, "collection", collection),
      most_for_a_record_(pipeline::plan_memory(service.options.memory_limit, 1, 1).alone),
      target_(service.target(collection)) {}

void CollectionWriter::start() {
  published_ = operations_->published();
  publisher_ = std::jthread([this](const std::stop_token& stop) { publish_loop(stop); });
  compactor_ = std::jthread([this](const std::stop_token& stop) { compact_loop(stop); });
  if (lease_) leaser_ = std::jthread([this](const std::stop_token& stop) { lease_loop(stop); });
}

CollectionWriter::~CollectionWriter() {
  for (std::jthread* thread : {&publisher_, &compactor_}) thread->request_stop();
  for (std::jthread* thread : {&publisher_, &compactor_})
    if (thread->joinable()) thread->join();
  if (leaser_.joinable()) {
    leaser_.request_stop();
    leaser_.join();
    lease_->release(operations_->operations());
  }
  const Error ends(Code::kUnavailable, "the service ends, or another one has the collection");
  answer(&ends);
}

// When it is logged and published a document gets its version and its change's number besides.
std::size_t CollectionWriter::most_record_bytes() const {
  constexpr std::size_t kNumbers = 64;  // "_version": and "_seq_no":, of up to 20 digits, and their commas
  return ingest::InputLimits::of(service_.options.memory_limit).record_bytes - kNumbers;
}

Result<std::string> CollectionWriter::checked_id(const std::string& line) {
  if (line.size() > most_record_bytes()) return Error(Code::kInvalid, ingest::too_long(most_record_bytes()));
  ingest::RawRecord record;
  record.format = &ingest::kJsonl;
  record.bytes = line;
  const ingest::ParseCost cost = ingest::parse_cost(record);
  if (cost.bytes - cost.tree_bytes > most_for_a_record_)
    return Error(Code::kInvalid, "takes up to " + ingest::in_mebibytes(cost.bytes) +
                                     " of memory to parse, more than --memory-limit allows");
  record.tree_bytes = cost.tree_bytes;
  const auto known = schema();
  auto parsed = ingest::parse_record(record, {.schema = known});
  if (parsed) return std::move(parsed->id);
  {
    const MutexLock lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    if (now < schema_renewed_ + kRenewSchemaEvery) return parsed.error();
    schema_renewed_ = now;
  }
  // A command may have published another schema.
  if (!renew_schema() || schema() == known) return parsed.error();
  return FROND_TRY(ingest::parse_record(record, {.schema = schema()})).id;
}

std::shared_ptr<const schema::Schema> CollectionWriter::schema() const {
  const MutexLock lock(mutex_);
  return wanted_schema_ != nullptr ? wanted_schema_ : schema_;
}

std::shared_ptr<const schema::Schema> CollectionWriter::wanted_schema() const {
  const MutexLock lock(mutex_);
  return wanted_schema_;
}

Result<void> CollectionWriter::take_schema(const repository::Manifest& current) {
  auto schema = FROND_TRY(change::schema_of(current));
  const MutexLock lock(mutex_);
  if (schema == nullptr || schema_ == nullptr || *schema != *schema_) schema_ = std::move(schema);
  // It is the collection's now, or a command has published one with more fields.
  if (schema_ != nullptr && wanted_schema_ != nullptr && schema::check_extends(*wanted_schema_, *schema_))
    wanted_schema_ = nullptr;
  return {};
}

// Of what is current now, which other writers may have published.
Result<void> CollectionWriter::renew_schema() {
  const auto number = FROND_TRY(current());
  return number ? take_schema(FROND_TRY(source_->manifest(*number))) : Result<void>();
}

Result<Appended> CollectionWriter::accept(std::span<const Operation> operations,
                                          const std::optional<RequestMark>& mark) {
  {
    const MutexLock lock(mutex_);
    FROND_TRY(expect_going());
    ++accepting_;
  }
  const Accepting counted{*this};
  auto appended = write(operations, mark);
  if (appended && !appended->repeated && !operations.empty()) {
    const MutexLock changing(changing_);
    for (std::size_t i = 0; latest_ != nullptr && i < operations.size(); ++i)
      latest_->note(operations[i].id, {!operations[i].removes(), 1, appended->last + 1 - (operations.size() - i)});
  }
  if (appended)
    if (const auto synced = sync(*appended, operations.size()); !synced) appended = synced.error();
  return appended;
}

void CollectionWriter::end_accepting() {
  const MutexLock lock(mutex_);
  --accepting_;
  changed_.notify_all();
}

Result<Appended> CollectionWriter::write(std::span<const Operation> operations,
                                         const std::optional<RequestMark>& mark) {
  std::uint64_t bytes = 0;
  for (const Operation& operation : operations) bytes += operation.bytes();
  FROND_TRY(expect_held());
  // Publishing needs room, too.
  FROND_TRY(repository::expect_room(folder_, bytes, service_.options.disk_reserve, "accepting changes"));
  return operations_->write(operations, mark, service_.options.max_pending_bytes);
}

Result<void> CollectionWriter::sync(const Appended& appended, std::size_t operations) {
  FROND_TRY(operations_->sync(appended));
  // Whoever takes the collection over now has not seen this log: what is not acknowledged may be in it, or not.
  if (auto held = expect_held(); !held) return std::move(held).error().within(kMayBeAccepted);
  if (!appended.repeated) service_.metrics.accepted.add(static_cast<double>(operations));
  return {};
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
  state.not_indexed = not_indexed_->listed();
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
  const auto known = target_.objects.memory ? target_.objects.memory->known() : nullptr;
  return known ? std::optional<Generation>(known->generation) : current();
}

Result<void> CollectionWriter::expect_going() const {
  if (!ending_) return {};
  return Error(Code::kUnavailable, "the service ends");
}

Result<Generation> CollectionWriter::make_current(std::optional<Generation> generation,
                                                  const std::optional<RequestMark>& mark) {
  {
    const MutexLock lock(mutex_);
    FROND_TRY(expect_going());
  }
  const auto held = FROND_TRY(change::open_writer(target_, {}, kShortPatience));
  if (mark)
    if (const auto before = FROND_TRY(operations_->known(*mark))) return Generation{*before};
  if (generation)
    FROND_TRY(held->switch_to(*generation));
  else
    generation = FROND_TRY(held->rollback());
  service_.places->note_current(collection_);
  {
    const MutexLock changing(changing_);
    if (latest_) latest_->reopen();
  }
  if (auto known = mark ? operations_->remember(*mark, *generation) : Result<void>(); !known)
    return std::move(known).error().within(kMayBeAccepted);  // it was: but a repeat would not be known
  return *generation;
}

void CollectionWriter::stop_accepting() {
  compactor_.request_stop();  // it holds the collection while it publishes
  const MutexLock lock(mutex_);
  ending_ = true;
  changed_.notify_all();
}

void CollectionWriter::abandon() {
  if (!leaser_.joinable()) return;
  leaser_.request_stop();
  leaser_.join();
  lease_->abandon();
}

bool CollectionWriter::await_published(std::chrono::steady_clock::time_point end) {
  MutexLock lock(mutex_);
  const auto all = [this]() FROND_REQUIRES(mutex_) { return accepting_ == 0 && operations_->last() <= published_; };
  // A lost lease wakes nobody.
  constexpr std::chrono::milliseconds kLook{100};
  while (!all() && !lost() && !damaged_ && std::chrono::steady_clock::now() < end)
    changed_.wait_until(mutex_, std::min(end, std::chrono::steady_clock::now() + kLook), all);
  return all();
}

void CollectionWriter::lease_loop(const std::stop_token& stop) {
  name_this_thread("lease");
  bool failing = false;
  // From one begin to the next: after a request that was never answered there is time for another one.
  auto begin = std::chrono::steady_clock::now();
  for (;;) {
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
    if (!pause_for(std::max(lease_->renew_every() - took, lease_->renew_every() / 16), stop)) return;
    begin = std::chrono::steady_clock::now();
    const auto renewed = guarded(collection_, [&] { return lease_->renew(operations_->operations()); });
    (renewed ? service_.metrics.lease_renewed : service_.metrics.lease_failed).add();
    if (renewed && std::exchange(failing, false)) log_.info("the lease of a collection is renewed again");
    if (renewed) continue;
    if (!lease_->lost()) {
      if (!std::exchange(failing, true))
        log_.warn("the lease of a collection can't be renewed; it is tried again",
                  {{"reason", renewed.error().message()}});
      continue;
    }
    service_.metrics.lease_lost.add();
    log_.error("the lease of a collection is lost: nothing of it is accepted or published here any more",
               {{"reason", renewed.error().message()},
                {"epoch", std::to_string(lease_->epoch())},
                {"waiting", std::to_string(operations_->operations())},
                {"log", (folder_ / kLogFolder).string()}});
    return;
  }
}

void CollectionWriter::compact_loop(const std::stop_token& stop) {
  name_this_thread("compact");
  yield_to_others(10);
  Sequence seen = published_;
  while (!stop.stop_requested()) {
    {
      MutexLock lock(mutex_);
      changed_.wait(mutex_, stop, [&]() FROND_REQUIRES(mutex_) { return compact_asked_ || published_ != seen; });
      compact_asked_ = false;
      seen = published_;
    }
    if (stop.stop_requested()) return;
    const auto compacted = guarded(collection_, [&] { return compact_once(stop); });
    compacting_ = false;
    if (stop.stop_requested()) return;
    if (!compacted) {
      service_.metrics.compactions_failed.add();
      log_.warn("a background compaction failed; it is tried again", {{"reason", compacted.error().message()}});
    } else if (*compacted) {
      service_.metrics.compacted.add();
    }
    MutexLock lock(mutex_);
    changed_.wait_for(mutex_, stop, kCompactEvery, [this]() FROND_REQUIRES(mutex_) { return compact_asked_; });
  }
}

// Whether something was published.
Result<bool> CollectionWriter::compact_once(const std::stop_token& stop) {
  if (!FROND_TRY(current())) return false;
  FROND_TRY(expect_held());
  const WriterOptions& options = service_.options;
  progress_.documents = 0;
  progress_.documents_written = 0;
  compacting_ = true;
  const auto compaction = change::Compaction::prepare(
      target_, {}, {options.compact_rate, options.memory_limit, &service_.merging}, &progress_, stop);
  const auto held = FROND_TRY(change::open_writer(target_, stop, kLockPatience));
  Result<change::CompactionSummary> summary = change::CompactionSummary();
  if (!compaction)
    summary = compaction.error();
  else if (!(*compaction)->empty())
    summary = (*compaction)->publish(*held, stop);
  if (summary && summary->published) {
    service_.places->note_current(collection_);
    const MutexLock changing(changing_);
    if (latest_) latest_->reopen();
  }
  // Also where partitions can't be merged, since generations would fill the disk.
  FROND_TRY(held->prune(options.keep));
  return FROND_TRY(std::move(summary)).published.has_value();
}

}  // namespace frond::indexer::write
