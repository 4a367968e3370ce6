// Graph bisection of a made-up collection, on the GPU and on the CPU's cores: time, and how close postings are.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "indexer/order/gpu/device_bisection.h"
#include "indexer/order/graph_bisection.h"
#include "tests/bench/gpu/gpu_bench.h"

namespace frond::bench {
namespace {

using indexer::order::ForwardIndex;
using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kDocumentsOfTopic = 2000, kTopicsOfField = 64;
// Terms that all documents share, those of a field, those of a topic. They are numbered in this order.
constexpr std::uint32_t kShared = 4096, kOfField = 256, kOfTopic = 48;
constexpr std::uint32_t kDocumentsOfBlock = 1 << 14;

// Numbers of a document: the same whichever thread makes them (splitmix64).
class Numbers {
 public:
  Numbers(std::uint64_t seed, std::uint64_t document) : state_(seed * 0x9e3779b97f4a7c15 + (document << 20)) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  std::uint32_t below(std::uint32_t most) { return static_cast<std::uint32_t>((next() >> 32) * most >> 32); }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

void in_threads(std::uint32_t threads, const std::function<void(std::uint32_t thread)>& work) {
  std::vector<std::jthread> running;
  for (std::uint32_t thread = 0; thread < threads; ++thread) running.emplace_back(work, thread);
}

// Documents of random topics, in no order: half of a document's terms are of its topic, a quarter of the topic's field,
// a quarter of all documents, by Zipf's law.
class Collection {
 public:
  explicit Collection(const BisectionBenchOptions& options)
      : options_(options),
        topics_(std::max(1u, options.documents / kDocumentsOfTopic)),
        fields_((topics_ + kTopicsOfField - 1) / kTopicsOfField) {}

  ForwardIndex make() const {
    const std::uint32_t blocks = (options_.documents + kDocumentsOfBlock - 1) / kDocumentsOfBlock;
    std::vector<std::vector<std::uint32_t>> terms(blocks), sizes(blocks);
    in_threads(options_.threads, [&](std::uint32_t thread) {
      for (std::uint32_t block = thread; block < blocks; block += options_.threads) {
        const std::uint32_t first = block * kDocumentsOfBlock;
        const std::uint32_t end = std::min(options_.documents, first + kDocumentsOfBlock);
        for (std::uint32_t document = first; document < end; ++document) add(document, terms[block], sizes[block]);
      }
    });
    ForwardIndex index;
    index.terms = kShared + fields_ * kOfField + topics_ * kOfTopic;
    index.begins.reserve(options_.documents + std::size_t{1});
    std::size_t postings = 0;
    for (const auto& block : terms) postings += block.size();
    index.term_numbers.reserve(postings);
    for (std::uint32_t block = 0; block < blocks; ++block) {
      index.term_numbers.insert(index.term_numbers.end(), terms[block].begin(), terms[block].end());
      for (const std::uint32_t size : sizes[block]) index.begins.push_back(index.begins.back() + size);
      terms[block] = {};
    }
    return index;
  }

 private:
  void add(std::uint32_t document, std::vector<std::uint32_t>& terms, std::vector<std::uint32_t>& sizes) const {
    Numbers numbers(options_.seed, document);
    const std::uint32_t topic = numbers.below(topics_);
    const std::size_t begin = terms.size();
    for (std::uint32_t i = options_.terms / 2 + numbers.below(options_.terms); i > 0; --i) {
      const std::uint32_t kind = i % 4;
      if (kind < 2)
        terms.push_back(kShared + fields_ * kOfField + topic * kOfTopic + numbers.below(kOfTopic));
      else if (kind == 2)
        terms.push_back(kShared + topic / kTopicsOfField * kOfField + numbers.below(kOfField));
      else
        terms.push_back(static_cast<std::uint32_t>(std::pow(kShared + 1.0, numbers.uniform())) - 1);
    }
    const auto first = terms.begin() + static_cast<std::ptrdiff_t>(begin);
    std::sort(first, terms.end());
    terms.erase(std::unique(first, terms.end()), terms.end());
    sizes.push_back(static_cast<std::uint32_t>(terms.size() - begin));
  }

  const BisectionBenchOptions& options_;
  const std::uint32_t topics_, fields_;
};

// The mean base-2 logarithm of the gaps in lists; a list's first gap is from -1.
double log_gap(const ForwardIndex& index, const std::vector<std::uint32_t>& order, std::uint32_t threads) {
  constexpr std::uint32_t kNoPlace = std::numeric_limits<std::uint32_t>::max();
  struct Part {
    std::vector<std::uint32_t> first, last;  // places, by term
    double sum = 0;
  };
  std::vector<Part> parts(threads);
  in_threads(threads, [&](std::uint32_t thread) {
    Part& part = parts[thread];
    part.first.assign(index.terms, kNoPlace);
    part.last.assign(index.terms, kNoPlace);
    const std::size_t end = order.size() * (thread + std::size_t{1}) / threads;
    for (std::size_t place = order.size() * thread / threads; place < end; ++place) {
      const auto here = static_cast<std::uint32_t>(place);
      for (const std::uint32_t term : index.of(order[place])) {
        if (part.first[term] == kNoPlace)
          part.first[term] = here;
        else
          part.sum += std::log2(here - part.last[term]);
        part.last[term] = here;
      }
    }
  });
  double sum = 0;
  std::vector<std::uint32_t> last(index.terms, kNoPlace);  // kNoPlace is -1
  for (const Part& part : parts) {
    sum += part.sum;
    for (std::uint32_t term = 0; term < index.terms; ++term) {
      if (part.first[term] == kNoPlace) continue;
      sum += std::log2(part.first[term] - last[term]);
      last[term] = part.last[term];
    }
  }
  return sum / static_cast<double>(std::max<std::size_t>(1, index.term_numbers.size()));
}

void print(const std::string& what, double seconds, double bits) {
  if (seconds > 0)
    std::printf("%-18s %9.2f %12.4f\n", what.c_str(), seconds, bits);
  else
    std::printf("%-18s %9s %12.4f\n", what.c_str(), "", bits);
}

}  // namespace

int run_bisection_bench(const BisectionBenchOptions& options) {
  const auto elapsed = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  const ForwardIndex index = Collection(options).make();
  std::printf("%u documents, %zu postings of %u terms; seed %u; on the device %.2f GB and CUB's\n", index.documents(),
              index.term_numbers.size(), index.terms, options.seed,
              1e-9 * static_cast<double>(
                         indexer::order::gpu::device_bytes(index.documents(), index.term_numbers.size(), index.terms)));
  std::printf("%-18s %9s %12s\n", "order", "seconds", "log2(gap)");
  std::vector<std::uint32_t> input(index.documents());
  std::iota(input.begin(), input.end(), 0u);
  print("input", 0, log_gap(index, input, options.threads));

  std::vector<std::uint32_t> of_device;
  for (std::uint32_t round = 0; round < options.rounds; ++round) {
    const auto start = Clock::now();
    auto made = indexer::order::gpu::bisect_on_device(index, 0, options.memory_bytes, {});
    const double seconds = elapsed(start);
    if (!made) {
      std::printf("%s\n", made.error().message().c_str());
      return 1;
    }
    of_device = *std::move(made);
    print("GPU", seconds, log_gap(index, of_device, options.threads));
  }
  if (!options.on_cpu) return 0;
  const auto start = Clock::now();
  const std::vector<std::uint32_t> of_cpu = indexer::order::bisect(index, options.threads, {});
  print("CPU, " + std::to_string(options.threads) + " threads", elapsed(start),
        log_gap(index, of_cpu, options.threads));
  if (of_cpu == of_device) return 0;
  std::printf("WRONG: the orders differ\n");
  return 1;
}

}  // namespace frond::bench
