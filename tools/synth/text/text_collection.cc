#include "tools/synth/text/text_collection.h"

#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace frond::tools::synth {
namespace {

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

std::string suffix_of(Markup markup) { return markup == Markup::kHtml ? ".trec" : ".jsonl"; }

Result<TextSummary> make_text(const TextOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const double cpu_begin = cpu_seconds();
  const TextModel model(*options.profile, options.markup, options.shares, options.seed);
  const auto output = FROND_TRY(TextOutput::open(options.output));
  std::atomic<std::uint64_t> next = 0;
  Mutex mutex;
  Result<void> outcome;
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < options.threads; ++i)
      threads.emplace_back([&] {
        TextChunk chunk;
        for (;;) {
          const std::uint64_t number = next++;
          make_chunk(model, number, chunk);
          auto more = output->put(number, chunk);
          if (more && *more) continue;
          if (!more) {
            const MutexLock lock(mutex);
            if (outcome) outcome = std::move(more).error();
          }
          return;
        }
      });
  }
  FROND_TRY(std::move(outcome));
  TextSummary summary{.totals = output->totals(),
                      .tail_exponent = model.frequencies.tail_exponent(),
                      .expected_terms = 0,
                      .seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(),
                      .cpu_seconds = cpu_seconds() - cpu_begin};
  summary.expected_terms = model.frequencies.expected_terms(static_cast<double>(summary.totals.tokens), kRepeats);
  return summary;
}

}  // namespace frond::tools::synth
