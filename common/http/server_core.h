#pragma once
// What all connections of one server share. Internal to this folder. Io thread only, but for the executor.
#include <cstddef>
#include <functional>
#include <string>
#include <unordered_set>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "common/http/byte_budget.h"
#include "common/http/clients.h"
#include "common/http/server.h"

namespace frond::http {

class Session;

struct ServerCore {
  ServerCore(boost::asio::io_context& context, Server::Config configuration, Router routes)
      : io(context),
        config(std::move(configuration)),
        router(std::move(routes)),
        acceptor(context),
        sweeper(context),
        bodies(config.max_body_bytes) {}

  boost::asio::io_context& io;
  Server::Config config;
  Router router;
  boost::asio::ip::tcp::acceptor acceptor;
  boost::asio::steady_timer sweeper;
  std::string date;  // the line, as of the last second
  std::unordered_set<Session*> sessions;
  Clients clients;
  ByteBudget bodies;       // of requests that are on their way in
  std::size_t unsent = 0;  // bytes of answers
  std::function<void()> drained;
  bool draining = false, closed = false;
};

}  // namespace frond::http
