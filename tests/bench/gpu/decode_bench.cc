#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "common/postings/list_builder.h"
#include "tests/bench/gpu/gpu_bench.h"
#include "tests/support/collections/memory_list_store.h"
#include "tests/support/collections/random_collection.h"
#include "tests/support/gpu/uploaded_list.h"
#include "tools/papers/term_at_a_time/decode_lists.h"

namespace frond::bench {
namespace {

using device::Memory, device::Place;
using support::Random, support::UploadedList;
using tools::papers::DecodeTask;

constexpr std::uint32_t kUniverse = 1u << 29;  // docIDs are below it

// Draws `count` docIDs of [low, high): spread evenly; or clustered, by halving the count and cutting the range at
// random, again and again, so that some runs are dense (after the clustered sets of Anh and Moffat 2010).
void draw(Random& random, bool clustered, std::uint64_t low, std::uint64_t high, std::uint64_t count,
          std::vector<DocId>& out) {
  if (count == 0) return;
  if (!clustered || count <= 64 || high - low == count) {
    std::uint64_t left = count;
    for (std::uint64_t at = low; left > 0;) {
      // The gap to the next docID, if `left` docIDs are spread evenly over the rest of the range.
      const double mean = static_cast<double>(high - at) / static_cast<double>(left);
      const auto drawn = static_cast<std::uint64_t>(-std::log(1 - random.unit()) * (mean - 0.999));
      at = std::min(at + drawn, high - left);
      out.push_back(static_cast<DocId>(at++));
      --left;
    }
    return;
  }
  const std::uint64_t spare = high - low - count, half = count / 2;
  const auto cut = static_cast<std::uint64_t>(random.unit() * static_cast<double>(spare));
  const std::uint64_t middle = low + half + cut;
  draw(random, clustered, low, middle, half, out);
  draw(random, clustered, middle, high, count - half, out);
}

struct Encoded {
  leaf::lists::ListLease list;
  double bits = 0;  // a docID, index included
};

Encoded encode(const std::vector<DocId>& docids, const postings::ListBuilder& builder) {
  const std::vector<Frequency> ones(docids.size(), 1);
  const auto blobs = builder.build(docids, ones);
  std::size_t bytes = 0;
  Encoded made{support::make_lease(blobs)};
  for (const auto& segment : made.list->postings.segments()) bytes += segment.sizes().docids;
  made.bits = 8.0 * static_cast<double>(bytes) / static_cast<double>(docids.size());
  return made;
}

// Milliseconds of each of `rounds` launches over all lists, ascending. Two launches before them are not counted.
Result<std::vector<float>> time_decoding(const std::vector<DecodeTask>& tasks, std::uint32_t blocks, int rounds) {
  const std::size_t task_bytes = tasks.size() * sizeof(DecodeTask);
  const auto stream = FROND_TRY(device::Stream::create());
  const auto staged = FROND_TRY(Memory::create(Place::kPinnedHost, task_bytes));
  const auto on_device = FROND_TRY(Memory::create(Place::kDevice, task_bytes));
  const auto out = FROND_TRY(Memory::create(Place::kDevice, std::size_t{blocks} * postings::kBlockLength * 4));
  std::memcpy(staged.data(), tasks.data(), task_bytes);
  FROND_TRY(device::copy_to_device(on_device.data(), staged.data(), task_bytes, stream.get()));
  auto start = FROND_TRY(device::Event::create(true));
  auto end = FROND_TRY(device::Event::create(true));
  std::vector<float> times;
  for (int round = -2; round < rounds; ++round) {
    FROND_TRY(start.record(stream.get()));
    FROND_TRY(tools::papers::decode_lists(reinterpret_cast<const DecodeTask*>(on_device.data()),
                                          static_cast<std::uint32_t>(tasks.size()), blocks,
                                          reinterpret_cast<std::uint32_t*>(out.data()), nullptr, stream.get()));
    FROND_TRY(end.record(stream.get()));
    FROND_TRY(end.wait());
    if (round >= 0) times.push_back(FROND_TRY(end.milliseconds_since(start)));
  }
  std::sort(times.begin(), times.end());
  return times;
}

Result<void> run_one(const char* set, bool clustered, unsigned log_count, std::uint32_t lists,
                     const postings::ListBuilder& builder, int rounds) {
  Random random(log_count * 2 + clustered);
  std::vector<UploadedList> uploaded;
  std::vector<DecodeTask> tasks;
  std::uint32_t blocks = 0;
  double bits = 0;
  for (std::uint32_t l = 0; l < std::min(lists, 64u); ++l) {
    std::vector<DocId> docids;
    draw(random, clustered, 0, kUniverse, std::uint64_t{1} << log_count, docids);
    const auto encoded = encode(docids, builder);
    bits = encoded.bits;
    uploaded.push_back(FROND_TRY(UploadedList::create(encoded.list->postings, kUniverse)));
    if (uploaded.back().wrong_blocks() != 0) return Error(Code::kCorrupt, "wrong blocks");
  }
  for (std::uint32_t l = 0; l < lists; ++l) {  // if there are many: 64 different lists, repeated
    tasks.push_back({uploaded[l % uploaded.size()].list(), blocks});
    blocks += tasks.back().list.block_count;
  }
  const auto times = FROND_TRY(time_decoding(tasks, blocks, rounds));
  const double numbers = static_cast<double>(lists) * std::pow(2.0, log_count);
  const auto rate = [&](float ms) { return numbers / (ms * 1e6); };
  const double gigabytes = numbers * (4 + bits / 8) * 1e-9;
  const float median = times[times.size() / 2];
  std::printf("%-10s 2^%-3u x %-5u %5.2f bits %9.1f G integers/s (%.1f .. %.1f)  %7.3f ms  %6.0f GB/s\n", set,
              log_count, lists, bits, rate(median), rate(times.back()), rate(times.front()), median,
              gigabytes / median * 1e3);
  std::fflush(stdout);
  return {};
}

}  // namespace

int run_decode_bench(const DecodeBenchOptions& options) {
  const std::vector<std::uint32_t> lengths(kUniverse, 100);
  const postings::ListBuilder builder(*codec::codec_named("simd-bp128"), lengths, 0.4, 100);
  for (const bool clustered : {false, true}) {
    const char* set = clustered ? "clustered" : "uniform";
    for (unsigned log_count = 16; log_count <= options.max_log; log_count += 3) {
      const auto done = run_one(set, clustered, log_count, 1, builder, options.rounds);
      if (!done) return std::printf("%s\n", done.error().message().c_str()), 1;
    }
    const auto many = run_one(set, clustered, 16, options.max_log >= 25 ? 1024 : 8, builder, options.rounds);
    if (!many) return std::printf("%s\n", many.error().message().c_str()), 1;
  }
  return 0;
}

}  // namespace frond::bench
