#pragma once
// One fetch of documents by ordinal.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "common/base/deadline.h"
#include "common/base/mutex.h"
#include "common/base/result.h"
#include "common/text/analyzer.h"
#include "common/wire/messages.h"
#include "leaf/generation/served_generation.h"
#include "leaf/schedule/scheduler.h"
#include "leaf/serve/analyzer_pool.h"
#include "leaf/serve/documents/document_handler.h"

namespace frond::leaf::serve {

// One fetch in flight. Its documents are sorted in storage order and cut into pieces. Tasks take the pieces one after
// the other. The closures of its tasks own the object. One task writes each piece; the countdown orders its writes
// before the reply is read.
//
// The task that finishes the last piece sends the reply; tasks that start later find nothing to do. So a fetch never
// waits for a task that has not started, however busy the other workers are.
class DocumentQuery : public std::enable_shared_from_this<DocumentQuery> {
 public:
  using Done = DocumentHandler::Done;
  // A document to read.
  struct Place {
    const generation::ServedPartition* partition = nullptr;
    DocId docid = 0;
    std::size_t asked = 0;  // index in the request and in the reply
  };
  // `analyzers`, `clock`, `damage` and `explain` outlive it. `done` is called once, by a task.
  DocumentQuery(std::shared_ptr<const generation::ServedGeneration> generation, wire::FetchRequest request,
                Deadline deadline, AnalyzerPool& analyzers, const Clock& clock, generation::DamageLog* damage,
                const DocumentHandler::Explain& explain, Done done);
  // At most `workers` tasks, and at least one; fewer if there are few documents.
  std::vector<schedule::Task> tasks(std::size_t workers);
  // Whether it has one piece, about a millisecond of work.
  bool is_short() const { return pieces() == 1; }
  // Replies with the error, in place of tasks().
  void refuse(const Error& why) const {
    done_(wire::ErrorReply{request_.request_id, why.message(), wire::reason_of(why.code())});
  }
  // Reads all documents on the caller's thread, in place of tasks().
  void run_here() { run(std::chrono::microseconds(0)); }

 private:
  std::size_t pieces() const;
  std::pair<std::size_t, std::size_t> places_of(std::size_t piece) const;  // from, and to without it
  void run(const Result<std::chrono::microseconds>& waited);
  void read(std::size_t piece);
  void read(std::size_t piece, text::Analyzer* analyzer);  // null: without snippets
  Result<void> show_columns(const Place& place, wire::FetchedDocument& fetched);
  void fail(std::size_t piece, const Error& why);
  void finish();
  void add_explanations();

  const std::shared_ptr<const generation::ServedGeneration> generation_;
  const wire::FetchRequest request_;
  const Deadline deadline_;
  AnalyzerPool& analyzers_;
  const Clock& clock_;
  generation::DamageLog* const damage_;  // may be null
  const DocumentHandler::Explain& explain_;
  const Done done_;
  std::vector<Place> places_;  // by partition, then docID; only documents of this leaf's partitions
  wire::FetchReply reply_;
  std::atomic<std::size_t> next_{0}, left_;  // pieces
  std::atomic<std::size_t> columns_bytes_{0};
  Mutex mutex_;
  std::optional<Error> failure_ FROND_GUARDED_BY(mutex_);  // the first failure
};

}  // namespace frond::leaf::serve
