#pragma once
// The lease of a collection, for the service that writes it.
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>

#include "common/base/log.h"
#include "common/base/result.h"
#include "common/repository/writer_lease.h"
#include "indexer/write/metrics.h"
#include "indexer/write/operation_log.h"

namespace frond::indexer::write {

// Where its records are. Requests for them end in time for the next renewal of a lease of this length, and at `stop`.
Result<std::unique_ptr<repository::LeasePlace>> lease_place(const std::filesystem::path& repository,
                                                            const std::string& collection,
                                                            repository::ObjectWriting objects,
                                                            std::chrono::milliseconds lease, std::stop_token stop);

// Where changes are set aside that another service's are newer than: in `folder`, with the time in the name.
std::filesystem::path overtaken_file(const std::filesystem::path& folder, std::uint64_t epoch);

// Puts all that waits in the log into this file, if anything does: logs and counts it. `service`: of another one, which
// is why; it may be unknown.
Result<void> set_aside_all(OperationLog& operations, const std::filesystem::path& file, const std::string& why,
                           const std::string& service, const WriteMetrics& metrics, Logger& log);

// Takes the lease for the service that has this log open, which notes the epoch. What the log has of an earlier epoch
// goes into a file in `folder`, if another log was written to since, or if it is of another life of the collection.
// Logs and counts both. Errors as WriterLease::acquire().
Result<std::unique_ptr<repository::WriterLease>> take_lease(
    const repository::LeaseTerms& terms, repository::LeasePlace& place, repository::LeaseWatch& watch,
    const std::filesystem::path& folder, OperationLog& operations, const WriteMetrics& metrics, Logger& log);

}  // namespace frond::indexer::write
