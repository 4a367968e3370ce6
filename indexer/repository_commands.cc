#include <iostream>
#include <nlohmann/json.hpp>

#include "common/base/line_writer.h"
#include "common/config/command_line.h"
#include "common/repository/repository.h"
#include "indexer/change/compact.h"
#include "indexer/check/check.h"
#include "indexer/commands.h"
#include "indexer/publish/share.h"
#include "indexer/resume/build_folder.h"

namespace frond::indexer {

namespace {

std::string report_text(const check::CheckReport& report) {
  std::string text;
  for (const check::Fault& fault : report.listed) text += fault.where + ": " + fault.what + "\n";
  if (report.faults > report.listed.size())
    text += "and " + std::to_string(report.faults - report.listed.size()) + " more\n";
  return text + "generation " + std::to_string(report.generation) + " (codec " + report.codec + ", order " +
         (report.order.empty() ? "not recorded" : report.order) + "): " + std::to_string(report.partitions) +
         " partitions, " + std::to_string(report.files) + " files, " + std::to_string(report.file_bytes) + " bytes, " +
         std::to_string(report.lists) + " lists, " + std::to_string(report.postings) + " postings, " +
         std::to_string(report.documents) + " documents read; " +
         (report.faults == 0 ? std::string("nothing is wrong") : std::to_string(report.faults) + " faults");
}

std::string report_json(const check::CheckReport& report) {
  nlohmann::ordered_json listed = nlohmann::ordered_json::array();
  for (const check::Fault& fault : report.listed) listed.push_back({{"where", fault.where}, {"what", fault.what}});
  const nlohmann::ordered_json json = {{"generation", report.generation},
                                       {"codec", report.codec},
                                       {"order", report.order},
                                       {"faults", report.faults},
                                       {"listed", listed},
                                       {"partitions", report.partitions},
                                       {"files", report.files},
                                       {"file_bytes", report.file_bytes},
                                       {"lists", report.lists},
                                       {"postings", report.postings},
                                       {"documents", report.documents}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

PublishCommand::PublishCommand(config::CommandLine& app)
    : command_(app.add_command("publish",
                               "Publishes the partitions that build --partition I/P --no-publish made, as one new "
                               "generation")) {
  add_place_flags(command_, place_);
  command_.add_option("--partitions", partitions_, "How many there are: P").required().check(config::range(1, 256));
  add_disk_reserve_flag(command_, disk_reserve_);
}

int PublishCommand::run(Logger&) {
  if (const auto well = settle_place(place_); !well) return command_.refuse(well.error().message());
  if (const auto there = expect_collection(place_); !there) return command_.refuse(there.error().message());
  if (!repository::is_safe_name(place_.collection))
    return command_.refuse("--collection: '" + place_.collection + "' is no name: use [A-Za-z0-9._-]");
  const StopOnSignal signals;
  const auto published = publish::publish_shares(place_.repository, place_.collection, partitions_, disk_reserve_,
                                                 signals.token(), place_.objects);
  if (!published && signals.signal() != 0) {
    write_stderr("frond-indexer: stopped by signal " + std::to_string(signals.signal()) + "; nothing is published\n");
    return 128 + signals.signal();
  }
  if (!published) {
    write_stderr("frond-indexer: " + published.error().message() + "\n");
    return 1;
  }
  std::cout << "generation " << published->generation << " of " << published->collection << ": "
            << published->partitions.size() << " partitions, " << published->statistics.documents << " documents, "
            << published->terms << " terms, " << published->postings << " postings" << std::endl;
  return 0;
}

CheckCommand::CheckCommand(config::CommandLine& app)
    : command_(app.add_command("check",
                               "Reads a generation whole: every checksum, list, document and statistic; "
                               "exit 1 and a list of what is wrong")) {
  add_place_flags(command_, place_);
  command_.add_option("--generation", generation_, "Which generation; 0: the current one")
      .show_default()
      .group("Generation");
  command_.add_flag("--json", json_, "Print the report as one JSON object").group("Output");
}

int CheckCommand::run(Logger&) {
  if (const auto well = settle_place(place_); !well) return command_.refuse(well.error().message());
  if (const auto there = expect_collection(place_); !there) return command_.refuse(there.error().message());
  const auto report =
      check::check_generation(place_.repository, place_.collection, generation_, {.objects = place_.objects});
  if (!report) {
    write_stderr("frond-indexer: " + report.error().message() + "\n");
    return 1;
  }
  std::cout << (json_ ? report_json(*report) : report_text(*report)) << std::endl;
  return report->faults == 0 ? 0 : 1;
}

RollbackCommand::RollbackCommand(config::CommandLine& app)
    : command_(app.add_command("rollback", "Makes the generation before the current one current again")) {
  add_place_flags(command_, place_);
}

int RollbackCommand::run(Logger&) {
  if (const auto well = settle_place(place_); !well) return command_.refuse(well.error().message());
  if (const auto there = expect_collection(place_); !there) return command_.refuse(there.error().message());
  const auto back = [&]() -> Result<Generation> {
    const auto writer =
        FROND_TRY(repository::RepositoryWriter::open(place_.repository, place_.collection, {}, place_.objects));
    return writer->rollback();
  }();
  if (!back) {
    write_stderr("frond-indexer: " + back.error().message() + "\n");
    return 1;
  }
  std::cout << "generation " << *back << " is current" << std::endl;
  return 0;
}

SwitchCommand::SwitchCommand(config::CommandLine& app)
    : command_(app.add_command("switch", "Makes a generation that is kept current, an older or a newer one")) {
  add_place_flags(command_, place_);
  command_.add_option("--generation", generation_, "Which generation").required();
}

int SwitchCommand::run(Logger&) {
  if (const auto well = settle_place(place_); !well) return command_.refuse(well.error().message());
  if (const auto there = expect_collection(place_); !there) return command_.refuse(there.error().message());
  const auto switched = [&]() -> Result<void> {
    const auto writer =
        FROND_TRY(repository::RepositoryWriter::open(place_.repository, place_.collection, {}, place_.objects));
    return writer->switch_to(generation_);
  }();
  if (!switched) {
    write_stderr("frond-indexer: " + switched.error().message() + "\n");
    return 1;
  }
  std::cout << "generation " << generation_ << " is current" << std::endl;
  return 0;
}

PruneCommand::PruneCommand(config::CommandLine& app)
    : command_(app.add_command("prune",
                               "Removes generations before the current one, the partitions that no other one has, and "
                               "what killed builds left")) {
  add_place_flags(command_, place_);
  command_.add_option("--keep", keep_, "How many generations before the current one stay, for rollbacks")
      .check(config::range(0, 1000))
      .show_default()
      .group("Generation");
}

int PruneCommand::run(Logger&) {
  if (const auto well = settle_place(place_); !well) return command_.refuse(well.error().message());
  if (const auto there = expect_collection(place_); !there) return command_.refuse(there.error().message());
  const auto pruned = [&]() -> Result<void> {
    const auto writer =
        FROND_TRY(repository::RepositoryWriter::open(place_.repository, place_.collection, {}, place_.objects));
    FROND_TRY(writer->prune(keep_));
    resume::remove_remains(writer->folder());
    change::remove_compaction_remains(writer->folder());
    return {};
  }();
  if (!pruned) {
    write_stderr("frond-indexer: " + pruned.error().message() + "\n");
    return 1;
  }
  std::cout << "the current generation and at most " << keep_ << " before it are left" << std::endl;
  return 0;
}

}  // namespace frond::indexer
