#pragma once
// The bytes of a request, counted for the server and its client from when they are let in until the request is answered
// and nobody keeps it any more: also while it waits for a thread, and if its client has left. Internal to this folder.
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "common/http/request_room.h"
#include "common/http/server_group.h"

namespace frond::http {

// One thread until it is shared; destroyed on any.
class RequestBytes {
 public:
  // Fewer bytes of a request are not counted. A connection has this much of them unanswered, and one request more.
  static constexpr std::size_t kUncounted = 4 << 10;

  // `begin`: see RequestRoom::Request.
  RequestBytes(std::shared_ptr<ServerGroup> group, const ClientId& client, std::function<void()> begin)
      : group_(std::move(group)),
        client_(group_->clients.use(client)),
        request_{client_.second, {group_->bodies, client_.second.body_bytes, 0}, std::move(begin)} {}
  ~RequestBytes() {
    group_->bodies.give_back(request_);
    group_->clients.end_use(client_);
  }
  RequestBytes(const RequestBytes&) = delete;
  RequestBytes& operator=(const RequestBytes&) = delete;

  RequestRoom::Outcome take(std::size_t bytes) { return group_->bodies.take(request_, bytes); }
  bool waits() const { return group_->bodies.waits(request_); }

 private:
  const std::shared_ptr<ServerGroup> group_;
  Clients::Entry& client_;
  RequestRoom::Request request_;
};

}  // namespace frond::http
