#pragma once
// How a leaf leaves: brokers are told at once, requests are served until they have had time to turn elsewhere, and
// longer for one that has nowhere to turn. Then io.run() returns: what was admitted by then is answered, the rest is
// refused.
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>

#include "common/base/deadline.h"
#include "common/http/server.h"
#include "leaf/serve/leaf_service.h"

namespace frond::leaf {

class Ending {
 public:
  struct Spans {
    std::chrono::milliseconds notice;  // in any case
    std::chrono::milliseconds needed;  // after that, at most, while LeafService::needed()
  };
  // All outlive this. On io's thread.
  Ending(boost::asio::io_context& io, Spans spans, serve::LeafService& service, http::Server& http)
      : io_(io), spans_(spans), service_(service), http_(http), timer_(io) {}
  // Once.
  void begin();

 private:
  void wait(std::chrono::milliseconds span);
  void stop();

  boost::asio::io_context& io_;
  const Spans spans_;
  serve::LeafService& service_;
  http::Server& http_;
  boost::asio::steady_timer timer_;
  const SteadyClock clock_;
  Instant needed_until_;
};

}  // namespace frond::leaf
