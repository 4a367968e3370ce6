#include <chrono>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "common/base/line_writer.h"
#include "common/config/command_line.h"
#include "common/repository/manifest.h"
#include "indexer/change/compact.h"
#include "indexer/change/remove.h"
#include "indexer/commands.h"

namespace frond::indexer {
namespace {

// Other writers hold LOCK while they begin or publish. A merge that took long is not given up easily.
constexpr std::chrono::seconds kPatience{30}, kPatienceOfMerges{600};
constexpr std::size_t kMaxIdLine = std::size_t{1} << 20;  // longer than any id; else it is no file of ids

// The lines of a file, or of standard input ("-"); empty ones are passed over, and a carriage return at the end goes.
class IdLines {
 public:
  static Result<IdLines> open(const std::filesystem::path& file) {
    IdLines lines;
    lines.name_ = file == "-" ? "standard input" : file.string();
    if (file == "-") return lines;
    lines.file_.open(file, std::ios::binary);
    if (!lines.file_) return Error(Code::kUnavailable, lines.name_ + " can't be read");
    return lines;
  }
  Result<std::optional<std::string>> next() {
    std::istream& in = file_.is_open() ? static_cast<std::istream&>(file_) : std::cin;
    for (std::string line;;) {
      line.clear();
      int c = in.get();
      for (; c != std::char_traits<char>::eof() && c != '\n'; c = in.get()) {
        line.push_back(static_cast<char>(c));
        if (line.size() > kMaxIdLine)
          return Error(Code::kInvalid, name_ + ": a line is longer than 1 MiB: one id a line is expected");
      }
      if (in.bad()) return Error(Code::kUnavailable, name_ + " can't be read");
      if (line.ends_with('\r')) line.pop_back();
      if (!line.empty()) return std::optional<std::string>(std::move(line));
      if (c == std::char_traits<char>::eof()) return std::optional<std::string>();
    }
  }

 private:
  std::string name_;
  std::ifstream file_;  // not open: standard input
};

std::string generation_text(const repository::Manifest& m) {
  return "generation " + std::to_string(m.generation) + " of " + m.collection + ": " +
         std::to_string(m.partitions.size()) + " partitions, " + std::to_string(m.statistics.documents) +
         " documents, " + std::to_string(m.terms) + " terms, " + std::to_string(m.postings) + " postings\n";
}

nlohmann::ordered_json generation_json(const std::optional<repository::Manifest>& published) {
  if (!published) return {{"generation", nullptr}};
  return {{"generation", published->generation},
          {"collection", published->collection},
          {"partitions", published->partitions.size()},
          {"documents", published->statistics.documents},
          {"tokens", published->statistics.tokens},
          {"terms", published->terms},
          {"postings", published->postings}};
}

std::string compaction_text(const change::CompactionSummary& summary) {
  std::string text;
  if (summary.published)
    text = generation_text(*summary.published) + std::to_string(summary.replaced) + " partitions became " +
           std::to_string(summary.made) + ", with " + std::to_string(summary.documents) + " documents; " +
           std::to_string(summary.dropped) + " hidden documents are gone";
  else if (summary.outdated > 0)
    text = "nothing is published";
  else
    text = summary.too_large > 0 ? "nothing is merged, and nothing is published"
                                 : "no partitions are worth merging; nothing is published";
  if (summary.hidden_meanwhile > 0)
    text += "; " + std::to_string(summary.hidden_meanwhile) + " were removed or replaced meanwhile, and are hidden";
  if (summary.outdated > 0)
    text += "; " + std::to_string(summary.outdated) +
            " merges were in vain: the collection was built anew, rolled back or compacted meanwhile";
  if (summary.too_large > 0) text += "; " + std::to_string(summary.too_large) + " merges need more than --memory-limit";
  return text;
}

std::string compaction_json(const change::CompactionSummary& summary) {
  nlohmann::ordered_json json = generation_json(summary.published);
  json["partitions_replaced"] = summary.replaced;
  json["partitions_made"] = summary.made;
  json["documents_written"] = summary.documents;
  json["hidden_dropped"] = summary.dropped;
  json["hidden_meanwhile"] = summary.hidden_meanwhile;
  json["merges_outdated"] = summary.outdated;
  json["merges_too_large"] = summary.too_large;
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string removal_text(const change::RemovalSummary& summary) {
  std::string text;
  if (summary.published) {
    text = generation_text(*summary.published);
  } else {
    text = "nothing is removed, and nothing is published\n";
  }
  text += "removed: " + std::to_string(summary.removed) + " documents; " + std::to_string(summary.unknown) +
          " ids are of no document";
  if (summary.unknown > 0) text += ", such as " + summary.an_unknown;
  if (summary.repeated > 0) text += "; " + std::to_string(summary.repeated) + " ids were given again";
  return text;
}

std::string removal_json(const change::RemovalSummary& summary) {
  nlohmann::ordered_json json = generation_json(summary.published);
  json["removed"] = summary.removed;
  json["unknown"] = summary.unknown;
  json["repeated"] = summary.repeated;
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// What every command says that failed, and its exit code.
int failed(const Error& error, const StopOnSignal& signals) {
  if (signals.signal() != 0) {
    write_stderr("frond-indexer: stopped by signal " + std::to_string(signals.signal()) + "; nothing is published\n");
    return 128 + signals.signal();
  }
  write_stderr("frond-indexer: " + error.message() + "\n");
  return 1;
}

}  // namespace

RemoveCommand::RemoveCommand(config::CommandLine& app)
    : command_(
          app.add_command("remove", "Publishes a new generation without documents, which are named by their ids")) {
  add_place_flags(command_, place_);
  command_.add_option("--ids", ids_, "File of the ids of documents to remove, one a line; - is standard input")
      .required()
      .type_name("FILE");
  add_disk_reserve_flag(command_, disk_reserve_);
  command_.add_flag("--json", json_, "Print the summary as one JSON object");
}

int RemoveCommand::run(Logger&) {
  if (const auto well = settle_place(place_); !well) return command_.refuse(well.error().message());
  if (!repository::is_safe_name(place_.collection))
    return command_.refuse("--collection: '" + place_.collection + "' is no name: use [A-Za-z0-9._-]");
  auto ids = IdLines::open(ids_);
  if (!ids) return command_.refuse("--ids: " + ids.error().message());
  const StopOnSignal signals;
  const auto removed = change::remove_documents(
      {place_.repository, place_.collection, disk_reserve_, {}, place_.objects, kPatience}, [&] { return ids->next(); },
      signals.token());
  if (!removed) return failed(removed.error(), signals);
  std::cout << (json_ ? removal_json(*removed) : removal_text(*removed)) << std::endl;
  return 0;
}

CompactCommand::CompactCommand(config::CommandLine& app)
    : command_(app.add_command("compact",
                               "Publishes a new generation with the same documents in fewer partitions, without those "
                               "that were removed or replaced")) {
  add_place_flags(command_, place_);
  command_
      .add_option("--tier-width", rules_.width,
                  "As many adjacent groups of partitions of one size become one; the next size is as many times larger")
      .check(config::range(2, 64))
      .show_default();
  command_
      .add_option("--hidden-share", rules_.hidden_share,
                  "A group of partitions with a larger share of removed or replaced documents is written anew")
      .check(config::range(0.0, 1.0))
      .show_default();
  command_.add_flag("--all", rules_.all, "Write everything anew, as many partitions as the collection was built with");
  command_
      .add_option("--compact-rate", limits_.bytes_per_second,
                  "Bytes a second of documents, uncompressed, and lists that are merged; 0: no limit")
      .transform(config::byte_size())
      .show_default("0");
  command_.add_option("--memory-limit", limits_.memory, "Merges that need more memory are not begun; 0: no limit")
      .transform(config::byte_size())
      .show_default("0");
  add_disk_reserve_flag(command_, disk_reserve_);
  command_.add_flag("--json", json_, "Print the summary as one JSON object");
}

int CompactCommand::run(Logger&) {
  if (const auto well = settle_place(place_); !well) return command_.refuse(well.error().message());
  if (!repository::is_safe_name(place_.collection))
    return command_.refuse("--collection: '" + place_.collection + "' is no name: use [A-Za-z0-9._-]");
  const StopOnSignal signals;
  const auto compacted =
      change::compact({place_.repository, place_.collection, disk_reserve_, {}, place_.objects, kPatienceOfMerges},
                      rules_, signals.token(), limits_);
  if (!compacted) return failed(compacted.error(), signals);
  std::cout << (json_ ? compaction_json(*compacted) : compaction_text(*compacted)) << std::endl;
  return 0;
}

}  // namespace frond::indexer
