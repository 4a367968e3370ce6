#pragma once
// Opens a collection for writing. Builds hold its LOCK only while they begin and while they publish, so one waits for
// another.
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/repository/repository.h"

namespace frond::indexer {

// Waits while another writer holds LOCK. Errors as RepositoryWriter::open(); kUnavailable also: it was held all the
// time, or stopped.
Result<std::unique_ptr<repository::RepositoryWriter>> open_writer(
    const std::filesystem::path& repository, const std::string& collection, const repository::ObjectWriting& objects,
    std::chrono::milliseconds patience, const std::stop_token& stop,
    const std::function<void(std::string_view)>& before_step = {});

}  // namespace frond::indexer
