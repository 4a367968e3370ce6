#include <unistd.h>

#include "common/base/line_writer.h"
#include "common/base/server_process.h"
#include "common/http/host_list.h"
#include "indexer/commands.h"

namespace frond::indexer {

ServeCommand::ServeCommand(config::CommandLine& app)
    : command_(app.add_command("serve",
                               "Serves the published files of a repository over HTTP, for leaves on other machines")) {
  command_.add_option("--repository", options_.repository, "Directory of the repository").required().type_name("DIR");
  command_.add_option("--listen", options_.listen, "Where it is served: HOST:PORT")
      .required()
      .check(config::host_port());
  command_
      .add_option("--http-hosts", options_.hosts,
                  "Names of this server, separated by commas: requests under another name are answered 421, but for "
                  "addresses and probes; none: any name")
      .delimiter(',');
  auto& certificate = command_.add_option("--tls-certificate", options_.tls_certificate,
                                          "PEM file, the server's certificate first: served over HTTPS");
  auto& key = command_.add_option("--tls-key", options_.tls_key, "PEM file of the certificate's private key");
  certificate.needs(key);
  key.needs(certificate);
  command_.add_option("--readers", options_.readers, "Threads that read files")
      .check(config::range(1, 256))
      .show_default();
  command_.add_option("--max-connections", options_.max_connections, "HTTP connections; more are answered 503")
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
  command_.add_option("--drain-ms", drain_ms_, "Milliseconds for open requests after SIGTERM")
      .check(config::range(0, 3'600'000))
      .show_default();
}

int ServeCommand::run(Logger& logger) {
  if (const auto hosts = http::HostList::parse(options_.hosts); !hosts)
    return command_.refuse("--http-hosts: " + hosts.error().message());
  options_.drain = std::chrono::milliseconds(drain_ms_);
  const StopOnSignal signals;
  prepare_server_process();
  const auto served = serve::serve(options_, logger, signals.token());
  if (served) return 0;
  write_stderr("frond-indexer: " + served.error().message() + "\n");
  return 2;
}

}  // namespace frond::indexer
