#pragma once
// A directory that services write with a lease: its files, and who holds it.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "tests/support/collections/manual_clock.h"
#include "tests/unit/common/repository/leased_repository.h"

namespace frond::repository {

class Directory : public LeasedRepository {
 public:
  Directory() : LeasedRepository(Kind::kDirectory) {}
  Result<std::unique_ptr<WriterLease>> acquire(const std::string& machine) {
    auto& there = places_[machine];
    there = place(machine);
    return WriterLease::acquire(*there, watch_, {machine, std::chrono::seconds(10), true, life}, clock_,
                                [](const auto&, std::uint64_t) { return Result<void>(); });
  }
  // Where there is a holder, when its lease has lasted for its length.
  std::unique_ptr<WriterLease> lease(const std::string& machine) {
    auto taken = acquire(machine);
    if (taken == Code::kOverloaded) {
      clock_.advance(std::chrono::seconds(11));
      taken = acquire(machine);
    }
    EXPECT_TRUE(taken) << taken.error().message();
    return *std::move(taken);
  }
  std::uint64_t life = 0;  // with epochs from 1
  std::filesystem::path collection() const { return std::filesystem::path(root()) / "example"; }
  // What is published: names and sizes, and the content of what is replaced.
  std::map<std::string, std::string> published() const {
    std::map<std::string, std::string> all;
    for (const char* name : {"generations", "partitions"})
      for (const auto& entry : std::filesystem::recursive_directory_iterator(collection() / name))
        all[entry.path().string()] = entry.is_directory() ? "" : std::to_string(entry.file_size());
    for (const char* name : {"CURRENT", "HIGHEST"})
      if (const auto text = files::read_text(collection() / name, 64)) all[name] = *text;
    return all;
  }
  void expect_whole() const {
    const auto there = source();
    const auto manifest = there->manifest(there->current().value()).value();
    for (const auto& entry : manifest.partitions)
      for (const auto& file : entry.summary.files)
        EXPECT_EQ(std::filesystem::file_size(collection() / partition_file_path(entry, file)), file.bytes);
    EXPECT_EQ(std::filesystem::file_size(collection() / term_statistics_path(manifest.generation)),
              manifest.term_statistics.bytes);
  }

 private:
  support::ManualClock clock_;
  LeaseWatch watch_;
  std::map<std::string, std::unique_ptr<LeasePlace>> places_;
};

}  // namespace frond::repository
