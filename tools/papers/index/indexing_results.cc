#include "tools/papers/index/indexing_results.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "common/base/check.h"

namespace frond::tools::papers {

using namespace bench;
namespace {

std::vector<Stage> with_shares(std::vector<Stage> stages) {
  double sum = 0;
  for (const Stage& stage : stages) sum += stage.seconds;
  for (Stage& stage : stages) stage.share = sum > 0 ? stage.seconds / sum : 0;
  return stages;
}

}  // namespace

Platform Platform::here() {
  Platform platform;
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; platform.processor.empty() && std::getline(file, line);)
    if (const auto colon = line.find(": "); line.starts_with("model name") && colon != std::string::npos)
      platform.processor = line.substr(colon + 2);
  platform.cores = std::max(1u, std::thread::hardware_concurrency());
  platform.memory =
      static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return platform;
}

InverterTimes inverter_times(const PipelineRun& run) {
  InverterTimes times;
  for (const InverterRecord& record : run.records) {
    times.indexing_cpu += record.indexing_cpu;
    times.total = std::max(times.total, record.end);
    if (record.indexing + record.flushing < times.indexing + times.flushing) continue;
    times.indexing = record.indexing;
    times.flushing = record.flushing;
  }
  times.waiting = std::max(0.0, times.total - times.indexing - times.flushing);
  return times;
}

std::array<double, kSteps> rates_by_position(const PipelineRun& run) {
  std::array<double, kSteps> rates{};
  if (run.inverted.documents == 0) return rates;
  const double all = static_cast<double>(run.inverted.documents),
               bytes_a_document = static_cast<double>(run.inverted.bytes) / all;
  std::array<double, kSteps> slowest{}, documents{};
  for (const InverterRecord& record : run.records) {
    std::array<double, kSteps> spent{}, passed{};
    double done = 0, before = 0;
    for (const auto& point : record.points) {
      const auto reached = static_cast<double>(point.documents);
      const auto step = std::min(static_cast<std::size_t>((reached - 1) / all * kSteps), kSteps - 1);
      spent[step] += point.indexing - before;
      passed[step] += reached - done;
      before = point.indexing;
      done = reached;
    }
    for (std::size_t step = 0; step < kSteps; ++step) {
      slowest[step] = std::max(slowest[step], spent[step]);
      documents[step] = std::max(documents[step], passed[step]);
    }
  }
  for (std::size_t step = 0; step < kSteps; ++step)
    if (slowest[step] > 0) rates[step] = documents[step] * bytes_a_document * 1e-6 / slowest[step];
  return rates;
}

double megabytes_a_second(std::uint64_t bytes, double seconds) {
  return seconds > 0 ? static_cast<double>(bytes) * 1e-6 / seconds : 0;
}

double parsers_done(const BuildRun& run) {
  double last = 0;
  for (const auto& record : run.records) last = std::max(last, record.last_batch);
  return last;
}
double inverters_done(const BuildRun& run) {
  double last = 0;
  for (const auto& record : run.records) last = std::max(last, record.end);
  return last;
}

std::vector<Stage> wall_stages(const BuildRun& run) {
  const auto& summary = run.summary;
  return with_shares(
      {{"index", summary.invert_seconds}, {"write", summary.write_seconds}, {"publish", summary.publish_seconds}});
}

std::vector<Stage> processor_stages(const BuildRun& run) {
  const auto& in = run.summary.inverted;
  const double rest = run.processor_seconds - in.read_seconds - in.parse_seconds - in.sequence_seconds -
                      in.spool_seconds - in.invert_seconds;
  return with_shares({{"read", in.read_seconds},
                      {"parse", in.parse_seconds},
                      {"number", in.sequence_seconds},
                      {"spool", in.spool_seconds},
                      {"invert", in.invert_seconds},
                      {"write and publish", std::max(0.0, rest)}});
}

std::vector<StageBytes> stage_bytes(const BuildRun& run) {
  const auto& manifest = run.summary.manifest;
  std::uint64_t docids = 0, frequencies = 0, rest = 0, files = 0;
  for (const auto& entry : manifest.partitions) {
    docids += entry.summary.docid_bytes;
    frequencies += entry.summary.frequency_bytes;
    rest += entry.summary.index_bytes + entry.summary.bound_bytes + entry.summary.header_bytes;
    for (const auto& file : entry.summary.files) files += file.bytes;
  }
  return {{"input", manifest.input.bytes},
          {"text", run.summary.inverted.bytes},
          {"runs", run.summary.inverted.run_bytes},
          {"lists: docIDs", docids},
          {"lists: frequencies", frequencies},
          {"lists: index, bounds, headers", rest},
          {"generation", files}};
}

}  // namespace frond::tools::papers
