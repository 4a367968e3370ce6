// frond-indexer: documents to partitions to a generation.
#include <exception>
#include <string>

#include "common/base/line_writer.h"
#include "common/base/process.h"
#include "common/config/command_line.h"
#include "indexer/commands/command.h"
#include "indexer/pipeline/memory.h"

namespace frond::indexer {
namespace {

int run(int argc, const char* const* argv) {
  config::CommandLine app("Indexes documents into a repository of immutable partitions.", "frond-indexer");
  app.require_command();
  std::uint64_t log_buffer = Logger::kDefaultBufferBytes;
  config::add_log_buffer(app, log_buffer);
  Commands commands;
  add_build_commands(app, commands);
  add_change_commands(app, commands);
  add_repository_commands(app, commands);
  add_serve_commands(app, commands);
  add_ciff_commands(app, commands);
  if (const auto exit_code = app.parse(argc, argv)) return *exit_code;
  Logger logger("frond-indexer", LogLevel::kInfo, log_buffer);
  for (const auto& command : commands)
    if (command->chosen()) return command->run(logger);
  return 2;  // parse() has asked for one
}

}  // namespace
}  // namespace frond::indexer

int main(int argc, char** argv) {
  try {
    frond::hold_standard_descriptors();
    frond::report_uncaught_exceptions();
    frond::indexer::pipeline::bound_unused_memory(0);
    return frond::finish_output("frond-indexer", frond::indexer::run(argc, argv));
  } catch (const std::exception& thrown) {
    frond::write_stderr(std::string("frond-indexer: ") + thrown.what() + "\n");
    return 1;
  }
}
