#pragma once
// How far an import is, in a file.
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "common/base/result.h"
#include "tools/import/source_index.h"

namespace frond::tools {

struct ImportState {
  std::string from, to;  // URLs with the index and the collection, without credentials
  std::string key;       // by which the service knows that the collection is this import's
  bool made = false;     // the collection is there
  bool done = false;
  SourcePlace place;          // behind what the service has accepted
  std::uint64_t total = 0;    // documents of the index; 0: not known
  std::uint64_t refused = 0;  // documents
  friend bool operator==(const ImportState&, const ImportState&) = default;
};

// One line of JSON.
std::string text_of(const ImportState& state);
// kInvalid: it is none.
Result<ImportState> read_state(const std::string& text);
// nullopt: there is no such file. Errors name it.
Result<std::optional<ImportState>> load_state(const std::filesystem::path& file);
// Atomically and durably.
Result<void> save_state(const std::filesystem::path& file, const ImportState& state);

}  // namespace frond::tools
