#pragma once
// A repository in which services write the collection "example" with a lease: in a directory, or in an object store
// that obeys conditions, or does not.
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <string>

#include "common/files/read.h"
#include "common/repository/leases/writer_lease.h"
#include "common/repository/repository.h"
#include "tests/support/manifests.h"
#include "tests/support/objects/object_server.h"
#include "tests/support/scratch_folder.h"

namespace frond::repository {

enum class Kind { kDirectory, kConditions, kNoConditions };
inline std::string name_of(Kind kind) {
  return kind == Kind::kDirectory ? "Directory" : kind == Kind::kConditions ? "Conditions" : "NoConditions";
}

class LeasedRepository {
 public:
  explicit LeasedRepository(Kind kind)
      : server({.conditions = kind == Kind::kConditions}), kind_(kind), root_(folder / "repository") {
    std::ofstream(folder / "credentials") << "aws_access_key_id = test-key-id\naws_secret_access_key = test-secret\n";
  }
  std::string root() const { return kind_ == Kind::kDirectory ? root_.string() : "s3://bucket"; }
  // `machine` is also its log. Without an epoch: of a command.
  ObjectWriting writing(const std::string& machine, std::uint64_t epoch = 0) const {
    ObjectWriting how;
    how.scratch = folder / machine;
    how.epoch = epoch;
    how.log = machine;
    if (const auto found = memories.find(machine); epoch != 0 && found != memories.end()) how.memory = found->second;
    how.access.endpoint = server.url();
    how.access.credentials_file = folder / "credentials";
    how.access.retries.first_pause = std::chrono::milliseconds(1);
    how.access.retries.longest_pause = std::chrono::milliseconds(5);
    return how;
  }
  std::unique_ptr<LeasePlace> place(const std::string& machine) const {
    return open_lease_place(root(), "example", writing(machine)).value();
  }
  std::unique_ptr<RepositorySource> source() const {
    return RepositorySource::open(root(), "example", {}, writing("reader").access).value();
  }
  Result<std::unique_ptr<RepositoryWriter>> writer(const std::string& machine, std::uint64_t epoch,
                                                   std::function<void(std::string_view)> before_step = {}) const {
    return RepositoryWriter::open(root(), "example", std::move(before_step), writing(machine, epoch));
  }
  Result<Generation> publish(const std::string& machine, std::uint64_t epoch,
                             std::function<void(std::string_view)> before_step = {}) const {
    const auto opened = FROND_TRY(writer(machine, epoch, std::move(before_step)));
    const Generation generation = opened->next_generation();
    const auto manifest = support::write_example_generation(opened->building(), generation, 1);
    FROND_TRY(opened->publish(manifest, opened->building() / manifest.term_statistics.name));
    return generation;
  }
  std::string current() const {
    if (kind_ != Kind::kDirectory) return server.objects().at("example/CURRENT").bytes;
    return files::read_text(root_ / "example" / "CURRENT", 64).value();
  }
  // With all its files.
  void remove_collection() {
    if (kind_ == Kind::kDirectory) std::filesystem::remove_all(root_ / "example");
    for (const auto& [key, object] : server.objects()) server.remove(key);
  }
  // As a holder's that wakes up.
  void put_record(std::uint64_t epoch, const std::string& text) {
    const std::string name = "example/holders/" + std::to_string(epoch);
    if (kind_ != Kind::kDirectory) return server.put(name, text);
    std::filesystem::create_directories(root_ / "example" / "holders");
    std::ofstream(root_ / name) << text;
  }
  std::size_t records() const {
    if (kind_ == Kind::kDirectory) {
      const std::filesystem::directory_iterator there(root_ / "example" / "holders");
      return static_cast<std::size_t>(std::distance(begin(there), end(there)));
    }
    std::size_t count = 0;
    for (const auto& [key, object] : server.objects()) count += key.starts_with("example/holders/");
    return count;
  }

  support::ScratchFolder folder;
  support::ObjectServer server;
  std::map<std::string, std::shared_ptr<ObjectMemory>> memories;  // of services that have one

 private:
  const Kind kind_;
  const std::filesystem::path root_;
};

}  // namespace frond::repository
