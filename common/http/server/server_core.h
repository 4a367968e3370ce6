#pragma once
// What all connections of one server share. Internal to this folder. Io thread only, except for `io` and `group`.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "common/base/mutex.h"
#include "common/http/server/clients.h"
#include "common/http/server/server.h"
#include "common/net/local_address.h"

namespace frond::http {

struct ServerCore;

// What servers share that serve one port from several threads: the limits of Server::Config hold for all of them
// together. A server that is alone has a group of its own. Thread-safe.
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

// The bytes of a request, counted for the server and its client from when they are let in until the request is answered
// and nobody keeps it any more: also while it waits for a thread, and if its client has left. One thread until it is
// shared; destroyed on any.
struct RequestBytes {
  // Fewer bytes of a request are not counted. A connection has this much of them unanswered, and one request more.
  static constexpr std::size_t kUncounted = 4 << 10;

  // `begin`: see RequestRoom::Request.
  RequestBytes(std::shared_ptr<ServerGroup> of, const ClientId& id, std::function<void()> begin)
      : group(std::move(of)),
        client(group->clients.use(id)),
        request{client.second, {group->bodies, client.second.body_bytes, 0}, std::move(begin)} {}
  ~RequestBytes() {
    group->bodies.give_back(request);
    group->clients.end_use(client);
  }
  RequestBytes(const RequestBytes&) = delete;
  RequestBytes& operator=(const RequestBytes&) = delete;

  const std::shared_ptr<ServerGroup> group;
  Clients::Entry& client;
  RequestRoom::Request request;
};

// What a connection is doing now; each phase has a time limit.
enum class Phase : std::uint8_t {
  kHandshake,  // of TLS
  kFresh,      // waits for its first request
  kHeader,     // receives a request's header
  kIdle,       // waits for the next request
  kBody,       // receives a request's body
  kWorking,    // a handler has a request
  kWriting,    // sends answers
  kLingering,  // has sent its last answer, and gives the client time to read it
};
inline constexpr std::size_t kPhases = 8;

struct ServerCore {
  ServerCore(boost::asio::io_context& context, Server::Config configuration, Router routes)
      : io(context),
        config(std::move(configuration)),
        router(std::move(routes)),
        acceptor(context),
        sweeper(context),
        group(config.group ? config.group : Server::make_group(config, 1)) {}

  boost::asio::io_context& io;
  Server::Config config;
  Router router;
  net::Acceptor acceptor;
  boost::asio::steady_timer sweeper;
  std::string date;                     // the whole Date line, renewed each second
  AgeList sessions;                     // all, oldest first
  std::array<AgeList, kPhases> phases;  // started ones, by when their phase began or they were looked at last
  AgeList restricted;                   // those on which only reserved routes are served, oldest first
  std::size_t session_count = 0, restricted_count = 0;  // of this server
  const std::shared_ptr<ServerGroup> group;             // not null
  std::size_t number = 0;                               // of this server in its group
  std::function<void()> drained;
  bool draining = false, closed = false;
  std::size_t encoding = 0;  // answers that are encoded on another thread
};

// Rules over all connections of a server: which are accepted, which are closed to make room, and which have run out of
// time. None of them costs more with more connections.

// Starts a connection; restricted to reserved routes if there are too many.
void let_in(const std::shared_ptr<ServerCore>& core, net::Socket socket);

// Closes the connection that has waited longest: of those without a whole request header yet, else of the idle ones,
// else of those that are sending a body. False: none has waited for a second.
bool make_room(const ServerCore& core);

// Expires the connections whose time limit has passed. To be called each second.
void sweep(const ServerCore& core);

}  // namespace frond::http
