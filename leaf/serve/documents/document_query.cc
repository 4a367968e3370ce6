#include "leaf/serve/documents/document_query.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <string>
#include <tuple>

#include "common/partition/documents/document_block.h"
#include "common/text/limits.h"
#include "common/text/snippets/snippet.h"
#include "common/text/utf8.h"
#include "leaf/serve/documents/shown_columns.h"

namespace frond::leaf::serve {
namespace {

// About a millisecond of work, so the cost of handing a piece to another thread does not matter.
constexpr std::size_t kDocumentsAPiece = 32;

// Asks each partition in turn for the ordinal: a leaf has few partitions.
std::pair<const generation::ServedPartition*, DocId> place_of(const generation::ServedGeneration& generation,
                                                              Ordinal ordinal) {
  for (const generation::ServedPartition& one : generation.partitions) {
    if (const std::optional<DocId> docid = one.placement.docid(ordinal)) return {&one, *docid};
  }
  return {};
}

// Cuts between characters, to at most `most` bytes.
std::string_view cut(std::string_view field, std::size_t most) {
  return field.size() <= most ? field : field.substr(0, text::utf8_boundary(field, most));
}

// A document that the store lacks is one that its partition should have.
wire::UnsearchedReason reason_of(const Error& why) {
  return why.code() == Code::kNotFound ? wire::UnsearchedReason::kCorrupt : wire::reason_of(why.code());
}

// These limits keep every reply far below the max size of a message. A snippet has kSnippetBytes and, for marks and
// ellipses, at most about as much again. Cap'n Proto adds less than a hundred bytes.
constexpr std::size_t kMaxShownBytes = text::kMaxIdBytes + text::kMaxTitleBytes + text::kMaxUrlBytes;
static_assert(wire::kMaxOrdinals * (kMaxShownBytes + 4 * text::kSnippetBytes + 128) < wire::kMaxMessageBytes / 8);

// Columns and explanations together.
constexpr std::size_t kMaxColumnsOfReply = wire::kMaxMessageBytes / 2;

// A snippet is the same as if the whole body were read: the window may end a little after the last match.
static_assert(partition::document_block_bytes(partition::StoredCompression::kFast) + kMaxShownBytes +
                  text::kSnippetScanBytes + 4 * text::kSnippetBytes <
              partition::kMaxFrontBytes);

}  // namespace

DocumentQuery::DocumentQuery(std::shared_ptr<const generation::ServedGeneration> generation, wire::FetchRequest request,
                             Deadline deadline, AnalyzerPool& analyzers, const Clock& clock,
                             generation::DamageLog* damage, const DocumentHandler::Explain& explain, Done done)
    : generation_(std::move(generation)),
      request_(std::move(request)),
      deadline_(deadline),
      analyzers_(analyzers),
      clock_(clock),
      damage_(damage),
      explain_(explain),
      done_(std::move(done)),
      reply_{request_.request_id, {}} {
  reply_.documents.resize(request_.ordinals.size());
  places_.reserve(request_.ordinals.size());
  for (std::size_t i = 0; i < request_.ordinals.size(); ++i) {
    reply_.documents[i].ordinal = request_.ordinals[i];
    const auto [partition, docid] = place_of(*generation_, request_.ordinals[i]);
    if (partition == nullptr) continue;
    places_.push_back({partition, docid, i});
    reply_.documents[i].reason = wire::UnsearchedReason::kDeadline;  // only the deadline ends reading before its end
  }
  std::sort(places_.begin(), places_.end(), [](const Place& a, const Place& b) {
    return std::tie(a.partition->number, a.docid) < std::tie(b.partition->number, b.docid);
  });
  left_ = pieces();
}

// At least one, so that a task sends the reply even if there is nothing to read.
std::size_t DocumentQuery::pieces() const {
  return std::max<std::size_t>(1, (places_.size() + kDocumentsAPiece - 1) / kDocumentsAPiece);
}

std::pair<std::size_t, std::size_t> DocumentQuery::places_of(std::size_t piece) const {
  const std::size_t begin = std::min(piece * kDocumentsAPiece, places_.size());
  return {begin, std::min(begin + kDocumentsAPiece, places_.size())};
}

std::vector<schedule::Task> DocumentQuery::tasks(std::size_t workers) {
  schedule::Task task;
  task.deadline = deadline_;
  task.run = [self = shared_from_this()](const Result<std::chrono::microseconds>& waited) { self->run(waited); };
  return {std::clamp<std::size_t>(workers, 1, pieces()), task};
}

void DocumentQuery::run(const Result<std::chrono::microseconds>& waited) {
  while (next_.load(std::memory_order_relaxed) < pieces()) {
    const std::size_t piece = next_.fetch_add(1);
    if (piece >= pieces()) return;
    if (!waited) {
      fail(piece, waited.error());
    } else {
      try {
        read(piece);
      } catch (const std::exception& e) {  // out of memory
        fail(piece, Error(Code::kOverloaded, e.what()));
      }
    }
    if (left_.fetch_sub(1) == 1) finish();
  }
}

void DocumentQuery::read(std::size_t piece) {
  if ((request_.fields & wire::kFieldSnippet) == 0) return read(piece, nullptr);
  const AnalyzerPool::Lease analyzer = analyzers_.take(generation_->analyzer);
  read(piece, &*analyzer);
}

void DocumentQuery::read(std::size_t piece, text::Analyzer* analyzer) {
  const auto wanted = [&](std::uint8_t field) { return (request_.fields & field) != 0; };
  const auto [begin, end] = places_of(piece);
  std::vector<DocId> docids;
  docids.reserve(end - begin);
  for (std::size_t from = begin, to = begin; from < end; from = to) {
    docids.clear();
    for (; to < end && places_[to].partition == places_[from].partition; ++to) docids.push_back(places_[to].docid);
    const auto take = [&](std::size_t i, const Result<partition::StoredDocument>& document) {
      if (deadline_.passed(clock_)) return false;
      wire::FetchedDocument& fetched = reply_.documents[places_[from + i].asked];
      if (!document) {
        fetched.reason = reason_of(document.error());
        if (damage_ != nullptr) damage_->report(*places_[from].partition->open, document.error());
        return true;
      }
      // Today's limits of ingest; an older partition may exceed them.
      fetched.id = cut(document->id, text::kMaxIdBytes);
      if (wanted(wire::kFieldTitle)) fetched.title = cut(document->title, text::kMaxTitleBytes);
      // A cut URL would lead elsewhere.
      if (wanted(wire::kFieldUrl) && document->url.size() <= text::kMaxUrlBytes) fetched.url = document->url;
      if (analyzer != nullptr)
        fetched.snippet = text::snippet(*analyzer, document->body, request_.terms, text::kSnippetBytes);
      if (auto shown = show_columns(places_[from + i], fetched); !shown) {
        fetched.reason = reason_of(shown.error());
        if (damage_ != nullptr) damage_->report(*places_[from].partition->open, shown.error());
        return true;
      }
      fetched.found = true;
      return true;
    };
    if (deadline_.passed(clock_)) return;
    const partition::Partition& partition = places_[from].partition->open->partition();
    if (analyzer != nullptr)
      partition.read_documents(docids, std::ref(take));  // by reference: a copy would allocate
    else
      partition.read_heads(docids, std::ref(take));
  }
}

// kOverloaded: they are too many for the reply.
Result<void> DocumentQuery::show_columns(const Place& place, wire::FetchedDocument& fetched) {
  if (request_.columns.empty() || generation_->schema == nullptr) return {};
  const auto too_large = [] { return Error(Code::kOverloaded, "the documents are too large for one reply"); };
  if (columns_bytes_.load() >= kMaxColumnsOfReply) return too_large();  // nothing more is read
  FROND_TRY(place.partition->open->intact());
  fetched.columns =
      FROND_TRY(shown_columns(*generation_->schema, place.partition->open->partition(), place.docid, request_.columns));
  if (columns_bytes_.fetch_add(fetched.columns.size()) + fetched.columns.size() <= kMaxColumnsOfReply) return {};
  columns_bytes_.fetch_sub(fetched.columns.size());  // smaller ones may fit
  fetched.columns.clear();
  return too_large();
}

// What the piece has not read is not found for this reason.
void DocumentQuery::fail(std::size_t piece, const Error& why) {
  const auto [begin, end] = places_of(piece);
  for (std::size_t i = begin; i < end; ++i) {
    wire::FetchedDocument& document = reply_.documents[places_[i].asked];
    if (!document.found) document.reason = reason_of(why);
  }
  const MutexLock lock(mutex_);
  if (!failure_) failure_ = why;
}

void DocumentQuery::finish() {
  std::optional<Error> failure;
  {
    const MutexLock lock(mutex_);
    failure = failure_;
  }
  const auto late = [](const wire::FetchedDocument& one) {
    return !one.found && one.reason == wire::UnsearchedReason::kDeadline;
  };
  const bool any = std::any_of(reply_.documents.begin(), reply_.documents.end(),
                               [](const wire::FetchedDocument& one) { return one.found; });
  if (failure && !any) return refuse(*failure);
  if (!any && std::any_of(reply_.documents.begin(), reply_.documents.end(), late))
    return refuse(Error(Code::kDeadline, "the time was over before a document was read"));
  if (request_.explain != nullptr && explain_) add_explanations();
  done_(std::move(reply_));
}

// Documents are worth more than their explanations: these get half of the time that is left, and of the reply the room
// that columns leave. What is lacking says so.
void DocumentQuery::add_explanations() {
  Result<void> made;
  try {
    made = explain_(*generation_, *request_.explain, deadline_.half(clock_), reply_.documents);
  } catch (const std::exception&) {  // out of memory
    made = Error(Code::kOverloaded, "out of memory");
  }
  const bool late = !made && made.error().code() == Code::kDeadline;
  const auto without = [](const char* why) { return std::string(wire::kExplanationMissing) + '"' + why + "\"}"; };
  std::size_t bytes = columns_bytes_.load();
  for (wire::FetchedDocument& one : reply_.documents) {
    if (bytes + one.explanation.size() > kMaxColumnsOfReply) {
      one.explanation = without("there was no room for it");
    } else if (one.found && one.explanation.empty() && !made) {
      one.explanation = without(late ? "the time was over" : "it could not be made");
    } else {
      bytes += one.explanation.size();
    }
  }
}

}  // namespace frond::leaf::serve
