#pragma once
// Shutdown of a leaf. Brokers are told at once. The leaf serves requests for the notice time, so that brokers can turn
// to other leaves, and longer while a broker has no other leaf. Then io.run() returns. Admitted requests are answered;
// later ones are refused.
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>

#include "common/base/deadline.h"
#include "common/http/server.h"
#include "leaf/serve/collections.h"

namespace frond::leaf {

class Ending {
 public:
  struct Spans {
    std::chrono::milliseconds notice;  // min time to serve on
    std::chrono::milliseconds needed;  // max further time, while LeafService::needed()
  };
  // All outlive this. Use on io's thread.
  Ending(boost::asio::io_context& io, Spans spans, const serve::Collections& service, http::Server& http)
      : io_(io), spans_(spans), service_(service), http_(http), timer_(io) {}
  // Call once.
  void begin();

 private:
  void wait(std::chrono::milliseconds span);
  void stop();

  boost::asio::io_context& io_;
  const Spans spans_;
  const serve::Collections& service_;
  http::Server& http_;
  boost::asio::steady_timer timer_;
  const SteadyClock clock_;
  Instant needed_until_;
};

}  // namespace frond::leaf
