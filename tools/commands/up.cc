// frond up: indexes and serves on this machine, with one command.

#include <memory>

#include "common/base/text.h"
#include "common/config/command_line.h"
#include "tools/commands/commands.h"
#include "tools/up/up.h"

namespace frond::tools {

void add_up(config::CommandLine& program, int& status) {
  auto flags = std::make_shared<up::Options>();
  auto& command = program.add_command(
      "up",
      "Indexes documents and serves them on this machine until Ctrl-C: runs the indexer, a leaf and a broker. The same "
      "command goes on where it was");
  auto& input = command
                    .add_option("--input", flags->inputs,
                                "Files and folders to index at the first start; none: documents come over HTTP")
                    .type_name("PATH")
                    .group("Documents");
  command.add_option("--data", flags->data, "Folder for all that is kept")
      .show_default()
      .type_name("DIR")
      .group("Documents");
  command.add_option("--collection", flags->collection, "The collection's name")
      .show_default()
      .check(config::accepted(
          [](const std::string& name) {
            return is_safe_name(name) ? std::string() : "'" + name + "' is no name of a collection: use [A-Za-z0-9._-]";
          },
          "NAME"))
      .group("Documents");
  command
      .add_option(
          "--elasticsearch-api", flags->elasticsearch_api,
          "Where the Elasticsearch API is served, too: HOST:PORT; then it is below /es on --http as well. At an "
          "address that other machines reach, everything needs the key. None: it is not served")
      .check(config::host_port());
  command.add_option("--schema", flags->schema, "File with the fields of the documents of --input; infer: by them")
      .needs(input)
      .group("Documents");
  command.add_flag("--reindex", flags->reindex, "Index --input anew, in place of all that the folder has")
      .group("Documents");
  const auto logs = std::make_shared<std::string>("files");
  command.add_option("--logs", *logs, "Where the programs' logs go: files, in --data; or stderr, of this program")
      .show_default()
      .check(config::one_of({"files", "stderr"}));
  add_number(command, "--partitions", flags->partitions, 0, 1024,
             "Partitions of what is indexed; 0: one for each core, at most 8");
  command
      .add_option("--http", flags->http,
                  "Where pages, searches and changes are served: HOST:PORT, port 0 for a free one. At an address that "
                  "other machines reach, searches need the key, too")
      .show_default()
      .check(config::host_port())
      .group("Addresses");
  command.on_chosen([flags, logs, &status] {
    flags->logs_to_stderr = *logs == "stderr";
    status = exit_status("up", up::run(*flags));
  });
}

}  // namespace frond::tools
