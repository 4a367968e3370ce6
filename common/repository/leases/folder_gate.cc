#include "common/repository/leases/folder_gate.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <random>
#include <system_error>

#include "common/files/read.h"
#include "common/files/write.h"
#include "common/repository/storage/storage.h"

namespace frond::repository {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnded = "ended-";  // of a gate that is being removed
constexpr std::size_t kMaxCurrent = 64;

std::vector<std::string> names_in(const fs::path& folder, std::error_code& failed) {
  std::vector<std::string> names;
  for (fs::directory_iterator at(folder, failed); !failed && at != fs::directory_iterator(); at.increment(failed))
    names.push_back(at->path().filename().string());
  return names;
}

bool is_absent(const std::error_code& failed) { return failed == std::errc::no_such_file_or_directory; }

// Goes on after what can't be removed. Whether that is open files alone.
bool remove_but_open(const fs::path& folder) {
  std::error_code failed;
  bool but_open = true;
  const auto names = names_in(folder, failed);
  if (failed) return is_absent(failed);
  for (const std::string& name : names) {
    const fs::path path = folder / name;
    if (fs::is_directory(fs::symlink_status(path, failed)))
      but_open = remove_but_open(path) && but_open;
    else if (::unlinkat(AT_FDCWD, path.c_str(), 0) != 0 && errno != ENOENT)
      but_open = name.starts_with(".nfs") && but_open;
  }
  fs::remove(folder, failed);  // fails if something is left
  return but_open;
}

}  // namespace

fs::path gate_path(const fs::path& collection, std::uint64_t epoch, const std::string& log) {
  return collection / kGatesFolder / (std::to_string(epoch) + "-" + log);
}

// A client of a network file system may reach a gate by what it remembers of its old name. So it has to be gone, not
// only renamed.
Result<Gone> remove_whole(const fs::path& path) {
  constexpr int kTries = 5;  // a writer may just now put something there
  std::error_code failed;
  bool but_open = false;
  for (int i = 0; i < kTries; ++i) {
    fs::remove_all(path, failed);
    if (!failed) return Gone::kWhole;
    but_open = remove_but_open(path);
    if (!fs::exists(fs::symlink_status(path, failed))) return Gone::kWhole;
  }
  if (but_open) return Gone::kButOpenFiles;
  return Error(Code::kUnavailable, path.string() + " can't be removed, or something in it");
}

Result<void> remove_passing(const fs::path& gate) {
  if (FROND_TRY(remove_whole(gate / kPassing)) == Gone::kWhole) return {};
  std::random_device random;
  return files::rename(gate / kPassing,
                       gate.parent_path() / (std::string(kEnded) + kPassing + "-" + std::to_string(random())));
}

Result<void> make_gate(const fs::path& gate) {
  FROND_TRY(remove_whole(gate));  // of a process with this log that died before its epoch began
  std::error_code failed;
  if (!fs::create_directory(gate, failed) || failed)
    return Error(Code::kUnavailable, "creating " + gate.string() + ": " + failed.message());
  return files::sync_parent(gate);
}

Result<void> close_gates(const fs::path& collection, std::uint64_t epoch, const fs::path& own) {
  const fs::path gates = collection / kGatesFolder;
  std::error_code failed;
  for (const std::string& name : names_in(gates, failed)) {
    fs::path gate = gates / name;
    if (gate == own) continue;
    if (!name.starts_with(kEnded)) {
      const std::uint64_t number = number_of(name.substr(0, name.find('-')));
      if (number == 0 || (life_of(number) == life_of(epoch) && number > epoch)) continue;
      fs::path ended = gates / (std::string(kEnded) + name);
      fs::rename(gate, ended, failed);  // first: no path leads there any more
      if (is_absent(failed)) continue;
      if (failed) break;
      gate = std::move(ended);
    }
    if (FROND_TRY(remove_whole(gate)) == Gone::kWhole) continue;
    // Nothing is renamed over a folder that is not empty.
    fs::create_directories(gate / kPassing / "ended", failed);
    if (failed) break;
  }
  if (failed && !is_absent(failed)) return Error(Code::kUnavailable, gates.string() + ": " + failed.message());
  return files::sync(gates);
}

Error epoch_has_ended(std::uint64_t epoch, const std::string& why) {
  return Error(Code::kUnavailable, "the lease of epoch " + std::to_string(epoch) + " has ended: " + why);
}

Result<CurrentLine> current_line(const fs::path& collection) {
  const auto text = files::read_text(collection / "CURRENT", kMaxCurrent);
  if (!text && text.error().code() == Code::kNotFound) return CurrentLine();
  if (!text) return text.error();
  const auto line = parse_current_line(*text);
  return line ? *line : CurrentLine();
}

Result<std::vector<std::uint64_t>> recorded_epochs(const fs::path& collection) {
  std::error_code failed;
  std::vector<std::uint64_t> epochs;
  for (const std::string& name : names_in(collection / kHoldersFolder, failed))
    if (const std::uint64_t epoch = number_of(name); epoch != 0) epochs.push_back(epoch);
  if (failed && !is_absent(failed))
    return Error(Code::kUnavailable, (collection / kHoldersFolder).string() + ": " + failed.message());
  return epochs;
}

Result<std::optional<LeasePlace::Found>> newest_record(const fs::path& collection) {
  return newest_record(
      [&] { return recorded_epochs(collection); },
      [&]() -> Result<std::uint64_t> { return FROND_TRY(current_line(collection)).epoch; },
      [&](std::uint64_t epoch) { return files::read_text(collection / holder_path(epoch), kMaxRecordBytes); });
}

Result<void> create_synced(const fs::path& relative) {
  std::error_code failed;
  const fs::path folder = fs::absolute(relative, failed);
  fs::path there = folder;
  while (!failed && !fs::exists(there, failed) && there.has_relative_path()) there = there.parent_path();
  if (!failed) fs::create_directories(folder, failed);
  if (failed) return Error(Code::kUnavailable, "creating " + folder.string() + ": " + failed.message());
  for (fs::path made = folder; made != there;) {
    made = made.parent_path();
    FROND_TRY(files::sync(made));
  }
  return {};
}

}  // namespace frond::repository
