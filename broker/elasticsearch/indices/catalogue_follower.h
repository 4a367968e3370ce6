#pragma once
// Keeps the catalogue, and with --collection '*' what the broker searches, as the indexer's service has them: a thread,
// "collections", asks it every second, and whoever has changed something asks at once (look()).
//
// What Elasticsearch knows of an index is kept by the service with the collection (its /metadata): as {"metadata":
// {"elasticsearch":{"uuid","created","mapping","settings","aliases"}},"schema":{…}}.
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "broker/elasticsearch/indices/catalogue.h"
#include "broker/http/change_forwarder.h"
#include "common/base/log.h"
#include "common/base/mutex.h"
#include "common/base/result.h"

namespace frond::broker::elasticsearch {

// What is kept with an index's collection. `schema`: as JSON.
std::string metadata_of(const Index& index, std::string_view schema);
// Of a collection that nothing is kept with: its mapping is derived from its schema, JSON; empty: it has none.
Index derived_index(std::string name, std::string_view schema);

class CatalogueFollower {
 public:
  struct Config {
    std::vector<std::string> only;  // --collection; empty: all that the service has
    std::size_t most = 64;          // more are left out: new ones, the last by name
    // Called with the names when they have changed, from inside look(); empty: nobody is told. Where an index was
    // removed and made again, it is called without it first.
    std::function<void(const std::vector<std::string>&)> on_collections = {};
    // How long an index is empty after it was told that nothing of it is published: until the next look, and until
    // leaves have fetched its first generation.
    std::chrono::milliseconds stays_empty{6000};
  };
  // All outlives this.
  CatalogueFollower(http::ChangeForwarder& service, Catalogue& catalogue, Config config, Logger& log);
  // Ends what is asked of the service.
  ~CatalogueFollower();
  CatalogueFollower(const CatalogueFollower&) = delete;
  CatalogueFollower& operator=(const CatalogueFollower&) = delete;

  // Asks the service; afterwards the catalogue has what it said. Any thread. Errors as ChangeForwarder::ask(); kCorrupt
  // also: an answer that is none.
  Result<void> look();
  // Whether an index of this name that is made now is served. 400: --collection names others; 429: there are as many as
  // are served. Any thread.
  Expected<void> expect_place(std::string_view name) const;

 private:
  struct Known {
    std::string version;           // of the metadata; empty: derived
    std::uint64_t generation = 0;  // that it was derived from; 0: none was published
    Index index;
    bool published = false;  // it had a generation
  };
  void run(const std::stop_token& stop);
  Result<Known> read(const std::string& name, std::string version, std::uint64_t generation) const;

  http::ChangeForwarder& service_;
  Catalogue& catalogue_;
  const Config config_;
  Logger& log_;
  Mutex looking_;
  std::map<std::string, Known> known_ FROND_GUARDED_BY(looking_);
  std::optional<std::vector<std::string>> told_ FROND_GUARDED_BY(looking_);  // nothing: not yet
  bool told_too_many_ FROND_GUARDED_BY(looking_) = false;
  Result<void> look_at_kept(const std::string& version) FROND_REQUIRES(looking_);
  std::jthread thread_;  // last: ends first
};

}  // namespace frond::broker::elasticsearch
