#include "common/base/budget.h"

namespace frond {

std::string chosen_text(const std::vector<Budget>& budgets) {
  std::string text;
  for (const Budget& budget : budgets) {
    if (!budget.chosen) continue;
    text += (text.empty() ? "" : ", ") + budget.flag + " ";
    text += budget.bytes ? std::to_string(budget.amount >> 20) + "MiB" : std::to_string(budget.amount);
    if (budget.device >= 0) text += " of device " + std::to_string(budget.device);
  }
  return text;
}

}  // namespace frond
