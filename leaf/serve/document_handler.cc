#include "leaf/serve/document_handler.h"

#include <exception>

#include "common/text/snippet.h"
#include "leaf/serve/unsearched_reason.h"

namespace frond::leaf {
namespace {

struct Place {
  const ServedPartition* partition = nullptr;
  DocId docid = 0;
};

// Partitions of a leaf are few: each is asked in turn whether the ordinal is one of its own.
Place place_of(const ServedGeneration& generation, Ordinal ordinal) {
  for (const ServedPartition& one : generation.partitions) {
    if (ordinal < one.base || (ordinal - one.base) % one.stride != 0) continue;
    const std::uint64_t docid = (ordinal - one.base) / one.stride;
    if (docid < one.open->partition().documents()) return {&one, static_cast<DocId>(docid)};
  }
  return {};
}

wire::ErrorReply refusal(std::uint64_t request_id, const Error& why) {
  return {request_id, why.message(), reason_of(why.code())};
}

}  // namespace

void DocumentHandler::fetch(wire::FetchRequest request, Deadline deadline, Done done) {
  const std::uint64_t request_id = request.request_id;
  auto generation = board_.find(request.generation, clock_.now());
  if (generation == nullptr)
    return done(wire::ErrorReply{request_id, "generation " + std::to_string(request.generation) + " is not served",
                                 wire::Unsearched::kUnknownGeneration});
  std::vector<Task> tasks(1);
  tasks[0].deadline = deadline;
  tasks[0].run = [this, generation, deadline, done,
                  asked = std::move(request)](const Result<std::chrono::microseconds>& waited) {
    if (!waited) return done(refusal(asked.request_id, waited.error()));
    try {
      done(read(*generation, asked, deadline));
    } catch (const std::exception& e) {
      done(wire::ErrorReply{asked.request_id, e.what(), wire::Unsearched::kOverloaded});
    }
  };
  const Result<void> taken = scheduler_.submit(std::move(tasks), Lane::kInteractive);
  if (!taken) done(refusal(request_id, taken.error()));
}

wire::FetchReply DocumentHandler::read(const ServedGeneration& generation, const wire::FetchRequest& request,
                                       Deadline deadline) {
  wire::FetchReply reply{request.request_id};
  reply.documents.reserve(request.ordinals.size());
  const AnalyzerPool::Lease analyzer = analyzers_.take(generation.analyzer);
  for (const Ordinal ordinal : request.ordinals) {
    wire::FetchedDocument& fetched = reply.documents.emplace_back();
    fetched.ordinal = ordinal;
    if (deadline.passed(clock_)) continue;
    const Place place = place_of(generation, ordinal);
    if (place.partition == nullptr) continue;
    Result<partition::OwnedDocument> document = place.partition->open->partition().document(place.docid);
    if (!document) continue;
    fetched.found = true;
    fetched.id = std::move(document->id);
    fetched.title = std::move(document->title);
    fetched.url = std::move(document->url);
    fetched.snippet = text::snippet(*analyzer, document->body, request.terms, text::kSnippetBytes);
  }
  return reply;
}

}  // namespace frond::leaf
