#include "indexer/resume/build_folder.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "common/base/bytes.h"
#include "common/config/options.h"
#include "common/files/read.h"
#include "common/files/write.h"
#include "common/partition/file_checksum.h"
#include "indexer/runs/document_spool.h"

namespace frond::indexer::resume {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::hours kMaxAge{24};

// What a build that does not run any more has left.
struct Remains {
  fs::path path;
  files::Descriptor lock;
  fs::file_time_type time;  // of the journal
  std::optional<Journal> journal;
  std::string unusable;  // why this build cannot go on with it; empty: it can
};

void remove_folder(const fs::path& path) {
  std::error_code ignored;
  fs::remove(path / kJournalName, ignored);  // first: without it nobody goes on with the rest
  fs::remove_all(path, ignored);
}

// Those that no process holds.
std::vector<Remains> find_remains(const fs::path& builds) {
  std::vector<Remains> all;
  std::error_code ignored;
  for (const fs::path& entry : files::some_entries_of(builds)) {
    auto lock = files::try_lock_folder(entry);
    if (!lock || !lock->has_value()) continue;
    Remains found{entry, **std::move(lock), fs::last_write_time(entry / kJournalName, ignored), {}, {}};
    auto journal = load_journal(entry);
    if (journal)
      found.journal = *std::move(journal);
    else if (journal.error().code() == Code::kNotFound)
      found.unusable = "it had not come to its first checkpoint";
    else
      found.unusable = journal.error().message();
    all.push_back(std::move(found));
  }
  return all;
}

std::string size_wanted(const fs::path& file, std::uint64_t bytes, bool at_least) {
  std::error_code failed;
  const std::uintmax_t size = fs::file_size(file, failed);
  if (failed) return file.string() + ": " + failed.message();
  if (size == bytes || (at_least && size > bytes)) return {};
  return file.string() + ": " + std::to_string(size) + " bytes instead of " + std::to_string(bytes);
}

// What is wrong with a partition that the journal calls finished; empty: nothing. Reads it whole, since its checksums
// are published without another look.
std::string wrong_with(const FinishedPartition& partition, const fs::path& folder) {
  for (const partition::PartitionFile& file : partition.summary.files) {
    const fs::path path = folder / partition.id / file.name;
    const auto found = partition::describe_file(path);
    if (!found) return found.error().message();
    if (found->bytes != file.bytes || found->xxh3 != file.xxh3)
      return path.string() + ": another size or checksum than the journal says";
  }
  return {};
}

bool has_lengths_beside_spools(const Journal& journal) {
  const auto& options = journal.identity.options;
  const std::pair<std::string, std::string> texts("--gpu-texts", "on");
  return journal.stage != Stage::kOrdered && std::find(options.begin(), options.end(), texts) != options.end();
}

// What is wrong with the files that the journal names; empty: nothing that can be seen without reading runs and spools,
// which have checksums that are compared when they are read.
std::string wrong_files(const Journal& journal, const fs::path& folder, const fs::path& collection) {
  const auto& parts = journal.checkpoint.so_far.partitions;
  for (std::uint32_t p = 0; p < parts.size(); ++p) {
    if (journal.is_finished(p)) continue;
    std::string wrong = size_wanted(parts[p].spool, parts[p].spool_bytes, journal.stage == Stage::kInverting);
    for (std::size_t i = 0; wrong.empty() && i < parts[p].runs.size(); ++i)
      wrong = size_wanted(parts[p].runs[i], journal.run_bytes[p][i], false);
    std::error_code failed;
    if (wrong.empty() && has_lengths_beside_spools(journal) && !fs::exists(runs::lengths_path(parts[p].spool), failed))
      wrong = runs::lengths_path(parts[p].spool).string() + " is missing";
    if (!wrong.empty()) return wrong;
  }
  for (const FinishedPartition& partition : journal.finished) {
    std::error_code failed;
    if (fs::exists(collection / "partitions" / partition.id, failed)) return "it had published its generation";
    std::string wrong = wrong_with(partition, folder);
    if (!wrong.empty()) return wrong;
  }
  return {};
}

// Removes what the journal does not name: it was written after it, and is not whole.
void tidy(const Journal& journal, const fs::path& folder) {
  std::set<std::string> named = {kJournalName, pipeline::kIdsName};
  const auto& parts = journal.checkpoint.so_far.partitions;
  for (std::uint32_t p = 0; p < parts.size(); ++p) {
    if (journal.is_finished(p)) continue;
    named.insert(parts[p].spool.filename().string());
    named.insert(runs::lengths_path(parts[p].spool).filename().string());
    for (const fs::path& run : parts[p].runs) named.insert(run.filename().string());
  }
  for (const FinishedPartition& partition : journal.finished) named.insert(partition.id);
  std::error_code ignored;
  for (const fs::path& entry : files::some_entries_of(folder))
    if (!named.contains(entry.filename().string())) fs::remove_all(entry, ignored);
}

// The one to go on with, the others sorted out. Leaves in `all` what is neither taken nor removed.
std::optional<Remains> choose(std::vector<Remains> all, const fs::path& collection,
                              const std::optional<BuildIdentity>& identity, bool resume, Logger& logger) {
  for (Remains& each : all) {
    if (!each.unusable.empty()) continue;
    each.unusable = identity ? difference(each.journal->identity, *identity) : "the input cannot be read twice";
    if (!each.unusable.empty()) continue;
    each.unusable = resume ? wrong_files(*each.journal, each.path, collection) : "--resume off";
    if (!each.unusable.empty()) each.journal.reset();
  }
  // The youngest first; of no use to any build last.
  std::sort(all.begin(), all.end(), [](const Remains& a, const Remains& b) {
    return std::pair(a.journal.has_value(), a.time) > std::pair(b.journal.has_value(), b.time);
  });
  std::optional<Remains> chosen;
  std::size_t left = 0;
  for (Remains& each : all) {
    if (each.unusable.empty() && !chosen) {
      chosen = std::move(each);
      continue;
    }
    if (each.unusable.empty()) each.unusable = "this build resumes a later one";
    const bool stays = each.journal && left < kMaxRemains && each.time + kMaxAge > fs::file_time_type::clock::now();
    left += stays;
    logger.info(stays ? "a killed build is left as it is" : "what a killed build left is removed",
                {{"folder", each.path.string()}, {"reason", each.unusable}});
    if (!stays) remove_folder(each.path);
  }
  return chosen;
}

Result<fs::path> make_folder(const fs::path& builds) {
  std::random_device random;
  for (;;) {
    char name[17];
    std::snprintf(name, sizeof name, "%08x%08x", random(), random());
    std::error_code failed;
    if (fs::create_directory(builds / name, failed)) return builds / name;
    if (failed) return Error(Code::kUnavailable, "creating " + (builds / name).string() + ": " + failed.message());
  }
}

void add_path(partition::Xxh3& digest, const std::string& path, std::uint64_t bytes, const struct stat& status) {
  ByteBuffer record;
  ByteWriter out(record);
  out.put_text(path);
  out.put_varint(bytes);
  out.put(std::int64_t{status.st_mtim.tv_sec});
  out.put(std::int64_t{status.st_mtim.tv_nsec});
  digest.update(record);
}

}  // namespace

std::optional<std::string> this_program() {
  static const auto program = partition::describe_file("/proc/self/exe");
  if (!program) return std::nullopt;
  return std::string(config::version()) + " " + program->xxh3;
}

std::optional<ingest::InputSummary> input_identity(std::span<const fs::path> inputs, bool hidden) {
  ingest::InputSummary all;
  partition::Xxh3 digest;
  for (const fs::path& input : inputs) {
    std::error_code failed;
    const fs::file_status status = fs::status(input, failed);
    if (!fs::is_regular_file(status) && !fs::is_directory(status)) return std::nullopt;
    const fs::path absolute = fs::absolute(input, failed);
    if (failed) return std::nullopt;
    digest.update(as_bytes(absolute.lexically_normal().string() + '\0'));
    ingest::InputWalk walk(input, hidden);
    while (const std::optional<ingest::InputFile> file = walk.next()) {
      struct stat found {};
      const bool there = ::stat(file->path.c_str(), &found) == 0;
      const std::uint64_t bytes = there ? static_cast<std::uint64_t>(found.st_size) : 0;
      add_path(digest, file->name, bytes, there ? found : (struct stat){});
      ++all.files;
      all.bytes += bytes;
    }
  }
  all.xxh3 = digest.hex();
  return all;
}

std::string difference(const BuildIdentity& before, const BuildIdentity& now) {
  if (before.program != now.program) return "it was built by " + before.program + ", and this is " + now.program;
  for (const auto& [flag, value] : now.options) {
    const auto same_flag = [&, name = &flag](const auto& other) { return other.first == *name; };
    const auto found = std::find_if(before.options.begin(), before.options.end(), same_flag);
    if (found == before.options.end()) return flag + " is new";
    if (found->second != value) return flag + " was " + found->second + ", and is " + value + " now";
  }
  if (before.options != now.options) return "it had other options";
  if (before.input.files != now.input.files || before.input.bytes != now.input.bytes)
    return "the input was " + ingest::to_string(before.input) + ", and is " + ingest::to_string(now.input) + " now";
  if (!(before.input == now.input)) return "an input file was renamed, or changed since";
  return {};
}

Result<std::unique_ptr<BuildFolder>> BuildFolder::claim(const fs::path& collection,
                                                        const std::optional<BuildIdentity>& identity, bool resume,
                                                        Logger& logger) {
  const fs::path builds = collection / kBuildsFolder;
  std::error_code failed;
  fs::create_directories(builds, failed);
  if (failed) return Error(Code::kUnavailable, "creating " + builds.string() + ": " + failed.message());
  if (auto chosen = choose(find_remains(builds), collection, identity, resume, logger)) {
    tidy(*chosen->journal, chosen->path);
    std::unique_ptr<BuildFolder> taken(new BuildFolder(std::move(chosen->path), std::move(chosen->lock)));
    taken->journal_ = std::move(chosen->journal);
    return taken;
  }
  fs::path path = FROND_TRY(make_folder(builds));
  auto lock = FROND_TRY(files::try_lock_folder(path));
  if (!lock) return Error(Code::kUnavailable, path.string() + ": another process has locked the new folder");
  return std::unique_ptr<BuildFolder>(new BuildFolder(std::move(path), *std::move(lock)));
}

BuildFolder::~BuildFolder() {
  if (!kept_) remove_folder(path_);
}

std::size_t remove_remains(const fs::path& collection) {
  const std::vector<Remains> all = find_remains(collection / kBuildsFolder);
  for (const Remains& each : all) remove_folder(each.path);
  return all.size();
}

}  // namespace frond::indexer::resume
