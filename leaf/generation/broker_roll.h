#pragma once
// The brokers that talk to this leaf, from what their hellos say of themselves: which generation each serves from, so
// that none is taken away under it, and whether it could do without this leaf. Thread-safe.
//
// A broker counts while it is heard. Nobody says goodbye: one that was silent for kSilentHellos of its own intervals is
// gone.
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
  static constexpr std::size_t kMaxBrokers = 4096;  // then who was not heard for longest is forgotten
  // Takes a message to a broker; from any thread.
  using Push = std::function<void(ByteBuffer)>;

  // Who talks to this leaf now.
  struct Present {
    std::vector<wire::Broker> brokers;
    bool unnamed = false;  // one of before is among them, which does not say what it serves from
    // Which of `set` (by place) the brokers serve from; true for all of them while one has not chosen yet.
    std::vector<bool> served(std::span<const GenerationId> set) const;
    // "a:8080, b:8080" of those that serve from `id`; at most three are named.
    std::string names_of(const GenerationId& id) const;
  };

  // A hello came. `push` reaches who sent it, as long as the connection lasts.
  void heard(const wire::Broker& broker, Push push, Instant now);
  Present present(Instant now) const;
  // Some broker that was heard said last that it knows nobody else for some partition.
  bool needed(Instant now) const;
  // Sends `message` to every broker that is heard and understands what nobody asked for.
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
  Instant unnamed_ FROND_GUARDED_BY(mutex_) = Instant::min();        // when one of before was heard last
};

}  // namespace frond::leaf::generation
