#pragma once
// The broker's HTTP listeners as the options set them: the public one, with TLS if there is a certificate, and the one
// for operators and probes.
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "broker/cluster/timer_queue.h"
#include "broker/http/key_endpoint.h"
#include "broker/http/tls_endpoint.h"
#include "broker/options.h"
#include "common/base/log.h"
#include "common/base/result.h"
#include "common/http/router.h"
#include "common/http/server.h"
#include "common/metrics/registry.h"

namespace frond::broker {

// Null: plain HTTP.
Result<std::unique_ptr<http::TlsEndpoint>> tls_endpoint_for(const Options& options, cluster::TimerQueue& timers,
                                                            Logger& log, metrics::Registry& registry);

// Reads the API keys. Errors name the flag.
Result<std::unique_ptr<http::KeyEndpoint>> key_endpoint_for(const Options& options, cluster::TimerQueue& timers,
                                                            const Clock& clock, Logger& log,
                                                            metrics::Registry& registry);

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
