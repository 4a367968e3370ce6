#include "common/config/auto_budgets.h"

#include <string>

#include "common/config/command_line.h"

namespace frond::config {

void AutoBudgets::choose(std::string_view flag, std::uint64_t& bytes, std::uint64_t thousandths, std::uint64_t most) {
  const bool chosen = bytes == kAutoBytes;
  if (chosen) bytes = machine_.share(thousandths, std::uint64_t{1} << 20, most);
  all_.push_back({.flag = std::string(flag), .amount = bytes, .bytes = true, .chosen = chosen});
}

}  // namespace frond::config
