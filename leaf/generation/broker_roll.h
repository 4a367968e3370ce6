#pragma once
// The brokers that use this leaf. Each hello of a broker says which generation it serves from (the leaf keeps that one)
// and whether it needs this leaf. Thread-safe.
//
// A broker does not report that it ends. It counts as present until it has sent no hello for kSilentHellos of its hello
// intervals, but for at least kMinSilence and at most kMaxSilence.
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/deadline.h"
#include "common/base/ids.h"
#include "common/base/mutex.h"
#include "common/wire/messages.h"

namespace frond::leaf::generation {

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

}  // namespace frond::leaf::generation
