#include "tools/papers/experiment.h"

#include <algorithm>

#include "tools/papers/experiments/experiments.h"

namespace frond::tools::papers {
using namespace bench;
namespace {

constexpr PaperInfo kInfos[] = {
    {"ding", "Ding, He, Yan, Suel 2009: Using graphics processors for high performance IR query processing",
     "Core 2 Duo E6750 at 2.66 GHz, one core; GeForce 8800 GTS; TREC GOV2"},
    {"mallia", "Mallia, Siedlaczek, Suel, Zahran 2019: GPU-accelerated decoding of integer lists",
     "Xeon E5-2690 v4, one core; Tesla V100; Gov2 and ClueWeb09"},
    {"ao",
     "Ao et al. 2011: Efficient parallel lists intersection and index compression algorithms using graphics "
     "processing units",
     "Phenom II X4 945, one core; GTX 480; GOV, also with documents in random order (GOVR)"},
    {"wei", "Wei, JaJa 2011: A fast algorithm for constructing inverted files on heterogeneous platforms",
     "two Xeon X5560, 8 cores at 2.8 GHz; two Tesla C1060; the first English segment of ClueWeb09, 1,422 GB"},
};

constexpr std::string_view kGov2Lists = "lists made up after GOV2", kPartition = "a partition made up after GOV2",
                           kGovLists = "lists and queries made up after GOV",
                           kModelLists = "lists of the models of the paper", kText = "text made up after ClueWeb09",
                           kCosts = "made-up costs of queries",
                           kPostingLists = "lists made up after GOV2 and ClueWeb09";

using enum Paper;
using enum Needs;
constexpr Experiment kExperiments[] = {
    {"ding:t1", kDing, "Table 1", "Decompression on CPU and GPU", kEither, kGov2Lists, ding_table_1, ""},
    {"ding:t2", kDing, "Table 2", "Time of a ranked query on CPU and GPU", kEither, kPartition, ding_table_2, ""},
    {"ding:t3", kDing, "Table 3", "Steps of ranked queries on the GPU", kGpu, kPartition, ding_table_3, ""},
    {"ding:f3", kDing, "Figure 3", "Compressed size by method and levels of recursion", kCpu, kGov2Lists, ding_figure_3,
     "Rice is the smallest. PForDelta without recursion is much larger than with a width for each block; one level of "
     "recursion is slightly smaller than that, more levels gain little."},
    {"ding:f4", kDing, "Figure 4", "Decompression by length of the list", kEither, kGov2Lists, ding_figure_4,
     "The CPU is faster for short lists, the GPU for long ones: up to 2.5 billion gaps a second."},
    {"ding:f6", kDing, "Figure 6", "Intersection by levels of splitters", kGpu, "two lists of the same length",
     ding_figure_6, "Two or three levels are near the best everywhere: below 4 ns for long lists."},
    {"ding:f7", kDing, "Figure 7", "Delay by arrival rate", kCpu, kCosts, ding_figure_7,
     "CPU and GPU together sustain more than 300 queries a second, the CPU alone less than 100."},

    {"mallia:t1", kMallia, "Table 1", "Size of synthetic lists", kCpu, kModelLists, mallia_table_1, ""},
    {"mallia:t2", kMallia, "Table 2", "Size of posting lists", kCpu, kPostingLists, mallia_table_2, ""},
    {"mallia:t3", kMallia, "Table 3", "Speedup of the GPU by length of the list", kGpu, kModelLists, mallia_table_3,
     ""},
    {"mallia:t4", kMallia, "Table 4", "Decoding of posting lists", kEither, kPostingLists, mallia_table_4, ""},
    {"mallia:f3", kMallia, "Figure 3", "Decoding by length of the list", kEither, kModelLists, mallia_figure_3,
     "SIMD on a CPU gains less as lists become longer, the GPU more: over 100 billion a second for long lists."},

    {"ao:t1", kAo, "Table 1", "How near lists are to lines", kCpu, kGovLists, ao_table_1, ""},
    {"ao:t2", kAo, "Table 2", "Compression ratio", kCpu, "lists made up after GOV and GOV2", ao_table_2, ""},
    {"ao:t3", kAo, "Table 3", "Speedup over a CPU", kEither, kGovLists, ao_table_3, ""},
    {"ao:t7", kAo, "Table 7", "Intersection of compressed lists", kEither, kGovLists, ao_table_7, ""},
    {"ao:f5", kAo, "Figure 5", "Throughput by computations a batch", kGpu, kGovLists, ao_figure_5,
     "At 2^20 computations HS16 answers 91,382 queries a second, 60 % more than BS."},
    {"ao:f6", kAo, "Figure 6", "Response time by computations a batch", kGpu, kGovLists, ao_figure_6,
     "Up to 128 K computations the methods differ little."},
    {"ao:f7", kAo, "Figure 7", "Compression ratio by share of exceptions", kCpu, kGovLists, ao_figure_7,
     "No exceptions at all is close to the best ratio."},
    {"ao:f8", kAo, "Figure 8", "Decompression of the shortest lists", kEither, kGovLists, ao_figure_8,
     "LRC, LRCSeg and SegLRC are the fastest."},
    {"ao:f9", kAo, "Figure 9", "Speedup by processors", kCpu, kGovLists, ao_figure_9,
     "The speedup is almost proportional to the number of multiprocessors."},

    {"wei:t4", kWei, "Table IV", "Time of the inverters", kEither, kText, wei_table_4, ""},
    {"wei:t5", kWei, "Table V", "Work of the inverters on CPU and GPU", kEither, kText, wei_table_5, ""},
    {"wei:t6", kWei, "Table VI", "Time of a whole build", kEither, kText, wei_table_6, ""},
    {"wei:t7", kWei, "Table VII", "Machines", kCpu, "this machine", wei_table_7, ""},
    {"wei:f10", kWei, "Figure 10", "Throughput by parsers and inverters", kEither, kText, wei_figure_10,
     "About linear up to 5 parsers. Without a GPU 5 parsers and 3 inverters are best, with 2 GPUs 6 and 2."},
    {"wei:f11", kWei, "Figure 11", "Inverters by position in the input", kEither, kText, wei_figure_11,
     "A sharp fall in the beginning, then nearly level, as B-trees grow; less at the end, on pages of Wikipedia."},
};

bool is_named(const Experiment& experiment, std::string_view id) {
  return experiment.id == id || info_of(experiment.paper).key == id;
}

}  // namespace

const PaperInfo& info_of(Paper paper) { return kInfos[static_cast<std::size_t>(paper)]; }

std::string_view name_of(Needs needs) {
  constexpr std::string_view kNames[] = {"CPU", "CPU or GPU", "GPU"};
  return kNames[static_cast<std::size_t>(needs)];
}

std::span<const Experiment> all_experiments() { return kExperiments; }

Result<std::vector<const Experiment*>> experiments_named(std::span<const std::string> ids) {
  for (const std::string& id : ids)
    if (std::none_of(std::begin(kExperiments), std::end(kExperiments),
                     [&](const Experiment& each) { return is_named(each, id); }))
      return Error(Code::kInvalid, "--only: no experiment " + id + "; --list prints all");
  std::vector<const Experiment*> chosen;
  for (const Experiment& each : kExperiments)
    if (ids.empty() || std::any_of(ids.begin(), ids.end(), [&](const auto& id) { return is_named(each, id); }))
      chosen.push_back(&each);
  return chosen;
}

}  // namespace frond::tools::papers
