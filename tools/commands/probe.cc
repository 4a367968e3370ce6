// frond probe: tells whether a process is ready. For health checks of containers, which have no curl.

#include <memory>
#include <utility>

#include "common/config/command_line.h"
#include "tools/client/broker_client.h"
#include "tools/commands/commands.h"

namespace frond::tools {
namespace {

// The whole path is in the client's URL prefix.
Result<void> probe(const std::string& url, const std::string& tls_ca, const std::string& key_file,
                   std::chrono::milliseconds timeout) {
  auto endpoint = FROND_TRY(endpoint_of(url, tls_ca, key_file));
  const std::string_view target = endpoint.url.path.empty() ? "/" : "";
  BrokerClient client(std::move(endpoint.url), std::move(endpoint.trust), timeout, std::move(endpoint.authorization));
  const auto reply = FROND_TRY(client.get(target));
  if (reply.status == 200) return {};
  return Error(Code::kUnavailable, url + ": status " + std::to_string(reply.status));
}

}  // namespace

void add_probe(config::CommandLine& program, int& status) {
  struct Flags {
    std::string url, tls_ca, key_file;
    std::uint32_t timeout_ms = 2000;
  };
  auto flags = std::make_shared<Flags>();
  auto& command = program.add_command("probe", "Exit 0 if a URL (/livez, /readyz) answers 200, else 1");
  command.add_option("url", flags->url, "http[s]://HOST:PORT/PATH of a broker, leaf or indexer").required();
  add_tls_ca(command, flags->tls_ca);
  add_key_file(command, flags->key_file);
  command.add_option("--timeout", flags->timeout_ms, "Milliseconds that each step may take")
      .show_default()
      .check(config::range(1, 600'000))
      .group("Broker");
  command.on_chosen([flags, &status] {
    status = exit_status(
        "probe", probe(flags->url, flags->tls_ca, flags->key_file, std::chrono::milliseconds(flags->timeout_ms)));
  });
}

}  // namespace frond::tools
