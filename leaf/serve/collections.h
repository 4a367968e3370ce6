#pragma once
// The services of a leaf's collections, as one to brokers: finds the service that a request is for. A hello names its
// collection. Searches and fetches are told apart by the content of their generation, which no two collections share,
// since it is a checksum of a manifest that names its collection. Requests that name neither, as those of older
// brokers, are for the first collection. So are requests that no collection here can answer: the reply says so; and
// cancellations, since the services share their requests in flight.
//
// With --collection '*' collections come and go (set()). A hello for one that is not here gets a reply that names no
// collection.
//
// Thread-safe.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/mutex.h"
#include "leaf/generation/served_generation.h"
#include "leaf/serve/leaf_service.h"

namespace frond::leaf::serve {

class Collections {
 public:
  // Service and board outlive this, or the last copy of `in_use`.
  struct One {
    std::string name;
    LeafService& service;
    const generation::ServedBoard& board;
    std::shared_ptr<const void> in_use = {};  // kept by all that works for a request; null: the collection stays
  };
  // What /readyz says of a collection.
  struct State {
    std::string name;
    bool ready = false;
    Generation generation = 0;  // the current one; 0: none
    std::string detail;         // why it is not ready, or what is wrong with it; empty: nothing
  };
  // At least one.
  explicit Collections(std::vector<One> all) : all_(std::make_shared<const std::vector<One>>(std::move(all))) {}
  // Those that come and go; none yet. `identity`: of replies to hellos for others.
  explicit Collections(Identity identity) : identity_(std::move(identity)) {}
  void set(std::vector<One> all);

  // As LeafService::on_request().
  void on_request(const wire::Peer& peer, ByteView bytes, const LeafService::Answer& answer) const;
  void withdraw() const;
  // Whether a broker needs this leaf for one of the collections.
  bool needed() const;
  // Empty: the leaf is ready. It is not while a collection has not been loaded. A collection that cannot be loaded (the
  // repository does not have it, or its first generation was refused) does not count, as long as another one is served.
  std::string why_not_ready() const;
  // Of all collections, in order. One entry if there is one collection.
  std::vector<State> states() const;

 private:
  using All = std::shared_ptr<const std::vector<One>>;  // null: not known yet
  All all() const {
    const MutexLock lock(mutex_);
    return all_;
  }
  const One* wanted(const std::vector<One>& all, ByteView bytes) const;
  void answer_for_none(ByteView bytes, const LeafService::Answer& answer) const;

  const std::optional<Identity> identity_;  // nothing: the collections stay
  mutable Mutex mutex_;
  All all_ FROND_GUARDED_BY(mutex_);
};

}  // namespace frond::leaf::serve
