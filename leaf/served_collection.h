#pragma once
// Where the leaf's collections come from, and where their files are.
//
// One collection has the data folder itself, the others have folders of the same layout in it: collections/NAME. So a
// leaf that gets a second collection keeps what it fetched of the first. Which one has the folder itself: the one whose
// generation the folder remembers; if that is not served, the first one without a folder of its own.
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/log.h"
#include "common/base/result.h"
#include "common/metrics/registry.h"
#include "common/partition/documents/document_block_cache.h"
#include "common/repository/repository.h"
#include "leaf/generation/announcement_listener.h"
#include "leaf/generation/data_folder.h"
#include "leaf/generation/generation_follower.h"
#include "leaf/generation/generation_loader.h"
#include "leaf/generation/retained_generations.h"
#include "leaf/generation/scrubber.h"
#include "leaf/options.h"
#include "leaf/serve/collections.h"
#include "leaf/serve/leaf_service.h"
#include "leaf/warm/warmer.h"

namespace frond::leaf {

struct CollectionPlace {
  std::string name;
  std::unique_ptr<repository::RepositorySource> source;
  const generation::DataFolder* folder = nullptr;
  std::unique_ptr<generation::DataFolder> own_folder;  // what `folder` points to, unless that is the data folder itself
};
// One for each --collection, in order, without folders. A collection that a directory does not have yet is told in the
// log. kInvalid also: the directory does not exist. Errors: as RepositorySource::open().
Result<std::vector<CollectionPlace>> open_sources(const Options& options, Logger& log);
// Of one collection, of --collection '*', while the leaf runs: a folder of its own; and what it has is deleted, with
// the folder, unless that is the data folder itself.
Result<void> open_own_folder(CollectionPlace& place, const std::filesystem::path& data);
void delete_folder(CollectionPlace& place, const std::filesystem::path& data);
// As open_sources(), for one collection.
Result<CollectionPlace> open_source(const Options& options, const std::string& name);
// What --collection '*' stands for now. Errors as repository::list_collections().
Result<std::vector<std::string>> listed_collections(const Options& options);
// The collections of which the data folder `root`, at `data`, has files: served until the repository can be read.
std::vector<std::string> kept_collections(const std::filesystem::path& data, const generation::DataFolder& root);
// Sets the folders. Deletes the folders of collections that the leaf no longer serves, and says so in the log.
// `root` is the open data folder at `path`; it outlives the places. Errors name the flag: kUnavailable, a folder cannot
// be made.
Result<void> open_folders(std::vector<CollectionPlace>& places, const std::filesystem::path& path,
                          const generation::DataFolder& root, Logger& log);

// One of the leaf's collections: what is served of it, the brokers that use it, and the threads that follow its
// repository. What all collections share (threads, caches, the GPU) is given to it.
class ServedCollection {
 public:
  // What the collections share. All outlives them.
  struct Shared {
    const Options& options;
    const Clock& clock;
    Logger& log;
    metrics::Registry& registry;
    const generation::ListRegistration& lists;
    generation::Numbers& numbers;
    serve::RequestsInFlight& requests;
    std::shared_ptr<partition::DocumentBlockCache> documents;
    // What its searches use, for a collection with this board.
    std::function<serve::SearchParts(const generation::ServedBoard&)> parts;
    serve::Identity identity;  // without the collection's name
    std::function<serve::CacheState()> cache_state;
    lists::ListStore& list_store;
    engine::Accelerator* gpu = nullptr;  // null: none
    serve::TermTable& terms;
    generation::ScrubPace& scrub_pace;
    std::shared_ptr<const tls::TrustedKeys> trusted;  // null: generations need no signature
  };
  // `place` outlives this. With several collections, metrics and lines of the log name the collection.
  ServedCollection(const Shared& shared, const CollectionPlace& place);
  ServedCollection(const ServedCollection&) = delete;
  ServedCollection& operator=(const ServedCollection&) = delete;

  const std::string& name() const { return name_; }
  // With --collection '*' the collection ends when nobody works for its requests any more: in_use of it.
  serve::Collections::One served(bool may_end) {
    return {name_, service_, board_, may_end ? in_use_ : std::shared_ptr<const void>()};
  }
  // Whether nobody but `others` has in_use.
  bool idle(long others = 0) const { return in_use_.use_count() == 1 + others; }
  // Follow the repository from now on.
  void start();
  // False: a thread was still in a transfer after `patience`. The process may exit anyway.
  bool stop(std::chrono::milliseconds patience);

 private:
  const std::string name_;
  const std::shared_ptr<const void> in_use_ = std::make_shared<const char>();
  std::optional<Logger> own_log_;
  generation::ServedBoard board_;
  generation::BrokerRoll brokers_;
  serve::LeafService service_;
  generation::GenerationLoader loader_;
  std::optional<warm::Warmer> warmer_;
  generation::GenerationFollower follower_;
  generation::Scrubber scrubber_;
  generation::AnnouncementListener announcements_;
};

}  // namespace frond::leaf
