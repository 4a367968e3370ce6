#pragma once
// Writes one collection: accepts changes into its log, and publishes them in the background, many in one generation.
// After any death it goes on where its log and the current generation's Manifest::log_sequence say: nothing that was
// accepted is lost, and nothing is published twice. Where changes can't be published together, fewer are tried, down to
// the one that keeps back the others. If that is a document that can't be indexed by itself either, it is set aside
// (not_indexed.h). Nothing is set aside where the disk, the collection or its settings are what fails.
//
// Threads: "publish" indexes and publishes, "compact" merges small partitions and removes old generations, and "lease"
// renews the lease, where there is one (CollectionPlaces). Other writers (commands) may publish in between.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "common/base/ids.h"
#include "common/base/log.h"
#include "common/base/mutex.h"
#include "common/base/result.h"
#include "common/metrics/registry.h"
#include "common/repository/leases/writer_lease.h"
#include "indexer/build/build.h"
#include "indexer/change/compact.h"
#include "indexer/write/collection_places.h"
#include "indexer/write/latest_documents.h"
#include "indexer/write/log_head.h"
#include "indexer/write/not_indexed.h"
#include "indexer/write/operation_log.h"

namespace frond::elasticsearch {
struct Mapping;
}

namespace frond::indexer::write {

// For commands that hold a collection.
inline constexpr std::chrono::seconds kLockPatience{30};

struct WriterOptions {
  std::filesystem::path repository;                            // a directory or s3://bucket[/prefix]
  repository::ObjectWriting objects;                           // of the latter; but see CollectionPlaces
  std::chrono::milliseconds lease{15'000};                     // a collection's, see WriterLease
  bool any_log = false;                                        // … LeaseTerms::any_log
  std::stop_token lease_stop;                                  // … ends the lease's requests
  std::chrono::milliseconds refresh{1000};                     // from one publication to the next
  std::uint64_t max_pending_bytes = std::uint64_t{256} << 20;  // accepted and not published, of a collection
  std::uint64_t memory_limit = std::uint64_t{256} << 20;       // of a build; at least pipeline::kMinMemoryLimit
  std::uint64_t compact_rate = 0;                              // bytes a second; 0: no limit
  std::uint64_t disk_reserve = std::uint64_t{64} << 20;
  std::uint32_t keep = 16;             // generations beside the current one
  std::uint32_t max_collections = 64;  // of a service
};

// What a service remembers of a collection that it can't write yet, between two tries.
struct Standby {
  repository::LeaseWatch watch;
  std::string log_id;  // of the log here; empty: not opened yet
};

// Of the service's writing, over all its collections.
struct WriteMetrics {
  explicit WriteMetrics(metrics::Registry& registry);
  metrics::Counter accepted, published, failed, compacted, compactions_failed;
  metrics::Counter lease_taken, lease_renewed, lease_failed, lease_lost, set_aside;
  metrics::Histogram publish_seconds;
  metrics::Gauge pending, pending_bytes, pending_seconds, not_indexed, writing, standby, refused;
};

// What all writers of a service share.
struct WriterService {
  WriterService(WriterOptions of_all, std::unique_ptr<CollectionPlaces> where, metrics::Registry& registry, Logger& to)
      : options(std::move(of_all)),
        places(std::move(where)),
        metrics(registry),
        log(to),
        merging(options.memory_limit) {}
  change::ChangeOptions target(const std::string& collection) const {
    return {options.repository, collection, options.disk_reserve, {}, options.objects, kLockPatience};
  }
  const WriterOptions options;
  const std::unique_ptr<CollectionPlaces> places;
  WriteMetrics metrics;
  Logger& log;
  // So that their memory is one limit's, one indexes or removes at a time, and merges wait for room.
  Mutex building;
  change::MergeRoom merging;
};

// Where a collection's leases are. Requests for them end in time for the next renewal, and at
// WriterOptions::lease_stop.
Result<std::unique_ptr<repository::LeasePlace>> lease_place(const WriterOptions& options,
                                                            const std::string& collection);

struct Published {
  Generation generation = 0;  // current then; 0: there is none
  Sequence sequence = 0;      // the last change that is in it
};

class CollectionWriter {
 public:
  // `service` and the folder outlive the writer. kOverloaded: another service has the collection; kNotFound: the
  // collection has neither a generation nor settings. `standby`: of this collection. kUnavailable also:
  // WriterLease::acquire(). kCorrupt also: its log has lost changes that were acknowledged.
  static Result<std::unique_ptr<CollectionWriter>> open(WriterService& service, const std::string& collection,
                                                        Standby& standby);
  // Makes a collection that has neither; false: it exists. kInvalid: the settings are wrong; kCorrupt: something that
  // is no collection's is in the way. What an earlier creation left that failed or died does not matter.
  static Result<bool> create(WriterService& service, const std::string& collection, std::string_view settings);
  // For a command, while no service writes the collection: see accept_loss() in log_head.h.
  static Result<LogLoss> accept_loss(const CollectionPlaces& places, const std::string& collection);
  // Ends its threads: at the next step of what they do. What waits stays in the log.
  ~CollectionWriter();
  CollectionWriter(const CollectionWriter&) = delete;
  CollectionWriter& operator=(const CollectionWriter&) = delete;

  // A document that a publication would refuse, found out before it is accepted. `line`: without its end. Gives its id.
  // kInvalid. Any thread. Commands may change the schema meanwhile: a document that is accepted may still be refused.
  Result<std::string> checked_id(const std::string& line);
  std::size_t most_record_bytes() const;  // of a line
  // Any thread; returns when it is synced. Errors as OperationLog::append(); kUnavailable also: the disk is almost
  // full, or the service ends.
  Result<Appended> accept(std::span<const Operation> operations, const std::optional<RequestMark>& mark);
  // A change that depends on what the document is, as LatestDocuments has it.
  struct DocumentChange {
    enum class Kind : std::uint8_t { kIndex, kCreate, kRemove };
    // Of a version that the client counts: greater than the document's, or not less.
    enum class Counted : std::uint8_t { kHere, kGreater, kNotLess };
    Kind kind = Kind::kIndex;
    std::string id;
    std::string line;                   // the document, without its version; empty: it is removed
    std::optional<Sequence> if_change;  // only if that was its last one; 0: none
    Counted counted = Counted::kHere;
    std::uint64_t version = 0;  // unless kHere
  };
  struct DocumentOutcome {
    enum class Kind : std::uint8_t { kCreated, kUpdated, kRemoved, kMissing, kConflict };
    Kind kind = Kind::kConflict;
    LatestDocument latest;  // afterwards; of a conflict: as it is
  };
  // Accepts those that agree with what their documents are, one after the other; then the rest is as accept(). What
  // other requests of accept() change at the same time may come in between. Documents are what others have written,
  // which may not be synced yet.
  Result<std::vector<DocumentOutcome>> change_documents(std::vector<DocumentChange> changes);
  // The documents as they are once all accepted changes are published. Any thread. kUnavailable, kCorrupt; kInvalid:
  // they have more than `most` bytes.
  Result<std::vector<LatestDocuments::Read>> latest(std::span<const std::string> ids, std::size_t most);
  bool keeps_sources() const;  // and with them the versions of documents and their last changes

  // What clients keep with the collection: {"metadata":{…},"schema":{…}}; empty: nothing. Its version changes with it.
  struct Metadata {
    Metadata() = default;
    explicit Metadata(std::string kept);
    std::string text, version;
  };
  Result<Metadata> metadata() const;
  // Keeps another one, if the version is still this one (empty: there is none). The schema, if it has one, is that of
  // later documents; it extends the collection's. kOverloaded: it is not that version; kInvalid: the schema is wrong or
  // extends not, or the text is no such object.
  Result<Metadata> put_metadata(std::string text, const std::string& version);

  // By which documents of the Elasticsearch API become records, as it is kept with the collection. kInvalid: none is.
  struct StoredMapping {
    std::shared_ptr<const elasticsearch::Mapping> mapping;
    bool in_schema =
        false;  // its columns are those of schema(): values that it takes need no other check of their type
  };
  Result<StoredMapping> mapping();

  // `done` is called once, on any thread: when what is accepted now is published; with kUnavailable if publishing
  // fails, or the writer ends. kOverloaded, at once: too many wait.
  void when_published(std::function<void(Result<Published>)> done);
  // Looks for something to merge soon.
  void compact_soon();
  // Makes another generation current, but for a request that came before: this one, as switch_to(), or without one that
  // before the current one, as rollback(). Gives which. Errors as RepositoryWriter's, and as known().
  Result<Generation> make_current(std::optional<Generation> generation, const std::optional<RequestMark>& mark);
  // As OperationLog's.
  Result<std::optional<std::uint64_t>> known(const RequestMark& mark) const { return operations_->known(mark); }
  Result<void> remember(const RequestMark& mark, std::uint64_t number) { return operations_->remember(mark, number); }
  // At the end of the service: from now on nothing is accepted or changed (kUnavailable), nothing is merged, and what
  // was accepted is published without waiting for WriterOptions::refresh.
  void stop_accepting();
  // After stop_accepting(). Whether all that was accepted is published, by `end`; it gives up before if what is stored
  // is damaged.
  bool await_published(std::chrono::steady_clock::time_point end);
  // Before the collection is removed: nothing is accepted any more, and its lease is neither renewed nor released.
  void abandon();
  // Another service has the collection now, or it was removed: nothing is accepted or published here any more.
  bool lost() const { return lease_ && lease_->lost(); }

  struct State {
    std::uint64_t pending_operations = 0, pending_bytes = 0;
    Sequence accepted = 0, published = 0;
    std::string error;  // of the last publication, if it failed
    NotIndexed::Listed not_indexed;
    bool compacting = false;
    std::uint64_t compaction_documents = 0, compaction_written = 0;
    std::uint64_t publishing_operations = 0;  // of the publication that runs; 0: none does
    std::uint64_t publishing_documents = 0, publishing_written = 0;
  };
  State state() const;

 private:
  using Done = std::function<void(Result<Published>)>;
  struct Waiting {
    Sequence sequence = 0;
    Done done;
  };
  CollectionWriter(WriterService& service, const std::string& collection);
  Result<void> take(Standby& standby);
  Result<void> take_lease(Standby& standby);
  Result<void> open_log(const std::optional<repository::Manifest>& current);
  Result<void> set_aside_overtaken(const std::optional<repository::LeaseRecord>& last, std::uint64_t epoch);
  void start();
  void lease_loop(const std::stop_token& stop);
  // As OperationLog's.
  Result<Appended> write(std::span<const Operation> operations, const std::optional<RequestMark>& mark);
  Result<void> sync(const Appended& appended, std::size_t operations);
  // Of a change that is being logged: it is counted in accepting_ until this ends.
  struct Accepting {
    CollectionWriter& writer;
    ~Accepting() { writer.end_accepting(); }
  };
  void end_accepting();
  Result<void> expect_going() const FROND_REQUIRES(mutex_);
  Result<void> expect_held() const { return lease_ ? lease_->expect_held() : Result<void>(); }
  void publish_loop(const std::stop_token& stop);
  void compact_loop(const std::stop_token& stop);
  Result<void> publish_next(std::size_t most, std::size_t& tried, const std::stop_token& stop);
  Result<void> index(OperationLog::Taken& taken, const std::stop_token& stop);
  void write_off(const OperationLog::Taken& taken);
  BuildOptions build_options(const std::filesystem::path& file, std::uint64_t documents, std::uint64_t bytes) const;
  Result<void> set_aside_next(const Error& why, const std::stop_token& stop);
  std::shared_ptr<const schema::Schema> schema() const;         // that documents are checked by
  std::shared_ptr<const schema::Schema> wanted_schema() const;  // null: the current generation has it
  Result<void> take_schema(const repository::Manifest& current);
  Result<void> renew_schema();
  Result<std::string> fault_of(const Operation& document, const std::stop_token& stop);
  Result<void> try_alone(const std::string& line, const std::stop_token& stop);
  Result<bool> compact_once(const std::stop_token& stop);
  Result<std::optional<Generation>> current() const;
  // The same right after a publication, without asking an object store again.
  Result<std::optional<Generation>> published_last() const;
  void answer(const Error* failed, bool damaged = false);
  Result<LatestDocuments*> latest_documents() FROND_REQUIRES(changing_);
  Result<void> take_wanted_schema(std::string_view metadata);
  std::uint64_t batch_bytes() const { return service_.options.memory_limit / 4; }  // of one publication

  WriterService& service_;
  const std::string collection_;
  const std::filesystem::path folder_;  // local
  Logger log_;
  const std::uint64_t most_for_a_record_;  // bytes that parsing it takes
  // Set by open().
  change::ChangeOptions target_;  // with the lease's epoch
  std::unique_ptr<repository::RepositorySource> source_;
  std::unique_ptr<OperationLog> operations_;
  std::unique_ptr<repository::LeasePlace> lease_place_;  // these two: null without leases
  std::unique_ptr<repository::WriterLease> lease_;
  std::unique_ptr<NotIndexed> not_indexed_;
  CollectionKind settings_;  // of its first generation; later ones have what the current one has
  // What was forgotten is published, too: a rollback may have made an older generation current.
  std::atomic<Sequence> published_ = 0;
  std::atomic<bool> compacting_ = false;
  std::atomic<std::size_t> partitions_ = 0;  // of the last publication
  change::CompactionProgress progress_;
  std::atomic<std::uint64_t> publishing_operations_ = 0, publishing_documents_ = 0;
  BuildProgress publishing_;  // of the last publication with documents

  // Held while a change looks at documents and is accepted, and while what is published is written off; taken first.
  Mutex changing_;
  std::unique_ptr<LatestDocuments> latest_ FROND_GUARDED_BY(changing_);  // null: nobody has asked yet
  mutable Mutex metadata_mutex_;                                         // of the file
  StoredMapping mapping_ FROND_GUARDED_BY(metadata_mutex_);              // of the file; null: it is not read yet
  std::shared_ptr<const schema::Schema> schema_of_mapping_ FROND_GUARDED_BY(metadata_mutex_);  // that it was looked for

  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  std::shared_ptr<const schema::Schema> wanted_schema_ FROND_GUARDED_BY(mutex_);  // of later documents; null: schema_
  std::shared_ptr<const schema::Schema> schema_ FROND_GUARDED_BY(mutex_);  // of the generation that was current last
  std::chrono::steady_clock::time_point schema_renewed_ FROND_GUARDED_BY(mutex_);
  std::vector<Waiting> waiting_ FROND_GUARDED_BY(mutex_);
  std::string error_ FROND_GUARDED_BY(mutex_);
  bool damaged_ FROND_GUARDED_BY(mutex_) = false;  // why the last one failed will not pass by itself
  bool ending_ FROND_GUARDED_BY(mutex_) = false;
  std::size_t accepting_ FROND_GUARDED_BY(mutex_) = 0;  // changes that are being logged
  bool compact_asked_ FROND_GUARDED_BY(mutex_) = true;  // what an earlier service left
  std::jthread publisher_, compactor_, leaser_;         // last: they end first
};

}  // namespace frond::indexer::write
