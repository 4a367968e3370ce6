// frond bench codec: every codec on the papers' sets and on real lists.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>

#include "common/config/command_line.h"
#include "tools/bench/codec_timing.h"
#include "tools/bench/commands.h"
#include "tools/bench/device_codec_report.h"
#include "tools/bench/index_lists.h"
#include "tools/bench/paper_figures.h"
#include "tools/commands.h"

namespace frond::tools {
namespace {

using nlohmann::ordered_json;

struct BenchCodecFlags {
  std::vector<std::string> codecs, models;
  std::vector<unsigned> sizes{16, 25};
  std::string index, integers, processor = "cpu";
  std::size_t least = codec::kBlockLength;
  std::uint64_t most = std::uint64_t{1} << 26;
  std::uint32_t seed = 1;
  unsigned rounds = 5;
  bool list = false, json = false;
};

void print_list() {
  fmt::print("{:>3}  {:14} {:18} {:20} {}\n", "id", "name", "family", "encodes", "paper and section");
  for (const codec::ListCodec* codec : codec::all_codecs()) {
    const codec::CodecInfo& info = codec->info();
    const auto* kinds = !info.frequencies ? "docIDs" : info.docids ? "docIDs, frequencies" : "frequencies";
    fmt::print("{:>3}  {:14} {:18} {:20} {}\n", info.id, info.name, info.family, kinds, info.source);
  }
}

ordered_json list_as_json() {
  auto rows = ordered_json::array();
  for (const codec::ListCodec* codec : codec::all_codecs()) {
    const codec::CodecInfo& info = codec->info();
    rows.push_back({{"id", info.id},
                    {"name", info.name},
                    {"family", info.family},
                    {"docids", info.docids},
                    {"frequencies", info.frequencies},
                    {"source", info.source}});
  }
  return rows;
}

Result<std::vector<const codec::ListCodec*>> chosen_codecs(const BenchCodecFlags& flags) {
  std::vector<const codec::ListCodec*> chosen;
  for (const std::string& name : flags.codecs) {
    chosen.push_back(codec::codec_named(name));
    if (!chosen.back()) return Error(Code::kInvalid, "no codec " + name + "; --list prints all");
  }
  if (chosen.empty()) chosen.assign(codec::all_codecs().begin(), codec::all_codecs().end());
  return chosen;
}

// Median, and how far the slowest and the fastest round are from it.
std::string shown(const Spread& rate) {
  if (rate.median == 0) return "-";
  return fmt::format("{:.2f} -{:.0f}+{:.0f}%", rate.median, 100 - rate.least / rate.median * 100,
                     rate.most / rate.median * 100 - 100);
}

void print_set(const IntegerSet& set, const std::vector<CodecTiming>& timings) {
  fmt::print("\n{}: {} integers in {} lists\n", set.name, set.integers(), set.lists.size());
  fmt::print("{:14} {:>8} {:>8} {:>9} {:>17} {:>17} {:>8}  {}\n", "codec", "bits", "paper's", "encode M", "decode G",
             "without sum G", "paper's", "paper");
  for (const CodecTiming& timing : timings) {
    const auto paper = paper_figure(set.name, timing.codec->name());
    fmt::print("{:14} {:>8.3f} {:>8} {:>9.0f} {:>17} {:>17} {:>8}  {}\n", timing.codec->name(), timing.bits,
               paper && paper->bits > 0 ? fmt::format("{:.2f}", paper->bits) : "", timing.encode.median,
               shown(timing.decode), shown(timing.decode_gaps),
               paper && paper->decode_g > 0 ? fmt::format("{:.3f}", paper->decode_g) : "", paper ? paper->source : "");
  }
  std::fflush(stdout);
}

ordered_json as_json(const Spread& rate) {
  return {{"median", rate.median}, {"least", rate.least}, {"most", rate.most}};
}

ordered_json as_json(const IntegerSet& set, const std::vector<CodecTiming>& timings) {
  auto rows = ordered_json::array();
  for (const CodecTiming& timing : timings) {
    ordered_json row{{"codec", timing.codec->name()},
                     {"bits", timing.bits},
                     {"encode_m", as_json(timing.encode)},
                     {"decode_g", as_json(timing.decode)}};
    if (timing.decode_gaps.median > 0) row["decode_without_sum_g"] = as_json(timing.decode_gaps);
    if (const auto paper = paper_figure(set.name, timing.codec->name()))
      row["paper"] = {{"source", paper->source}, {"bits", paper->bits}, {"decode_without_sum_g", paper->decode_g}};
    rows.push_back(std::move(row));
  }
  return {{"set", set.name}, {"integers", set.integers()}, {"lists", set.lists.size()}, {"codecs", rows}};
}

Result<void> bench(const BenchCodecFlags& flags) {
  if (flags.list) {
    if (flags.json) {
      fmt::print("{}\n", list_as_json().dump());
    } else {
      print_list();
    }
    return {};
  }
  const auto codecs = FROND_TRY(chosen_codecs(flags));
  auto sets = ordered_json::array();
  const bool on_device = flags.processor == "gpu";
  const std::string device = on_device ? FROND_TRY(describe_device()) : std::string();
  if (!flags.json && on_device)
    print_device_heading(device, flags.rounds, flags.seed);
  else if (!flags.json)
    fmt::print(
        "All codecs are our own code, those of the papers' CPU columns too. One thread, CPU time, lists whole, "
        "decoded a block of 128 at a time;\nmedian of {} rounds, with the slowest and the fastest. Seed {}.\n",
        flags.rounds, flags.seed);
  const auto measure = [&](const IntegerSet& set) -> Result<void> {
    if (set.lists.empty()) return Error(Code::kInvalid, set.name + ": no list is long enough");
    if (on_device) {
      const auto timings = FROND_TRY(time_codecs_on_device(set, codecs, flags.rounds));
      if (flags.json) {
        sets.push_back(device_set_as_json(set, timings));
      } else {
        print_device_set(set, timings);
      }
      return {};
    }
    const auto timings = FROND_TRY(time_codecs(set, codecs, flags.rounds));
    if (flags.json) {
      sets.push_back(as_json(set, timings));
    } else {
      print_set(set, timings);
    }
    return {};
  };
  const bool real = !flags.index.empty() || !flags.integers.empty();
  const auto models = flags.models.empty() && !real ? std::vector<std::string>{"uniform", "clustered"} : flags.models;
  for (const std::string& model : models)
    for (const unsigned size : flags.sizes) FROND_TRY(measure(synthetic_set(model, size, flags.seed)));
  if (!flags.integers.empty()) {
    const IntegerSet set = FROND_TRY(set_of_files(flags.integers, flags.least));
    FROND_TRY(measure(set));
  }
  if (!flags.index.empty()) {
    const std::vector<IntegerSet> docids_and_frequencies =
        FROND_TRY(sets_of_index(flags.index, flags.least, flags.most));
    for (const IntegerSet& set : docids_and_frequencies) FROND_TRY(measure(set));
  }
  if (flags.json)
    fmt::print("{}\n", ordered_json{{"processor", on_device ? device : flags.processor},
                                    {"rounds", flags.rounds},
                                    {"seed", flags.seed},
                                    {"sets", sets}}
                           .dump());
  return {};
}

}  // namespace

void add_bench_codec(config::CommandLine& bench_command, int& status) {
  auto flags = std::make_shared<BenchCodecFlags>();
  auto& command = bench_command.add_command(
      "codec",
      "Codecs on synthetic lists, an index and files: bits an integer, integers a second, the papers' figures");
  command.add_flag("--list", flags->list, "Print the codecs with paper and section, and measure nothing");
  command.add_option("--codec", flags->codecs, "Only these");
  command.add_option("--processor", flags->processor, "What decodes: this process, or the GPU")
      .check(config::one_of({"cpu", "gpu"}))
      .show_default();
  command.add_option("--synthetic", flags->models, "Models of Anh and Moffat; without --index or --integers both")
      .check(config::one_of({"uniform", "clustered"}));
  command.add_option("--size", flags->sizes, "Synthetic lists of 2^N integers below 2^29, one or more N")
      .check(config::range(7, 27))
      .show_default();
  command.add_option("--seed", flags->seed, "Of the synthetic lists").show_default();
  command.add_option("--index", flags->index, "A collection's folder in a repository, or a partition's database");
  command.add_option("--integers", flags->integers,
                     "A file of comma-separated ascending integers, or a folder of such, *.txt");
  command.add_option("--least", flags->least, "Only lists of --index and --integers of at least so many integers")
      .show_default();
  command.add_option("--most", flags->most, "Only so many postings of --index").show_default();
  command.add_option("--rounds", flags->rounds, "Times each codec is timed, in turn")
      .check(config::range(1, 1000))
      .show_default();
  command.add_flag("--json", flags->json, "Print one JSON object");
  command.on_chosen([flags, &status] { status = exit_status("bench codec", bench(*flags)); });
}

}  // namespace frond::tools
