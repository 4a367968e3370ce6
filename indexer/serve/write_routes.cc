#include "indexer/serve/routes.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/lines.h"
#include "common/text/limits.h"
#include "common/tls/digest.h"

namespace frond::indexer::serve {
namespace {
using http::problem;
using http::Request;
using http::Response;
using nlohmann::ordered_json;
using write::CollectionWriter;
using write::Operation;

constexpr std::string_view kDocuments = "/v1/collections/{collection}/documents";
constexpr std::string_view kDocument = "/v1/collections/{collection}/documents/{id}";
constexpr std::string_view kRefresh = "/v1/collections/{collection}/refresh";
constexpr std::string_view kCompact = "/v1/collections/{collection}/compact";
constexpr std::string_view kRollback = "/v1/collections/{collection}/rollback";
constexpr std::string_view kSwitch = "/v1/collections/{collection}/switch";
constexpr std::string_view kJobs = "/v1/collections/{collection}/jobs";
constexpr std::string_view kGenerations = "/v1/collections/{collection}/generations";
constexpr std::string_view kChanges = "/v1/collections/{collection}/changes";
constexpr std::string_view kLatest = "/v1/collections/{collection}/latest";
constexpr std::string_view kMetadata = "/v1/collections/{collection}/metadata";
constexpr std::string_view kCommonMetadata = "/v1/metadata";
constexpr std::size_t kMaxSettings = 64 << 10, kMaxIdList = 8 << 20;
constexpr std::size_t kMaxKeyBytes = 128;

Response closed() {
  return problem(403, "Forbidden", "Nothing is written here: the service was started without --api-keys.");
}
// What a collection's writer could not be had for.
Response refused(const Error& error) {
  if (error.code() == Code::kNotFound) return problem(404, "Not found", "There is no such collection.");
  return with_retry(problem(503, "Unavailable", "The collection can't be written now: " + error.message() + "."));
}
// What a change could not be accepted for.
Response not_accepted(const Error& error) {
  if (error.code() == Code::kOverloaded)
    return with_retry(problem(429, "Too many requests", "Of this collection, " + error.message() + "."));
  if (error.code() == Code::kInvalid) return problem(422, "Unprocessable content", error.message() + ".");
  return with_retry(problem(503, "Unavailable", "The change is not acknowledged: " + error.message() + "."));
}

struct ParsedLines {
  std::vector<Operation> operations;
  std::string statuses;  // NDJSON
  std::size_t refused = 0;
};
// What a request holds while it is worked on, beside its body: first the lines as operations and their statuses, then,
// when the operations have taken the body's place, the batch that is logged and the log's copy of it.
std::size_t bytes_of_work(const Request& request) {
  constexpr std::size_t kLineBytes = sizeof(Operation) + 64, kShortLine = 8;
  return 2 * request.body.size() + kLineBytes * std::min(kMaxLines, request.body.size() / kShortLine);
}
// The same of documents that are read: as long as usual ones, and once more in the answer. Their ids have three bytes
// at least.
std::size_t bytes_of_latest(std::size_t body) {
  constexpr std::size_t kUsualDocument = 64 << 10;
  return 2 * std::min(kMaxLatestBytes, body / 3 * kUsualDocument);
}
// nullopt: too many lines.
std::optional<ParsedLines> parse_lines(const std::string& body, CollectionWriter& writer) {
  constexpr std::size_t kMaxDetailBytes = 400;
  ParsedLines parsed;
  std::size_t told = 0;
  Lines lines(body);
  while (const auto next = lines.next()) {
    std::string line(*next);
    if (line.find_first_not_of(" \t") == std::string::npos) continue;
    if (++told > kMaxLines) return std::nullopt;
    auto id = writer.checked_id(line);
    ordered_json status = {{"line", lines.number()}};
    if (id) {
      status["id"] = *id;
      status["status"] = 200;
      parsed.operations.push_back({*std::move(id), std::move(line)});
    } else {
      status["status"] = 400;
      if (++parsed.refused <= kMaxDetails) status["detail"] = id.error().message().substr(0, kMaxDetailBytes);
    }
    parsed.statuses += dumped(status);
  }
  return parsed;
}

// What is asked beside the body; empty: to take documents. kInvalid: it is no key.
Result<std::optional<write::RequestMark>> mark_of(const Request& request, const std::string& asked = {}) {
  const auto field = std::ranges::find(request.headers, "idempotency-key", &std::pair<std::string, std::string>::first);
  if (field == request.headers.end()) return std::optional<write::RequestMark>();
  const std::string_view key = field->second;
  const bool printable = std::ranges::all_of(key, [](char c) { return c >= ' ' && c <= '~'; });
  if (key.empty() || key.size() > kMaxKeyBytes || !printable)
    return Error(Code::kInvalid, "Idempotency-Key: 1 to 128 printable characters are needed");
  const tls::Sha256 digest =
      tls::sha256(asked.empty() ? request.body : std::string("\0", 1) + asked + "\n" + request.body);
  return std::optional<write::RequestMark>({std::string(key), std::string(digest.begin(), digest.end())});
}

Response no_key(const Error& error) { return problem(400, "Bad request", error.message() + ".", "Idempotency-Key"); }
// `missing`: what is answered if it is not there.
Response made_current(const Result<Generation>& generation, std::string missing) {
  if (generation) return {.body = dumped({{"generation", *generation}})};
  // The key came with another body, or another request, before.
  const std::string told = generation.error().message() + ".";
  if (generation.error().code() == Code::kInvalid) return problem(422, "Unprocessable content", told);
  if (generation.error().code() == Code::kNotFound) return problem(409, "Conflict", std::move(missing));
  return with_retry(problem(503, "Unavailable", told));
}

Response post_documents(CollectionWriter& writer, Request& request) {
  if (auto other = other_than_lines(request)) return *std::move(other);
  const auto mark = mark_of(request);
  if (!mark) return no_key(mark.error());
  auto parsed = parse_lines(request.body, writer);
  if (!parsed)
    return problem(413, "Content too large",
                   "A request may have " + std::to_string(kMaxLines) + " documents: send them in several.");
  std::string().swap(request.body);  // the operations have it
  const auto accepted = writer.accept(parsed->operations, *mark);
  if (!accepted) return not_accepted(accepted.error());
  return {.content_type = "application/x-ndjson",
          .body = std::move(parsed->statuses),
          .headers = {{"Frond-Sequence", std::to_string(accepted->last)},
                      {"Frond-Refused-Lines", std::to_string(parsed->refused)},
                      {"Cache-Control", "no-store"}}};
}

Response delete_document(CollectionWriter& writer, Request& request) {
  auto id = http::path_value(request.path, kDocument, 1);
  if (!id) return problem(400, "Bad request", id.error().message() + ".", "id");
  if (id->empty() || id->size() > text::kMaxIdBytes)
    return problem(400, "Bad request", "An id has 1 to " + std::to_string(text::kMaxIdBytes) + " bytes.", "id");
  const Operation removal{*std::move(id), ""};
  const auto mark = mark_of(request, "remove " + removal.id);
  if (!mark) return no_key(mark.error());
  const auto accepted = writer.accept({&removal, 1}, *mark);
  if (!accepted) return not_accepted(accepted.error());
  return {.body = dumped({{"id", removal.id}, {"sequence", accepted->last}})};
}

Response put_collection(write::WrittenCollections& collections, const ServedRepository& repository,
                        const Request& request) {
  const std::string name = collection_of(request, kCollectionPath);
  const auto mark = mark_of(request, "create");
  if (!mark) return no_key(mark.error());
  const auto made = collections.create(name, request.body);
  if (!made && made.error().code() == Code::kInvalid) return problem(400, "Bad request", made.error().message() + ".");
  if (!made && made.error().code() == Code::kCorrupt) return problem(409, "Conflict", made.error().message() + ".");
  if (!made) return with_retry(problem(503, "Unavailable", made.error().message() + "."));
  const auto writer = collections.find(name);
  if (*made && *mark && writer) (void)(*writer)->remember(**mark, 0);  // else a repeat is answered 409
  const auto known = *mark && writer && !*made ? (*writer)->known(**mark) : Result<std::optional<std::uint64_t>>({});
  const bool repeated = known && *known;
  if (!*made && !repeated) {
    return problem(409, "Conflict",
                   "There is a collection " + name + " already" +
                       (writer ? "." : ", which can't be written now: " + writer.error().message() + "."));
  }
  Response described = describe_collection(repository, name, &collections);
  described.status = 201;
  return described;
}

Response delete_collection(write::WrittenCollections& collections, const Request& request) {
  const std::string name = collection_of(request, kCollectionPath);
  // Where keys are kept is removed, too, so a repeat could not be told from a removal of what was made since.
  if (!request.header("idempotency-key").empty())
    return problem(400, "Bad request", "A collection is removed without an Idempotency-Key: it can't be kept.",
                   "Idempotency-Key");
  const auto removed = collections.remove(name);
  if (!removed && removed.error().code() == Code::kNotFound) return refused(removed.error());
  if (!removed)
    return with_retry(
        problem(503, "Unavailable", "The collection can't be removed now: " + removed.error().message() + "."));
  return {.body = dumped({{"collection", name}, {"removed", true}})};
}

// Answers when what is accepted is published.
void refresh(write::WrittenCollections& collections, const Request& request, http::Responder responder) {
  const auto writer = collections.find(collection_of(request, kRefresh));
  if (!writer) return responder.send(refused(writer.error()));
  const auto answer = std::make_shared<http::Responder>(std::move(responder));
  (*writer)->when_published([answer](const Result<write::Published>& published) {
    if (published) {
      const ordered_json generation = published->generation > 0 ? ordered_json(published->generation) : nullptr;
      return answer->send({.body = dumped({{"generation", generation}, {"sequence", published->sequence}})});
    }
    if (published.error().code() == Code::kOverloaded)
      return answer->send(with_retry(problem(429, "Too many requests", published.error().message() + ".")));
    answer->send(with_retry(problem(
        503, "Unavailable",
        "Publishing failed: " + published.error().message() + ". What was accepted is kept, and it is tried again.")));
  });
}

Response compact(CollectionWriter& writer, Request&) {
  writer.compact_soon();
  return {.status = 202, .body = dumped({{"compaction", "soon"}})};
}

Response rollback(CollectionWriter& writer, Request& request) {
  const auto mark = mark_of(request, "rollback");
  if (!mark) return no_key(mark.error());
  return made_current(writer.make_current({}, *mark), "There is no generation before the current one.");
}

// {"generation":N}
Response switch_generation(CollectionWriter& writer, Request& request) {
  const auto asked = nlohmann::json::parse(request.body, nullptr, /*allow_exceptions=*/false);
  const bool well = asked.is_object() && asked.size() == 1 && asked.contains("generation") &&
                    asked["generation"].is_number_unsigned() && asked["generation"].get<Generation>() > 0;
  if (!well) return problem(400, "Bad request", "The body is no {\"generation\":N}.", "generation");
  const auto generation = asked["generation"].get<Generation>();
  const auto mark = mark_of(request, "switch");
  if (!mark) return no_key(mark.error());
  return made_current(writer.make_current(generation, *mark),
                      "There is no generation " + std::to_string(generation) + ".");
}

// What is done in the background now, and how far it is.
Response jobs(write::WrittenCollections& collections, const Request& request) {
  const auto writer = collections.find(collection_of(request, kJobs));
  if (!writer) return refused(writer.error());
  const CollectionWriter::State state = (*writer)->state();
  ordered_json running = ordered_json::array();
  if (state.publishing_operations > 0)
    running.push_back({{"job", "publish"},
                       {"operations", state.publishing_operations},
                       {"documents", state.publishing_documents},
                       {"documents_written", state.publishing_written}});
  if (state.compacting)
    running.push_back({{"job", "compact"},
                       {"documents", state.compaction_documents},
                       {"documents_written", state.compaction_written}});
  return {.body = dumped({{"jobs", std::move(running)}, {"pending_operations", state.pending_operations}})};
}

}  // namespace

void WriteRoutes::add_to(http::Router& router) const {
  using http::Access;
  using Answer = std::function<void(Request&, http::Responder)>;
  const auto add = [&](std::string_view method, std::string_view path, http::RouteLimits limits, Answer answer) {
    router.add(
        method, path,
        [path, turns = turns, answer = std::move(answer)](Request&& request, http::Responder responder) {
          responder.set_route(path);
          auto held = std::make_shared<std::pair<Request, http::Responder>>(std::move(request), std::move(responder));
          constexpr std::size_t kCopies = 3;  // of records: the operations, the batch that is logged, and the log's
          const std::size_t body = held->first.body.size();
          const std::size_t records = path == kChanges  ? kCopies * kMappedTimes * body
                                      : path == kLatest ? bytes_of_latest(body)
                                                        : 0;
          turns->add(held->first.client, bytes_of_work(held->first) + records,
                     [held, answer] { answer(held->first, std::move(held->second)); });
        },
        limits);
  };
  const auto look = [&](std::string_view path, std::function<Response(const Request&)> answer) {
    add("GET", path, {},
        [answer = std::move(answer)](Request& request, http::Responder responder) { responder.send(answer(request)); });
  };
  const auto change = [&](std::string_view method, std::string_view path, Access access, std::size_t max_body,
                          std::function<Response(write::WrittenCollections&, Request&)> answer) {
    add(method, path, {.max_body = max_body, .access = access},
        [all = collections, answer = std::move(answer)](Request& request, http::Responder responder) {
          responder.send(all == nullptr ? closed() : answer(*all, request));
        });
  };
  look(kCollectionPath, [root = repository, all = collections](const Request& request) {
    return describe_collection(*root, collection_of(request, kCollectionPath), all);
  });
  look(kGenerations, [root = repository](const Request& request) {
    return list_generations(*root, collection_of(request, kGenerations));
  });
  const auto write = [&](std::string_view method, std::string_view path, Access access, std::size_t max_body,
                         Response (*answer)(CollectionWriter&, Request&)) {
    change(method, path, access, max_body, [path, answer](write::WrittenCollections& all, Request& request) {
      const auto writer = all.find(collection_of(request, path));
      return writer ? answer(**writer, request) : refused(writer.error());
    });
  };
  write("POST", kDocuments, Access::kWrite, max_request, post_documents);
  write("DELETE", kDocument, Access::kWrite, 0, delete_document);
  write("POST", kChanges, Access::kWrite, max_request, change_documents);
  write("POST", kLatest, Access::kSearch, kMaxIdList, latest_documents);
  write("GET", kMetadata, Access::kSearch, 0, get_metadata);
  write("PUT", kMetadata, Access::kAdmin, write::kMaxMetadata, put_metadata);
  change("PUT", kCollectionPath, Access::kAdmin, kMaxSettings,
         [root = repository](auto& all, const Request& request) { return put_collection(all, *root, request); });
  change("DELETE", kCollectionPath, Access::kAdmin, 0, delete_collection);
  change("GET", kCommonMetadata, Access::kSearch, 0, get_common_metadata);
  change("PUT", kCommonMetadata, Access::kAdmin, write::kMaxMetadata, put_common_metadata);
  write("POST", kCompact, Access::kAdmin, 0, compact);
  write("POST", kRollback, Access::kAdmin, 0, rollback);
  write("POST", kSwitch, Access::kAdmin, kMaxSettings, switch_generation);
  look(kJobs, [all = collections](const Request& request) { return all == nullptr ? closed() : jobs(*all, request); });
  add("POST", kRefresh, {.access = Access::kWrite}, [all = collections](Request& request, http::Responder responder) {
    if (all == nullptr) return responder.send(closed());
    refresh(*all, request, std::move(responder));
  });
}

}  // namespace frond::indexer::serve
