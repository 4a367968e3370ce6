#pragma once
// Budgets of memory: what flags say, or what a process chooses by its machine where they say nothing
// (byte_size_or_auto() in command_line.h). One thread.
//
//   AutoBudgets budgets(this_machine());
//   budgets.choose("--host-cache", options.host_cache_bytes, 350, most);
//   options.budgets = budgets.all();
#include <cstdint>
#include <string_view>
#include <vector>

#include "common/base/budget.h"
#include "common/base/machine.h"

namespace frond::config {

class AutoBudgets {
 public:
  // `machine` outlives this.
  explicit AutoBudgets(const Machine& machine) : machine_(machine) {}
  // If `bytes` is kAutoBytes it becomes so many thousandths of the memory that the machine plans for, 1 MiB to `most`.
  void choose(std::string_view flag, std::uint64_t& bytes, std::uint64_t thousandths, std::uint64_t most);
  const std::vector<Budget>& all() const { return all_; }  // in the order of the calls

 private:
  const Machine& machine_;
  std::vector<Budget> all_;
};

}  // namespace frond::config
