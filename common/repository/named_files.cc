#include "common/repository/named_files.h"

#include <utility>
#include <vector>

#include "common/base/in_parallel.h"
#include "common/repository/files.h"

namespace frond::repository {

namespace fs = std::filesystem;

Generation generation_of(const fs::path& file) {
  const std::string name = file.filename().string();
  const auto dot = name.find('.');
  if (dot == name.npos ||
      (name.substr(dot) != ".json" && name.substr(dot) != ".terms.sst" && name.substr(dot) != ".changes.sst"))
    return 0;
  const auto generation = parse_current(name.substr(0, dot));
  return generation ? *generation : 0;
}

bool is_manifest(const fs::path& file) { return file.extension() == ".json" && generation_of(file) != 0; }

Named::Named(const Manifest& manifest) : previous(manifest.previous) {
  files.insert(manifest.term_statistics.name);
  for (const auto& change : manifest.changes) files.insert(change.name);
  for (const auto& entry : manifest.partitions) partitions.insert(entry.id);
}

NamedByGeneration read_named(const RepositorySource& source, std::span<const std::string> names,
                             NamedByGeneration known, std::size_t at_once) {
  std::vector<Generation> unknown;
  for (const auto& name : names)
    if (is_manifest(name) && !known.contains(generation_of(name))) unknown.push_back(generation_of(name));
  std::vector<Result<Named>> read(unknown.size(), Error(Code::kUnavailable, "not read"));
  (void)in_parallel(unknown.size(), at_once, [&](std::size_t i) -> Result<void> {
    auto manifest = source.manifest(unknown[i]);
    read[i] = manifest ? Result<Named>(Named(*manifest)) : Result<Named>(std::move(manifest).error());
    return {};
  });
  for (std::size_t i = 0; i < unknown.size(); ++i) known.emplace(unknown[i], std::move(read[i]));
  return known;
}

}  // namespace frond::repository
