#pragma once
// What all connections of one server share. Internal to this folder. Io thread only, except for `io` and `group`.
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "common/http/age_list.h"
#include "common/http/server.h"
#include "common/http/server_group.h"

namespace frond::http {

// What a connection is doing now; each phase has a time limit.
enum class Phase : std::uint8_t {
  kHandshake,  // of TLS
  kFresh,      // waits for its first request
  kHeader,     // receives a request's header
  kIdle,       // waits for the next request
  kBody,       // receives a request's body
  kWorking,    // a handler has a request
  kWriting,    // sends answers
  kLingering,  // has sent its last answer, and gives the client time to read it
};
inline constexpr std::size_t kPhases = 8;

struct ServerCore {
  ServerCore(boost::asio::io_context& context, Server::Config configuration, Router routes)
      : io(context),
        config(std::move(configuration)),
        router(std::move(routes)),
        acceptor(context),
        sweeper(context),
        group(config.group ? config.group : Server::make_group(config, 1)) {}

  boost::asio::io_context& io;
  Server::Config config;
  Router router;
  boost::asio::ip::tcp::acceptor acceptor;
  boost::asio::steady_timer sweeper;
  std::string date;                     // the whole Date line, renewed each second
  AgeList sessions;                     // all, oldest first
  std::array<AgeList, kPhases> phases;  // started ones, by when their phase began or they were looked at last
  AgeList restricted;                   // those on which only reserved routes are served, oldest first
  std::size_t session_count = 0, restricted_count = 0;  // of this server
  const std::shared_ptr<ServerGroup> group;             // not null
  std::size_t number = 0;                               // of this server in its group
  std::function<void()> drained;
  bool draining = false, closed = false;
};

}  // namespace frond::http
