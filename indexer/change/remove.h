#pragma once
// `frond-indexer remove`: a generation without documents that are named by their ids.
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/repository/repository.h"

namespace frond::indexer::change {

struct RemovalSummary {
  std::uint64_t removed = 0, unknown = 0, repeated = 0;  // ids: of documents, of none, given before
  std::string an_unknown;                                // the first of these
  std::optional<repository::Manifest> published;         // none if no id is of a document: nothing is changed
};

struct ChangeOptions {
  std::filesystem::path repository;
  std::string collection;
  std::uint64_t disk_reserve = 0;                          // bytes of the repository's disk that must stay free
  std::function<void(std::string_view)> before_step = {};  // for tests: see RepositoryWriter::open()
  repository::ObjectWriting objects = {};                  // if the repository is s3://bucket/prefix
  std::chrono::milliseconds patience{0};  // while another writer holds the collection; at least the lease of a dead one
  std::uint64_t log_sequence = 0;         // of a removal: see Change
  std::string log_id = {};
};

// `next_id` gives the ids one by one, then nothing; its errors end the removal. Nothing is changed after an error.
// kNotFound: the collection has no generation; kUnavailable: another writer holds it, the disk, or stopped.
Result<RemovalSummary> remove_documents(const ChangeOptions& options,
                                        const std::function<Result<std::optional<std::string>>()>& next_id,
                                        std::stop_token stop);

}  // namespace frond::indexer::change
