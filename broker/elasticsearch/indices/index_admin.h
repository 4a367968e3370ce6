#pragma once
// Makes, changes and removes indices, by the indexer's service, and waits until this broker knows. All calls wait, so
// they belong on the change forwarder's threads (later()). 503, 429: the service can't now; without one: 501.
#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "broker/elasticsearch/routes.h"

namespace frond::broker::elasticsearch {

// Serves a request on one of the threads that may wait. Refused if there is no service.
void hand_over(const Targets& to, Call&& call, frond::http::Responder responder,
               std::function<void(const Targets&, const Call&, frond::http::Responder)> serve);
// The same of what answers there.
void later(const Targets& to, Call&& call, frond::http::Responder responder,
           std::function<frond::http::Response(const Targets&, const Call&)> serve);

// The same as a route's function.
template <Expected<frond::http::Response> (*serve)(const Targets&, const Call&)>
void waiting(const Targets& to, Call&& call, frond::http::Responder responder) {
  later(to, std::move(call), std::move(responder),
        [](const Targets& at, const Call& asked) { return answer_of(serve(at, asked)); });
}

// An answer of the service that was not expected, or none. `what`: begins the reason.
ApiError failure_of(const Targets& to, const Result<frond::http::Answered>& answered, std::string_view what);
// 500: what was thrown while a request was served.
ApiError internal_error(const std::exception& thrown);
// One that is, with status 200 or 201.
Expected<frond::http::Answered> ask(const Targets& to, std::string_view method, const std::string& target,
                                    std::string_view body = {}, std::string fields = {});

// `body`: {"mappings":…,"settings":…,"aliases":…}. 400: it is there, or what is wrong with name or body; also where
// another made it at the same time, once that is known here. 429: there are as many as a broker serves.
Expected<void> create_index(const Targets& to, const std::string& name, const Json& body);
// Those that the expression names, all or none of them. 400: it has a pattern or an alias; 501: this API did not make
// one.
Expected<void> delete_indices(const Targets& to, std::string_view expression, ExpressionRules rules);
// Changes what is kept with an index: `change` is called with it as it is, again if somebody else was quicker. 404.
Expected<void> change_index(const Targets& to, const std::string& name,
                            const std::function<Expected<void>(Index&)>& change);
// The same of what is kept for all of them.
Expected<void> change_kept(const Targets& to, const std::function<Expected<void>(Json& kept)>& change);
// The same for a document that names an index that there isn't, if documents make it. 403, 404: they don't.
Expected<void> create_by_guess(const Targets& to, const std::string& name);
// An index that is missing: 404, with the reason if this broker refused to make it.
ApiError missing_index(const Targets& to, std::string_view name);
// Returns when all that was accepted is published, and this broker searches it. Requests wait by Refreshes.
Expected<void> refresh_index(const Targets& to, const std::string& name);

// {"total":2,"successful":1,"failed":0}: of an index with one replica that there is none of.
Json shards_json(const Index& index, bool searched);
std::uint64_t number_of(const Index& index, const char* setting);  // number_of_shards, number_of_replicas

}  // namespace frond::broker::elasticsearch
