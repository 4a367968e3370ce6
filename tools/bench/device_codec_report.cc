#include "tools/bench/device_codec_report.h"

#include <fmt/format.h>

#include <cstdio>
#include <string>

#include <nlohmann/json.hpp>

#include "tools/bench/paper_figures.h"

namespace frond::tools::bench {
namespace {

using nlohmann::ordered_json;

std::string shown_figure(double figure) { return figure > 0 ? fmt::format("{:g}", figure) : ""; }

}  // namespace

void print_device_heading(std::string_view device, unsigned rounds, std::uint32_t seed) {
  fmt::print(
      "{}. Decoded to device memory, time between events on the device; G integers a second, median of {} rounds,\n"
      "with the slowest and the fastest. Seed {}. alone: one list, one launch; row: launches of one list each behind\n"
      "one another; batch: copies of all lists in one launch, {} M integers.\n",
      device, rounds, seed, kIntegersOnDevice >> 20);
}

void print_device_set(const IntegerSet& set, std::span<const DeviceCodecTiming> timings) {
  fmt::print("\n{}: {} integers in {} lists\n", set.name, set.integers(), set.lists.size());
  fmt::print("{:14} {:>7} {:>17} {:>17} {:>17} {:>17} {:>17} {:>8} {:>8}  {}\n", "codec", "bits", "alone", "row",
             "row, no sum", "batch", "batch, no sum", "paper's", "no sum", "paper");
  for (const DeviceCodecTiming& timing : timings) {
    const auto paper = paper_device_figure(set.name, timing.codec->name());
    fmt::print("{:14} {:>7.3f} {:>17} {:>17} {:>17} {:>17} {:>17} {:>8} {:>8}  {}\n", timing.codec->name(), timing.bits,
               shown(timing.alone, 1), shown(timing.row, 1), shown(timing.row_gaps, 1), shown(timing.batch, 1),
               shown(timing.batch_gaps, 1), paper ? shown_figure(paper->decode_g) : "",
               paper ? shown_figure(paper->decode_gaps_g) : "", paper ? paper->source : "");
  }
  std::fflush(stdout);
}

ordered_json device_set_as_json(const IntegerSet& set, std::span<const DeviceCodecTiming> timings) {
  auto rows = ordered_json::array();
  for (const DeviceCodecTiming& timing : timings) {
    ordered_json row{{"codec", timing.codec->name()},
                     {"bits", timing.bits},
                     {"alone_g", as_json(timing.alone)},
                     {"row_g", as_json(timing.row)},
                     {"batch_g", as_json(timing.batch)}};
    if (timing.row_gaps.median > 0) {
      row["row_without_sum_g"] = as_json(timing.row_gaps);
      row["batch_without_sum_g"] = as_json(timing.batch_gaps);
    }
    if (const auto paper = paper_device_figure(set.name, timing.codec->name()))
      row["paper"] = {
          {"source", paper->source}, {"decode_g", paper->decode_g}, {"decode_without_sum_g", paper->decode_gaps_g}};
    rows.push_back(std::move(row));
  }
  return {{"set", set.name}, {"integers", set.integers()}, {"lists", set.lists.size()}, {"codecs", rows}};
}

}  // namespace frond::tools::bench
