#pragma once
// One of the leaf's collections: what is served of it, the brokers that use it, and the threads that follow its
// repository. What all collections share (threads, caches, the GPU) is given to it.
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "common/base/log.h"
#include "common/metrics/registry.h"
#include "common/partition/documents/document_block_cache.h"
#include "leaf/collection_places.h"
#include "leaf/generation/announcement_listener.h"
#include "leaf/generation/broker_roll.h"
#include "leaf/generation/generation_follower.h"
#include "leaf/generation/generation_loader.h"
#include "leaf/options.h"
#include "leaf/serve/leaf_service.h"

namespace frond::leaf {

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
  };
  // `place` outlives this. With several collections, metrics and lines of the log name the collection.
  ServedCollection(const Shared& shared, const CollectionPlace& place);
  ServedCollection(const ServedCollection&) = delete;
  ServedCollection& operator=(const ServedCollection&) = delete;

  const std::string& name() const { return name_; }
  serve::LeafService& service() { return service_; }
  const generation::ServedBoard& board() const { return board_; }
  // Follow the repository from now on.
  void start();
  // False: a thread was still in a transfer after `patience`. The process may exit anyway.
  bool stop(std::chrono::milliseconds patience);

 private:
  const std::string name_;
  std::optional<Logger> own_log_;
  generation::ServedBoard board_;
  generation::BrokerRoll brokers_;
  serve::LeafService service_;
  generation::GenerationLoader loader_;
  generation::GenerationFollower follower_;
  generation::AnnouncementListener announcements_;
};

}  // namespace frond::leaf
