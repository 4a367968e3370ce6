// Reading a repository: from a directory, over HTTP, or from an object store. All stream through one verifying writer.
#include <algorithm>
#include <atomic>
#include <limits>
#include <thread>
#include <utility>

#include "common/base/text.h"
#include "common/files/descriptor.h"
#include "common/files/read.h"
#include "common/http/client/client.h"
#include "common/net/address.h"
#include "common/objects/object_store.h"
#include "common/repository/current_watch.h"
#include "common/repository/files.h"
#include "common/repository/repository.h"
#include "common/repository/storage/partial_file.h"
#include "common/repository/storage/storage.h"

namespace frond::repository {
namespace {
namespace fs = std::filesystem;
constexpr std::chrono::seconds kStepTimeout{10};
constexpr unsigned kMaxRetries = 3;  // of a transfer, in a row, that bring less than …
constexpr std::uint64_t kProgressBytes = 64 << 10;
constexpr unsigned kMaxWhole = 4;  // transfers of a file that come whole, each with other wrong bytes
constexpr std::chrono::milliseconds kFirstPause{100};  // before another transfer; doubles

using ByteSink = http::BodySink;

// What all kinds share; they differ in how the bytes of a path are read.
class Source : public RepositorySource {
 public:
  explicit Source(std::string collection) : collection_(std::move(collection)) {}

  Result<Generation> current() const final {
    const auto text = small_file("CURRENT", 64);
    if (text) return parse_current(*text);
    if (text.error().code() != Code::kNotFound) return text.error();
    return Error(Code::kNotFound, "nothing is published of collection " + collection_ + ": " + text.error().message());
  }
  Result<Generation> highest() const final {
    const std::string text = FROND_TRY(small_file("HIGHEST", 64));
    return parse_current(text);
  }
  Result<Manifest> manifest(Generation generation) const final {
    const std::string text = FROND_TRY(manifest_text(generation));
    return parse_manifest(generation, text);
  }
  Result<std::string> manifest_text(Generation generation) const final {
    return small_file(manifest_path(generation), kMaxManifestBytes);
  }
  Result<Manifest> parse_manifest(Generation generation, std::string_view text) const final {
    const std::string path = manifest_path(generation);
    auto read = manifest_from_json(text);
    if (!read) return std::move(read).error().within(path);
    if (read->generation != generation || read->collection != collection_)
      return Error(Code::kCorrupt, path + ": is of collection " + read->collection + ", generation " +
                                       std::to_string(read->generation));
    return read;
  }
  Result<void> fetch(const std::string& path, const PartitionFile& expected, const fs::path& to,
                     const std::function<bool()>& stopping) const final {
    if (!is_safe_path(path)) return Error(Code::kInvalid, "'" + path + "' is not a path inside a collection");
    auto file = PartialFile::open(to, expected);
    auto done = file ? fetch_into(*file, path, expected.bytes, stopping) : Result<void>(std::move(file).error());
    if (!done) return std::move(done).error().within(path);
    return {};
  }
  Result<ByteBuffer> read(const std::string& path, std::uint64_t from, std::size_t bytes) const final {
    if (!is_safe_path(path)) return Error(Code::kInvalid, "'" + path + "' is not a path inside a collection");
    auto got = range(path, from, bytes);
    if (!got) return unavailable_if_late(std::move(got).error().within(path));
    if (got->size() != bytes) return Error(Code::kCorrupt, path + ": ends before byte " + std::to_string(from + bytes));
    bytes_ += bytes;
    return got;
  }
  TransferCounts transfers() const final { return {bytes_, broken_, slow_, resumed_}; }

 private:
  // The bytes of a file: all of them, or the rest that `begin` names.
  virtual Result<void> stream(const std::string& path, std::uint64_t max_bytes, const http::Rest& rest,
                              const std::function<Result<void>(const http::Body&)>& begin, const ByteSink& sink,
                              const std::function<bool()>& stopping) const = 0;
  // So many bytes of a file, or fewer if it ends before.
  virtual Result<ByteBuffer> range(const std::string& path, std::uint64_t from, std::size_t bytes) const {
    ByteBuffer got;
    std::uint64_t at = 0;  // of the next piece
    const auto begin = [&](const http::Body& body) {
      at = body.from;
      return Result<void>();
    };
    const auto take = [&](ByteView piece) -> Result<void> {
      const std::uint64_t skip = std::min<std::uint64_t>(piece.size(), from - std::min(from, at));
      const ByteView rest = piece.subspan(skip);
      const ByteView some = rest.first(std::min(rest.size(), bytes - got.size()));
      got.insert(got.end(), some.begin(), some.end());
      at += piece.size();
      if (got.size() == bytes) return Error(Code::kUnavailable, "no more is wanted");
      return {};
    };
    auto done = stream(path, std::numeric_limits<std::uint64_t>::max(), {from, {}}, begin, take, {});
    if (!done && got.size() < bytes) return std::move(done).error();
    return got;
  }
  // Whether a transfer that broke off may go better when it is tried again at once.
  virtual bool may_break() const = 0;
  // Whether the bytes come over a network.
  virtual bool is_remote() const = 0;

  Result<std::string> small_file(const std::string& path, std::uint64_t max_bytes) const {
    std::string text;
    const auto take = [&](ByteView piece) -> Result<void> {
      if (text.size() + piece.size() > max_bytes) return Error(Code::kCorrupt, path + ": larger than it may be");
      text += as_text(piece);
      return {};
    };
    auto done = stream(path, max_bytes, {}, [](const http::Body&) { return Result<void>(); }, take, {});
    if (!done) return unavailable_if_late(std::move(done).error());
    return text;
  }

  // To its end; a transfer that breaks off is followed by another, as long as they bring something.
  Result<void> fetch_into(PartialFile& file, const std::string& path, std::uint64_t bytes,
                          const std::function<bool()>& stopping) const {
    std::uint64_t reached = file.size();
    bool began_anew = false;
    std::string wrong;  // checksum of the last one that came whole
    unsigned whole = 0;
    for (unsigned fruitless = 0;;) {
      const bool had_front = file.size() > 0;
      auto done = file.has_all() ? Result<void>() : stream_into(file, path, bytes, stopping);
      const bool came_whole = static_cast<bool>(done);
      if (done) done = file.finish();
      if (done) return {};
      if (done.error().code() == Code::kCorrupt) {
        // Either the front is of another file than the rest, or bytes were damaged on their way. Where the same wrong
        // bytes come twice, the file is wrong where it is kept.
        const bool of_another = had_front && !std::exchange(began_anew, true);
        const std::string checksum = came_whole ? file.xxh3() : std::string();
        const bool damaged = came_whole && is_remote() && checksum != std::exchange(wrong, checksum);
        if (!of_another && !(damaged && ++whole < kMaxWhole)) {
          file.discard();
          return done;
        }
        if (stopping && stopping()) return Error(Code::kUnavailable, "stopped");
        FROND_TRY(file.begin(0, {}));
        reached = 0;
        continue;
      }
      const bool broken = done.error().code() == Code::kUnavailable || done.error().code() == Code::kDeadline;
      if (broken) ++broken_;
      if (done.error().code() == Code::kDeadline) ++slow_;
      fruitless = file.size() >= reached + kProgressBytes ? 0 : fruitless + 1;
      reached = std::max(reached, file.size());
      if (!broken || !may_break() || fruitless > kMaxRetries) return unavailable_if_late(std::move(done).error());
      if (!pause(kFirstPause * (1 << fruitless), stopping)) return Error(Code::kUnavailable, "stopped");
    }
  }

  Result<void> stream_into(PartialFile& file, const std::string& path, std::uint64_t bytes,
                           const std::function<bool()>& stopping) const {
    const auto begin = [&](const http::Body& body) {
      if (body.from > 0) ++resumed_;
      return file.begin(body.from, body.etag);
    };
    const auto take = [&](ByteView piece) {
      bytes_ += piece.size();
      return file.append(piece);
    };
    return stream(path, bytes, {file.size(), file.etag()}, begin, take, stopping);
  }

  // False: `stopping` says so.
  static bool pause(std::chrono::milliseconds span, const std::function<bool()>& stopping) {
    constexpr std::chrono::milliseconds kLook{50};
    for (; span.count() > 0; span -= kLook) {
      if (stopping && stopping()) return false;
      std::this_thread::sleep_for(std::min(span, kLook));
    }
    return !stopping || !stopping();
  }
  static Error unavailable_if_late(Error&& why) {
    return why.code() == Code::kDeadline ? Error(Code::kUnavailable, why.message()) : std::move(why);
  }

  std::string collection_;
  mutable std::atomic<std::uint64_t> bytes_ = 0, broken_ = 0, slow_ = 0, resumed_ = 0;
};

class DirectorySource final : public Source {
 public:
  DirectorySource(const fs::path& root, const std::string& collection)
      : Source(collection), folder_(root / collection) {}

 private:
  Result<void> stream(const std::string& path, std::uint64_t /*max_bytes*/, const http::Rest& rest,
                      const std::function<Result<void>(const http::Body&)>& begin, const ByteSink& sink,
                      const std::function<bool()>& /*stopping*/) const override {
    FROND_TRY(begin({rest.from, {}}));
    const auto file = FROND_TRY(files::open_beneath(folder_, path));
    return files::read_file(file, folder_ / path, sink, rest.from);
  }
  bool may_break() const override { return false; }
  bool is_remote() const override { return false; }
  std::unique_ptr<CurrentWatch> watch() const override { return watch_directory(folder_); }
  fs::path folder_;
};

class HttpSource final : public Source {
 public:
  HttpSource(net::Url root, std::shared_ptr<const tls::Trust> trust, const std::string& collection,
             const HttpReading& how)
      : Source(collection),
        root_(std::move(root)),
        trust_(std::move(trust)),
        prefix_("/" + collection + "/"),
        limits_{.step_timeout = kStepTimeout, .min_bytes_per_second = how.min_bytes_per_second, .window = how.window} {}

 private:
  Result<void> stream(const std::string& path, std::uint64_t max_bytes, const http::Rest& rest,
                      const std::function<Result<void>(const http::Body&)>& begin, const ByteSink& sink,
                      const std::function<bool()>& /*stopping*/) const override {
    http::GetLimits limits = limits_;
    limits.max_bytes = max_bytes;
    return http::get(root_, trust_.get(), prefix_ + path, limits, rest, begin, sink);
  }
  bool may_break() const override { return true; }
  bool is_remote() const override { return true; }
  std::unique_ptr<CurrentWatch> watch() const override { return watch_http(root_, trust_, prefix_ + "CURRENT"); }
  net::Url root_;
  std::shared_ptr<const tls::Trust> trust_;  // null: plain HTTP
  std::string prefix_;
  http::GetLimits limits_;
};

class ObjectSource final : public Source {
 public:
  ObjectSource(std::shared_ptr<const objects::ObjectStore> store, const std::string& collection,
               const ObjectMemory* memory)
      : Source(collection), store_(std::move(store)), prefix_(collection + "/"), memory_(memory) {}

 private:
  Result<void> stream(const std::string& path, std::uint64_t max_bytes, const http::Rest& rest,
                      const std::function<Result<void>(const http::Body&)>& begin, const ByteSink& sink,
                      const std::function<bool()>& stopping) const override {
    const auto known = memory_ == nullptr ? nullptr : memory_->known();
    const bool is_current = known && path == "CURRENT";
    if (is_current || (known && path == manifest_path(known->generation))) {
      FROND_TRY(begin({}));
      return sink(as_bytes(is_current ? known->current_text : known->manifest_text));
    }
    return store_->stream(
        prefix_ + path, rest.from, rest.etag, max_bytes,
        [&](const objects::ObjectRange& range) {
          return begin({range.from, range.etag});
        },
        sink, stopping);
  }
  Result<ByteBuffer> range(const std::string& path, std::uint64_t from, std::size_t bytes) const override {
    return FROND_TRY(store_->get(prefix_ + path, from, bytes, {})).bytes;
  }
  bool may_break() const override { return false; }  // the store has tried again already
  bool is_remote() const override { return true; }
  std::unique_ptr<CurrentWatch> watch() const override { return nullptr; }
  const std::shared_ptr<const objects::ObjectStore> store_;
  const std::string prefix_;
  const ObjectMemory* const memory_;  // null: none
};
}  // namespace

std::unique_ptr<RepositorySource> make_object_source(std::shared_ptr<const objects::ObjectStore> store,
                                                     const std::string& collection, const ObjectMemory* memory) {
  return std::make_unique<ObjectSource>(std::move(store), collection, memory);
}

std::string collections_in(const fs::path& root) {
  constexpr std::size_t kMost = 10;
  std::vector<std::string> names;
  std::error_code failed;
  for (fs::directory_iterator at(root, failed); !failed && at != fs::directory_iterator(); at.increment(failed))
    if (std::error_code unknown; fs::exists(at->path() / "generations", unknown))
      names.push_back(at->path().filename().string());
  std::ranges::sort(names);
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, names.size()); ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kMost) text += ", …";
  return text.empty() ? "none" : text;
}

std::string manifest_path(Generation generation) { return "generations/" + std::to_string(generation) + ".json"; }
std::string term_statistics_path(Generation generation) {
  return "generations/" + std::to_string(generation) + ".terms.sst";
}
std::string generation_file_path(const PartitionFile& file) { return "generations/" + file.name; }
std::string partition_file_path(const PartitionEntry& partition, const PartitionFile& file) {
  return "partitions/" + partition.id + "/" + file.name;
}

Result<std::unique_ptr<RepositorySource>> RepositorySource::open(std::string_view directory_or_url,
                                                                 std::string_view collection, const HttpReading& http,
                                                                 const objects::Access& objects) {
  if (!is_safe_name(collection))
    return Error(Code::kInvalid, "'" + std::string(collection) + "' is not a collection's name: use [A-Za-z0-9._-]");
  std::unique_ptr<RepositorySource> source;
  if (objects::is_object_place(directory_or_url))
    return make_object_source(FROND_TRY(objects::ObjectStore::open(directory_or_url, objects)),
                              std::string(collection));
  if (directory_or_url.find("://") != directory_or_url.npos) {
    auto url = FROND_TRY(net::parse_url(directory_or_url));
    std::shared_ptr<const tls::Trust> trust;
    if (url.tls) trust = FROND_TRY(tls::Trust::load(http.tls_ca));
    source = std::make_unique<HttpSource>(std::move(url), std::move(trust), std::string(collection), http);
  } else {
    source = std::make_unique<DirectorySource>(fs::path(directory_or_url), std::string(collection));
  }
  return source;
}

}  // namespace frond::repository
