#pragma once
// Checks one whole partition.
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "common/partition/file_checksum.h"
#include "common/partition/partition.h"
#include "common/repository/manifest.h"
#include "indexer/check/check.h"

namespace frond::indexer::check {

// The faults found so far: counts all, keeps the first.
class FaultList {
 public:
  FaultList(CheckReport& report, std::size_t max_listed) : report_(report), max_listed_(max_listed) {}
  void add(std::string where, std::string what) {
    ++report_.faults;
    if (report_.listed.size() < max_listed_) report_.listed.push_back({std::move(where), std::move(what)});
  }
  // True if it is no error; otherwise adds a fault.
  template <class T>
  bool expect(const std::string& where, const Result<T>& result) {
    if (!result) add(where, result.error().message());
    return result.has_value();
  }
  // True if both are equal; otherwise adds a fault.
  template <class Number>
  bool expect_equal(const std::string& where, const char* what, Number is, Number should) {
    if (is == should) return true;
    add(where, std::string(what) + " " + std::to_string(is) + ", expected " + std::to_string(should));
    return false;
  }
  CheckReport& report() { return report_; }

 private:
  CheckReport& report_;
  std::size_t max_listed_;
};

// Compares the size and checksum of the file `name` in a collection's folder with the manifest's. False: they differ,
// or it can't be read: a pipe for example, or what a symbolic link leads to.
bool check_file(const std::filesystem::path& folder, const std::string& name, const repository::PartitionFile& expected,
                FaultList& faults);

// What hidden documents take from a generation's statistics.
struct HiddenPostings {
  std::map<std::string, std::uint64_t, std::less<>> documents;  // by term, over all partitions
  std::uint64_t occurrences = 0;
};

// Checks lists and documents of an open partition against its manifest entry. `b`: the generation's BM25 parameter.
// `hidden`: of its documents, ascending; adds what they take away to `taken`.
void check_partition(const partition::Partition& partition, const repository::PartitionEntry& entry, double b,
                     std::span<const DocId> hidden, HiddenPostings& taken, FaultList& faults);

}  // namespace frond::indexer::check
