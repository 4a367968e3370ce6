// Levels of the log, also while a process runs.
#include "common/base/log.h"

#include <gtest/gtest.h>

#include <csignal>
#include <string>

namespace frond {
namespace {

TEST(Log, SaysEverythingFromASignalToTheNext) {
  Logger::follow_signals();
  testing::internal::CaptureStderr();
  {
    Logger log("test", LogLevel::kWarn);
    const Logger of_part(log, "part", "1");
    log.debug("before");
    ASSERT_EQ(std::raise(SIGUSR1), 0);
    log.debug("between");
    ASSERT_EQ(std::raise(SIGUSR2), 0);
    log.info("after");
    log.warn("always");
  }
  const std::string lines = testing::internal::GetCapturedStderr();
  EXPECT_EQ(lines.find("before"), std::string::npos);
  EXPECT_NE(lines.find("between"), std::string::npos);
  EXPECT_EQ(lines.find("after"), std::string::npos);
  EXPECT_NE(lines.find("always"), std::string::npos);
}

}  // namespace
}  // namespace frond
