#pragma once
// The leaf's side of a connection on loopback, for tests of the broker's client. A real router socket, whose thread
// treats each request as the test has set. The test's thread may set and read all members at any time.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "common/wire/codec.h"
#include "common/wire/router_socket.h"

namespace frond::support {

class LoopbackLeaf {
 public:
  enum class Does {
    kAnswer,
    kNothing,
    kRefuse,  // with `refusal`
    kAnswerOfAnotherKind,
    kGarble,  // the reply cannot be read, but its request's id can
    kGarbleWithoutId,
  };

  LoopbackLeaf() = default;
  ~LoopbackLeaf() { stop(); }
  LoopbackLeaf(const LoopbackLeaf&) = delete;
  LoopbackLeaf& operator=(const LoopbackLeaf&) = delete;

  // Port 0 picks a free port; a port may be used again after stop().
  void start(std::uint16_t port = 0, std::optional<wire::RouterSocket::Curve> curve = {}) {
    start_at("tcp://127.0.0.1:" + std::to_string(port), curve);
  }
  // "ipc://PATH", too.
  void start_at(const std::string& listen, std::optional<wire::RouterSocket::Curve> curve = {}) {
    socket_ = *wire::RouterSocket::create({.listen = listen, .curve = curve});
    port_ = socket_->port();
    if (port_ == 0) endpoint_ = listen;
    socket_->start([this](const wire::Peer& peer, ByteView bytes) { take(peer, bytes); });
  }
  void stop() {
    if (socket_) socket_->stop(std::chrono::milliseconds(0));
    socket_.reset();
  }
  std::uint16_t port() const { return port_; }
  std::string endpoint() const { return port_ == 0 ? endpoint_ : "tcp://127.0.0.1:" + std::to_string(port_); }

  wire::SearchRequest last_search() const {
    const std::lock_guard lock(mutex_);
    return last_search_;
  }

  std::atomic<Does> hellos{Does::kAnswer}, searches{Does::kNothing};  // `searches` also applies to fetches
  std::atomic<wire::UnsearchedReason> refusal{};
  std::atomic<bool> says_goodbye{
      false};                 // sends a hello without a request, and an error for no request, before it answers
  std::atomic<int> asked{0};  // requests of any kind
  std::atomic<std::uint64_t> searched{0}, cancelled{0};  // ids of the last search and the last cancelled request

 private:
  void take(const wire::Peer& peer, ByteView bytes) {
    const auto request = wire::decode_request(bytes);
    ASSERT_TRUE(request);
    ++asked;
    const auto id = std::visit([](const auto& one) { return one.request_id; }, *request);
    if (std::holds_alternative<wire::CancelRequest>(*request)) {
      cancelled = id;
    } else if (std::holds_alternative<wire::HelloRequest>(*request)) {
      if (says_goodbye) say_goodbye(peer);
      wire::HelloReply reply;
      reply.request_id = id;
      reply.collection = "c";
      answer(peer, id, hellos, reply);
    } else if (const auto* const fetch = std::get_if<wire::FetchRequest>(&*request)) {
      answer(peer, id, searches, wire::FetchReply{.request_id = fetch->request_id});
    } else {
      {
        const std::lock_guard lock(mutex_);
        last_search_ = std::get<wire::SearchRequest>(*request);
      }
      searched = id;
      answer(peer, id, searches, wire::SearchReply{.request_id = id});
    }
  }
  void say_goodbye(const wire::Peer& peer) {
    wire::HelloReply goodbye;
    goodbye.draining = true;
    send(peer, goodbye);
    send(peer, wire::ErrorReply{0, "for no request"});
  }
  void answer(const wire::Peer& peer, std::uint64_t id, Does what, const wire::Reply& reply) {
    if (what == Does::kNothing) return;
    if (what == Does::kAnswer) return send(peer, reply);
    if (what == Does::kRefuse) return send(peer, wire::ErrorReply{id, "no", refusal});
    if (what == Does::kAnswerOfAnotherKind) {
      if (std::holds_alternative<wire::FetchReply>(reply)) return send(peer, wire::SearchReply{.request_id = id});
      return send(peer, wire::FetchReply{.request_id = id});
    }
    std::vector<std::uint64_t> words{0x0000000400000000, 0x0001000200000000, id, 9, 0};
    if (what == Does::kGarbleWithoutId) words.pop_back();
    const ByteView garbled = std::as_bytes(std::span(words));
    socket_->send(peer, ByteBuffer(garbled.begin(), garbled.end()));
  }
  void send(const wire::Peer& peer, const wire::Reply& reply) { socket_->send(peer, wire::encode(reply)); }

  std::unique_ptr<wire::RouterSocket> socket_;
  std::uint16_t port_ = 0;
  std::string endpoint_;  // without a port
  mutable std::mutex mutex_;
  wire::SearchRequest last_search_;
};

}  // namespace frond::support
