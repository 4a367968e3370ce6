// CURVE keys, files of keys, and lists of keys that change.
#include "common/wire/curve_keys.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <random>

#include "tests/support/scratch_folder.h"

namespace frond::wire {
namespace {

std::string message_of(const auto& result) { return result ? "(none)" : result.error().message(); }

TEST(CurveKeys, BelongTogether) {
  const auto keys = generate_curve_keys();
  EXPECT_EQ(keys.public_key.z85.size(), kCurveKeyCharacters);
  EXPECT_EQ(keys.secret_z85.size(), kCurveKeyCharacters);
  const auto again = parse_curve_secret_key(keys.secret_z85);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->public_key, keys.public_key);
  EXPECT_NE(generate_curve_keys().secret_z85, keys.secret_z85);
}

TEST(CurveKeys, AreReadAsZeroMqWritesThem) {
  // The example of ZeroMQ's RFC 26.
  const auto keys = parse_curve_secret_key("D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs");
  ASSERT_TRUE(keys);
  EXPECT_EQ(keys->public_key.z85, "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID");
}

TEST(CurveKeys, MayHaveWhiteSpaceAround) {
  const std::string key = generate_curve_keys().public_key.z85;
  EXPECT_EQ(parse_curve_public_key("\r\n " + key + "\t\r\n"), CurvePublicKey{key});
}

TEST(CurveKeys, AreRefusedForAnyOtherTextWhichIsNotRepeated) {
  const std::string key = generate_curve_keys().public_key.z85;
  std::string zero = key, quote = key, large = key;
  zero[35] = '\0';
  quote[7] = '"';
  large.replace(0, 5, "#####");  // more than 32 bits
  for (const std::string& wrong : {std::string(), key.substr(1), key + "a", key + key, zero, quote, large}) {
    EXPECT_EQ(parse_curve_public_key(wrong), Code::kInvalid) << wrong;
    const auto secret = parse_curve_secret_key(wrong);
    EXPECT_EQ(secret, Code::kInvalid);
    EXPECT_TRUE(wrong.empty() || message_of(secret).find(wrong) == std::string::npos);
  }
}

TEST(CurveKeys, SurviveArbitraryText) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int i = 0; i < 20'000; ++i) {
    std::string text(random() % 2 ? kCurveKeyCharacters : random() % 90, '\0');
    for (char& c : text) c = static_cast<char>(random() % 4 ? 33 + random() % 93 : random());
    const auto key = parse_curve_public_key(text);
    EXPECT_TRUE(!key || key->z85.size() == kCurveKeyCharacters);
    const auto keys = parse_curve_public_keys(text);
    EXPECT_TRUE(!keys || !keys->empty());
  }
}

TEST(CurveKeyLists, HoldOneKeyALine) {
  const std::string one = generate_curve_keys().public_key.z85, two = generate_curve_keys().public_key.z85;
  const auto keys = parse_curve_public_keys("\n" + one + "\r\n\n  " + two + "\n" + one);
  ASSERT_TRUE(keys);
  EXPECT_EQ(*keys, (CurvePublicKeys{one, two}));
  EXPECT_EQ(parse_curve_public_keys(""), Code::kInvalid);
  EXPECT_EQ(parse_curve_public_keys(" \n\n"), Code::kInvalid);
  const auto wrong = parse_curve_public_keys(one + "\n" + two.substr(1) + "\n");
  EXPECT_EQ(wrong, Code::kInvalid);
  EXPECT_NE(message_of(wrong).find("line 2"), std::string::npos) << message_of(wrong);
}

TEST(CurveKeyFiles, AreNamedWhenTheyAreWrong) {
  const support::ScratchFolder folder;
  const std::string none = folder / "none", empty = folder / "empty", huge = folder / "huge";
  support::write_file(empty, "\n");
  support::write_file(huge, std::string(1 << 20, ' '));
  EXPECT_EQ(read_curve_secret_key(none), Code::kUnavailable);
  EXPECT_EQ(read_curve_secret_key(folder.path()), Code::kUnavailable);
  EXPECT_EQ(read_curve_secret_key(empty), Code::kInvalid);
  EXPECT_EQ(read_curve_secret_key(huge), Code::kInvalid);
  for (const std::string& path : {none, empty, huge}) {
    EXPECT_NE(message_of(read_curve_secret_key(path)).find(path), std::string::npos);
    EXPECT_NE(message_of(read_curve_public_key(path)).find(path), std::string::npos);
    EXPECT_NE(message_of(CurveClients::open(path)).find(path), std::string::npos);
  }
}

TEST(CurveKeyFiles, TellWhoMayReadThem) {
  const support::ScratchFolder folder;
  const std::string file = folder / "key";
  support::write_file(file, "x");
  chmod(file.c_str(), 0440);
  EXPECT_FALSE(readable_by_everybody(file));
  chmod(file.c_str(), 0444);
  EXPECT_TRUE(readable_by_everybody(file));
}

class AListOfClients : public testing::Test {
 protected:
  void write(const std::string& text) { support::write_file(file_, text); }
  const support::ScratchFolder folder_;
  const std::string file_ = folder_ / "clients";
  const std::string one_ = generate_curve_keys().public_key.z85, two_ = generate_curve_keys().public_key.z85;
};

TEST_F(AListOfClients, IsReadAgainWhenItIsAnother) {
  write(one_);
  const auto clients = *CurveClients::open(file_);
  EXPECT_EQ(*clients->keys(), CurvePublicKeys{one_});
  EXPECT_EQ(clients->refresh(), false);
  write(two_);  // in place
  EXPECT_EQ(clients->refresh(), true);
  EXPECT_EQ(*clients->keys(), CurvePublicKeys{two_});
  support::write_file(folder_ / "next", one_ + "\n" + two_);
  std::filesystem::rename(folder_ / "next", file_);
  EXPECT_EQ(clients->refresh(), true);
  EXPECT_EQ(*clients->keys(), (CurvePublicKeys{one_, two_}));
  EXPECT_EQ(clients->refresh(), false);
}

TEST_F(AListOfClients, FollowsALinkThatIsSwapped) {
  support::write_file(folder_ / "v1", one_);
  support::write_file(folder_ / "v2", two_);
  std::filesystem::create_symlink("v1", file_);
  const auto clients = *CurveClients::open(file_);
  std::filesystem::create_symlink("v2", folder_ / "next");
  std::filesystem::rename(folder_ / "next", file_);
  EXPECT_EQ(clients->refresh(), true);
  EXPECT_EQ(*clients->keys(), CurvePublicKeys{two_});
}

TEST_F(AListOfClients, StaysInForceWhenTheFileIsNoListAndSaysSoOnce) {
  write(one_);
  const auto clients = *CurveClients::open(file_);
  for (const char* wrong : {"", "nonsense\n"}) {
    write(wrong);
    EXPECT_EQ(clients->refresh(), Code::kInvalid);
    EXPECT_TRUE(clients->stale());
    EXPECT_EQ(clients->refresh(), false);
  }
  EXPECT_EQ(*clients->keys(), CurvePublicKeys{one_});
  write(one_);
  EXPECT_EQ(clients->refresh(), false);  // the same keys
  EXPECT_FALSE(clients->stale());
  std::filesystem::remove(file_);
  EXPECT_EQ(clients->refresh(), Code::kUnavailable);
  EXPECT_EQ(clients->refresh(), false);
  EXPECT_EQ(*clients->keys(), CurvePublicKeys{one_});
  write(two_);
  EXPECT_EQ(clients->refresh(), true);
  EXPECT_FALSE(clients->stale());
}

}  // namespace
}  // namespace frond::wire
