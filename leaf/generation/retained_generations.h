#pragma once
// Which served generations a leaf keeps: those that its brokers serve from, and what else the rules of
// generation_follower.h say.
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/deadline.h"
#include "common/base/ids.h"
#include "common/base/mutex.h"
#include "common/wire/messages.h"

namespace frond::leaf::generation {

// The brokers that use this leaf. Each hello of a broker says which generation it serves from (the leaf keeps that one)
// and whether it needs this leaf. Thread-safe.
//
// A broker does not report that it ends. It counts as present until it has sent no hello for kSilentHellos of its hello
// intervals, but for at least kMinSilence and at most kMaxSilence.
class BrokerRoll {
 public:
  static constexpr int kSilentHellos = 10;
  static constexpr std::chrono::milliseconds kMinSilence{10'000}, kMaxSilence{600'000};
  static constexpr std::size_t kMaxBrokers = 4096;  // beyond it, the broker heard least recently is dropped
  // Sends a message to a broker. May be called from any thread.
  using Push = std::function<void(ByteBuffer)>;

  // The brokers that are present now.
  struct Present {
    std::vector<wire::Broker> brokers;
    bool unnamed = false;  // a broker of an older version is present; it does not say what it serves from
    // For each generation of `set`, whether a broker serves from it. All true while a broker has not chosen one yet.
    std::vector<bool> served(std::span<const GenerationId> set) const;
    // "a:8080, b:8080": the brokers that serve from `id` or have not chosen yet. Lists three names, and how many more.
    std::string names_of(const GenerationId& id) const;
  };

  // Records a hello. `push` sends to that broker as long as the connection is open.
  void heard(const wire::Broker& broker, Push push, Instant now);
  Present present(Instant now) const;
  // Whether a present broker said in its last hello that it knows no other leaf for some partition.
  bool needed(Instant now) const;
  // Sends `message` to every present broker that accepts unsolicited messages (all but `unnamed` ones).
  void tell_all(const ByteBuffer& message, Instant now) const;

 private:
  struct Entry {
    wire::Broker broker;
    Push push;
    Instant heard;
  };
  static bool silent(const Entry& entry, Instant now);

  mutable Mutex mutex_;
  std::map<std::uint64_t, Entry> entries_ FROND_GUARDED_BY(mutex_);  // by instance
  Instant unnamed_ FROND_GUARDED_BY(mutex_) = Instant::min();        // last hello of an older broker version
};

// Decides which served generations a leaf keeps, and which one it retires first when the disk is full. Pure functions:
// the rules of generation_follower.h, without files.

// One generation of a served set. The last of the set is the current one; it has no `superseded` time.
struct Standing {
  GenerationId id;
  Instant last_used;   // when a request last named it, or when it was superseded
  Instant superseded;  // when another generation became current
};
struct KeepRules {
  std::chrono::seconds grace, superseded_limit;
  std::size_t max_generations;
};

// One value per generation, in the order of `set`. The current one is always kept.
std::vector<bool> retained_generations(std::span<const Standing> set, const BrokerRoll::Present& present, Instant now,
                                       const KeepRules& rules);
// Index of the first generation that may be deleted for another: no broker serves from it, and no request has named it
// for the grace time. The current one qualifies only if brokers serve from an older one. Empty: all are needed.
std::optional<std::size_t> first_to_give_up(std::span<const Standing> set, const BrokerRoll::Present& present,
                                            Instant now, const KeepRules& rules);

}  // namespace frond::leaf::generation
