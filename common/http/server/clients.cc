#include "common/http/server/clients.h"

#include <algorithm>

namespace frond::http {
Clients::Entry& Clients::enter(const boost::asio::ip::address& address) {
  Entry& entry = use(net::client_address(address));
  ++entry.second.connections;
  return entry;
}

void Clients::leave(Entry& entry) {
  --entry.second.connections;
  end_use(entry);
}

Clients::Entry& Clients::use(const ClientId& client) {
  const MutexLock lock(mutex_);
  Entry& entry = *clients_.try_emplace(client, servers_).first;
  ++entry.second.users;
  return entry;
}

void Clients::end_use(Entry& entry) {
  const MutexLock lock(mutex_);
  if (--entry.second.users == 0) clients_.erase(clients_.find(entry.first));
}

std::size_t Clients::size() const {
  const MutexLock lock(mutex_);
  return clients_.size();
}

std::size_t Clients::most_connections() const {
  const MutexLock lock(mutex_);
  std::size_t most = 0;
  for (const auto& [key, client] : clients_) most = std::max(most, client.connections.load());
  return most;
}

bool RequestRoom::may_take(const Request& request, std::size_t bytes) const {
  return has_room(request.client.body_bytes, bytes - request.held.bytes());
}

RequestRoom::Outcome RequestRoom::take(Request& request, std::size_t bytes) {
  const MutexLock lock(mutex_);
  const std::size_t held = request.held.bytes();
  if (bytes <= held) return Outcome::kTaken;
  ClientState& client = request.client;
  if ((held > 0 || client.waiting_bodies == 0) && may_take(request, bytes)) {
    request.held.grow(bytes - held);
    return Outcome::kTaken;
  }
  // One that holds none waits until others have ended, too, that wait and hold some.
  const bool ever = held == 0 ? has_room_beside(0, 0, bytes)
                              : has_room_beside(held_waiting_ + held, client.waiting_bytes + held, bytes - held);
  if (client.waiting_bodies >= kMaxWaiting || !ever) {
    count_refusal();
    return Outcome::kRefused;
  }
  enter(request, bytes);
  return Outcome::kWaits;
}

bool RequestRoom::waits(const Request& request) const {
  const MutexLock lock(mutex_);
  return request.wanted > 0;
}

void RequestRoom::keep(Request& request, std::size_t bytes) {
  std::vector<std::function<void()>> begun;
  {
    const MutexLock lock(mutex_);
    if (bytes >= request.held.bytes()) return;
    request.held.grow(bytes - request.held.bytes());  // modulo 2^64
    begun = let_in();
  }
  for (const auto& begin : begun) begin();
}

void RequestRoom::give_back(Request& request) {
  std::vector<std::function<void()>> begun;
  {
    const MutexLock lock(mutex_);
    if (request.wanted > 0) leave(request);
    request.held = {};
    begun = let_in();
  }
  for (const auto& begin : begun) begin();
}

void RequestRoom::enter(Request& request, std::size_t bytes) {
  request.wanted = bytes;
  ++request.client.waiting_bodies;
  request.client.waiting_bytes += request.held.bytes();
  held_waiting_ += request.held.bytes();
  const auto holds_none = [](const Request* one) { return one->held.bytes() == 0; };
  const bool last = holds_none(&request);
  request.place =
      waiting_.insert(last ? waiting_.end() : std::find_if(waiting_.begin(), waiting_.end(), holds_none), &request);
}
void RequestRoom::leave(Request& request) {
  request.wanted = 0;
  --request.client.waiting_bodies;
  request.client.waiting_bytes -= request.held.bytes();
  held_waiting_ -= request.held.bytes();
  waiting_.erase(request.place);
}

// Gives room to those that wait, in their order.
std::vector<std::function<void()>> RequestRoom::let_in() {
  std::vector<std::function<void()>> begun;
  ++looks_;
  for (auto next = waiting_.begin(); next != waiting_.end();) {
    Request& request = **next++;
    if (request.held.bytes() == 0 && request.client.passed_over == looks_) continue;
    if (!may_take(request, request.wanted)) {
      request.client.passed_over = looks_;
      continue;
    }
    const std::size_t more = request.wanted - request.held.bytes();
    leave(request);
    request.held.grow(more);
    begun.push_back(request.begin);
  }
  return begun;
}

}  // namespace frond::http
