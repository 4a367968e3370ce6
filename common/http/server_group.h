#pragma once
// What servers share that serve one port from several threads: the limits of Server::Config hold for all of them
// together. A server that is alone has a group of its own. Internal to this folder. Thread-safe.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/base/mutex.h"
#include "common/http/byte_budget.h"
#include "common/http/clients.h"
#include "common/http/request_room.h"
#include "common/http/server.h"

namespace frond::http {

struct ServerCore;

class ServerGroup {
 public:
  ServerGroup(const Server::Config& config, std::size_t servers)
      : clients(servers), bodies(config.max_body_bytes), unsent(config.max_unsent_bytes), servers_(servers) {}
  ServerGroup(const ServerGroup&) = delete;
  ServerGroup& operator=(const ServerGroup&) = delete;

  std::size_t servers() const { return servers_; }
  // Called once by each server. Returns its number: 0, 1, …
  std::size_t join(const std::shared_ptr<ServerCore>& core);
  // Lets the next other server close the connection that has waited longest there, soon, for want of one at server
  // `number`.
  void make_room_elsewhere(std::size_t number);

  std::atomic<std::size_t> sessions{0}, restricted{0};  // connections; those on which only reserved routes are served
  Clients clients;
  RequestRoom bodies;  // of requests that are received, or not answered yet
  ByteBudget unsent;   // of answers that clients have not taken
  // As in Server::Counters.
  std::atomic<std::uint64_t> refused_connections{0}, refused_of_address{0}, gave_way{0}, slow_headers{0},
      slow_bodies{0}, slow_readers{0}, idle{0}, failed_reads{0};

 private:
  const std::size_t servers_;
  Mutex mutex_;
  std::vector<std::weak_ptr<ServerCore>> cores_ FROND_GUARDED_BY(mutex_);
  std::atomic<std::size_t> turn_{0};
};

}  // namespace frond::http
