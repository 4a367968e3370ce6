#pragma once
// The broker's HTTP listeners as the options set them: the public one, with TLS if there is a certificate, and the one
// for operators and probes.
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "broker/cluster/timer_queue.h"
#include "broker/http/tls_endpoint.h"
#include "broker/options.h"
#include "common/base/log.h"
#include "common/base/result.h"
#include "common/http/router.h"
#include "common/http/server.h"
#include "common/keys/guard.h"
#include "common/metrics/registry.h"

namespace frond::broker {

// Null: plain HTTP.
Result<std::unique_ptr<http::TlsEndpoint>> tls_endpoint_for(const Options& options, cluster::TimerQueue& timers,
                                                            Logger& log, metrics::Registry& registry);

// Reads the API keys. The caller has the guard look() at their file again from time to time. Errors name the flag.
inline constexpr std::chrono::seconds kKeysInterval{1};  // of that; usually from the page cache
Result<std::unique_ptr<keys::Guard>> key_guard_for(const Options& options, const Clock& clock, Logger& log,
                                                   metrics::Registry& registry);
// For any thread; null if there is nothing to check. The guard outlives whoever calls it.
frond::http::Gatekeeper gatekeeper_of(keys::Guard& guard);

// The public listener without its callbacks and TLS. `descriptors`: how many files the process may open. Half of them
// are reserved for leaves, logs and names, so that clients cannot use up all of them; a smaller number of connections
// than --max-connections is logged.
frond::http::Server::Config public_config(const Options& options, std::size_t descriptors, Logger& log);

// The listener for operators and probes only, whose connections do not compete with those of clients. Null: none.
// Errors name the flag.
Result<std::unique_ptr<frond::http::Server>> admin_server(boost::asio::io_context& io, const Options& options,
                                                          std::size_t descriptors,
                                                          std::function<void(std::string_view, int, double)> on_answer,
                                                          frond::http::Router router);

}  // namespace frond::broker
