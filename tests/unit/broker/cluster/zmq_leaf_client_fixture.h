#pragma once
// A ZeroMQ client, its loop, and a leaf on loopback.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "broker/cluster/timer_queue.h"
#include "broker/cluster/zmq_leaf_client.h"
#include "tests/support/loopback_leaf.h"

namespace frond::broker::cluster {

class AZmqLeafClient : public testing::Test {
 protected:
  using Does = support::LoopbackLeaf::Does;

  void connect(std::size_t max_in_flight = 1024, std::optional<ZmqLeafClients::Curve> curve = {}) {
    clients_.emplace(io_, timers_, log_, ZmqLeafClients::Config{.max_in_flight = max_in_flight, .curve = curve});
    client_ = *clients_->create(leaf_.endpoint(), [this](wire::HelloReply news) { news_.push_back(std::move(news)); });
  }
  // Starts the leaf, and waits until the client reaches it.
  bool connect_to_leaf(std::size_t max_in_flight = 1024) {
    leaf_.start();
    connect(max_in_flight);
    return reach();
  }
  ~AZmqLeafClient() override {
    client_.reset();
    if (clients_) clients_->close();
    io_.restart();
    io_.poll();
    leaf_.stop();
  }
  Deadline in(std::chrono::milliseconds time) const { return Deadline::after(clock_, time); }
  Deadline in_20_s() const { return in(std::chrono::seconds(20)); }
  // Runs the loop until `done`, at most 20 s.
  template <class Done>
  bool run_until(Done done) {
    const auto end = clock_.now() + std::chrono::seconds(20);
    while (!done() && clock_.now() < end) {
      io_.restart();
      io_.run_one_for(std::chrono::milliseconds(50));
    }
    return done();
  }
  Result<wire::HelloReply> ask(std::chrono::milliseconds time = std::chrono::milliseconds(5000)) {
    std::optional<Result<wire::HelloReply>> got;
    client_->hello({}, in(time), [&](Result<wire::HelloReply> reply) { got = std::move(reply); });
    EXPECT_FALSE(got) << "never from inside the call";
    if (!run_until([&] { return got.has_value(); })) return Error(Code::kDevice, "was never answered");
    return *std::move(got);
  }
  bool reach() {
    for (int i = 0; i < 2000; ++i) {
      if (ask()) return true;
      io_.restart();
      io_.run_for(std::chrono::milliseconds(5));
    }
    return false;
  }
  // Whether a refusal comes to say `why`.
  bool fails_because(const std::string& why, std::chrono::milliseconds time = std::chrono::milliseconds(5000)) {
    std::string message;
    for (int i = 0; i < 2000 && message.find(why) == std::string::npos; ++i) {
      const auto reply = ask(time);
      message = reply ? "(an answer)" : reply.error().message();
      io_.restart();
      io_.run_for(std::chrono::milliseconds(5));
    }
    EXPECT_NE(message.find(why), std::string::npos) << message;
    return message.find(why) != std::string::npos;
  }

  boost::asio::io_context io_{1};
  SteadyClock clock_;
  Logger log_{"test", LogLevel::kError};
  TimerQueue timers_{clock_};
  TimerDriver driver_{io_, timers_};
  support::LoopbackLeaf leaf_;
  std::vector<wire::HelloReply> news_;
  std::optional<ZmqLeafClients> clients_;
  std::unique_ptr<LeafClient> client_;
};

}  // namespace frond::broker::cluster
