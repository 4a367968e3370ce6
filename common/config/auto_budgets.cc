#include "common/config/auto_budgets.h"

#include "common/config/command_line.h"

namespace frond::config {

void AutoBudgets::choose(std::string_view flag, std::uint64_t& bytes, std::uint64_t thousandths, std::uint64_t most) {
  if (bytes != kAutoBytes) return;
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
  bytes = machine_.share(thousandths, kMiB, most);
  text_ += std::string(text_.empty() ? "" : ", ") + std::string(flag) + " " + std::to_string(bytes / kMiB) + "MiB";
}

}  // namespace frond::config
