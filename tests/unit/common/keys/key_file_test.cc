// The whole key file.
#include "common/keys/api_key.h"

#include <gtest/gtest.h>

namespace frond::keys {
namespace {

std::string line(const std::string& name, const std::string& key) {
  KeyEntry entry{.name = name, .digest = tls::sha256(key)};
  entry.scopes.add(http::Access::kSearch);
  return entry.line() + "\n";
}
std::string error_of(const std::string& text) {
  const auto parsed = parse_key_file(text);
  return parsed ? "none" : parsed.error().message();
}

TEST(AKeyFile, HasAKeyALine) {
  const auto entries = parse_key_file("# keys of the shop\n\n" + line("a", "1") + "  # more\r\n \t\n" + line("b", "2"));
  ASSERT_TRUE(entries) << entries.error().message();
  ASSERT_EQ(entries->size(), 2u);
  EXPECT_EQ((*entries)[0].name, "a");
  EXPECT_EQ((*entries)[1].digest, tls::sha256("2"));
}
TEST(AKeyFile, MayEndWithoutALineEndAndHaveThoseOfWindows) {
  std::string text = line("a", "1");
  text.back() = '\r';
  text += "\n" + line("b", "2");
  text.pop_back();
  const auto entries = parse_key_file(text);
  ASSERT_TRUE(entries) << entries.error().message();
  EXPECT_EQ(entries->size(), 2u);
}
TEST(AKeyFile, IsRefusedWithTheLineThatIsWrong) {
  EXPECT_EQ(error_of(""), "there is no key in it");
  EXPECT_EQ(error_of("# nothing\n"), "there is no key in it");
  EXPECT_TRUE(error_of(line("a", "1") + "\nb search\n").starts_with("line 3: "));
  EXPECT_EQ(error_of(line("a", "1") + line("a", "2")), "line 2: its name stands there twice");
  EXPECT_EQ(error_of(line("a", "1") + line("b", "1")), "line 2: its key stands there twice");
}
TEST(AKeyFile, HasALimitedNumberOfKeys) {
  std::string text;
  for (std::size_t i = 0; i < kMaxKeys; ++i) text += line("k" + std::to_string(i), std::to_string(i));
  EXPECT_EQ(error_of(text), "none");
  EXPECT_EQ(error_of(text + line("one", "more")), "line 10001: there are more than 10000 keys");
}

}  // namespace
}  // namespace frond::keys
