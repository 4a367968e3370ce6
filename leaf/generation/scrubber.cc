#include "leaf/generation/scrubber.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "common/base/threads/thread_name.h"
#include "common/files/read.h"
#include "common/repository/manifest.h"
#include "common/repository/signature.h"
#include "leaf/families/metric_families.h"

namespace frond::leaf::generation {
namespace {

namespace fs = std::filesystem;
constexpr std::chrono::seconds kLook{10}, kSuspectedAgain{60};

// This thread's reads come when the disk has nothing else to do, where its scheduler knows of that.
void leave_the_disk_to_others() {
  constexpr int kThread = 1, kIdleClass = 3 << 13;  // IOPRIO_WHO_PROCESS, IOPRIO_CLASS_IDLE
  ::syscall(SYS_ioprio_set, kThread, 0, kIdleClass);
}

}  // namespace

StoppableThread::Time ScrubPace::after(std::uint64_t bytes) {
  const auto now = std::chrono::steady_clock::now();
  const auto takes = std::chrono::duration<double>(static_cast<double>(bytes) / static_cast<double>(rate_));
  const MutexLock lock(mutex_);
  free_at_ = std::max(free_at_, now) + std::chrono::duration_cast<std::chrono::nanoseconds>(takes);
  return free_at_;
}

Scrubber::Scrubber(Options options, ScrubPace& pace, const DataFolder& data, const ServedBoard& board,
                   const Clock& clock, metrics::Registry* registry)
    : options_(std::move(options)), pace_(pace), data_(data), board_(board), clock_(clock) {
  if (registry == nullptr) return;
  bytes_ = registry->counter(families::kScrubbedBytes, options_.labels);
  damaged_ = registry->counter(families::kScrubDamaged, options_.labels);
  age_ = registry->gauge(families::kScrubAge, options_.labels);
}

void Scrubber::start() {
  if (pace_.stands()) return;
  thread_.start([this] {
    name_this_thread("leaf-scrub");
    yield_to_others(19);
    leave_the_disk_to_others();
    do {
      try {
        while (step()) {
        }
      } catch (const std::exception&) {  // no memory: tried again
      }
    } while (thread_.pause_until(std::chrono::steady_clock::now() + std::min(kLook, options_.interval)));
  });
}

// The current generation is last, and first where two have opened the same partition.
std::map<std::string, Scrubber::Target> Scrubber::targets() const {
  std::map<std::string, Target> all;
  const auto add = [&](Target target) { all.emplace(target.place.string(), std::move(target)); };
  const auto set = board_.get();
  for (auto one = set->rbegin(); one != set->rend(); ++one) {
    for (const ServedPartition& served : (*one)->partitions)
      if (!served.open->files().empty() && served.open->intact())
        add({.place = data_.partition(served.open->id()), .partition = served.open});
    for (const std::string& file : (*one)->files)
      add({.place = data_.generation_file(file), .digest = file.substr(0, file.find('.'))});
    if (!(*one)->files.empty()) add({.place = data_.manifest((*one)->id()), .content = (*one)->content});
  }
  // It is written a little after the board.
  if (!set->empty() && !set->back()->files.empty()) add({.place = data_.current_manifest()});
  return all;
}

bool Scrubber::step() {
  if (thread_.stopping()) return false;
  const Instant now = clock_.now();
  Target chosen;
  bool was_suspected = false;
  {
    auto all = targets();
    std::erase_if(seen_, [&](const auto& one) { return !all.contains(one.first); });
    Target* most = nullptr;
    Instant most_since = Instant::max(), oldest = now;
    for (auto& [place, target] : all) {
      const auto& [since, proved] = seen_.try_emplace(place, Seen{now, {}}).first->second;
      oldest = std::min(oldest, since);
      const bool suspected = target.partition && target.partition->suspected.load(std::memory_order_relaxed) &&
                             (!proved || now - *proved >= options_.interval);
      if (now - since < (suspected ? std::min(kSuspectedAgain, options_.interval) : options_.interval)) continue;
      if (const Instant rank = suspected ? Instant::min() : since; most == nullptr || rank < most_since) {
        most = &target;
        most_since = rank;
        was_suspected = suspected;
      }
    }
    age_.set(std::chrono::duration<double>(now - oldest).count());
    if (most == nullptr) return false;
    chosen = std::move(*most);
  }
  Seen& seen = seen_.at(chosen.place.string());
  seen.read = now;
  if (const bool damaged = scrub(std::move(chosen)); was_suspected && !damaged) seen.proved = now;
  return !thread_.stopping();
}

bool Scrubber::scrub(Target target) {
  if (target.partition) return scrub_partition(target.place, std::move(target.partition));
  if (target.digest.empty()) return scrub_manifest(target);
  const auto read = describe(
      target.place, [&](const partition::PartitionFile& found) { return found.xxh3 == target.digest; },
      [&] {
        std::error_code failure;
        return fs::exists(target.place, failure);  // else it was retired
      });
  if (!read || (*read && (*read)->xxh3 == target.digest)) return false;
  Error why = *read ? Error(Code::kCorrupt,
                            target.place.string() + ": XXH3-128 " + (*read)->xxh3 + "; expected: " + target.digest)
                    : read->error();
  return report(
      {.name = target.place.filename().string(), .expected = std::move(target.digest), .why = std::move(why)});
}

bool Scrubber::scrub_manifest(const Target& target) {
  const auto text = files::read_text(target.place, repository::kMaxManifestBytes);
  if (text && stopping_after(text->size())) return false;
  const auto manifest = text ? repository::manifest_from_json(*text) : Result<repository::Manifest>(text.error());
  Result<void> good = manifest ? Result<void>() : manifest.error();
  if (good && target.content != 0 && manifest->content != target.content)
    good = Error(Code::kCorrupt, "is of another generation");
  if (good && options_.trusted != nullptr) good = repository::expect_signed(*manifest, *options_.trusted);
  return !good &&
         report({.name = target.place.filename().string(),
                 .expected = target.content == 0 ? "a manifest" : "a manifest with content " + to_hex(target.content),
                 .why = good.error()});
}

// Does not own the partition while it reads, so that it can be retired.
bool Scrubber::scrub_partition(const fs::path& folder, std::shared_ptr<const OpenPartition> open) {
  open->suspected.store(false, std::memory_order_relaxed);
  const std::uint64_t number = open->number();
  const std::string id = open->id();
  const std::vector<partition::PartitionFile> expected = open->files();
  const std::weak_ptr<const OpenPartition> weak = std::exchange(open, nullptr);
  const auto is_served = [&] {
    const auto still = weak.lock();
    return still && still->intact();
  };
  const auto is_expected = [&](const partition::PartitionFile& found) {
    return std::ranges::any_of(expected,
                               [&](const auto& one) { return one.bytes == found.bytes && one.xxh3 == found.xxh3; });
  };
  auto looked =
      look_at_files(folder, expected, [&](const fs::path& file) { return describe(file, is_expected, is_served); });
  if (!looked || !is_served()) return false;
  for (DamagedFile& damaged : looked->damaged) {
    damaged.partition_number = number;
    damaged.partition = id;
    report(std::move(damaged));
  }
  return !looked->damaged.empty();
}

// A second time if it is not as it should be: a read may fail once.
std::optional<Result<partition::PartitionFile>> Scrubber::describe(
    const fs::path& file, const std::function<bool(const partition::PartitionFile&)>& is_expected,
    const std::function<bool()>& is_served) {
  const auto once = [&] {
    return describe_on_disk(file, options_.read,
                            [&](std::uint64_t bytes) { return !stopping_after(bytes) && is_served(); });
  };
  auto found = once();
  return found && *found && !is_expected(**found) ? once() : std::move(found);
}

bool Scrubber::stopping_after(std::uint64_t bytes) {
  bytes_.add(static_cast<double>(bytes));
  return !thread_.pause_until(pace_.after(bytes));
}

bool Scrubber::report(DamagedFile damaged) {
  damaged_.add();
  options_.on_damage(std::move(damaged));
  return true;
}

}  // namespace frond::leaf::generation
