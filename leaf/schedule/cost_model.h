#pragma once
// What a query costs on each processor, predicted before it is evaluated: from features, by a model, which may come
// from a file, with corrections by what was observed.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "leaf/engine/plan.h"

namespace frond::leaf::schedule {

// What is known of a query before it is evaluated, over all partitions of the leaf that it searches. From this the cost
// model predicts how long the query takes on each processor. Ding et al. 2009, 9, use the shortest list, the second
// shortest, the sum of the lists and the number of terms.
struct QueryFeatures {
  engine::Mode mode = engine::Mode::kOr;
  bool ranked = true;
  std::uint32_t k = 10;           // hits wanted
  std::uint32_t partitions = 1;   // searched
  std::uint64_t documents = 0;    // of these partitions
  std::uint32_t terms = 0;        // with a list
  std::uint64_t postings = 0;     // of all lists
  std::uint64_t blocks = 0;       // of all lists
  std::uint64_t shortest = 0;     // postings of the shortest list; 0: there is no list
  std::uint64_t second = 0;       // of the second shortest; 0: there are fewer than two lists
  std::uint64_t longest = 0;      // of the longest
  double share_of_documents = 1;  // that match AND if the lists were independent of each other, 0 .. 1

  // Adds a term's list. `list_postings`, `list_blocks`: summed over the partitions. Set `documents` before.
  void add_list(std::uint64_t list_postings, std::uint64_t list_blocks) {
    if (terms == 0 || list_postings < shortest) {
      second = shortest;
      shortest = list_postings;
    } else if (terms == 1 || list_postings < second) {
      second = list_postings;
    }
    longest = std::max(longest, list_postings);
    postings += list_postings;
    blocks += list_blocks;
    ++terms;
    if (list_postings < documents)
      share_of_documents *= static_cast<double>(list_postings) / static_cast<double>(documents);
  }
  // Documents that match AND if the lists were independent of each other.
  double expected_matches() const { return terms == 0 ? 0 : share_of_documents * static_cast<double>(documents); }
};

// Predicts how long a query takes on each processor, from what is known before it is evaluated.
//
// For each processor and mode there is a regression. It gives the binary logarithm of the microseconds: a line over the
// logarithms of the features, plus the values of a few small trees for what a line cannot follow. (Ding et al. 2009, 9,
// use M5 rules, which are lines at the leaves of a tree.) A tree here is oblivious: all its nodes of a level compare
// the same feature with the same number, so a look-up has no branches.
//
// On the GPU a query is part of a batch. A batch takes launch_us, whatever is in it, and each of its queries adds to
// that. Large batches use the device better: scale_of() says what a query adds in a batch of a given size, relative to
// a batch of 64.
//
// A model is a plain value. It is trained by `frond bench schedule --train`, which writes it to a file that people can
// read (parse_cost_model()). Without a file a leaf uses default_cost_model().
enum class Processor : std::uint8_t { kCpu, kGpu };
inline constexpr std::size_t kProcessors = 2, kModes = 2;

// What regressions read. Each is log2(1 + the feature).
inline constexpr std::array<std::string_view, 10> kCostInputs = {
    "postings", "shortest", "second", "longest", "blocks", "terms", "k", "partitions", "matches", "documents"};
using CostInputs = std::array<float, kCostInputs.size()>;
CostInputs cost_inputs(const QueryFeatures& features);

struct CostTree {
  static constexpr std::size_t kDepth = 4;
  std::array<std::uint8_t, kDepth> input{};  // by level: which of kCostInputs
  std::array<float, kDepth> threshold{};     // by level: whether the input is greater is a bit of the value's index
  std::array<float, 1u << kDepth> value{};   // added to log2(us); bit i of the index belongs to level i

  float at(const CostInputs& inputs) const {
    unsigned index = 0;
    for (std::size_t level = 0; level < kDepth; ++level)
      index |= static_cast<unsigned>(inputs[input[level]] > threshold[level]) << level;
    return value[index];
  }
  friend bool operator==(const CostTree&, const CostTree&) = default;
};

struct CostRegression {
  static constexpr std::size_t kMaxTrees = 64;
  // Predictions stay between 2^kMinLog2 and 2^kMaxLog2 microseconds: 0.06 us and 134 s.
  static constexpr float kMinLog2 = -4, kMaxLog2 = 27;

  float base = 0;
  std::array<float, kCostInputs.size()> weight{};
  std::vector<CostTree> trees;

  double microseconds(const CostInputs& inputs) const;
  friend bool operator==(const CostRegression&, const CostRegression&) = default;
};

struct CostModel {
  struct BatchScale {
    std::uint32_t queries = 1;  // in the batch
    float scale = 1;            // what a query adds, by what it adds in a batch of 64
    friend bool operator==(const BatchScale&, const BatchScale&) = default;
  };
  static constexpr std::size_t kMaxScales = 16;

  std::array<std::array<CostRegression, kModes>, kProcessors> regressions;  // [Processor][engine::Mode]
  float launch_us = 45;            // of a batch: from the host's start of it to its answers, without any query
  std::vector<BatchScale> scales;  // by ascending `queries`; empty: all sizes are alike

  // CPU: one thread's time. GPU: what the query adds to a batch of 64.
  double microseconds(Processor processor, engine::Mode mode, const CostInputs& inputs) const {
    return regressions[static_cast<std::size_t>(processor)][static_cast<std::size_t>(mode)].microseconds(inputs);
  }
  // Interpolated between the sizes of `scales`, by the logarithm of the size.
  double scale_of(std::size_t batch_queries) const;
  friend bool operator==(const CostModel&, const CostModel&) = default;
};

// Trained on this project's measurements; docs/measurements says which. Good for a start: observed times correct it.
const CostModel& default_cost_model();

// A cost model as a file of JSON that people can read and edit:
//
//   {"launch_us": 45.2, "batch": [[1, 2.1], [16, 1.2], [64, 1]],
//    "cpu and": {"base": -3.25, "weights": {"postings": 0.21},
//                "trees": [{"greater": [["shortest", 9.5], ["terms", 1.6]], "values": [0.1, -0.2, 0, 0.05]}]},
//    "cpu or": …, "gpu and": …, "gpu or": …}
//
// `batch`: queries in a batch and what each of them adds, by a batch of 64. The parts of a processor and mode must all
// be there. Inputs that `weights` lacks have none. A tree compares up to four inputs with a number each, and has a
// value for every outcome: the value of index i belongs to the comparisons whose bit is set in i being "greater".
inline constexpr std::size_t kMaxCostModelBytes = std::size_t{1} << 20;

// kInvalid: names the member and what is wrong there.
Result<CostModel> parse_cost_model(std::string_view text);
// The same from a file. kNotFound: it can't be read. Errors name the file.
Result<CostModel> read_cost_model(const std::filesystem::path& file);

// parse_cost_model() gives an equal model. `comment`: a member of the file.
std::string cost_model_text(const CostModel& model, const std::string& comment = {});

// A cost model with corrections learnt from observed times, so that predictions follow the machine, the collection and
// the load. There is a factor for each processor, mode and class of cost: predictions of up to 1 us, 2 us, 4 us and so
// on are a class each. Queries that are not ranked have factors of their own: the model, which knows only ranked ones,
// predicts them as such with their k, 0 if they only count. A factor moves a sixteenth of the way at an observation and
// stays between 1/8 and 8.
//
// Any thread; relaxed atomics. When two threads correct a factor at once, one of the corrections may be lost.

// A predicted cost, and what observe() needs to know of it.
struct PredictedCost {
  double us = 0;
  Processor processor = Processor::kCpu;
  engine::Mode mode = engine::Mode::kOr;
  bool ranked = true;
  std::uint8_t cost_class = 0;
};
struct PredictedCosts {
  PredictedCost cpu;  // one thread's time
  PredictedCost gpu;  // what the query adds to a batch of 64
};

class CostPredictor {
 public:
  static constexpr std::size_t kClasses = 24;
  static constexpr float kStep = 1.0f / 16, kMaxFactor = 8;

  explicit CostPredictor(CostModel model);

  PredictedCosts predict(const QueryFeatures& features) const;
  // A batch: from the host's start of it to its answers, if nothing else runs on the device. `sum_us`: of the
  // predictions of its queries.
  double batch_us(double sum_us, std::size_t queries) const {
    return static_cast<double>(model_.launch_us) + sum_us * model_.scale_of(queries);
  }
  // `ratio`: the time that was observed, by the time that was predicted. For a GPU both are of the whole batch; call it
  // for each query of the batch.
  void observe(const PredictedCost& predicted, double ratio);

  const CostModel& model() const { return model_; }
  double factor(const PredictedCost& of) const { return static_cast<double>(at(of).load(std::memory_order_relaxed)); }

 private:
  using Factors = std::array<std::atomic<float>, kProcessors * kModes * 2 * kClasses>;
  static std::size_t index(const PredictedCost& of) {
    const std::size_t kind = static_cast<std::size_t>(of.processor) * kModes + static_cast<std::size_t>(of.mode);
    return (2 * kind + of.ranked) * kClasses + of.cost_class;
  }
  const std::atomic<float>& at(const PredictedCost& of) const { return factors_[index(of)]; }
  PredictedCost corrected(Processor processor, const QueryFeatures& features, const CostInputs& inputs) const;

  const CostModel model_;
  Factors factors_;
};

}  // namespace frond::leaf::schedule
