// What signature.h promises.
#include "common/tls/signature.h"

#include <gtest/gtest.h>

#include "tests/support/certificates.h"
#include "tests/support/signing_keys.h"

namespace frond::tls {
namespace {

TEST(SigningKey, SignsWhatOnlyItsPublicKeyBelieves) {
  const support::SigningKeyFiles files, others;
  const auto key = files.key();
  const auto trusted = files.trusted();
  const std::string signature = key->sign("a text");
  EXPECT_EQ(signature.size(), kSignatureBytes);
  EXPECT_EQ(key->id().size(), 16u);
  EXPECT_TRUE(trusted->has(key->id()));
  EXPECT_TRUE(trusted->verify(key->id(), "a text", signature));
  EXPECT_TRUE(key->is_own("a text", signature));
  EXPECT_FALSE(trusted->verify(key->id(), "a text.", signature));
  EXPECT_FALSE(others.trusted()->verify(key->id(), "a text", signature));
  EXPECT_FALSE(others.key()->is_own("a text", signature));
  for (std::size_t i = 0; i < signature.size(); ++i) {
    std::string wrong = signature;
    wrong[i] = static_cast<char>(wrong[i] ^ 1);
    EXPECT_FALSE(trusted->verify(key->id(), "a text", wrong)) << i;
    EXPECT_FALSE(trusted->verify(key->id(), "a text", signature.substr(0, i))) << i;
  }
  EXPECT_FALSE(trusted->verify(key->id(), "a text", signature + "x"));
}

TEST(TrustedKeys, AreSeveralInOneFile) {
  const support::SigningKeyFiles one, other;
  const support::ScratchFolder folder;
  support::write_file(folder / "both", "# the new one\n" + support::read_file(other.known) + "\n# the one before\n" +
                                           support::read_file(one.known));
  const auto both = TrustedKeys::load(folder / "both").value();
  for (const auto& key : {one.key(), other.key()}) EXPECT_TRUE(both->verify(key->id(), "text", key->sign("text")));
}

TEST(TrustedKeys, RefusesWhatIsNoListOfPublicKeys) {
  const support::SigningKeyFiles files, curve("X25519");
  const support::ScratchFolder folder;
  const std::string good = support::read_file(files.known);
  for (const std::string& text :
       {std::string(), std::string("text"), support::read_file(files.secret), support::read_file(curve.known),
        good + support::read_file(curve.known), good + good.substr(0, good.size() - 40),
        good + "-----BEGIN PUBLIC KEY-----\nMCowBQ\n"}) {
    support::write_file(folder / "keys", text);
    const auto loaded = TrustedKeys::load(folder / "keys");
    ASSERT_EQ(loaded, Code::kInvalid) << text;
    EXPECT_NE(loaded.error().message().find((folder / "keys").string()), std::string::npos);
  }
  std::string many;
  for (std::size_t i = 0; i <= kMaxTrustedKeys; ++i) many += good;
  support::write_file(folder / "keys", many);
  EXPECT_EQ(TrustedKeys::load(folder / "keys"), Code::kInvalid);
  EXPECT_EQ(TrustedKeys::load(folder / "absent"), Code::kInvalid);
}

TEST(SigningKey, RefusesOtherKeysAndPassPhrases) {
  const support::SigningKeyFiles files, curve("X25519");
  const support::ScratchFolder folder;
  support::write_file(folder / "locked", support::TestAuthority::locked(support::read_file(files.secret), "phrase"));
  for (const std::string& file :
       {(folder / "locked").string(), curve.secret, files.known, (folder / "absent").string()})
    EXPECT_EQ(SigningKey::load(file), Code::kInvalid) << file;
  EXPECT_NE(SigningKey::load(folder / "locked").error().message().find("pass phrase"), std::string::npos);
}

}  // namespace
}  // namespace frond::tls
