#pragma once
// A generation that many builders make: each builds one partition from its share of the input, and the last step puts
// the partitions together.
//
// A share is a repository of its own, with one partition, at shares/<I>-of-<P> below the collection: so it is whole or
// not there, a builder that is killed and started again replaces what it left, and `frond-indexer check` reads it.
// Builders need nothing of each other, and leave the collection's LOCK alone. Documents keep the order of the input:
// partition i goes on where i - 1 ends, with stride 1, so the answers are those of one build of all of the input.
#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string_view>

#include "common/base/result.h"
#include "common/repository/manifest.h"

namespace frond::indexer::publish {

// Where the builder of share `index` of `count` publishes.
std::filesystem::path share_repository(const std::filesystem::path& repository, std::string_view collection,
                                       std::uint32_t index, std::uint32_t count);

// Publishes shares 0 to count - 1 as one generation of `collection`, and removes them. One thread. Memory: 16 to 32
// bytes a document, for the check that ids are unique over all shares, and two blocks of stored fields. The files are
// linked, not copied, where the file system can; copying leaves `disk_reserve` bytes of the disk free. On any error, or
// death before CURRENT is switched, the collection and the shares are as they were. kNotFound: a share is not built,
// which the message names; kInvalid: shares were built with different options or from different lists of input files,
// two hold the same id, or none holds a document; kUnavailable: another writer has the collection, the disk, or
// stopped.
Result<repository::Manifest> publish_shares(const std::filesystem::path& repository, std::string_view collection,
                                            std::uint32_t count, std::uint64_t disk_reserve, std::stop_token stop);

}  // namespace frond::indexer::publish
