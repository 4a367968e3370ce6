// A leaf with trusted keys takes only what they have signed, and serves on with what it has.
#include "common/repository/signature.h"
#include "leaf/generation/scrubber.h"
#include "tests/support/signing_keys.h"
#include "tests/unit/leaf/generation/generation_follower_fixture.h"

namespace frond::leaf::generation {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

class SignedGenerationTest : public GenerationFollowerTest {
 protected:
  // `change`: of the manifest, before it is signed once more.
  void publish_signed(const support::SigningKeyFiles& keys,
                      const std::function<void(repository::Manifest&)>& change = {}) {
    const auto writer =
        *repository::RepositoryWriter::open(folder_ / "repository", "c", {}, {.signing_key = keys.key()});
    const auto manifest = *support::build_generation(*writer, "c", support::random_documents(20, ++seed_), 2);
    ASSERT_TRUE(writer->publish(manifest, writer->building() / "terms.sst"));
    if (!change) return;
    auto signed_one = *writer->source().manifest(manifest.generation);
    change(signed_one);
    signed_one.signature->bytes = keys.key()->sign(repository::text_to_sign(signed_one));
    support::write_file(folder_ / "repository/c" / repository::manifest_path(manifest.generation),
                        repository::to_json(signed_one));
  }
  std::unique_ptr<Leaf> leaf() {
    auto made = std::make_unique<Leaf>(folder_.path(), clock_);
    made->loader.trust(ours_.trusted());
    return made;
  }
  void step(Leaf& leaf) {
    clock_.advance(seconds(61));
    leaf.follower.step();
  }
  static bool tells(const Leaf& leaf, const std::string& text) {
    return leaf.board.detail().find(text) != std::string::npos;
  }

  const support::SigningKeyFiles ours_, others_;
  std::uint32_t seed_ = 0;
};

TEST_F(SignedGenerationTest, TakesWhatIsSignedAndNothingElse) {
  publish_signed(ours_);
  const auto leaf = this->leaf();
  step(*leaf);
  ASSERT_EQ(leaf->serving(), Numbers{1}) << leaf->board.detail();
  publish(20);
  step(*leaf);
  EXPECT_EQ(leaf->serving(), Numbers{1});
  EXPECT_TRUE(tells(*leaf, "generation 2") && tells(*leaf, "is not signed")) << leaf->board.detail();
  EXPECT_NE(leaf->registry.exposition().find("frond_leaf_generation_refused_total 1"), std::string::npos);
  publish_signed(others_);
  step(*leaf);
  EXPECT_EQ(leaf->serving(), Numbers{1});
  EXPECT_TRUE(tells(*leaf, "signed with key " + others_.key()->id())) << leaf->board.detail();
  publish_signed(ours_);
  step(*leaf);
  EXPECT_EQ(leaf->serving(), (Numbers{1, 4})) << leaf->board.detail();
  EXPECT_EQ(leaf->board.detail(), "");
}

TEST_F(SignedGenerationTest, StartsWithWhatItServedLastWhileTheRepositoryHasAnotherOne) {
  publish_signed(ours_);
  step(*leaf());
  publish_signed(others_);
  const auto again = leaf();
  step(*again);
  EXPECT_EQ(again->serving(), Numbers{1});
  EXPECT_TRUE(tells(*again, "generation 2"));
}

TEST_F(SignedGenerationTest, ServesNothingThatWasKeptBeforeThereWereKeys) {
  publish(20);
  Leaf(folder_.path(), clock_).follower.step();
  const auto strict = leaf();
  step(*strict);
  EXPECT_TRUE(strict->serving().empty());
  publish_signed(ours_);
  step(*strict);
  EXPECT_EQ(strict->serving(), Numbers{2}) << strict->board.detail();
}

// As whoever can write files with the same XXH3-128, which is no secure digest, might.
TEST_F(SignedGenerationTest, RefusesFilesThatAreNotWhatWasSigned) {
  publish_signed(ours_);
  const auto leaf = this->leaf();
  step(*leaf);
  for (const std::string wanted : {"partitions/", "generations/"}) {
    std::string path;
    publish_signed(ours_, [&](repository::Manifest& manifest) {
      for (auto& [name, digest] : manifest.signature->sha256)
        if (path.empty() && name.starts_with(wanted)) {
          path = name;
          digest[0] = digest[0] == '0' ? '1' : '0';
        }
    });
    step(*leaf);
    EXPECT_EQ(leaf->serving(), Numbers{1});
    EXPECT_TRUE(tells(*leaf, path + ": is not the file that was signed")) << leaf->board.detail();
    step(*leaf);
    EXPECT_EQ(leaf->serving(), Numbers{1}) << "nor when it is on this disk";
  }
}

TEST_F(SignedGenerationTest, FetchesManifestsAnewOfWhichTheDiskChangedTheSignature) {
  publish_signed(ours_);
  const auto leaf = this->leaf();
  step(*leaf);
  ScrubPace pace(std::uint64_t{1} << 40);
  Scrubber scrubber({.interval = seconds(3600),
                     .on_damage = [&](DamagedFile file) { leaf->follower.damaged(std::move(file)); },
                     .trusted = ours_.trusted()},
                    pace, *leaf->data, leaf->board, clock_, nullptr);
  EXPECT_FALSE(scrubber.step());
  const fs::path kept[] = {leaf->data->current_manifest(), leaf->data->manifest((*leaf->board.get())[0]->id())};
  const std::string good = support::read_file(kept[0]);
  std::string bad = good;
  char& digit = bad[bad.find("\"ed25519\": \"") + 12];
  digit = digit == '0' ? '1' : '0';
  for (const fs::path& file : kept) support::write_file(file, bad);
  clock_.advance(seconds(3601));
  while (scrubber.step()) {
  }
  step(*leaf);
  for (const fs::path& file : kept) EXPECT_TRUE(support::read_file(file) == good) << file;
  EXPECT_EQ(leaf->board.detail(), "");
}

TEST_F(SignedGenerationTest, FollowsARollbackToASignedOne) {
  publish_signed(ours_);
  publish_signed(ours_);
  const auto leaf = this->leaf();
  step(*leaf);
  ASSERT_EQ(leaf->serving(), Numbers{2});
  ASSERT_TRUE((*repository::RepositoryWriter::open(folder_ / "repository", "c"))->rollback());
  step(*leaf);
  EXPECT_EQ(leaf->serving(), (Numbers{2, 1}));
}

}  // namespace
}  // namespace frond::leaf::generation
