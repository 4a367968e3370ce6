#pragma once
// Threads that work for clients, which may take long, and clients who take turns: of those that wait, each gets one
// piece of work done, then the next one. So a client waits for one piece of each other client, not for all that one has
// sent.
//
// A client alone has all threads but one, so that another begins at once. Work that holds much memory waits until there
// is room for it, while others' that holds little goes on.
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "common/base/mutex.h"
#include "common/http/message.h"

namespace frond::http {

// Thread-safe.
class ClientTurns {
 public:
  static constexpr std::size_t kLittle = 256 << 10;  // bytes that are not counted: a thread has one piece of work

  // Of several pieces of work at a time that hold more than kLittle, all together hold `max_bytes` at most.
  ClientTurns(std::string name, std::size_t threads, std::size_t max_bytes);
  // Does all work that was added.
  ~ClientTurns() { join(); }
  ClientTurns(const ClientTurns&) = delete;
  ClientTurns& operator=(const ClientTurns&) = delete;

  // `run` will hold so many bytes. What it throws, where memory is short, ends it alone:
  // a responder that it holds then answers 500.
  void add(const ClientId& client, std::size_t bytes, std::function<void()> run);
  // Does the same as the destructor. Called once; nothing is added any more.
  void join();

 private:
  struct Work {
    std::size_t bytes = 0;
    std::function<void()> run;
  };
  struct Client {
    std::deque<Work> waiting;
    std::size_t running = 0;
  };
  using Clients = std::map<ClientId, Client>;
  struct Taken {
    Clients::iterator client;
    Work work;  // without `run`: all is done, and no more is added
  };
  void work();
  Taken take();
  // The client whose turn it is, out of turns_; end(): nobody's work can begin now.
  Clients::iterator next() FROND_REQUIRES(mutex_);

  const std::string name_;         // of each thread
  const std::size_t of_a_client_;  // pieces of work at a time
  const std::size_t max_bytes_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  Clients clients_ FROND_GUARDED_BY(mutex_);                      // that have something waiting or running
  std::deque<Clients::iterator> turns_ FROND_GUARDED_BY(mutex_);  // that have something waiting; the first one is next
  std::size_t running_bytes_ FROND_GUARDED_BY(mutex_) = 0;
  bool ending_ FROND_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace frond::http
