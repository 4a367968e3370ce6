#pragma once
// One run of writing: services that take a collection over from each other, under the faults that the seed chooses, and
// clients whose acknowledged changes must all be there at the end.
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/simulation/run.h"
#include "tests/simulation/writing_service.h"

namespace frond::simulation {

class WritingWorld {
 public:
  WritingWorld(Run& run, const std::filesystem::path& folder);
  void play();
  std::uint64_t acknowledged() const { return acknowledged_; }

 private:
  struct Change {
    std::uint64_t number = 0;
    bool removes = false, acknowledged = false;
    std::uint64_t end = ~std::uint64_t{0};  // in the order of all begins, which are the numbers, and ends
  };
  void run_until(Instant end);
  void change_again();
  void change();
  void go_wrong_again();
  Result<void> fault(WritingService& service, std::string_view what);
  void check_current();
  void check_end();

  Run& run_;
  WritingService::Shared shared_;
  std::vector<std::unique_ptr<WritingService>> services_;
  std::map<std::string, std::vector<Change>> changes_;  // by document
  std::uint64_t last_ = 0, acknowledged_ = 0, epoch_ = 0;
  std::uint64_t one_fault_in_;
  int nested_ = 0;       // services that are stopped or slow inside of a call
  bool touched_ = true;  // what others see may be another than at the last look
  bool faults_ = true;
  Instant faults_until_;
};

}  // namespace frond::simulation
