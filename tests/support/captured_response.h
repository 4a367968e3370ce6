#pragma once
// Keeps the answer that a Responder is given, for tests without a socket.
#include <functional>
#include <memory>
#include <optional>

#include "common/http/server/server.h"

namespace frond::support {

class CapturedResponse final : public http::Responder::Connection {
 public:
  static std::shared_ptr<CapturedResponse> make() { return std::make_shared<CapturedResponse>(); }
  static http::Responder responder(const std::shared_ptr<CapturedResponse>& to) { return http::Responder(to, 1); }

  void answer(std::uint64_t, http::Response response, std::string_view route_label) override {
    got = std::move(response);
    route = route_label;
  }
  void abandon(std::uint64_t) override { abandoned = true; }
  void watch(std::uint64_t, std::function<void()> told) override { client_gone = std::move(told); }

  std::optional<http::Response> got;
  std::string_view route;
  bool abandoned = false;
  std::function<void()> client_gone;  // set by the handler, to be called when the client leaves
};

}  // namespace frond::support
