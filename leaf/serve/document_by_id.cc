#include "leaf/serve/document_by_id.h"

#include <utility>

#include "common/text/utf8.h"
#include "common/wire/limits.h"

namespace frond::leaf::serve {
namespace {

// Adjacent generations may share a partition: one that is hidden here was removed, or replaced by a document elsewhere.
Result<partition::OwnedDocument> document_of(const generation::ServedPartition& partition, const std::string& id) {
  const DocId docid = FROND_TRY(partition.open->partition().docid_of(id));
  if (partition.hidden && partition.hidden->contains(docid)) return Error(Code::kNotFound, "it is hidden");
  return partition.open->partition().document(docid);
}

}  // namespace

wire::Reply find_document(const generation::ServedGeneration& generation, const wire::FetchRequest& request,
                          Deadline deadline, const Clock& clock, generation::DamageLog* damage) {
  Result<void> failure;
  for (const generation::ServedPartition& partition : generation.partitions) {
    if (deadline.passed(clock)) {
      failure = Error(Code::kDeadline, "the deadline passed");
      break;
    }
    auto document = document_of(partition, request.id);
    if (document) {
      if (document->body.size() > wire::kMaxFetchedBodyBytes)
        document->body.resize(text::utf8_boundary(document->body, wire::kMaxFetchedBodyBytes));
      wire::FetchReply reply{request.request_id, {}};
      reply.documents.push_back({.found = true,
                                 .id = std::move(document->id),
                                 .title = std::move(document->title),
                                 .url = std::move(document->url),
                                 .body = std::move(document->body)});
      return reply;
    }
    if (document.error().code() == Code::kNotFound) continue;
    if (damage != nullptr) damage->report(*partition.open, document.error());
    failure = document.error();
  }
  if (!failure)
    return wire::ErrorReply{request.request_id, failure.error().message(), wire::reason_of(failure.error().code())};
  return wire::FetchReply{request.request_id, {}};
}

}  // namespace frond::leaf::serve
