// frond bench index on a small made-up text: its rows belong together, and its JSON has all tables.
#include "tools/bench/bench_index.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <numeric>

#include "tools/bench/indexing_report.h"
#include "tools/bench/wei_figures.h"

namespace frond::tools::bench {
namespace {

double sum_of_shares(const std::vector<Stage>& stages) {
  return std::accumulate(stages.begin(), stages.end(), 0.0,
                         [](double sum, const Stage& stage) { return sum + stage.share; });
}

TEST(BenchIndex, MeasuresEveryRowOnMadeUpText) {
  BenchIndexOptions options;
  options.synth_bytes = 3'000'000;
  options.threads = 3;
  const auto measured = measure_indexing(options);
  ASSERT_TRUE(measured.has_value()) << measured.error().message();

  ASSERT_EQ(measured->figure_10.size(), 2u);
  for (const auto& rate : measured->figure_10) {
    EXPECT_EQ(rate.parsers + rate.inverters, 3u);
    EXPECT_GT(rate.both.median, 0);
    EXPECT_GT(rate.parsers_only.median, 0);
  }

  const auto& summary = measured->build.summary;
  ASSERT_EQ(measured->table_4.size(), kPaperInverters);
  for (const auto& run : measured->table_4) {
    EXPECT_EQ(run.parsers, 1u);
    EXPECT_EQ(run.inverted.bytes, summary.inverted.bytes);
    ASSERT_EQ(run.work.size(), run.inverters);
    InverterWork all;
    for (const auto& work : run.work) {
      all.tokens += work.tokens;
      all.terms += work.terms;
      all.characters += work.characters;
    }
    EXPECT_EQ(all.tokens, summary.inverted.tokens);
    EXPECT_EQ(all.terms, summary.manifest.terms) << "no two inverters have the same term";
    EXPECT_GT(all.characters, 3 * all.terms);
    const InverterTimes times = inverter_times(run);
    EXPECT_NEAR(times.indexing + times.flushing + times.waiting, times.total, 1e-9);
    EXPECT_LE(times.total, run.seconds);
    const auto rates = rates_by_position(run);
    EXPECT_GT(*std::max_element(rates.begin(), rates.end()), 0);
  }

  EXPECT_NEAR(sum_of_shares(wall_stages(measured->build)), 1, 1e-9);
  EXPECT_NEAR(sum_of_shares(processor_stages(measured->build)), 1, 1e-9);
  for (const auto& [name, bytes] : stage_bytes(measured->build)) EXPECT_GT(bytes, 0u) << name;

  const auto json = nlohmann::ordered_json::parse(indexing_as_json(*measured).dump());
  for (const char* field : {"documents", "bytes", "tokens", "terms", "figure_10", "figure_11", "table_4", "table_5",
                            "table_6", "table_7", "seconds_by_stage", "processor_seconds_by_stage", "bytes_by_stage"})
    EXPECT_TRUE(json.contains(field)) << field;
  for (const char* field : {"source", "figure_10", "figure_11", "table_4", "table_5", "table_6", "table_7"})
    EXPECT_TRUE(json["paper"].contains(field)) << field;
  EXPECT_EQ(json["bytes"], summary.inverted.bytes);
  EXPECT_EQ(json["figure_11"][0]["mb_per_second"].size(), kSteps);
}

TEST(BenchIndex, RefusesInputsAndLimitsThatCanNotBe) {
  BenchIndexOptions none;
  EXPECT_EQ(measure_indexing(none).error().code(), Code::kInvalid);
  BenchIndexOptions both;
  both.synth_bytes = 1;
  both.inputs = {"/"};
  EXPECT_EQ(measure_indexing(both).error().code(), Code::kInvalid);
  BenchIndexOptions row;
  row.synth_bytes = 1000;
  row.threads = 4;
  row.rows = {2, 4};
  EXPECT_EQ(measure_indexing(row).error().code(), Code::kInvalid) << "no inverter is left";
  BenchIndexOptions small;
  small.synth_bytes = 1000;
  small.parsers = 200;
  small.memory_limit = std::uint64_t{128} << 20;
  small.threads = 2;
  EXPECT_NE(measure_indexing(small).error().message().find("--memory-limit has no room for"), std::string::npos);
}

TEST(BenchIndex, FindsRatesByPositionInTheInput) {
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

TEST(BenchIndex, KnowsThePapersSums) {
  for (const auto& column : wei_table_4()) {
    EXPECT_LT(column.before + column.indexing + column.after, column.total);
    EXPECT_NEAR(1422.0 * 1024 / column.indexing / column.indexing_mb_per_second, 1, 0.01);
  }
  EXPECT_EQ(wei_table_5()[0].tokens + wei_table_5()[1].tokens, 32'644'508'255u) << "Table III";
  EXPECT_NEAR(static_cast<double>(wei_table_5()[0].terms + wei_table_5()[1].terms), 84'799'475, 1);
  for (const auto& column : wei_table_6()) EXPECT_LE(std::max(column.parsers, column.inverters), column.total);
}

}  // namespace
}  // namespace frond::tools::bench
