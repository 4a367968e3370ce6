// frond keygen: makes a pair of CURVE keys for a broker or for the leaves.

#include <cstdio>
#include <memory>

#include "common/config/command_line.h"
#include "tools/commands.h"
#include "tools/key_files.h"

namespace frond::tools {

void add_keygen(config::CommandLine& program, int& status) {
  config::CommandLine& command = program.add_command(
      "keygen", "Makes a pair of keys for CURVE between brokers and leaves: PREFIX.secret and PREFIX.public");
  const auto prefix = std::make_shared<std::string>();
  command.add_option("--output", *prefix, "PREFIX of both files; neither may be there").required();
  command.on_chosen([prefix, &status] {
    const auto key = write_new_keys(*prefix);
    if (key) std::printf("%s.secret\n%s.public %s\n", prefix->c_str(), prefix->c_str(), key->c_str());
    status = exit_status("keygen", key ? Result<void>() : Result<void>(key.error()));
  });
}

}  // namespace frond::tools
