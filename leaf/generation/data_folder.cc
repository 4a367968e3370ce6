#include "leaf/generation/data_folder.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "common/files/read.h"
#include "common/files/write.h"
#include "common/repository/repository.h"

namespace frond::leaf::generation {
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
  auto lock = FROND_TRY(files::try_lock_file(root / "LOCK"));
  if (!lock) return std::unique_ptr<DataFolder>();
  return std::unique_ptr<DataFolder>(new DataFolder(root, *std::move(lock)));
}

Result<void> DataFolder::remember(const std::string& manifest) const {
  return files::replace_file(current_manifest(), manifest);
}

Result<std::string> DataFolder::remembered() const {
  return files::read_text(current_manifest(), repository::kMaxManifestBytes);
}

Result<void> DataFolder::keep_manifest(const GenerationId& id, const std::string& text) const {
  return files::replace_file(manifest(id), text);
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
    if (auto text = files::read_text(path, repository::kMaxManifestBytes)) manifests.push_back(*std::move(text));
  return manifests;
}

void DataFolder::keep_only(const std::set<std::string>& partitions,
                           const std::set<std::string>& generation_files) const {
  std::error_code ignored;  // the next call tries again to remove what is left
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

}  // namespace frond::leaf::generation
