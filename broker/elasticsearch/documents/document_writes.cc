#include "broker/elasticsearch/documents/document_writes.h"

#include <algorithm>
#include <exception>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <utility>

#include "broker/elasticsearch/documents/partial_document.h"
#include "broker/elasticsearch/search/index_search.h"
#include "common/base/lines.h"
#include "common/elasticsearch/document.h"
#include "common/elasticsearch/json_body.h"
#include "common/elasticsearch/mapping.h"
#include "common/elasticsearch/plain_json.h"
#include "common/schema/json.h"
#include "common/text/utf8.h"

namespace frond::broker::elasticsearch {
namespace {
using Kind = DocumentChange::Kind;

constexpr std::size_t kMostBytes = 8 << 20;  // of a request to the service, unless one document has more
constexpr std::size_t kMostLines = 10'000;
constexpr int kMostUpdates = 5;  // of an update that others overtake
constexpr int kMostIdle = 5;     // requests in a row that the service takes nothing of

std::string new_id() {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  thread_local std::mt19937_64 random{std::random_device{}()};
  std::string id(20, 'A');
  for (char& c : id) c = kDigits[random() % kDigits.size()];
  return id;
}

constexpr std::size_t kUsualAction = 64;  // bytes of a line beside the id
std::string action_line(const DocumentChange& change, const std::string& id) {
  constexpr std::uint64_t kOfNoDocument = ~std::uint64_t{0};
  std::string line;
  line.reserve(kUsualAction + id.size());
  line += change.kind == Kind::kDelete   ? "{\"remove\":{\"id\":"
          : change.kind == Kind::kCreate ? "{\"create\":{\"id\":"
                                         : "{\"index\":{\"id\":";
  schema::append_json_string(line, id);
  if (change.if_seq_no)
    line += ",\"if_change\":" + std::to_string(change.if_primary_term == 1 ? *change.if_seq_no + 1 : kOfNoDocument);
  if (change.counted != DocumentChange::Counted::kHere) {
    line += ",\"version\":" + std::to_string(change.version);
    line +=
        change.counted == DocumentChange::Counted::kGreater ? ",\"counted\":\"greater\"" : ",\"counted\":\"not_less\"";
  }
  // What follows is the document, of which the service makes the record.
  return line.append(change.kind == Kind::kDelete ? "}}\n" : ",\"mapped\":true}}\n");
}

void take_outcome(const DocumentChange& change, const simdjson::dom::element& told, DocumentResult& result) {
  std::string_view outcome;
  std::uint64_t version = 1, number = 1;
  // What is not there is as above.
  std::ignore = told["result"].get_string().get(outcome);
  std::ignore = told["version"].get_uint64().get(version);
  std::ignore = told["change"].get_uint64().get(number);
  if (outcome == "conflict") {
    result.error = conflict_of(change, result.id, tree_of(told));
    return;
  }
  if (outcome == "refused") {
    const Json refused = tree_of(told), error = refused.value("error", Json::object());
    result.error = ApiError{.status = static_cast<int>(number_or(refused, "status", 400)),
                            .type = text_or(error, "type", "mapper_parsing_exception"),
                            .reason = text_or(error, "reason", "the indexer's service refuses it"),
                            .cause = error.value("caused_by", Json())};
    return;
  }
  result.version = version;
  result.seq_no = number - 1;
  result.result = outcome == "removed" ? "deleted" : outcome == "missing" ? "not_found" : outcome;
}

// The changes of one index.
class IndexChanges {
 public:
  IndexChanges(const Targets& to, const Index& index, const std::vector<DocumentChange>& changes,
               std::vector<DocumentResult>& results)
      : to_(to), name_(index.name), changes_(changes), results_(results) {
    if (index.derived)
      wrong_ = not_supported("Writing documents by this API into [" + name_ + "], which was not made by it,");
    shards_ = dumped(shards_json(index, /*searched=*/false));
  }

  void run(const std::vector<std::size_t>& places) {
    std::size_t bytes = 0;
    for (const std::size_t place : places)
      bytes += kUsualAction + changes_[place].id.size() + changes_[place].source.size();
    lines_.reserve(std::min(bytes, kMostBytes));
    waiting_.reserve(std::min(places.size(), kMostLines));
    for (const std::size_t place : places) try {
        add(place);
      } catch (const std::exception& thrown) {
        fail(place, internal_error(thrown));
      }
    send();
  }

 private:
  void add(std::size_t place) {
    const DocumentChange& change = changes_[place];
    DocumentResult& result = results_[place];
    result.index = name_;
    result.shards = shards_;
    result.id = change.id.empty() ? new_id() : change.id;
    if (wrong_) return fail(place, *wrong_);
    if (const auto good = check_id(result.id); !good) return fail(place, good.error());
    if (change.kind == Kind::kUpdate) {
      send();  // it reads what came before
      return update(place);
    }
    wait(place, change, change.source);
  }

  void wait(std::size_t place, const DocumentChange& change, std::string_view source) {
    const bool removes = change.kind == Kind::kDelete;
    if (!removes && source.find_first_not_of(" \t\r\n") == source.npos)
      return fail(place, {.type = "mapper_parsing_exception", .reason = "failed to parse: the document is empty"});
    // A document is a line.
    const bool has_ends = source.find('\n') != source.npos || source.find('\r') != source.npos;
    if (has_ends && !plain_json(source))  // they may stand in strings
      if (const auto parsed = parse_json(source); !parsed)
        return fail(place, {.type = "mapper_parsing_exception", .reason = "failed to parse: " + parsed.error().reason});
    const std::string action = action_line(change, results_[place].id);
    const std::size_t bytes = lines_.size() + action.size() + source.size();
    if (!waiting_.empty() && (bytes >= kMostBytes || waiting_.size() == kMostLines)) send();
    waiting_.push_back({place, lines_.size()});
    lines_ += action;
    if (removes) return;
    lines_ += source;
    for (const char end : {'\n', '\r'})
      if (has_ends) std::replace(lines_.end() - static_cast<std::ptrdiff_t>(source.size()), lines_.end(), end, ' ');
    lines_ += '\n';
  }

  void fail(std::size_t place, ApiError error) { results_[place].error = std::move(error); }

  // Sends all that waits, again what the service does not take at once. Behind one whose fields are refused few at
  // first, so that what is sent again stays little where many are refused.
  void send() {
    std::size_t most = waiting_.size();
    for (int idle = 0; !waiting_.empty();) {
      const std::size_t before = waiting_.size();
      const auto sent = send_once(std::min(most, before));
      if (!sent) return fail_all(sent.error());
      most = *sent ? 2 * std::min(most, before) : 1;
      idle = waiting_.size() < before ? 0 : idle + 1;
      if (idle == kMostIdle) return fail_all(unavailable("the fields of [" + name_ + "] change all the time"));
    }
  }

  void fail_all(const ApiError& error) {
    for (const Waiting& one : std::exchange(waiting_, {})) fail(one.place, error);
    lines_.clear();
  }

  std::size_t begin_of(std::size_t i) const { return i < waiting_.size() ? waiting_[i].begin : lines_.size(); }
  void forget(std::size_t count) {  // the first that wait
    const std::size_t end = begin_of(count);
    lines_.erase(0, end);
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(count));
    for (Waiting& one : waiting_) one.begin -= end;
  }

  // The first `count`. Leaves what has to be sent again; fields that it needs are there then. False: the first of those
  // failed, as its fields can't be added.
  Expected<bool> send_once(std::size_t count) {
    const auto answered =
        ask(to_, "POST", "/v1/collections/" + name_ + "/changes", std::string_view(lines_).substr(0, begin_of(count)),
            "Content-Type: application/x-ndjson\r\n");
    if (!answered && answered.error().status == 400)
      return unavailable("the indexer's service can't read this broker's changes, as one of an older version: " +
                         answered.error().reason);
    if (!answered) return answered.error();
    Lines lines(answered->body);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t place = waiting_[i].place;
      const auto line = lines.next();
      const auto told = line ? plain_json(*line) : std::nullopt;
      if (!told || !told->is_object()) {
        fail(place, unavailable("the indexer's service did not tell what became of the change"));
        continue;
      }
      if (std::string_view result; told->at_key("result").get(result) != simdjson::SUCCESS || result != "waiting") {
        take_outcome(changes_[place], *told, results_[place]);
        continue;
      }
      forget(i);
      const Json mapping = tree_of(*told).value("mapping", Json());
      const auto added = mapping.is_null() ? Expected<void>() : add_fields(mapping);
      if (added) return true;
      fail(place, added.error());
      forget(1);
      return false;
    }
    forget(count);
    return true;
  }

  // To the index, those that documents bring. Where others were quicker with another type, what is sent again tells.
  Expected<void> add_fields(const Json& mapping) {
    return change_index(to_, name_, [&](Index& index) -> Expected<void> {
      const Mapping now = FROND_EXPECT_OK(read_mapping(index.settings, index.mapping));
      if (auto wider = extended(now, mapping)) index.mapping = std::move(wider->shown);
      return {};
    });
  }

  void update(std::size_t place) {
    const DocumentChange& change = changes_[place];
    DocumentResult& result = results_[place];
    for (int tries = 0; tries < kMostUpdates; ++tries) {
      const auto read = read_documents(to_, name_, {result.id});
      if (!read) return fail(place, read.error());
      const FoundDocument& now = read->front();
      auto merged = merged_source(now.found ? &now.source : nullptr, change.source, name_, result.id);
      if (!merged) return fail(place, merged.error());
      if (change.if_seq_no && (!now.found || now.seq_no != change.if_seq_no || change.if_primary_term != 1))
        return fail(
            place,
            conflict_of(change, result.id,
                        {{"exists", now.found}, {"version", now.version}, {"change", now.seq_no.value_or(0) + 1}}));
      if (!*merged) {  // nothing would change
        result.result = "noop";
        result.version = now.version;
        result.seq_no = now.seq_no.value_or(0);
        result.has_seq_no = now.seq_no.has_value();
        result.shards = R"({"failed":0,"successful":0,"total":0})";
        return;
      }
      DocumentChange replaced{.kind = now.found ? Kind::kIndex : Kind::kCreate, .index = change.index, .id = result.id};
      if (now.found) replaced.if_seq_no = now.seq_no;
      result.error.reset();
      wait(place, replaced, **merged);
      send();
      if (!result.error || result.error->status != 409) return;
    }
  }

  const Targets& to_;
  const std::string name_;
  const std::vector<DocumentChange>& changes_;
  std::vector<DocumentResult>& results_;
  std::optional<ApiError> wrong_;  // nothing can be written
  std::string shards_;
  struct Waiting {
    std::size_t place = 0;  // of the change
    std::size_t begin = 0;  // of its lines
  };
  std::vector<Waiting> waiting_;  // changes that are to be sent
  std::string lines_;             // what the service is told of them
};

// The index that the change goes to, which is made if it is missing.
Expected<std::string> real_index(const Targets& to, const DocumentChange& change) {
  const auto indices = to.catalogue.now();
  const bool is_index = indices->contains(change.index);
  if (change.require_alias && is_index)
    return ApiError{.status = 404,
                    .type = "index_not_found_exception",
                    .reason = "no such index [" + change.index + "] and [require_alias] request flag is [true] and [" +
                              change.index + "] is not an alias"};
  if (const Index* const found = FROND_EXPECT_OK(write_index(*indices, change.index))) return found->name;
  if (change.kind == Kind::kDelete && change.counted == DocumentChange::Counted::kHere)
    return index_not_found(change.index);
  if (change.kind == Kind::kUpdate) {
    const Json asked = Json::parse(change.source, nullptr, /*allow_exceptions=*/false);
    const bool makes =
        asked.is_object() && (asked.contains("upsert") || asked.value("doc_as_upsert", Json(false)) == Json(true));
    if (!makes) return document_missing(change.index, change.id);
  }
  const auto made = create_by_guess(to, change.index);
  if (!made && made.error().type != "resource_already_exists_exception") return made.error();
  return change.index;
}

}  // namespace

std::string_view name_of(Kind kind) {
  constexpr std::string_view kNames[] = {"index", "create", "update", "delete"};
  return kNames[static_cast<std::size_t>(kind)];
}

int DocumentResult::status() const {
  if (error) return shown_status(*error);
  return result == "created" ? 201 : result == "not_found" ? 404 : 200;
}

Expected<Refresh> refresh_of(const Call& call) {
  const auto value = call.parameter("refresh");
  if (!value || *value == "false") return Refresh::kNo;
  if (*value == "true" || value->empty()) return Refresh::kNow;
  if (*value == "wait_for") return Refresh::kWaitFor;
  return illegal_argument("Unknown value for refresh: [" + std::string(value->substr(0, 200)) + "].");
}

Expected<void> check_id(std::string_view id) {
  if (!text::is_utf8(id)) return validation_failed("an id is not UTF-8");
  if (id.size() <= kMaxDocumentId) return {};
  return validation_failed("id [" + std::string(id) +
                           "] is too long, must be no longer than 512 bytes but was: " + std::to_string(id.size()));
}

std::vector<DocumentResult> change_documents(const Targets& to, std::vector<DocumentChange> changes) {
  std::vector<DocumentResult> results(changes.size());
  std::map<std::string, Expected<std::string>, std::less<>> known;  // by name
  std::vector<std::pair<std::string, std::vector<std::size_t>>> groups;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    DocumentResult& result = results[i];
    result.index = changes[i].index;
    result.id = changes[i].id;
    const bool plain = changes[i].kind == Kind::kIndex || changes[i].kind == Kind::kCreate;
    auto found = known.find(changes[i].index);
    if (found == known.end() || !plain) {
      auto real = real_index(to, changes[i]);
      if (!real && !plain) {
        result.error = real.error();
        continue;
      }
      found = known.insert_or_assign(changes[i].index, std::move(real)).first;
    }
    if (!found->second) {
      result.error = found->second.error();
      continue;
    }
    const auto group = std::ranges::find(groups, *found->second, [](const auto& one) { return one.first; });
    if (group == groups.end())
      groups.push_back({*found->second, {i}});
    else
      group->second.push_back(i);
  }
  for (const auto& [name, places] : groups) {
    auto indices = to.catalogue.now();
    auto index = indices->find(name);
    if (index != indices->end() && index->second.derived && to.follower->look()) {  // it may be in the making
      indices = to.catalogue.now();
      index = indices->find(name);
    }
    if (index == indices->end()) {
      for (const std::size_t place : places) results[place].error = index_not_found(name);
      continue;
    }
    IndexChanges(to, index->second, changes, results).run(places);
  }
  return results;
}

std::set<std::string> changed_indices(const std::vector<DocumentResult>& results) {
  std::set<std::string> changed;
  for (const DocumentResult& one : results)
    if (!one.error && one.result != "noop") changed.insert(one.index);
  return changed;
}

std::string result_text(const DocumentResult& result, bool forced_refresh) {
  constexpr std::size_t kUsual = 160;  // bytes
  std::string text;
  text.reserve(kUsual + result.id.size() + result.index.size() + result.shards.size());
  schema::append_json_string(text += "{\"_id\":", result.id);
  schema::append_json_string(text += ",\"_index\":", result.index);
  text += ",\"_primary_term\":1";
  if (result.has_seq_no) (text += ",\"_seq_no\":") += std::to_string(result.seq_no);
  text.append(",\"_shards\":").append(result.shards).append(",\"_version\":").append(std::to_string(result.version));
  if (forced_refresh && result.result != "noop") text += kForcedRefresh;
  text.append(",\"result\":\"").append(result.result).append("\"}");
  return text;
}

Expected<std::vector<FoundDocument>> read_documents(const Targets& to, const std::string& index,
                                                    const std::vector<std::string>& ids) {
  const auto answered = FROND_EXPECT_OK(ask(to, "POST", "/v1/collections/" + index + "/latest", dumped({{"ids", ids}}),
                                            "Content-Type: application/json\r\n"));
  std::vector<FoundDocument> found;
  Lines lines(answered.body);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto line = lines.next();
    if (!line) return unavailable("the indexer's service did not tell of all documents");
    constexpr std::string_view kSource = ",\"source\":";
    const auto at = line->find(kSource);
    // The source stands last, and no id has a quotation mark that is not escaped.
    const std::string head = at == line->npos ? std::string(*line) : std::string(line->substr(0, at)) + "}";
    const Json told = Json::parse(head, nullptr, /*allow_exceptions=*/false);
    if (!told.is_object()) return unavailable("the indexer's service tells of a document in an unknown way");
    FoundDocument& one = found.emplace_back();
    one.found = flag_or(told, "exists");
    one.version = number_or(told, "version");
    if (const std::uint64_t number = number_or(told, "change"); number > 0) one.seq_no = number - 1;
    if (at != line->npos) one.source = line->substr(at + kSource.size(), line->size() - at - kSource.size() - 1);
  }
  return found;
}

}  // namespace frond::broker::elasticsearch
