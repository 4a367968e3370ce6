#include "common/wire/curve_gate.h"

#include <utility>

#include "common/base/threads/pause.h"
#include "common/base/threads/thread_name.h"

namespace frond::wire {
namespace {

constexpr std::chrono::milliseconds kRefresh{1000};

}  // namespace

CurveGate::CurveGate(const RouterSocket::Curve& curve, Logger* log)
    : keys_(raw_keys(curve.keys)),
      clients_(*curve.clients),
      log_(log),
      turned_(std::chrono::steady_clock::now().time_since_epoch().count()),
      refusals_(log),
      failures_(log),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

std::unique_ptr<zmtp::Mechanism> CurveGate::mechanism(std::string address, std::string& key) {
  return zmtp::curve_router(keys_, [this, address = std::move(address), &key](const zmtp::CurveKey& peer) {
    return lets_in(peer, address, key);
  });
}

bool CurveGate::lets_in(const zmtp::CurveKey& peer, const std::string& address, std::string& key) {
  const std::string text = zmtp::z85_of(peer);
  const bool known = clients_.keys()->contains(text);
  (known ? accepted_ : refused_).fetch_add(1, std::memory_order_relaxed);
  if (known) key = text;
  if (!known)
    refusals_.say("a peer was not let in: unknown key",
                  {{"key", text}, {"address", address}, {"clients", clients_.path()}});
  return known;
}

bool CurveGate::still_lets_in(std::string_view key) {
  if (clients_.keys()->contains(key)) return true;
  revoked_.fetch_add(1, std::memory_order_relaxed);
  return false;
}

void CurveGate::count_failed(zmtp::Trouble trouble, std::string_view address) {
  failed_.fetch_add(1, std::memory_order_relaxed);
  failures_.say("a handshake failed", {{"reason", trouble == zmtp::Trouble::kMechanism ? "the peer does not use CURVE"
                                                  : trouble == zmtp::Trouble::kKeys ? "the peer has another leaf's key"
                                                                                    : "broken off"},
                                       {"address", std::string(address)}});
}

CurveCounters CurveGate::counters() const {
  const auto now = [](const std::atomic<std::uint64_t>& counter) { return counter.load(std::memory_order_relaxed); };
  return {now(accepted_), now(refused_), now(failed_), now(revoked_)};
}

void CurveGate::run(const std::stop_token& stop) {
  name_this_thread("leaf-curve");
  for (;;) {
    turned_.store(std::chrono::steady_clock::now().time_since_epoch().count(), std::memory_order_relaxed);
    if (!pause_for(kRefresh, stop)) return;
    try {
      refresh();
    } catch (const std::exception&) {  // out of memory: the next second tries again
    }
  }
}

void CurveGate::refresh() {
  const auto changed = clients_.refresh();
  if (log_ == nullptr || (changed && !*changed)) return;
  if (changed)
    log_->info("other keys are let in",
               {{"clients", clients_.path()}, {"keys", std::to_string(clients_.keys()->size())}});
  else
    log_->error("the keys before stay in force", {{"error", changed.error().message()}});
}

}  // namespace frond::wire
