#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "common/base/line_writer.h"
#include "common/base/process.h"
#include "common/http/router.h"
#include "common/keys/guard.h"
#include "indexer/commands.h"
#include "indexer/pipeline/memory.h"

namespace frond::indexer {
namespace {

bool is_in(const std::filesystem::path& folder, const std::filesystem::path& other) {
  if (objects::is_object_place(other.string())) return false;
  std::error_code failed;
  const auto inner = std::filesystem::weakly_canonical(folder, failed) / "";
  const auto outer = std::filesystem::weakly_canonical(other, failed) / "";
  return !failed && inner.string().starts_with(outer.string());
}

}  // namespace

ServeCommand::ServeCommand(config::CommandLine& app)
    : command_(
          app.add_command("serve",
                          "Serves the published files of a repository over HTTP, for leaves on other machines; with "
                          "API keys it writes collections, too")) {
  add_repository_flags(command_, place_);
  add_object_flags();
  add_http_flags();
  add_writing_flags();
  command_
      .add_option("--drain-publish-ms", drain_publish_ms_,
                  "Milliseconds after SIGTERM to publish what was accepted, before --drain-ms; what is left stays in "
                  "the log")
      .check(config::range(0, 3'600'000))
      .show_default();
  command_.add_option("--drain-ms", drain_ms_, "Milliseconds for open requests after SIGTERM")
      .check(config::range(0, 3'600'000))
      .show_default();
}

// Of a repository that is written with leases.
void ServeCommand::add_object_flags() {
  command_
      .add_option(
          "--state", place_.objects.scratch,
          "Local folder of accepted changes, which must outlive the process; of an s3:// repository that is written, "
          "which needs it, also of what is being built. Of a directory: collections are written with a lease, so that "
          "a service on another machine can follow; default: accepted changes are in the repository")
      .type_name("DIR")
      .group("Several services");
  command_
      .add_option("--lease-seconds", lease_s_,
                  "With --state: a service that writes a collection and was silent for so long is followed by "
                  "one that stands by")
      .check(config::range(2, 3600))
      .show_default();
  command_
      .add_option("--take-over", take_over_,
                  "With --state: a collection is taken over with the log of its last writer, or if that left "
                  "nothing unpublished (own-log); or also without what it accepted and did not publish "
                  "(any-log)")
      .check(config::one_of({"own-log", "any-log"}))
      .show_default()
      .group("Several services");
}

void ServeCommand::add_http_flags() {
  command_.add_option("--listen", options_.listen, "Where it is served: HOST:PORT")
      .required()
      .check(config::host_port());
  command_
      .add_option("--http-hosts", options_.hosts,
                  "Names of this server, separated by commas: requests under another name are answered 421, but for "
                  "addresses and probes; none: any name")
      .delimiter(',')
      .group("Addresses");
  auto& certificate = command_
                          .add_option("--tls-certificate", options_.tls_certificate,
                                      "PEM file, the server's certificate first: served over HTTPS")
                          .group("Keys and TLS");
  auto& key = command_.add_option("--tls-key", options_.tls_key, "PEM file of the certificate's private key")
                  .group("Keys and TLS");
  certificate.needs(key);
  key.needs(certificate);
  command_.add_option("--readers", options_.readers, "Threads that read files")
      .check(config::range(1, 256))
      .show_default();
  command_
      .add_option("--max-connections", options_.max_connections,
                  "HTTP connections; more are answered 503. Half of them may wait for the next generation")
      .check(config::range(1, 1 << 20))
      .show_default();
  command_
      .add_option("--max-unsent-bytes", options_.max_unsent_bytes,
                  "Bytes that are held of files being sent, 512 KiB each; past this a file is answered 503")
      .transform(config::byte_size())
      .show_default("256MiB");
  command_
      .add_option("--min-client-rate", options_.min_client_rate,
                  "Bytes a second that a client must take of a file; 0: any")
      .show_default();
}

void ServeCommand::add_writing_flags() {
  command_
      .add_option("--api-keys", options_.api_keys,
                  "File of API keys (frond keygen --api-key), read again when it changes: documents and "
                  "collections are written over "
                  "HTTP with keys of scope write and admin; none: nothing is written")
      .group("Keys and TLS");
  keys::add_limit_flags(command_, options_.of_key, options_.of_address);
  command_
      .add_option("--refresh-ms", refresh_ms_,
                  "Milliseconds from one publication of accepted changes to the next; a refresh does not wait")
      .check(config::range(10, 3'600'000))
      .show_default()
      .group("Writing");
  const auto bytes = [this](const char* name, auto& value, const char* help, const char* shown) -> config::Flag& {
    return command_.add_option(name, value, help).transform(config::byte_size()).show_default(shown);
  };
  bytes("--max-request-bytes", options_.max_request_bytes, "Bytes of documents in one request; more are answered 413",
        "16MiB");
  bytes(
      "--max-body-bytes", options_.max_body_bytes,
      "Bytes of all requests that are received or not answered yet, at least twice --max-request-bytes and 1 MiB, but "
      "for those of less than 4 KiB, of which a connection has 8 KiB. One key may use as much as it leaves for all "
      "others. Beyond, a request waits up to 10 s, then it is answered 503",
      "64MiB");
  bytes("--max-pending-bytes", options_.writing.max_pending_bytes,
        "Bytes of a collection that are accepted and not published, and 128 for each change; more "
        "are answered 429",
        "256MiB");
  bytes("--memory-limit", options_.writing.memory_limit,
        "Memory of indexing accepted changes, one collection at a time, and as much again of merging "
        "partitions, at least 128MiB; what does not fit is merged in pieces, or stays apart",
        "256MiB")
      .group("Writing");
  bytes("--compact-rate", options_.writing.compact_rate,
        "Bytes a second of documents, uncompressed, and lists that are merged in the background; 0: no limit", "0");
  add_disk_reserve_flag(command_, options_.writing.disk_reserve);
  command_
      .add_option("--keep", options_.writing.keep,
                  "How many generations before the current one of a written collection stay, for rollbacks")
      .check(config::range(1, 1000))
      .show_default()
      .group("Writing");
  command_
      .add_option("--max-collections", options_.writing.max_collections,
                  "Collections that are written; each has up to 8 MiB of log in memory, and two threads")
      .check(config::range(1, 1024))
      .show_default();
}

int ServeCommand::run(Logger& logger) {
  if (const auto hosts = http::HostList::parse(options_.hosts); !hosts)
    return command_.refuse("--http-hosts: " + hosts.error().message());
  if (options_.writing.memory_limit < pipeline::kMinMemoryLimit)
    return command_.refuse("--memory-limit: at least 128MiB");
  // One client has half of them, with its header.
  options_.max_body_bytes = std::max(options_.max_body_bytes, 2 * options_.max_request_bytes + (1 << 20));
  if (const auto well = settle_place(place_, options_.api_keys.empty() ? "" : "--state"); !well)
    return command_.refuse(well.error().message());
  std::error_code failed;
  const std::string where = place_.repository.string();
  if (!objects::is_object_place(where) && !std::filesystem::is_directory(where, failed)) {
    if (std::filesystem::exists(where, failed)) return command_.refuse("--repository: " + where + " is no folder");
    logger.warn("the repository is not there yet", {{"repository", where}});
  }
  if (!place_.objects.scratch.empty() && options_.api_keys.empty())
    return command_.refuse("--state: is only for a repository that is written (--api-keys)");
  if (!place_.objects.scratch.empty() && is_in(place_.objects.scratch, place_.repository))
    return command_.refuse("--state: it is the repository, or in it: give a folder of its own, on this machine's disk");
  options_.repository = place_.repository;
  options_.objects = place_.objects;
  options_.writing.lease = std::chrono::seconds(lease_s_);
  options_.writing.any_log = take_over_ == "any-log";
  options_.drain = std::chrono::milliseconds(drain_ms_);
  options_.drain_publish = std::chrono::milliseconds(drain_publish_ms_);
  options_.writing.refresh = std::chrono::milliseconds(refresh_ms_);
  constexpr std::chrono::seconds kMore{4};  // than the steps of an orderly end take
  const StopOnSignal signals(options_.drain + options_.drain_publish + kMore);
  prepare_server_process();
  const auto served = serve::serve(options_, logger, signals.token());
  if (served) return 0;
  write_stderr("frond-indexer: " + served.error().message() + "\n");
  return 2;
}

}  // namespace frond::indexer
