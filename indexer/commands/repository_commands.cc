#include <nlohmann/json.hpp>

#include "common/repository/repository.h"
#include "indexer/change/compact.h"
#include "indexer/check/check.h"
#include "indexer/commands/build_report.h"
#include "indexer/commands/command.h"
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

class PublishCommand final : public Command {
 public:
  explicit PublishCommand(config::CommandLine& app)
      : Command(app, "publish",
                "Publishes the partitions that build --partition I/P --no-publish made, as one new generation") {
    add_place_flags();
    line_.add_option("--partitions", partitions_, "How many there are: P").required().check(config::range(1, 256));
    add_publishing_flags(target_.disk_reserve);
  }

 private:
  Result<std::string> work(Logger&) override {
    const auto published = FROND_TRY(publish::publish_shares(target_.repository, target_.collection, partitions_,
                                                             target_.disk_reserve, stop_on_signal(), target_.objects));
    return generation_text(published);
  }
  std::uint32_t partitions_ = 1;
};

class CheckCommand final : public Command {
 public:
  explicit CheckCommand(config::CommandLine& app)
      : Command(app, "check",
                "Reads a generation whole: every checksum, list, document and statistic; exit 1 and a list of what is "
                "wrong") {
    add_place_flags();
    line_.add_option("--generation", generation_, "Which generation; 0: the current one")
        .show_default()
        .group("Generation");
    line_.add_flag("--json", json_, "Print the report as one JSON object").group("Output");
  }

 private:
  Result<std::string> work(Logger&) override {
    const auto report = FROND_TRY(
        check::check_generation(target_.repository, target_.collection, generation_, {.objects = target_.objects}));
    exit_code_ = report.faults == 0 ? 0 : 1;
    return json_ ? report_json(report) : report_text(report);
  }
  Generation generation_ = 0;
};

class SchemaCommand final : public Command {
 public:
  explicit SchemaCommand(config::CommandLine& app)
      : Command(app, "schema", "Prints the schema of a collection's current generation as JSON") {
    add_place_flags();
  }

 private:
  Result<std::string> work(Logger&) override {
    const auto source = FROND_TRY(repository::RepositorySource::open(target_.repository.string(), target_.collection,
                                                                     {}, target_.objects.access));
    const Generation current = FROND_TRY(source->current());
    const auto manifest = FROND_TRY(source->manifest(current));
    if (!manifest.schema.empty()) return manifest.schema;
    return Error(Code::kNotFound, "collection " + target_.collection +
                                      " has no schema: its documents have ids, URLs, titles and bodies only");
  }
};

// Of commands that have the right to write, and write no partitions.
class WriterCommand : public Command {
 protected:
  using Command::Command;
  virtual Result<std::string> work_with(repository::RepositoryWriter& writer) = 0;

 private:
  Result<std::string> work(Logger&) final {
    const auto writer =
        FROND_TRY(repository::RepositoryWriter::open(target_.repository, target_.collection, {}, target_.objects));
    return work_with(*writer);
  }
};

class RollbackCommand final : public WriterCommand {
 public:
  explicit RollbackCommand(config::CommandLine& app)
      : WriterCommand(app, "rollback", "Makes the generation before the current one current again") {
    add_place_flags();
  }

 private:
  Result<std::string> work_with(repository::RepositoryWriter& writer) override {
    return "generation " + std::to_string(FROND_TRY(writer.rollback())) + " is current";
  }
};

class SwitchCommand final : public WriterCommand {
 public:
  explicit SwitchCommand(config::CommandLine& app)
      : WriterCommand(app, "switch", "Makes a generation that is kept current, an older or a newer one") {
    add_place_flags();
    line_.add_option("--generation", generation_, "Which generation").required();
  }

 private:
  Result<std::string> work_with(repository::RepositoryWriter& writer) override {
    FROND_TRY(writer.switch_to(generation_));
    return "generation " + std::to_string(generation_) + " is current";
  }
  Generation generation_ = 0;
};

class PruneCommand final : public WriterCommand {
 public:
  explicit PruneCommand(config::CommandLine& app)
      : WriterCommand(app, "prune",
                      "Removes generations before the current one, the partitions that no other one has, and what "
                      "killed builds left") {
    add_place_flags();
    add_number(line_, "--keep", keep_, 0, 1000, "How many generations before the current one stay, for rollbacks")
        .group("Generation");
  }

 private:
  Result<std::string> work_with(repository::RepositoryWriter& writer) override {
    FROND_TRY(writer.prune(keep_));
    resume::remove_remains(writer.folder());
    change::remove_compaction_remains(writer.folder());
    return "the current generation and at most " + std::to_string(keep_) + " before it are left";
  }
  unsigned keep_ = 1;
};

}  // namespace

void add_repository_commands(config::CommandLine& app, Commands& all) {
  all.push_back(std::make_unique<PublishCommand>(app));
  all.push_back(std::make_unique<CheckCommand>(app));
  all.push_back(std::make_unique<SchemaCommand>(app));
  all.push_back(std::make_unique<RollbackCommand>(app));
  all.push_back(std::make_unique<SwitchCommand>(app));
  all.push_back(std::make_unique<PruneCommand>(app));
}

}  // namespace frond::indexer
