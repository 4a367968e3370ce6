// frond probe: is a process ready? What health checks of containers run, where there is no curl.
#include <CLI/CLI.hpp>

#include <memory>
#include <utility>

#include "tools/broker_client.h"
#include "tools/commands.h"

namespace frond::tools {
namespace {

// The client's prefix is all of the path.
Result<void> probe(std::string_view url, std::chrono::milliseconds timeout) {
  auto address = FROND_TRY(parse_broker_url(url));
  const std::string_view target = address.prefix.empty() ? "/" : "";
  BrokerClient client(std::move(address), timeout);
  const auto reply = FROND_TRY(client.get(target));
  if (reply.status == 200) return {};
  return Error(Code::kUnavailable, std::string(url) + ": status " + std::to_string(reply.status));
}

}  // namespace

void add_probe(CLI::App& program, int& status) {
  struct Flags {
    std::string url;
    std::uint32_t timeout_ms = 2000;
  };
  auto flags = std::make_shared<Flags>();
  auto* command = program.add_subcommand("probe", "Exit 0 if a URL (/livez, /readyz) answers 200, else 1");
  command->add_option("url", flags->url, "http://HOST:PORT/PATH of a broker, leaf or indexer")->required();
  command->add_option("--timeout", flags->timeout_ms, "Milliseconds that each step may take")
      ->capture_default_str()
      ->check(CLI::Range(1, 600'000));
  command->callback([flags, &status] {
    status = exit_status("probe", probe(flags->url, std::chrono::milliseconds(flags->timeout_ms)));
  });
}

}  // namespace frond::tools
