#include "tools/papers/index/inverter_probe.h"

#include <algorithm>

#include "tools/bench/clocks.h"

namespace frond::tools::papers {

using namespace bench;
namespace {

using indexer::invert::DocumentNumber, indexer::invert::Inverter, indexer::invert::kDropped;
using Clock = std::chrono::steady_clock;

class Probe final : public Inverter {
 public:
  Probe(std::unique_ptr<Inverter> inverter, InverterRecord& record, Clock::time_point begin)
      : inverter_(std::move(inverter)), record_(record), begin_(begin) {}

  std::string_view name() const override { return inverter_->name(); }
  std::uint64_t memory_bytes() const override { return inverter_->memory_bytes(); }

  Result<void> invert(const indexer::parse::TokenGroups& tokens, std::span<const indexer::parse::TokenGroup> groups,
                      std::span<const DocumentNumber> numbers) override {
    record_.last_batch = seconds_since(begin_);
    const auto start = Clock::now();
    const std::uint64_t cpu = thread_nanoseconds();
    FROND_TRY(inverter_->invert(tokens, groups, numbers));
    record_.indexing_cpu += 1e-9 * static_cast<double>(thread_nanoseconds() - cpu);
    record_.indexing += seconds_since(start);
    const auto last = std::find_if(numbers.rbegin(), numbers.rend(), [](auto number) { return number != kDropped; });
    if (last != numbers.rend()) record_.points.push_back({*last + 1, record_.indexing});
    return {};
  }

  Result<std::vector<indexer::runs::RunFile>> flush() override {
    const auto start = Clock::now();
    auto runs = FROND_TRY(inverter_->flush());
    record_.flushing += seconds_since(start);
    record_.end = seconds_since(begin_);
    record_.name = inverter_->name();
    for (const auto& run : runs) record_.runs.push_back(run.path);
    return runs;
  }

 private:
  const std::unique_ptr<Inverter> inverter_;
  InverterRecord& record_;
  const Clock::time_point begin_;
};

class NoInverter final : public Inverter {
 public:
  std::string_view name() const override { return "none"; }
  std::uint64_t memory_bytes() const override { return 0; }
  Result<void> invert(const indexer::parse::TokenGroups&, std::span<const indexer::parse::TokenGroup>,
                      std::span<const DocumentNumber>) override {
    return {};
  }
  Result<std::vector<indexer::runs::RunFile>> flush() override { return std::vector<indexer::runs::RunFile>{}; }
};

}  // namespace

std::unique_ptr<Inverter> probed(std::unique_ptr<Inverter> inverter, InverterRecord& record, Clock::time_point begin) {
  return std::make_unique<Probe>(std::move(inverter), record, begin);
}

std::unique_ptr<Inverter> no_inverter() { return std::make_unique<NoInverter>(); }

}  // namespace frond::tools::papers
