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
    if (members.find_field_unordered("_version").get(number) == simdjson::SUCCESS && number <= kMaxVersion)
      carried.version = number;
    if (members.find_field_unordered("_seq_no").get(number) == simdjson::SUCCESS && number < kMaxSequence)
      carried.change = number + 1;
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

Result<void> PublishedDocuments::each_source(std::span<const std::string> ids, const Take& take) {
  const auto places = FROND_TRY(generation_->find_each(ids, change::CurrentGeneration::Ids::kKept));
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (!places[i]) continue;
    auto& partition = partitions_[places[i]->partition];
    if (partition == nullptr) {
      const auto& entry = generation_->manifest().partitions[places[i]->partition];
      const auto folder = FROND_TRY(generation_->files().for_reading(entry, scratch_ / entry.id));
      partition = FROND_TRY(partition::PublishedSources::open(folder, entry.summary.files));
    }
    auto source = FROND_TRY(partition->source(places[i]->docid));
    FROND_TRY(take(i, std::move(source)));
  }
  return {};
}

Result<void> LatestDocuments::each(std::span<const std::string> ids,
                                   const std::function<Result<void>(std::size_t, const LatestDocument&)>& pending,
                                   const PublishedDocuments::Take& published) {
  std::vector<std::string> others;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (const auto known = pending_.find(ids[i]); known != pending_.end()) {
      FROND_TRY(pending(i, known->second));
      continue;
    }
    others.push_back(ids[i]);
    places.push_back(i);
  }
  if (others.empty()) return {};
  if (!opened_) published_ = FROND_TRY(open_());
  opened_ = true;
  if (published_ == nullptr) return {};
  return published_->each_source(
      others, [&](std::size_t i, std::string source) { return published(places[i], std::move(source)); });
}

Result<std::vector<LatestDocument>> LatestDocuments::find(std::span<const std::string> ids) {
  std::vector<LatestDocument> found(ids.size());
  FROND_TRY(each(
      ids,
      [&](std::size_t i, const LatestDocument& pending) {
        found[i] = pending;
        return Result<void>();
      },
      [&](std::size_t i, std::string source) {
        found[i] = latest_of(carried_source(std::move(source)));
        return Result<void>();
      }));
  return found;
}

Result<std::vector<LatestDocuments::Read>> LatestDocuments::read(std::span<const std::string> ids, std::size_t most) {
  std::vector<Read> read(ids.size());
  std::size_t bytes = 0;
  const auto take = [&](Read& one, const LatestDocument& latest, std::string source) -> Result<void> {
    bytes += source.size();
    if (bytes > most) return Error(Code::kInvalid, "the documents have more than " + std::to_string(most) + " bytes");
    one = {latest, std::move(source)};
    return {};
  };
  const auto pending = [&](std::size_t i, const LatestDocument& latest) -> Result<void> {
    if (!latest.exists) return take(read[i], latest, {});
    return take(read[i], latest, carried_source(FROND_TRY(read_line_(*latest.change))).source);
  };
  FROND_TRY(each(ids, pending, [&](std::size_t i, std::string text) {
    auto carried = carried_source(std::move(text));
    return take(read[i], latest_of(carried), std::move(carried.source));
  }));
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
