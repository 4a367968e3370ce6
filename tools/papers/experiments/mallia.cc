// Mallia, Siedlaczek, Suel and Zahran 2019: sizes and speeds of codecs.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "tools/papers/experiments/experiments.h"
#include "tools/papers/figures/figures.h"

namespace frond::tools::papers {

using namespace bench;
namespace {

constexpr std::string_view kMalliaCodecs[] = {"bp32",     "simd-bp128",  "gpu-bp128",    "gpu-bp256",
                                              "varintgb", "streamvbyte", "gpu-vbyte128", "gpu-vbyte1024"};
constexpr std::string_view kOnGpu[] = {"gpu-bp128", "gpu-bp256", "gpu-vbyte128", "gpu-vbyte1024"};
constexpr std::string_view kOnCpu[] = {"bp32", "simd-bp128", "varintgb", "streamvbyte"};

bool is_for_gpu(std::string_view codec) { return codec.starts_with("gpu-"); }

// A set of a table, and what its columns are called.
struct Named {
  const IntegerSet* set;
  std::string name;
};

std::vector<Named> synthetic_sets(Workbench& bench) {
  std::vector<Named> sets;
  for (const auto& [model, title] : {std::pair{"uniform", "Uniform"}, {"clustered", "Clustered"}}) {
    sets.push_back({&bench.synthetic(model, bench.sizes().sparse), fmt::format("{}, sparse", title)});
    sets.push_back({&bench.synthetic(model, bench.sizes().dense), fmt::format("{}, dense", title)});
  }
  return sets;
}

Result<std::vector<Named>> real_sets(Workbench& bench) {
  std::vector<Named> sets;
  for (const auto& [profile, title] : {std::pair{"gov2", "Gov2"}, {"clueweb09", "ClueWeb09"}}) {
    const auto* lists = FROND_TRY(bench.lists(profile, synth::DocidOrder::kInput));
    sets.push_back({&lists->docids, fmt::format("{} docids", title)});
    sets.push_back({&lists->frequencies, fmt::format("{} freqs", title)});
  }
  return sets;
}

std::vector<std::string> descriptions(std::span<const Named> sets) {
  std::vector<std::string> notes;
  for (const Named& set : sets)
    notes.push_back(fmt::format("{}: {} integers in {} lists.", set.name,
                                grouped(static_cast<double>(set.set->integers())), set.set->lists.size()));
  return notes;
}

// Millions of integers a second without sums, as the paper has it; frequencies have none.
double gaps_of(const CodecTiming& timing, const IntegerSet& set) {
  const bool docids = set.kind == codec::Numbers::kDocIds;
  return 1000 * (docids ? timing.decode_gaps : timing.decode).median;
}
double gaps_of(const DeviceCodecTiming& timing, const IntegerSet& set) {
  const bool docids = set.kind == codec::Numbers::kDocIds;
  return 1000 * (docids ? timing.row_gaps : timing.row).median;
}

Result<Exhibit> bits_of(Workbench& bench, std::span<const Named> sets) {
  Table table{.title = "Bits an integer", .columns = {{"codec"}}, .rows = {}};
  for (const std::string_view codec : kMalliaCodecs) table.rows.push_back({std::string(codec)});
  for (const Named& each : sets) {
    table.columns.insert(table.columns.end(), {{each.name, 2}, {"theirs", 2, true}});
    const auto timings = FROND_TRY(bench.codecs(*each.set, kMalliaCodecs));
    for (std::size_t c = 0; c < timings.size(); ++c) {
      table.rows[c].push_back(timings[c].bits);
      table.rows[c].push_back(theirs({"codecs", each.set->name, timings[c].codec->name(), "bits"}));
    }
  }
  return Exhibit{.tables = {table}, .plots = {}, .notes = descriptions(sets)};
}

}  // namespace

Result<Exhibit> mallia_table_1(Workbench& bench) { return bits_of(bench, synthetic_sets(bench)); }

Result<Exhibit> mallia_table_2(Workbench& bench) {
  const auto sets = FROND_TRY(real_sets(bench));
  auto exhibit = FROND_TRY(bits_of(bench, sets));
  exhibit.notes.push_back("Our lists are made up after these collections, from the papers' figures for them.");
  return exhibit;
}

Result<Exhibit> mallia_table_4(Workbench& bench) {
  const auto sets = FROND_TRY(real_sets(bench));
  Table table{.title = "Decoding to gaps and frequencies, millions of integers a second",
              .columns = {{"codec"}, {"decoded by"}},
              .rows = {}};
  for (const std::string_view codec : kMalliaCodecs) table.rows.push_back({std::string(codec), "CPU"});
  if (bench.has_gpu())
    for (const std::string_view codec : kOnGpu) table.rows.push_back({std::string(codec), "GPU"});
  for (const Named& each : sets) {
    table.columns.insert(table.columns.end(), {{each.name, 0}, {"theirs", 0, true}});
    const auto add = [&](std::vector<Cell>& row, std::string_view codec, double ours, bool gpu) {
      row.push_back(Cell::known(ours));
      // The paper decodes its own codecs on the GPU only.
      row.push_back(is_for_gpu(codec) == gpu ? theirs({"codecs", each.set->name, codec, "decode_g"}, 1000) : Cell());
    };
    const auto cpu = FROND_TRY(bench.codecs(*each.set, kMalliaCodecs));
    for (std::size_t c = 0; c < cpu.size(); ++c)
      add(table.rows[c], cpu[c].codec->name(), gaps_of(cpu[c], *each.set), false);
    if (!bench.has_gpu()) continue;
    const auto gpu = FROND_TRY(bench.device_codecs(*each.set, kOnGpu));
    for (std::size_t c = 0; c < gpu.size(); ++c)
      add(table.rows[cpu.size() + c], gpu[c].codec->name(), gaps_of(gpu[c], *each.set), true);
  }
  auto notes = descriptions(sets);
  notes.push_back("One thread on the CPU; a launch a list on the GPU.");
  return Exhibit{.tables = {table}, .plots = {}, .notes = std::move(notes)};
}

Result<Exhibit> mallia_figure_3(Workbench& bench) {
  Plot plot{.title = "Decoding to gaps by length of the list, Uniform",
            .x_title = "integers of a list",
            .y_title = "millions of integers a second",
            .log_x = true,
            .log_y = true};
  Table table{.title = "Millions of integers a second", .columns = {{"codec"}, {"decoded by"}}, .rows = {}};
  const auto add = [&](const std::string& codec, const char* processor) {
    plot.series.push_back({.name = fmt::format("{}, {}", codec, processor)});
    table.rows.push_back({codec, processor});
  };
  // Those of the GPU on it if there is one, so that every codec of the figure is there.
  const bool gpu = bench.has_gpu();
  for (const std::string_view codec : kOnCpu) add(std::string(codec), "CPU");
  for (const std::string_view codec : kOnGpu) add(std::string(codec), gpu ? "GPU" : "CPU");
  for (const unsigned power : bench.sizes().lengths) {
    const IntegerSet& set = bench.synthetic("uniform", power);
    table.columns.push_back({fmt::format("2^{}", power)});
    std::size_t row = 0;
    const auto put = [&](double speed) {
      plot.series[row].points.emplace_back(double(1u << power), speed);
      table.rows[row++].push_back(speed);
    };
    const auto put_all = [&](const auto& timings) {
      for (const auto& timing : timings) put(gaps_of(timing, set));
    };
    put_all(FROND_TRY(bench.codecs(set, kOnCpu)));
    if (gpu)
      put_all(FROND_TRY(bench.device_codecs(set, kOnGpu)));
    else
      put_all(FROND_TRY(bench.codecs(set, kOnGpu)));
  }
  return Exhibit{
      .tables = {table},
      .plots = {plot},
      .notes = {"Integers below 2^29; 2^22 in all, or one list. One thread on the CPU; a launch a list on the "
                "GPU."}};
}

Result<Exhibit> mallia_table_3(Workbench& bench) {
  Table table{.title = "How many times as fast the GPU is as a thread of the CPU",
              .columns = {{"on the GPU"}, {"on the CPU"}},
              .rows = {}};
  // A codec on the GPU, and one on the CPU.
  constexpr std::pair<std::string_view, std::string_view> kPairs[] = {
      {"gpu-bp128", "bp32"},           {"gpu-bp256", "bp32"},           {"gpu-vbyte128", "varintgb"},
      {"gpu-vbyte1024", "varintgb"},   {"gpu-bp128", "simd-bp128"},     {"gpu-bp256", "simd-bp128"},
      {"gpu-vbyte128", "streamvbyte"}, {"gpu-vbyte1024", "streamvbyte"}};
  for (const auto& [codec, other] : kPairs) table.rows.push_back({std::string(codec), std::string(other)});
  for (const unsigned power : bench.sizes().lengths) {
    const IntegerSet& set = bench.synthetic("uniform", power);
    table.columns.insert(table.columns.end(), {{fmt::format("2^{}", power), 2}, {"theirs", 2, true}});
    for (std::size_t p = 0; p < std::size(kPairs); ++p) {
      const auto& [codec, other] = kPairs[p];
      const auto gpu = FROND_TRY(bench.device_codecs(set, std::span(&codec, 1)));
      const auto cpu = FROND_TRY(bench.codecs(set, std::span(&other, 1)));
      table.rows[p].push_back(gaps_of(gpu[0], set) / gaps_of(cpu[0], set));
      table.rows[p].push_back(theirs({"mallia_table_3", fmt::format("{} {}", codec, other), std::to_string(power)}));
    }
  }
  return Exhibit{.tables = {table}, .plots = {}, .notes = {"Lists of Uniform; theirs on a Tesla V100."}};
}

}  // namespace frond::tools::papers
