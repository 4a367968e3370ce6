#include "tools/bench/schedule/schedule_trace.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "common/base/lines.h"
#include "common/base/text.h"
#include "common/files/read.h"

namespace frond::tools::bench {
namespace {

constexpr std::size_t kMaxTraceBytes = std::size_t{1} << 30;

constexpr std::string_view kHeader = "frond-schedule-trace 1";
constexpr double kMaxUs = 1e9;

// Numbers 0 .. kMaxUs, up to the size of `to`; how many there are.
Result<std::size_t> numbers(std::string_view line, std::span<double> to) {
  std::size_t count = 0;
  for (;;) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
    if (line.empty()) return count;
    const std::string_view word = line.substr(0, line.find_first_of(" \t\r"));
    line.remove_prefix(word.size());
    if (count == to.size()) return Error(Code::kInvalid, "more than " + std::to_string(to.size()) + " numbers");
    const auto value = number_in<double>(word);
    if (!value || !(*value >= 0 && *value <= kMaxUs))
      return Error(Code::kInvalid, "number " + std::to_string(count + 1) + " is none from 0 to 1e9");
    to[count++] = *value;
  }
}

Result<void> add_line(std::string_view line, ScheduleTrace& trace) {
  line = line.substr(0, line.find('#'));
  constexpr std::string_view kLaunch = "launch_us ";
  if (line.starts_with(kLaunch)) {
    const std::size_t count = FROND_TRY(numbers(line.substr(kLaunch.size()), std::span(&trace.launch_us, 1)));
    if (count != 1) return Error(Code::kInvalid, "launch_us needs a number");
    return {};
  }
  constexpr std::string_view kBatch = "batch ";
  if (line.starts_with(kBatch)) {
    std::array<double, 2> scale{};
    const std::size_t count = FROND_TRY(numbers(line.substr(kBatch.size()), scale));
    const auto queries = static_cast<std::uint32_t>(scale[0]);
    if (count != 2 || queries < 1 || scale[1] < 1e-3 ||
        (!trace.scales.empty() && queries <= trace.scales.back().queries))
      return Error(Code::kInvalid, "batch needs a greater size than the line before, and a number");
    if (trace.scales.size() == leaf::schedule::CostModel::kMaxScales)
      return Error(Code::kInvalid, "more sizes of batches than a model has");
    trace.scales.push_back({queries, static_cast<float>(scale[1])});
    return {};
  }
  std::array<double, 4> us{};
  const std::size_t count = FROND_TRY(numbers(line, us));
  if (count == 0) return {};
  if (count != us.size()) return Error(Code::kInvalid, "a query has four numbers");
  if (us[0] <= 0 || us[2] <= 0) return Error(Code::kInvalid, "the CPU needs some time");
  trace.queries.push_back({us[0], us[1], us[2], us[3], us[1] > 0});
  return {};
}

}  // namespace

Result<ScheduleTrace> parse_schedule_trace(std::string_view text) {
  ScheduleTrace trace;
  Lines lines(text);
  while (const auto line = lines.next()) {
    if (lines.number() == 1) {
      if (*line != kHeader) break;
    } else if (auto added = add_line(*line, trace); !added) {
      return std::move(added).error().within("line " + std::to_string(lines.number()));
    }
  }
  if (lines.number() <= 1) return Error(Code::kInvalid, "line 1: must be '" + std::string(kHeader) + "', then queries");
  if (trace.queries.empty()) return Error(Code::kInvalid, "there is no query");
  return trace;
}

Result<ScheduleTrace> read_schedule_trace(const std::filesystem::path& file) {
  auto trace = parse_schedule_trace(FROND_TRY(files::read_input(file, kMaxTraceBytes)));
  if (!trace) return std::move(trace).error().within(file.string());
  return trace;
}

std::string schedule_trace_text(const ScheduleTrace& trace, std::string_view comment) {
  std::string text(kHeader);
  text.append("\n# ").append(comment) += '\n';
  char line[128];
  text.append(line, static_cast<std::size_t>(std::snprintf(line, sizeof line, "launch_us %.3g\n", trace.launch_us)));
  for (const auto& scale : trace.scales) {
    const int size =
        std::snprintf(line, sizeof line, "batch %u %.4g\n", scale.queries, static_cast<double>(scale.scale));
    text.append(line, static_cast<std::size_t>(size));
  }
  for (const SimulatedQuery& query : trace.queries) {
    const int size = std::snprintf(line, sizeof line, "%.5g %.5g %.5g %.5g\n", query.cpu_us,
                                   query.for_gpu ? query.gpu_us : 0, query.predicted_cpu_us, query.predicted_gpu_us);
    text.append(line, static_cast<std::size_t>(size));
  }
  return text;
}

}  // namespace frond::tools::bench
