// _delete_by_query, _update_by_query and _reindex: first all documents that match are found, then they are changed in
// batches, each if it is still what was found.
#include <algorithm>
#include <atomic>
#include <memory>
#include <set>
#include <span>
#include <utility>

#include "broker/elasticsearch/documents/document_writes.h"
#include "broker/elasticsearch/documents/matched_documents.h"
#include "broker/elasticsearch/hits/hit_json.h"
#include "broker/elasticsearch/queries/range_ends.h"
#include "broker/elasticsearch/search/search_targets.h"
#include "common/base/text.h"

namespace frond::broker::elasticsearch {
namespace {
using frond::http::Access;
using frond::http::Responder;
using frond::http::Response;
using Kind = DocumentChange::Kind;

constexpr int kMostAtOnce = 4;  // of these requests: each holds what it matched
constexpr std::size_t kUsualBatch = 1000, kMostInBatch = 10'000;

enum class By : std::uint8_t { kDelete, kUpdate, kReindex };

struct Plan {
  By by = By::kDelete;
  bool proceed = false;  // conflicts are counted, and end nothing
  Refresh refresh = Refresh::kNo;
  std::size_t batch = kUsualBatch;
  std::optional<std::size_t> most = {};
  // Of a _reindex.
  std::string from = {}, to = {};
  DocumentChange change = {};  // what each document is written with
  ShownSource source = {};
  Json query = nullptr;
};

struct Counts {
  std::size_t total = 0, created = 0, updated = 0, deleted = 0, batches = 0, conflicts = 0;
  Json failures = Json::array();
  int status = 200;
  std::set<std::string> changed;  // indices

  void fail(const std::string& index, const Json& id, const ApiError& error) {
    status = std::max(status, shown_status(error));
    failures.push_back({{"index", index}, {"id", id}, {"cause", cause_json(error)}, {"status", shown_status(error)}});
  }
};

Expected<std::size_t> size_in(std::string_view text, const char* name, std::size_t least, std::size_t most) {
  const auto number = number_in<std::size_t>(text);
  if (number && *number >= least && *number <= most) return *number;
  return illegal_argument("[" + std::string(name) + "] parameter must be from " + std::to_string(least) + " to " +
                          std::to_string(most) + ", found [" + std::string(text.substr(0, 100)) + "]");
}

Expected<void> set_conflicts(std::string_view text, Plan& plan) {
  if (text != "proceed" && text != "abort")
    return illegal_argument("conflicts may only be \"proceed\" or \"abort\" but was [" +
                            std::string(text.substr(0, 100)) + "]");
  plan.proceed = text == "proceed";
  return {};
}

Expected<void> take_parameters(const Call& call, Plan& plan) {
  plan.refresh = FROND_EXPECT_OK(refresh_of(call));
  if (!FROND_EXPECT_OK(call.flag("wait_for_completion", true)))
    return not_supported("[wait_for_completion=false], a task,");
  for (const char* const name : {"pipeline", "sort", "terminate_after"})
    if (call.parameter(name)) return not_supported("[" + std::string(name) + "] of a change by query");
  if (const auto text = call.parameter("conflicts")) FROND_EXPECT_OK(set_conflicts(*text, plan));
  for (const char* const name : {"max_docs", "size"})
    if (const auto text = call.parameter(name))
      if (*text != "-1") plan.most = FROND_EXPECT_OK(size_in(*text, name, 1, kMaxMatched));
  if (const auto text = call.parameter("scroll_size"))
    plan.batch = FROND_EXPECT_OK(size_in(*text, "scroll_size", 1, kMostInBatch));
  return {};
}

// Of both kinds of body.
Expected<bool> take_member(const std::string& name, const Json& value, Plan& plan) {
  if (name == "script") return not_supported("[script] of a change by query");
  if (name == "conflicts") {
    FROND_EXPECT_OK(set_conflicts(text_in(value), plan));
  } else if (name == "max_docs" || name == "size") {
    plan.most = FROND_EXPECT_OK(size_in(dumped(value), name.c_str(), 1, kMaxMatched));
  } else {
    return false;
  }
  return true;
}

Expected<void> take_source(const Json& source, Plan& plan) {
  for (const auto& [name, value] : source.items()) {
    if (name == "index") {
      const Json names = value.is_array() ? value : Json::array({value});
      for (const Json& one : names) {
        if (!one.is_string()) return parsing_exception("[index] of [source] is neither a name nor a list of names");
        plan.from += (plan.from.empty() ? "" : ",") + one.get<std::string>();
      }
    } else if (name == "query") {
      plan.query = value;
    } else if (name == "_source") {
      plan.source = FROND_EXPECT_OK(source_filter_in(value));
    } else if (name == "size") {
      plan.batch = FROND_EXPECT_OK(size_in(dumped(value), "size", 1, kMostInBatch));
    } else {
      return not_supported("[" + name.substr(0, 200) + "] of [source] of a reindex");
    }
  }
  if (plan.from.empty()) return validation_failed("use _all if you really want to copy from all existing indexes");
  return {};
}

Expected<void> take_destination(const Json& destination, Plan& plan) {
  Json conditions = Json::object();
  plan.change.kind = Kind::kIndex;
  for (const auto& [name, value] : destination.items()) {
    const std::string text = text_in(value);
    if (name == "index") {
      plan.to = text;
    } else if (name == "op_type" && (text == "create" || text == "index")) {
      plan.change.kind = text == "create" ? Kind::kCreate : Kind::kIndex;
    } else if (name == "version_type") {
      conditions[name] = text;
      if (text != "internal") conditions["version"] = 0;  // each document has its own
    } else if (name == "require_alias") {
      plan.change.require_alias = text == "true";
    } else if (name != "routing") {
      return not_supported("[" + name.substr(0, 200) + "] " + text.substr(0, 200) + " of [dest] of a reindex");
    }
  }
  if (plan.to.empty()) return validation_failed("index is missing");
  return set_conditions(plan.change, conditions);
}

Expected<Plan> plan_of(const Targets& to, const Call& call, By by, const ExpressionRules& rules) {
  Plan plan{.by = by};
  FROND_EXPECT_OK(take_parameters(call, plan));
  const Json body = FROND_EXPECT_OK(parse_with_queries(call.request.body));
  if (by != By::kReindex) {
    plan.from = call.path_value("index");
    for (const auto& [name, value] : body.items()) {
      if (name == "query")
        plan.query = value;
      else if (!FROND_EXPECT_OK(take_member(name, value, plan)))
        return not_supported("[" + name.substr(0, 200) + "] of a change by query");
    }
    if (by == By::kDelete && plan.query.is_null() && !call.parameter("q")) return validation_failed("query is missing");
    return plan;
  }
  const auto part = [&](const char* name) { return body.value(name, Json()); };
  for (const auto& [name, value] : body.items())
    if (name != "source" && name != "dest" && !FROND_EXPECT_OK(take_member(name, value, plan)))
      return parsing_exception("[reindex] unknown field [" + name.substr(0, 200) + "]");
  if (!part("source").is_object() || !part("dest").is_object())
    return validation_failed("[source] and [dest] are objects of a reindex");
  FROND_EXPECT_OK(take_source(part("source"), plan));
  FROND_EXPECT_OK(take_destination(part("dest"), plan));
  const auto indices = to.catalogue.now();
  const Index* const written = FROND_EXPECT_OK(write_index(*indices, plan.to));
  for (const Meant& one : FROND_EXPECT_OK(resolve(*indices, plan.from, rules)))
    if (written == one.index)
      return validation_failed("reindex cannot write into an index its reading from [" + plan.to + "]");
  return plan;
}

// Changes what was matched, batch by batch. On a thread that may wait.
class Changes {
 public:
  Changes(const Targets& to, const Plan& plan, const Matched& matched) : to_(to), plan_(plan), matched_(matched) {
    counts_.total = matched.documents.size();
  }

  Counts run() {
    const std::span all(matched_.documents);
    for (std::size_t at = 0; at < all.size() && counts_.status == 200;) {
      // Of one index: their sources are read together.
      const std::size_t most = std::min(plan_.batch, all.size() - at);
      std::size_t count = 1;
      while (count < most && all[at + count].index == all[at].index) ++count;
      if (const auto made = change(all.subspan(at, count)); !made) fail(result_of(all[at], made.error()));
      ++counts_.batches;
      at += count;
    }
    return std::move(counts_);
  }

 private:
  using Batch = std::span<const MatchedDocument>;

  // Of one that was not sent.
  DocumentResult result_of(const MatchedDocument& document, ApiError error) const {
    return {.index = matched_.indices[document.index], .id = document.id, .error = std::move(error)};
  }

  Expected<void> change(Batch batch) {
    const std::string& index = matched_.indices[batch.front().index];
    std::vector<DocumentChange> changes;
    if (plan_.by == By::kDelete && std::ranges::all_of(batch, [](const auto& one) { return one.seq_no.has_value(); })) {
      for (const MatchedDocument& one : batch)
        changes.push_back({.kind = Kind::kDelete, .index = index, .id = one.id, .source = {}, .if_seq_no = one.seq_no});
      send(std::move(changes));
      return {};
    }
    std::vector<std::string> ids;
    for (const MatchedDocument& one : batch) ids.push_back(one.id);
    const auto read = read_documents(to_, index, ids);
    if (!read && read.error().status == 413 && batch.size() > 1) {  // more bytes than one answer has
      FROND_EXPECT_OK(change(batch.first(batch.size() / 2)));
      return change(batch.subspan(batch.size() / 2));
    }
    if (!read) return read.error();
    std::vector<std::string> filtered;  // sources
    filtered.reserve(batch.size());
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const FoundDocument& found = (*read)[i];
      DocumentChange one = plan_.change;
      one.id = batch[i].id;
      if (plan_.by != By::kDelete) one.source = found.source;
      if (plan_.by != By::kReindex) {
        if (!found.found || (found.seq_no && !batch[i].seq_no)) {
          fail(result_of(batch[i], version_conflict(one.id, "the document was changed or removed since it was found")));
          continue;
        }
        if (plan_.by == By::kDelete) one.kind = Kind::kDelete;
        one.index = index;
        one.if_seq_no = batch[i].seq_no;  // a conflict, if it has changed
      } else {
        if (!found.found) continue;  // removed since
        one.index = plan_.to;
        one.version = found.version;
        if (!plan_.source.whole()) one.source = filtered.emplace_back(filtered_source(found.source, plan_.source));
      }
      changes.push_back(std::move(one));
    }
    send(std::move(changes));
    return {};
  }

  void send(std::vector<DocumentChange> changes) {
    for (const DocumentResult& result : change_documents(to_, std::move(changes))) {
      if (result.error) {
        fail(result);
        continue;
      }
      counts_.created += result.result == "created" ? 1 : 0;
      counts_.updated += result.result == "updated" ? 1 : 0;
      counts_.deleted += result.result == "deleted" ? 1 : 0;
      counts_.changed.insert(result.index);
    }
  }

  void fail(const DocumentResult& result) {
    const bool conflict = result.error->status == 409;
    counts_.conflicts += conflict ? 1 : 0;
    if (conflict && plan_.proceed) return;
    counts_.fail(result.index, result.id, *result.error);
  }

  const Targets& to_;
  const Plan& plan_;
  const Matched& matched_;
  Counts counts_;
};

Response response_of(const Counts& counts, By by, std::int64_t took_ms) {
  Json json = {{"took", took_ms},
               {"timed_out", false},
               {"total", counts.total},
               {"deleted", counts.deleted},
               {"batches", counts.batches},
               {"version_conflicts", counts.conflicts},
               {"noops", 0},
               {"retries", {{"bulk", 0}, {"search", 0}}},
               {"throttled_millis", 0},
               {"requests_per_second", -1.0},
               {"throttled_until_millis", 0},
               {"failures", counts.failures}};
  if (by != By::kDelete) json["updated"] = counts.updated;
  if (by == By::kReindex) json["created"] = counts.created;
  return json_response(json, counts.status);
}

std::atomic<int> at_once{0};
// One of the requests that hold what they matched.
struct Place {
  Place() = default;
  ~Place() { --at_once; }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  const bool given = at_once.fetch_add(1) < kMostAtOnce;  // else there are too many
};

struct Asked {
  Asked(Targets targets, Call asked, Responder answer, Plan what, Clock::time_point since,
        std::unique_ptr<const Place> held)
      : to(std::move(targets)),
        call(std::move(asked)),
        responder(std::move(answer)),
        plan(std::move(what)),
        begun(since),
        place(std::move(held)) {}
  Targets to;
  Call call;
  Responder responder;
  Plan plan;
  Clock::time_point begun;
  std::unique_ptr<const Place> place;
};

template <By by>
void serve_by_query(const Targets& to, Call&& call, Responder responder) {
  const auto begun = Clock::now();
  if (to.service == nullptr)
    return responder.send(response_of(not_supported("Changing documents without --indexer-service")));
  if (to.has_scope && !to.has_scope(call.request, Access::kSearch))
    return responder.send(response_of(ApiError{.status = 403,
                                               .type = "security_exception",
                                               .reason = "this key lacks the scope search, which a query needs"}));
  auto place = std::make_unique<const Place>();
  if (!place->given)
    return responder.send(response_of(rejected("there are as many changes by query as this broker makes at a time")));
  const auto rules = call.expression_rules();
  if (!rules) return responder.send(response_of(rules.error()));
  auto plan = plan_of(to, call, by, *rules);
  if (!plan) return responder.send(response_of(plan.error()));
  auto targets = targets_of(to, plan->from, *rules, call.request.asker());
  if (!targets) return responder.send(response_of(targets.error()));
  const Json body = plan->query.is_null() ? Json::object() : Json{{"query", plan->query}};
  auto ask = read_search(body, query_parameters(call));
  if (!ask) return responder.send(response_of(ask.error()));
  const std::optional<std::size_t> most = plan->most;
  const auto asked =
      std::make_shared<Asked>(to, std::move(call), std::move(responder), *std::move(plan), begun, std::move(place));
  match_documents(*std::move(targets), *std::move(ask), most, [asked](Expected<Matched> matched) {
    if (!matched) return asked->responder.send(response_of(matched.error()));
    const auto held = std::make_shared<const Matched>(*std::move(matched));
    hand_over(asked->to, std::move(asked->call), std::move(asked->responder),
              [asked, held](const Targets& at, const Call&, Responder answer) {
                Counts counts = Changes(at, asked->plan, *held).run();
                const auto last = std::make_shared<Responder>(std::move(answer));
                auto changed = std::move(counts.changed);
                if (asked->plan.refresh == Refresh::kNo) changed.clear();
                Refreshes::wait(at, changed, [asked, last, counts = std::move(counts)](const auto& outcomes) mutable {
                  for (const auto& [name, outcome] : outcomes)
                    if (!outcome) counts.fail(name, Json(), outcome.error());
                  last->send(response_of(counts, by, ms_since(asked->begun)));
                });
              });
  });
}

constexpr std::string_view kParameters =
    "q,df,default_operator,analyzer,lenient,analyze_wildcard,ignore_unavailable,allow_no_indices,expand_wildcards,"
    "refresh,conflicts,slices,wait_for_completion,max_docs,size,requests_per_second,routing,scroll,scroll_size,timeout,"
    "search_timeout,search_type,request_cache,preference,pipeline,sort,terminate_after,stats,version,"
    "wait_for_active_shards,require_alias";

constexpr Route kByQueryRoutes[] = {
    {"POST", "/_reindex", Access::kAdmin, kMaxBody, kParameters, serve_by_query<By::kReindex>},
    {"POST", "/{index}/_update_by_query", Access::kWrite, kMaxBody, kParameters, serve_by_query<By::kUpdate>},
    {"POST", "/{index}/_delete_by_query", Access::kWrite, kMaxBody, kParameters, serve_by_query<By::kDelete>},
};

}  // namespace

std::span<const Route> by_query_routes() { return kByQueryRoutes; }

}  // namespace frond::broker::elasticsearch
