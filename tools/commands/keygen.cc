// frond keygen: makes a pair of CURVE keys for a broker or for the leaves, or an API key for clients.

#include <unistd.h>

#include <cstdio>
#include <memory>
#include <utility>

#include "common/config/command_line.h"
#include "common/files/write.h"
#include "common/keys/api_key.h"
#include "common/wire/curve_keys.h"
#include "tools/commands/commands.h"

namespace frond::tools {
namespace {

struct NewFile {
  std::string path, content;
  mode_t mode;
};

// Both files, or none.
Result<void> write_both(const NewFile& first, const NewFile& second) {
  FROND_TRY(files::write_new(first.path, first.content, first.mode));
  auto written = files::write_new(second.path, second.content, second.mode);
  if (!written) unlink(first.path.c_str());  // this call created it
  return written;
}

struct KeygenFlags {
  std::string prefix, name, scopes = "search";
  keys::Limits limits;
  std::uint32_t weight = 0;
};

Result<void> make_pair(const std::string& prefix) {
  const std::string key = FROND_TRY(write_new_keys(prefix));
  std::printf("%s.secret\n%s.public %s\n", prefix.c_str(), prefix.c_str(), key.c_str());
  return {};
}

Result<void> make_api_key(const KeygenFlags& flags) {
  keys::KeyEntry entry{.name = flags.name, .limits = flags.limits, .weight = flags.weight};
  entry.scopes = FROND_TRY(keys::Scopes::parse(flags.scopes));
  const std::string line = FROND_TRY(write_new_api_key(flags.prefix, std::move(entry)));
  std::printf("%s.key\n%s.entry %s\n", flags.prefix.c_str(), flags.prefix.c_str(), line.c_str());
  return {};
}

}  // namespace

Result<std::string> write_new_keys(const std::string& prefix) {
  const wire::CurveKeyPair keys = wire::generate_curve_keys();
  FROND_TRY(write_both({prefix + ".secret", keys.secret_z85 + "\n", 0600},
                       {prefix + ".public", keys.public_key.z85 + "\n", 0644}));
  return keys.public_key.z85;
}

Result<std::string> write_new_api_key(const std::string& prefix, keys::KeyEntry entry) {
  const std::string key = FROND_TRY(keys::make_key());
  entry.digest = tls::sha256(key);
  std::string line = entry.line();
  FROND_TRY(write_both({prefix + ".key", key + "\n", 0600}, {prefix + ".entry", line + "\n", 0644}));
  return line;
}

void add_keygen(config::CommandLine& program, int& status) {
  config::CommandLine& command = program.add_command(
      "keygen",
      "Makes a pair of keys for CURVE between brokers and leaves: PREFIX.secret and PREFIX.public; or with --api-key a "
      "client's key: PREFIX.key, and PREFIX.entry, its line for --api-keys");
  const auto flags = std::make_shared<KeygenFlags>();
  command.add_option("--output", flags->prefix, "PREFIX of both files; neither may be there").required();
  auto& api_key =
      command.add_option("--api-key", flags->name, "NAME of an API key: letters, digits and -._")
          .check(config::accepted(
              [](const std::string& name) { return keys::is_name(name) ? "" : "that is no name of a key"; }, "NAME"));
  command.add_option("--scopes", flags->scopes, "What the API key is for: search, write, admin, separated by commas")
      .check(config::accepted(
          [](const std::string& scopes) {
            const auto parsed = keys::Scopes::parse(scopes);
            return parsed ? std::string() : parsed.error().message();
          },
          "SCOPES"))
      .needs(api_key)
      .show_default();
  command.add_option("--rate", flags->limits.rate, "Requests a second with the API key; default: the server's")
      .check(config::range(keys::kMinRate, keys::kMaxRate))
      .needs(api_key);
  command.add_option("--in-flight", flags->limits.in_flight, "Requests at a time with it; default: the server's")
      .check(config::range(1, keys::kMaxInFlight))
      .needs(api_key);
  command
      .add_option("--weight", flags->weight,
                  "Its share beside other clients, where they wait for each other; default: 1")
      .check(config::range(1, keys::kMaxWeight))
      .needs(api_key);
  command.on_chosen([flags, &status] {
    status = exit_status("keygen", flags->name.empty() ? make_pair(flags->prefix) : make_api_key(*flags));
  });
}

}  // namespace frond::tools
