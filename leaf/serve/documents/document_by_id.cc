// Fetches a document by its external id.
#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "common/text/limits.h"
#include "common/text/utf8.h"
#include "common/wire/messages.h"
#include "leaf/serve/documents/document_handler.h"
#include "leaf/serve/documents/shown_columns.h"

namespace frond::leaf::serve {
namespace {

// With the longest body there is room for the other fields in a message.
constexpr std::size_t kMaxColumnsOfDocument =
    wire::kMaxMessageBytes - wire::kMaxFetchedBodyBytes - (std::size_t{1} << 20);
static_assert(kMaxColumnsOfDocument <= wire::kMaxColumnsBytes);

struct WholeDocument : partition::OwnedDocument {
  std::string columns;
};

// Adjacent generations may share a partition: one that is hidden here was removed, or replaced by a document elsewhere.
Result<WholeDocument> document_of(const generation::ServedGeneration& generation,
                                  const generation::ServedPartition& served, const wire::FetchRequest& request) {
  FROND_TRY(served.open->intact());
  const partition::Partition& partition = served.open->partition();
  const DocId docid = FROND_TRY(partition.docid_of(request.id));
  if (served.hidden && served.hidden->contains(docid)) return Error(Code::kNotFound, "it is hidden");
  WholeDocument document{FROND_TRY(partition.document(docid)), {}};
  if (!request.columns.empty() && generation.schema != nullptr)
    document.columns = FROND_TRY(shown_columns(*generation.schema, partition, docid, request.columns));
  if (document.columns.size() > kMaxColumnsOfDocument)
    return Error(Code::kOverloaded, "the document's columns are too large for one reply");
  return document;
}

// Between characters. True: it was longer.
bool shorten(std::string& field, std::size_t most) {
  if (field.size() <= most) return false;
  field.resize(text::utf8_boundary(field, most));
  return true;
}

// A FetchReply with the document, or without any if no partition has it. Reads the disk.
wire::Reply find_document(const generation::ServedGeneration& generation, const wire::FetchRequest& request,
                          Deadline deadline, const Clock& clock, generation::DamageLog* damage) {
  Result<void> failure;
  for (const generation::ServedPartition& partition : generation.partitions) {
    if (deadline.passed(clock)) {
      failure = Error(Code::kDeadline, "the deadline passed");
      break;
    }
    auto document = document_of(generation, partition, request);
    if (document) {
      const std::size_t asked = request.body_bytes == 0 ? wire::kMaxFetchedBodyBytes : request.body_bytes;
      const bool truncated = shorten(document->body, std::min(asked, wire::kMaxFetchedBodyBytes));
      shorten(document->title, text::kMaxTitleBytes);
      shorten(document->url, text::kMaxUrlBytes);
      wire::FetchReply reply{request.request_id, {}};
      reply.documents.push_back({.found = true,
                                 .id = std::move(document->id),
                                 .title = std::move(document->title),
                                 .url = std::move(document->url),
                                 .body = std::move(document->body),
                                 .truncated = truncated,
                                 .columns = std::move(document->columns)});
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

}  // namespace

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
