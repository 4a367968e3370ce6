#include "indexer/commands/command.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <thread>

#include "common/base/line_writer.h"
#include "common/config/object_flags.h"
#include "common/objects/place.h"

namespace frond::indexer {

std::uint32_t hardware_threads() { return std::max(1u, std::thread::hardware_concurrency()); }

int Command::run(Logger& logger) {
  if (const auto well = check(); !well) return line_.refuse(well.error().message());
  const auto done = work(logger);
  const int signal = signals_ ? signals_->signal() : 0;
  signals_.reset();
  if (done) {
    if (!done->empty()) std::cout << *done << std::endl;
    return exit_code_;
  }
  if (signal == 0) {
    write_stderr("frond-indexer: " + done.error().message() + "\n");
    return failed_code_;
  }
  write_stderr("frond-indexer: stopped by signal " + std::to_string(signal) + "; " + std::string(after_signal_) + "\n");
  return 128 + signal;
}

Result<void> Command::check() {
  FROND_TRY(settle_place());
  return expect_collection();
}

void Command::add_repository_flags() {
  line_.add_option("--repository", target_.repository, "The repository: a directory or s3://bucket[/prefix]")
      .required()
      .type_name("PLACE");
  objects::Access& access = target_.objects.access;
  access.counts = std::make_shared<objects::Counts>();
  line_.add_option("--tls-ca", access.tls_ca,
                   "PEM file of the authorities to believe of an https object store; default: the system's");
  config::add_object_flags(line_, access);
  number("--s3-lease-seconds", lease_s_, 3, 3600,
         "A writer of an s3:// repository that was silent for so long is taken for dead; the same for "
         "all writers of a repository");
  number("--s3-leftover-hours", leftover_hours_, 1, 8760,
         "How old objects must be that no published generation names before they are removed");
}

void Command::add_place_flags() {
  add_repository_flags();
  line_.add_option("--collection", target_.collection, "Collection: letters, digits, '.', '_', '-'")
      .required()
      .type_name("NAME");
  line_
      .add_option("--scratch", target_.objects.scratch,
                  "Local folder for what is built before it goes to an s3:// repository, which needs it")
      .type_name("DIR")
      .group("Object storage");
}

void Command::add_disk_reserve_flag(std::uint64_t& reserve) {
  bytes("--disk-reserve", reserve, "64MiB",
        "Free space that has to stay on the repository's disk: what would take it is not begun");
}

Result<void> Command::settle_place(std::string_view scratch_flag) {
  objects::Access& access = target_.objects.access;
  access.lease = std::chrono::seconds(lease_s_);
  access.leftover_age = std::chrono::hours(leftover_hours_);
  const std::string text = target_.repository.string();
  if (!objects::is_object_place(text)) {
    // Also what was to be a URL: s3:/bucket.
    const auto colon = text.find(':');
    const bool scheme = colon != text.npos && colon > 0 && text.find('/') == colon + 1;
    if (!scheme && !text.starts_with("s3:")) return {};
    return Error(Code::kInvalid, "--repository: a directory or s3://bucket[/prefix] is needed");
  }
  auto parsed = objects::parse_place(text, access);
  if (!parsed) return std::move(parsed).error().within("--repository");
  if (target_.objects.scratch.empty() && !scratch_flag.empty())
    return Error(Code::kInvalid, std::string(scratch_flag) + " is needed with an s3:// repository");
  return {};
}

Result<void> Command::expect_collection_name() const {
  if (repository::is_safe_name(target_.collection)) return {};
  return Error(Code::kInvalid, "--collection: '" + target_.collection + "' is no name: use [A-Za-z0-9._-]");
}

Result<void> Command::expect_collection() const {
  std::error_code failed;
  const std::string root = target_.repository.string(), nothing = "nothing is published of collection ";
  const std::string& collection = target_.collection;
  const bool in_store = objects::is_object_place(root);
  if (!in_store && !std::filesystem::is_directory(root, failed))
    return Error(Code::kInvalid, "--repository: " + nothing + collection + ": " + root +
                                     (std::filesystem::exists(root, failed) ? " is no folder" : " does not exist"));
  FROND_TRY(expect_collection_name());
  if (!in_store && !std::filesystem::is_directory(target_.repository / collection, failed))
    return Error(Code::kInvalid, "--collection: " + nothing + collection + " in " + root +
                                     ", which has: " + repository::collections_in(root) + ". Since collection " +
                                     collection + " has no generation, begin with frond-indexer build");
  return {};
}

}  // namespace frond::indexer
