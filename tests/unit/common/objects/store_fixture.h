#pragma once
// An ObjectStore with short limits over an object store in memory.
#include <gtest/gtest.h>

#include <fstream>

#include "common/objects/object_store.h"
#include "tests/support/objects/object_server.h"
#include "tests/support/scratch_folder.h"

namespace frond::objects {

using support::Fault;
using support::ObjectServer;
using support::SeenRequest;

class StoreFixture : public testing::Test {
 protected:
  StoreFixture() {
    std::ofstream(folder_ / "credentials") << "aws_access_key_id = test-key-id\naws_secret_access_key = test-secret\n";
    access_.credentials_file = folder_ / "credentials";
    access_.path_style = "on";
    access_.part_bytes = kMinPartBytes;
    access_.window = std::chrono::seconds(1);
    access_.connect_timeout = std::chrono::milliseconds(500);
    access_.retries.first_pause = std::chrono::milliseconds(1);
    access_.retries.longest_pause = std::chrono::milliseconds(10);
    access_.retries.first_answer_s = 20;
    access_.retries.time = std::chrono::milliseconds(20'000);
  }
  std::unique_ptr<ObjectStore> open(const ObjectServer& server) {
    access_.endpoint = server.url();
    return *ObjectStore::open("s3://bucket/a/b", access_);
  }
  // Does `fault` to the first `times` requests that `which` picks.
  static ObjectServer::Faults first(int times, Fault fault, std::function<bool(const SeenRequest&)> which = {}) {
    return [left = std::make_shared<std::atomic<int>>(times), fault, which](const SeenRequest& request) {
      if (which && !which(request)) return Fault::kNone;
      return left->fetch_sub(1) > 0 ? fault : Fault::kNone;
    };
  }
  static std::string some_bytes(std::size_t count) {
    std::string bytes(count, ' ');
    std::uint64_t state = 88172645463325252u;
    for (char& byte : bytes) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      byte = static_cast<char>(state >> 33);
    }
    return bytes;
  }
  static std::uint64_t count(const ObjectStore& store, Kind kind, Outcome outcome) {
    return store.counts().requests[static_cast<std::size_t>(kind)][static_cast<std::size_t>(outcome)];
  }

  support::ScratchFolder folder_;
  Access access_;
};

}  // namespace frond::objects
