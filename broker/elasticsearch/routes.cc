#include "broker/elasticsearch/routes.h"

#include <algorithm>
#include <array>
#include <deque>

#include "broker/elasticsearch/filter_path.h"
#include "broker/elasticsearch/yaml.h"
#include "common/base/text.h"
#include "common/elasticsearch/json_body.h"

namespace frond::broker::elasticsearch {
namespace {
using frond::http::Request;
using frond::http::Responder;
using frond::http::Response;

constexpr std::string_view kPlainType = "application/json; charset=UTF-8";
constexpr std::array<std::string_view, 7> kEverywhere{"pretty", "human",  "error_trace",        "filter_path",
                                                      "source", "format", "source_content_type"};

// What answers have to be like, for one request.
struct Form {
  std::string media_type = std::string(kPlainType);
  std::string filter_path;
  bool pretty = false, yaml = false;
};

// "application/vnd.elasticsearch+json; compatible-with=8" and the like, of versions 7 to 9.
bool is_vendors(std::string_view given) {
  const std::string lower = lower_case(given);
  const std::string_view media_type = lower;
  for (const std::string_view vendor : {"application/vnd.elasticsearch+", "application/vnd.opensearch+"}) {
    if (!media_type.starts_with(vendor)) continue;
    const std::string_view kind = trimmed(media_type.substr(vendor.size(), media_type.find(';') - vendor.size()));
    if (kind != "json" && kind != "x-ndjson") return false;
    const auto at = media_type.find("compatible-with=");
    if (at == std::string_view::npos) return true;
    const std::string_view version = trimmed(media_type.substr(at + std::string_view("compatible-with=").size()));
    return version == "7" || version == "8" || version == "9";
  }
  return false;
}

bool takes_body_type(std::string_view content_type) {
  const std::string bare = lower_case(std::string(trimmed(content_type.substr(0, content_type.find(';')))));
  return bare == "application/json" || bare == "application/x-ndjson" || is_vendors(content_type);
}

Expected<Form> form_of(const Call& call) {
  Form form;
  form.filter_path = call.parameter("filter_path").value_or("");
  FROND_EXPECT_OK(check_paths(form.filter_path));
  form.pretty = FROND_EXPECT_OK(call.flag("pretty", false));
  const std::string_view accepted = call.request.header("accept"), format = call.parameter("format").value_or("");
  if (format == "cbor" || format == "smile") return not_supported("[format] " + std::string(format));
  for (const std::string_view type : {"application/cbor", "application/smile"})
    if (accepted.starts_with(type)) return not_supported("[Accept] " + std::string(type));
  form.yaml = format.empty() ? accepted.starts_with("application/yaml") : format == "yaml";
  if (is_vendors(accepted)) form.media_type = std::string(accepted.substr(0, accepted.find(',')));
  return form;
}

// Between a handler and the server: gives each answer its form.
class FormedAnswer final : public Responder::Connection {
 public:
  FormedAnswer(Responder responder, Form form) : responder_(std::move(responder)), form_(std::move(form)) {}
  void answer(std::uint64_t, Response response, std::string_view) override {
    response.headers.emplace_back("X-Elastic-Product", "Elasticsearch");
    if (response.content_type == "application/json") {
      response.content_type = form_.media_type;
      if (!form_.filter_path.empty() || form_.pretty)
        response.body = formed(response.body, response.status < 400 ? form_.filter_path : "", form_.pretty);
      if (form_.pretty) response.body += '\n';
      if (form_.yaml) {
        response.content_type = "application/yaml";
        response.body = yaml_of(response.body);
      }
    }
    take().send(std::move(response));
  }
  void abandon(std::uint64_t) override { (void)take(); }
  void watch(std::uint64_t, std::function<void()> gone) override { responder_->on_client_gone(std::move(gone)); }

 private:
  Responder take() {
    Responder taken = *std::move(responder_);
    responder_.reset();
    return taken;
  }
  std::optional<Responder> responder_;
  const Form form_;
};

ApiError unrecognized(const Call& call, std::string_view name) {
  return illegal_argument("request [" + call.request.path.substr(0, 200) + "] contains unrecognized parameter: [" +
                          std::string(name.substr(0, 200)) + "]");
}

Expected<void> check_parameters(const Call& call, const Route& route) {
  for (const auto& [name, value] : call.parameters)
    if (std::ranges::find(kEverywhere, name) == kEverywhere.end() && !is_listed(route.parameters, name))
      return unrecognized(call, name);
  return {};
}

// Reads what comes before the body's contents.
Expected<void> check_body(Call& call, const Route& route) {
  Request& request = call.request;
  const auto source = call.parameter("source");
  const bool takes_source = request.body.empty() && route.max_body != 0;
  for (const char* const name : {"source", "source_content_type"})
    if (call.parameter(name) && !(source && takes_source)) return unrecognized(call, name);
  if (request.body.empty() || route.max_body == 0) {
    if (!source) return {};
    // Pages of other sites can send addresses, but no bodies of these types.
    if (request.method != "GET") return illegal_argument("[source] is a parameter of GET alone");
    if (!takes_body_type(call.parameter("source_content_type").value_or("")))
      return illegal_argument("[source] needs [source_content_type], a type of JSON");
    request.body = std::string(*source);
    return {};
  }
  if (!takes_body_type(request.content_type))
    return ApiError{.status = 406,
                    .type = "media_type_header_exception",
                    .reason = "Content-Type header [" + request.content_type.substr(0, 200) + "] is not supported"};
  return {};
}

// A browser sends what pages of other sites tell it to. Under a name that is not checked, such a page may pass for one
// of this server (DNS rebinding).
Expected<void> check_origin(const Targets& to, const Call& call) {
  static const auto local = *frond::http::HostList::parse(std::vector<std::string>{"localhost"});
  const std::string_view origin = call.request.header("origin");
  if (origin.empty() || !call.changes) return {};
  const std::size_t at = origin.find("://");
  const bool keys = to.has_scope || !to.own_key;
  if (at != origin.npos && lower_case(origin.substr(at + 3)) == lower_case(call.request.host) &&
      (keys || local.admits(call.request.host)))
    return {};
  return ApiError{.status = 403,
                  .type = "security_exception",
                  .reason = "pages of [" + std::string(origin.substr(0, 200)) + "] may change nothing here"};
}

// A route's path with each of the parts in brackets, and without it.
std::vector<std::string> paths_of(const Route& route) {
  std::vector<std::string> paths{std::string(route.path)};
  for (std::size_t i = 0; i < paths.size();) {
    const std::size_t begin = paths[i].find('['), end = paths[i].find(']');
    if (begin == std::string::npos) {
      ++i;
      continue;
    }
    std::string with = paths[i];
    paths.push_back(with.erase(end, 1).erase(begin, 1));
    paths[i].erase(begin, end - begin + 1);
  }
  return paths;
}

// `path`: without what the API is below.
Expected<void> read_path(Call& call, std::string_view path, std::string_view pattern) {
  for (std::size_t at = pattern.find('{'); at != pattern.npos; at = pattern.find('{', at + 1)) {
    auto value = frond::http::path_value(path, pattern, call.path_values.size());
    if (!value) return illegal_argument(value.error().message());
    call.path_values.emplace_back(pattern.substr(at + 1, pattern.find('}', at) - at - 1), *std::move(value));
  }
  return {};
}

// For labels of metrics and patterns, which are literals elsewhere.
std::string_view kept_for_ever(std::string text) {
  static Mutex mutex;
  static std::deque<std::string> kept;
  const MutexLock lock(mutex);
  if (const auto known = std::ranges::find(kept, text); known != kept.end()) return *known;
  return kept.emplace_back(std::move(text));
}

Response shaped(Response problem) {
  Response response = problem.status == 405 ? json_response({{"error", error_of(problem).reason}, {"status", 405}}, 405)
                                            : reshaped(problem);
  if (problem.status == 405) response.headers = std::move(problem.headers);
  response.headers.emplace_back("X-Elastic-Product", "Elasticsearch");
  return response;
}

// `pattern`: of the paths of the route the one that the request has.
void serve(const Targets& to, const Route& route, std::string_view prefix, std::string_view pattern, Request&& request,
           Responder responder) {
  const auto refuse = [&](const ApiError& error) {
    Responder(std::make_shared<FormedAnswer>(std::move(responder), Form()), 0).send(response_of(error));
  };
  auto pairs = frond::http::parse_query(request.query);
  if (!pairs) return refuse(illegal_argument(pairs.error().message()));
  Call call{.request = std::move(request),
            .parameters = *std::move(pairs),
            .changes = route.access == frond::http::Access::kWrite || route.access == frond::http::Access::kAdmin};
  auto form = form_of(call);
  if (!form) return refuse(form.error());
  Responder formed(std::make_shared<FormedAnswer>(std::move(responder), *std::move(form)), 0);
  const std::string path = call.request.path.substr(prefix.size());
  for (const auto& checked : {check_origin(to, call), read_path(call, path, pattern), check_parameters(call, route)})
    if (!checked) return formed.send(response_of(checked.error()));
  if (const auto body = check_body(call, route); !body) return formed.send(response_of(body.error()));
  route.serve(to, std::move(call), std::move(formed));
}

}  // namespace

std::optional<std::string_view> Call::parameter(std::string_view name) const {
  const auto found =
      std::find_if(parameters.rbegin(), parameters.rend(), [&](const auto& one) { return one.first == name; });
  return found == parameters.rend() ? std::nullopt : std::optional<std::string_view>(found->second);
}

Expected<bool> Call::flag(std::string_view name, bool otherwise) const {
  const auto value = parameter(name);
  if (!value) return otherwise;
  if (*value == "true" || value->empty()) return true;
  if (*value == "false") return false;
  return illegal_argument("Failed to parse value [" + std::string(value->substr(0, 200)) +
                          "] as only [true] or [false] are allowed.");
}

std::string Call::path_value(std::string_view name) const {
  const auto found = std::ranges::find(path_values, name, [](const auto& one) { return one.first; });
  return found == path_values.end() ? std::string() : found->second;
}

Expected<ExpressionRules> Call::expression_rules() const {
  ExpressionRules rules;
  rules.ignore_unavailable = FROND_EXPECT_OK(flag("ignore_unavailable", rules.ignore_unavailable));
  rules.allow_no_indices = FROND_EXPECT_OK(flag("allow_no_indices", rules.allow_no_indices));
  if (const auto expand = parameter("expand_wildcards")) {
    for (const std::string_view one : split_list(*expand))
      if (one != "open" && one != "closed" && one != "hidden" && one != "none" && one != "all")
        return illegal_argument("No valid expand wildcard value [" + std::string(one.substr(0, 200)) + "]");
    rules.expand_wildcards = !is_listed(*expand, "none");
  }
  return rules;
}

Expected<NamedIndices> named_indices(const Targets& to, const Call& call) {
  auto all = to.catalogue.now();
  const auto rules = FROND_EXPECT_OK(call.expression_rules());
  auto meant = FROND_EXPECT_OK(resolve(*all, call.path_value("index"), rules));
  return NamedIndices{std::move(all), std::move(meant)};
}

Response json_response(const Json& json, int status) { return {.status = status, .body = dumped(json)}; }

void add_routes(frond::http::Router& router, std::string_view prefix, const Targets& targets) {
  router.shape_refusals(prefix, shaped);
  const auto to = std::make_shared<const Targets>(targets);
  // Patterns are tried in this order: what is asked most comes first.
  for (const auto table :
       {search_routes(), cursor_routes(), write_routes(), multi_search_routes(), cluster_routes(), index_routes(),
        alias_routes(), by_query_routes(), field_routes(), template_routes(), settings_routes()})
    for (const Route& route : table)
      for (const std::string_view method : split_list(route.methods))
        for (const std::string& path : paths_of(route)) {
          const std::string_view whole = kept_for_ever(std::string(prefix) + path);
          const auto handler = [to, &route, prefix, pattern = whole.substr(prefix.size())](Request&& request,
                                                                                           Responder responder) {
            serve(*to, route, prefix, pattern, std::move(request), std::move(responder));
          };
          router.add(method, whole, handler, {.max_body = std::max(route.max_body, kMaxBody), .access = route.access});
        }
}

}  // namespace frond::broker::elasticsearch
