// The object store for tests as a process: object_server PORT FAULTS SEED CONDITIONS. FAULTS is how many of 1,000
// requests fail, in a random way by SEED; CONDITIONS is on or off. Keys: test-key-id and test-secret. Writes its port,
// and ends with its standard input.
#include <cstdio>
#include <iostream>
#include <mutex>
#include <random>
#include <string>

#include "tests/support/objects/object_server.h"

int main(int argc, char** argv) {
  using frond::support::Fault;
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
  const ObjectServer server(options, [&](const frond::support::SeenRequest& request) {
    constexpr Fault kSome[] = {Fault::kError500,  Fault::kSlowDown503, Fault::kLostBefore, Fault::kLostAfter,
                               Fault::kTruncated, Fault::kGarbage,     Fault::kFlippedByte};
    const std::lock_guard lock(mutex);
    const Fault fault = random() % 1000 < rate ? kSome[random() % std::size(kSome)] : Fault::kNone;
    // What has a checksum that leaves compare. For the rest there are TCP's and TLS's.
    const bool checked = request.key.ends_with(".sst");
    return fault == Fault::kFlippedByte && !checked ? Fault::kNone : fault;
  });
  std::cout << server.port() << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
  }
  return 0;
}
