#include "leaf/serve/document_handler.h"

#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "common/wire/messages.h"
#include "leaf/serve/document_by_id.h"
#include "leaf/serve/document_query.h"

namespace frond::leaf::serve {

void DocumentHandler::fetch(wire::FetchRequest request, Deadline deadline, Done done) {
  auto generation = board_.find({request.generation, request.content}, clock_.now());
  if (generation == nullptr)
    return done(wire::ErrorReply{request.request_id,
                                 "generation " + std::to_string(request.generation) + " is not served",
                                 wire::UnsearchedReason::kUnknownGeneration});
  if (!request.id.empty()) return fetch_by_id(std::move(generation), std::move(request), deadline, std::move(done));
  schedule::Scheduler& scheduler = wire::is_costly(request) ? costly_ : scheduler_;
  const auto query = std::make_shared<DocumentQuery>(std::move(generation), std::move(request), deadline, analyzers_,
                                                     clock_, damage_, std::move(done));
  if (query->is_short() && (scheduler_.runs_caller() || costly_.runs_caller())) return query->run_here();
  // At most one task for each thread: the workers, and the one thread that runs only interactive tasks.
  const Result<void> taken = scheduler.submit(query->tasks(scheduler.load().workers + 1), schedule::Lane::kInteractive);
  if (!taken) query->refuse(taken.error());
}

// It reads the disk, whatever is in memory.
void DocumentHandler::fetch_by_id(std::shared_ptr<const generation::ServedGeneration> generation,
                                  wire::FetchRequest request, Deadline deadline, Done done) {
  const std::uint64_t id = request.request_id;
  const auto refuse = [id, done](const Error& why) {
    done(wire::ErrorReply{id, why.message(), wire::reason_of(why.code())});
  };
  schedule::Task task;
  task.deadline = deadline;
  task.run = [this, generation = std::move(generation), request = std::move(request), deadline, done,
              refuse](const Result<std::chrono::microseconds>& waited) {
    if (!waited) return refuse(waited.error());
    std::optional<wire::Reply> reply;
    try {
      reply = find_document(*generation, request, deadline, clock_, damage_);
    } catch (const std::exception& e) {  // out of memory
      return refuse(Error(Code::kOverloaded, e.what()));
    }
    done(*std::move(reply));
  };
  const Result<void> taken = costly_.submit({std::move(task)}, schedule::Lane::kInteractive);
  if (!taken) refuse(taken.error());
}

}  // namespace frond::leaf::serve
