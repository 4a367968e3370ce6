#include "common/repository/signature.h"

#include <algorithm>
#include <map>
#include <system_error>
#include <utility>

#include "common/files/read.h"
#include "common/tls/digest.h"

namespace frond::repository {
namespace {

namespace fs = std::filesystem;
constexpr std::uint64_t kPieceBytes = std::uint64_t{4} << 20;  // of a file that is read from the repository

Result<std::string> sha256_of_file(const fs::path& file) {
  tls::Sha256Stream stream;
  FROND_TRY(files::read_file(file, [&](ByteView piece) -> Result<void> {
    stream.update(piece);
    return {};
  }));
  return tls::hex_of(stream.finish());
}

Result<std::string> sha256_of_published(const RepositorySource& source, const std::string& path, std::uint64_t bytes) {
  tls::Sha256Stream stream;
  for (std::uint64_t at = 0; at < bytes; at += kPieceBytes)
    stream.update(FROND_TRY(source.read(path, at, static_cast<std::size_t>(std::min(kPieceBytes, bytes - at)))));
  return tls::hex_of(stream.finish());
}

// All files that the manifest names, by their paths, with their sizes.
std::map<std::string, std::uint64_t> files_of(const Manifest& manifest) {
  std::map<std::string, std::uint64_t> all{
      {generation_file_path(manifest.term_statistics), manifest.term_statistics.bytes}};
  for (const auto& file : manifest.changes) all.emplace(generation_file_path(file), file.bytes);
  for (const auto& entry : manifest.partitions)
    for (const auto& file : entry.summary.files) all.emplace(partition_file_path(entry, file), file.bytes);
  return all;
}

}  // namespace

bool is_signed_by(const Manifest& manifest, const tls::SigningKey& key) {
  return manifest.signature && key.is_own(manifest.signature->text, manifest.signature->bytes);
}

Result<void> sign(Manifest& manifest, const tls::SigningKey& key, const RepositorySource& source,
                  const Drafts& drafts) {
  std::map<std::string, std::string> known;
  if (manifest.previous != 0)
    if (auto before = source.manifest(manifest.previous); before && is_signed_by(*before, key))
      known = std::move(before->signature->sha256);
  std::map<std::string, fs::path> drafted;
  if (!drafts.term_statistics.empty())
    drafted.emplace(generation_file_path(manifest.term_statistics), drafts.term_statistics);
  if (!drafts.changes.empty()) drafted.emplace(generation_file_path(manifest.changes.back()), drafts.changes);
  for (const auto& entry : manifest.partitions)
    for (const auto& file : entry.summary.files)
      if (std::error_code unknown; fs::exists(drafts.building / entry.id / file.name, unknown))
        drafted.emplace(partition_file_path(entry, file), drafts.building / entry.id / file.name);
  Signature signature{.key = key.id(), .bytes = {}, .sha256 = {}, .text = {}};
  for (const auto& [path, bytes] : files_of(manifest)) {
    const auto draft = drafted.find(path);
    const auto same = known.find(path);
    signature.sha256[path] = draft != drafted.end() ? FROND_TRY(sha256_of_file(draft->second))
                             : same != known.end()  ? same->second
                                                    : FROND_TRY(sha256_of_published(source, path, bytes));
  }
  manifest.signature = std::move(signature);
  manifest.signature->bytes = key.sign(text_to_sign(manifest));
  return {};
}

Result<void> expect_signed(const Manifest& manifest, const tls::TrustedKeys& keys) {
  if (!manifest.signature) return Error(Code::kInvalid, "its manifest is not signed, and --trusted-keys asks for it");
  const Signature& by = *manifest.signature;
  if (!keys.has(by.key))
    return Error(Code::kInvalid, "its manifest is signed with key " + by.key + ", which is not in --trusted-keys");
  if (!keys.verify(by.key, by.text, by.bytes))
    return Error(Code::kInvalid, "its manifest's signature is not that of key " + by.key);
  for (const auto& [path, bytes] : files_of(manifest))
    if (!by.sha256.contains(path)) return Error(Code::kInvalid, "its signature leaves out " + path);
  return {};
}

Result<void> expect_signed_file(const Manifest& manifest, const std::string& path, const fs::path& place) {
  const std::string found = FROND_TRY(sha256_of_file(place)), &expected = manifest.signature->sha256.at(path);
  if (found == expected) return {};
  return Error(Code::kCorrupt, path + ": is not the file that was signed: SHA-256 " + found + ", expected " + expected);
}

}  // namespace frond::repository
