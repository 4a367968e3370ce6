// Routes by which a client's changes depend on what documents are, and by which it keeps something with a collection
// (docs/operations.md, "Changes that depend on a document").
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/lines.h"
#include "common/schema/json.h"
#include "common/text/limits.h"
#include "indexer/serve/routes.h"

namespace frond::indexer::serve {
namespace {
using http::problem;
using http::Request;
using http::Response;
using nlohmann::json;
using write::CollectionWriter;
using Change = CollectionWriter::DocumentChange;
using Outcome = CollectionWriter::DocumentOutcome;

constexpr std::size_t kMaxIds = 10'000, kMaxAnswer = 16 << 20;

Error wrong(std::size_t line, const std::string& what) {
  return Error(Code::kInvalid, "line " + std::to_string(line) + ": " + what);
}

// {"index":{"id":"1","if_change":7}}: what stands before a document.
Result<Change> change_in(std::string_view text, std::size_t line) {
  const json action = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!action.is_object() || action.size() != 1 || !action.begin()->is_object())
    return wrong(line, R"(no {"index":{"id":…}}, create or remove)");
  const std::string name = action.begin().key();
  Change change;
  if (name != "index" && name != "create" && name != "remove")
    return wrong(line, "'" + name.substr(0, 100) + "' is no change");
  change.kind = name == "index"    ? Change::Kind::kIndex
                : name == "create" ? Change::Kind::kCreate
                                   : Change::Kind::kRemove;
  for (const auto& [member, value] : action.begin()->items()) {
    const std::string told = value.is_string() ? value.get<std::string>() : std::string();
    if (member == "id" && value.is_string()) {
      change.id = told;
    } else if (member == "if_change" && value.is_number_unsigned()) {
      change.if_change = value.get<write::Sequence>();
    } else if (member == "version" && value.is_number_unsigned()) {
      change.version = value.get<std::uint64_t>();
    } else if (member == "counted" && (told == "greater" || told == "not_less")) {
      change.counted = told == "greater" ? Change::Counted::kGreater : Change::Counted::kNotLess;
    } else {
      return wrong(line, "'" + member.substr(0, 100) + "' is unknown, or has a wrong value");
    }
  }
  if (change.id.empty() || change.id.size() > text::kMaxIdBytes)
    return wrong(line, "an id has 1 to " + std::to_string(text::kMaxIdBytes) + " bytes");
  if ((change.counted == Change::Counted::kHere) != !action.begin()->contains("version"))
    return wrong(line, "version and counted go together");
  return change;
}

struct ParsedChanges {
  std::vector<Change> changes;
  std::vector<std::optional<std::string>> refused;  // by change: why its document can't be taken
};
// kInvalid: a line that says what to do is wrong; kOverloaded: too many.
Result<ParsedChanges> parse_changes(const std::string& body, CollectionWriter& writer) {
  ParsedChanges parsed;
  Lines lines(body);
  while (const auto next = lines.next()) {
    if (parsed.changes.size() == kMaxLines) return Error(Code::kOverloaded, "too many changes");
    Change change = FROND_TRY(change_in(*next, lines.number()));
    std::optional<std::string> refused;
    if (change.kind != Change::Kind::kRemove) {
      const auto document = lines.next();
      if (!document) return wrong(lines.number(), "the document is missing");
      change.line = *document;
      const auto id = writer.checked_id(change.line);
      if (!id) refused = id.error().message();
      if (id && *id != change.id) refused = "the document has another id than its change";
    }
    parsed.changes.push_back(std::move(change));
    parsed.refused.push_back(std::move(refused));
  }
  return parsed;
}

std::string_view name_of(Outcome::Kind kind) {
  constexpr std::string_view kNames[] = {"created", "updated", "removed", "missing", "conflict"};
  return kNames[static_cast<std::size_t>(kind)];
}

// Appends `{"id":…,"exists":…,"version":…`, of a document that has one `,"change":…`.
void append_told(std::string& out, const std::string& id, const write::LatestDocument& latest) {
  out.append("{\"id\":")
      .append(schema::json_string(id))
      .append(latest.exists ? ",\"exists\":true" : ",\"exists\":false");
  out.append(",\"version\":").append(std::to_string(latest.version));
  if (latest.change) out.append(",\"change\":").append(std::to_string(*latest.change));
}

Response not_possible(const Error& error) {
  if (error.code() == Code::kOverloaded)
    return with_retry(problem(429, "Too many requests", "Of this collection, " + error.message() + "."));
  return with_retry(problem(503, "Unavailable", error.message() + "."));
}

}  // namespace

Response change_documents(CollectionWriter& writer, Request& request) {
  if (auto other = other_than_lines(request)) return *std::move(other);
  auto parsed = parse_changes(request.body, writer);
  if (!parsed && parsed.error().code() == Code::kOverloaded)
    return problem(413, "Content too large",
                   "A request may have " + std::to_string(kMaxLines) + " changes: send them in several.");
  if (!parsed) return problem(400, "Bad request", parsed.error().message() + ".", "body");
  std::string().swap(request.body);  // the changes have it
  std::vector<Change> taken;
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < parsed->changes.size(); ++i) {
    ids.push_back(parsed->changes[i].id);
    if (!parsed->refused[i]) taken.push_back(std::move(parsed->changes[i]));
  }
  const auto outcomes = writer.change_documents(std::move(taken));
  if (!outcomes) return not_possible(outcomes.error());
  std::string body;
  std::size_t next = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (parsed->refused[i]) {
      body += dumped({{"id", ids[i]}, {"result", "refused"}, {"detail", *parsed->refused[i]}});
      continue;
    }
    const Outcome& outcome = (*outcomes)[next++];
    append_told(body, ids[i], outcome.latest);
    body.append(",\"result\":\"").append(name_of(outcome.kind)).append("\"}\n");
  }
  return {.content_type = "application/x-ndjson", .body = std::move(body), .headers = {{"Cache-Control", "no-store"}}};
}

Response latest_documents(CollectionWriter& writer, Request& request) {
  const json asked = json::parse(request.body, nullptr, /*allow_exceptions=*/false);
  const auto listed = asked.is_object() ? asked.find("ids") : asked.end();
  const bool well = asked.is_object() && asked.size() == 1 && listed != asked.end() && listed->is_array() &&
                    listed->size() <= kMaxIds &&
                    std::ranges::all_of(*listed, [](const json& id) { return id.is_string(); });
  if (!well)
    return problem(400, "Bad request", "The body is no {\"ids\":[…]} of up to " + std::to_string(kMaxIds) + " texts.",
                   "ids");
  const auto ids = listed->get<std::vector<std::string>>();
  const auto read = writer.latest(ids);
  if (!read) return not_possible(read.error());
  std::string body;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    append_told(body, ids[i], (*read)[i].latest);
    if (const std::string& source = (*read)[i].source; !source.empty()) body.append(",\"source\":").append(source);
    body += "}\n";
    if (body.size() > kMaxAnswer)
      return problem(413, "Content too large",
                     "The documents have more than " + std::to_string(kMaxAnswer) + " bytes: ask for fewer.", "ids");
  }
  return {.content_type = "application/x-ndjson", .body = std::move(body), .headers = {{"Cache-Control", "no-store"}}};
}

namespace {
Response kept(int status, CollectionWriter::Metadata metadata) {
  return {.status = status,
          .body = std::move(metadata.text),
          .headers = {{"ETag", "\"" + metadata.version + "\""}, {"Cache-Control", "no-store"}}};
}
}  // namespace

namespace {
// `keeper`: of one collection, or of all.
template <class Keeper>
Response get_kept(Keeper& keeper) {
  auto metadata = keeper.metadata();
  if (!metadata) return not_possible(metadata.error());
  if (metadata->text.empty()) return problem(404, "Not found", "Nothing is kept here.");
  return kept(200, *std::move(metadata));
}

template <class Keeper>
Response put_kept(Keeper& keeper, Request& request) {
  std::string_view version = request.header("if-match");
  const bool first = request.header("if-none-match") == "*";
  if (first != version.empty() || (!first && (version.size() < 2 || version.front() != '"' || version.back() != '"')))
    return problem(428, "Precondition required",
                   "Send If-Match with the entity tag of what is to be replaced, or If-None-Match: * where there is "
                   "nothing yet.",
                   "If-Match");
  if (!first) version = version.substr(1, version.size() - 2);
  auto metadata = keeper.put_metadata(std::move(request.body), std::string(version));
  if (metadata) return kept(200, *std::move(metadata));
  if (metadata.error().code() == Code::kOverloaded)
    return problem(412, "Precondition failed", "Somebody else has changed it: " + metadata.error().message() + ".");
  if (metadata.error().code() == Code::kInvalid)
    return problem(400, "Bad request", metadata.error().message() + ".", "body");
  return not_possible(metadata.error());
}
}  // namespace

Response get_metadata(CollectionWriter& writer, Request&) { return get_kept(writer); }
Response put_metadata(CollectionWriter& writer, Request& request) { return put_kept(writer, request); }
Response get_common_metadata(write::WrittenCollections& all, Request&) { return get_kept(all); }
Response put_common_metadata(write::WrittenCollections& all, Request& request) { return put_kept(all, request); }

}  // namespace frond::indexer::serve
