#pragma once
// Limits how many searches are evaluated at a time: all of them, lines of msearch requests, and costly ones, those of
// each client too; so neither batches nor costly searches can take all places, and no client can take all places for
// costly ones. While searches would take too long there are fewer places than the limits (adaptive_limit.h). One object
// for all threads of the broker; thread-safe.
//
// Where there is no place, lines of msearch requests and costly searches wait for one, and so does another search of a
// client that has less than its share: the places, divided by the weights of the clients that have or want some. A free
// place goes to the client with the fewest for its weight; among equals to who came first. A client alone may have all
// places. Others that come then get the next that are free, and it is the one that is refused.
//
// Of these other searches a quarter as many wait as there are places now, whoever's, and of each client its part of
// that. So the wait takes about a tenth of their time (a place is held for 0.4 of it), and the rest is refused at once.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <unordered_map>

#include "broker/http/admission/adaptive_limit.h"
#include "common/base/mutex.h"
#include "common/http/message.h"
#include "common/net/client_address.h"

namespace frond::broker::http {

class Admission {
 public:
  struct Limits {
    std::size_t all = 512, batch = 128, costly = 16;
    std::size_t costly_per_client = 4;  // of `costly`
    // Costly searches of one client that wait, and the most of all clients that are neither costly nor lines.
    std::size_t waiting = 64;
  };
  struct Kind {
    bool batch = false;   // a line of an msearch request
    bool costly = false;  // common/wire/messages.h
    frond::http::ClientId client{};
    std::uint32_t weight = 1;  // the client's
  };
  using Ticket = std::uint64_t;
  static constexpr Ticket kRefused = 0;

  // What a search tells of the places (AdaptiveLimit::ended()).
  struct Ended {
    std::size_t places;
    double used;
    Instant now;
  };

  explicit Admission(Limits limits) : limits_(limits), adaptive_(limits.all) {}
  Admission(const Admission&) = delete;
  Admission& operator=(const Admission&) = delete;

  // Takes a place if there is one. True: it was taken; give it back with end(). `now`: default: not known.
  bool try_begin(const Kind& kind, Instant now = {});
  // None: a place was taken, as by try_begin(). Else waits for one: `begin` is called when it was taken, from inside
  // another search's end(), on that one's thread and without the lock. kRefused: the client has its share, or too many
  // wait, of it or of all.
  std::optional<Ticket> wait(const Kind& kind, std::function<void()> begin);
  // Stops waiting; does nothing if `begin` was called or is about to be.
  void leave(Ticket ticket);
  // REQUIRES: a place was taken for the kind. `ended`: none if the search tells nothing.
  void end(const Kind& kind, const std::optional<Ended>& ended = {});

  const Limits& limits() const { return limits_; }
  // What is taken now, how many places there are now, and clients that have or want some.
  struct Taken {
    std::size_t all = 0, batch = 0, costly = 0, waiting = 0, places = 0, clients = 0;
  };
  Taken taken() const;
  std::size_t all() const { return taken().all; }
  std::size_t batch() const { return taken().batch; }
  std::size_t costly() const { return taken().costly; }
  std::size_t waiting() const { return taken().waiting; }

 private:
  // Searches of a client.
  struct Client {
    std::uint32_t weight = 1;                                        // as it was last told
    std::size_t running = 0, costly = 0;                             // the costly ones among them
    std::size_t waiting = 0, costly_waiting = 0, usual_waiting = 0;  // likewise, and neither costly nor lines
  };
  struct Waiting {
    Ticket ticket = 0;
    Kind kind;
    std::function<void()> begin;
    Client* client = nullptr;  // stays while it has one that waits
  };
  using Clients = std::unordered_map<frond::http::ClientId, Client, frond::net::AddressHash>;
  static bool is_usual(const Kind& kind) { return !kind.batch && !kind.costly; }
  bool has_room(const Kind& kind, const Client& client) const FROND_REQUIRES(mutex_);
  bool may_begin(const Kind& kind, const Client& client) const FROND_REQUIRES(mutex_);
  bool below_share(const Client& client) const FROND_REQUIRES(mutex_);
  bool may_wait(const Kind& kind, const Client& client) const FROND_REQUIRES(mutex_);
  std::size_t costly_places() const FROND_REQUIRES(mutex_);
  double load_of(const Client& client) const FROND_REQUIRES(mutex_);
  Clients::iterator known(const Kind& kind) FROND_REQUIRES(mutex_);
  void forget_if_idle(Clients::iterator client) FROND_REQUIRES(mutex_);
  void take_out(std::list<Waiting>::iterator at, std::list<Waiting>& to) FROND_REQUIRES(mutex_);
  void take(const Kind& kind, Client& client) FROND_REQUIRES(mutex_);
  void give();
  std::function<void()> next_to_begin();

  const Limits limits_;
  mutable Mutex mutex_;
  AdaptiveLimit adaptive_ FROND_GUARDED_BY(mutex_);
  std::size_t all_ FROND_GUARDED_BY(mutex_) = 0, batch_ FROND_GUARDED_BY(mutex_) = 0,
                   costly_ FROND_GUARDED_BY(mutex_) = 0;
  std::list<Waiting> waiting_ FROND_GUARDED_BY(mutex_);     // lines: at most one per request
  std::size_t usual_waiting_ FROND_GUARDED_BY(mutex_) = 0;  // neither costly nor lines
  Clients clients_ FROND_GUARDED_BY(mutex_);                // that have searches, evaluated or waiting
  Clients::node_type spare_ FROND_GUARDED_BY(mutex_);       // so that one alone needs no memory for each search
  std::uint64_t weights_ FROND_GUARDED_BY(mutex_) = 0;      // of clients_
  Ticket last_ FROND_GUARDED_BY(mutex_) = 0;
  bool giving_ FROND_GUARDED_BY(mutex_) = false;  // a thread is in give()
};

}  // namespace frond::broker::http
