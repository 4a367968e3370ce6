#pragma once
// What the experiments of frond-papers share: collections that are made up once, and measurements that several
// tables show. Everything is made when it is first asked for, and kept. One thread.
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "tools/bench/codec/codec_timing.h"
#include "tools/bench/gpu/processor_rows.h"
#include "tools/bench/measure.h"
#include "tools/papers/index/indexing_results.h"
#include "tools/papers/intersect/intersection_set.h"
#include "tools/papers/intersect/intersection_timing.h"

namespace frond::tools::papers {

// How much is measured.
struct Sizes {
  std::string_view name;
  std::uint32_t gov_documents = 0, gov2_documents = 0, clueweb_documents = 0;  // 0: the profile's own
  std::uint64_t max_postings = 0;                                              // of a collection's lists that are coded
  std::uint32_t coded_queries = 0;                                             // whose lists are coded, at most
  std::uint32_t searched_queries = 0;                                          // on a partition
  std::uint32_t intersected_queries = 0;                                       // of GOV
  unsigned sparse = 16, dense = 25;                                            // synthetic lists of 2^N integers
  std::vector<unsigned> lengths;                                               // of the curves, the same
  std::vector<std::uint32_t> pairs;              // docIDs of two lists that are intersected
  std::vector<std::uint32_t> thresholds;         // computations a batch
  std::uint64_t device_integers = 0;             // decoded by the GPU at a time
  std::size_t gpu_bytes = std::size_t{4} << 30;  // of the GPU, for lists and workspaces of ranked queries
  unsigned rounds = 1;                           // of which the median counts
  std::size_t arrivals = 0, rates = 0;           // of simulations: queries of a run, points of a curve
  std::uint64_t text_bytes = 0;                  // that are indexed
};
// "small": minutes on two cores. "full": the papers' sizes, with at most 2^28 coded postings of a collection.
const Sizes& small_sizes();
const Sizes& full_sizes();

class Workbench {
 public:
  // kUnavailable: no folder for temporary files.
  static Result<std::unique_ptr<Workbench>> create(Sizes sizes, unsigned threads, std::uint32_t seed,
                                                   IndexingOptions indexing = {});

  const Sizes& sizes() const { return sizes_; }
  unsigned threads() const { return threads_; }
  std::uint32_t seed() const { return seed_; }
  bool has_gpu() const { return no_gpu_.empty(); }
  const std::string& no_gpu() const { return no_gpu_; }  // why there is none
  const std::string& gpu() const { return gpu_; }        // its name

  // Lists of a profile's queries. Their names are those of figures.json where a paper has the collection.
  struct Lists {
    bench::IntegerSet docids, frequencies;
  };
  Result<const Lists*> lists(std::string_view profile, synth::DocidOrder order);
  const bench::IntegerSet& synthetic(std::string_view model, unsigned log2_count);

  // Timings in the order of `codecs`; of a set's name, so each set has its own.
  Result<std::vector<bench::CodecTiming>> codecs(const bench::IntegerSet& set,
                                                 std::span<const std::string_view> codecs);
  // kDevice: there is no GPU.
  Result<std::vector<bench::DeviceCodecTiming>> device_codecs(const bench::IntegerSet& set,
                                                              std::span<const std::string_view> codecs);

  // GOV, with its queries.
  Result<const IntersectionSet*> gov(synth::DocidOrder order);
  // With sizes().rounds rounds; threads 0: all.
  Result<IntersectionTiming> intersect_on_cpu(const IntersectionSet& set, Method method, unsigned threads = 0);
  Result<IntersectionTiming> intersect_by_engine(const IntersectionSet& set, unsigned threads);
  Result<std::vector<IntersectionTiming>> intersect_on_gpu(const IntersectionSet& set, Method method,
                                                           std::span<const std::uint32_t> thresholds);

  struct Searches {
    std::uint64_t documents = 0, postings = 0;  // of the partition
    bench::ProcessorSummary summary;
    std::vector<bench::ProcessorRow> rows;
  };
  // Ranked queries on a partition after GOV2, k = 10.
  Result<const Searches*> searches();

  // Builds as the options given to create() say. What these leave out: text, rows and rounds of sizes().
  Result<const IndexingResults*> indexing();

 private:
  Workbench(Sizes sizes, unsigned threads, std::uint32_t seed, IndexingOptions indexing,
            std::unique_ptr<bench::ScratchFolder> scratch);
  IntersectionOptions intersection_options(unsigned threads) const;

  const Sizes sizes_;
  const unsigned threads_;
  const std::uint32_t seed_;
  const std::unique_ptr<bench::ScratchFolder> scratch_;
  std::string gpu_, no_gpu_;
  IndexingOptions options_;
  std::map<std::string, Lists> lists_;
  std::map<std::string, bench::IntegerSet> synthetic_;
  std::map<std::pair<std::string, std::string_view>, bench::CodecTiming> codecs_;  // by set and codec
  std::map<std::pair<std::string, std::string_view>, bench::DeviceCodecTiming> device_codecs_;
  std::map<synth::DocidOrder, IntersectionSet> gov_;
  std::map<std::string, IntersectionTiming> on_cpu_;  // by set, method and threads
  std::map<std::string, std::vector<IntersectionTiming>> on_gpu_;
  std::unique_ptr<Searches> searches_;
  std::unique_ptr<IndexingResults> indexing_;
};

}  // namespace frond::tools::papers
