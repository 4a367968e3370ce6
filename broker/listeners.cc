#include "broker/listeners.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "common/http/router.h"

namespace frond::broker {
namespace {

std::vector<std::pair<std::string, std::string>> tls_headers_of(const Options& options) {
  if (options.hsts_seconds == 0) return {};
  return {{"Strict-Transport-Security", "max-age=" + std::to_string(options.hsts_seconds)}};
}

std::size_t connections_within(std::size_t descriptors, const Options& options, Logger& log) {
  if (options.max_connections <= descriptors / 2) return options.max_connections;
  log.warn("fewer HTTP connections than --max-connections: the limit of open files is too low",
           {{"connections", std::to_string(descriptors / 2)}, {"open_files", std::to_string(descriptors)}});
  return descriptors / 2;
}

}  // namespace

Result<std::unique_ptr<http::TlsEndpoint>> tls_endpoint_for(const Options& options, cluster::TimerQueue& timers,
                                                            Logger& log, metrics::Registry& registry) {
  if (options.tls_certificate.empty()) return std::unique_ptr<http::TlsEndpoint>();
  return http::TlsEndpoint::create(options.tls_certificate, options.tls_key, timers, log, registry);
}

Result<std::unique_ptr<keys::Guard>> key_guard_for(const Options& options, const Clock& clock, Logger& log,
                                                   metrics::Registry& registry) {
  auto made = keys::Guard::create(
      {.key_file = options.api_keys, .of_key = options.of_key, .of_address = options.of_address}, clock, log, registry);
  if (!made) return std::move(made).error().within("--api-keys");
  if (!options.api_keys.empty() && options.tls_certificate.empty())
    log.warn("API keys travel unencrypted to --http: give it a certificate, or put a proxy with TLS before it");
  return made;
}

frond::http::Gatekeeper gatekeeper_of(keys::Guard& guard) {
  if (!guard.does_something()) return nullptr;
  return [&guard](const frond::http::Request& header, const frond::http::ClientAddress& from,
                  frond::http::Access needed) { return guard.admit(header, from, needed); };
}

frond::http::Server::Config public_config(const Options& options, std::size_t descriptors, Logger& log) {
  return {.listen = options.http,
          .max_header = 32 << 10,  // a query of 4 KiB has up to 12 KiB when escaped
          .max_body_bytes = options.max_body_bytes,
          .max_connections = connections_within(descriptors, options, log),
          .max_connections_per_address = options.max_connections_per_address,
          .max_unsent_bytes = options.max_unsent_bytes,
          .min_client_rate = options.min_client_rate,
          .hosts = *frond::http::HostList::parse(options.http_hosts),  // was checked
          .tls_headers = tls_headers_of(options)};
}

Result<std::unique_ptr<frond::http::Server>> admin_server(boost::asio::io_context& io, const Options& options,
                                                          std::size_t descriptors,
                                                          std::function<void(std::string_view, int, double)> on_answer,
                                                          frond::http::Router router) {
  if (options.admin_http.empty()) return std::unique_ptr<frond::http::Server>();
  auto made = frond::http::Server::create(io,
                                          {.listen = options.admin_http,
                                           .max_connections = std::clamp<std::size_t>(descriptors / 16, 4, 64),
                                           .on_answer = std::move(on_answer)},
                                          std::move(router));
  if (!made) return std::move(made).error().within("--admin-http");
  return made;
}

}  // namespace frond::broker
