#include <iostream>

#include "common/base/line_writer.h"
#include "common/config/command_line.h"
#include "indexer/commands.h"
#include "indexer/write/collection_writer.h"

namespace frond::indexer {

AcceptLossCommand::AcceptLossCommand(config::CommandLine& app)
    : command_(app.add_command("accept-loss",
                               "Lets a service write a collection again whose log has lost acknowledged changes, "
                               "without these; says which they are")) {
  add_repository_flags(command_, place_);
  command_.add_option("--collection", place_.collection, "Collection whose log is damaged")
      .required()
      .type_name("NAME");
  command_.add_option("--state", place_.objects.scratch, "As the service has it: the local folder with the log")
      .type_name("DIR")
      .group("Several services");
}

int AcceptLossCommand::run(Logger&) {
  if (const auto well = settle_place(place_, "--state"); !well) return command_.refuse(well.error().message());
  if (const auto there = expect_collection(place_); !there) return command_.refuse(there.error().message());
  if (!repository::is_safe_name(place_.collection))
    return command_.refuse("--collection: '" + place_.collection + "' is no name: use [A-Za-z0-9._-]");
  const auto lost = [&]() -> Result<write::LogLoss> {
    const auto places = FROND_TRY(write::CollectionPlaces::open(place_.repository, place_.objects));
    return write::CollectionWriter::accept_loss(*places, place_.collection);
  }();
  if (!lost) {
    write_stderr("frond-indexer: " + lost.error().message() + "\n");
    return 1;
  }
  std::cout << (lost->any() ? "given up: " + lost->text() : std::string("nothing is missing, and nothing is changed"))
            << std::endl;
  return 0;
}

}  // namespace frond::indexer
