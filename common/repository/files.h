#pragma once
// What both reading and writing a repository need to know about its files. Internal to this folder.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/repository/repository.h"

namespace frond::repository {

// kInvalid: the file is missing or has another size; kUnavailable: its size can't be read.
Result<void> expect_size(const std::filesystem::path& file, std::uint64_t bytes);
// The text of CURRENT: "<generation>\n", or of a collection that a service writes with a lease "<generation> <epoch>\n"
// (writer_lease.h).
struct CurrentLine {
  Generation generation = 0;  // 0: nothing is published; only with an epoch
  std::uint64_t epoch = 0;    // 0: none
};
// kCorrupt: anything else; also numbers above 2^62.
Result<CurrentLine> parse_current_line(std::string_view text);
std::string to_text(const CurrentLine& line);
// The generation in the text of CURRENT or HIGHEST. kNotFound: nothing is published; kCorrupt: anything else.
Result<Generation> parse_current(std::string_view text);
// Of a name that is all digits, at most 2^62; 0: it is not.
std::uint64_t number_of(std::string_view name);

// What the manifests of a collection name: what is not named can be removed.

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
