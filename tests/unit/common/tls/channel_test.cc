// Two channels over a pair of sockets, and a channel against an OpenSSL client of the test's own.
#include "common/tls/channel.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <vector>

#include "common/tls/certificates.h"
#include "tests/support/certificates.h"

namespace frond::tls {
namespace {
using support::CertificateFiles;
using Status = Step::Status;

class AChannel : public testing::Test {
 protected:
  AChannel() {
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, sockets_.data()), 0);
    server_ = (*ServerIdentity::load(files_.certificate, files_.key))->open(sockets_[0]);
  }
  ~AChannel() override {
    for (const int socket : sockets_)
      if (socket >= 0) ::close(socket);
  }
  void hang_up(int side) { ::close(std::exchange(sockets_[static_cast<std::size_t>(side)], -1)); }
  void make_client(const std::string& host = "localhost", const std::string& ca = {}) {
    client_ = (*Trust::load(ca.empty() ? files_.ca : ca))->open(sockets_[1], host);
  }
  static bool waits(const Step& step) { return step.status == Status::kWantRead || step.status == Status::kWantWrite; }
  // Runs the handshake until both sides have ended or failed. Returns the client's last step.
  Step shake() {
    Step ours{Status::kWantRead}, theirs{Status::kWantRead};
    for (int turn = 0; turn < 100 && (waits(ours) || waits(theirs)); ++turn) {
      if (waits(theirs)) theirs = client_->handshake();
      if (waits(ours)) ours = server_->handshake();
      if (theirs.status == Status::kFailed) break;
    }
    return theirs;
  }
  std::string error_of_client(const std::string& host, const std::string& ca = {}) {
    make_client(host, ca);
    return shake().status == Status::kFailed ? client_->error() : "believed";
  }

  CertificateFiles files_;
  std::array<int, 2> sockets_{};
  std::unique_ptr<Channel> server_, client_;
};

TEST_F(AChannel, CarriesBytesBothWaysOverTls13) {
  make_client();
  ASSERT_EQ(shake().status, Status::kDone);
  EXPECT_TRUE(client_->description().starts_with("TLSv1.3 ")) << client_->description();
  std::array<char, 64> got{};
  EXPECT_EQ(server_->read(got).status, Status::kWantRead);
  for (Channel* const from : {client_.get(), server_.get()}) {
    Channel* const to = from == client_.get() ? server_.get() : client_.get();
    const Step written = from->write("a query");
    EXPECT_EQ(written.bytes, 7u);
    const Step read = to->read(got);
    EXPECT_EQ(read.status, Status::kDone);
    EXPECT_EQ(std::string_view(got.data(), read.bytes), "a query");
  }
}
TEST_F(AChannel, WaitsForRoomAndForTheRestOfARecord) {
  make_client();
  ASSERT_EQ(shake().status, Status::kDone);
  const std::string sent(4 << 20, '#');
  std::string got;
  std::vector<char> piece(5000);
  std::size_t at = 0, waited = 0;
  while (got.size() < sent.size()) {
    while (at < sent.size()) {
      const Step step = server_->write(std::string_view(sent).substr(at));
      ASSERT_NE(step.status, Status::kFailed) << server_->error();
      at += step.bytes;
      if (step.status != Status::kDone) break;
    }
    for (Step step; (step = client_->read(piece)).status != Status::kWantRead;) {
      ASSERT_EQ(step.status, Status::kDone) << client_->error();
      got.append(piece.data(), step.bytes);
    }
    ++waited;
  }
  EXPECT_EQ(got, sent);
  EXPECT_GT(waited, 2u);
}
TEST_F(AChannel, TellsAnEndFromACut) {
  make_client();
  ASSERT_EQ(shake().status, Status::kDone);
  std::array<char, 8> got{};
  server_->say_end();
  EXPECT_EQ(client_->read(got).status, Status::kClosed);
  hang_up(1);
  EXPECT_EQ(server_->read(got).status, Status::kFailed);
  EXPECT_EQ(server_->error(), "the connection was cut");
}
TEST_F(AChannel, SurvivesWritingToAPeerThatIsGone) {
  make_client();
  ASSERT_EQ(shake().status, Status::kDone);
  hang_up(0);
  Step step{Status::kDone};
  for (int i = 0; i < 3 && step.status != Status::kFailed; ++i) step = client_->write("anyone?");
  EXPECT_EQ(step.status, Status::kFailed);  // and no SIGPIPE
  EXPECT_EQ(client_->error(), "Broken pipe");
}

TEST_F(AChannel, BelievesAnAddressThatTheCertificateHas) { EXPECT_EQ(error_of_client("127.0.0.1"), "believed"); }
TEST_F(AChannel, RefusesAnotherHostName) {
  EXPECT_EQ(error_of_client("example.org"), "the server's certificate is not for this host name");
}
TEST_F(AChannel, RefusesAnotherAddress) {
  EXPECT_EQ(error_of_client("::1"), "the server's certificate is not for this address");
}
TEST_F(AChannel, RefusesACertificateOfAnUnknownAuthority) {
  const CertificateFiles others;
  EXPECT_TRUE(error_of_client("localhost", others.ca).starts_with("the server's certificate is not trusted: "));
}
TEST_F(AChannel, RefusesACertificateOutOfDate) {
  files_.replace(files_.authority.issue("DNS:localhost", -1));
  server_ = (*ServerIdentity::load(files_.certificate, files_.key))->open(sockets_[0]);
  EXPECT_EQ(error_of_client("localhost"), "the server's certificate is not trusted: certificate has expired");
}
TEST_F(AChannel, SaysThatTheOtherSideSpeaksNoTls) {
  make_client();
  client_->handshake();
  const std::string_view plain = "HTTP/1.1 400 Bad Request\r\n\r\n";
  ASSERT_GT(::send(sockets_[0], plain.data(), plain.size(), 0), 0);
  EXPECT_EQ(client_->handshake().status, Status::kFailed);
  EXPECT_EQ(client_->error(), "the other side does not speak TLS");
}

// A client that is not ours and breaks our rules.
class AForeignClient : public AChannel {
 protected:
  using Context = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;
  using Ssl = std::unique_ptr<SSL, decltype(&SSL_free)>;
  // The server's status after a handshake with it.
  Status meet() {
    const Ssl ssl(SSL_new(context_.get()), SSL_free);
    SSL_set_fd(ssl.get(), sockets_[1]);
    SSL_set_connect_state(ssl.get());
    Step ours{Status::kWantRead};
    for (int turn = 0; turn < 10 && waits(ours); ++turn) {
      SSL_do_handshake(ssl.get());
      ours = server_->handshake();
    }
    SSL_do_handshake(ssl.get());
    const unsigned char* chosen = nullptr;
    unsigned length = 0;
    SSL_get0_alpn_selected(ssl.get(), &chosen, &length);
    chosen_.assign(reinterpret_cast<const char*>(chosen), length);
    return ours.status;
  }
  void offer(std::string_view protocols) {
    SSL_CTX_set_alpn_protos(context_.get(), reinterpret_cast<const unsigned char*>(protocols.data()),
                            static_cast<unsigned>(protocols.size()));
  }
  Context context_{SSL_CTX_new(TLS_client_method()), SSL_CTX_free};
  std::string chosen_;
};

TEST_F(AForeignClient, MayOfferNoProtocol) {
  EXPECT_EQ(meet(), Status::kDone);
  EXPECT_EQ(chosen_, "");
}
TEST_F(AForeignClient, GetsHttp11WhereItOffersMore) {
  offer("\x02h2\x08http/1.1");
  EXPECT_EQ(meet(), Status::kDone);
  EXPECT_EQ(chosen_, "http/1.1");
}
TEST_F(AForeignClient, IsRefusedWithAnotherProtocolAlone) {
  offer("\x02h2");
  EXPECT_EQ(meet(), Status::kFailed);
}
TEST_F(AForeignClient, MaySpeakTls12) {
  SSL_CTX_set_max_proto_version(context_.get(), TLS1_2_VERSION);
  EXPECT_EQ(meet(), Status::kDone);
}
TEST_F(AForeignClient, IsRefusedWithOlderTls) {
  SSL_CTX_set_security_level(context_.get(), 0);
  SSL_CTX_set_min_proto_version(context_.get(), TLS1_VERSION);
  SSL_CTX_set_max_proto_version(context_.get(), TLS1_1_VERSION);
  EXPECT_EQ(meet(), Status::kFailed);
}
TEST_F(AForeignClient, IsRefusedWithoutForwardSecrecy) {
  SSL_CTX_set_max_proto_version(context_.get(), TLS1_2_VERSION);
  SSL_CTX_set_cipher_list(context_.get(), "ECDHE+AES+SHA1:kRSA");
  EXPECT_EQ(meet(), Status::kFailed);
}

}  // namespace
}  // namespace frond::tls
