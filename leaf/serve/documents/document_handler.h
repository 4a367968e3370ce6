#pragma once
// Answers fetches: returns the stored fields that the request wants, for the documents in a result. A snippet is chosen
// by the query terms.
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "common/wire/messages.h"
#include "leaf/generation/served_generation.h"
#include "leaf/schedule/scheduler.h"
#include "leaf/serve/analyzer_pool.h"

namespace frond::leaf::serve {

// Memory that a fetch holds for its request and its reply's heads, about.
std::size_t bytes_of(const wire::FetchRequest& request);

class DocumentHandler {
 public:
  // A FetchReply, or an ErrorReply if nothing could be fetched (overload, deadline, unknown generation).
  using Done = std::function<void(wire::Reply)>;
  // Adds explanations for this search to documents of the generation (leaf/serve/documents/explanations.h).
  using Explain = std::function<Result<void>(const generation::ServedGeneration&, const wire::SearchRequest&, Deadline,
                                             std::span<wire::FetchedDocument>)>;

  // All outlive every fetch, so drain the schedulers first. `costly` runs fetches of many documents
  // (common/wire/messages.h); null: `scheduler` runs them too. `damage` may be null. Without `explain` no score is
  // explained.
  DocumentHandler(const generation::ServedBoard& board, schedule::Scheduler& scheduler, const Clock& clock,
                  schedule::Scheduler* costly = nullptr, generation::DamageLog* damage = nullptr, Explain explain = {})
      : board_(board),
        scheduler_(scheduler),
        costly_(costly != nullptr ? *costly : scheduler),
        clock_(clock),
        damage_(damage),
        explain_(std::move(explain)) {}
  // Fields are cut at the limits of ingest (common/text/limits.h), so that a reply has at most about 5 MB of them;
  // columns and explanations have half of a message's max size together. Explanations get half of the time that is left
  // when the documents have been read; one that is not made in time, or has no room, is an object that says so
  // (docs/http-api.md). Runs as interactive tasks, at most one per thread; at once if the caller is a task itself and
  // the documents are few. done() is called once, during the call or later, on any thread. What `deadline` points to
  // lives as long as `done`. A document is not `found` if it is not in the leaf's partitions, cannot be read, or is
  // reached after the deadline; `reason` says which. A request with `id` is for that document, whole: id, title and
  // URL, and so much of its body as the request wants, up to wire::kMaxFetchedBodyBytes. The leaf's partitions are
  // asked for it one after the other; an ErrorReply if one could not be asked (damage, the deadline) and no other has
  // it.
  void fetch(wire::FetchRequest request, Deadline deadline, Done done);

 private:
  void fetch_by_id(std::shared_ptr<const generation::ServedGeneration> generation, wire::FetchRequest request,
                   Deadline deadline, Done done);

  const generation::ServedBoard& board_;
  schedule::Scheduler& scheduler_;
  schedule::Scheduler& costly_;
  const Clock& clock_;
  generation::DamageLog* const damage_;
  const Explain explain_;
  AnalyzerPool analyzers_;
};

}  // namespace frond::leaf::serve
