#include "broker/elasticsearch/indices/catalogue_follower.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <iterator>
#include <memory>
#include <utility>

#include "broker/elasticsearch/indices/aliases.h"
#include "common/base/long_hash.h"
#include "common/base/threads/pause.h"
#include "common/base/threads/thread_name.h"
#include "common/elasticsearch/json_body.h"
#include "common/elasticsearch/mapping.h"

namespace frond::broker::elasticsearch {
namespace {

constexpr std::chrono::seconds kLookEvery{1};

Error no_answer(std::string_view what, const frond::http::Answered& answered) {
  return Error(answered.status == 404 ? Code::kNotFound : Code::kCorrupt,
               "the indexer's service answers " + std::to_string(answered.status) + " to " + std::string(what) + ": " +
                   answered.body.substr(0, 200));
}

std::string_view type_of(std::string_view field_type) {
  if (field_type == "integer") return "long";
  if (field_type == "float") return "double";
  if (field_type == "weights") return "rank_features";
  return field_type;  // text, keyword, date, boolean
}

const Json* member(const Json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  return found == object.end() ? nullptr : &*found;
}

// Nothing: it is not of this API.
std::optional<Index> index_in(const std::string& name, std::string_view metadata) {
  const Json whole = Json::parse(metadata, nullptr, /*allow_exceptions=*/false);
  const Json* const ours = kept_index(whole);
  if (ours == nullptr) return std::nullopt;
  Index index{.name = name};
  for (const auto& [key, to] : {std::pair("mapping", &index.mapping), std::pair("settings", &index.settings),
                                std::pair("aliases", &index.aliases)}) {
    const Json* const found = member(*ours, key);
    *to = found != nullptr && found->is_object() ? *found : Json::object();
  }
  for (auto alias = index.aliases.begin(); alias != index.aliases.end();) {  // whoever has the key may write anything
    auto read = alias_of(*alias);
    if (read) *alias = *std::move(read);
    alias = read ? std::next(alias) : index.aliases.erase(alias);
  }
  index.uuid = text_or(*ours, "uuid");
  index.created = static_cast<std::int64_t>(number_or(*ours, "created"));
  return index;
}

}  // namespace

std::string metadata_of(const Index& index, std::string_view schema) {
  const Json ours = {{"uuid", index.uuid},
                     {"created", index.created},
                     {"mapping", index.mapping},
                     {"settings", index.settings},
                     {"aliases", index.aliases}};
  return "{\"metadata\":{\"elasticsearch\":" + dumped(ours) + "},\"schema\":" + std::string(schema) + "}";
}

Index derived_index(std::string name, std::string_view schema) {
  Json properties = Json::object();
  const Json fields = Json::parse(schema, nullptr, /*allow_exceptions=*/false);
  if (const Json* const listed = member(fields, "fields"); listed != nullptr && listed->is_object())
    for (const auto& [field, about] : listed->items()) {
      const std::string type = about.is_string() ? about.get<std::string>() : text_or(about, "type", "text");
      properties[field] = {{"type", type_of(type)}};
    }
  else
    for (const char* text : {"title", "body"}) properties[text] = {{"type", "text"}};
  const std::string uuid = to_hex(long_hash(as_bytes(name)));
  Json settings = {{"index",
                    {{"number_of_shards", "1"},
                     {"number_of_replicas", "0"},
                     {"provided_name", name},
                     {"creation_date", "0"},
                     {"uuid", uuid}}}};
  return {.name = std::move(name),
          .uuid = uuid,
          .mapping = {{"dynamic", "strict"}, {"properties", std::move(properties)}},
          .settings = std::move(settings),
          .aliases = Json::object(),
          .derived = true};
}

CatalogueFollower::CatalogueFollower(http::ChangeForwarder& service, Catalogue& catalogue, Config config, Logger& log)
    : service_(service), catalogue_(catalogue), config_(std::move(config)), log_(log) {
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

CatalogueFollower::~CatalogueFollower() {
  service_.interrupt();
  thread_.request_stop();
}

void CatalogueFollower::run(const std::stop_token& stop) {
  name_this_thread("collections");
  std::string told;  // why the service could not be asked
  while (!stop.stop_requested()) {
    const auto looked = [&]() -> Result<void> {
      try {
        return look();
      } catch (const std::exception& thrown) {
        return Error(Code::kCorrupt, std::string("an answer of the indexer's service can't be read: ") + thrown.what());
      }
    }();
    if (!looked && !stop.stop_requested() && std::exchange(told, looked.error().message()) != looked.error().message())
      log_.warn("the indexer's service does not tell which collections there are; those that were known are searched",
                {{"reason", told}});
    if (looked) told.clear();
    pause_for(kLookEvery, stop);
  }
}

Result<void> CatalogueFollower::look() {
  const MutexLock lock(looking_);
  const auto answered = FROND_TRY(service_.ask("GET", "/v1/collections"));
  const Json listed = Json::parse(answered.body, nullptr, /*allow_exceptions=*/false);
  const Json* const collections = member(listed, "collections");
  if (answered.status != 200 || collections == nullptr || !collections->is_array())
    return no_answer("GET /v1/collections", answered);
  FROND_TRY(look_at_kept(text_or(listed, "metadata")));
  std::map<std::string, const Json*> all;
  for (const Json& one : *collections) {
    const std::string name = text_or(one, "collection");
    if (name.empty()) return no_answer("GET /v1/collections", answered);
    if (config_.only.empty() || std::ranges::find(config_.only, name) != config_.only.end()) all.emplace(name, &one);
  }
  if (all.size() > config_.most && !std::exchange(told_too_many_, true))
    log_.error("the indexer's service has more collections than a broker searches: new ones are left out",
               {{"most", std::to_string(config_.most)}});
  for (auto last = all.end(); all.size() > config_.most && last != all.begin();)
    if (--last; !known_.contains(last->first)) last = all.erase(last);
  std::vector<std::string> names, stay;  // stay: those that are the same index as before
  std::map<std::string, Known> next;
  bool changed = false;
  for (const auto& [name, one] : all) {
    names.push_back(name);
    const std::string version = text_or(*one, "metadata");
    const auto known = known_.find(name);
    const Json* const told = member(*one, "generation");  // null: it can't say now
    const bool nothing_published = told != nullptr && told->is_null();
    const std::uint64_t newest = number_or(*one, "generation");
    const std::uint64_t generation = newest == 0 && known != known_.end() ? known->second.generation : newest;
    const bool same = known != known_.end() && known->second.version == version &&
                      (!version.empty() || known->second.generation == generation);
    auto read_anew = same ? Result<Known>(known->second) : read(name, version, generation);
    // What can't be read now is as it was, and read the next time.
    if (!read_anew && read_anew.error().code() != Code::kNotFound && known != known_.end()) read_anew = known->second;
    const bool made_again = read_anew && known != known_.end() && !known->second.index.derived &&
                            known->second.index.uuid != read_anew->index.uuid;
    if (!made_again) stay.push_back(name);
    changed = changed || !same;
    if (!read_anew) continue;
    const bool before = known != known_.end() && known->second.index.uuid == read_anew->index.uuid;
    auto& empty_until = read_anew->index.empty_until;
    empty_until = before ? known->second.index.empty_until : std::make_shared<std::atomic<Index::Time>>();
    // What had documents is never taken for empty, whatever is said later.
    read_anew->published = newest != 0 || (before && known->second.published);
    if (nothing_published && !read_anew->published)
      empty_until->store(std::chrono::steady_clock::now() + config_.stays_empty);
    next.emplace(name, *std::move(read_anew));
  }
  changed = changed || next.size() != known_.size();
  known_ = std::move(next);
  if (changed) {  // else threads keep the mappings that they have read
    Indices indices;
    for (const auto& [name, known] : known_) indices.emplace(name, known.index);
    catalogue_.set(std::move(indices));
  }
  if (config_.on_collections && stay.size() < names.size()) config_.on_collections(stay);
  if (config_.on_collections && (told_ != names || stay.size() < names.size())) {
    told_ = names;
    config_.on_collections(names);
  }
  return {};
}

Result<void> CatalogueFollower::look_at_kept(const std::string& version) {
  if (catalogue_.kept()->version == version) return {};
  if (version.empty()) {
    catalogue_.set_kept({});
    return {};
  }
  const auto answered = FROND_TRY(service_.ask("GET", "/v1/metadata"));
  if (answered.status != 200) return no_answer("GET /v1/metadata", answered);
  const Json kept = Json::parse(answered.body, nullptr, /*allow_exceptions=*/false);
  if (!kept.is_object()) return no_answer("GET /v1/metadata", answered);
  const Json* const templates = at_path(kept, "elasticsearch.templates");
  // Under this version, though there may be a newer one: then a change is refused, and it is looked at again.
  catalogue_.set_kept(
      {.json = templates != nullptr && templates->is_object() ? *templates : Json::object(), .version = version});
  return {};
}

Expected<void> CatalogueFollower::expect_place(std::string_view name) const {
  if (!config_.only.empty() && std::ranges::find(config_.only, name) == config_.only.end())
    return illegal_argument("this broker does not serve an index [" + std::string(name) + "] (see --collection)");
  const auto indices = catalogue_.now();
  if (indices->size() < config_.most || indices->contains(name)) return {};
  return rejected("there are " + std::to_string(indices->size()) + " indices, as many as are served: [" +
                  std::string(name) + "] can't be made");
}

Result<CatalogueFollower::Known> CatalogueFollower::read(const std::string& name, std::string version,
                                                         std::uint64_t generation) const {
  const std::string path = "/v1/collections/" + name;
  if (!version.empty()) {
    const auto answered = FROND_TRY(service_.ask("GET", path + "/metadata"));
    if (answered.status != 200) return no_answer("GET " + path + "/metadata", answered);
    if (auto index = index_in(name, answered.body)) {
      const auto tag = std::ranges::find(answered.headers, "etag", &std::pair<std::string, std::string>::first);
      if (tag != answered.headers.end() && tag->second.size() > 2)
        version = tag->second.substr(1, tag->second.size() - 2);
      index->version = version;
      return Known{std::move(version), generation, *std::move(index)};
    }
  }
  const auto answered = FROND_TRY(service_.ask("GET", path));
  if (answered.status != 200) return no_answer("GET " + path, answered);
  const Json described = Json::parse(answered.body, nullptr, /*allow_exceptions=*/false);
  const Json* const schema = member(described, "schema");
  return Known{std::move(version), generation, derived_index(name, schema == nullptr ? "" : dumped(*schema))};
}

}  // namespace frond::broker::elasticsearch
