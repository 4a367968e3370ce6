#pragma once
// What the manifests of a collection name: what is not named can be removed. Internal to this folder.
#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/repository/repository.h"

namespace frond::repository {

// "12.json", "12.terms.sst" and "12.changes.sst" to 12; 0 for other names.
Generation generation_of(const std::filesystem::path& file);
bool is_manifest(const std::filesystem::path& file);

// What a manifest names.
struct Named {
  explicit Named(const Manifest& manifest);
  Generation previous = 0;
  std::set<std::string> partitions, files;
};
using NamedByGeneration = std::map<Generation, Result<Named>>;

// Of the manifests among these files of generations/, `at_once` of which are read at a time. What is `known` is not
// read again.
NamedByGeneration read_named(const RepositorySource& source, std::span<const std::string> names,
                             NamedByGeneration known, std::size_t at_once);

}  // namespace frond::repository
