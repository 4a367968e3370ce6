// Keys, their digests, and their lines in a key file.
#include "common/keys/api_key.h"

#include <gtest/gtest.h>

#include <set>

namespace frond::keys {
namespace {
using http::Access;

constexpr const char* kDigest = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";  // of "abc"

TEST(AnApiKey, IsMadeOf256RandomBits) {
  std::set<std::string> made;
  for (int i = 0; i < 100; ++i) {
    const auto key = make_key();
    ASSERT_TRUE(key) << key.error().message();
    EXPECT_TRUE(is_key(*key)) << *key;
    EXPECT_EQ(key->size(), 49u);
    EXPECT_TRUE(key->starts_with("frond_"));
    made.insert(*key);
  }
  EXPECT_EQ(made.size(), 100u);
}
TEST(AnApiKey, HasAtLeast32CharactersThatAHeaderTakes) {
  EXPECT_FALSE(is_key(""));
  EXPECT_FALSE(is_key(std::string(31, 'a')));
  EXPECT_TRUE(is_key(std::string(32, 'a')));
  EXPECT_TRUE(is_key(std::string(256, '+')));
  EXPECT_FALSE(is_key(std::string(257, 'a')));
  EXPECT_FALSE(is_key(std::string(40, ' ')));
  EXPECT_FALSE(is_key(std::string(40, '\0')));
  EXPECT_FALSE(is_key(std::string(40, '\xe4')));
}
TEST(AnApiKey, HasThePublishedDigest) {  // FIPS 180-4, example of one block
  KeyEntry entry{.name = "n", .digest = tls::sha256("abc")};
  entry.scopes.add(Access::kSearch);
  EXPECT_EQ(entry.line(), std::string("n search ") + kDigest);
}
TEST(Scopes, AreAListInAnyOrder) {
  const auto scopes = Scopes::parse("admin,search");
  ASSERT_TRUE(scopes);
  EXPECT_TRUE(scopes->has(Access::kSearch));
  EXPECT_FALSE(scopes->has(Access::kWrite));
  EXPECT_TRUE(scopes->has(Access::kAdmin));
  EXPECT_EQ(scopes->text(), "search,admin");
}
TEST(Scopes, AreNothingElse) {
  for (const char* text : {"", ",", "search,", ",search", "search,search", "Search", "open", "read", "search admin"})
    EXPECT_EQ(Scopes::parse(text), Code::kInvalid) << text;
}
TEST(AKeyEntry, IsItsLine) {
  for (const std::string& line :
       {std::string("web search ") + kDigest, std::string("a.b-c_9 search,write,admin ") + kDigest,
        std::string("x write ") + kDigest + " rate=0.5", std::string("x admin ") + kDigest + " rate=250 in-flight=16",
        std::string("x search ") + kDigest + " in-flight=16 weight=3"}) {
    const auto entry = KeyEntry::parse(line);
    ASSERT_TRUE(entry) << line << ": " << entry.error().message();
    EXPECT_EQ(entry->line(), line);
  }
}
TEST(AKeyEntry, TakesTabsAndSeveralSpaces) {
  const auto entry = KeyEntry::parse(std::string("\tweb   search\t") + kDigest + "  in-flight=3 ");
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->limits, (Limits{0, 3}));
}
TEST(AKeyEntry, RefusesAnythingElseAndDoesNotRepeatIt) {
  const std::string digest(kDigest), secret = "frond_" + std::string(43, 'S');
  for (const std::string& line : {std::string("web search"),
                                  "web search " + secret,
                                  secret,
                                  "web " + secret + " " + digest,
                                  "web search sha256:" + secret,
                                  "web search " + digest.substr(0, digest.size() - 1),
                                  "web search " + digest + "0",
                                  "web search SHA256" + digest.substr(6),
                                  std::string(65, 'n') + " search " + digest,
                                  "we/b search " + digest,
                                  "web search " + digest + " rate=0",
                                  "web search " + digest + " rate=-1",
                                  "web search " + digest + " rate=nan",
                                  "web search " + digest + " rate=1e9",
                                  "web search " + digest + " rate=1x",
                                  "web search " + digest + " rate=1 rate=2",
                                  "web search " + digest + " in-flight=0",
                                  "web search " + digest + " in-flight=1.5",
                                  "web search " + digest + " in-flight=4294967297",
                                  "web search " + digest + " in-flight=1 in-flight=1",
                                  "web search " + digest + " weight=0",
                                  "web search " + digest + " weight=101",
                                  "web search " + digest + " weight=1 weight=1",
                                  "web search " + digest + " burst=3",
                                  "web search " + digest + " " + secret}) {
    const auto entry = KeyEntry::parse(line);
    ASSERT_EQ(entry, Code::kInvalid) << line;
    EXPECT_EQ(entry.error().message().find("SSS"), std::string::npos) << entry.error().message();
  }
}

}  // namespace
}  // namespace frond::keys
