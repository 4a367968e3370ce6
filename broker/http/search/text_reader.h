#pragma once
// Reads large requests on threads of their own, decodes large bodies, and encodes large answers. To read a MiB of JSON
// takes tens of milliseconds, in which a loop's thread would answer nobody. Clients take turns, so that who sends many
// such requests waits for them alone.
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "broker/cluster/timer_queue.h"
#include "broker/http/search/search_parameters.h"
#include "common/http/message.h"
#include "common/http/server/client_turns.h"

namespace frond::broker::http {

// Of all loops. Thread-safe.
class TextReader {
 public:
  // A text of so many bytes is read at once.
  static constexpr std::size_t kLittle = 16 << 10;

  // 0 threads: all are.
  explicit TextReader(std::size_t threads);

  // Whether the text is for read().
  bool is_large(std::string_view text) const { return turns_ && text.size() > kLittle; }

  struct Work {
    std::shared_ptr<const std::string> text;
    std::size_t from = 0;  // of it, so many bytes are passed over
    ParsedSearch (*parse)(std::string_view) = nullptr;
    std::shared_ptr<const std::atomic<bool>> gone;  // true: the client has left, so nothing is read
  };
  // Calls `done` on the thread of `home`, which outlives join().
  using Done = std::function<void(const ParsedSearch&)>;
  void read(const frond::http::ClientId& client, cluster::HomeThread& home, Work work, Done done);
  // Runs other work that holds so many bytes. REQUIRES: has_threads().
  void run(const frond::http::ClientId& client, std::size_t bytes, std::function<void()> work);
  bool has_threads() const { return turns_.has_value(); }
  // Ends the threads; what waits is not read. To be called while the loops exist, when they run no more.
  void join();

 private:
  std::atomic<bool> ended_{false};
  std::optional<frond::http::ClientTurns> turns_;
};

}  // namespace frond::broker::http
