#include "tools/bench/codec_report.h"

#include <fmt/format.h>

#include <cstdio>

#include <nlohmann/json.hpp>

#include "tools/bench/paper_figures.h"

namespace frond::tools::bench {

using nlohmann::ordered_json;

void print_codecs() {
  fmt::print("{:>3}  {:14} {:18} {:20} {}\n", "id", "name", "family", "encodes", "paper and section");
  for (const codec::ListCodec* codec : codec::all_codecs()) {
    const codec::CodecInfo& info = codec->info();
    const auto* kinds = !info.frequencies ? "docIDs" : info.docids ? "docIDs, frequencies" : "frequencies";
    fmt::print("{:>3}  {:14} {:18} {:20} {}\n", info.id, info.name, info.family, kinds, info.source);
  }
}

ordered_json codecs_as_json() {
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

void print_codec_set(const IntegerSet& set, const std::vector<CodecTiming>& timings) {
  fmt::print("\n{}: {} integers in {} lists\n", set.name, set.integers(), set.lists.size());
  fmt::print("{:14} {:>8} {:>8} {:>9} {:>17} {:>17} {:>8}  {}\n", "codec", "bits", "paper's", "encode M", "decode G",
             "without sum G", "paper's", "paper");
  for (const CodecTiming& timing : timings) {
    const auto paper = paper_figure(set.name, timing.codec->name());
    fmt::print("{:14} {:>8.3f} {:>8} {:>9.0f} {:>17} {:>17} {:>8}  {}\n", timing.codec->name(), timing.bits,
               paper && paper->bits > 0 ? fmt::format("{:.2f}", paper->bits) : "", timing.encode.median,
               shown(timing.decode, 2), shown(timing.decode_gaps, 2),
               paper && paper->decode_g > 0 ? fmt::format("{:.3f}", paper->decode_g) : "", paper ? paper->source : "");
  }
  std::fflush(stdout);
}

ordered_json codec_set_as_json(const IntegerSet& set, const std::vector<CodecTiming>& timings) {
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

}  // namespace frond::tools::bench
