#pragma once
// Connections to a leaf's socket since start, by what became of them. Any thread.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace frond::wire {

enum class PeerOutcome {
  kReady,        // the handshake is done
  kClosed,       // the peer closed it, or the network broke
  kFull,         // refused: --max-peers
  kAddress,      // refused: --max-peers-by-address
  kDescriptors,  // not taken yet: too many files are open; each try counts
  kGaveWay,      // closed for a new one, at one of these limits
  kHandshake,    // closed: no valid handshake, or none in time
  kProtocol,     // closed: what the peer sent after its handshake is no ZMTP, or too large
  kUnused,       // closed: no valid request for some time after the handshake
  kSilent,       // closed: no heartbeats
  kStalled,      // closed: the peer did not read its replies
  kMemory,       // closed: all peers together held too much memory, and this one a large part
};
inline constexpr std::array<std::string_view, 12> kPeerOutcomes = {"ready",       "closed",   "full",      "address",
                                                                   "descriptors", "gave_way", "handshake", "protocol",
                                                                   "unused",      "silent",   "stalled",   "memory"};

class PeerCounts {
 public:
  void add(PeerOutcome outcome) { counts_[static_cast<std::size_t>(outcome)].fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t of(PeerOutcome outcome) const {
    return counts_[static_cast<std::size_t>(outcome)].load(std::memory_order_relaxed);
  }

 private:
  std::array<std::atomic<std::uint64_t>, kPeerOutcomes.size()> counts_{};
};

}  // namespace frond::wire
