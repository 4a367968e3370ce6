// frond bench codec: measures every codec on the papers' synthetic lists and on real lists.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/config/command_line.h"
#include "tools/bench/codec/codec_timing.h"
#include "tools/bench/codec/integer_sets.h"
#include "tools/bench/commands.h"
#include "tools/bench/table.h"
#include "tools/commands/commands.h"

namespace frond::tools::bench {
namespace {

using nlohmann::ordered_json;

struct BenchCodecFlags {
  std::vector<std::string> codecs;
  std::vector<unsigned> sizes{16, 25};
  std::string index, processor = "cpu";
  std::uint64_t max_postings = std::uint64_t{1} << 26;
  std::uint32_t seed = 1;
  unsigned rounds = 5;
  bool list = false, json = false;
};

Result<std::vector<const codec::ListCodec*>> chosen_codecs(const BenchCodecFlags& flags) {
  std::vector<const codec::ListCodec*> chosen;
  for (const std::string& name : flags.codecs) {
    chosen.push_back(codec::codec_named(name));
    if (!chosen.back()) return Error(Code::kInvalid, "no codec " + name + "; --list prints all");
  }
  if (chosen.empty()) chosen.assign(codec::all_codecs().begin(), codec::all_codecs().end());
  return chosen;
}

Result<void> bench_codec(const BenchCodecFlags& flags) {
  if (flags.list) {
    const Table codecs = table_of_codecs();
    fmt::print("{}", flags.json ? as_json(codecs).dump() + "\n" : text_of(codecs));
    return {};
  }
  const auto codecs = FROND_TRY(chosen_codecs(flags));
  auto sets = ordered_json::array();
  const bool on_device = flags.processor == "gpu";
  const std::string device = on_device ? FROND_TRY(describe_device()) : std::string();
  if (!flags.json && on_device)
    fmt::print(
        "{}. Decoded to device memory, time between events on the device; G integers a second, median of {} rounds,\n"
        "with the slowest and the fastest. Seed {}. alone: one list, one launch; row: launches of one list each "
        "behind\n"
        "one another; batch: copies of all lists in one launch, {} M integers.\n",
        device, flags.rounds, flags.seed, kIntegersOnDevice >> 20);
  else if (!flags.json)
    fmt::print(
        "All codecs are our own code. One thread, CPU time, lists whole, decoded a block of 128 at a time;\n"
        "median of {} rounds, with the slowest and the fastest. Seed {}.\n",
        flags.rounds, flags.seed);
  const auto measure = [&](const IntegerSet& set) -> Result<void> {
    if (set.lists.empty()) return Error(Code::kInvalid, set.name + ": no list is long enough");
    const CodecReport report = on_device ? report_of(FROND_TRY(time_codecs_on_device(set, codecs, flags.rounds)))
                                         : report_of(FROND_TRY(time_codecs(set, codecs, flags.rounds)));
    if (flags.json) {
      sets.push_back(
          {{"set", set.name}, {"integers", set.integers()}, {"lists", set.lists.size()}, {"codecs", json_of(report)}});
    } else {
      fmt::print("\n{}: {} integers in {} lists\n{}", set.name, set.integers(), set.lists.size(),
                 text_of(table_of(report)));
      std::fflush(stdout);
    }
    return {};
  };
  for (const char* model : {"uniform", "clustered"})
    for (const unsigned size : flags.sizes)
      if (flags.index.empty()) FROND_TRY(measure(synthetic_set(model, size, flags.seed)));
  if (!flags.index.empty()) {
    const std::vector<IntegerSet> docids_and_frequencies =
        FROND_TRY(sets_of_index(flags.index, codec::kBlockLength, flags.max_postings));
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
  auto& command =
      bench_command.add_command("codec", "Codecs on synthetic lists and an index: bits an integer, integers a second");
  command.add_flag("--list", flags->list, "Print the codecs with paper and section, and measure nothing");
  command.add_option("--codec", flags->codecs, "Only these");
  add_choice(command, "--processor", flags->processor, {"cpu", "gpu"}, "What decodes: this process, or the GPU");
  add_number(command, "--size", flags->sizes, 7, 27, "Synthetic lists of 2^N integers below 2^29, one or more N");
  command.add_option("--seed", flags->seed, "Of the synthetic lists").show_default();
  command.add_option("--index", flags->index, "A collection's folder in a repository, or a partition's in --data");
  command.add_option("--most", flags->max_postings, "Only so many postings of --index").show_default();
  add_number(command, "--rounds", flags->rounds, 1, 1000, "Times each codec is timed, in turn");
  command.add_flag("--json", flags->json, "Print one JSON object");
  command.on_chosen([flags, &status] { status = exit_status("bench codec", bench_codec(*flags)); });
}

}  // namespace frond::tools::bench
