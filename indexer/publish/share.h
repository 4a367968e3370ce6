#pragma once
// A generation made by several builders: each builds one partition from its share of the input, and a last step puts
// the partitions together.
//
// A share is a repository of its own with one partition, at shares/<I>-of-<P> below the collection. So it is complete
// or absent; a builder that is killed and started again replaces its remains; and `frond-indexer check` can read it.
// Builders do not communicate, and do not take the collection's LOCK. Documents keep the order of the input: partition
// i begins where i - 1 ends, with stride 1, so answers are those of one build of the whole input.
#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string_view>

#include "common/base/result.h"
#include "common/repository/manifest.h"
#include "common/repository/repository.h"

namespace frond::indexer::publish {

// Where the builder of share `index` of `count` publishes.
std::filesystem::path share_repository(const std::filesystem::path& repository, std::string_view collection,
                                       std::uint32_t index, std::uint32_t count);

// Publishes shares 0 to count - 1 as one generation of `collection`, and removes them. One thread. Memory: 16 to 32
// bytes a document, to check that ids are unique over all shares, and two blocks of stored fields. Files are linked if
// the file system allows it, otherwise copied, leaving `disk_reserve` bytes of the disk free. After any error, or death
// before CURRENT is switched, the collection and the shares are unchanged. kNotFound: the share that the message names
// is not built; kInvalid: shares were built with different options or from different lists of input files, two have the
// same id, or none has a document; kUnavailable: another writer holds the collection, the disk, or stopped.
Result<repository::Manifest> publish_shares(const std::filesystem::path& repository, std::string_view collection,
                                            std::uint32_t count, std::uint64_t disk_reserve, std::stop_token stop,
                                            const repository::ObjectWriting& objects = {});

}  // namespace frond::indexer::publish
