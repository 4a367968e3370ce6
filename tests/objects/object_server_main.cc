// The object store for tests as a process: object_server PORT FAULTS SEED CONDITIONS. FAULTS is how many of 1,000
// requests fail, in a random way by SEED; CONDITIONS is on or off. Keys: test-key-id and test-secret. Writes its port,
// and ends with its standard input, of which each line is a command: "delay MS" (before each answer), "log on" (each
// request is a line of standard error), "answer KIND", with KIND "well", "nothing" (requests are read and never
// answered) or "half" (half a header comes). One that is not known is written to standard error.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <mutex>
#include <random>
#include <sstream>
#include <string>
#include <thread>

#include "tests/support/objects/object_server.h"

namespace {

using frond::support::Fault;

struct Behaviour {
  std::atomic<unsigned> delay_ms{0};
  std::atomic<bool> logs{false};
  std::atomic<Fault> every{Fault::kNone};  // request's

  void obey(const std::string& line) {
    std::istringstream words(line);
    std::string verb, what;
    words >> verb >> what;
    if (verb == "delay") {
      delay_ms = static_cast<unsigned>(std::stoul(what));
    } else if (verb == "log") {
      logs = what == "on";
    } else if (verb == "answer" && what == "well") {
      every = Fault::kNone;
    } else if (verb == "answer" && what == "nothing") {
      every = Fault::kSilent;
    } else if (verb == "answer" && what == "half") {
      every = Fault::kHalfHeader;
    } else {
      std::cerr << "unknown: " << line << std::endl;
    }
  }
};

void log_request(const frond::support::SeenRequest& request) {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  std::ostringstream line;
  line << "request " << std::chrono::duration_cast<std::chrono::milliseconds>(since).count() << " " << request.method
       << " " << request.target << "\n";
  std::cerr << line.str() << std::flush;
}

}  // namespace

int main(int argc, char** argv) {
  using frond::support::ObjectServer;
  if (argc != 5) {
    std::fputs("usage: object_server PORT FAULTS SEED CONDITIONS\n", stderr);
    return 2;
  }
  std::mt19937 random(static_cast<unsigned>(std::stoul(argv[3])));
  std::mutex mutex;
  const unsigned rate = static_cast<unsigned>(std::stoul(argv[2]));
  ObjectServer::Options options;
  options.conditions = std::string(argv[4]) == "on";
  options.port = static_cast<std::uint16_t>(std::stoul(argv[1]));
  options.records = false;
  Behaviour behaviour;
  const ObjectServer server(options, [&](const frond::support::SeenRequest& request) {
    constexpr Fault kSome[] = {Fault::kError500,  Fault::kSlowDown503, Fault::kLostBefore, Fault::kLostAfter,
                               Fault::kTruncated, Fault::kGarbage,     Fault::kFlippedByte};
    if (behaviour.logs) log_request(request);
    if (behaviour.delay_ms > 0) std::this_thread::sleep_for(std::chrono::milliseconds(behaviour.delay_ms));
    if (behaviour.every != Fault::kNone) return behaviour.every.load();
    const std::lock_guard lock(mutex);
    const Fault fault = random() % 1000 < rate ? kSome[random() % std::size(kSome)] : Fault::kNone;
    // What has a checksum that leaves compare. For the rest there are TCP's and TLS's.
    const bool checked = request.method == "GET" && request.key.ends_with(".sst");
    return fault == Fault::kFlippedByte && !checked ? Fault::kNone : fault;
  });
  std::cout << server.port() << std::endl;
  for (std::string line; std::getline(std::cin, line);) behaviour.obey(line);
  return 0;
}
