#pragma once
// The commands of `frond`, one file each. add_…() adds a command to the program. The command runs while the command
// line is parsed, and writes its exit status to `status`: 0, or 1 after a line on stderr.
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/config/command_line.h"
#include "common/keys/api_key.h"
#include "common/net/address.h"
#include "common/tls/certificates.h"

namespace frond::tools {

void add_up(config::CommandLine& program, int& status);
void add_search(config::CommandLine& program, int& status);
void add_run(config::CommandLine& program, int& status);
void add_export_matches(config::CommandLine& program, int& status);
void add_import(config::CommandLine& program, int& status);
void add_load(config::CommandLine& program, int& status);
void add_probe(config::CommandLine& program, int& status);
void add_diagnose(config::CommandLine& program, int& status);
void add_keygen(config::CommandLine& program, int& status);
void add_plan(config::CommandLine& program, int& status);

// The flags of every command that queries a broker.
struct QueryFlags {
  std::string broker = "http://127.0.0.1:8080";
  std::string tls_ca;                                                   // PEM file of authorities; empty: the system's
  std::string key_file;                                                 // of the API key; empty: FROND_API_KEY, or none
  std::string mode, processor, cache, fields, filter, syntax, minimum;  // empty: the broker's default
  bool topics = false;  // queries are words, as written for any search engine, unless `syntax` says otherwise
  std::uint32_t k = 10;
  std::uint32_t timeout_ms = 0;           // 0: the broker's default
  std::optional<double> bm25_k1, bm25_b;  // empty: the collection's
  std::optional<double> prior_weight;     // empty: the broker's default
  std::string collection;                 // empty: the broker's first
};
void add_query_flags(config::CommandLine& command, QueryFlags& flags, const std::string& what_k = "Hits wanted");
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
  std::string authorization;                // a line of the header (broker_client.h); empty: none
};
Result<Endpoint> endpoint_of(std::string_view url, const std::string& tls_ca, const std::string& key_file);
// "/v1/search?q=…&k=…" with the given flags.
std::string search_target(const QueryFlags& flags, std::string_view query, std::uint32_t offset = 0);
// "/v1/count?q=…" with the given flags; those of hits are left out.
std::string count_target(const QueryFlags& flags, std::string_view query);
// "plain" for a topic with signs; empty: the broker's default. Brokers without a query language know no syntax, so it
// is named only where it matters.
std::string_view syntax_of(const QueryFlags& flags, std::string_view query);
// How long the tool waits for an answer; longer than the broker's deadline.
std::chrono::milliseconds patience(const QueryFlags& flags);

// Runs a program of the tools: what escapes from `run` is a line on stderr, and the exit status 1.
int main_of(const char* program, int argc, char** argv, int (*run)(int argc, char** argv));
// kInvalid: the file can't be written.
Result<void> write_text(const std::string& file, const std::string& text);
// Returns 0, or 1 after printing the command's name and the error to stderr.
int exit_status(std::string_view command, const Result<void>& outcome);

// The files that `frond keygen` writes.

// Makes a pair of CURVE keys and writes PREFIX.secret (mode 0600) and PREFIX.public (0644), each 40 characters of Z85
// and a newline. Returns the public key's text. Errors: kInvalid if one of the files exists; neither is changed.
// kUnavailable if one cannot be written; neither is left behind.
Result<std::string> write_new_keys(const std::string& prefix);

// Makes an API key and writes PREFIX.key (0600), the key and a newline, and PREFIX.entry (0644), the line for a key
// file, which is returned. `entry` needs no digest. Errors are those of write_new_keys().
Result<std::string> write_new_api_key(const std::string& prefix, keys::KeyEntry entry);

// `frond bench` and `frond synth` are in a program of their own, frond-bench, so that frond itself is built without
// engines, codecs and CUDA. frond runs it with the same arguments in its own place.

// Whether a command line (program name included) is for frond-bench: whether its first argument, apart from --config
// FILE, is bench or synth.
bool is_for_bench_program(std::span<const char* const> arguments);

// Replaces this process by the frond-bench in this program's folder. `arguments`: the whole command line, with a null
// pointer at the end. Returns only on failure: kUnavailable, naming the missing file.
Error run_bench_program(char* const* arguments);

}  // namespace frond::tools
