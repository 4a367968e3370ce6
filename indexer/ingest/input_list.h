#pragma once
// Inputs to files, in an order that depends on nothing but their names.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/partition/file_checksum.h"
#include "indexer/ingest/skipped.h"

namespace frond::indexer::ingest {

struct InputFile {
  std::filesystem::path path;
  std::string name;  // below the input folder; of an input that is a file, its last component
};

// Walks one input: itself, when it is a file or pipe; else its files, recursively, in byte order of their whole paths.
// Holds the listings of the folders on the way only. Symbolic links inside a folder are passed over: what they point to
// is either there already or outside. So are files that are not regular, and, unless `hidden`, files and folders whose
// names begin with a dot. The input itself may be any of these.
class InputWalk {
 public:
  // Told of each folder that can't be listed, with the reason, and of all else that is passed over; may be empty.
  struct Observer {
    std::function<void(const std::filesystem::path&, std::string reason)> unreadable;
    std::function<void(const std::filesystem::path&, SkipReason)> passed;
  };
  InputWalk(std::filesystem::path input, bool hidden, Observer observer = {});
  bool is_folder() const { return is_folder_; }
  std::optional<InputFile> next();

 private:
  struct Entry {
    std::string key;  // the name; with a slash behind it when it is a folder, as in its files' paths
    bool folder = false;
  };
  struct Level {
    std::filesystem::path folder;
    std::vector<Entry> entries;  // the next one last
  };
  void enter(std::filesystem::path folder);
  std::optional<SkipReason> reason_to_pass(const std::filesystem::directory_entry& entry) const;

  std::filesystem::path input_;
  bool hidden_;
  Observer observer_;
  bool is_folder_ = false, started_ = false;
  std::vector<Level> levels_;
};

// Part `index` of `count` of a list of inputs, by stored bytes: whole files, contiguous in the order in which they are
// walked, each file in exactly one share. Builders that see the same files agree on the shares without talking.
struct InputShare {
  std::uint32_t index = 0, count = 1;
  // Whether the file that begins after `before` of all `total` stored bytes is in this share.
  bool has(std::uint64_t before, std::uint64_t total) const;
};

// Whether `input` is something InputWalk can walk. kNotFound; kInvalid: a device, a socket.
Result<void> check_input(const std::filesystem::path& input);

// Which files there are. Two inputs that are alike have the same names and sizes in the same order; what is in the
// files is not looked at.
struct InputSummary {
  std::uint64_t files = 0, bytes = 0;
  std::string xxh3;  // of all names and sizes: docs/formats/manifest.md
  friend bool operator==(const InputSummary&, const InputSummary&) = default;
};
// "12 files of 3456 bytes"
std::string to_string(const InputSummary& input);
// Told of files in the order in which they are walked.
class InputCensus {
 public:
  void add(const InputFile& file);
  // Every file of an input, as far as they can be seen.
  void add_all(const std::filesystem::path& input, bool hidden);
  // Stored, of all files so far. Pipes, and files that are gone, have none.
  std::uint64_t bytes() const { return bytes_; }
  InputSummary summary() const { return {files_, bytes_, digest_.hex()}; }

 private:
  std::uint64_t files_ = 0, bytes_ = 0;
  partition::Xxh3 digest_;
};

}  // namespace frond::indexer::ingest
