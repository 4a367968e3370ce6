// The broker's certificate while it runs: looked at again, exported, told of.
#include "broker/http/tls_endpoint.h"

#include <gtest/gtest.h>

#include "broker/http/monitoring/broker_metrics.h"
#include "tests/support/certificates.h"
#include "tests/support/collections/manual_clock.h"

namespace frond::broker::http {
namespace {

class ATlsEndpoint : public testing::Test {
 protected:
  void SetUp() override {
    auto made = TlsEndpoint::create(files_.certificate, files_.key, timers_, log_, registry_);
    ASSERT_TRUE(made) << made.error().message();
    endpoint_ = *std::move(made);
  }
  void a_second_passes() {
    clock_.advance(TlsEndpoint::kLookInterval);
    timers_.run_due();
  }
  double expiry() { return registry_.gauge(families::kTlsExpiry).value(); }
  double reloads(const char* outcome) {
    return registry_.counter(families::kTlsReloads, {{"outcome", outcome}}).value();
  }
  double ends_in_days() const {
    const auto left = endpoint_->identity().expires() - std::chrono::system_clock::now();
    return std::chrono::duration<double>(left).count() / 86'400;
  }

  support::CertificateFiles files_;
  support::ManualClock clock_;
  cluster::TimerQueue timers_{clock_};
  Logger log_{"test", LogLevel::kError};
  metrics::Registry registry_{"test"};
  std::unique_ptr<TlsEndpoint> endpoint_;
};

TEST_F(ATlsEndpoint, ExportsWhenItsCertificateEnds) {
  EXPECT_EQ(expiry(), static_cast<double>(std::chrono::system_clock::to_time_t(endpoint_->identity().expires())));
}
TEST_F(ATlsEndpoint, TakesANewPairWithinASecond) {
  const double before = expiry();
  files_.replace(files_.authority.issue("DNS:localhost", 30));
  a_second_passes();
  EXPECT_GT(ends_in_days(), 29);
  EXPECT_GT(expiry(), before);
  EXPECT_EQ(reloads("ok"), 1);
  a_second_passes();
  EXPECT_EQ(reloads("ok"), 1);
}
TEST_F(ATlsEndpoint, KeepsTheOldPairAndCountsABadOneOnce) {
  const double before = expiry();
  support::write_file(files_.certificate, "nothing of use");
  for (int i = 0; i < 3; ++i) a_second_passes();
  EXPECT_EQ(reloads("failed"), 1);
  EXPECT_EQ(expiry(), before);
  files_.replace(files_.authority.issue("DNS:localhost", 30));
  a_second_passes();
  EXPECT_EQ(reloads("ok"), 1);
}
TEST_F(ATlsEndpoint, LooksNoMoreWhenItIsGone) {
  endpoint_.reset();
  EXPECT_EQ(timers_.next(), Instant::max());
}
TEST_F(ATlsEndpoint, CountsFailedHandshakesByReason) {
  endpoint_->count_failure("timeout");
  EXPECT_EQ(registry_.counter(families::kTlsHandshakeFailures, {{"reason", "timeout"}}).value(), 1);
  EXPECT_NE(registry_.exposition().find("frond_broker_tls_handshake_failures_total{reason=\"plain\"} 0"),
            std::string::npos);
}

}  // namespace
}  // namespace frond::broker::http
