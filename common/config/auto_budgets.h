#pragma once
// Budgets that no flag gives (byte_size_or_auto() in command_line.h), chosen by the machine, and a line for the log
// that says which. One thread.
//
//   AutoBudgets budgets(this_machine());
//   budgets.choose("--host-cache", options.host_cache_bytes, 350, most);
//   log.info("started", {{"chosen", budgets.text()}, …});
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/machine.h"

namespace frond::config {

class AutoBudgets {
 public:
  // `machine` outlives this.
  explicit AutoBudgets(const Machine& machine) : machine_(machine) {}
  // If `bytes` is kAutoBytes it becomes so many thousandths of the memory that the machine plans for, 1 MiB to `most`.
  void choose(std::string_view flag, std::uint64_t& bytes, std::uint64_t thousandths, std::uint64_t most);
  // What was chosen: "--cache 256MiB, --max-unsent-bytes 256MiB". Empty: nothing was.
  const std::string& text() const { return text_; }

 private:
  const Machine& machine_;
  std::string text_;
};

}  // namespace frond::config
