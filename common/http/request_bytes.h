#pragma once
// The bytes of a request, counted for the server and its client from when they come until the request is answered and
// nobody keeps it any more: also while it waits for a thread, and if its client has left. Internal to this folder.
#include <cstddef>
#include <memory>
#include <utility>

#include "common/http/byte_budget.h"
#include "common/http/server_group.h"

namespace frond::http {

// One thread until it is shared; destroyed on any.
class RequestBytes {
 public:
  // Fewer bytes of a whole request are not counted: with all connections and pipelines they are a fixed sum.
  static constexpr std::size_t kUncounted = 4 << 10;

  RequestBytes(std::shared_ptr<ServerGroup> group, const ClientId& client)
      : group_(std::move(group)),
        client_(group_->clients.use(client)),
        held_(group_->bodies, client_.second.body_bytes, 0) {}
  ~RequestBytes() {
    end_wait();
    held_ = {};
    group_->clients.end_use(client_);
  }
  RequestBytes(const RequestBytes&) = delete;
  RequestBytes& operator=(const RequestBytes&) = delete;

  // Counts up to so many in all. False: that is over the limit.
  bool grow_to(std::size_t bytes) {
    if (bytes <= held_.bytes()) return true;
    if (!group_->bodies.has_room(client_.second.body_bytes, bytes - held_.bytes())) return false;
    held_.grow(bytes - held_.bytes());
    return true;
  }
  // The request's body waits unread for room from now on. False: as many of its client do so as may.
  bool begin_wait() {
    if (!waits_ && client_.second.waiting_bodies.fetch_add(1) >= kMaxWaiting)
      --client_.second.waiting_bodies;
    else
      waits_ = true;
    return waits_;
  }
  void end_wait() {
    if (std::exchange(waits_, false)) --client_.second.waiting_bodies;
  }

 private:
  static constexpr std::size_t kMaxWaiting = 64;  // each with the first bytes of its body
  const std::shared_ptr<ServerGroup> group_;
  Clients::Entry& client_;
  HeldBytes held_;
  bool waits_ = false;
};

}  // namespace frond::http
