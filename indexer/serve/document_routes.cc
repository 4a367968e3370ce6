// Routes by which a client's changes depend on what documents are, and by which it keeps something with a collection
// (docs/writing.md, "Changes that depend on a document").
#include <simdjson.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/lines.h"
#include "common/elasticsearch/plain_json.h"
#include "common/schema/json.h"
#include "common/text/limits.h"
#include "indexer/serve/routes.h"
#include "indexer/write/mapped_records.h"

namespace frond::indexer::serve {
namespace {
using http::problem;
using http::Request;
using http::Response;
using nlohmann::json;
using write::CollectionWriter;
using Change = CollectionWriter::DocumentChange;
using Outcome = CollectionWriter::DocumentOutcome;

constexpr std::size_t kMaxIds = 10'000;
constexpr std::size_t kLittleRoom = 64 << 10;  // for records beside kMappedTimes

Error wrong(std::size_t line, const std::string& what) {
  return Error(Code::kInvalid, "line " + std::to_string(line) + ": " + what);
}

struct Asked {
  Change change;
  bool mapped = false;  // what follows is no record yet (MappedRecords)
};
// {"index":{"id":"1","if_change":7}}: what stands before a document.
Result<Asked> change_in(std::string_view text, std::size_t line) {
  const auto action = elasticsearch::plain_json(text);
  simdjson::dom::object named, members;
  if (!action || action->get(named) != simdjson::SUCCESS || named.size() != 1 ||
      (*named.begin()).value.get(members) != simdjson::SUCCESS)
    return wrong(line, R"(no {"index":{"id":…}}, create or remove)");
  const std::string_view name = (*named.begin()).key;
  Asked asked;
  Change& change = asked.change;
  if (name != "index" && name != "create" && name != "remove")
    return wrong(line, "'" + std::string(name.substr(0, 100)) + "' is no change");
  change.kind = name == "index"    ? Change::Kind::kIndex
                : name == "create" ? Change::Kind::kCreate
                                   : Change::Kind::kRemove;
  bool counts = false;
  for (const auto [member, value] : members) {
    std::string_view told;
    std::uint64_t number = 0;
    const bool is_text = value.get(told) == simdjson::SUCCESS, is_number = value.get(number) == simdjson::SUCCESS;
    if (member == "id" && is_text) {
      change.id = told;
    } else if (member == "if_change" && is_number) {
      change.if_change = number;
    } else if (member == "version" && is_number && number <= write::kMaxVersion) {
      change.version = number;
      counts = true;
    } else if (member == "counted" && (told == "greater" || told == "not_less")) {
      change.counted = told == "greater" ? Change::Counted::kGreater : Change::Counted::kNotLess;
    } else if (member != "mapped" || value.get(asked.mapped) != simdjson::SUCCESS) {
      return wrong(line, "'" + std::string(member.substr(0, 100)) + "' is unknown, or has a wrong value");
    }
  }
  if (change.id.empty() || change.id.size() > text::kMaxIdBytes)
    return wrong(line, "an id has 1 to " + std::to_string(text::kMaxIdBytes) + " bytes");
  if ((change.counted == Change::Counted::kHere) != !counts) return wrong(line, "version and counted go together");
  return asked;
}

struct ParsedChanges {
  std::vector<Change> changes;       // without those that wait
  std::vector<std::string> refused;  // by change: what is answered; empty: it is taken
  std::string waiting;               // what is answered for all that wait; empty: none does
};
// kInvalid: a line that says what to do is wrong; kOverloaded: too many. Others: what is kept can't be read.
Result<ParsedChanges> parse_changes(const std::string& body, CollectionWriter& writer) {
  ParsedChanges parsed;
  std::optional<write::MappedRecords> records;  // once a document needs it
  const auto waits = [&records] { return records && records->waits(); };
  Lines lines(body);
  for (std::size_t count = 0; const auto next = lines.next(); ++count) {
    if (count == kMaxLines) return Error(Code::kOverloaded, "too many changes");
    auto [change, mapped] = FROND_TRY(change_in(*next, lines.number()));
    json refused;
    if (change.kind != Change::Kind::kRemove) {
      const auto document = lines.next();
      if (!document) return wrong(lines.number(), "the document is missing");
      if (mapped) {
        if (!records)
          records.emplace(FROND_TRY(write::MappedRecords::open(writer, kMappedTimes * body.size() + kLittleRoom)));
        auto record = records->record_of(change.id, *document);
        if (record)
          change.line = *std::move(record);
        else
          refused = {{"error", elasticsearch::cause_json(record.error())}, {"status", record.error().status}};
      } else if (!waits()) {
        change.line = *document;
        const auto id = writer.checked_id(change.line);
        if (!id) refused = {{"detail", id.error().message()}};
        if (id && *id != change.id) refused = {{"detail", "the document has another id than its change"}};
      }
    }
    if (waits()) continue;
    const bool depends = change.if_change || change.counted != Change::Counted::kHere;
    if (!mapped && depends && !writer.keeps_sources())
      refused = {{"detail", "the collection keeps no sources, and with them the versions of its documents"}};
    if (!refused.is_null()) refused.update({{"id", change.id}, {"result", "refused"}});
    parsed.refused.push_back(refused.is_null() ? "" : dumped(refused));
    parsed.changes.push_back(std::move(change));
  }
  if (!waits()) return parsed;
  json told = {{"result", "waiting"}};
  if (auto brought = records->brought(); !brought.is_null()) told["mapping"] = std::move(brought);
  parsed.waiting = dumped(told);
  return parsed;
}

std::string_view name_of(Outcome::Kind kind) {
  constexpr std::string_view kNames[] = {"created", "updated", "removed", "missing", "conflict"};
  return kNames[static_cast<std::size_t>(kind)];
}

// Appends `{"id":…,"exists":…,"version":…`, of a document that has one `,"change":…`.
void append_told(std::string& out, const std::string& id, const write::LatestDocument& latest) {
  out += "{\"id\":";
  schema::append_json_string(out, id);
  out += latest.exists ? ",\"exists\":true" : ",\"exists\":false";
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
  if (!parsed && parsed.error().code() == Code::kInvalid)
    return problem(400, "Bad request", parsed.error().message() + ".", "body");
  if (!parsed) return not_possible(parsed.error());
  std::string().swap(request.body);  // the changes have it
  std::vector<Change> taken;
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < parsed->changes.size(); ++i) {
    ids.push_back(parsed->changes[i].id);
    if (parsed->refused[i].empty()) taken.push_back(std::move(parsed->changes[i]));
  }
  const auto outcomes = writer.change_documents(std::move(taken));
  if (!outcomes) return not_possible(outcomes.error());
  std::string body;
  std::size_t next = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (!parsed->refused[i].empty()) {
      body += parsed->refused[i];
      continue;
    }
    const Outcome& outcome = (*outcomes)[next++];
    append_told(body, ids[i], outcome.latest);
    body.append(",\"result\":\"").append(name_of(outcome.kind)).append("\"}\n");
  }
  body += parsed->waiting;
  return {.content_type = "application/x-ndjson", .body = std::move(body), .headers = {{"Cache-Control", "no-store"}}};
}

namespace {
// {"ids":[…]}; nothing: it is no such object, or has more than kMaxIds.
std::optional<std::vector<std::string>> ids_in(const std::string& body) {
  namespace ondemand = simdjson::ondemand;
  ondemand::parser parser;
  const simdjson::padded_string padded(body);
  ondemand::document document;
  ondemand::object members;
  if (parser.iterate(padded).get(document) != simdjson::SUCCESS ||
      document.get_object().get(members) != simdjson::SUCCESS)
    return std::nullopt;
  std::optional<std::vector<std::string>> ids;
  for (auto member : members) {
    std::string_view name;
    ondemand::array listed;
    if (ids || member.unescaped_key().get(name) != simdjson::SUCCESS || name != "ids" ||
        member.value().get_array().get(listed) != simdjson::SUCCESS)
      return std::nullopt;
    ids.emplace();
    for (auto one : listed) {
      std::string_view id;
      if (one.get_string().get(id) != simdjson::SUCCESS || ids->size() == kMaxIds) return std::nullopt;
      ids->emplace_back(id);
    }
  }
  const char* end = nullptr;
  if (document.current_location().get(end) != simdjson::OUT_OF_BOUNDS) return std::nullopt;  // more than an object
  return ids;
}
}  // namespace

Response latest_documents(CollectionWriter& writer, Request& request) {
  const auto ids = ids_in(request.body);
  if (!ids)
    return problem(400, "Bad request", "The body is no {\"ids\":[…]} of up to " + std::to_string(kMaxIds) + " texts.",
                   "ids");
  const auto read = writer.latest(*ids, kMaxLatestBytes);
  if (!read && read.error().code() == Code::kInvalid)
    return problem(413, "Content too large", read.error().message() + ": ask for fewer.", "ids");
  if (!read) return not_possible(read.error());
  std::string body;
  for (std::size_t i = 0; i < ids->size(); ++i) {
    append_told(body, (*ids)[i], (*read)[i].latest);
    if (const std::string& source = (*read)[i].source; !source.empty()) body.append(",\"source\":").append(source);
    body += "}\n";
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
