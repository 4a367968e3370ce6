#pragma once
// Seam: what a broker may ask of one leaf. Implementations: ZeroMQ (zmq_leaf_client.h), scripted (tests/support).
//
// One thread: the broker's. `done` is called exactly once, never before the call returns, and at the latest when the
// deadline passes (kDeadline); the caller needs no timer of its own. kUnavailable: the leaf is not connected, went away
// meanwhile, or is ending; kOverloaded: this client's own in-flight limit, or the leaf's; kNotFound: the leaf does not
// serve the generation; kCorrupt: a reply that is not one. The client fills in request_id and budget. A client that is
// destroyed answers what is pending with kUnavailable. Hellos have an in-flight limit of their own.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "common/base/deadline.h"
#include "common/base/result.h"
#include "common/wire/messages.h"

namespace frond::broker::cluster {

template <class Reply>
using Done = std::function<void(Result<Reply>)>;
// Given to whoever makes a client: called with what the leaf says of itself unasked.
using News = std::function<void(wire::HelloReply)>;
// Names a request to the client that took it.
using RequestId = std::uint64_t;

class LeafClient {
 public:
  virtual ~LeafClient() = default;
  virtual RequestId search(wire::SearchRequest request, Deadline deadline, Done<wire::SearchReply> done) = 0;
  virtual RequestId fetch(wire::FetchRequest request, Deadline deadline, Done<wire::FetchReply> done) = 0;
  virtual void hello(wire::HelloRequest request, Deadline deadline, Done<wire::HelloReply> done) = 0;
  // Nobody waits for the request any more: `done` is let go of without being called, and the leaf is told to stop.
  // Harmless once it was called.
  virtual void cancel(RequestId request) = 0;
  // Requests sent and not answered: what balances replicas.
  virtual std::size_t in_flight() const = 0;
};

}  // namespace frond::broker::cluster
