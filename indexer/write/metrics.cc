#include "indexer/write/metrics.h"

namespace frond::indexer::write {
namespace {

using metrics::Family;
constexpr Family kAccepted{"frond_indexer_accepted_changes_total",
                           "Documents and removals that were accepted over HTTP, and synced to the log."};
constexpr Family kPending{"frond_indexer_pending_changes", "Accepted changes that are not published yet."};
constexpr Family kPendingBytes{"frond_indexer_pending_bytes", "Bytes of these, over all collections."};
constexpr Family kPendingSeconds{"frond_indexer_pending_seconds",
                                 "For how long the oldest of these has waited, as seen at each scrape."};
constexpr Family kPublications{"frond_indexer_publications_total",
                               "Publications of accepted changes, by outcome: ok, or failed (tried again)."};
constexpr Family kPublishSeconds{"frond_indexer_publish_seconds",
                                 "Seconds from reading accepted changes out of the log to their new generation."};
constexpr Family kCompactions{"frond_indexer_compactions_total",
                              "Background compactions that had something to merge, by outcome: ok or failed."};
constexpr Family kLeases{"frond_indexer_lease_events_total",
                         "Leases of collections in an object store, by event: taken, renewed, failed (a "
                         "renewal, tried again), lost (another "
                         "service took the collection over, or it was removed)."};
constexpr Family kSetAside{
    "frond_indexer_set_aside_changes_total",
    "Accepted changes that were put into a file instead of being published, since another service has written or "
    "removed the collection."};
constexpr Family kNotIndexed{"frond_indexer_not_indexed_documents",
                             "Accepted documents that can't be indexed. They are in files not-indexed.jsonl "
                             "until somebody removes these."};
constexpr Family kCollections{"frond_indexer_written_collections",
                              "Collections by state: writing, standby (another service writes them), or "
                              "refused (what is stored of them is damaged)."};

}  // namespace

WriteMetrics::WriteMetrics(metrics::Registry& registry)
    : accepted(registry.counter(kAccepted)),
      published(registry.counter(kPublications, {{"outcome", "ok"}})),
      failed(registry.counter(kPublications, {{"outcome", "failed"}})),
      compacted(registry.counter(kCompactions, {{"outcome", "ok"}})),
      compactions_failed(registry.counter(kCompactions, {{"outcome", "failed"}})),
      lease_taken(registry.counter(kLeases, {{"event", "taken"}})),
      lease_renewed(registry.counter(kLeases, {{"event", "renewed"}})),
      lease_failed(registry.counter(kLeases, {{"event", "failed"}})),
      lease_lost(registry.counter(kLeases, {{"event", "lost"}})),
      set_aside(registry.counter(kSetAside)),
      publish_seconds(registry.histogram(kPublishSeconds, metrics::latency_seconds())),
      pending(registry.gauge(kPending)),
      pending_bytes(registry.gauge(kPendingBytes)),
      pending_seconds(registry.gauge(kPendingSeconds)),
      not_indexed(registry.gauge(kNotIndexed)),
      writing(registry.gauge(kCollections, {{"state", "writing"}})),
      standby(registry.gauge(kCollections, {{"state", "standby"}})),
      refused(registry.gauge(kCollections, {{"state", "refused"}})) {}

}  // namespace frond::indexer::write
