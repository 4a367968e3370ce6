#pragma once
// What each document of a collection is once all accepted changes are published: whether it is there, how often it was
// written, and by which change last. So that a change can depend on it, and a client reads what it has written.
//
// A document's version, and the number of its last change less one, are kept with its source (docs/writing.md,
// "Changes that depend on a document"). What waits in the log is known here besides; what is published is looked up in
// the current generation. A removed document is forgotten when its removal is published.
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/partition/published_partition.h"
#include "common/repository/repository.h"
#include "indexer/change/current_generation.h"
#include "indexer/write/operation_log.h"

namespace frond::indexer::write {

// Of an external version, too: what clients know as a number of 64 bits with a sign.
inline constexpr std::uint64_t kMaxVersion = ~std::uint64_t{0} >> 1;

struct LatestDocument {
  bool exists = false;
  std::uint64_t version = 0;       // from 1; of one that was written without: 1. 0: it never was there
  std::optional<Sequence> change;  // its last one; nothing: it is not known, since it was built or came without
  friend bool operator==(const LatestDocument&, const LatestDocument&) = default;
};

// How lines begin whose document has a version, and what else is in them.
inline constexpr std::string_view kVersionedLine = "{\"_version\":", kSourceOfLine = "\"_source\":";

// A stored source, or the line of an accepted document: the numbers that it carries, and the document as it was given.
// A client may have written any number: one that is never given is none.
struct CarriedSource {
  std::optional<std::uint64_t> version, change;
  std::string source;  // JSON
};
CarriedSource carried_source(std::string text);

// The documents of a published generation by id. One thread.
class PublishedDocuments {
 public:
  // `source` outlives this. Partitions that are not in place are fetched into `scratch`, which is emptied first.
  // Nothing is published: null. Errors of every method: kCorrupt, kUnavailable.
  static Result<std::unique_ptr<PublishedDocuments>> open(const repository::RepositorySource& source,
                                                          const std::string& collection, change::GenerationFiles files,
                                                          std::filesystem::path scratch);
  // Gets the place of an id in the list, and the document's stored source, which may be empty. Its error ends all.
  using Take = std::function<Result<void>(std::size_t place, std::string source)>;
  // One source after the other; of an id without a document none.
  Result<void> each_source(std::span<const std::string> ids, const Take& take);

 private:
  PublishedDocuments(std::unique_ptr<change::CurrentGeneration> generation, std::filesystem::path scratch)
      : generation_(std::move(generation)), scratch_(std::move(scratch)) {}

  const std::unique_ptr<change::CurrentGeneration> generation_;
  const std::filesystem::path scratch_;
  std::map<std::size_t, std::unique_ptr<const partition::PublishedSources>> partitions_;  // by number
};

// One thread at a time.
class LatestDocuments {
 public:
  // What is published now; null: nothing.
  using Open = std::function<Result<std::unique_ptr<PublishedDocuments>>()>;
  // The line of an accepted change that is not published yet.
  using ReadLine = std::function<Result<std::string>(Sequence)>;
  LatestDocuments(Open open, ReadLine read_line) : open_(std::move(open)), read_line_(std::move(read_line)) {}

  Result<std::vector<LatestDocument>> find(std::span<const std::string> ids);
  // The same with the documents; nothing where there is none. kInvalid: the documents have more than `most` bytes; no
  // more than these and one document are held at a time.
  struct Read {
    LatestDocument latest;
    std::string source;
  };
  Result<std::vector<Read>> read(std::span<const std::string> ids, std::size_t most);
  // What became of it, by a change that was accepted. Those of one document may come in another order than they were
  // accepted in, and after they were published: the last counts.
  void note(const std::string& id, const LatestDocument& latest);
  // All changes up to this one are published.
  void published(Sequence last);
  // Another generation is current.
  void reopen() {
    opened_ = false;
    published_ = nullptr;
  }

 private:
  // Of each id either what waits in the log is told to `pending`, or what is published to `published`.
  Result<void> each(std::span<const std::string> ids,
                    const std::function<Result<void>(std::size_t place, const LatestDocument&)>& pending,
                    const PublishedDocuments::Take& published);

  const Open open_;
  const ReadLine read_line_;
  std::unordered_map<std::string, LatestDocument> pending_;  // by id; all have their change
  Sequence published_last_ = 0;
  std::unique_ptr<PublishedDocuments> published_;
  bool opened_ = false;
};

}  // namespace frond::indexer::write
