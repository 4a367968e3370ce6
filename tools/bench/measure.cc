#include "tools/bench/measure.h"

#include <stdlib.h>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/check.h"
#include "common/base/threads/parallel.h"

namespace frond::tools::bench {

Spread spread_of(std::vector<double> rounds) {
  if (rounds.empty()) return {};
  std::sort(rounds.begin(), rounds.end());
  return {rounds[rounds.size() / 2], rounds.front(), rounds.back()};
}

Spread rate_of(std::vector<double> seconds, double count) {
  for (double& each : seconds) each = count / std::max(each, 1e-9);
  return spread_of(std::move(seconds));
}

Distribution distribution_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) {
    const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size()) - 1e-9));
    return values[std::max<std::size_t>(rank, 1) - 1];
  };
  Distribution out;
  for (const double value : values) out.mean += value / static_cast<double>(values.size());
  out.median = at(0.5);
  out.p95 = at(0.95);
  out.p99 = at(0.99);
  return out;
}

std::string shown(const Spread& figure, int digits) {
  if (figure.median == 0) return "-";
  return fmt::format("{:.{}f} -{:.0f}+{:.0f}%", figure.median, digits, 100 - figure.min / figure.median * 100,
                     figure.max / figure.median * 100 - 100);
}

nlohmann::ordered_json as_json(const Spread& figure) {
  return {{"median", figure.median}, {"least", figure.min}, {"most", figure.max}};
}

nlohmann::ordered_json as_json(const Distribution& figures) {
  return {{"mean", figures.mean}, {"median", figures.median}, {"p95", figures.p95}, {"p99", figures.p99}};
}

std::uint64_t thread_clock_nanoseconds() {
  static const std::uint64_t least = [] {
    std::uint64_t found = ~std::uint64_t{0}, last = thread_nanoseconds();
    for (int i = 0; i < 1000; ++i) {
      const std::uint64_t now = thread_nanoseconds();
      found = std::min(found, now - std::exchange(last, now));
    }
    return found;
  }();
  return least;
}

void in_parallel(unsigned threads, std::size_t count, const std::function<void(std::size_t)>& work) {
  const auto done = frond::in_parallel(count, threads, [&work](std::size_t i) -> Result<void> {
    work(i);
    return {};
  });
  FROND_CHECK(done);
}

namespace fs = std::filesystem;

Result<std::unique_ptr<ScratchFolder>> ScratchFolder::create(fs::path parent) {
  std::error_code failure;
  if (parent.empty()) parent = fs::temp_directory_path(failure);
  std::string name = (parent / "frond-bench-XXXXXX").string();
  if (failure) return Error(Code::kUnavailable, "no folder for temporary files: " + failure.message());
  if (::mkdtemp(name.data()) == nullptr)
    return Error(Code::kUnavailable, name + ": " + std::generic_category().message(errno));
  return std::unique_ptr<ScratchFolder>(new ScratchFolder(name));
}

ScratchFolder::ScratchFolder(fs::path path) : path_(std::move(path)) {}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace frond::tools::bench
