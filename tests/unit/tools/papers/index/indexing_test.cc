// The builds of Wei and JaJa 2011 on a small made-up text: their rows belong together.
#include "tools/papers/index/indexing_results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "tools/papers/experiments/experiments.h"

namespace frond::tools::papers {

using namespace bench;
namespace {

// Stand for inverters on a GPU, which this machine need not have: a CPU's with the name of a GPU's, and one that has
// lost its GPU.
class CalledGpu final : public indexer::invert::Inverter {
 public:
  explicit CalledGpu(std::unique_ptr<Inverter> inverter) : inverter_(std::move(inverter)) {}
  std::string_view name() const override { return "gpu"; }
  std::uint64_t memory_bytes() const override { return inverter_->memory_bytes(); }
  Result<void> invert(const indexer::parse::TokenGroups& tokens, std::span<const indexer::parse::TokenGroup> groups,
                      std::span<const indexer::invert::DocumentNumber> numbers) override {
    return inverter_->invert(tokens, groups, numbers);
  }
  Result<std::vector<indexer::runs::RunFile>> flush() override { return inverter_->flush(); }

 private:
  const std::unique_ptr<Inverter> inverter_;
};
const indexer::invert::InverterKind& on_cpu() { return indexer::invert::inverter_kinds().front(); }
constexpr indexer::invert::InverterKind kLost{
    "gpu", "hash", 0, [](indexer::invert::InverterSetup setup) { return on_cpu().make(std::move(setup)); }};
constexpr indexer::invert::InverterKind kCalledGpu{
    "gpu", "hash", 0, [](indexer::invert::InverterSetup setup) -> std::unique_ptr<indexer::invert::Inverter> {
      return std::make_unique<CalledGpu>(on_cpu().make(std::move(setup)));
    }};

double sum_of_shares(const std::vector<Stage>& stages) {
  return std::accumulate(stages.begin(), stages.end(), 0.0,
                         [](double sum, const Stage& stage) { return sum + stage.share; });
}

TEST(Indexing, MeasuresEveryRowOnMadeUpText) {
  IndexingOptions options;
  options.synth_bytes = 3'000'000;
  options.threads = 3;
  const auto measured = measure_indexing(options);
  ASSERT_TRUE(measured.has_value()) << measured.error().message();

  ASSERT_EQ(measured->figure_10.size(), 2u);
  for (const auto& rate : measured->figure_10) {
    EXPECT_EQ(rate.parsers + rate.inverters, 3u);
    ASSERT_EQ(rate.both.size(), 1u);
    EXPECT_GT(rate.both[0].rate.median, 0);
    EXPECT_GT(rate.parsers_only.median, 0);
  }

  ASSERT_EQ(measured->builds.size(), 1u);
  const BuildRun& build = measured->builds[0];
  const auto& summary = build.summary;
  ASSERT_EQ(measured->table_4.size(), kPaperInverters);
  for (const auto& run : measured->table_4) {
    EXPECT_EQ(run.parsers, 1u);
    EXPECT_EQ(run.inverted.bytes, summary.inverted.bytes);
    ASSERT_EQ(run.work.size(), run.inverters.all());
    const InverterWork all = work_of_cpus(run) + work_of_gpus(run);
    EXPECT_EQ(all.tokens, summary.inverted.tokens);
    EXPECT_EQ(all.terms, summary.manifest.terms) << "no two inverters have the same term";
    EXPECT_GT(all.characters, 3 * all.terms);
    const InverterTimes times = inverter_times(run);
    EXPECT_NEAR(times.indexing + times.flushing + times.waiting, times.total, 1e-9);
    EXPECT_LE(times.total, run.seconds);
    const auto rates = rates_by_position(run);
    EXPECT_GT(*std::max_element(rates.begin(), rates.end()), 0);
  }

  EXPECT_NEAR(sum_of_shares(wall_stages(build)), 1, 1e-9);
  EXPECT_NEAR(sum_of_shares(processor_stages(build)), 1, 1e-9);
  for (const auto& [name, bytes] : stage_bytes(build)) EXPECT_GT(bytes, 0u) << name;
}

TEST(Indexing, MeasuresEveryRowWithInvertersOnTheGpuToo) {
  IndexingOptions options;
  options.synth_bytes = 1'000'000;
  options.threads = 2;
  options.gpu_inverters = {1, 0, 2, 1};
  options.gpu_inverter = &kCalledGpu;
  const auto measured = measure_indexing(options);
  ASSERT_TRUE(measured.has_value()) << measured.error().message();
  EXPECT_EQ(measured->no_gpu, "");
  ASSERT_EQ(measured->figure_10.size(), 1u);
  const auto& columns = measured->figure_10[0].both;
  ASSERT_EQ(columns.size(), 3u) << "each number once, none first";
  for (std::uint32_t i = 0; i < columns.size(); ++i) {
    EXPECT_EQ(columns[i].gpu_inverters, i);
    EXPECT_GT(columns[i].rate.median, 0);
  }
  ASSERT_EQ(measured->table_4.size(), 3 * kPaperInverters);
  for (const auto& run : measured->table_4) {
    ASSERT_EQ(run.work.size(), run.inverters.all());
    EXPECT_EQ(lost_gpus(run.inverters, run.records), 0u);
    EXPECT_EQ(work_of_gpus(run).tokens > 0, run.inverters.gpu > 0);
    EXPECT_EQ((work_of_cpus(run) + work_of_gpus(run)).terms, measured->builds[0].summary.manifest.terms);
  }
  ASSERT_EQ(measured->builds.size(), 3u);
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(measured->builds[i].inverters.gpu, i);
    EXPECT_EQ(measured->builds[i].records.size(), kPaperInverters + i);
  }
}

// The exhibits of a run with inverters of this kind on the GPU.
Result<Exhibit> table_6_with(Result<const indexer::invert::InverterKind*> kind) {
  Sizes sizes = small_sizes();
  sizes.rounds = 1;
  sizes.text_bytes = 100'000;
  IndexingOptions options;
  options.gpu_inverters = {1};
  options.gpu_inverter = std::move(kind);
  const auto bench = FROND_TRY(Workbench::create(sizes, 2, 1, options));
  return wei_table_6(*bench);
}

TEST(Indexing, SaysWhichRowsHadLostTheGpu) {
  const auto exhibit = table_6_with(&kLost);
  ASSERT_TRUE(exhibit.has_value()) << exhibit.error().message();
  EXPECT_THAT(exhibit->notes, testing::Contains("With 2 on the CPU, 1 on the GPU, 1 went on without the GPU."));
}

TEST(Indexing, SaysWhyRowsOfTheGpuAreMissing) {
  IndexingOptions options;
  options.synth_bytes = 100'000;
  options.threads = 2;
  options.gpu_inverter = Error(Code::kDevice, "there is no GPU on this machine");
  const auto measured = measure_indexing(options);
  ASSERT_TRUE(measured.has_value()) << measured.error().message();
  EXPECT_EQ(measured->builds.size(), 1u);
  EXPECT_EQ(measured->no_gpu, "there is no GPU on this machine");
}

TEST(Indexing, RefusesInputsAndLimitsThatCanNotBe) {
  IndexingOptions none;
  EXPECT_EQ(measure_indexing(none).error().code(), Code::kInvalid);
  IndexingOptions both;
  both.synth_bytes = 1;
  both.inputs = {"/"};
  EXPECT_EQ(measure_indexing(both).error().code(), Code::kInvalid);
  IndexingOptions row;
  row.synth_bytes = 1000;
  row.threads = 4;
  row.rows = {2, 4};
  EXPECT_EQ(measure_indexing(row).error().code(), Code::kInvalid) << "no inverter is left";
  IndexingOptions gpus;
  gpus.synth_bytes = 1000;
  gpus.gpu_inverters = {kMaxGpuInverters + 1};
  EXPECT_EQ(measure_indexing(gpus).error().message(), "--gpu-inverters: at most 64");
  IndexingOptions small;
  small.synth_bytes = 1000;
  small.parsers = 200;
  small.memory_limit = std::uint64_t{128} << 20;
  small.threads = 2;
  EXPECT_NE(measure_indexing(small).error().message().find("--memory-limit has no room for"), std::string::npos);
}

TEST(Indexing, FindsRatesByPositionInTheInput) {
  PipelineRun run;
  run.inverted.documents = 200;
  run.inverted.bytes = 200'000'000;
  // 1 MB a document. The slower of two inverters counts: 10 MB/s in the first half, 20 in the second.
  run.records.resize(2);
  for (std::uint64_t documents = 10; documents <= 200; documents += 10) {
    const double before = documents > 10 ? run.records[0].points.back().indexing : 0;
    run.records[0].points.push_back({documents, before + (documents <= 100 ? 1.0 : 0.5)});
    run.records[1].points.push_back({documents, 0.1 * static_cast<double>(documents) / 10});
  }
  const auto rates = rates_by_position(run);
  for (std::size_t step = 0; step < kSteps; ++step) EXPECT_NEAR(rates[step], step < kSteps / 2 ? 10 : 20, 1e-6) << step;
}

}  // namespace
}  // namespace frond::tools::papers
