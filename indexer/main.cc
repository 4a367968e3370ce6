// frond-indexer: documents to partitions to a generation.
#include <exception>
#include <string>

#include "common/base/line_writer.h"
#include "common/base/process.h"
#include "common/config/command_line.h"
#include "indexer/commands.h"
#include "indexer/pipeline/memory.h"

namespace frond::indexer {
namespace {

int run(int argc, const char* const* argv) {
  config::CommandLine app("Indexes documents into a repository of immutable partitions.", "frond-indexer");
  app.require_command();
  std::uint64_t log_buffer = Logger::kDefaultBufferBytes;
  config::add_log_buffer(app, log_buffer);
  BuildCommand build(app, BuildCommand::Kind::kBuild);
  BuildCommand add(app, BuildCommand::Kind::kAdd);
  RemoveCommand remove(app);
  CompactCommand compact(app);
  PublishCommand publish(app);
  CheckCommand check(app);
  RollbackCommand rollback(app);
  SwitchCommand switch_to(app);
  PruneCommand prune(app);
  ServeCommand serve(app);
  AcceptLossCommand accept_loss(app);
  ImportCiffCommand import_ciff(app);
  ExportCiffCommand export_ciff(app);
  if (const auto exit_code = app.parse(argc, argv)) return *exit_code;
  Logger logger("frond-indexer", LogLevel::kInfo, log_buffer);
  if (build.chosen()) return build.run(logger);
  if (add.chosen()) return add.run(logger);
  if (remove.chosen()) return remove.run(logger);
  if (compact.chosen()) return compact.run(logger);
  if (publish.chosen()) return publish.run(logger);
  if (check.chosen()) return check.run(logger);
  if (switch_to.chosen()) return switch_to.run(logger);
  if (prune.chosen()) return prune.run(logger);
  if (serve.chosen()) return serve.run(logger);
  if (accept_loss.chosen()) return accept_loss.run(logger);
  if (import_ciff.chosen()) return import_ciff.run(logger);
  if (export_ciff.chosen()) return export_ciff.run(logger);
  return rollback.run(logger);
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
