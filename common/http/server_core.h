#pragma once
// What all connections of one server share. Internal to this folder. Io thread only, but for the executor.
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "common/http/age_list.h"
#include "common/http/byte_budget.h"
#include "common/http/clients.h"
#include "common/http/server.h"

namespace frond::http {

// What a connection does, which says how long it may.
enum class Phase : std::uint8_t {
  kHandshake,  // of TLS
  kFresh,      // nothing has come yet
  kHeader,     // a request's header is on its way in
  kIdle,       // waits for the next request
  kBody,       // a request's body is on its way in
  kWorking,    // a handler has a request
  kWriting,    // answers are on their way out
  kLingering,  // all is said, and the client may still read it
};
inline constexpr std::size_t kPhases = 8;

struct ServerCore {
  ServerCore(boost::asio::io_context& context, Server::Config configuration, Router routes)
      : io(context),
        config(std::move(configuration)),
        router(std::move(routes)),
        acceptor(context),
        sweeper(context),
        bodies(config.max_body_bytes),
        unsent(config.max_unsent_bytes) {}

  boost::asio::io_context& io;
  Server::Config config;
  Router router;
  boost::asio::ip::tcp::acceptor acceptor;
  boost::asio::steady_timer sweeper;
  std::string date;                     // the line, as of the last second
  AgeList sessions;                     // all, by when they came
  std::array<AgeList, kPhases> phases;  // all that have started, by when their phase began, or they were last looked at
  AgeList restricted;                   // those that are served only what is reserved, by when they came
  std::size_t session_count = 0, restricted_count = 0;
  Clients clients;
  ByteBudget bodies;  // of requests that are on their way in
  ByteBudget unsent;  // of answers that clients have not taken
  Server::Counters counters;
  std::function<void()> drained;
  bool draining = false, closed = false;
};

}  // namespace frond::http
