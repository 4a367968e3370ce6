#pragma once
// What a process takes of its machine, memory and threads, as its users are told it: by the log, by a leaf's hello, and
// by the services' descriptions of themselves.
#include <cstdint>
#include <string>
#include <vector>

namespace frond {

struct Budget {
  std::string flag;          // that sets it
  std::uint64_t amount = 0;  // bytes, or how many
  bool bytes = false;
  bool chosen = false;       // by the process, since no flag was given
  std::int32_t device = -1;  // a GPU's number; -1: of the host
  friend bool operator==(const Budget&, const Budget&) = default;
};

// "--cache 256MiB, --threads 4": those that were chosen. Empty: none were.
std::string chosen_text(const std::vector<Budget>& budgets);

// nlohmann's conversion, found by its argument.
template <class Json>
void to_json(Json& json, const Budget& budget) {
  json = {{"flag", budget.flag}, {budget.bytes ? "bytes" : "number", budget.amount}, {"auto", budget.chosen}};
  if (budget.device >= 0) json["device"] = budget.device;
}

}  // namespace frond
