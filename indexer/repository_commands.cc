#include <iostream>

#include "common/config/options.h"
#include "common/repository/repository.h"
#include "indexer/commands.h"

namespace frond::indexer {

RollbackCommand::RollbackCommand(CLI::App& app)
    : command_(*app.add_subcommand("rollback", "Makes the generation before the current one current again")) {
  add_place_flags(command_, place_);
}

int RollbackCommand::run(Logger&) {
  const auto back = [&]() -> Result<Generation> {
    const auto writer = FROND_TRY(repository::RepositoryWriter::open(place_.repository, place_.collection));
    return writer->rollback();
  }();
  if (!back) {
    std::cerr << "frond-indexer: " << back.error().message() << std::endl;
    return 1;
  }
  std::cout << "generation " << *back << " is current" << std::endl;
  return 0;
}

}  // namespace frond::indexer
