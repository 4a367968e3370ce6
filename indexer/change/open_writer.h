#pragma once
// Opens a collection for writing. Builds hold its LOCK only while they begin and while they publish, so one waits for
// another.
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/repository/repository.h"

namespace frond::indexer::change {

// What is changed, and how.
struct ChangeOptions {
  std::filesystem::path repository;  // a directory or s3://bucket[/prefix]
  std::string collection;
  std::uint64_t disk_reserve = 0;                          // bytes of the repository's disk that must stay free
  std::function<void(std::string_view)> before_step = {};  // for tests: see RepositoryWriter::open()
  repository::ObjectWriting objects = {};                  // if the repository is in an object store
  std::chrono::milliseconds patience{0};  // while another writer holds the collection; at least the lease of a dead one
  std::uint64_t log_sequence = 0;         // of what is published: see Change; 0: as it is
  std::string log_id = {};                // of the log that this is a number of
};

// Waits `patience` while another writer holds LOCK. Errors as RepositoryWriter::open();
// kUnavailable also: it was held all the time, or stopped.
Result<std::unique_ptr<repository::RepositoryWriter>> open_writer(const ChangeOptions& options,
                                                                  const std::stop_token& stop,
                                                                  std::chrono::milliseconds patience);

// Returns after `time`, or as soon as stop is requested.
void pause_for(std::chrono::steady_clock::duration time, const std::stop_token& stop);

}  // namespace frond::indexer::change
