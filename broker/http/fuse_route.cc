#include "broker/http/fuse_route.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "broker/http/answer.h"
#include "broker/merge/rank_fusion.h"
#include "common/query/clause.h"
#include "common/schema/json.h"
#include "common/text/limits.h"

namespace frond::broker::http {
namespace {
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

// Two searches: the ranking, then the documents of the list that it does not have. On the service's thread.
class FusedSearch : public std::enable_shared_from_this<FusedSearch> {
 public:
  FusedSearch(SearchService& service, AskedFusion asked, const frond::http::ClientId& client, Responder responder)
      : service_(service),
        in_use_(service.in_use()),
        asked_(std::move(asked)),
        client_(client),
        responder_(std::move(responder)) {}

  void begin() {
    responder_->on_client_gone([held = weak_from_this()] {
      if (const auto self = held.lock()) self->abandon();
    });
    ask(asked_.search, [](FusedSearch& self, Json answer) { self.heard_ranking(std::move(answer)); });
  }

 private:
  void ask(const SearchParameters& parameters, void (*heard)(FusedSearch&, Json)) {
    ticket_ = service_.search(
        parameters,
        [self = shared_from_this(), heard](Response response) {
          if (!self->responder_) return;
          if (response.status != 200) return self->send(std::move(response));
          heard(*self, Json::parse(response.body));
        },
        {}, client_, {}, came_);
  }

  void heard_ranking(Json heard) {
    answer_ = std::move(heard);
    lists_[1] = asked_.ranking;
    for (Json& hit : answer_["hits"]) {
      const std::string id = hit["id"];
      lists_[0].push_back(id);
      hits_.emplace(id, std::move(hit));
    }
    SearchParameters others = asked_.search;
    frond::query::Ids ids;
    for (const std::string& id : asked_.ranking)
      if (!hits_.contains(id)) ids.ids.push_back(id);
    if (ids.ids.empty()) return answer();
    others.k = static_cast<std::uint32_t>(ids.ids.size());
    others.q.clear();
    others.minimum_should_match.reset();
    others.facets.clear();
    others.rank = wire::Rank::kNone;
    others.mode = wire::Mode::kAnd;
    others.query = frond::query::Clause{std::move(ids)};
    ask(others, [](FusedSearch& self, Json found) { self.heard_others(std::move(found)); });
  }

  void heard_others(Json found) {
    for (Json& hit : found["hits"]) {
      const std::string id = hit["id"];
      hits_.emplace(id, std::move(hit));
    }
    Json& lacking = answer_["coverage"]["degraded"];
    for (const Json& one : found["coverage"]["degraded"])
      if (std::ranges::find(lacking, one) == lacking.end()) lacking.push_back(one);
    answer();
  }

  void answer() {
    Json hits = Json::array();
    for (const auto& document : merge::fuse_ranks(lists_, asked_.constant)) {
      if (hits.size() == asked_.k) break;
      const auto found = hits_.find(document.id);
      if (found == hits_.end()) continue;  // the collection, or the filter, does not have it
      Json hit = {{"id", document.id}, {"score", document.score}};
      Json& ranks = hit["ranks"] = Json::object();
      if (document.ranks[0] > 0) ranks["search"] = document.ranks[0];
      if (document.ranks[1] > 0) ranks["ranking"] = document.ranks[1];
      for (const auto& [name, value] : found->second.items())
        if (name != "id" && name != "score") hit[name] = value;
      hits.push_back(std::move(hit));
    }
    answer_["hits"] = std::move(hits);
    answer_["took_ms"] = std::chrono::duration<double, std::milli>(service_.now() - came_).count();
    send({.body = answer_.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"});
  }

  void abandon() {
    service_.abandon(ticket_);
    send(abandoned());
  }
  void send(Response response) {
    if (auto responder = std::exchange(responder_, std::nullopt)) responder->send(std::move(response));
  }

  SearchService& service_;
  const std::shared_ptr<const void> in_use_;
  const AskedFusion asked_;
  const frond::http::ClientId client_;
  const Instant came_ = service_.now();
  std::optional<Responder> responder_;  // until it is answered
  SearchService::Ticket ticket_;
  Json answer_;                                 // of the search
  std::unordered_map<std::string, Json> hits_;  // by id
  std::array<std::vector<std::string>, 2> lists_;
};

}  // namespace

void serve_fused(SearchService& service, std::string body, const frond::http::ClientId& client, Responder responder) {
  // A std::function is copied and a Responder cannot be.
  const auto shared = std::make_shared<Responder>(std::move(responder));
  const auto begin = [&service, in_use = service.in_use(), client, shared](const ParameterError* error,
                                                                           AskedFusion asked) {
    if (error != nullptr) return shared->send(error->response());
    std::make_shared<FusedSearch>(service, std::move(asked), client, std::move(*shared))->begin();
  };
  TextReader& reader = service.shared().reader;
  if (!reader.is_large(body)) {
    AskedFusion asked;
    const auto error = read_fusion(body, asked);
    return begin(error ? &*error : nullptr, std::move(asked));
  }
  const std::size_t bytes = body.size();
  reader.run(client, bytes, [&service, begin, body = std::move(body)] {
    AskedFusion asked;
    const auto error = read_fusion(body, asked);
    service.home().post([begin, error, asked] { begin(error ? &*error : nullptr, asked); });
  });
}

}  // namespace frond::broker::http
