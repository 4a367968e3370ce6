#pragma once
// Inputs to files, in an order that depends on their names only.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/partition/file_checksum.h"
#include "indexer/ingest/files/skipped.h"

namespace frond::indexer::ingest {

struct InputFile {
  std::filesystem::path path;
  std::string name;  // below the input folder; of an input that is a file, its last component
};

// Names of files of several inputs, which are ids of documents. A file keeps its name, unless an input whose path comes
// before that of its own holds one with that name, too: then its own folder's last components stand before it, as many
// as tell the folders of inputs apart, or more if a file has that name. So a file that is added takes no id from the
// collection: each name of the files before is a name of one of the files behind. The order of inputs does not matter.
class InputNames {
 public:
  explicit InputNames(std::span<const std::filesystem::path> inputs);
  std::string name(std::size_t input, const InputFile& file) const;
  std::size_t inputs() const { return inputs_.size(); }

 private:
  struct Input {
    std::filesystem::path folder;  // absolute; that of an input that is a file is where it lies
    std::string file;              // the only one; empty: all
    bool holds(const std::string& name) const;
  };
  std::vector<Input> inputs_;
  std::size_t label_parts_ = 1;
};

// Walks one input: a file or pipe gives itself; a folder its files, recursively, in byte order of their whole paths.
// Holds the listings of the folders on the way only. Inside a folder these are passed over: symbolic links, since what
// they point to is either there already or outside; files that are not regular; folders of Frond's repositories and
// databases; and, unless `hidden` is set, files and folders whose names begin with a dot. The input itself may be any
// of these, but for Frond's folders.
class InputWalk {
 public:
  // Called for each folder that cannot be listed, with the reason, and for all else that is passed over. May be empty.
  struct Observer {
    std::function<void(const std::filesystem::path&, std::string reason)> unreadable;
    std::function<void(const std::filesystem::path&, SkipReason)> passed;
  };
  InputWalk(std::filesystem::path input, bool hidden, Observer observer = {});
  bool is_folder() const { return is_folder_; }
  std::optional<InputFile> next();

 private:
  struct Entry {
    std::string key;  // the name; of a folder with a slash at the end, as in its files' paths
    bool folder = false;
  };
  struct Level {
    std::filesystem::path folder;
    std::vector<Entry> entries;  // the next one last
  };
  void enter(std::filesystem::path folder);
  static bool is_of_frond(const Level& level);
  std::optional<SkipReason> reason_to_pass(const std::filesystem::directory_entry& entry) const;

  std::filesystem::path input_;
  bool hidden_;
  Observer observer_;
  bool is_folder_ = false, started_ = false;
  std::vector<Level> levels_;
};

// Part `index` of `count` of the files of all inputs, about equal in stored bytes: whole files, contiguous in the order
// of the walk. Each file is in exactly one share. Builders that see the same files find the same shares by themselves.
struct InputShare {
  std::uint32_t index = 0, count = 1;
  // Whether a file is in this share: `before` is the sum of the stored bytes of all files before it, `total` of all.
  bool has(std::uint64_t before, std::uint64_t total) const;
};

// Checks that InputWalk can walk `input`. kNotFound; kInvalid: it is a device or a socket.
Result<void> check_input(const std::filesystem::path& input);

// Which files there are. Equal summaries mean the same names and sizes in the same order; contents are not compared.
struct InputSummary {
  std::uint64_t files = 0, bytes = 0;
  std::string xxh3;  // checksum of all names and sizes: docs/formats/manifest.md
  friend bool operator==(const InputSummary&, const InputSummary&) = default;
};
// "12 files of 3456 bytes"
std::string to_string(const InputSummary& input);
// Sums files up, which are added in the order of the walk.
class InputCensus {
 public:
  void add(const InputFile& file);
  // Adds every file of an input that can be listed.
  void add_all(const std::filesystem::path& input, bool hidden);
  // Stored bytes of all files so far. Pipes, and files that are gone, count as 0.
  std::uint64_t bytes() const { return bytes_; }
  InputSummary summary() const { return {files_, bytes_, digest_.hex()}; }

 private:
  std::uint64_t files_ = 0, bytes_ = 0;
  partition::Xxh3 digest_;
};

}  // namespace frond::indexer::ingest
