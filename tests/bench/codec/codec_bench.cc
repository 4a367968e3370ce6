// Decoding speed in integers a second: codecs on 4 million numbers whose gaps are of a given mean width, and the
// unpacking functions alone on one block in cache.
#include <benchmark/benchmark.h>

#include <array>
#include <bit>
#include <random>
#include <vector>

#include "common/codec/bits/vertical.h"
#include "common/codec/list_codec.h"

namespace frond {
namespace {

constexpr std::uint32_t kCount = 1u << 22;

// Gaps of geometric distribution: what terms of random places in a collection have.
std::vector<DocId> docids(std::uint32_t count, double mean_gap) {
  std::mt19937 random(7);
  std::exponential_distribution<double> gap(1 / mean_gap);
  std::vector<DocId> all(count);
  DocId docid = 0;
  for (DocId& each : all) each = docid += 1 + static_cast<DocId>(gap(random));
  return all;
}
std::vector<Frequency> frequencies(std::uint32_t count) {
  std::mt19937 random(8);
  std::geometric_distribution<Frequency> extra(0.6);
  std::vector<Frequency> all(count);
  for (Frequency& each : all) each = 1 + extra(random);
  return all;
}

void report(benchmark::State& state, std::uint64_t each, double bits) {
  state.counters["integers/s"] =
      benchmark::Counter(static_cast<double>(each), benchmark::Counter::kIsIterationInvariantRate);
  if (bits > 0) state.counters["bits"] = bits;
}

void decode(benchmark::State& state, const codec::ListCodec* codec, codec::Numbers kind, double mean_gap) {
  const bool is_docids = kind == codec::Numbers::kDocIds;
  const auto numbers = is_docids ? docids(kCount, mean_gap) : frequencies(kCount);
  ByteBuffer stream;
  codec->encode(numbers, kind, stream);
  const std::size_t size = stream.size();
  stream.resize(size + codec::kReadSlack);
  alignas(64) std::array<std::uint32_t, codec::kBlockLength> out;
  for (auto _ : state) {
    DocId before = kNoDoc;
    for (std::uint32_t block = 0; block < kCount / codec::kBlockLength; ++block) {
      if (!codec->decode(ByteView(stream).first(size), kCount, kind, block, before, out)) std::abort();
      before = out.back();
      benchmark::DoNotOptimize(out);
    }
  }
  report(state, kCount, static_cast<double>(size) * 8 / kCount);
}

void unpack_block(benchmark::State& state, codec::UnpackBlock unpack) {
  alignas(64) std::array<std::byte, 16 * 32 + codec::kReadSlack> block{};
  alignas(64) std::array<std::uint32_t, codec::kBlockLength> out;
  for (auto _ : state) {
    unpack(block.data(), 1, out.data());
    benchmark::ClobberMemory();
  }
  report(state, codec::kBlockLength, 0);
}

const bool kRegistered = [] {
  for (const codec::ListCodec* codec : codec::all_codecs()) {
    const std::string name(codec->name());
    for (const double gap : {2.0, 10.0, 100.0, 1000.0})
      benchmark::RegisterBenchmark((name + "/docids/gap:" + std::to_string(static_cast<int>(gap))).c_str(), decode,
                                   codec, codec::Numbers::kDocIds, gap);
    benchmark::RegisterBenchmark((name + "/frequencies").c_str(), decode, codec, codec::Numbers::kFrequencies, 0.0);
  }
  const auto unpackers = [](const std::string& name, const codec::UnpackTable& table) {
    const std::string docids = name + "/docids/width:", plain = name + "/plain/width:";
    for (const unsigned width : {1u, 5u, 8u, 9u, 17u}) {
      const std::string number = std::to_string(width);
      benchmark::RegisterBenchmark((docids + number).c_str(), unpack_block, table.docids[width]);
      benchmark::RegisterBenchmark((plain + number).c_str(), unpack_block, table.frequencies[width]);
    }
  };
  unpackers("unpack/baseline", codec::baseline_unpack());
  if (const auto* table = codec::avx512_unpack()) unpackers("unpack/avx512", *table);
  return true;
}();

}  // namespace
}  // namespace frond
