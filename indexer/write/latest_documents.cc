#include "indexer/write/latest_documents.h"

#include <simdjson.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "indexer/ingest/formats/json_document.h"

namespace frond::indexer::write {
namespace {

// Of one that carries no number.
constexpr std::uint64_t kFirstVersion = 1;

LatestDocument latest_of(const CarriedSource& carried) {
  return {true, carried.version.value_or(kFirstVersion), carried.change};
}

}  // namespace

CarriedSource carried_source(std::string text) {
  namespace ondemand = simdjson::ondemand;
  CarriedSource carried;
  const auto raw = [&]() -> std::optional<std::string> {
    ondemand::parser parser;
    const simdjson::padded_string padded(text);
    ondemand::document record;
    ondemand::object members, source;
    if (parser.iterate(padded).get(record) != simdjson::SUCCESS ||
        record.get_object().get(members) != simdjson::SUCCESS)
      return std::nullopt;
    std::uint64_t number = 0;
    if (members.find_field_unordered("_version").get(number) == simdjson::SUCCESS) carried.version = number;
    if (members.find_field_unordered("_seq_no").get(number) == simdjson::SUCCESS) carried.change = number + 1;
    std::string_view found;
    if (members.find_field_unordered(ingest::kSourceMember).get_object().get(source) != simdjson::SUCCESS ||
        source.raw_json().get(found) != simdjson::SUCCESS)
      return std::nullopt;
    return std::string(found);
  }();
  if (!raw) carried.version.reset(), carried.change.reset();  // members of the client's own
  carried.source = raw ? *raw : std::move(text);
  return carried;
}

Result<std::unique_ptr<PublishedDocuments>> PublishedDocuments::open(const repository::RepositorySource& source,
                                                                     const std::string& collection,
                                                                     change::GenerationFiles files,
                                                                     std::filesystem::path scratch) {
  std::error_code ignored;
  std::filesystem::remove_all(scratch, ignored);
  auto generation = change::CurrentGeneration::open(source, collection, std::move(files));
  if (!generation && generation.error().code() == Code::kNotFound) return std::unique_ptr<PublishedDocuments>();
  if (!generation) return generation.error();
  return std::unique_ptr<PublishedDocuments>(new PublishedDocuments(*std::move(generation), std::move(scratch)));
}

Result<std::vector<std::optional<std::string>>> PublishedDocuments::sources(std::span<const std::string> ids) {
  const auto places = FROND_TRY(generation_->find_each(ids, change::CurrentGeneration::Ids::kKept));
  std::vector<std::optional<std::string>> sources(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (!places[i]) continue;
    auto& partition = partitions_[places[i]->partition];
    if (partition == nullptr) {
      const auto& entry = generation_->manifest().partitions[places[i]->partition];
      const auto folder = FROND_TRY(generation_->files().for_reading(entry, scratch_ / entry.id));
      partition = FROND_TRY(partition::PublishedSources::open(folder, entry.summary.files));
    }
    sources[i] = FROND_TRY(partition->source(places[i]->docid));
  }
  return sources;
}

Result<std::vector<std::optional<std::string>>> LatestDocuments::published_sources(std::span<const std::string> ids) {
  if (ids.empty()) return std::vector<std::optional<std::string>>();
  if (!opened_) published_ = FROND_TRY(open_());
  opened_ = true;
  if (published_ == nullptr) return std::vector<std::optional<std::string>>(ids.size());
  return published_->sources(ids);
}

Result<std::vector<LatestDocument>> LatestDocuments::find(std::span<const std::string> ids) {
  std::vector<LatestDocument> found(ids.size());
  std::vector<std::string> others;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto pending = pending_.find(ids[i]);
    if (pending == pending_.end()) {
      others.push_back(ids[i]);
      places.push_back(i);
      continue;
    }
    found[i] = pending->second;
  }
  auto sources = FROND_TRY(published_sources(others));
  for (std::size_t i = 0; i < others.size(); ++i)
    if (sources[i]) found[places[i]] = latest_of(carried_source(*std::move(sources[i])));
  return found;
}

Result<std::vector<LatestDocuments::Read>> LatestDocuments::read(std::span<const std::string> ids) {
  std::vector<Read> read(ids.size());
  std::vector<std::string> others;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto pending = pending_.find(ids[i]);
    if (pending == pending_.end()) {
      others.push_back(ids[i]);
      places.push_back(i);
      continue;
    }
    read[i].latest = pending->second;
    if (read[i].latest.exists) read[i].source = carried_source(FROND_TRY(read_line_(*read[i].latest.change))).source;
  }
  auto sources = FROND_TRY(published_sources(others));
  for (std::size_t i = 0; i < others.size(); ++i) {
    if (!sources[i]) continue;
    auto carried = carried_source(*std::move(sources[i]));
    read[places[i]] = {latest_of(carried), std::move(carried.source)};
  }
  return read;
}

void LatestDocuments::note(const std::string& id, const LatestDocument& latest) {
  if (*latest.change <= published_last_) return;
  const auto [known, added] = pending_.try_emplace(id, latest);
  if (!added && *known->second.change <= *latest.change) known->second = latest;
}

void LatestDocuments::published(Sequence last) {
  published_last_ = std::max(published_last_, last);
  std::erase_if(pending_, [&](const auto& one) { return *one.second.change <= last; });
  reopen();
}

}  // namespace frond::indexer::write
