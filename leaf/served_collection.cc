#include "leaf/served_collection.h"

#include <algorithm>
#include <set>
#include <utility>

#include "common/repository/collection_list.h"
#include "common/repository/manifest.h"

namespace frond::leaf {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMore = "collections";  // in the data folder, folders of collections

bool is_local(const std::string& repository) { return repository.find("://") == std::string::npos; }

// Deletes what lies in `folder`, except `kept`. Best effort: the next start tries again.
void sweep(const fs::path& folder, const std::set<std::string>& kept, Logger& log) {
  std::error_code ignored;
  std::vector<fs::path> doomed;
  for (fs::directory_iterator at(folder, ignored), end; at != end; at.increment(ignored))
    if (!kept.contains(at->path().filename().string())) doomed.push_back(at->path());
  for (const fs::path& one : doomed) {
    fs::remove_all(one, ignored);
    log.info("the files of a collection that is not served any more are deleted", {{"folder", one.string()}});
  }
}

// The collection that has the data folder itself; places.end(): none.
std::vector<CollectionPlace>::iterator owner_of_root(std::vector<CollectionPlace>& places, const fs::path& more,
                                                     const generation::DataFolder& root) {
  if (const auto kept = root.remembered())
    if (const auto manifest = repository::manifest_from_json(*kept)) {
      const auto named = std::find_if(places.begin(), places.end(),
                                      [&](const CollectionPlace& one) { return one.name == manifest->collection; });
      if (named != places.end()) return named;
    }
  return std::find_if(places.begin(), places.end(), [&](const CollectionPlace& one) {
    std::error_code failure;
    return !fs::is_directory(more / one.name, failure);
  });
}

serve::Identity named(serve::Identity identity, const std::string& collection) {
  identity.collection = collection;
  return identity;
}

metrics::Labels labels_of(const Options& options, const std::string& collection) {
  if (!names_collections(options)) return {};
  return {{"collection", collection}};
}

}  // namespace

Result<std::vector<CollectionPlace>> open_sources(const Options& options, Logger& log) {
  const bool local = is_local(options.repository);
  std::error_code failure;
  if (local && !fs::is_directory(options.repository, failure))
    return Error(Code::kInvalid,
                 options.repository + (fs::exists(options.repository, failure)
                                           ? " is no folder"
                                           : " does not exist: make the folder, if its first build is still to come"));
  std::vector<CollectionPlace> places;
  for (const std::string& name : options.collections) {
    if (local && !fs::is_directory(fs::path(options.repository) / name, failure))
      log.warn("the collection is not in the repository yet: it is waited for",
               {{"collection", name}, {"there", repository::collections_in(options.repository)}});
    places.push_back(FROND_TRY(open_source(options, name)));
  }
  return places;
}

namespace {
repository::HttpReading http_of(const Options& options) {
  return {.tls_ca = options.tls_ca, .min_bytes_per_second = options.fetch_min_rate};
}
}  // namespace

Result<CollectionPlace> open_source(const Options& options, const std::string& name) {
  CollectionPlace place;
  place.name = name;
  place.source =
      FROND_TRY(repository::RepositorySource::open(options.repository, name, http_of(options), options.objects));
  return place;
}

Result<std::vector<std::string>> listed_collections(const Options& options) {
  return repository::list_collections(options.repository, http_of(options), options.objects);
}

std::vector<std::string> kept_collections(const fs::path& data, const generation::DataFolder& root) {
  std::set<std::string> names;
  if (const auto kept = root.remembered())
    if (const auto manifest = repository::manifest_from_json(*kept)) names.insert(manifest->collection);
  std::error_code ignored;
  for (fs::directory_iterator at(data / kMore, ignored), end; at != end; at.increment(ignored))
    if (repository::is_safe_name(at->path().filename().string())) names.insert(at->path().filename().string());
  return {names.begin(), names.end()};
}

Result<void> open_folders(std::vector<CollectionPlace>& places, const fs::path& path,
                          const generation::DataFolder& root, Logger& log) {
  const fs::path more = path / kMore;
  const auto owner = owner_of_root(places, more, root);
  if (owner == places.end()) root.keep_only({}, {});
  std::set<std::string> kept;
  for (auto place = places.begin(); place != places.end(); ++place) {
    if (place == owner) {
      place->folder = &root;
      continue;
    }
    kept.insert(place->name);
    FROND_TRY(open_own_folder(*place, path));
  }
  sweep(more, kept, log);
  return {};
}

Result<void> open_own_folder(CollectionPlace& place, const fs::path& data) {
  auto folder = generation::DataFolder::open(data / kMore / place.name);
  if (!folder) return std::move(folder).error().within("--data");
  place.own_folder = *std::move(folder);
  place.folder = place.own_folder.get();
  return {};
}

void delete_folder(CollectionPlace& place, const fs::path& data) {
  if (place.own_folder == nullptr) return place.folder->keep_only({}, {});
  place.own_folder = nullptr;
  std::error_code ignored;  // the next start tries again
  fs::remove_all(data / kMore / place.name, ignored);
}

ServedCollection::ServedCollection(const Shared& shared, const CollectionPlace& place)
    : name_(place.name),
      service_(shared.parts(board_), named(shared.identity, place.name), shared.cache_state, brokers_, shared.requests),
      loader_(*place.source, *place.folder, {shared.options.shard, shared.options.shards}, shared.lists,
              shared.options.disk_reserve, shared.documents, &shared.numbers),
      follower_({.collection = place.name,
                 .poll = std::chrono::milliseconds(shared.options.poll_ms),
                 .grace = std::chrono::seconds(shared.options.grace_s),
                 .superseded_limit = std::chrono::seconds(shared.options.superseded_s),
                 .labels = labels_of(shared.options, place.name),
                 .on_change = [this] { service_.announce(); },
                 .before_serving = [this](const auto& next, const auto& served,
                                          const auto& stopping) { warmer_->warm(next, served, stopping); },
                 .at_poll = [this](const auto& served) { warmer_->remember(served); }},
                *place.source, *place.folder, loader_, board_, brokers_, shared.clock,
                names_collections(shared.options) ? own_log_.emplace(shared.log, "collection", place.name) : shared.log,
                &shared.registry),
      scrubber_({.interval = std::chrono::seconds(shared.options.scrub_s),
                 .labels = labels_of(shared.options, place.name),
                 .on_damage = [this](auto file) { follower_.damaged(std::move(file)); },
                 .trusted = shared.trusted},
                shared.scrub_pace, *place.folder, board_, shared.clock, &shared.registry),
      announcements_(
          place.source->watch(), [this] { follower_.look_soon(); }, &shared.registry,
          labels_of(shared.options, place.name)) {
  const Options& options = shared.options;
  if (options.links_files && is_local(options.repository)) loader_.link_from(fs::path(options.repository) / place.name);
  loader_.trust(shared.trusted);
  warmer_.emplace(
      warm::Warmer::Options{
          .limit = std::chrono::milliseconds(options.warm_ms),
          .host_bytes = options.host_cache_bytes,
          .file = place.folder->asked_terms(),
          .threads = std::clamp<std::size_t>(options.cpu_threads, 1, names_collections(options) ? 4 : 1024),
          .labels = labels_of(options, place.name)},
      shared.list_store, shared.gpu, shared.terms, shared.clock, own_log_ ? *own_log_ : shared.log, &shared.registry);
}

void ServedCollection::start() {
  follower_.start();
  scrubber_.start();
  announcements_.start();
}

bool ServedCollection::stop(std::chrono::milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  const bool scrubs_no_more = scrubber_.stop(patience);  // at once
  const bool deaf = announcements_.stop(patience) && scrubs_no_more;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
  return follower_.stop(std::max(left, std::chrono::milliseconds(0))) && deaf;
}

}  // namespace frond::leaf
