#pragma once
// Signed generations. The signature is beside the manifest in its file. It covers the manifest, so the collection and
// the generation's number, and the SHA-256 of every file that the manifest names: all that a leaf reads of a
// generation, but for CURRENT, which says which generation that is. Any thread.
//
// Whoever can write to a repository but has no key can make an older signed generation current, as a rollback does, as
// long as its files are there; nothing else. Format: docs/formats/manifest.md. Why:
// docs/adr/0096-signed-generations.md.
#include <filesystem>
#include <string>

#include "common/base/result.h"
#include "common/repository/manifest.h"
#include "common/repository/repository.h"
#include "common/tls/signature.h"

namespace frond::repository {

// What is not published yet: partitions in `building`, and the generation's own files; empty: it has none.
struct Drafts {
  std::filesystem::path building, term_statistics, changes;
};
// Sets the manifest's signature. SHA-256 of what is drafted is read there; that of what Manifest::previous has is taken
// from it, if this key has signed it; the rest is read from `source`. kUnavailable, kCorrupt: a file can't be read.
Result<void> sign(Manifest& manifest, const tls::SigningKey& key, const RepositorySource& source, const Drafts& drafts);

bool is_signed_by(const Manifest& manifest, const tls::SigningKey& key);

// kInvalid: it is not signed by one of the keys, or not for all of its files. The message says which.
Result<void> expect_signed(const Manifest& manifest, const tls::TrustedKeys& keys);

// kCorrupt: `place` does not hold what was signed as the collection's file `path`. Reads all of it.
// REQUIRES: expect_signed().
Result<void> expect_signed_file(const Manifest& manifest, const std::string& path, const std::filesystem::path& place);

}  // namespace frond::repository
