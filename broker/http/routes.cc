#include "broker/http/routes.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include "broker/http/answers/answer.h"
#include "broker/http/monitoring/broker_status.h"
#include "broker/http/search/fuse_route.h"
#include "broker/web/assets.h"

namespace frond::broker::http {
namespace {
using frond::http::Access;
using frond::http::Request;
using frond::http::Responder;
using frond::http::Response;

// A Reply is copied and a Responder cannot be, so the Reply shares it.
SearchService::Reply reply_to(std::shared_ptr<Responder> responder) {
  return [responder = std::move(responder)](Response response) {
    if (!response.body.ends_with('\n')) response.body += '\n';
    responder->send(std::move(response));
  };
}

// Reads the parameters of a search from a text. The same text is another request on another route, so the service knows
// texts with their prefix; no search's text begins with one.
struct Reader {
  ParsedSearch (*parse)(std::string_view);
  std::string_view prefix;
};
constexpr Reader kSearchQuery{parse_search_query, ""}, kSearchJson{parse_search_json, ""},
    kCountQuery{parse_count_query, "count "}, kCountJson{parse_count_json, "count "};

// A search whose text is read on another thread.
void search_large(SearchService& service, std::string text, const Reader& reader, const frond::http::Asker& asker,
                  Responder responder) {
  struct Asked {
    std::atomic<bool> gone{false};  // set on the service's thread
    SearchService::Ticket ticket;   // used there
  };
  const auto asked = std::make_shared<Asked>();
  responder.on_client_gone([&service, asked] {
    asked->gone = true;
    service.abandon(asked->ticket);
  });
  const auto whole = std::make_shared<const std::string>(std::move(text));
  const auto go_on = [&service, asked, whole, asker, came = service.now(),
                      reply = reply_to(std::make_shared<Responder>(std::move(responder)))](const ParsedSearch& parsed) {
    if (asked->gone) return reply(abandoned());
    if (!parsed.ok) return reply(parsed.error.response());
    asked->ticket = service.search(parsed.parameters, reply, *whole, asker, {}, came);
  };
  service.shared().reader.read(
      asker.client, service.home(),
      {whole, reader.prefix.size(), reader.parse, std::shared_ptr<const std::atomic<bool>>(asked, &asked->gone)},
      go_on);
}

void search(SearchService& service, std::string text, const Reader& reader, const frond::http::Asker& asker,
            Responder responder) {
  if (!reader.prefix.empty()) text.insert(0, reader.prefix);
  if (auto known = service.known_answer(text, asker.trace)) {
    known->body += '\n';
    return responder.send(*std::move(known));
  }
  if (service.shared().reader.is_large(text))
    return search_large(service, std::move(text), reader, asker, std::move(responder));
  const ParsedSearch parsed = reader.parse(std::string_view(text).substr(reader.prefix.size()));
  if (!parsed.ok) return responder.send(parsed.error.response());
  const auto shared = std::make_shared<Responder>(std::move(responder));
  const auto ticket = service.search(parsed.parameters, reply_to(shared), text, asker);
  if (ticket) shared->on_client_gone([&service, ticket] { service.abandon(ticket); });
}

// Each line of an msearch counts as a request against its client's limits.
void charge_lines(const Request& request) {
  if (!request.permit) return;
  const std::string_view lines = std::string_view(request.body).substr(0, request.body.find_last_not_of("\r\n") + 1);
  request.permit->charge(static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n')));
}

// Answers 400 if the request has parameters; for routes that take none.
bool refuse_parameters(const Request& request, Responder& responder) {
  const auto pairs = frond::http::parse_query(request.query);
  if (pairs && pairs->empty()) return false;
  const std::string name = pairs ? pairs->front().first : "";
  responder.send(frond::http::problem(400, "Bad request", name + " is not a parameter of this route", name));
  return true;
}

void send_asset(const Request& request, Responder& responder) {
  const auto asset = web::find_asset(request.path);
  if (!asset) return responder.send(frond::http::problem(404, "Not found", "There is nothing here."));
  Response response{.content_type = std::string(asset->content_type), .body = std::string(asset->body)};
  response.headers = {{"Content-Security-Policy", std::string(web::kContentSecurityPolicy)},
                      {"Referrer-Policy", "no-referrer"},
                      {"Cross-Origin-Opener-Policy", "same-origin"},
                      {"Cross-Origin-Resource-Policy", "same-origin"},
                      {"Cache-Control", "no-cache"}};
  responder.send(std::move(response));
}

void probe(Responder& responder, bool good, std::string_view word) {
  if (!good) return responder.send(frond::http::problem(503, "Unavailable", word));
  responder.send({.content_type = "text/plain; charset=utf-8", .body = std::string(word) + "\n"});
}

using Targets = std::shared_ptr<const RouteTargets>;

// A route of one collection. It has two paths: the first is for the broker's first collection, the second names one.
struct CollectionRoute {
  std::string_view method, path, named_path;
  frond::http::RouteLimits limits;
  void (*serve)(const Targets& to, const SearchedCollection& collection, Request&& request, Responder responder);
};

void add(frond::http::Router& router, const Targets& to, const CollectionRoute& route) {
  router.add(
      route.method, route.path,
      [to, serve = route.serve](Request&& request, Responder responder) {
        if (to->collections->empty())
          return responder.send(frond::http::problem(404, "Not found", "There is no collection here yet."));
        serve(to, to->collections->front(), std::move(request), std::move(responder));
      },
      route.limits);
  const auto by_name = [to, serve = route.serve, pattern = route.named_path](Request&& request, Responder responder) {
    const auto name = frond::http::path_value(request.path, pattern);
    if (!name) return responder.send(frond::http::problem(400, "Bad request", name.error().message(), "collection"));
    if (const auto* const found = find_collection(*to->collections, *name))
      return serve(to, *found, std::move(request), std::move(responder));
    responder.send(frond::http::problem(404, "Not found", "There is no collection '" + name->substr(0, 200) + "' here.",
                                        "collection"));
  };
  router.add(route.method, route.named_path, by_name, route.limits);
}

template <const Reader& reader>
void serve_query(const Targets&, const SearchedCollection& collection, Request&& request, Responder responder) {
  search(*collection.service, std::move(request.query), reader, request.asker(), std::move(responder));
}
template <const Reader& reader>
void serve_body(const Targets&, const SearchedCollection& collection, Request&& request, Responder responder) {
  if (refuse_parameters(request, responder)) return;
  search(*collection.service, std::move(request.body), reader, request.asker(), std::move(responder));
}

void serve_lines(const Targets&, const SearchedCollection& collection, Request&& request, Responder responder) {
  if (refuse_parameters(request, responder)) return;
  charge_lines(request);
  MultiSearch& many = *collection.multi_search;
  const auto shared = std::make_shared<Responder>(std::move(responder));
  const auto batch = many.run(std::move(request.body), reply_to(shared), request.asker());
  shared->on_client_gone([&many, batch] { many.abandon(batch); });
}

constexpr std::string_view kDocument = "/v1/documents/{id}",
                           kNamedDocument = "/v1/collections/{collection}/documents/{id}";

void serve_document_of_path(const Targets&, const SearchedCollection& collection, Request&& request,
                            Responder responder) {
  const bool named = request.path.starts_with("/v1/collections/");
  auto id = frond::http::path_value(request.path, named ? kNamedDocument : kDocument, named ? 1 : 0);
  if (!id) return responder.send(frond::http::problem(400, "Bad request", id.error().message(), "id"));
  serve_document(*collection.service, *std::move(id), request, std::move(responder));
}
void serve_document_of_query(const Targets&, const SearchedCollection& collection, Request&& request,
                             Responder responder) {
  serve_document(*collection.service, {}, request, std::move(responder));
}

void serve_cluster(const Targets& to, const SearchedCollection& collection, Request&& request, Responder responder) {
  if (refuse_parameters(request, responder)) return;
  // A std::function is copied and a Responder cannot be.
  to->collect_status([to, name = collection.name,
                      shared = std::make_shared<Responder>(std::move(responder))](const BrokerStatus& status) {
    const auto view = status.clusters.find(name);
    const auto* const one = find_collection(*to->collections, name);
    if (view == status.clusters.end() || one == nullptr)
      return shared->send(frond::http::problem(404, "Not found", "The collection '" + name + "' was removed."));
    shared->send({.body = cluster_json(view->second, *one->service, name, to->broker)});
  });
}

void serve_schema(const Targets&, const SearchedCollection& collection, Request&& request, Responder responder) {
  if (refuse_parameters(request, responder)) return;
  const auto topology = collection.service->scatter().map.topology();
  if (!topology) return responder.send(frond::http::problem(503, "Unavailable", "No leaf serves this collection yet."));
  if (!topology->schema_problem.empty())
    return responder.send(
        frond::http::problem(503, "Unavailable", "This broker cannot read the schema: " + topology->schema_problem));
  responder.send({.body = (topology->schema_text.empty() ? R"({"fields":{}})" : topology->schema_text) + "\n"});
}

void serve_fusion(const Targets&, const SearchedCollection& collection, Request&& request, Responder responder) {
  if (refuse_parameters(request, responder)) return;
  serve_fused(*collection.service, std::move(request), std::move(responder));
}

constexpr frond::http::RouteLimits kGet{.access = Access::kSearch},
    kPost{.max_body = kMaxSearchBody, .access = Access::kSearch};
constexpr CollectionRoute kSearchRoutes[] = {
    {"GET", "/v1/search", "/v1/collections/{collection}/search", kGet, serve_query<kSearchQuery>},
    {"POST", "/v1/search", "/v1/collections/{collection}/search", kPost, serve_body<kSearchJson>},
    {"GET", "/v1/count", "/v1/collections/{collection}/count", kGet, serve_query<kCountQuery>},
    {"POST", "/v1/count", "/v1/collections/{collection}/count", kPost, serve_body<kCountJson>},
    {"POST",
     "/v1/msearch",
     "/v1/collections/{collection}/msearch",
     {.max_body = kMaxBatchBody, .access = Access::kSearch},
     serve_lines},
    {"POST", "/v1/fuse", "/v1/collections/{collection}/fuse", kPost, serve_fusion},
    {"GET", "/v1/schema", "/v1/collections/{collection}/schema", kGet, serve_schema},
    {"GET", kDocument, kNamedDocument, kGet, serve_document_of_path},
    {"GET", "/v1/documents", "/v1/collections/{collection}/documents", kGet, serve_document_of_query},
};

void add_admin_routes(frond::http::Router& router, const Targets& to) {
  const auto add_get = [&](std::string_view path, Access access, frond::http::Handler handler) {
    router.add("GET", path, std::move(handler), {.reserved = true, .access = access});
  };
  add(router, to,
      {"GET",
       "/v1/cluster",
       "/v1/collections/{collection}/cluster",
       {.reserved = true, .access = Access::kAdmin},
       serve_cluster});
  add_get("/metrics", Access::kAdmin, [to](Request&&, Responder responder) {
    to->collect_status([to, shared = std::make_shared<Responder>(std::move(responder))](const BrokerStatus& status) {
      to->metrics.show(status);
      shared->send({.content_type = std::string(metrics::kContentType), .body = to->registry.exposition()});
    });
  });
  add_get("/livez", Access::kOpen, [to](Request&&, Responder responder) {
    const std::string why = to->stalled();
    probe(responder, why.empty(), why.empty() ? "alive" : why);
  });
  add_get("/readyz", Access::kOpen, [to](Request&&, Responder responder) {
    if (to->draining()) return probe(responder, false, "draining");
    const bool ready = to->ready();
    const std::string lacking = to->lacking();
    if (ready) return probe(responder, true, lacking.empty() ? "ready" : "ready, degraded: " + lacking);
    probe(responder, false, "no generation has a leaf for every partition" + (lacking.empty() ? "" : ": " + lacking));
  });
}

}  // namespace

const SearchedCollection* find_collection(const SearchedCollections& collections, std::string_view name) {
  const auto found = std::ranges::find(collections, name, &SearchedCollection::name);
  return found == collections.end() ? nullptr : &*found;
}

frond::http::Router make_admin_routes(RouteTargets targets) {
  frond::http::Router router;
  add_admin_routes(router, std::make_shared<const RouteTargets>(std::move(targets)));
  return router;
}

frond::http::Router make_routes(RouteTargets targets) {
  frond::http::Router router;
  const auto to = std::make_shared<const RouteTargets>(std::move(targets));
  for (const CollectionRoute& route : kSearchRoutes) add(router, to, route);
  router.add("GET", "/v1/collections",
             [to](Request&& request, Responder responder) {
               if (refuse_parameters(request, responder)) return;
               std::vector<std::string> names;
               for (const auto& one : *to->collections) names.push_back(one.name);
               responder.send({.body = collections_json(names)});
             },
             {.access = Access::kSearch});
  // Not for --admin-http, which asks for no keys: it has queries.
  router.add("GET", "/v1/slow-searches",
             [to](Request&& request, Responder responder) {
               if (!refuse_parameters(request, responder)) responder.send({.body = to->slow.json()});
             },
             {.access = Access::kAdmin});
  if (to->changes != nullptr) to->changes->add_to(router);
  add_admin_routes(router, to);
  // The search page keeps its state in the query string, so its route takes any parameters.
  for (const web::Asset& asset : web::assets())
    router.add("GET", asset.path, [](Request&& request, Responder responder) { send_asset(request, responder); });
  return router;
}

}  // namespace frond::broker::http
