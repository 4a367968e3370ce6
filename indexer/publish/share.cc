#include "indexer/publish/share.h"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "common/objects/object_store.h"
#include "common/partition/published_partition.h"
#include "common/repository/disk_space.h"
#include "common/repository/repository.h"
#include "indexer/pipeline/ids.h"
#include "indexer/publish/publication.h"

namespace frond::indexer::publish {
namespace {

namespace fs = std::filesystem;
using repository::Manifest;
using repository::PartitionEntry;

std::string share_name(std::uint32_t index, std::uint32_t count) {
  return std::to_string(index) + "/" + std::to_string(count);
}

Result<Manifest> read_share(const fs::path& folder, std::string_view collection, const std::string& name,
                            const objects::Access& access) {
  const auto absent = [&] {
    return Error(Code::kNotFound,
                 "partition " + name + " is not built: run frond-indexer build --partition " + name + " --no-publish");
  };
  std::error_code unknown;
  if (!objects::is_object_place(folder.string()) && !fs::exists(folder / collection, unknown)) return absent();
  const auto source = FROND_TRY(repository::RepositorySource::open(folder.string(), collection, {}, access));
  auto current = source->current();
  if (!current && current.error().code() == Code::kNotFound) return absent();
  if (!current) return std::move(current).error().within("partition " + name);
  auto manifest = source->manifest(*current);
  if (!manifest) return std::move(manifest).error().within("partition " + name);
  if (manifest->partitions.size() != 1)
    return Error(Code::kInvalid, "partition " + name + ": its build has " +
                                     std::to_string(manifest->partitions.size()) + " partitions");
  return manifest;
}

// An option that all partitions of a generation must share, and these two do not; null: there is none.
const char* difference(const Manifest& a, const Manifest& b) {
  if (a.codec != b.codec) return "codec";
  if (a.stored != b.stored) return "stored compression";
  if (a.order != b.order) return "order";
  if (a.analyzer.kind != b.analyzer.kind) return "analyzer";
  if (a.analyzer.fold_accents != b.analyzer.fold_accents) return "folding of accents";
  if (a.analyzer.split_case != b.analyzer.split_case) return "splitting of words at capitals";
  if (a.analyzer.stemmer != b.analyzer.stemmer) return "stemmer";
  if (a.analyzer.stop_words != b.analyzer.stop_words) return "stop words";
  if (a.bm25.k1 != b.bm25.k1 || a.bm25.b != b.bm25.b) return "k1 or b";
  if (a.schema != b.schema) return "schema";
  return nullptr;
}

// Shares are parts of the list of all input files, so builders that saw different lists may read a document twice or
// not at all. The most frequent list is taken as the right one; the message names a share that has another.
Result<void> same_input(const std::vector<Manifest>& shares) {
  const auto alike = [&](const Manifest& one) {
    return std::count_if(shares.begin(), shares.end(), [&](const Manifest& other) { return one.input == other.input; });
  };
  const auto usual = std::max_element(shares.begin(), shares.end(),
                                      [&](const Manifest& a, const Manifest& b) { return alike(a) < alike(b); });
  const auto other =
      std::find_if(shares.begin(), shares.end(), [&](const Manifest& one) { return !(one.input == usual->input); });
  if (other == shares.end()) return {};
  const auto count = static_cast<std::uint32_t>(shares.size());
  const auto describe = [&](std::vector<Manifest>::const_iterator share) {
    const auto& input = share->input;
    return share_name(static_cast<std::uint32_t>(share - shares.begin()), count) + " from " +
           std::to_string(input.files) + " files of " + std::to_string(input.bytes) + " bytes (" +
           (input.xxh3.empty() ? "not recorded" : input.xxh3) + ")";
  };
  return Error(Code::kInvalid, "the input changed between builders: partition " + describe(other) + ", partition " +
                                   describe(usual) + "; build again what was built from another input");
}

// Puts the files of a share's partition under `to`: links them or, if the file system cannot, or is another one,
// copies, verifies and syncs them.
Result<void> take_files(const fs::path& share, std::string_view collection, const PartitionEntry& entry,
                        const fs::path& to, std::uint64_t disk_reserve, const objects::Access& access) {
  std::error_code failed;
  fs::create_directory(to, failed);
  if (failed) return Error(Code::kUnavailable, to.string() + ": " + failed.message());
  const auto source = FROND_TRY(repository::RepositorySource::open(share.string(), collection, {}, access));
  for (const auto& file : entry.summary.files) {
    const std::string path = repository::partition_file_path(entry, file);
    if (!objects::is_object_place(share.string())) {
      fs::create_hard_link(share / collection / path, to / file.name, failed);
      if (!failed) continue;
    }
    FROND_TRY(repository::expect_room(to, file.bytes, disk_reserve, "copying " + path));
    FROND_TRY(source->fetch(path, file, to / file.name));
  }
  return {};
}

// A single build drops the second document of an id; here two partitions would both have it.
Result<void> add_ids(pipeline::IdSet& ids, const fs::path& folder, const PartitionEntry& entry, const std::string& name,
                     const std::stop_token& stop) {
  return partition::IdFiles(folder, entry.summary.files).for_each([&](std::string_view id, DocId) -> Result<void> {
    if (stop.stop_requested()) return Error(Code::kUnavailable, "stopped");
    if (ids.insert(parse::hash_id(id))) return {};
    return Error(Code::kInvalid, "partition " + name + ": the id '" + std::string(id) +
                                     "' is in an earlier partition too; ids are unique");
  });
}

// All objects of a place. What stays is replaced by the next build.
void remove_objects(const std::string& place, const objects::Access& access) {
  const auto store = objects::ObjectStore::open(place, access);
  if (!store) return;
  const auto found = (*store)->list("", /*folders=*/false);
  if (!found) return;
  for (const auto& object : found->objects) (void)(*store)->remove(object.key).has_value();
}

}  // namespace

fs::path share_repository(const fs::path& repository, std::string_view collection, std::uint32_t index,
                          std::uint32_t count) {
  return repository / collection / "shares" / (std::to_string(index) + "-of-" + std::to_string(count));
}

Result<Manifest> publish_shares(const fs::path& repository, std::string_view collection, std::uint32_t count,
                                std::uint64_t disk_reserve, std::stop_token stop,
                                const repository::ObjectWriting& objects) {
  const auto writer = FROND_TRY(repository::RepositoryWriter::open(repository, collection, {}, objects));
  const EmptiedFolder emptied(writer->building());
  FROND_TRY(repository::expect_room(writer->building(), 0, disk_reserve, "publishing"));
  std::vector<Manifest> shares;
  for (std::uint32_t i = 0; i < count; ++i) {
    const fs::path folder = share_repository(repository, collection, i, count);
    shares.push_back(FROND_TRY(read_share(folder, collection, share_name(i, count), objects.access)));
    if (const char* const what = difference(shares[0], shares[i]))
      return Error(Code::kInvalid, "partitions " + share_name(0, count) + " and " + share_name(i, count) +
                                       " were built with different options: " + what);
  }
  FROND_TRY(same_input(shares));

  Manifest draft;
  draft.collection = collection;
  draft.codec = shares[0].codec;
  draft.stored = shares[0].stored;
  draft.order = shares[0].order;
  draft.input = shares[0].input;
  draft.analyzer = shares[0].analyzer;
  draft.bm25 = shares[0].bm25;
  draft.schema = shares[0].schema;
  pipeline::IdSet ids;
  for (std::uint32_t i = 0; i < count; ++i) {
    PartitionEntry entry = shares[i].partitions[0];
    const std::string id = new_partition_id(writer->next_generation(), i);
    FROND_TRY(take_files(share_repository(repository, collection, i, count), collection, entry, writer->building() / id,
                         disk_reserve, objects.access));
    entry.id = id;
    entry.base = ids.size();
    entry.stride = 1;
    FROND_TRY(add_ids(ids, writer->building() / entry.id, entry, share_name(i, count), stop));
    draft.partitions.push_back(std::move(entry));
  }
  if (ids.size() == 0) return Error(Code::kInvalid, "no partition has a document; nothing is published");
  Manifest published = FROND_TRY(publish_generation(*writer, std::move(draft), stop));
  std::error_code ignored;  // what stays is replaced by the next build
  for (std::uint32_t i = 0; i < count; ++i) {
    const fs::path share = share_repository(repository, collection, i, count);
    if (objects::is_object_place(share.string()))
      remove_objects(share.string(), objects.access);
    else
      fs::remove_all(share, ignored);
  }
  fs::remove(repository / collection / "shares", ignored);  // when it is empty
  return published;
}

}  // namespace frond::indexer::publish
