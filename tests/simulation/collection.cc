#include "tests/simulation/collection.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "common/wire/codec.h"
#include "leaf/engine/exhaustive.h"
#include "leaf/serve/leaf_service.h"
#include "tests/support/inline_scheduler.h"
#include "tests/support/small_repository.h"

namespace frond::simulation {

namespace generation = leaf::generation;

namespace {
constexpr std::uint32_t kDocuments = 60;

// In the order in which a search of `words` has them.
Found found_of(const wire::Ranking& ranking, const std::map<Ordinal, std::string>& ids) {
  Found found;
  for (const topk::Hit& hit : ranking.hits)
    found.hits.push_back({hit, ids.at(hit.ordinal), static_cast<std::uint32_t>(hit.ordinal % kPartitions)});
  return found;
}
}  // namespace

const std::vector<std::string>& Collection::queries() {
  static const std::vector<std::string> all{"t0",    "t1",    "t2 t3",    "t1 t4", "t5",      "t6 t7 t8",
                                            "t0 t9", "t10",   "t11 t2",   "t3",    "absent",  "t4 absent",
                                            "t1 t2", "t8 t1", "t7 t3 t2", "t9",    "t0 t1 t2"};
  return all;
}

Collection::Collection() {
  data_ = *generation::DataFolder::open(folder_ / "data");
  for (const std::uint32_t seed : {1, 2, 3}) publish("first", seed, "");
  for (const std::uint32_t seed : {4, 5}) publish("second", seed, "-anew");
}

void Collection::publish(const std::string& repository, std::uint32_t seed, const std::string& ids_end) {
  const auto documents = support::random_documents(kDocuments, seed, "g" + std::to_string(seed));
  const auto made = support::publish_generation(folder_ / repository, kCollection, documents, kPartitions, ids_end);
  const auto source = *repository::RepositorySource::open((folder_ / repository).string(), kCollection);
  Published one;
  one.text = *source->manifest_text(made->generation);
  one.manifest = *source->parse_manifest(made->generation, one.text);
  generation::GenerationLoader loader(*source, *data_, {}, registration_, 0, nullptr, &numbers_);
  one.whole = *loader.load(one.manifest, {}, [] { return false; });
  search_all(one);
  generations_.push_back(std::move(one));
}

void Collection::search_all(Published& one) {
  generation::ServedBoard board;
  board.put({one.whole});
  leaf::engine::ExhaustiveEngine engine;
  support::InlineScheduler scheduler(clock_);
  generation::BrokerRoll brokers;
  leaf::serve::RequestsInFlight requests;
  leaf::serve::LeafService service(
      {board, lists_, engine, engine, scheduler, clock_},
      {kCollection, "oracle", "1", [] { return std::string("absent"); }}, [] { return leaf::serve::CacheState(); },
      brokers, requests);
  for (const std::string& words : queries()) {
    wire::SearchRequest request{1, one.manifest.generation, wire::Mode::kAuto};
    request.budget = seconds(1);
    request.depth = kDocuments;
    request.auto_needs = kDocuments + 1;
    for (std::size_t at = 0; at < words.size();) {
      const std::size_t end = std::min(words.find(' ', at), words.size());
      request.terms.push_back({words.substr(at, end - at), 1});
      at = end + 1;
    }
    for (std::uint32_t p = 0; p < kPartitions; ++p) request.partitions.push_back(p);
    wire::FetchRequest all{2, one.manifest.generation, seconds(1)};
    for (Ordinal ordinal = 0; ordinal < kDocuments; ++ordinal) all.ordinals.push_back(ordinal);
    wire::SearchReply reply;
    std::map<Ordinal, std::string> ids;
    service.on_request("oracle", wire::encode(wire::Request(request)), [&](const ByteBuffer& bytes) {
      auto read = wire::decode_reply(bytes);
      reply = std::get<wire::SearchReply>(*std::move(read));
    });
    service.on_request("oracle", wire::encode(wire::Request(all)), [&](const ByteBuffer& bytes) {
      const auto read = wire::decode_reply(bytes);
      for (const auto& document : std::get<wire::FetchReply>(*read).documents)
        ids.emplace(document.ordinal, document.id);
    });
    one.answers[words] = {{wire::Mode::kAnd, found_of(reply.and_ranking, ids)},
                          {wire::Mode::kOr, found_of(reply.or_ranking, ids)}};
  }
}

std::vector<Found::Hit> Collection::expected(const Published& from, const std::string& words, wire::Mode mode,
                                             const std::vector<bool>& searched) {
  std::vector<Found::Hit> all;
  const auto take = [&](wire::Mode of) {
    for (const Found::Hit& one : from.answers.at(words).at(of).hits)
      if (searched[one.partition] &&
          std::ranges::none_of(all, [&](const auto& other) { return other.hit.ordinal == one.hit.ordinal; }))
        all.push_back(one);
  };
  if (mode != wire::Mode::kOr) take(wire::Mode::kAnd);
  if (mode != wire::Mode::kAnd) take(wire::Mode::kOr);
  return all;
}

Result<std::shared_ptr<const generation::ServedGeneration>> MemoryLoader::load(const repository::Manifest& manifest,
                                                                               const generation::ServedSet& serving,
                                                                               const std::function<bool()>&) {
  if (!on_disk(manifest)) FROND_TRY(expect_room(manifest));
  const auto& all = collection_.generations();
  const auto from = std::ranges::find_if(all, [&](const Published& one) {
    return one.id() == GenerationId{manifest.generation, manifest.content};
  });
  auto loaded = std::make_shared<generation::ServedGeneration>();
  const generation::ServedGeneration& whole = *from->whole;
  loaded->serial = ++numbers_.last_serial;
  loaded->generation = whole.generation;
  loaded->content = whole.content;
  loaded->partitions_total = whole.partitions_total;
  loaded->analyzer = whole.analyzer;
  loaded->bm25 = whole.bm25;
  loaded->statistics = whole.statistics;
  loaded->terms = whole.terms;
  loaded->base_terms = whole.base_terms;
  loaded->files = whole.files;
  for (const generation::ServedPartition& one : whole.partitions) {
    if (one.number % shard_.count != shard_.number) continue;
    std::shared_ptr<const generation::OpenPartition> open;
    for (const auto& served : serving)
      for (const auto& other : served->partitions)
        if (other.open->id() == one.open->id()) open = other.open;
    if (open == nullptr)
      open = std::make_shared<generation::OpenPartition>(
          ++numbers_.last_partition, one.open->id(),
          std::shared_ptr<const partition::Partition>(one.open, &one.open->partition()), lists_);
    std::error_code ignored;
    std::filesystem::create_directories(data_.partition(one.open->id()), ignored);
    loaded->partitions.push_back({one.number, one.placement, std::move(open)});
  }
  return std::shared_ptr<const generation::ServedGeneration>(std::move(loaded));
}

bool MemoryLoader::on_disk(const repository::Manifest& manifest) const {
  std::error_code ignored;
  for (std::size_t p = shard_.number; p < manifest.partitions.size(); p += shard_.count)
    if (!std::filesystem::exists(data_.partition(manifest.partitions[p].id), ignored)) return false;
  return true;
}

Result<void> MemoryLoader::expect_room(const repository::Manifest& manifest) const {
  if (!disk_is_full || on_disk(manifest)) return {};
  return Error(Code::kUnavailable, "the disk is full");
}

}  // namespace frond::simulation
