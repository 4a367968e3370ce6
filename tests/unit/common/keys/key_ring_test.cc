// Keys from a file that changes.
#include "common/keys/guard.h"

#include <gtest/gtest.h>

#include "tests/support/scratch_folder.h"

namespace frond::keys {
namespace {

class AKeyRing : public testing::Test {
 protected:
  static std::string line(const std::string& key, const std::string& more = {}) {
    KeyEntry entry{.name = key, .digest = tls::sha256(key)};
    entry.scopes.add(http::Access::kSearch);
    return entry.line() + more + "\n";
  }
  void write(const std::string& text) { support::write_file(file_, text); }
  std::unique_ptr<KeyRing> load(const Limits& defaults = {}) {
    auto ring = KeyRing::load(file_.string(), defaults);
    EXPECT_TRUE(ring) << ring.error().message();
    return ring ? *std::move(ring) : nullptr;
  }
  support::ScratchFolder folder_;
  const std::filesystem::path file_ = folder_ / "keys";
};

TEST_F(AKeyRing, FindsItsKeysOnly) {
  write(line("one") + line("two"));
  const auto ring = load();
  ASSERT_TRUE(ring);
  EXPECT_EQ(ring->size(), 2u);
  ASSERT_TRUE(ring->find("two"));
  EXPECT_EQ(ring->find("two")->entry.name, "two");
  EXPECT_FALSE(ring->find("three"));
  EXPECT_FALSE(ring->find(""));
}
TEST_F(AKeyRing, IsNotMadeOfABadFile) {
  EXPECT_EQ(KeyRing::load(file_.string(), {}), Code::kNotFound);
  write("frond_secretsecretsecretsecretsecretsecret\n");
  const auto ring = KeyRing::load(file_.string(), {});
  ASSERT_EQ(ring, Code::kInvalid);
  EXPECT_EQ(ring.error().message().find("secret"), std::string::npos) << ring.error().message();
  EXPECT_NE(ring.error().message().find(file_.string() + ": line 1: "), std::string::npos) << ring.error().message();
  write(std::string((1 << 20) + 1, '#'));
  EXPECT_EQ(KeyRing::load(file_.string(), {}), Code::kCorrupt);
}
TEST_F(AKeyRing, TakesAChangedFile) {
  write(line("one"));
  const auto ring = load();
  ASSERT_TRUE(ring);
  EXPECT_EQ(ring->refresh(), false);
  write(line("two"));
  EXPECT_EQ(ring->refresh(), true);
  EXPECT_FALSE(ring->find("one"));
  EXPECT_TRUE(ring->find("two"));
}
TEST_F(AKeyRing, KeepsItsKeysWhereTheFileIsBadAndSaysSoOnce) {
  write(line("one"));
  const auto ring = load();
  ASSERT_TRUE(ring);
  write("");
  EXPECT_EQ(ring->refresh(), Code::kInvalid);
  EXPECT_EQ(ring->refresh(), false);
  std::filesystem::remove(file_);
  EXPECT_EQ(ring->refresh(), Code::kNotFound);
  EXPECT_EQ(ring->refresh(), false);
  EXPECT_TRUE(ring->find("one"));
  write(line("one"));
  EXPECT_EQ(ring->refresh(), true);
}
TEST_F(AKeyRing, GivesDefaultsToKeysWithoutLimits) {
  write(line("one", " rate=5") + line("two", " in-flight=7") + line("three"));
  const auto ring = load({.rate = 100, .in_flight = 10});
  ASSERT_TRUE(ring);
  EXPECT_EQ(ring->find("one")->limits, (Limits{5, 10}));
  EXPECT_EQ(ring->find("two")->limits, (Limits{100, 7}));
  EXPECT_EQ(ring->find("three")->limits, (Limits{100, 10}));
}
TEST_F(AKeyRing, KeepsAccountsThroughAChange) {
  write(line("one"));
  const auto ring = load();
  ASSERT_TRUE(ring);
  const auto meter = ring->find("one")->meter;
  write(line("one", " rate=5") + line("two"));
  EXPECT_EQ(ring->refresh(), true);
  EXPECT_EQ(ring->find("one")->meter, meter);
  EXPECT_NE(ring->find("two")->meter, meter);
}

}  // namespace
}  // namespace frond::keys
