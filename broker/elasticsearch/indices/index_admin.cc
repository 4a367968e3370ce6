#include "broker/elasticsearch/indices/index_admin.h"

#include <charconv>
#include <chrono>
#include <random>
#include <thread>
#include <utility>

#include "broker/elasticsearch/cluster/cluster_settings.h"
#include "broker/elasticsearch/hits/window_order.h"
#include "broker/elasticsearch/indices/aliases.h"
#include "broker/elasticsearch/indices/index_settings.h"
#include "broker/elasticsearch/indices/templates.h"
#include "common/elasticsearch/json_body.h"
#include "common/elasticsearch/mapping.h"
#include "common/schema/schema_json.h"

namespace frond::broker::elasticsearch {
namespace {
using frond::http::Answered;

constexpr int kMostTries = 8;  // of a change that others make, too
constexpr std::chrono::milliseconds kAsk{2};
constexpr std::chrono::seconds kMadeByAnother{3};  // until its metadata are there
constexpr std::chrono::milliseconds kLookAgain{50};
constexpr std::chrono::seconds kPatience{30};  // until a new generation is searched

std::string collection_path(const std::string& name) { return "/v1/collections/" + name; }

std::string new_uuid() {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::random_device random;
  std::string uuid(22, 'A');
  for (char& c : uuid) c = kDigits[random() % kDigits.size()];
  return uuid;
}

Expected<void> look(const Targets& to) {
  if (const auto looked = to.follower->look(); !looked) return unavailable(looked.error().message());
  return {};
}

Result<Answered> ask_service(const Targets& to, std::string_view method, const std::string& target,
                             std::string_view body = {}, std::string fields = {}) {
  fields += http::ChangeForwarder::fields_of(to.trace);
  return to.service->ask(method, target, body, std::move(fields), to.authorization);
}

// Waits until an index that another is making is known whole; says that it is there.
ApiError made_by_another(const Targets& to, const std::string& name) {
  const auto end = std::chrono::steady_clock::now() + kMadeByAnother;
  for (;;) {
    if (const auto looked = look(to); !looked) return looked.error();
    const auto indices = to.catalogue.now();
    const auto found = indices->find(name);
    const bool known = found != indices->end() && !found->second.derived;
    if (known || to.service->interrupted() || std::chrono::steady_clock::now() >= end)
      return index_exists(name, known ? found->second.uuid : "_na_");
    std::this_thread::sleep_for(kLookAgain);
  }
}

}  // namespace

void hand_over(const Targets& to, Call&& call, frond::http::Responder responder,
               std::function<void(const Targets&, const Call&, frond::http::Responder)> serve) {
  if (to.service == nullptr)
    return responder.send(response_of(not_supported("Changing indices and documents without --indexer-service")));
  struct Held {
    Call call;
    frond::http::Responder responder;
  };
  const auto held = std::make_shared<Held>(Held{std::move(call), std::move(responder)});
  // The parsed body, and what is sent on.
  const std::size_t bytes = 4 * held->call.request.body.size();
  Targets at = to;
  at.client = held->call.request.client;
  at.trace = held->call.request.trace;
  if (held->call.changes) {
    if (!to.own_key) at.authorization = std::string(held->call.request.header("authorization"));
    at.makes_indices = !to.has_scope || to.has_scope(held->call.request, frond::http::Access::kAdmin);
  }
  to.service->later(held->call.request.client, bytes, [at = std::move(at), held, serve = std::move(serve)] {
    serve(at, held->call, std::move(held->responder));
  });
}

void later(const Targets& to, Call&& call, frond::http::Responder responder,
           std::function<frond::http::Response(const Targets&, const Call&)> serve) {
  hand_over(to, std::move(call), std::move(responder),
            [serve = std::move(serve)](const Targets& at, const Call& asked, frond::http::Responder answer) {
              frond::http::Response response;
              try {
                response = serve(at, asked);
              } catch (const std::exception& thrown) {
                response = response_of(internal_error(thrown));
              }
              answer.send(std::move(response));
            });
}

ApiError internal_error(const std::exception& thrown) {
  return {.status = 500, .type = "exception", .reason = std::string("the request failed: ") + thrown.what()};
}

ApiError failure_of(const Targets& to, const Result<Answered>& answered, std::string_view what) {
  if (!answered) return unavailable(std::string(what) + ": " + answered.error().message());
  ApiError error = error_of({.status = answered->status, .body = answered->body}, std::string(what) + ": ");
  if (!to.authorization && (answered->status == 401 || answered->status == 403))
    error = {.status = 500, .type = "exception", .reason = error.reason + " (see --indexer-key)"};
  return error;
}

Expected<Answered> ask(const Targets& to, std::string_view method, const std::string& target, std::string_view body,
                       std::string fields) {
  auto answered = ask_service(to, method, target, body, std::move(fields));
  if (!answered || answered->status < 200 || answered->status > 299)
    return failure_of(to, answered, std::string(method) + " " + target);
  return *std::move(answered);
}

namespace {
Expected<void> make_index(const Targets& to, const std::string& name, const Json& asked) {
  FROND_EXPECT_OK(check_index_name(name));
  for (const auto& [key, value] : asked.items())
    if (key != "mappings" && key != "settings" && key != "aliases")
      return parse_exception("unknown key [" + key.substr(0, 200) + "] for create index");
  const auto indices = to.catalogue.now();
  if (const auto known = indices->find(name); known != indices->end()) return index_exists(name, known->second.uuid);
  for (const auto& [other, index] : *indices)
    if (index.aliases.contains(name))
      return ApiError{.type = "invalid_index_name_exception",
                      .reason = "Invalid index name [" + name + "], already exists as alias"};
  FROND_EXPECT_OK(to.follower->expect_place(name));
  const Json body = FROND_EXPECT_OK(with_templates(to.catalogue.kept()->json, name, asked));
  FlatSettings settings = FROND_EXPECT_OK(read_settings(body.value("settings", Json())));
  std::erase_if(settings, [](const auto& one) { return one.second.is_null(); });
  Index index{.name = name, .uuid = new_uuid(), .created = now_ms(), .aliases = Json::object()};
  settings.try_emplace("index.number_of_shards", "1");
  settings.try_emplace("index.number_of_replicas", "1");
  settings["index.provided_name"] = name;
  settings["index.uuid"] = index.uuid;
  settings["index.creation_date"] = std::to_string(index.created);
  settings["index.version.created"] = "8170099";
  index.settings = nested(settings);
  const Mapping mapping =
      FROND_EXPECT_OK(read_mapping(index.settings, body.value("mappings", Json()), Origin::kRequest));
  index.mapping = mapping.shown;
  const Json aliases = body.value("aliases", Json::object());
  if (!aliases.is_object()) return parsing_exception("aliases is no object");
  for (const auto& [alias, about] : aliases.items()) {
    Json kept = FROND_EXPECT_OK(alias_of(about));
    FROND_EXPECT_OK(add_alias(index, mapping, *indices, alias, std::move(kept)));
  }
  const auto made = ask_service(to, "PUT", collection_path(name), collection_settings(mapping));
  if (made && made->status == 409) return made_by_another(to, name);
  if (!made || made->status != 201) return failure_of(to, made, "creating index [" + name + "]");
  const auto put = ask(to, "PUT", collection_path(name) + "/metadata",
                       metadata_of(index, schema::schema_text(schema_of(mapping))), "If-None-Match: *\r\n");
  if (put) FROND_EXPECT_OK(look(to));
  if (put && to.catalogue.now()->contains(name)) return {};
  // Nobody can use it as it is.
  (void)ask_service(to, "DELETE", collection_path(name));
  return put ? rejected("index [" + name + "] is one more than this broker serves") : put.error();
}
}  // namespace

Expected<void> create_index(const Targets& to, const std::string& name, const Json& body) {
  auto made = make_index(to, name, body);
  if (made)
    to.catalogue.forget_refusal(name);
  else if (made.error().status == 501)
    to.catalogue.refuse(name, made.error().reason);
  return made;
}

ApiError missing_index(const Targets& to, std::string_view name) {
  ApiError error = index_not_found(name);
  if (const auto reason = to.catalogue.refusal(name))
    error.reason += ": it was not made, since " + *reason + " (DELETE it to have it made by guess)";
  return error;
}

Expected<void> create_by_guess(const Targets& to, const std::string& name) {
  FROND_EXPECT_OK(expect_auto_create(to.catalogue.kept()->json, name));
  if (to.catalogue.refusal(name)) return missing_index(to, name);
  if (!to.makes_indices)
    return ApiError{.status = 403,
                    .type = "security_exception",
                    .reason = "no such index [" + name + "], and this key may not make it: it lacks the scope admin"};
  return create_index(to, name, Json::object());
}

Expected<void> change_kept(const Targets& to, const std::function<Expected<void>(Json& kept)>& change) {
  for (int tries = 0; tries < kMostTries; ++tries) {
    const auto now = to.catalogue.kept();
    Json kept = now->json;
    FROND_EXPECT_OK(change(kept));
    const auto put =
        ask_service(to, "PUT", "/v1/metadata", dumped({{"elasticsearch", {{"templates", kept}}}}),
                    now->version.empty() ? "If-None-Match: *\r\n" : "If-Match: \"" + now->version + "\"\r\n");
    if (put && put->status == 200) return look(to);
    if (!put || put->status != 412) return failure_of(to, put, "changing what is kept for all indices");
    FROND_EXPECT_OK(look(to));
  }
  return rejected("what is kept for all indices is being changed by others");
}

Expected<void> delete_indices(const Targets& to, std::string_view expression, ExpressionRules rules) {
  const auto indices = to.catalogue.now();
  rules.aliases = false;
  for (const std::string_view name : split_list(expression)) {
    if (name == "_all" || name.find('*') != name.npos)
      return illegal_argument("Wildcard expressions or all indices are not allowed");
    for (const auto& [index_name, index] : *indices)
      if (index.aliases.contains(name) && !rules.ignore_unavailable)
        return illegal_argument("The provided expression [" + std::string(name) +
                                "] matches an alias, specify the corresponding concrete indices instead.");
  }
  bool refused = false;  // of those that could not be made, that is forgotten
  for (const std::string_view name : split_list(expression)) {
    refused = refused || to.catalogue.refusal(name);
    to.catalogue.forget_refusal(name);
  }
  const auto meant = refused ? resolve(*indices, expression, {.ignore_unavailable = true, .aliases = false})
                             : resolve(*indices, expression, rules);
  if (!meant) return meant.error();
  for (const Meant& one : *meant)
    if (one.index->derived)
      return not_supported("Deleting index [" + one.index->name + "], which was not made by this API,");
  for (const Meant& one : *meant) FROND_EXPECT_OK(ask(to, "DELETE", collection_path(one.index->name)));
  return look(to);
}

Expected<void> change_index(const Targets& to, const std::string& name,
                            const std::function<Expected<void>(Index&)>& change) {
  for (int tries = 0; tries < kMostTries; ++tries) {
    const auto indices = to.catalogue.now();
    const auto found = indices->find(name);
    if (found == indices->end()) return index_not_found(name);
    if (found->second.derived) return not_supported("Changing index [" + name + "], which was not made by this API,");
    Index index = found->second;
    FROND_EXPECT_OK(change(index));
    const Mapping mapping = FROND_EXPECT_OK(read_mapping(index.settings, index.mapping));
    const auto put = ask_service(to, "PUT", collection_path(name) + "/metadata",
                                 metadata_of(index, schema::schema_text(schema_of(mapping))),
                                 "If-Match: \"" + index.version + "\"\r\n");
    if (put && put->status == 200) return look(to);
    if (!put || put->status != 412) return failure_of(to, put, "changing index [" + name + "]");
    FROND_EXPECT_OK(look(to));
  }
  return rejected("index [" + name + "] is being changed by others");
}

Expected<void> refresh_index(const Targets& to, const std::string& name) {
  const auto answered = FROND_EXPECT_OK(ask(to, "POST", collection_path(name) + "/refresh"));
  const Json published = Json::parse(answered.body, nullptr, /*allow_exceptions=*/false);
  const Json generation = published.is_object() ? published.value("generation", Json()) : Json();
  if (!generation.is_number_unsigned()) return {};  // nothing has been published yet
  const auto wanted = generation.get<Generation>();
  const auto end = std::chrono::steady_clock::now() + kPatience;
  const auto id = [&] {
    const auto indices = to.catalogue.now();
    const auto found = indices->find(name);
    return found == indices->end() ? std::string() : found->second.uuid;
  };
  const std::string asked = id();
  while (!to.serve(name, wanted)) {
    if (!asked.empty() && id() != asked) return {};  // removed meanwhile: nobody will search that generation
    if (to.service->interrupted() || std::chrono::steady_clock::now() >= end)
      return unavailable("generation " + std::to_string(wanted) + " of [" + name + "] is not searched yet");
    std::this_thread::sleep_for(kAsk);
  }
  return {};
}

std::uint64_t number_of(const Index& index, const char* setting) {
  const std::string text = text_or(index.settings.value("index", Json::object()), setting, "1");
  std::uint64_t number = 1;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

Json shards_json(const Index& index, bool searched) {
  const std::uint64_t shards = number_of(index, "number_of_shards");
  const std::uint64_t total = searched ? shards : 1 + number_of(index, "number_of_replicas");
  return {{"total", total}, {"successful", searched ? shards : 1}, {"failed", 0}};
}

}  // namespace frond::broker::elasticsearch
