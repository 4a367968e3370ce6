#pragma once
// The commands of `frond`: each adds itself to the program, one file a command. What a command does runs when the
// command line is parsed, and leaves its exit status in `status`: 0, or 1 after one line on stderr.
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/net/address.h"
#include "common/tls/trust.h"

namespace frond::config {
class CommandLine;
}

namespace frond::tools {

void add_search(config::CommandLine& program, int& status);
void add_run(config::CommandLine& program, int& status);
void add_load(config::CommandLine& program, int& status);
void add_probe(config::CommandLine& program, int& status);
void add_keygen(config::CommandLine& program, int& status);
void add_bench(config::CommandLine& program, int& status);  // tools/bench
void add_synth(config::CommandLine& program, int& status);  // tools/synth

// What every command says to a broker. Kept beside the command's own flags.
struct QueryFlags {
  std::string broker = "http://127.0.0.1:8080";
  std::string tls_ca;                  // PEM file of authorities; empty: the system's
  std::string mode, processor, cache;  // empty: the broker's default
  std::uint32_t k = 10;
  std::uint32_t timeout_ms = 0;  // 0: the broker's default
};
void add_query_flags(config::CommandLine& command, QueryFlags& flags);
// --tls-ca, read with the command line, so that a bad file is one of its errors. `file` outlives the command.
void add_tls_ca(config::CommandLine& command, std::string& file);
// Where the broker is, and whom to trust there: null for a plain address.
struct Endpoint {
  net::Url url;
  std::shared_ptr<const tls::Trust> trust;
};
Result<Endpoint> endpoint_of(std::string_view url, const std::string& tls_ca);
// "/v1/search?q=…&k=…" with the flags that were given.
std::string search_target(const QueryFlags& flags, std::string_view query, std::uint32_t offset = 0);
// How long the tool itself waits for an answer: longer than the broker's deadline.
std::chrono::milliseconds patience(const QueryFlags& flags);

// 0; or 1, with the error on stderr behind the command's name.
int exit_status(std::string_view command, const Result<void>& outcome);

}  // namespace frond::tools
