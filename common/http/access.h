#pragma once
// Who may ask for what: the access that a route needs, and how a server asks whether a request may be served. The rules
// are somebody else's (common/keys/guard.h).
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "common/http/message.h"

namespace frond::http {

// kOpen: whoever connects, such as probes and pages without data. The others are for those who may search, change what
// is served, or see how it is served.
enum class Access : std::uint8_t { kOpen, kSearch, kWrite, kAdmin };

// What an admitted request holds: for one, its place among those that its client may have at a time. Destroyed when the
// request is answered or its connection has ended, on any thread.
class Permit {
 public:
  virtual ~Permit() = default;
  // The request asks for `more` things besides the first: it counts as so many further requests. Any thread.
  virtual void charge(std::size_t more) = 0;
};

struct Admittance {
  std::optional<Response> refusal;  // empty: the request is admitted
  std::shared_ptr<Permit> permit;   // may be null
  std::optional<ClientId> client;   // by its key; empty: its address
};

// Called on the io thread with a request's header, before any of its body is read, for routes that are not kOpen.
using Gatekeeper = std::function<Admittance(const Request& header, const ClientAddress& from, Access needed)>;

}  // namespace frond::http
