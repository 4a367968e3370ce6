// Text to postings on a device, without the rest of a build: from pinned memory, and of text that is there already.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "indexer/invert/gpu/text/device/device_text.h"
#include "indexer/invert/gpu/text/terms/text_terms.h"
#include "tests/bench/gpu/gpu_bench.h"

namespace frond::bench {
namespace {

using namespace indexer::invert::gpu;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// A word of a vocabulary: common ones are short.
void append_word(std::uint64_t rank, std::string& text) {
  std::uint64_t letters = rank * 0x9e3779b97f4a7c15;
  const int length = 2 + static_cast<int>(std::log2(static_cast<double>(rank) + 1) / 3) + static_cast<int>(letters % 4);
  for (int i = 0; i < length; ++i, letters = letters >> 5 | letters << 59)
    text += "etaoinshrdlucmfwypvbgkjqxzeaoiun"[letters & 31];
}

// Documents of about 2 KB, words by Zipf's law, one word in 12 with a capital, one in 500 not ASCII.
struct Text {
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint32_t> begins;
};
Text made_up(std::size_t bytes, double vocabulary, unsigned seed) {
  std::mt19937_64 random(seed);
  std::string text;
  text.reserve(bytes);
  Text made;
  const double log_words = std::log(vocabulary);
  while (text.size() + 4096 < bytes) {
    made.begins.push_back(static_cast<std::uint32_t>(text.size()));
    for (const std::size_t end = text.size() + 1000 + random() % 2000; text.size() < end;) {
      const double uniform = static_cast<double>(random() >> 11) * 0x1p-53;
      const std::size_t begin = text.size();
      append_word(static_cast<std::uint64_t>(std::exp(uniform * log_words)), text);
      const std::uint64_t kind = random() % 1500;
      if (kind % 12 == 0) text[begin] = static_cast<char>(text[begin] - 'a' + 'A');
      if (kind < 3) text += "\xc3\xa9";
      text += kind % 9 == 1 ? ", " : kind % 17 == 2 ? ". " : " ";
    }
    text += '\n';
  }
  made.bytes.assign(text.begin(), text.end());
  return made;
}

struct HostTimes {
  double learn = 0, cut = 0;
  std::uint64_t new_tokens = 0, chunks = 0;
};

constexpr std::size_t kNone = ~std::size_t{0};

// A batch whose tokens were sought, as the inverter ends it: while those of the next one are sought, which has been
// sent to a place (kNone: there is none).
Result<void> work_on(DeviceText& device, TextTerms& terms, std::size_t side, const Text& text,
                     std::array<BatchTokens, DeviceText::kSides>& all, std::size_t next_place, HostTimes& host) {
  const std::size_t next = 1 - side;
  const bool more = next_place != kNone;
  if (more) FROND_TRY(device.begin_find(next, next_place));
  const BatchTokens& found = all[side];
  auto start = Clock::now();
  std::vector<std::uint32_t> answer, places, chunk_terms;
  terms.find(found.new_keys, answer);
  host.learn += seconds_since(start);
  host.new_tokens += answer.size();
  start = Clock::now();
  TextPieces pieces;
  pieces.put({reinterpret_cast<const char*>(text.bytes.data()), text.bytes.size()}, 0, /*is_pinned=*/false);
  terms.cut(pieces, found.chunks, places, chunk_terms);
  host.cut += seconds_since(start);
  host.chunks += found.chunks.size();
  if (found.too_many_chunks) return Error(Code::kDevice, "too many chunks for the host");
  FROND_TRY(device.learn(side, answer));
  const auto pairs = static_cast<std::uint32_t>(found.entries + chunk_terms.size());
  if (!FROND_TRY(device.run().has_room(pairs))) FROND_TRY(device.run().clear());
  FROND_TRY(device.add(side, places, chunk_terms, terms.size()));
  if (more) all[next] = FROND_TRY(device.end_find(next));
  return {};
}

void print(const char* what, double seconds, double bytes, const HostTimes& host) {
  std::printf("%-22s %7.2f GB/s; host, ms/GB: learn %.2f (%llu new tokens), cut %.2f (%llu chunks)\n", what,
              bytes * 1e-9 / seconds, host.learn * 1e3 / (bytes * 1e-9),
              static_cast<unsigned long long>(host.new_tokens), host.cut * 1e3 / (bytes * 1e-9),
              static_cast<unsigned long long>(host.chunks));
}

Result<void> measure(const TextBenchOptions& options) {
  auto device = FROND_TRY(DeviceText::create({.device_bytes = options.memory_bytes, .max_text = options.batch_bytes}));
  const TextCapacity capacity = device->capacity();
  const std::size_t batches = std::max<std::size_t>(2, options.text_bytes / capacity.text);
  std::printf("%zu batches of %.1f MB; dictionary of %.1f M tokens, run of %.1f M postings\n", batches,
              capacity.text * 1e-6, capacity.tokens * 1e-6, capacity.postings * 1e-6);
  std::vector<Text> texts(batches);
  {
    std::vector<std::jthread> threads;
    for (unsigned t = 0; t < options.threads; ++t)
      threads.emplace_back([&, t] {
        for (std::size_t b = t; b < batches; b += options.threads)
          texts[b] = made_up(capacity.text, options.vocabulary, static_cast<unsigned>(b) + 1);
      });
  }
  const std::size_t room = (capacity.text + std::size_t{255}) / 256 * 256;
  const auto pinned = FROND_TRY(device::Memory::create(device::Place::kPinnedHost, room * batches));
  double bytes = 0;
  for (std::size_t b = 0; b < batches; ++b) {
    auto* const at = reinterpret_cast<std::uint8_t*>(pinned.data()) + b * room;
    std::copy(texts[b].bytes.begin(), texts[b].bytes.end(), at);
    bytes += static_cast<double>(texts[b].bytes.size());
  }
  TextTerms terms({}, std::max(1u, std::thread::hardware_concurrency()));
  const auto send = [&](std::size_t b) -> Result<void> {
    const TextPlace place = FROND_TRY(device->places().fill(b % DeviceText::kPlaces));
    const auto pieces = static_cast<std::uint32_t>(texts[b].begins.size());
    std::copy(texts[b].begins.begin(), texts[b].begins.end(), place.piece_begins.begin());
    for (std::uint32_t i = 0; i < pieces; ++i) place.piece_numbers[i] = i;
    const auto size = static_cast<std::uint32_t>(texts[b].bytes.size());
    const TextRun text{reinterpret_cast<const std::uint8_t*>(pinned.data()) + b * room, 0, size};
    return device->places().send(b % DeviceText::kPlaces, size, pieces, {&text, 1});
  };
  std::array<BatchTokens, DeviceText::kSides> found;
  for (unsigned round = 0; round <= options.rounds; ++round) {
    FROND_TRY(device->run().clear());
    HostTimes host;
    const auto start = Clock::now();
    FROND_TRY(send(0));
    FROND_TRY(send(1));
    found[0] = FROND_TRY(device->find(0, 0));
    for (std::size_t b = 0; b < batches; ++b) {
      if (b + 2 < batches) FROND_TRY(send(b + 2));
      const std::size_t next = b + 1 < batches ? (b + 1) % DeviceText::kPlaces : kNone;
      FROND_TRY(work_on(*device, terms, b % 2, texts[b], found, next, host));
    }
    print(round == 0 ? "pinned, cold" : "pinned, warm", seconds_since(start), bytes, host);
  }
  for (unsigned round = 0; round < options.rounds; ++round) {
    FROND_TRY(device->run().clear());
    HostTimes host;
    const auto start = Clock::now();
    constexpr std::size_t kTimes = 16;
    // The last two batches are on the device.
    const auto place = [&](std::size_t i) { return (batches - 1 - i % 2) % DeviceText::kPlaces; };
    double resident = 0;
    found[0] = FROND_TRY(device->find(0, place(0)));
    for (std::size_t i = 0; i < kTimes; ++i) {
      const Text& text = texts[batches - 1 - i % 2];
      resident += static_cast<double>(text.bytes.size());
      FROND_TRY(work_on(*device, terms, i % 2, text, found, i + 1 < kTimes ? place(i + 1) : kNone, host));
    }
    print("resident, warm", seconds_since(start), resident, host);
  }
  return {};
}

}  // namespace

int run_text_bench(const TextBenchOptions& options) {
  const auto measured = measure(options);
  if (!measured) std::printf("%s\n", measured.error().message().c_str());
  return measured ? 0 : 1;
}

}  // namespace frond::bench
