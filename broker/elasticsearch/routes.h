#pragma once
// The routes of the Elasticsearch API: on a listener of their own (--elasticsearch-api), and below /es on the broker's
// main one. What all of them have in common is here: media types, parameters, bodies, the headers that clients demand,
// and errors in Elasticsearch's shape. What they do is in tables of routes, each in the file that serves them.
//
// A handler runs on the thread that took the request; what blocks goes to the change forwarder's threads.
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "broker/elasticsearch/error.h"
#include "broker/elasticsearch/indices/catalogue.h"
#include "broker/elasticsearch/indices/catalogue_follower.h"
#include "broker/elasticsearch/indices/refreshes.h"
#include "broker/http/change_forwarder.h"
#include "broker/http/routes.h"
#include "common/http/server/router.h"

namespace frond::broker::elasticsearch {

inline constexpr std::size_t kMaxBody = 1 << 20;        // of a search, a mapping, settings
inline constexpr std::size_t kMaxBulkBody = 16 << 20;   // as sent, and decoded
inline constexpr std::string_view kVersion = "8.17.0";  // of the API, which clients ask for

// What handlers need. All outlives the routes.
struct Targets {
  Catalogue& catalogue;
  // Those that the calling thread searches; they come and go between requests.
  std::shared_ptr<const http::SearchedCollections> collections;
  http::ChangeForwarder* service = nullptr;  // the indexer's service; null: nothing can be changed
  CatalogueFollower* follower = nullptr;     // null as `service` is
  Refreshes* refreshes = nullptr;            // null as `service` is
  // Whether all threads search this generation of a collection, or a later one. Any thread.
  std::function<bool(std::string_view collection, Generation generation)> serve = {};
  // Whether changes go to the service with this broker's own key: it checks the keys of clients itself, or only
  // programs of this machine reach the listener. Else each goes with what its client has sent, and the service decides.
  bool own_key = false;
  // Whether the request's key has the scope. Empty: this broker checks no keys.
  std::function<bool(const frond::http::Request& request, frond::http::Access scope)> has_scope = {};
  // Of one request, by later(): who asks, what it is known by, what goes in place of the broker's key, and whether
  // writing makes missing indices.
  frond::http::ClientId client = {};
  frond::http::Trace trace = {};
  std::optional<std::string> authorization = {};
  bool makes_indices = true;
};

// A request, checked as its route demands.
struct Call {
  frond::http::Request request;  // its body is decoded
  std::vector<std::pair<std::string, std::string>> parameters;
  bool changes = false;                                                    // its route needs more than searching does
  std::vector<std::pair<std::string_view, std::string>> path_values = {};  // by the names of the route's path, decoded

  // A parameter's value; nothing: it was not given. The last one counts.
  std::optional<std::string_view> parameter(std::string_view name) const;
  // "true", "" (given without a value) or "false". 400: something else.
  Expected<bool> flag(std::string_view name, bool otherwise) const;
  // What the path has where the route's has {name}; empty: the route has none.
  std::string path_value(std::string_view name) const;
  // By the parameters ignore_unavailable, allow_no_indices and expand_wildcards.
  Expected<ExpressionRules> expression_rules() const;
};

// The indices that a request's path names.
struct NamedIndices {
  std::shared_ptr<const Indices> all;
  std::vector<Meant> meant;  // of `all`
};
// Errors as resolve().
Expected<NamedIndices> named_indices(const Targets& to, const Call& call);

// The index that one name stands for (document_routes.cc). 404: it is a pattern, or there is none; 400: it is an alias
// of several.
Expected<std::string> one_index(const Targets& to, const std::string& name);

struct Route {
  std::string_view methods;  // between commas
  std::string_view path;     // "[/{index}]/_doc/{id}": with the part in brackets, and without it
  frond::http::Access access = frond::http::Access::kAdmin;
  std::size_t max_body = 0;
  // Names between commas, beside those that every route takes (pretty, human, error_trace, filter_path, source, …).
  // Others are refused.
  std::string_view parameters;
  void (*serve)(const Targets& to, Call&& call, frond::http::Responder responder);
};

// The tables. A literal path takes precedence over a pattern, and among patterns the first that matches.
std::span<const Route> search_routes();        // _search, _count, …
std::span<const Route> multi_search_routes();  // _msearch
std::span<const Route> cursor_routes();        // scrolls, points in time
std::span<const Route> field_routes();         // _field_caps, _analyze
std::span<const Route> alias_routes();         // aliases
std::span<const Route> template_routes();      // templates of indices
std::span<const Route> settings_routes();      // _cluster/settings
std::span<const Route> index_routes();         // indices, mappings, settings, aliases
std::span<const Route> write_routes();         // documents, _bulk
std::span<const Route> by_query_routes();      // _delete_by_query, _update_by_query, _reindex
std::span<const Route> cluster_routes();       // /, _cluster, _cat, _nodes, _stats

// A route's function of what answers at once.
template <Expected<frond::http::Response> (*serve)(const Targets&, const Call&)>
void answering(const Targets& to, Call&& call, frond::http::Responder responder) {
  responder.send(answer_of(serve(to, call)));
}

// Adds them all. `prefix`: a literal, "" or "/es".
void add_routes(frond::http::Router& router, std::string_view prefix, const Targets& targets);

frond::http::Response json_response(const Json& json, int status = 200);

}  // namespace frond::broker::elasticsearch
