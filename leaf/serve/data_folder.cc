#include "leaf/serve/data_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "common/repository/repository.h"

namespace frond::leaf {
namespace fs = std::filesystem;

Result<std::unique_ptr<DataFolder>> DataFolder::open(const fs::path& root) {
  auto opened = open_unless_held(root);
  if (opened && *opened == nullptr) return Error(Code::kUnavailable, root.string() + ": another leaf is using it");
  return opened;
}

Result<std::unique_ptr<DataFolder>> DataFolder::open_unless_held(const fs::path& root) {
  std::error_code failure;
  for (const char* folder : {"partitions", "generations", "fetching"}) {
    fs::create_directories(root / folder, failure);
    if (failure) return Error(Code::kUnavailable, (root / folder).string() + ": " + failure.message());
  }
  const fs::path path = root / "LOCK";
  const int lock = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock < 0) return Error(Code::kUnavailable, path.string() + ": " + std::strerror(errno));
  if (flock(lock, LOCK_EX | LOCK_NB) != 0) {
    const int why = errno;
    ::close(lock);
    if (why == EWOULDBLOCK || why == EINTR) return std::unique_ptr<DataFolder>();
    return Error(Code::kUnavailable, path.string() + ": " + std::strerror(why));
  }
  return std::unique_ptr<DataFolder>(new DataFolder(root, lock));
}

DataFolder::~DataFolder() { ::close(lock_); }

namespace {

// Whole and synced under its name, or as before.
Result<void> replace_file(const fs::path& name, const std::string& text) {
  fs::path draft = name;
  draft += ".part";
  const auto failed = [&] { return Error(Code::kUnavailable, name.string() + ": " + std::strerror(errno)); };
  const int file = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return failed();
  std::string_view left = text;
  while (!left.empty()) {
    const ssize_t written = ::write(file, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) break;
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  const bool whole = left.empty() && ::fsync(file) == 0;
  Result<void> outcome = whole ? Result<void>() : failed();
  ::close(file);
  if (whole && std::rename(draft.c_str(), name.c_str()) != 0) outcome = failed();
  return outcome;
}

Result<std::string> read_file(const fs::path& name) {
  std::ifstream in(name, std::ios::binary);
  if (!in) return Error(Code::kNotFound, name.string() + ": nothing was served from here");
  std::string text(std::istreambuf_iterator<char>(in), {});
  if (in.bad()) return Error(Code::kUnavailable, name.string() + ": can't be read");
  return text;
}

}  // namespace

Result<void> DataFolder::remember(const std::string& manifest) const {
  return replace_file(root_ / "SERVED", manifest);
}

Result<std::string> DataFolder::remembered() const { return read_file(root_ / "SERVED"); }

Result<void> DataFolder::keep_manifest(const GenerationId& id, const std::string& text) const {
  return replace_file(manifest(id), text);
}

std::vector<std::string> DataFolder::kept_manifests() const {
  std::error_code ignored;
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  for (fs::directory_iterator at(root_ / "generations", ignored), end; at != end; at.increment(ignored))
    if (at->path().extension() == ".json") files.emplace_back(at->last_write_time(ignored), at->path());
  std::sort(files.begin(), files.end());
  if (files.size() > kMaxKept) files.erase(files.begin(), files.end() - kMaxKept);
  std::vector<std::string> manifests;
  for (const auto& [time, path] : files)
    if (auto text = read_file(path)) manifests.push_back(*std::move(text));
  return manifests;
}

void DataFolder::keep_only(const std::set<std::string>& partitions,
                           const std::set<std::string>& generation_files) const {
  std::error_code ignored;  // what can't be removed now is tried again after the next start
  const auto sweep = [&](const fs::path& folder, const std::set<std::string>& kept) {
    std::vector<fs::path> doomed;
    for (fs::directory_iterator at(folder, ignored), end; at != end; at.increment(ignored)) {
      std::string name = at->path().filename().string();
      for (const std::string_view suffix : {repository::kNoteSuffix, repository::kPartSuffix})
        if (name.ends_with(suffix)) name.resize(name.size() - suffix.size());
      if (!kept.contains(name)) doomed.push_back(at->path());
    }
    for (const fs::path& path : doomed) fs::remove_all(path, ignored);
  };
  sweep(root_ / "partitions", partitions);
  sweep(root_ / "generations", generation_files);
  sweep(root_ / "fetching", partitions);
}

}  // namespace frond::leaf
