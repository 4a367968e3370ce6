// What signature.h promises of generations that a writer with a key publishes.
#include "common/repository/signature.h"

#include <gtest/gtest.h>

#include "tests/support/manifests.h"
#include "tests/support/signing_keys.h"

namespace frond::repository {
namespace {

namespace fs = std::filesystem;

class ASignedGeneration : public testing::Test {
 protected:
  // `kept`: partitions of the generation before are in it, too.
  Manifest publish(const support::SigningKeyFiles& keys, bool kept = false) {
    const auto writer = *RepositoryWriter::open(folder_ / "repository", "example", {}, {.signing_key = keys.key()});
    const Generation generation = writer->next_generation();
    auto manifest = support::write_example_generation(writer->building(), generation, 1);
    if (kept) {
      Manifest before = *writer->source().manifest(generation - 1);
      PartitionEntry entry = before.partitions[0];
      entry.base = Ordinal{1} << 40;
      manifest.statistics.documents += entry.summary.documents;
      manifest.statistics.tokens += entry.summary.tokens;
      manifest.postings += entry.summary.postings;
      manifest.partitions.push_back(std::move(entry));
    }
    const auto published = writer->publish(manifest, writer->building() / manifest.term_statistics.name);
    EXPECT_TRUE(published) << published.error().message();
    return *writer->source().manifest(generation);
  }
  fs::path place(const std::string& path) const { return folder_ / "repository" / "example" / path; }
  static std::string why(const Manifest& manifest, const support::SigningKeyFiles& keys) {
    const auto signed_by = expect_signed(manifest, *keys.trusted());
    return signed_by ? std::string() : signed_by.error().message();
  }

  support::ScratchFolder folder_;
  const support::SigningKeyFiles keys_;
};

TEST_F(ASignedGeneration, CoversTheManifestAndAllFilesThatItNames) {
  const Manifest manifest = publish(keys_);
  EXPECT_EQ(why(manifest, keys_), "");
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder_ / "repository")) {
    if (entry.path().extension() != ".sst") continue;
    ++files;
    const std::string path = fs::relative(entry.path(), place("")).string();
    EXPECT_TRUE(expect_signed_file(manifest, path, entry.path()));
    support::flip_byte(entry.path(), 3);
    const auto changed = expect_signed_file(manifest, path, entry.path());
    ASSERT_EQ(changed, Code::kCorrupt);
    EXPECT_NE(changed.error().message().find(path), std::string::npos) << changed.error().message();
  }
  EXPECT_EQ(manifest.signature->sha256.size(), files);
}

TEST_F(ASignedGeneration, IsRefusedAfterAnyChangeAndTheReasonIsNamed) {
  const Manifest good = publish(keys_);
  const auto changed = [&](const std::function<void(Manifest&)>& change) {
    Manifest manifest = good;
    change(manifest);
    const auto read = manifest_from_json(to_json(manifest));  // with a right checksum
    return read ? why(*read, keys_) : read.error().message();
  };
  const std::string wrong = "signature is not that of key";
  EXPECT_EQ(changed([](Manifest&) {}), "");
  EXPECT_NE(changed([](Manifest& m) { m.signature.reset(); }).find("is not signed"), std::string::npos);
  for (const auto& change :
       {std::function([](Manifest& m) { m.collection = "other"; }), std::function([](Manifest& m) { m.previous = 7; }),
        std::function([](Manifest& m) { m.analyzer.stop_words = text::StopWords(false); }),
        std::function([](Manifest& m) { m.partitions[0].summary.files[0].bytes += 1; }),
        std::function([](Manifest& m) { m.signature->sha256.begin()->second = std::string(64, '0'); }),
        std::function([](Manifest& m) { m.signature->sha256.erase(m.signature->sha256.begin()); }),
        std::function([](Manifest& m) { m.signature->bytes[5] ^= 1; })})
    EXPECT_NE(changed(change).find(wrong), std::string::npos) << changed(change);
  const support::SigningKeyFiles others;
  EXPECT_NE(why(good, others).find("key " + keys_.key()->id() + ", which is not in --trusted-keys"), std::string::npos);
  // Signed, but not for all files.
  Manifest partly = good;
  const std::string left_out = partly.signature->sha256.begin()->first;
  partly.signature->sha256.erase(left_out);
  partly.signature->bytes = keys_.key()->sign(text_to_sign(partly));
  EXPECT_NE(why(*manifest_from_json(to_json(partly)), keys_).find("leaves out " + left_out), std::string::npos);
}

TEST_F(ASignedGeneration, IsTheSameManifestForProgramsThatKnowNoSignatures) {
  Manifest manifest = publish(keys_);
  const Manifest read = *manifest_from_json(to_json(manifest));
  manifest.signature.reset();
  EXPECT_EQ(manifest_from_json(to_json(manifest))->content, read.content);
}

TEST_F(ASignedGeneration, TakesOverWhatItsKeyHasSignedAndReadsTheRest) {
  const Manifest first = publish(keys_);
  const std::string path = partition_file_path(first.partitions[0], first.partitions[0].summary.files[0]);
  support::flip_byte(place(path), 3);
  EXPECT_EQ(publish(keys_, true).signature->sha256.at(path), first.signature->sha256.at(path)) << "it was not read";
  const support::SigningKeyFiles others;
  const Manifest third = publish(others, true);
  EXPECT_EQ(why(third, others), "");
  const Manifest again = publish(keys_, true);
  EXPECT_EQ(why(again, keys_), "");
  for (const auto& [signed_path, digest] : again.signature->sha256)
    EXPECT_TRUE(expect_signed_file(again, signed_path, place(signed_path)));
}

TEST_F(ASignedGeneration, IsChangedOnlyWithItsOwnKeyUnlessWhatItHasIsToBeSigned) {
  const Manifest manifest = publish(keys_);
  const support::SigningKeyFiles others;
  const auto open = [&](const ObjectWriting& how) {
    return *RepositoryWriter::open(folder_ / "repository", "example", {}, how);
  };
  EXPECT_TRUE(open({.signing_key = keys_.key()})->expect_own(manifest));
  EXPECT_TRUE(open({})->expect_own(manifest));
  const auto refused = open({.signing_key = others.key()})->expect_own(manifest);
  ASSERT_EQ(refused, Code::kUnavailable);
  EXPECT_NE(refused.error().message().find("--sign-kept"), std::string::npos);
  EXPECT_TRUE(open({.signing_key = others.key(), .sign_kept = true})->expect_own(manifest));
}

TEST_F(ASignedGeneration, IsNotPublishedIfTheSignatureMakesItsManifestTooLarge) {
  const auto writer = *RepositoryWriter::open(folder_ / "repository", "example", {}, {.signing_key = keys_.key()});
  auto manifest = support::write_example_generation(writer->building(), 1, 1);
  manifest.created.append(kMaxManifestBytes - to_json(manifest).size(), '0');  // without it, it may just be published
  const auto refused = writer->publish(manifest, writer->building() / manifest.term_statistics.name);
  ASSERT_EQ(refused, Code::kInvalid);
  EXPECT_EQ(refused.error().message(),
            "generation 1: its signed manifest is larger than 16 MiB: it has too many files");
  EXPECT_TRUE(fs::is_empty(place("partitions")) && fs::is_empty(place("generations")));
}

TEST(ASignature, ThatIsMalformedIsNamed) {
  Manifest manifest = support::example_manifest(1, 1);
  manifest.signature = {
      "0123456789abcdef", std::string(64, 'x'), {{"generations/1.terms.sst", std::string(64, 'a')}}, {}};
  const std::string good = to_json(manifest);
  ASSERT_TRUE(manifest_from_json(good));
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    const auto read = manifest_from_json(text);
    return read ? std::string() : read.error().message();
  };
  EXPECT_EQ(replaced("0123456789abcdef", "0123"), "signature.key is not 16 hex digits");
  EXPECT_EQ(replaced("7878", "78"), "signature.ed25519 is not 128 hex digits");
  EXPECT_EQ(replaced("aaaa", "aaaA"), "manifest: its checksum is wrong");  // of the manifest's own file
  EXPECT_EQ(replaced("\"" + std::string(64, 'a') + "\"", "1"),
            "signature.sha256 has a digest that is not 64 hex digits");
  EXPECT_EQ(replaced("\"sha256\"", "\"sha\""), "signature.sha256 is missing or not an object");
}

}  // namespace
}  // namespace frond::repository
