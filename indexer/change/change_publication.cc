#include "indexer/change/change_publication.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "common/base/text.h"
#include "common/partition/file_checksum.h"
#include "common/partition/terms/term_files.h"
#include "common/schema/schema_json.h"
#include "indexer/change/removed_terms.h"
#include "indexer/publish/publication.h"

namespace frond::indexer::change {
namespace {

namespace fs = std::filesystem;
using partition::ChangesPtr;
using partition::HiddenByPartition;
using partition::TermTotals;
using repository::Manifest;
using repository::PartitionEntry;

constexpr std::uint64_t kMergeRatio =
    2;                                   // a file of changes that is less than so many times the next is merged with it
constexpr std::uint64_t kBaseRatio = 4;  // changes of more than 1 / kBaseRatio of the base make a new base

class Publication {
 public:
  Publication(repository::RepositoryWriter& writer, const CurrentGeneration& current, const Change& change)
      : writer_(writer), current_(current), change_(change), draft_(current.manifest()) {
    for (const auto& [id, docids] : change.hidden_in_merged) hidden_.emplace(id, docids);
  }

  Result<Manifest> publish(std::stop_token stop) {
    draft_.generation = writer_.next_generation();
    draft_.created = utc_text(kUtcSeconds);
    draft_.input = {};  // of the last full build, which this is not
    if (change_.log_sequence > 0) {
      draft_.log_sequence = change_.log_sequence;
      draft_.log_id = change_.log_id;
    }
    FROND_TRY(take_schema());
    FROND_TRY(take_hidden());
    replace_partitions();
    FROND_TRY(publish::count_documents(change_.added, writer_.building()));
    FROND_TRY(write_changes());
    std::error_code ignored;  // the next writer removes it
    fs::remove(own_file(), ignored);
    if (stop.stop_requested()) return Error(Code::kUnavailable, "stopped");
    FROND_TRY(writer_.publish(draft_, base_file_, changes_file_));
    current_.files().keep_published(draft_, writer_.building(), base_file_, changes_file_);
    return std::move(draft_);
  }

 private:
  Result<void> take_schema() {
    if (change_.schema.empty() || change_.schema == draft_.schema) return {};
    if (draft_.schema.empty())
      return Error(Code::kInvalid, "collection " + draft_.collection + " has no schema: build it anew with one");
    const auto wanted = FROND_TRY(schema::parse_schema(change_.schema));
    const auto before = FROND_TRY(schema::parse_schema(draft_.schema));
    // Another change may have gained fields since this one began.
    if (const auto both = schema::extended(wanted, before); both && *both == before) return {};
    if (FROND_TRY(schema::extended(before, wanted)) != wanted)
      return Error(Code::kInvalid, "the schema of what is added has other fields before those of the collection");
    draft_.schema = change_.schema;
    draft_.field_tokens.resize(wanted.fields.size());
    return {};
  }

  // Counts what newly hidden documents take away.
  Result<void> take_hidden() {
    auto all = FROND_TRY(hidden_terms(current_, change_.hidden, writer_.building()));
    for (const auto& [number, docids] : change_.hidden) {
      const RemovedTerms::Counts& removed = all.counts.at(number);
      PartitionEntry& entry = draft_.partitions[number];
      entry.hidden.documents += docids.size();
      entry.hidden.tokens += removed.tokens;
      entry.hidden.postings += removed.postings;
      draft_.statistics.documents -= docids.size();
      draft_.statistics.tokens -= removed.tokens;
      draft_.postings -= removed.postings;
      partition::add_field_tokens(entry.hidden.field_tokens, removed.field_tokens);
      if (!partition::take_field_tokens(draft_.field_tokens, removed.field_tokens))
        return Error(Code::kCorrupt, "partition " + entry.id + " loses tokens of fields that the collection has not");
      hidden_[entry.id] = docids;
    }
    removed_ = std::move(all.documents);
    return {};
  }

  void replace_partitions() {
    std::vector<PartitionEntry> partitions;
    for (std::size_t p = 0; p < draft_.partitions.size(); ++p) {
      if (!change_.replaced.contains(p)) {
        partitions.push_back(std::move(draft_.partitions[p]));
        continue;
      }
      if (const auto made = change_.merged.find(p); made != change_.merged.end())
        partitions.insert(partitions.end(), made->second.begin(), made->second.end());
    }
    partitions.insert(partitions.end(), change_.added.begin(), change_.added.end());
    draft_.partitions = std::move(partitions);
    for (const PartitionEntry& entry : change_.added) {
      draft_.statistics.documents += entry.summary.documents;
      draft_.statistics.tokens += entry.summary.tokens;
      draft_.postings += entry.summary.postings;
      partition::add_field_tokens(draft_.field_tokens, entry.summary.field_tokens);
    }
  }

  // Of partitions that stay: of the current generation's and of this change.
  HiddenByPartition hidden_of(std::span<const ChangesPtr> changes) const {
    HiddenByPartition all;
    for (const PartitionEntry& entry : draft_.partitions) {
      std::vector<DocId> docids;
      for (const ChangesPtr& one : changes)
        if (const auto found = one->hidden().find(entry.id); found != one->hidden().end())
          docids.insert(docids.end(), found->second.begin(), found->second.end());
      if (const auto found = hidden_.find(entry.id); found != hidden_.end())
        docids.insert(docids.end(), found->second.begin(), found->second.end());
      std::sort(docids.begin(), docids.end());
      if (!docids.empty()) all.emplace(entry.id, std::move(docids));
    }
    return all;
  }

  // Writes what this change alone does to document frequencies, and sums up the totals.
  Result<void> write_own(const fs::path& file) {
    const auto writer = FROND_TRY(partition::ChangeWriter::create(file, hidden_of({})));
    partition::TermCursors cursors;
    for (const PartitionEntry& entry : change_.added)
      cursors.push_back(partition::terms_of_files(writer_.building() / entry.id, entry.summary.files));
    bool left = FROND_TRY(removed_->next());  // whether it is at a term
    std::uint64_t terms = draft_.terms;
    const auto before_change = current_.terms().reader();
    const auto put = [&](std::string_view term, std::int64_t by) -> Result<void> {
      if (by == 0) return {};
      const std::uint64_t before = FROND_TRY(before_change->df(term));
      const std::int64_t df = static_cast<std::int64_t>(before) + by;
      if (df < 0)
        return Error(Code::kCorrupt, "term " + partition::printable(term) + " would be in " + std::to_string(df) +
                                         " documents: the term statistics do not agree with the lists");
      terms += before > 0 ? 0 : 1;
      terms -= df == 0 ? 1 : 0;
      return writer->add_term(term, by);
    };
    const auto take_before = [&](const std::string_view* term) -> Result<void> {
      for (; left && (term == nullptr || removed_->term() < *term); left = FROND_TRY(removed_->next()))
        FROND_TRY(put(removed_->term(), -removed_->by()));
      return {};
    };
    const auto visit = [&](std::string_view term, const partition::TermStatistics& statistics) -> Result<void> {
      FROND_TRY(take_before(&term));
      auto by = static_cast<std::int64_t>(statistics.document_frequency);
      if (left && removed_->term() == term) {
        by -= removed_->by();
        left = FROND_TRY(removed_->next());
      }
      return put(term, by);
    };
    const TermTotals added = FROND_TRY(partition::merge_terms(cursors, visit));
    FROND_TRY(take_before(nullptr));
    std::uint64_t tokens = 0;
    for (const PartitionEntry& entry : change_.added)
      tokens += entry.summary.tokens + partition::sum_of(entry.summary.field_tokens);
    if (added.occurrences != tokens)
      return Error(Code::kCorrupt, "the lists added have " + std::to_string(added.occurrences) +
                                       " occurrences, the documents " + std::to_string(tokens) + " tokens");
    draft_.terms = terms;
    totals_ = {draft_.terms, draft_.postings, draft_.statistics.tokens + partition::sum_of(draft_.field_tokens)};
    return writer->finish(totals_);
  }

  // How many of the current files of changes are merged with the new one, from the end.
  std::size_t files_to_merge(std::uint64_t own_bytes) const {
    const auto& files = current_.manifest().changes;
    std::uint64_t bytes = own_bytes;
    std::size_t count = 0;
    while (count < files.size() && (files[files.size() - 1 - count].bytes < kMergeRatio * bytes ||
                                    files.size() - count >= repository::kMaxChanges))
      bytes += files[files.size() - 1 - count++].bytes;
    return count;
  }

  fs::path own_file() const { return writer_.building() / "own.sst"; }
  // Of all files of changes with `own`; a little too much where several files name a partition.
  static std::uint64_t bytes_of_hidden(std::span<const ChangesPtr> changes, const ChangesPtr& own) {
    std::uint64_t bytes = 0;
    const auto add = [&bytes](const HiddenByPartition& hidden) {
      for (const auto& [partition, docids] : hidden) bytes += 5 * docids.size() + partition.size();
    };
    for (const ChangesPtr& one : changes) add(one->hidden());
    add(own->hidden());
    return bytes;
  }

  Result<void> write_changes() {
    const bool nothing = change_.added.empty() && change_.hidden.empty();
    const auto& changes = current_.changes();
    // A compaction leaves document frequencies as they are, and hidden documents of what it replaced mean nothing.
    if (nothing && changes.empty()) return {};
    const fs::path own = own_file();
    FROND_TRY(write_own(own));
    const ChangesPtr opened = FROND_TRY(partition::Changes::open(own));
    const std::uint64_t own_bytes = FROND_TRY(partition::describe_file(own)).bytes;

    std::uint64_t all_bytes = own_bytes;
    for (const auto& file : draft_.changes) all_bytes += file.bytes;
    const std::uint64_t hidden_bytes = bytes_of_hidden(changes, opened);
    if ((all_bytes - std::min(all_bytes, hidden_bytes)) * kBaseRatio > draft_.term_statistics.bytes)
      return write_base(opened);

    const std::size_t merged = nothing ? changes.size() : files_to_merge(own_bytes);
    std::vector<ChangesPtr> sources(changes.end() - static_cast<std::ptrdiff_t>(merged), changes.end());
    draft_.changes.resize(draft_.changes.size() - merged);
    const HiddenByPartition hidden = hidden_of(sources);
    sources.push_back(opened);
    return write_file(hidden, sources);
  }

  Result<void> write_file(const HiddenByPartition& hidden, std::span<const ChangesPtr> sources) {
    changes_file_ = writer_.building() / "changes.sst";
    const auto writer = FROND_TRY(partition::ChangeWriter::create(changes_file_, hidden));
    const auto terms = partition::merged_changes(sources);
    while (FROND_TRY(terms->next())) FROND_TRY(writer->add_term(terms->term(), terms->by()));
    FROND_TRY(writer->finish(totals_));
    auto file = FROND_TRY(partition::describe_file(changes_file_));
    file.name = std::to_string(draft_.generation) + ".changes.sst";
    draft_.changes.push_back(std::move(file));
    return {};
  }

  // All document frequencies anew; hidden documents, if there are any, stay changes.
  Result<void> write_base(const ChangesPtr& own) {
    auto all = current_.changes();
    const HiddenByPartition hidden = hidden_of(all);
    all.push_back(own);
    base_file_ = writer_.building() / "terms.sst";
    const auto terms = partition::changed_terms(current_.base_terms(), std::move(all));
    FROND_TRY(partition::write_term_statistics(*terms, base_file_));
    draft_.term_statistics = FROND_TRY(partition::describe_file(base_file_));
    draft_.term_statistics.name = std::to_string(draft_.generation) + ".terms.sst";
    draft_.changes.clear();
    return hidden.empty() ? Result<void>() : write_file(hidden, {});
  }

  repository::RepositoryWriter& writer_;
  const CurrentGeneration& current_;
  const Change& change_;
  Manifest draft_;
  std::unique_ptr<partition::ChangeCursor> removed_;                   // documents that are hidden now
  std::map<std::string, std::span<const DocId>, std::less<>> hidden_;  // now; of change_
  TermTotals totals_;                                                  // of the new generation
  fs::path base_file_, changes_file_;                                  // empty: none is written
};

}  // namespace

Result<Manifest> publish_change(repository::RepositoryWriter& writer, const CurrentGeneration& current,
                                const Change& change, std::stop_token stop) {
  return Publication(writer, current, change).publish(std::move(stop));
}

}  // namespace frond::indexer::change
