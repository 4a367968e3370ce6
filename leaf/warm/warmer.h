#pragma once
// Fills the caches with a generation's lists before it is served, so that its first searches are as fast as later ones:
// lists go to host memory, and from there to the GPU's, in large pieces, and no search waits behind them.
//
// First come the terms that searches of the last generations asked for (asked_terms.h), then those of the most
// documents. It ends when they are all there, when a cache is nine tenths full, or when the time is over. Partitions
// that a served generation has are warm already. Where one is served, new partitions with few documents, which services
// publish every second, give a GPU their arrays by document alone: their lists are read as soon as a search asks for
// them.
#include <chrono>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "common/base/deadline.h"
#include "common/base/log.h"
#include "common/metrics/registry.h"
#include "leaf/engine/query_engine.h"
#include "leaf/generation/served_generation.h"
#include "leaf/lists/list_store.h"
#include "leaf/serve/search/term_table.h"
#include "leaf/warm/asked_terms.h"

namespace frond::leaf::warm {

// Of a collection. warm() and remember() are called by one thread, the collection's follower.
class Warmer {
 public:
  struct Options {
    std::chrono::milliseconds limit{5000};   // 0: nothing is warmed
    std::uint64_t host_bytes = 0;            // of the cache of lists; 0: there is none
    std::filesystem::path file;              // of the terms that were asked for
    std::size_t threads = 1;                 // at the start; fewer beside searches
    std::uint32_t least_documents = 50'000;  // of a partition whose lists are read, where others are served
    metrics::Labels labels = {};
  };
  // `gpu` and `registry` may be null. All outlive this.
  Warmer(Options options, lists::ListStore& lists, engine::Accelerator* gpu, serve::TermTable& terms,
         const Clock& clock, Logger& log, metrics::Registry* registry);

  // Fills the caches with what `next` has and none of `served` has. Errors of a list are left to the search that finds
  // them. `stopping`: ends it early.
  void warm(const generation::ServedGeneration& next, const generation::ServedSet& served,
            const std::function<bool()>& stopping);
  // Writes down what was asked for, at most once a minute. A failure is logged once.
  void remember(const generation::ServedSet& served);

 private:
  struct Cold;
  struct Work;
  bool warm_device(const generation::ServedPartition& partition, std::span<const lists::ListLease> lists) const;
  std::vector<AskedTerm> asked_of(const generation::ServedSet& served) const;
  void fetch_all(Work& work, std::span<const AskedTerm> asked, std::size_t threads) const;
  void find_large(Work& work, std::span<const AskedTerm> asked, std::size_t threads) const;
  void fetch(Cold& cold, std::span<const lists::ListKey> keys, Work& work) const;

  const Options options_;
  lists::ListStore& lists_;
  engine::Accelerator* const gpu_;
  serve::TermTable& terms_;
  const Clock& clock_;
  Logger& log_;
  metrics::Gauge seconds_, bytes_;
  Instant written_ = Instant::min();
  bool told_ = false;
};

}  // namespace frond::leaf::warm
