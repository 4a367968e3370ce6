// Reading a repository: from a directory, or over HTTP. Both stream through one verifying writer.
#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <cstring>
#include <fstream>

#include "common/http/client.h"
#include "common/partition/file_checksum.h"
#include "common/repository/files.h"
#include "common/repository/repository.h"

namespace frond::repository {
namespace {
namespace fs = std::filesystem;
constexpr std::chrono::seconds kStepTimeout{10};

// Safe names joined by single slashes: can't lead out of the collection.
bool is_safe_path(std::string_view path) {
  for (;;) {
    const auto slash = path.find('/');
    if (!is_safe_name(path.substr(0, slash))) return false;
    if (slash == path.npos) return true;
    path.remove_prefix(slash + 1);
  }
}

// Writes a file while it takes its checksum, under another name until it is whole.
class VerifiedFile {
 public:
  VerifiedFile(const fs::path& to, const PartitionFile& expected)
      : final_name_(to), to_(fs::path(to) += ".part"), expected_(expected) {}
  ~VerifiedFile() {
    if (!kept_) {
      std::error_code ignored;
      fs::remove(to_, ignored);
    }
  }
  VerifiedFile(const VerifiedFile&) = delete;
  VerifiedFile& operator=(const VerifiedFile&) = delete;

  Result<void> create() {
    file_ = FileDescriptor(::open(to_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    return file_.valid() ? Result<void>() : Result<void>(system_error("creating", to_));
  }
  Result<void> append(ByteView piece) {
    written_ += piece.size();
    if (written_ > expected_.bytes)
      return Error(Code::kCorrupt, "longer than its " + std::to_string(expected_.bytes) + " bytes");
    checksum_.update(piece);
    return write_all(file_, piece, to_);
  }
  Result<void> finish() {
    if (written_ != expected_.bytes)
      return Error(Code::kCorrupt, std::to_string(written_) + " bytes instead of " + std::to_string(expected_.bytes));
    if (checksum_.hex() != expected_.xxh3) return Error(Code::kCorrupt, "its checksum is wrong");
    if (::fdatasync(file_.get()) != 0) return system_error("syncing", to_);
    FROND_TRY(rename_path(to_, final_name_));
    kept_ = true;
    const fs::path folder = final_name_.parent_path();
    return sync_folder(folder.empty() ? fs::path(".") : folder);
  }

 private:
  fs::path final_name_, to_;
  const PartitionFile& expected_;
  FileDescriptor file_;
  partition::Xxh3 checksum_;
  std::uint64_t written_ = 0;
  bool kept_ = false;
};

using ByteSink = http::BodySink;

// What both kinds share; they differ in how the bytes of a path are read.
class Source : public RepositorySource {
 public:
  explicit Source(std::string collection) : collection_(std::move(collection)) {}

  Result<Generation> current() const final {
    const std::string text = FROND_TRY(small_file("CURRENT", 64));
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
  Result<void> fetch(const std::string& path, const PartitionFile& expected, const fs::path& to) const final {
    if (!is_safe_path(path)) return Error(Code::kInvalid, "'" + path + "' is not a path inside a collection");
    const auto whole = [&]() -> Result<void> {
      VerifiedFile file(to, expected);
      FROND_TRY(file.create());
      FROND_TRY(stream(path, expected.bytes, [&](ByteView piece) { return file.append(piece); }));
      return file.finish();
    };
    if (auto done = whole(); !done) return std::move(done).error().within(path);
    return {};
  }

 private:
  virtual Result<void> stream(const std::string& path, std::uint64_t max_bytes, const ByteSink& sink) const = 0;
  Result<std::string> small_file(const std::string& path, std::uint64_t max_bytes) const {
    std::string text;
    FROND_TRY(stream(path, max_bytes, [&](ByteView piece) -> Result<void> {
      if (text.size() + piece.size() > max_bytes) return Error(Code::kCorrupt, path + ": larger than it may be");
      text += as_text(piece);
      return {};
    }));
    return text;
  }
  std::string collection_;
};

class DirectorySource final : public Source {
 public:
  DirectorySource(const fs::path& root, const std::string& collection)
      : Source(collection), folder_(root / collection) {}

 private:
  Result<void> stream(const std::string& path, std::uint64_t /*max_bytes*/, const ByteSink& sink) const override {
    return read_file(folder_ / path, sink);
  }
  fs::path folder_;
};

class HttpSource final : public Source {
 public:
  HttpSource(http::Url root, std::shared_ptr<const tls::Trust> trust, const std::string& collection)
      : Source(collection), root_(std::move(root)), trust_(std::move(trust)), prefix_("/" + collection + "/") {}

 private:
  Result<void> stream(const std::string& path, std::uint64_t max_bytes, const ByteSink& sink) const override {
    return http::get(root_, trust_.get(), prefix_ + path, max_bytes, kStepTimeout, sink);
  }
  http::Url root_;
  std::shared_ptr<const tls::Trust> trust_;  // null: plain HTTP
  std::string prefix_;
};
}  // namespace

std::string manifest_path(Generation generation) { return "generations/" + std::to_string(generation) + ".json"; }
std::string term_statistics_path(Generation generation) {
  return "generations/" + std::to_string(generation) + ".terms.sst";
}
std::string partition_file_path(const PartitionEntry& partition, const PartitionFile& file) {
  return "partitions/" + partition.id + "/" + file.name;
}

Result<std::unique_ptr<RepositorySource>> RepositorySource::open(std::string_view directory_or_url,
                                                                 std::string_view collection,
                                                                 const std::string& tls_ca) {
  if (!is_safe_name(collection))
    return Error(Code::kInvalid, "'" + std::string(collection) + "' is not a collection's name: use [A-Za-z0-9._-]");
  std::unique_ptr<RepositorySource> source;
  if (directory_or_url.find("://") != directory_or_url.npos) {
    auto url = FROND_TRY(http::parse_url(directory_or_url));
    std::shared_ptr<const tls::Trust> trust;
    if (url.tls) trust = FROND_TRY(tls::Trust::load(tls_ca));
    source = std::make_unique<HttpSource>(std::move(url), std::move(trust), std::string(collection));
  } else {
    source = std::make_unique<DirectorySource>(fs::path(directory_or_url), std::string(collection));
  }
  return source;
}

}  // namespace frond::repository
