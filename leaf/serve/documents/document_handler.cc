#include "leaf/serve/documents/document_handler.h"

#include <memory>
#include <string>
#include <utility>

#include "common/base/result.h"
#include "common/wire/messages.h"
#include "leaf/serve/documents/document_query.h"

namespace frond::leaf::serve {

std::size_t bytes_of(const wire::FetchRequest& request) {
  std::size_t bytes = sizeof(DocumentQuery) + request.id.capacity();
  bytes += request.ordinals.size() * (sizeof(Ordinal) + sizeof(DocumentQuery::Place) + sizeof(wire::FetchedDocument));
  for (const std::string& term : request.terms) bytes += sizeof term + term.capacity();
  for (const std::string& name : request.columns) bytes += sizeof name + name.capacity();
  if (request.explain == nullptr) return bytes;
  bytes += sizeof(wire::SearchRequest) + 8 * request.explain->clause.size();
  for (const wire::QueryTerm& term : request.explain->terms) bytes += sizeof term + term.text.capacity();
  return bytes;
}

void DocumentHandler::fetch(wire::FetchRequest request, Deadline deadline, Done done) {
  auto generation = board_.find({request.generation, request.content}, clock_.now());
  if (generation == nullptr)
    return done(wire::ErrorReply{request.request_id,
                                 "generation " + std::to_string(request.generation) + " is not served",
                                 wire::UnsearchedReason::kUnknownGeneration});
  if (!request.id.empty()) return fetch_by_id(std::move(generation), std::move(request), deadline, std::move(done));
  schedule::Scheduler& scheduler = wire::is_costly(request) ? costly_ : scheduler_;
  const auto query = std::make_shared<DocumentQuery>(std::move(generation), std::move(request), deadline, analyzers_,
                                                     clock_, damage_, explain_, std::move(done));
  if (query->is_short() && (scheduler_.runs_caller() || costly_.runs_caller())) return query->run_here();
  // At most one task for each thread: the workers, and the one thread that runs only interactive tasks.
  const Result<void> taken = scheduler.submit(query->tasks(scheduler.load().workers + 1), schedule::Lane::kInteractive);
  if (!taken) query->refuse(taken.error());
}

}  // namespace frond::leaf::serve
