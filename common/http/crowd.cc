#include "common/http/crowd.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "common/http/session.h"

namespace frond::http {
namespace {

using std::chrono::seconds;
constexpr seconds kMinWait{1};         // before a connection is closed to make room for another
constexpr seconds kRestrictedTime{2};  // for a connection that is served only what is reserved
constexpr seconds kLingerTime{3};      // an early refusal waits for its client to read it
constexpr seconds kBetweenLooks{1};    // at a client that nothing is read from

const AgeList& list_of(const ServerCore& core, Phase phase) { return core.phases[static_cast<std::size_t>(phase)]; }

AgeLink::Time::duration time_limit(const Server::Config& config, Phase phase) {
  switch (phase) {
    case Phase::kHandshake:
      return config.handshake_timeout;
    case Phase::kFresh:
    case Phase::kIdle:
      return config.idle_timeout;
    case Phase::kHeader:
      return config.header_timeout;
    case Phase::kBody:
    case Phase::kWriting:
      return config.rate_window;
    case Phase::kWorking:
      return kBetweenLooks;
    case Phase::kLingering:
      return kLingerTime;
  }
  return config.idle_timeout;
}

bool give_way(Session* session) {
  // Null: it is about to end anyway.
  if (const auto alive = session != nullptr ? session->weak_from_this().lock() : nullptr) alive->give_way();
  return session != nullptr;
}

}  // namespace

bool make_room(const ServerCore& core) {
  const auto now = std::chrono::steady_clock::now();
  Session* oldest = nullptr;
  for (const Phase phase : {Phase::kHandshake, Phase::kFresh, Phase::kHeader})
    if (Session* const one = list_of(core, phase).oldest(now, kMinWait))
      if (oldest == nullptr || one->since() < oldest->since()) oldest = one;
  for (const Phase phase : {Phase::kIdle, Phase::kBody})
    if (oldest == nullptr) oldest = list_of(core, phase).oldest(now, kMinWait);
  return give_way(oldest);
}

void let_in(const std::shared_ptr<ServerCore>& core, boost::asio::ip::tcp::socket socket) {
  const Server::Config& config = core->config;
  const auto session = std::make_shared<Session>(core, std::move(socket));
  const ClientState& client = session->client();
  auto restriction = Session::Restriction::kNone;
  if (client.connections > Server::connections_of_an_address(config) &&
      !give_way(client.waiting[core->number].oldest(std::chrono::steady_clock::now(), kMinWait))) {
    restriction = Session::Restriction::kAddress;
  } else if (core->group->sessions - core->group->restricted > config.max_connections && !make_room(*core)) {
    restriction = Session::Restriction::kFull;
    core->group->make_room_elsewhere(core->number);  // so that a later connection finds a place
  }
  if (restriction != Session::Restriction::kNone) {
    if (core->group->restricted >= Server::reserved_connections(config.max_connections))
      give_way(core->restricted.oldest(std::chrono::steady_clock::now()));
    session->restrict(restriction);
  }
  session->start();
}

void sweep(const ServerCore& core) {
  const auto now = std::chrono::steady_clock::now();
  for (std::size_t phase = 0; phase < kPhases; ++phase) {
    const auto time = time_limit(core.config, static_cast<Phase>(phase));
    // Whoever is looked at leaves the list or is its last from then on.
    while (Session* const session = core.phases[phase].oldest(now, time)) {
      const auto alive = session->weak_from_this().lock();
      if (alive == nullptr) break;  // it ends on another thread
      alive->expire(now);
    }
  }
  while (Session* const session = core.restricted.oldest(now, kRestrictedTime)) {
    const auto alive = session->weak_from_this().lock();
    if (alive == nullptr) break;
    alive->expire_restricted(now);
  }
}

}  // namespace frond::http
