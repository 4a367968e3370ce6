#pragma once
// The commands of `frond`, one file each. add_…() adds a command to the program. The command runs while the command
// line is parsed, and writes its exit status to `status`: 0, or 1 after a line on stderr.
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/net/address.h"
#include "common/tls/certificates.h"

namespace frond::config {
class CommandLine;
}

namespace frond::tools {

void add_search(config::CommandLine& program, int& status);
void add_run(config::CommandLine& program, int& status);
void add_load(config::CommandLine& program, int& status);
void add_probe(config::CommandLine& program, int& status);
void add_keygen(config::CommandLine& program, int& status);

// The flags of every command that queries a broker.
struct QueryFlags {
  std::string broker = "http://127.0.0.1:8080";
  std::string tls_ca;                          // PEM file of authorities; empty: the system's
  std::string key_file;                        // of the API key; empty: FROND_API_KEY, or none
  std::string mode, processor, cache, fields;  // empty: the broker's default
  std::uint32_t k = 10;
  std::uint32_t timeout_ms = 0;           // 0: the broker's default
  std::optional<double> bm25_k1, bm25_b;  // empty: the collection's
  std::optional<double> prior_weight;     // empty: the broker's default
  std::string collection;                 // empty: the broker's first
};
void add_query_flags(config::CommandLine& command, QueryFlags& flags);
// Adds --k1 and --b, which outlive the command.
void add_bm25_flags(config::CommandLine& command, std::optional<double>& k1, std::optional<double>& b);
// Adds --tls-ca. The file is read while the command line is parsed, so that a bad file is an error of the command line.
// `file` outlives the command.
void add_tls_ca(config::CommandLine& command, std::string& file);
// Adds --key-file. `file` outlives the command.
void add_key_file(config::CommandLine& command, std::string& file);
// The address of the broker, and how to talk to it.
struct Endpoint {
  net::Url url;
  std::shared_ptr<const tls::Trust> trust;  // null for a plain address
  std::string authorization;                // a line of the header (client_key.h); empty: none
};
Result<Endpoint> endpoint_of(std::string_view url, const std::string& tls_ca, const std::string& key_file);
// "/v1/search?q=…&k=…" with the given flags.
std::string search_target(const QueryFlags& flags, std::string_view query, std::uint32_t offset = 0);
// "/v1/count?q=…" with the given flags; those of hits are left out.
std::string count_target(const QueryFlags& flags, std::string_view query);
// How long the tool waits for an answer; longer than the broker's deadline.
std::chrono::milliseconds patience(const QueryFlags& flags);

// Returns 0, or 1 after printing the command's name and the error to stderr.
int exit_status(std::string_view command, const Result<void>& outcome);

}  // namespace frond::tools
