#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "common/base/lines.h"
#include "common/files/read.h"
#include "common/repository/manifest.h"
#include "indexer/change/change_publication.h"
#include "indexer/change/compact.h"
#include "indexer/commands/build_report.h"
#include "indexer/commands/command.h"

namespace frond::indexer {
namespace {

// Other writers hold LOCK while they begin or publish. A merge that took long is not given up easily.
constexpr std::chrono::seconds kPatience{30}, kPatienceOfMerges{600};
constexpr std::size_t kMaxIdLine = std::size_t{1} << 20;  // longer than any id; else it is no file of ids

// The lines of a file, or of standard input ("-"), without a byte order mark and carriage returns at the end; empty
// ones are passed over.
class IdLines {
 public:
  static Result<IdLines> open(const std::filesystem::path& file) {
    IdLines lines;
    lines.name_ = file == "-" ? "standard input" : file.string();
    auto opened =
        file == "-" ? Result<files::Descriptor>(files::Descriptor(::dup(STDIN_FILENO))) : files::open_input(file);
    if (!opened) return Error(Code::kUnavailable, opened.error().message());
    lines.file_ = *std::move(opened);
    return lines;
  }
  Result<std::optional<std::string>> next() {
    for (;;) {
      auto end = buffered_.find('\n', at_);
      while (end == buffered_.npos && FROND_TRY(read_more())) end = buffered_.find('\n', at_);
      if (at_ == buffered_.size()) return std::optional<std::string>();
      end = std::min(end, buffered_.size());
      std::string id(without_return(std::string_view(buffered_).substr(at_, end - at_)));
      at_ = std::min(end + 1, buffered_.size());
      if (!id.empty()) return std::optional<std::string>(std::move(id));
    }
  }

 private:
  // False: there is no more.
  Result<bool> read_more() {
    constexpr std::size_t kPiece = std::size_t{64} << 10;
    if (buffered_.size() - at_ > kMaxIdLine)
      return Error(Code::kInvalid, name_ + ": a line is longer than 1 MiB: one id a line is expected");
    buffered_.erase(0, at_);
    at_ = 0;
    const std::size_t before = buffered_.size();
    buffered_.resize(before + kPiece);
    const std::size_t got = FROND_TRY(files::read_some(file_, {buffered_.data() + before, kPiece}, name_));
    buffered_.resize(before + got);
    if (const bool wide = buffered_.starts_with("\xff\xfe") || buffered_.starts_with("\xfe\xff"); wide && !begun_)
      return Error(Code::kInvalid, name_ + ": it is UTF-16: ids are expected in UTF-8");
    if (!begun_ && buffered_.size() >= kByteOrderMark.size()) {
      begun_ = true;
      if (buffered_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
    }
    return got > 0;
  }

  std::string name_, buffered_;
  std::size_t at_ = 0;  // of what is not given yet
  bool begun_ = false;
  files::Descriptor file_;
};

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
    text = generation_text(*summary.published) + "\n" + std::to_string(summary.replaced) + " partitions became " +
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
  std::string text = summary.published ? generation_text(*summary.published)
                                       : std::string("nothing is removed, and nothing is published");
  text += "\nremoved: " + std::to_string(summary.removed) + " documents; " + std::to_string(summary.unknown) +
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

class RemoveCommand final : public Command {
 public:
  explicit RemoveCommand(config::CommandLine& app)
      : Command(app, "remove", "Publishes a new generation without documents, which are named by their ids") {
    add_place_flags();
    line_
        .add_option("--ids", ids_,
                    "File of the ids of documents to remove, one a line; - is standard input. Ids of no document "
                    "are counted and named; if no id is of a document, nothing is published")
        .required()
        .type_name("FILE");
    add_publishing_flags(target_.disk_reserve);
    add_json_flag();
    target_.patience = kPatience;
  }

 private:
  Result<void> check() override {
    FROND_TRY(Command::check());
    auto lines = IdLines::open(ids_);
    if (!lines) return Error(Code::kInvalid, "--ids: " + lines.error().message());
    lines_ = *std::move(lines);
    return {};
  }
  Result<std::string> work(Logger&) override {
    const auto stop = stop_on_signal();
    const auto removed = FROND_TRY(change::remove_documents(
        target_, [&] { return lines_.next(); }, stop));
    return json_ ? removal_json(removed) : removal_text(removed);
  }
  std::filesystem::path ids_;
  IdLines lines_;
};

class CompactCommand final : public Command {
 public:
  explicit CompactCommand(config::CommandLine& app)
      : Command(app, "compact",
                "Publishes a new generation with the same documents in fewer partitions, without those that were "
                "removed or replaced") {
    add_place_flags();
    add_number(line_, "--tier-width", rules_.width, 2, 64,
               "As many adjacent groups of partitions of one size become one; the next size is as many times larger");
    line_
        .add_option("--hidden-share", rules_.hidden_share,
                    "A group of partitions with a larger share of removed or replaced documents is written anew")
        .check(config::range(0.0, 1.0))
        .show_default();
    line_.add_flag("--all", rules_.all, "Write everything anew, as many partitions as the collection was built with")
        .group("Merging");
    add_bytes(line_, "--compact-rate", limits_.bytes_per_second, "0",
              "Bytes a second of documents, uncompressed, and lists that are merged; 0: no limit")
        .group("Merging");
    add_bytes(line_, "--memory-limit", limits_.memory, "0",
              "What does not fit is merged in pieces; merges that cannot be divided and need more are not "
              "begun, and counted; 0: no limit")
        .group("Merging");
    add_publishing_flags(target_.disk_reserve);
    add_json_flag();
    target_.patience = kPatienceOfMerges;
  }

 private:
  Result<std::string> work(Logger&) override {
    const auto compacted = FROND_TRY(change::compact(target_, rules_, stop_on_signal(), limits_));
    return json_ ? compaction_json(compacted) : compaction_text(compacted);
  }
  change::TierRules rules_;
  change::CompactionLimits limits_;
};

}  // namespace

void add_change_commands(config::CommandLine& app, Commands& all) {
  all.push_back(std::make_unique<RemoveCommand>(app));
  all.push_back(std::make_unique<CompactCommand>(app));
}

}  // namespace frond::indexer
