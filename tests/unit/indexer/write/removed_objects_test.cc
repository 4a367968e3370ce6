// A removal from an object store that is cut off can be done again, whatever the collection was made by.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <string>

#include "indexer/write/written_collections.h"
#include "tests/support/objects/object_server.h"
#include "tests/support/scratch_folder.h"

namespace frond::indexer::write {
namespace {
using support::Fault;
using support::SeenRequest;

class ACollectionInAStore : public testing::Test {
 protected:
  ACollectionInAStore() {
    std::ofstream(folder_ / "credentials") << "aws_access_key_id = test-key-id\naws_secret_access_key = test-secret\n";
    options_.repository = "s3://bucket/prefix";
    options_.objects.scratch = folder_ / "state";
    options_.objects.access.endpoint = server_.url();
    options_.objects.access.credentials_file = folder_ / "credentials";
    options_.objects.access.retries.attempts = 2;
    options_.objects.access.retries.first_pause = options_.objects.access.retries.longest_pause =
        std::chrono::milliseconds(1);
  }
  std::unique_ptr<WrittenCollections> serve() { return *WrittenCollections::open(options_, registry_, log_); }
  bool has(const std::string& part) const {
    const auto objects = server_.objects();
    return std::ranges::any_of(objects, [&](const auto& one) { return one.first.find(part) != one.first.npos; });
  }

  support::ScratchFolder folder_;
  support::ObjectServer server_{support::ObjectServer::Options{}};
  metrics::Registry registry_{"test"};
  Logger log_{"test", LogLevel::kError};
  WriterOptions options_;
};

// By a build, it has no settings, which would show that it is there.
TEST_F(ACollectionInAStore, ThatABuildMadeCanBeRemovedAgainAfterARemovalThatFailed) {
  server_.put("prefix/c/CURRENT", "1\n");
  server_.put("prefix/c/generations/1.json", "{}");
  server_.put("prefix/c/partitions/g1-p0/ids.sst", "bytes");
  const auto all = serve();
  ASSERT_EQ(all->find("c"), Code::kCorrupt);
  server_.set_faults([](const SeenRequest& request) {
    return request.is("DELETE", "/partitions/") ? Fault::kError500 : Fault::kNone;
  });
  EXPECT_EQ(all->remove("c"), Code::kUnavailable);
  EXPECT_TRUE(has("c/partitions/"));
  EXPECT_TRUE(all->find("c")) << "it is there, empty: else what is left would never be removed";
  server_.set_faults({});
  const auto removed = all->remove("c");
  ASSERT_TRUE(removed) << removed.error().message();
  for (const char* part : {"c/CURRENT", "c/settings.json", "c/generations/", "c/partitions/"})
    EXPECT_FALSE(has(part)) << part;
  EXPECT_EQ(all->find("c"), Code::kNotFound);
  EXPECT_EQ(*all->create("c", ""), true);
  EXPECT_TRUE(all->find("c"));
}

}  // namespace
}  // namespace frond::indexer::write
