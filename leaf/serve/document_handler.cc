#include "leaf/serve/document_handler.h"

#include <memory>
#include <utility>

#include "common/wire/cost.h"
#include "leaf/serve/document_query.h"

namespace frond::leaf::serve {

void DocumentHandler::fetch(wire::FetchRequest request, Deadline deadline, Done done) {
  auto generation = board_.find({request.generation, request.content}, clock_.now());
  if (generation == nullptr)
    return done(wire::ErrorReply{request.request_id,
                                 "generation " + std::to_string(request.generation) + " is not served",
                                 wire::UnsearchedReason::kUnknownGeneration});
  schedule::Scheduler& scheduler = wire::is_costly(request) ? costly_ : scheduler_;
  const auto query = std::make_shared<DocumentQuery>(std::move(generation), std::move(request), deadline, analyzers_,
                                                     clock_, damage_, std::move(done));
  if (query->is_short() && (scheduler_.runs_caller() || costly_.runs_caller())) return query->run_here();
  // At most one task for each thread: the workers, and the one thread that runs only interactive tasks.
  const Result<void> taken = scheduler.submit(query->tasks(scheduler.load().workers + 1), schedule::Lane::kInteractive);
  if (!taken) query->refuse(taken.error());
}

}  // namespace frond::leaf::serve
