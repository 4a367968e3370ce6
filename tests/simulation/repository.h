#pragma once
// The repository that a run's leaves follow: which generation is current, and whether it can be reached.
#include <string>

#include "common/repository/repository.h"
#include "tests/simulation/collection.h"

namespace frond::simulation {

class Repository {
 public:
  explicit Repository(const Collection& collection) : collection_(collection) {}
  const Published& current() const { return collection_.generations()[current_]; }
  std::size_t place() const { return current_; }
  void set_current(std::size_t place) { current_ = place; }
  void be_away(bool away) { away_ = away; }
  // Of the repository as it is now: the numbers of another one's generations are not there.
  Result<const Published*> find(Generation number) const {
    if (away_) return Error(Code::kUnavailable, "the repository is away");
    for (const Published& one : collection_.generations())
      if (one.manifest.generation == number && is_anew(one) == is_anew(current())) return &one;
    return Error(Code::kNotFound, "no such generation");
  }
  bool away() const { return away_; }

 private:
  static bool is_anew(const Published& one) { return one.manifest.partitions[0].id.ends_with("-anew"); }

  const Collection& collection_;
  std::size_t current_ = 0;
  bool away_ = false;
};

// How a leaf reads it.
class RepositoryView final : public repository::RepositorySource {
 public:
  explicit RepositoryView(const Repository& repository) : repository_(repository) {}
  Result<Generation> current() const override {
    if (hidden || repository_.away()) return Error(Code::kUnavailable, "the repository is away");
    return repository_.current().manifest.generation;
  }
  Result<Generation> highest() const override { return Error(Code::kNotFound, "there was no rollback"); }
  Result<repository::Manifest> manifest(Generation generation) const override {
    return FROND_TRY(repository_.find(generation))->manifest;
  }
  Result<std::string> manifest_text(Generation generation) const override {
    return FROND_TRY(repository_.find(generation))->text;
  }
  Result<repository::Manifest> parse_manifest(Generation generation, std::string_view) const override {
    return manifest(generation);
  }
  Result<void> fetch(const std::string&, const repository::PartitionFile&, const std::filesystem::path&,
                     const std::function<bool()>&) const override {
    return Error(Code::kUnavailable, "no files are fetched here");
  }
  Result<ByteBuffer> read(const std::string&, std::uint64_t, std::size_t) const override {
    return Error(Code::kUnavailable, "no files are read here");
  }
  repository::TransferCounts transfers() const override { return {}; }
  std::unique_ptr<repository::CurrentWatch> watch() const override { return nullptr; }

  bool hidden = false;  // from this leaf: it does not hear which generation is current

 private:
  const Repository& repository_;
};

}  // namespace frond::simulation
