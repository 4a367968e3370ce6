#include "indexer/check/check.h"

#include <cerrno>
#include <cstring>
#include <numeric>

#include "common/base/text.h"
#include "common/files/write.h"
#include "common/partition/terms/change_file.h"
#include "common/partition/terms/term_statistics.h"
#include "common/repository/repository.h"
#include "common/repository/signature.h"
#include "indexer/check/partition_check.h"

namespace frond::indexer::check {
namespace {

namespace fs = std::filesystem;
using partition::GenerationTerms;
using partition::Partition;
using repository::Manifest;
using repository::PartitionEntry;

// Whether two partitions have an ordinal in common.
bool share_an_ordinal(const PartitionEntry& a, const PartitionEntry& b) {
  if (a.summary.documents == 0 || b.summary.documents == 0) return false;
  const auto last = [](const PartitionEntry& entry) {
    return entry.placement().ordinal(static_cast<DocId>(entry.summary.documents - 1));
  };
  const Ordinal from = std::max(a.base, b.base), to = std::min(last(a), last(b));
  const std::uint64_t apart = a.base > b.base ? a.base - b.base : b.base - a.base;
  const std::uint64_t common = std::gcd(a.stride, b.stride);
  if (from > to || apart % common != 0) return false;
  // Compares a's ordinals from `from` on with b's. Their distances repeat after b.stride / common ordinals.
  Ordinal at = a.base + (from - a.base + a.stride - 1) / a.stride * a.stride;
  for (std::uint64_t i = 0; i < b.stride / common && at <= to; ++i, at += a.stride)
    if ((at - b.base) % b.stride == 0) return true;
  return false;
}

class Check {
 public:
  Check(fs::path folder, const Manifest& manifest, CheckReport& report, const CheckOptions& options)
      : folder_(std::move(folder)), manifest_(manifest), options_(options), faults_(report, options.max_listed) {}

  Result<void> run() {
    check_ordinals();
    open_changes();
    for (const auto& entry : manifest_.partitions) {
      if (auto opened = open_partition(entry)) {
        progress("lists and documents of partition " + entry.id);
        check_partition(*opened, entry, manifest_.bm25.b, hidden_of(entry), hidden_, faults_);
        partitions_.push_back(std::move(opened));
      }
      ++faults_.report().partitions;
    }
    check_term_statistics();
    check_signed_files();
    return {};
  }

 private:
  void progress(const std::string& what) const {
    if (options_.progress) options_.progress(what);
  }

  void check_signed_files() {
    if (!manifest_.signature) return;
    progress("what is signed");
    for (const auto& [path, digest] : manifest_.signature->sha256)
      faults_.expect(path, is_safe_path(path) ? repository::expect_signed_file(manifest_, path, folder_ / path)
                                              : Result<void>(Error(Code::kCorrupt, "is signed, and no file's path")));
  }

  // Of those that can't be opened nothing is known; that is in the faults.
  void open_changes() {
    for (const auto& file : manifest_.changes) {
      const std::string name = repository::generation_file_path(file);
      progress("changes");
      (void)check_file(folder_, name, file, faults_);
      auto opened = partition::Changes::open(folder_ / name);
      if (!faults_.expect(name, opened)) continue;
      faults_.expect(name, (*opened)->verify_checksums());
      changes_.push_back(*std::move(opened));
    }
  }

  std::vector<DocId> hidden_of(const PartitionEntry& entry) {
    auto hidden = partition::hidden_documents_of(entry.id, entry.summary.documents, changes_);
    return faults_.expect("partition " + entry.id, hidden) ? *std::move(hidden) : std::vector<DocId>();
  }

  void check_ordinals() {
    const auto& all = manifest_.partitions;
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t j = i + 1; j < all.size(); ++j)
        if (share_an_ordinal(all[i], all[j]))
          faults_.add("manifest", "partitions " + all[i].id + " and " + all[j].id + " share an ordinal");
  }

  // Null: it cannot be opened, which is in the faults.
  std::shared_ptr<const Partition> open_partition(const PartitionEntry& entry) {
    progress("files of partition " + entry.id);
    const fs::path files = folder_ / "partitions" / entry.id;
    for (const auto& file : entry.summary.files)
      (void)check_file(folder_, partition_file_path(entry, file), file, faults_);
    const std::string name = "partition " + entry.id;
    auto opened = Partition::open(files, entry.summary.files);
    return faults_.expect(name, opened) ? *opened : nullptr;
  }

  void check_term_statistics() {
    const std::string name = repository::generation_file_path(manifest_.term_statistics);
    progress("term statistics");
    (void)check_file(folder_, name, manifest_.term_statistics, faults_);
    const auto base = GenerationTerms::open(folder_ / name);
    if (!faults_.expect(name, base)) return;
    faults_.expect(name, (*base)->verify_checksums());
    if (changes_.size() != manifest_.changes.size()) return;  // the sums could not agree
    const auto terms = changes_.empty() ? *base : partition::changed_terms(*base, changes_);
    if (partitions_.size() != manifest_.partitions.size()) return;  // nor then
    std::uint64_t gone = 0;                                         // terms of hidden documents only
    auto merged = partition::merge_terms(
        partitions_, [&](std::string_view term, const partition::TermStatistics& sum) -> Result<void> {
          const std::string where = name + ", term '" + std::string(term) + "'";
          const auto taken = hidden_.documents.find(term);
          const std::uint64_t left = sum.document_frequency - (taken != hidden_.documents.end() ? taken->second : 0);
          gone += left == 0 ? 1 : 0;
          const auto df = terms->df(term);
          if (!df && (df.error().code() != Code::kNotFound || left > 0))
            faults_.add(where, df.error().message());
          else
            faults_.expect_equal(where, "document frequency", df ? *df : 0, left);
          return {};
        });
    if (!faults_.expect(name, merged)) return;
    merged->terms -= gone;
    merged->occurrences -= hidden_.occurrences;
    for (const auto& [term, documents] : hidden_.documents) merged->postings -= documents;
    const auto& says = terms->totals();
    std::uint64_t stored = 0;
    faults_.expect(name, terms->for_each([&](auto, auto) { return ++stored > 0; }));
    faults_.expect_equal(name, "terms stored", stored, merged->terms);
    faults_.expect_equal(name, "terms", says.terms, merged->terms);
    faults_.expect_equal(name, "postings", says.postings, merged->postings);
    faults_.expect_equal(name, "occurrences", says.occurrences, merged->occurrences);
    faults_.expect_equal("manifest", "terms", manifest_.terms, merged->terms);
    faults_.expect_equal("manifest", "postings", manifest_.postings, merged->postings);
    // The occurrences of all postings are all tokens, and those of fields once more in the fields' lists.
    faults_.expect_equal("manifest", "tokens", manifest_.statistics.tokens + partition::sum_of(manifest_.field_tokens),
                         merged->occurrences);
  }

  fs::path folder_;
  const Manifest& manifest_;
  const CheckOptions& options_;
  FaultList faults_;
  std::vector<std::shared_ptr<const Partition>> partitions_;
  std::vector<partition::ChangesPtr> changes_;
  HiddenPostings hidden_;
};

// Fetches a generation's files, as they are in a repository's folder. Files that are not the manifest's are faults, and
// then missing. kUnavailable: the object store.
Result<void> fetch_generation(const repository::RepositorySource& source, const Manifest& manifest,
                              const fs::path& folder, FaultList& faults) {
  const auto fetch = [&](const std::string& path, const repository::PartitionFile& file) -> Result<void> {
    std::error_code failed;
    fs::create_directories((folder / path).parent_path(), failed);
    const auto done = source.fetch(path, file, folder / path);
    if (done) return {};
    if (done.error().code() == Code::kUnavailable || done.error().code() == Code::kInvalid) return done.error();
    faults.add(path, done.error().message());
    return {};
  };
  for (const auto& entry : manifest.partitions)
    for (const auto& file : entry.summary.files) FROND_TRY(fetch(partition_file_path(entry, file), file));
  for (const auto& file : manifest.changes) FROND_TRY(fetch(repository::generation_file_path(file), file));
  return fetch(repository::generation_file_path(manifest.term_statistics), manifest.term_statistics);
}

// nullopt: the generation is gone. Whoever removes one begins with its manifest.
Result<std::optional<CheckReport>> check_once(const fs::path& root, std::string_view collection, Generation generation,
                                              const repository::RepositorySource& source, const CheckOptions& options) {
  CheckReport report;
  FaultList faults(report, options.max_listed);
  report.generation = generation;
  const auto manifest = source.manifest(generation);
  if (!manifest && manifest.error().code() == Code::kNotFound) return std::optional<CheckReport>();
  if (!manifest && manifest.error().code() != Code::kCorrupt) return manifest.error();
  if (!manifest) {
    faults.add(repository::manifest_path(generation), manifest.error().message());
    return std::optional<CheckReport>(std::move(report));
  }
  report.codec = manifest->codec;
  report.order = manifest->order;
  const auto run = [&]() -> Result<void> {
    if (!objects::is_object_place(root.string())) return Check(root / collection, *manifest, report, options).run();
    std::error_code failed;
    fs::create_directories(options.objects.scratch, failed);
    if (failed) return Error(Code::kUnavailable, options.objects.scratch.string() + ": " + failed.message());
    const auto fetched = FROND_TRY(Scratch::make(options.objects.scratch));
    FROND_TRY(fetch_generation(source, *manifest, fetched->path(), faults));
    return Check(fetched->path(), *manifest, report, options).run();
  };
  const auto done = run();
  if (done && report.faults == 0) return std::optional<CheckReport>(std::move(report));
  const auto there = source.manifest_text(generation);
  if (!there && there.error().code() == Code::kNotFound) return std::optional<CheckReport>();
  if (!done) return done.error();
  return std::optional<CheckReport>(std::move(report));
}

}  // namespace

Result<std::unique_ptr<Scratch>> Scratch::make(const fs::path& collection) {
  for (const fs::path& parent : {collection, fs::temp_directory_path()}) {
    std::string name = (parent / (std::string(repository::kCheckFolderPrefix) + "XXXXXX")).string();
    if (::mkdtemp(name.data()) == nullptr) continue;
    auto locked = files::try_lock_folder(name);
    return std::make_unique<Scratch>(name, locked ? *std::move(locked) : std::nullopt);
  }
  return Error(Code::kUnavailable, collection.string() + ": no scratch folder: " + std::strerror(errno));
}

Scratch::~Scratch() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

Result<CheckReport> check_generation(const fs::path& root, std::string_view collection, Generation generation,
                                     const CheckOptions& options) {
  constexpr int kTries = 5;
  try {
    const auto source =
        FROND_TRY(repository::RepositorySource::open(root.string(), collection, {}, options.objects.access));
    const bool follows = generation == 0;
    for (int tried = 0;; ++tried) {
      if (follows) generation = FROND_TRY(source->current());
      auto report = FROND_TRY(check_once(root, collection, generation, *source, options));
      if (report) return *std::move(report);
      if (!follows || tried == kTries || FROND_TRY(source->current()) == generation)
        return Error(Code::kNotFound, "generation " + std::to_string(generation) + " of " + std::string(collection) +
                                          " is gone: it was removed, or there was none of this number");
    }
  } catch (const std::exception& thrown) {
    return Error(Code::kUnavailable, root.string() + ": " + thrown.what());
  }
}

}  // namespace frond::indexer::check
