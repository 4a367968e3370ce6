#pragma once
// From documents, rate and target to partitions, leaves, replicas and brokers: what they need (by constants that were
// measured), how busy they are, and how long searches take (simulated).
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "tools/plan/constants.h"

namespace frond::tools::plan {

enum class Mode : std::uint8_t { kOr, kAnd };

struct Wanted {
  double documents = 0, words = 0;  // of the collection; of a document
  double query_postings = 0;        // that a search reads; 0: by the constants
  double rate = 0, p99_ms = 0;      // searches a second; of those that the result cache does not answer
  double cache_hits = 0;            // share of searches that it answers
  double availability = 0, machine_availability = 0;  // shares of time
  Mode mode = Mode::kOr;
  std::uint32_t k = 10;
  bool with_text = false;  // documents are shown with text
  double hedge_share = 0;  // as the broker's --hedge-share
  // The budget: machines, 0 for any number, and what each has.
  std::uint32_t machines = 0, cores = 0, gpus = 0;
  double memory = 0, gpu_memory = 0;  // bytes; of each GPU
  double machine_price = 0;           // an hour; 0: not said
  bool brokers_apart = false;         // brokers have machines of their own
  // What is not to be planned but looked at; 0: planned.
  std::uint32_t shards = 0, replicas = 0, partitions = 0;
  std::uint64_t seed = 1;
};

// What a leaf has and does, where documents are assigned to so many shards. Bytes and microseconds.
struct LeafShare {
  double documents = 0, postings = 0, disk = 0, memory = 0, gpu_memory = 0;
  double read_postings = 0;  // by a search
  double fixed_us = 0, work_us = 0, gpu_us = 0;
};
LeafShare share_of(const Wanted& wanted, const Constants& constants, std::uint32_t shards);

struct Figure {
  std::string name;  // as in JSON: "p99_ms"
  double value = 0;
  std::string shown;  // with its unit
  std::string why;    // a line
};
struct Plan {
  std::vector<Figure> figures;
  double value(std::string_view name) const;  // REQUIRES: there is such a figure
};

// The plan with the fewest leaves, then shards. More documents never need fewer leaves. kInvalid: no number of machines
// reaches the target, or it is more than the budget; the message has the number that would do. Takes seconds for
// thousands of leaves.
Result<Plan> make_plan(const Wanted& wanted, const Constants& constants);

std::string to_text(const Plan& plan);  // a line each
std::string to_json(const Plan& plan);  // an object of numbers, and one with the reasons, "why"

}  // namespace frond::tools::plan
