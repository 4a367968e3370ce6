#include "broker/http/search/fuse_route.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "broker/http/answers/answer.h"
#include "broker/merge/rank_fusion.h"
#include "common/query/clause.h"
#include "common/schema/json.h"
#include "common/text/limits.h"

namespace frond::broker::http {
namespace {
using frond::http::Request;
using frond::http::Responder;
using frond::http::Response;
using Json = nlohmann::ordered_json;

struct AskedFusion {
  SearchParameters search;           // its k is the window
  std::vector<std::string> ranking;  // ids, best first, each once
  std::uint32_t constant = merge::kUsualRankConstant, k = 10;
};

// Whole numbers within bounds; nullopt: `json` is none.
std::optional<std::uint32_t> bounded_number(const Json& json, std::uint32_t min, std::uint32_t max) {
  if (!json.is_number_unsigned() || json < min || json > max) return std::nullopt;
  return json.get<std::uint32_t>();
}

std::optional<ParameterError> read_ranking(const Json& json, AskedFusion& asked) {
  const std::string bounds = "must be a list of 1 to " + std::to_string(kMaxWindow) + " ids, each once";
  std::unordered_set<std::string> seen;
  if (!json.is_array() || json.empty() || json.size() > kMaxWindow)
    return ParameterError{"ranking", "ranking " + bounds};
  for (const Json& id : json) {
    if (!id.is_string() || id.get_ref<const std::string&>().empty() ||
        id.get_ref<const std::string&>().size() > text::kMaxIdBytes || !seen.insert(id).second)
      return ParameterError{"ranking", "ranking " + bounds};
    asked.ranking.push_back(id);
  }
  return std::nullopt;
}

// Of the search, what would say which hits there are, or in what order.
std::optional<ParameterError> read_search(const Json& json, std::uint32_t window, AskedFusion& asked) {
  if (!json.is_object()) return ParameterError{"search", "search must be an object, as POST /v1/search takes it"};
  for (const char* other : {"k", "offset", "sort", "search_after", "rank", "count", "explain", "profile"})
    if (json.contains(other))
      return ParameterError{"search", std::string("search.") + other + " has no meaning here: there are window and k"};
  ParsedSearch parsed = parse_search_json(json.dump());
  if (!parsed.ok) {
    parsed.error.detail = "search: " + parsed.error.detail;
    return parsed.error;
  }
  asked.search = std::move(parsed.parameters);
  asked.search.k = window;
  return std::nullopt;
}

std::optional<ParameterError> read_fusion(const std::string& body, AskedFusion& asked) {
  if (const auto strict = schema::parse_json(body); !strict)
    return ParameterError{"", "the body: " + strict.error().message()};
  const Json json = Json::parse(body, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return ParameterError{"", "the body is not a JSON object"};
  std::uint32_t window = 100;
  for (const auto& [name, value] : json.items()) {
    if (name == "search" || name == "ranking") continue;
    const bool constant = name == "constant";
    if (!constant && name != "window" && name != "k")
      return ParameterError{name.substr(0, 100), name.substr(0, 100) + " is not a parameter of this route"};
    const std::uint32_t most = constant ? merge::kMaxRankConstant : kMaxWindow;
    const auto number = bounded_number(value, 1, most);
    if (!number) return ParameterError{name, name + " must be a whole number from 1 to " + std::to_string(most)};
    (constant ? asked.constant : name == "k" ? asked.k : window) = *number;
  }
  for (const char* needed : {"search", "ranking"})
    if (!json.contains(needed)) return ParameterError{needed, std::string(needed) + " is missing"};
  if (auto error = read_ranking(json["ranking"], asked)) return error;
  return read_search(json["search"], window, asked);
}

// The ranking, then which documents of the list that it does not have there are, then the documents that are shown: up
// to four searches in the time of one. On the service's thread.
class FusedSearch : public std::enable_shared_from_this<FusedSearch> {
 public:
  FusedSearch(SearchService& service, AskedFusion asked, const Request& request, Responder responder, Instant came)
      : service_(service),
        in_use_(service.in_use()),
        asked_(std::move(asked)),
        asker_(request.asker()),
        counted_(request.counted),
        came_(came),
        responder_(std::move(responder)) {}

  void begin() {
    ask(ids_alone(asked_.search), [](FusedSearch& self, Json answer) { self.heard_ranking(std::move(answer)); });
  }
  void abandon() {
    service_.abandon(ticket_);
    send(abandoned());
  }

 private:
  using Ids = std::vector<std::string>;

  void ask(const SearchParameters& parameters, void (*heard)(FusedSearch&, Json)) {
    ticket_ = service_.search(
        parameters,
        [self = shared_from_this(), heard](Response response) {
          if (!self->responder_) return;
          if (response.status != 200) return self->send(std::move(response));
          heard(*self, Json::parse(response.body));
        },
        {}, asker_, {}, came_);
  }
  static SearchParameters ids_alone(SearchParameters search) {
    search.fields = 0;
    search.columns.clear();
    return search;
  }
  // Of the filter, which documents have these ids.
  SearchParameters search_of(Ids ids) const {
    SearchParameters search = asked_.search;
    search.k = static_cast<std::uint32_t>(ids.size());
    search.q.clear();
    search.minimum_should_match.reset();
    search.facets.clear();
    search.rank = wire::Rank::kNone;
    search.mode = wire::Mode::kAnd;
    search.query = frond::query::Clause{frond::query::Ids{std::move(ids)}};
    return search;
  }

  void heard_ranking(Json heard) {
    answer_ = std::move(heard);
    lists_[1] = asked_.ranking;
    for (const Json& hit : answer_["hits"]) {
      lists_[0].push_back(hit["id"]);
      there_.insert(lists_[0].back());
    }
    Ids others;
    for (const std::string& id : asked_.ranking)
      if (!there_.contains(id)) others.push_back(id);
    if (others.empty()) return fuse();
    ask(ids_alone(search_of(std::move(others))), [](FusedSearch& self, Json found) {
      self.note(found);
      for (const Json& hit : found["hits"]) self.there_.insert(hit["id"].get<std::string>());
      self.fuse();
    });
  }

  // What a search lacks, the answer lacks.
  void note(const Json& found) {
    Json &coverage = answer_["coverage"], &lacking = coverage["degraded"];
    for (const Json& one : found["coverage"]["degraded"])
      if (std::ranges::none_of(lacking, [&](const Json& known) { return known["partition"] == one["partition"]; }))
        lacking.push_back(one);
    const std::uint64_t total = coverage["partitions_total"];
    coverage["partitions_answered"] = total - std::min<std::uint64_t>(total, lacking.size());
    if (found["timed_out"] == true) answer_["timed_out"] = true;
  }

  void fuse() {
    fused_ = merge::fuse_ranks(lists_, asked_.constant);
    // The collection, or the filter, does not have the others.
    std::erase_if(fused_, [&](const auto& document) { return !there_.contains(document.id); });
    if (fused_.size() > asked_.k) fused_.resize(asked_.k);
    Ids found;
    for (const auto& document : fused_) (document.ranks[0] > 0 ? found : others_).push_back(document.id);
    if (asked_.search.fields == 0 && asked_.search.columns.empty()) return answer();
    if (found.empty()) return show_others();
    SearchParameters search = asked_.search;  // with its words, for snippets
    search.k = static_cast<std::uint32_t>(found.size());
    search.facets.clear();
    search.filter.clear();  // they were found with it
    search.filter_clause = frond::query::Clause{frond::query::Ids{std::move(found)}};
    ask(search, [](FusedSearch& self, Json shown) {
      self.keep(std::move(shown));
      self.show_others();
    });
  }
  void show_others() {
    if (others_.empty()) return answer();
    ask(search_of(others_), [](FusedSearch& self, Json shown) {
      self.keep(std::move(shown));
      self.answer();
    });
  }
  void keep(Json shown) {
    note(shown);
    for (Json& hit : shown["hits"]) hits_.emplace(hit["id"], std::move(hit));
  }

  void answer() {
    Json hits = Json::array();
    for (const auto& document : fused_) {
      Json hit = {{"id", document.id}, {"score", document.score}};
      Json& ranks = hit["ranks"] = Json::object();
      if (document.ranks[0] > 0) ranks["search"] = document.ranks[0];
      if (document.ranks[1] > 0) ranks["ranking"] = document.ranks[1];
      if (const auto shown = hits_.find(document.id); shown != hits_.end())
        for (const auto& [name, value] : shown->second.items())
          if (name != "id" && name != "score") hit[name] = value;
      hits.push_back(std::move(hit));
    }
    answer_["hits"] = std::move(hits);
    answer_["took_ms"] = std::chrono::duration<double, std::milli>(service_.now() - came_).count();
    send({.body = answer_.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"});
  }

  void send(Response response) {
    if (auto responder = std::exchange(responder_, std::nullopt)) responder->send(std::move(response));
  }

  SearchService& service_;
  const std::shared_ptr<const void> in_use_;
  const AskedFusion asked_;
  const frond::http::Asker asker_;
  const std::shared_ptr<const void> counted_;  // Request::counted
  const Instant came_;
  std::optional<Responder> responder_;  // until it is answered
  SearchService::Ticket ticket_;
  Json answer_;  // of the search
  std::array<Ids, 2> lists_;
  std::unordered_set<std::string> there_;
  std::vector<merge::FusedDocument> fused_;  // that are shown
  Ids others_;                               // of these, those that the search did not find
  std::unordered_map<std::string, Json> hits_;
};

}  // namespace

void serve_fused(SearchService& service, Request request, Responder responder) {
  if (request.permit) request.permit->charge(1);
  TextReader& reader = service.shared().reader;
  struct Watched {
    std::atomic<bool> gone{false};      // set on the service's thread
    std::weak_ptr<FusedSearch> search;  // used there
  };
  const auto watched = std::make_shared<Watched>();
  responder.on_client_gone([watched] {
    watched->gone = true;
    if (const auto open = watched->search.lock()) open->abandon();
  });
  const auto begin = [&service, watched, came = service.now()](const std::optional<ParameterError>& error,
                                                               AskedFusion asked, const Request& of, Responder to) {
    if (watched->gone) return to.send(abandoned());
    if (error) return to.send(error->response());
    const auto search = std::make_shared<FusedSearch>(service, std::move(asked), of, std::move(to), came);
    watched->search = search;
    search->begin();
  };
  if (!reader.is_large(request.body)) {
    AskedFusion asked;
    const auto error = read_fusion(request.body, asked);
    return begin(error, std::move(asked), request, std::move(responder));
  }
  struct Held {
    Request request;
    Responder responder;
    const std::shared_ptr<const void> in_use;
    AskedFusion asked = {};
    std::optional<ParameterError> error = {};
  };
  const auto held = std::make_shared<Held>(Held{std::move(request), std::move(responder), service.in_use()});
  reader.run(held->request.client, held->request.body.size(), [&service, begin, watched, held] {
    if (!watched->gone) held->error = read_fusion(held->request.body, held->asked);
    service.home().post(
        [begin, held] { begin(held->error, std::move(held->asked), held->request, std::move(held->responder)); });
  });
}

}  // namespace frond::broker::http
