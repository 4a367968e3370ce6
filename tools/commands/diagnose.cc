// frond diagnose: what processes say of themselves now, in one file that can be passed on.

#include <sys/stat.h>

#include <array>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/ip/address.hpp>
#include <nlohmann/json.hpp>

#include "common/config/command_line.h"
#include "common/config/options.h"
#include "tools/client/broker_client.h"
#include "tools/commands/commands.h"
#include "tools/commands/output_file.h"

namespace frond::tools {
namespace {

using Json = nlohmann::ordered_json;

// What brokers, leaves and indexer services have between them; a process answers 404 to what is another's. None of
// these has keys or text of documents; slow searches have their queries.
constexpr std::array<std::string_view, 6> kAsked{"/livez",          "/readyz",           "/v1/cluster",
                                                 "/v1/collections", "/v1/slow-searches", "/metrics"};

struct Flags {
  std::vector<std::string> urls;
  std::string output = "frond-diagnosis.json", tls_ca, key_file;
  std::uint32_t timeout_ms = 5000;
};

bool is_of_this_machine(const std::string& host) {
  boost::system::error_code no_address;
  const auto address = boost::asio::ip::make_address(host, no_address);
  return no_address ? host == "localhost" || host.starts_with("unix:") : address.is_loopback();
}

Json answer_of(const Reply& reply) {
  Json body = Json::parse(reply.body, nullptr, false);
  if (body.is_discarded()) body = reply.body;
  return {{"status", reply.status}, {"body", std::move(body)}};
}

// `answered` counts the answers.
Json said_by(const std::string& url, const Flags& flags, std::size_t& answered) {
  Json said = {{"url", url}};
  auto endpoint = endpoint_of(url, flags.tls_ca, flags.key_file);
  if (!endpoint) return said["error"] = endpoint.error().message(), said;
  // The key is for whoever the connection is encrypted to, or this machine.
  if (!endpoint->url.tls && !is_of_this_machine(endpoint->url.host)) endpoint->authorization.clear();
  BrokerClient client(std::move(endpoint->url), std::move(endpoint->trust), std::chrono::milliseconds(flags.timeout_ms),
                      std::move(endpoint->authorization));
  for (const std::string_view path : kAsked) {
    const auto reply = client.get(path);
    if (!reply) {
      said["error"] = reply.error().message();
      break;
    }
    answered += reply->status < 400;
    said["answers"][std::string(path)] = answer_of(*reply);
  }
  return said;
}

Result<void> diagnose(const Flags& flags) {
  Json all = {{"version", config::version()}, {"time", std::time(nullptr)}, {"processes", Json::array()}};
  std::size_t answered = 0;
  for (const std::string& url : flags.urls) all["processes"].push_back(said_by(url, flags, answered));
  (void)::umask(S_IRWXG | S_IRWXO);  // it has queries
  OutputFile file(flags.output);
  *FROND_TRY(file.stream()) << all.dump(1, ' ', false, Json::error_handler_t::replace) << "\n";
  FROND_TRY(file.finish());
  if (answered > 0) return {};
  return Error(Code::kUnavailable, "no process said anything of itself; " + flags.output + " says why");
}

}  // namespace

void add_diagnose(config::CommandLine& program, int& status) {
  auto flags = std::make_shared<Flags>();
  auto& command = program.add_command(
      "diagnose", "Writes what processes say of themselves into one file: state, budgets, metrics, slow searches");
  command.add_option("urls", flags->urls, "http[s]://HOST:PORT of brokers, leaves and indexer services").required();
  command.add_option("--output", flags->output, "File that is written, JSON; -: standard output").show_default();
  add_tls_ca(command, flags->tls_ca);
  add_key_file(command, flags->key_file);
  add_number(command, "--timeout", flags->timeout_ms, 1, 600'000, "Milliseconds that each step may take")
      .group("Broker");
  command.on_chosen([flags, &status] { status = exit_status("diagnose", diagnose(*flags)); });
}

}  // namespace frond::tools
