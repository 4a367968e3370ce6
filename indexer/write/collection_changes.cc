// Changes of a CollectionWriter that depend on what a document is, and what clients keep with the collection.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>

#include "common/base/long_hash.h"
#include "common/elasticsearch/mapping.h"
#include "indexer/build/collection_kind.h"
#include "indexer/write/collection_writer.h"

namespace frond::indexer::write {
namespace {
using nlohmann::json;
using Change = CollectionWriter::DocumentChange;
using Outcome = CollectionWriter::DocumentOutcome;

// What becomes of the document, but for the number of the change.
Outcome outcome_of(const Change& change, const LatestDocument& now) {
  const Outcome conflict{Outcome::Kind::kConflict, now};
  if (change.if_change && (*change.if_change != now.change.value_or(0) || !now.exists)) return conflict;
  if (change.kind == Change::Kind::kCreate && now.exists) return conflict;
  LatestDocument next{change.kind != Change::Kind::kRemove, std::min(now.version + 1, kMaxVersion), {}};
  if (change.counted != Change::Counted::kHere) {
    const bool least = change.counted == Change::Counted::kNotLess;
    if (now.version > 0 && (least ? change.version < now.version : change.version <= now.version)) return conflict;
    next.version = change.version;
  }
  if (!next.exists) return {now.exists ? Outcome::Kind::kRemoved : Outcome::Kind::kMissing, next};
  return {now.exists ? Outcome::Kind::kUpdated : Outcome::Kind::kCreated, next};
}

// The document's line with its version.
std::string versioned(std::string line, std::uint64_t version) {
  const std::size_t begin = line.find('{');
  const bool none = line[line.find_first_not_of(" \t", begin + 1)] == '}';
  line.replace(0, begin + 1, std::string(kVersionedLine) + std::to_string(version) + (none ? "" : ","));
  return line;
}

}  // namespace

CollectionWriter::Metadata::Metadata(std::string kept)
    : text(std::move(kept)), version(text.empty() ? text : to_hex(long_hash(as_bytes(text)))) {}

// What waits in the log is read once; from then on each change tells of itself.
Result<LatestDocuments*> CollectionWriter::latest_documents() {
  if (latest_) return latest_.get();
  const auto read_line = [this](Sequence change) -> Result<std::string> {
    auto taken = FROND_TRY(operations_->read(change - 1, 1, 1));
    if (taken.operations.empty() || taken.numbers.front() != change)
      return Error(Code::kCorrupt,
                   (folder_ / kLogFolder).string() + ": change " + std::to_string(change) + " is missing");
    return std::move(taken.operations.front().line);
  };
  const auto open = [this] {
    const bool in_place = !service_.places->in_store();
    return PublishedDocuments::open(
        *source_, collection_,
        change::GenerationFiles(*source_,
                                in_place ? service_.options.repository / collection_ : std::filesystem::path(),
                                folder_ / "fetched"),
        folder_ / "looked-up");
  };
  auto made = std::make_unique<LatestDocuments>(open, read_line);
  constexpr std::uint64_t kAtATime = std::uint64_t{4} << 20;  // bytes
  for (auto some = FROND_TRY(operations_->read(published_, kAtATime)); !some.operations.empty();
       some = FROND_TRY(operations_->read(some.last, kAtATime)))
    for (std::size_t i = 0; i < some.operations.size(); ++i) {
      const Operation& one = some.operations[i];
      const std::uint64_t version = one.removes() ? 1 : carried_source(one.line).version.value_or(1);
      made->note(one.id, {!one.removes(), version, some.numbers[i]});
    }
  latest_ = std::move(made);
  return latest_.get();
}

Result<std::vector<Outcome>> CollectionWriter::change_documents(std::vector<Change> changes) {
  {
    const MutexLock lock(mutex_);
    FROND_TRY(expect_going());
    ++accepting_;
  }
  const Accepting counted{*this};
  Appended appended;
  std::vector<Operation> operations;
  auto outcomes = [&]() -> Result<std::vector<Outcome>> {
    const MutexLock changing(changing_);
    LatestDocuments& documents = *FROND_TRY(latest_documents());
    std::unordered_map<std::string_view, std::size_t> places;  // of each id
    places.reserve(changes.size());
    std::vector<std::string> ids;
    std::vector<std::size_t> place_of;  // by change
    for (const Change& change : changes) {
      const auto [at, added] = places.try_emplace(change.id, ids.size());
      if (added) ids.push_back(change.id);
      place_of.push_back(at->second);
    }
    auto now = FROND_TRY(documents.find(ids));
    std::vector<Outcome> all;
    all.reserve(changes.size());
    operations.reserve(changes.size());
    for (std::size_t i = 0; i < changes.size(); ++i) {
      Change& change = changes[i];
      LatestDocument& of_document = now[place_of[i]];
      const Outcome outcome = all.emplace_back(outcome_of(change, of_document));
      if (outcome.kind == Outcome::Kind::kConflict) continue;
      of_document = outcome.latest;
      // Numbers are given when they are logged; a later change of this request can't name one of an earlier change.
      of_document.change = 0;
      operations.push_back(
          {change.id, outcome.latest.exists ? versioned(std::exchange(change.line, {}), outcome.latest.version) : ""});
    }
    if (operations.empty()) {
      appended.last = operations_->last();  // what conflicts may be of a request that is not synced yet
      return all;
    }
    appended = FROND_TRY(write(operations, std::nullopt));
    Sequence number = appended.last - operations.size();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].kind == Outcome::Kind::kConflict) continue;
      all[i].latest.change = ++number;
      documents.note(changes[i].id, all[i].latest);
    }
    return all;
  }();
  // Others go on meanwhile, from what is written.
  if (outcomes && (!operations.empty() || appended.last > operations_->synced()))
    if (const auto synced = sync(appended, operations.size()); !synced) outcomes = synced.error();
  return outcomes;
}

bool CollectionWriter::keeps_sources() const {
  const auto wanted = wanted_schema(), now = wanted ? wanted : schema();
  return now != nullptr && now->source_stored;
}

Result<std::vector<LatestDocuments::Read>> CollectionWriter::latest(std::span<const std::string> ids,
                                                                    std::size_t most) {
  const MutexLock changing(changing_);
  LatestDocuments& documents = *FROND_TRY(latest_documents());
  auto read = documents.read(ids, most);
  if (read || read.error().code() == Code::kInvalid) return read;
  documents.reopen();  // files of an older generation may have been removed meanwhile
  return documents.read(ids, most);
}

Result<CollectionWriter::Metadata> CollectionWriter::metadata() const {
  const MutexLock lock(metadata_mutex_);
  return Metadata(FROND_TRY(service_.places->metadata(collection_)));
}

Result<CollectionWriter::Metadata> CollectionWriter::put_metadata(std::string text, const std::string& version) {
  const MutexLock lock(metadata_mutex_);
  FROND_TRY(expect_held());
  const std::string before = Metadata(FROND_TRY(service_.places->metadata(collection_))).version;
  if (before != version) return Error(Code::kOverloaded, "what is kept has the version \"" + before + "\" now");
  FROND_TRY(renew_schema());
  FROND_TRY(take_wanted_schema(text));
  mapping_ = {};
  FROND_TRY(service_.places->put_metadata(collection_, text));
  return Metadata(std::move(text));
}

Result<CollectionWriter::StoredMapping> CollectionWriter::mapping() {
  const auto now = schema();
  const MutexLock lock(metadata_mutex_);
  if (mapping_.mapping == nullptr) {
    const json metadata = json::parse(FROND_TRY(service_.places->metadata(collection_)), nullptr,
                                      /*allow_exceptions=*/false);
    const json* const kept = elasticsearch::kept_index(metadata);
    if (kept == nullptr)
      return Error(Code::kInvalid, "no mapping of the Elasticsearch API is kept with the collection");
    auto read = elasticsearch::read_mapping(kept->value("settings", json()), kept->value("mapping", json()));
    if (!read) return Error(Code::kInvalid, "the mapping that is kept with the collection: " + read.error().reason);
    mapping_.mapping = std::make_shared<const elasticsearch::Mapping>(*std::move(read));
    schema_of_mapping_ = nullptr;
  }
  if (schema_of_mapping_ == nullptr || schema_of_mapping_ != now) {
    mapping_.in_schema =
        now != nullptr && schema::check_extends(elasticsearch::schema_of(*mapping_.mapping), *now).has_value();
    schema_of_mapping_ = now;
  }
  return mapping_;
}

// The schema that documents have from now on, if there is one in `metadata`.
Result<void> CollectionWriter::take_wanted_schema(std::string_view metadata) {
  if (metadata.empty()) return {};
  const auto wanted = FROND_TRY(schema_in_json(metadata));
  if (wanted == nullptr) return {};
  const MutexLock lock(mutex_);
  const auto known = wanted_schema_ != nullptr ? wanted_schema_ : schema_;
  if (known == nullptr) return Error(Code::kInvalid, "schema: the collection has none");
  if (schema::check_extends(*wanted, *known)) return {};  // it has more fields already
  auto extended = FROND_TRY(schema::extended(*known, *wanted));
  if (extended != *known) wanted_schema_ = std::make_shared<const schema::Schema>(std::move(extended));
  return {};
}

}  // namespace frond::indexer::write
