// frond import: an index of Elasticsearch or OpenSearch becomes a collection.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "common/config/command_line.h"
#include "common/files/read.h"
#include "tools/commands/commands.h"
#include "tools/commands/progress.h"
#include "tools/import/import_index.h"

namespace frond::tools {
namespace {

struct ImportFlags {
  std::string from, to = "http://127.0.0.1:8080", collection, state;
  std::string key_file, tls_ca, from_key_file, from_tls_ca, from_user, from_password_file;
  ImportOptions options;
  bool quiet = false;
};

// A secret in a file, without white space around it.
Result<std::string> secret_in(const std::string& file) {
  constexpr std::size_t kMaxBytes = 4096;
  std::string secret(FROND_TRY(files::read_input(file, kMaxBytes)));
  secret.erase(secret.find_last_not_of(" \t\r\n") + 1);
  for (const char c : secret)
    if (static_cast<unsigned char>(c) < ' ') return Error(Code::kInvalid, file + ": more than one line");
  return secret;
}

std::string base64(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t at = 0; at < text.size(); at += 3) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i)
      bits = bits << 8 | (at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u);
    for (std::size_t i = 0; i < 4; ++i) out += at + i <= text.size() ? kDigits[bits >> (18 - 6 * i) & 63] : '=';
  }
  return out;
}

// The line of the header by which the node knows who asks; empty: none.
Result<std::string> authorization_of(const ImportFlags& flags) {
  if (!flags.from_key_file.empty())
    return "Authorization: ApiKey " + FROND_TRY(secret_in(flags.from_key_file)) + "\r\n";
  if (flags.from_user.empty()) return std::string();
  const std::string password = FROND_TRY(secret_in(flags.from_password_file));
  return "Authorization: Basic " + base64(flags.from_user + ":" + password) + "\r\n";
}

Result<void> import(ImportFlags flags) {
  ImportOptions& options = flags.options;
  auto from = net::parse_url(flags.from, net::Scheme::kOptional);
  if (!from) return std::move(from).error().within("--from");
  const auto slash = from->path.rfind('/');
  if (slash == std::string::npos || slash + 1 == from->path.size())
    return Error(Code::kInvalid, "--from names no index: http://HOST:9200/INDEX");
  options.index = from->path.substr(slash + 1);
  from->path.erase(slash);
  options.collection = flags.collection.empty() ? options.index : flags.collection;
  options.state = flags.state.empty() ? options.collection + ".import" : flags.state;
  options.from.url = *std::move(from);
  options.from.fields = FROND_TRY(authorization_of(flags));
  if (options.from.url.tls) options.from.trust = FROND_TRY(tls::Trust::load(flags.from_tls_ca));
  auto to = FROND_TRY(endpoint_of(flags.to, flags.tls_ca, flags.key_file));
  options.to = {std::move(to.url), std::move(to.trust), std::move(to.authorization)};
  Progress progress("import", flags.quiet);
  const auto imported =
      FROND_TRY(import_index(options, {.said = [&](const std::string& line) { progress.say(line); },
                                       .progress = [&](auto done, auto total) { progress.show(done, total); }}));
  progress.say(
      fmt::format("{} documents are in collection {}", imported.documents - imported.refused, options.collection));
  if (imported.refused == 0) return {};
  return Error(Code::kInvalid, fmt::format("{} of {} documents were refused", imported.refused, imported.documents));
}

}  // namespace

void add_import(config::CommandLine& program, int& status) {
  auto flags = std::make_shared<ImportFlags>();
  auto& command = program.add_command("import", "An index of Elasticsearch or OpenSearch to a new collection");
  command.add_option("--from", flags->from, "The index, http[s]://HOST:9200/INDEX").required();
  command.add_option("--to", flags->to, "The indexer's service, or a broker with one, http[s]://HOST:PORT")
      .show_default();
  command.add_option("--collection", flags->collection, "The collection's name; default: the index's");
  command.add_option("--state", flags->state,
                     "The file that says how far it is, for the next run; default: COLLECTION.import");
  command.add_flag("--skip", flags->options.skip,
                   "Leave out fields of types, formats and analyzers that Frond does not have; documents' sources keep "
                   "them");
  add_key_file(command, flags->key_file);
  add_tls_ca(command, flags->tls_ca);
  command.add_option("--from-key-file", flags->from_key_file, "File of an API key of the index's node").group("Node");
  auto& password = command.add_option("--from-password-file", flags->from_password_file, "File of the user's password");
  password.group("Node");
  command.add_option("--from-user", flags->from_user, "A user of the index's node").needs(password).group("Node");
  command.add_option("--from-tls-ca", flags->from_tls_ca, "As --tls-ca, for the index's node").group("Node");
  add_number(command, "--page", flags->options.page, 1, 10'000, "Documents of a request");
  add_number(command, "--retries", flags->options.retries, 0, 100,
             "How often a request is sent again that a server has no time for");
  command.add_flag("--quiet", flags->quiet, "Print no progress");
  command.on_chosen([flags, &status] { status = exit_status("import", import(*flags)); });
}

}  // namespace frond::tools
