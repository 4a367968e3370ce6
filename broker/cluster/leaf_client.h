#pragma once
// Seam: the requests that a broker sends to one leaf. Implementations: ZeroMQ (zmq_leaf_client.h), scripted
// (tests/support). Contract suite: tests/contract/leaf_client.
//
// Its loop's thread only. `done` is called exactly once, never before the call returns, and at the latest when the
// deadline passes; so the caller needs no timer of its own. The client sets request_id and budget. A client's
// destructor answers all open requests with kUnavailable. Hellos have an in-flight limit of their own, so that a busy
// leaf can be told from a dead one. Errors:
//   kUnavailable  the leaf is not connected, the connection was lost, or the leaf or this client is ending
//   kOverloaded   the in-flight limit of this client or of the leaf is reached
//   kDeadline     no reply before the deadline, which may have passed before the call
//   kNotFound     the leaf does not serve the generation
//   kCorrupt      the reply cannot be read, or is of another kind than the request
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
// Called with a hello that the leaf sends by itself: it begins to drain.
using News = std::function<void(wire::HelloReply)>;
// Identifies a request to the client that took it.
using RequestId = std::uint64_t;

class LeafClient {
 public:
  virtual ~LeafClient() = default;
  virtual RequestId search(wire::SearchRequest request, Deadline deadline, Done<wire::SearchReply> done) = 0;
  virtual RequestId fetch(wire::FetchRequest request, Deadline deadline, Done<wire::FetchReply> done) = 0;
  virtual void hello(wire::HelloRequest request, Deadline deadline, Done<wire::HelloReply> done) = 0;
  // Gives a search or fetch up: `done` is destroyed without being called, and the leaf is told to stop. Does nothing
  // once `done` was called.
  virtual void cancel(RequestId request) = 0;
  // Requests, hellos included, that were sent to the leaf (by all threads of the broker) and have no reply yet; the
  // choice of replicas uses it.
  virtual std::size_t in_flight() const = 0;
};

}  // namespace frond::broker::cluster
