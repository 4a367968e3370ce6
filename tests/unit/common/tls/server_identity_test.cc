// Which certificates and keys a server accepts, and what happens when their files change.
#include "common/tls/certificates.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/support/certificates.h"

namespace frond::tls {
namespace {
using std::chrono::hours;
using std::chrono::system_clock;
using support::CertificateFiles;
using support::write_file;

class AServerIdentity : public testing::Test {
 protected:
  // The error of loading, without the folder's name.
  std::string refusal() const {
    const auto loaded = ServerIdentity::load(files_.certificate, files_.key);
    if (loaded) return "loaded";
    EXPECT_EQ(loaded.error().code(), Code::kInvalid);
    std::string text = loaded.error().message();
    const std::string folder = files_.folder.path().string() + "/";
    for (auto at = text.find(folder); at != text.npos; at = text.find(folder)) text.erase(at, folder.size());
    return text;
  }
  CertificateFiles files_;
};

TEST_F(AServerIdentity, NamesTheFileAndWhatIsWrongWithIt) {
  EXPECT_EQ(refusal(), "loaded");
  const auto good = files_.authority.issue("DNS:localhost");
  files_.replace({"", good.key});
  EXPECT_EQ(refusal(), "server.pem: empty, or no file");
  files_.replace({"no certificate\n", good.key});
  EXPECT_EQ(refusal(), "server.pem: no PEM certificate in it (no start line)");
  files_.replace({good.certificate, good.certificate});
  EXPECT_TRUE(refusal().starts_with("server.key: no PEM private key in it (")) << refusal();
  files_.replace({good.certificate, files_.authority.issue("DNS:localhost").key});
  EXPECT_EQ(refusal(), "server.key: it is not the key of the certificate");
  files_.replace({good.certificate, files_.authority.locked(good.key, "secret")});
  EXPECT_EQ(refusal(), "server.key: it has a pass phrase; a server's key must have none");
  files_.replace({good.certificate + "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", good.key});
  EXPECT_TRUE(refusal().starts_with("server.pem: a broken certificate behind the first: ")) << refusal();
  files_.replace({std::string((1 << 20) + 1, 'x'), good.key});
  EXPECT_EQ(refusal(), "server.pem: larger than 1 MiB");
  std::filesystem::remove(files_.certificate);
  EXPECT_EQ(refusal(), "server.pem: No such file or directory");
}
TEST_F(AServerIdentity, TakesACertificateWithItsChainAndTheKeyFromOneFile) {
  const auto pair = files_.authority.issue("DNS:localhost");
  files_.replace({pair.certificate + files_.authority.certificate() + pair.key, pair.key});
  EXPECT_EQ(refusal(), "loaded");
}
TEST_F(AServerIdentity, TellsWhenItsCertificateEnds) {
  const auto identity = ServerIdentity::load(files_.certificate, files_.key);
  ASSERT_TRUE(identity);
  const auto left = (*identity)->expires() - system_clock::now();
  EXPECT_TRUE(left > hours(23) && left <= hours(24));
}
TEST_F(AServerIdentity, TakesANewPairWhenItsFilesChange) {
  const auto identity = *ServerIdentity::load(files_.certificate, files_.key);
  EXPECT_EQ(identity->refresh(), false);
  files_.replace(files_.authority.issue("DNS:localhost", 9));
  EXPECT_EQ(identity->refresh(), true);
  EXPECT_GT(identity->expires(), system_clock::now() + hours(8 * 24));
  EXPECT_EQ(identity->refresh(), false);
}
TEST_F(AServerIdentity, KeepsItsPairWhereTheNewOneIsBadAndSaysSoOnce) {
  const auto identity = *ServerIdentity::load(files_.certificate, files_.key);
  const auto ends = identity->expires();
  const auto next = files_.authority.issue("DNS:localhost", 9);
  write_file(files_.certificate, next.certificate);  // its key is not written yet
  EXPECT_EQ(identity->refresh(), Code::kInvalid);
  EXPECT_EQ(identity->refresh(), false);
  EXPECT_EQ(identity->expires(), ends);
  std::filesystem::remove(files_.key);
  EXPECT_EQ(identity->refresh(), Code::kInvalid);
  EXPECT_EQ(identity->refresh(), false);
  write_file(files_.key, next.key);
  EXPECT_EQ(identity->refresh(), true);
  EXPECT_GT(identity->expires(), ends);
}

TEST(Trust, NamesTheFileAndWhatIsWrongWithIt) {
  const CertificateFiles files;
  EXPECT_TRUE(Trust::load(files.ca));
  EXPECT_TRUE(Trust::load(""));
  const auto nothing = Trust::load(files.key);
  ASSERT_EQ(nothing, Code::kInvalid);
  EXPECT_EQ(nothing.error().message(), files.key + ": no PEM certificate in it (no start line)");
  const auto nowhere = Trust::load("/nowhere/ca.pem");
  ASSERT_EQ(nowhere, Code::kInvalid);
  EXPECT_EQ(nowhere.error().message(), "/nowhere/ca.pem: No such file or directory");
}

}  // namespace
}  // namespace frond::tls
