// What DamageLog (served_generation.h) promises of the leaf's log.
#include "leaf/generation/served_generation.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/collections/manual_clock.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/small_partition.h"

namespace frond::leaf::generation {
namespace {

using Lines = std::vector<nlohmann::json>;

class ADamageLog : public testing::Test {
 protected:
  ADamageLog() {
    const auto summary = support::write_partition(support::random_documents(10, 1), scratch_ / "files", 0.4).value();
    FROND_CHECK(partition::Partition::ingest(scratch_ / "files", summary.files, scratch_ / "database", true));
    database_ = partition::Partition::open(scratch_ / "database").value();
  }
  OpenPartition opened(std::uint64_t number) const {
    return OpenPartition(number, "g1-p" + std::to_string(number), database_, lists_);
  }
  // What `work` logs.
  template <class Work>
  static Lines logged(Logger& log, const Work& work) {
    testing::internal::CaptureStderr();
    work();
    log.flush(std::chrono::seconds(10));
    std::istringstream text(testing::internal::GetCapturedStderr());
    Lines lines;
    for (std::string line; std::getline(text, line);) lines.push_back(nlohmann::json::parse(line));
    return lines;
  }

  support::ScratchFolder scratch_;
  std::shared_ptr<const partition::Partition> database_;
  const ListRegistration lists_{[](std::uint64_t, const auto&) {}, [](std::uint64_t) {}};
  support::ManualClock clock_;
};

TEST_F(ADamageLog, NamesWhatIsDamagedAndWhere) {
  Logger log("test", LogLevel::kInfo);
  DamageLog damage(log, clock_);
  const OpenPartition partition = opened(0);
  const Lines lines = logged(log, [&] { damage.report(partition, Error(Code::kCorrupt, "list of 'fox': block 3")); });
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0]["level"], "warning");
  EXPECT_EQ(lines[0]["partition"], "g1-p0");
  EXPECT_EQ(lines[0]["folder"], (scratch_ / "database").string());
  EXPECT_EQ(lines[0]["reason"], "corrupt");
  EXPECT_EQ(lines[0]["error"], "list of 'fox': block 3");
}

TEST_F(ADamageLog, WritesALineForEachPartitionAndReasonInTenSecondsAndCountsTheOthers) {
  Logger log("test", LogLevel::kInfo);
  DamageLog damage(log, clock_);
  const OpenPartition first = opened(0), second = opened(1);
  const Lines lines = logged(log, [&] {
    for (int i = 0; i < 5; ++i) {
      damage.report(first, Error(Code::kCorrupt, "c"));
      damage.report(first, Error(Code::kUnavailable, "u"));
      damage.report(second, Error(Code::kCorrupt, "s"));
    }
    clock_.advance(std::chrono::seconds(10));
    damage.report(first, Error(Code::kCorrupt, "again"));
  });
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[3]["error"], "again");
  EXPECT_EQ(lines[3]["others_since_the_last_line"], "4");
}

TEST_F(ADamageLog, SaysNothingOfQueriesThatCameTooLateOrWereRefused) {
  Logger log("test", LogLevel::kInfo);
  DamageLog damage(log, clock_);
  const OpenPartition partition = opened(0);
  const Lines lines = logged(log, [&] {
    for (const Code code : {Code::kDeadline, Code::kOverloaded, Code::kNotFound})
      damage.report(partition, Error(code, "not the partition's fault"));
  });
  EXPECT_TRUE(lines.empty());
}

}  // namespace
}  // namespace frond::leaf::generation
