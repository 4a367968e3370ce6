#include "broker/http/routes.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "broker/http/cluster_status.h"
#include "broker/http/document_route.h"
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

void search(SearchService& service, std::string text, const Reader& reader, const frond::http::ClientId& client,
            Responder responder) {
  if (!reader.prefix.empty()) text.insert(0, reader.prefix);
  if (auto known = service.known_answer(text)) {
    known->body += '\n';
    return responder.send(*std::move(known));
  }
  const ParsedSearch parsed = reader.parse(std::string_view(text).substr(reader.prefix.size()));
  if (!parsed.ok) return responder.send(parsed.error.response());
  const auto shared = std::make_shared<Responder>(std::move(responder));
  const auto ticket = service.search(parsed.parameters, reply_to(shared), text, client);
  if (ticket) shared->on_client_gone([&service, ticket] { service.abandon(ticket); });
}

// Each line of an msearch counts as a request against its client's limits.
void charge_lines(const Request& request) {
  if (!request.permit) return;
  const std::string_view lines = std::string_view(request.body).substr(0, request.body.find_last_not_of("\r\n") + 1);
  request.permit->charge(static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n')));
}

void search_many(MultiSearch& many, std::string body, const frond::http::ClientId& client, Responder responder) {
  const auto shared = std::make_shared<Responder>(std::move(responder));
  const auto batch = many.run(std::move(body), reply_to(shared), client);
  shared->on_client_gone([&many, batch] { many.abandon(batch); });
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

// A route of one collection, for each of the broker's: its handler gets the collection's number, too.
using Serve = std::function<void(const RouteTargets& targets, std::size_t number, Request&&, Responder)>;
RouteTargets::Collection collection_of(const RouteTargets& to, std::size_t number) {
  return number == 0 ? RouteTargets::Collection{to.collection, to.service, to.multi_search} : to.more[number - 1];
}

void add_for_collections(frond::http::Router& router, const std::shared_ptr<const RouteTargets>& to,
                         std::string_view method, std::string_view pattern, frond::http::RouteLimits limits,
                         Serve serve) {
  const auto handler = [to, pattern, serve = std::move(serve)](Request&& request, Responder responder) {
    const auto name = frond::http::path_value(request.path, pattern);
    if (!name) return responder.send(frond::http::problem(400, "Bad request", name.error().message(), "collection"));
    for (std::size_t number = 0; number <= to->more.size(); ++number)
      if (collection_of(*to, number).name == *name) return serve(*to, number, std::move(request), std::move(responder));
    responder.send(frond::http::problem(404, "Not found", "There is no collection '" + name->substr(0, 200) + "' here.",
                                        "collection"));
  };
  router.add(method, pattern, handler, limits);
}

void show_cluster(const std::shared_ptr<const RouteTargets>& to, std::size_t number, const Request& request,
                  Responder responder) {
  if (refuse_parameters(request, responder)) return;
  // A std::function is copied and a Responder cannot be.
  to->collect_status(
      [to, number, shared = std::make_shared<Responder>(std::move(responder))](const BrokerStatus& status) {
        const auto one = collection_of(*to, number);
        const ClusterView& view = number == 0 ? status.cluster : status.more.at(number - 1);
        shared->send({.body = cluster_json(view, one.service, one.name, to->version)});
      });
}

void add_admin_routes(frond::http::Router& router, const std::shared_ptr<const RouteTargets>& to) {
  const auto add = [&](std::string_view path, Access access, frond::http::Handler handler) {
    router.add("GET", path, std::move(handler), {.reserved = true, .access = access});
  };
  add("/v1/cluster", Access::kAdmin,
      [to](Request&& request, Responder responder) { show_cluster(to, 0, request, std::move(responder)); });
  add_for_collections(router, to, "GET", "/v1/collections/{collection}/cluster",
                      {.reserved = true, .access = Access::kAdmin},
                      [to](const RouteTargets&, std::size_t number, Request&& request, Responder responder) {
                        show_cluster(to, number, request, std::move(responder));
                      });
  add("/metrics", Access::kAdmin, [to](Request&&, Responder responder) {
    to->collect_status([to, shared = std::make_shared<Responder>(std::move(responder))](const BrokerStatus& status) {
      to->metrics.show(status);
      shared->send({.content_type = std::string(metrics::kContentType), .body = to->registry.exposition()});
    });
  });
  add("/livez", Access::kOpen, [to](Request&&, Responder responder) {
    const std::string why = to->stalled();
    probe(responder, why.empty(), why.empty() ? "alive" : why);
  });
  add("/readyz", Access::kOpen, [to](Request&&, Responder responder) {
    if (to->draining()) return probe(responder, false, "draining");
    const bool ready = to->ready();
    const std::string lacking = to->lacking();
    if (ready) return probe(responder, true, lacking.empty() ? "ready" : "ready, degraded: " + lacking);
    probe(responder, false, "no generation has a leaf for every partition" + (lacking.empty() ? "" : ": " + lacking));
  });
}

// What searches of one collection use, whether it is named in the path or not.
void serve_query(SearchService& service, const Reader& reader, Request&& request, Responder responder) {
  search(service, std::move(request.query), reader, request.client, std::move(responder));
}
void serve_body(SearchService& service, const Reader& reader, Request&& request, Responder responder) {
  if (refuse_parameters(request, responder)) return;
  search(service, std::move(request.body), reader, request.client, std::move(responder));
}
void serve_lines(MultiSearch& many, Request&& request, Responder responder) {
  if (refuse_parameters(request, responder)) return;
  charge_lines(request);
  search_many(many, std::move(request.body), request.client, std::move(responder));
}

// `pattern` has the id as its value `which`.
void serve_document_of(SearchService& service, std::string_view pattern, std::size_t which, const Request& request,
                       Responder responder) {
  auto id = frond::http::path_value(request.path, pattern, which);
  if (!id) return responder.send(frond::http::problem(400, "Bad request", id.error().message(), "id"));
  serve_document(service, *std::move(id), request, std::move(responder));
}

void add_collection_routes(frond::http::Router& router, const std::shared_ptr<const RouteTargets>& to) {
  const auto add_get = [&](std::string_view pattern, const Reader& reader) {
    add_for_collections(router, to, "GET", pattern, {.access = Access::kSearch},
                        [&reader](const RouteTargets& all, std::size_t number, Request&& request, Responder responder) {
                          serve_query(collection_of(all, number).service, reader, std::move(request),
                                      std::move(responder));
                        });
  };
  const auto add_post = [&](std::string_view pattern, const Reader& reader) {
    add_for_collections(router, to, "POST", pattern, {.max_body = kMaxSearchBody, .access = Access::kSearch},
                        [&reader](const RouteTargets& all, std::size_t number, Request&& request, Responder responder) {
                          serve_body(collection_of(all, number).service, reader, std::move(request),
                                     std::move(responder));
                        });
  };
  add_get("/v1/collections/{collection}/search", kSearchQuery);
  add_post("/v1/collections/{collection}/search", kSearchJson);
  add_get("/v1/collections/{collection}/count", kCountQuery);
  add_post("/v1/collections/{collection}/count", kCountJson);
  add_for_collections(router, to, "POST", "/v1/collections/{collection}/msearch",
                      {.max_body = kMaxBatchBody, .access = Access::kSearch},
                      [](const RouteTargets& all, std::size_t number, Request&& request, Responder responder) {
                        serve_lines(collection_of(all, number).multi_search, std::move(request), std::move(responder));
                      });
  static constexpr std::string_view kDocument = "/v1/collections/{collection}/documents/{id}";
  add_for_collections(router, to, "GET", kDocument, {.access = Access::kSearch},
                      [](const RouteTargets& all, std::size_t number, Request&& request, Responder responder) {
                        serve_document_of(collection_of(all, number).service, kDocument, 1, request,
                                          std::move(responder));
                      });
  add_for_collections(router, to, "GET", "/v1/collections/{collection}/documents", {.access = Access::kSearch},
                      [](const RouteTargets& all, std::size_t number, Request&& request, Responder responder) {
                        serve_document(collection_of(all, number).service, {}, request, std::move(responder));
                      });
  router.add("GET", "/v1/collections",
             [to](Request&& request, Responder responder) {
               if (refuse_parameters(request, responder)) return;
               std::vector<std::string> names;
               for (std::size_t number = 0; number <= to->more.size(); ++number)
                 names.push_back(collection_of(*to, number).name);
               responder.send({.body = collections_json(names)});
             },
             {.access = Access::kSearch});
}
}  // namespace

frond::http::Router make_admin_routes(RouteTargets targets) {
  frond::http::Router router;
  add_admin_routes(router, std::make_shared<const RouteTargets>(std::move(targets)));
  return router;
}

frond::http::Router make_routes(RouteTargets targets) {
  frond::http::Router router;
  const auto to = std::make_shared<const RouteTargets>(std::move(targets));
  const auto add_get = [&](std::string_view path, const Reader& reader) {
    router.add("GET", path,
               [to, &reader](Request&& request, Responder responder) {
                 serve_query(to->service, reader, std::move(request), std::move(responder));
               },
               {.access = Access::kSearch});
  };
  const auto add_post = [&](std::string_view path, const Reader& reader) {
    router.add("POST", path,
               [to, &reader](Request&& request, Responder responder) {
                 serve_body(to->service, reader, std::move(request), std::move(responder));
               },
               {.max_body = kMaxSearchBody, .access = Access::kSearch});
  };
  add_get("/v1/search", kSearchQuery);
  add_get("/v1/count", kCountQuery);
  add_post("/v1/search", kSearchJson);
  add_post("/v1/count", kCountJson);
  router.add("POST", "/v1/msearch",
             [to](Request&& request, Responder responder) {
               serve_lines(to->multi_search, std::move(request), std::move(responder));
             },
             {.max_body = kMaxBatchBody, .access = Access::kSearch});
  static constexpr std::string_view kDocument = "/v1/documents/{id}";
  router.add("GET", kDocument,
             [to](Request&& request, Responder responder) {
               serve_document_of(to->service, kDocument, 0, request, std::move(responder));
             },
             {.access = Access::kSearch});
  router.add(
      "GET", "/v1/documents",
      [to](Request&& request, Responder responder) { serve_document(to->service, {}, request, std::move(responder)); },
      {.access = Access::kSearch});
  add_collection_routes(router, to);
  add_admin_routes(router, to);
  // The search page keeps its state in the query string, so its route takes any parameters.
  for (const web::Asset& asset : web::assets())
    router.add("GET", asset.path, [](Request&& request, Responder responder) { send_asset(request, responder); });
  return router;
}

}  // namespace frond::broker::http
