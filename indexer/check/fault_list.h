#pragma once
// The faults found so far: counts all, keeps the first.
#include <string>
#include <utility>

#include "indexer/check/check.h"

namespace frond::indexer::check {

class FaultList {
 public:
  FaultList(CheckReport& report, std::size_t max_listed) : report_(report), max_listed_(max_listed) {}
  void add(std::string where, std::string what) {
    ++report_.faults;
    if (report_.listed.size() < max_listed_) report_.listed.push_back({std::move(where), std::move(what)});
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

}  // namespace frond::indexer::check
