// cluster_simulation [--seed S] [--runs N] [--world search] [--trace]: plays N runs, with the seeds from S on. The
// first run that breaks an invariant is played again with its trace, and the exit status is 1.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "tests/simulation/search_world.h"
#include "tests/simulation/writing_world.h"

// RocksDB reserves room for files, which a folder in memory fills with zeros.
extern "C" int fallocate(int, int, off_t, off_t) {
  errno = EOPNOTSUPP;
  return -1;
}

namespace {

using namespace frond::simulation;

struct Flags {
  std::uint64_t seed = 1, runs = 100;
  std::string_view world;  // empty: both
  bool trace = false;
};

bool read(int count, char** values, Flags& flags) {
  for (int i = 1; i < count; ++i) {
    const std::string_view name = values[i];
    if (name == "--trace") {
      flags.trace = true;
    } else if (name == "--world" && i + 1 < count) {
      flags.world = values[++i];
      if (flags.world != "search" && flags.world != "writing") return false;
    } else if ((name == "--seed" || name == "--runs") && i + 1 < count) {
      char* end = nullptr;
      const std::uint64_t value = std::strtoull(values[++i], &end, 10);
      if (*end != 0) return false;
      (name == "--seed" ? flags.seed : flags.runs) = value;
    } else {
      return false;
    }
  }
  return true;
}

struct Totals {
  std::uint64_t answered = 0, whole = 0, acknowledged = 0;
};

// False: something is broken.
bool play(const Flags& flags, std::uint64_t seed, bool traced, SearchParts& parts, const std::filesystem::path& folder,
          Totals& totals) {
  Run run(seed, traced);
  if (flags.world == "writing" || (flags.world.empty() && seed % 3 == 0)) {
    WritingWorld world(run, folder);
    world.play();
    totals.acknowledged += world.acknowledged();
  } else {
    SearchWorld world(run, parts, folder);
    world.play();
    totals.answered += world.answered();
    totals.whole += world.whole();
  }
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    std::filesystem::remove_all(entry.path(), ignored);
  for (const std::string& line : run.lines) std::printf("%s\n", line.c_str());
  if (run.failed()) std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), run.failure.c_str());
  return !run.failed();
}

}  // namespace

int main(int count, char** values) {
  Flags flags;
  if (!read(count, values, flags)) {
    std::fprintf(stderr, "usage: cluster_simulation [--seed S] [--runs N] [--world search|writing] [--trace]\n");
    return 2;
  }
  // In memory, where there is such a folder: nothing of a run outlives it, and a disk would make most of its time.
  if (::access("/dev/shm", W_OK) == 0) ::setenv("TMPDIR", "/dev/shm", /*overwrite=*/0);
  const frond::support::ScratchFolder folder;
  SearchParts parts;
  Totals totals;
  const auto begin = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i < flags.runs; ++i) {
    if (play(flags, flags.seed + i, flags.trace, parts, folder.path(), totals)) continue;
    if (!flags.trace) (void)play(flags, flags.seed + i, true, parts, folder.path(), totals);
    std::printf("broken after %llu runs; --seed %llu --runs 1 --trace repeats it\n",
                static_cast<unsigned long long>(i + 1), static_cast<unsigned long long>(flags.seed + i));
    return 1;
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf("%llu runs in %.1f s, %.0f a second; %llu answers, %llu of them whole; %llu changes\n",
              static_cast<unsigned long long>(flags.runs), took.count(), static_cast<double>(flags.runs) / took.count(),
              static_cast<unsigned long long>(totals.answered), static_cast<unsigned long long>(totals.whole),
              static_cast<unsigned long long>(totals.acknowledged));
  return 0;
}
