#include "indexer/write/collection_writer.h"

#include <algorithm>
#include <utility>

#include "common/repository/disk_space.h"
#include "common/repository/repository.h"
#include "indexer/build_lock.h"
#include "indexer/ingest/formats/formats.h"
#include "indexer/ingest/records/parse_record.h"
#include "indexer/pipeline/memory.h"

namespace frond::indexer::write {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kMaxWaiting = 1024;  // requests for a publication
constexpr seconds kShortPatience{5};       // of a client, for whoever holds the collection

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
      not_indexed_(std::move(held.not_indexed)),
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
  answer_failed(Error(Code::kUnavailable, "the service ends, or another one has the collection"), /*damaged=*/false);
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

Result<Generation> CollectionWriter::make_current(std::optional<Generation> generation,
                                                  const std::optional<RequestMark>& mark) {
  {
    const MutexLock lock(mutex_);
    FROND_TRY(expect_going());
  }
  const auto held = FROND_TRY(writer(kShortPatience, {}));
  if (mark)
    if (const auto before = FROND_TRY(operations_->known(*mark))) return Generation{*before};
  if (generation)
    FROND_TRY(held->switch_to(*generation));
  else
    generation = FROND_TRY(held->rollback());
  if (mark) FROND_TRY(operations_->remember(*mark, *generation));
  places_.note_current(collection_);
  return *generation;
}

}  // namespace frond::indexer::write
