// Document frequencies of a generation that was changed: those of its base and what its change files add.
#include <utility>

#include "common/partition/change_file.h"

namespace frond::partition {
namespace {

class ChangedTerms final : public GenerationTerms {
 public:
  ChangedTerms(std::shared_ptr<const GenerationTerms> base, std::vector<ChangesPtr> changes)
      : base_(std::move(base)), changes_(std::move(changes)) {}

  Result<std::uint64_t> df(std::string_view term) const override {
    const auto stored = base_->df(term);
    if (!stored && stored.error().code() != Code::kNotFound) return stored.error();
    std::int64_t df = stored ? static_cast<std::int64_t>(*stored) : 0;
    for (const auto& one : changes_) df += FROND_TRY(one->by(term));
    if (df < 0) return negative(term, df);
    if (df == 0) return Error(Code::kNotFound, "term " + printable(term));
    return static_cast<std::uint64_t>(df);
  }

  std::unique_ptr<DfReader> reader() const override { return std::make_unique<Reader>(*base_, changes_); }
  const TermTotals& totals() const override { return changes_.back()->totals(); }

  Result<void> for_each(const std::function<bool(std::string_view, std::uint64_t)>& visit) const override {
    const auto changed = merged_changes(changes_);
    bool left = FROND_TRY(changed->next());  // whether it is at a term
    bool more = true;
    Result<void> outcome;
    const auto give = [&](std::string_view term, std::int64_t df) {
      if (df < 0) outcome = negative(term, df);
      if (df > 0) more = visit(term, static_cast<std::uint64_t>(df));
      return more && outcome;
    };
    const auto go_on = [&] {
      auto next = changed->next();
      left = next && *next;
      if (!next) outcome = std::move(next).error();
      return outcome.has_value();
    };
    const auto give_before = [&](const std::string_view* term) {
      while (left && (term == nullptr || changed->term() < *term))
        if (!give(changed->term(), changed->by()) || !go_on()) return false;
      return true;
    };
    FROND_TRY(base_->for_each([&](std::string_view term, std::uint64_t df) {
      if (!give_before(&term)) return false;
      auto sum = static_cast<std::int64_t>(df);
      if (left && changed->term() == term) {
        sum += changed->by();
        if (!go_on()) return false;
      }
      return give(term, sum);
    }));
    if (more && outcome) give_before(nullptr);
    return outcome;
  }

  Result<void> verify_checksums() const override {
    FROND_TRY(base_->verify_checksums());
    for (const auto& one : changes_) FROND_TRY(one->verify_checksums());
    return {};
  }
  Result<void> intact() const override {
    FROND_TRY(base_->intact());
    for (const auto& one : changes_) FROND_TRY(one->intact());
    return {};
  }
  Result<void> check_files() const override {
    Result<void> outcome = base_->check_files();
    for (const auto& one : changes_)
      if (auto checked = one->check_files(); outcome && !checked) outcome = std::move(checked);
    return outcome;
  }

 private:
  class Reader final : public DfReader {
   public:
    Reader(const GenerationTerms& base, std::span<const ChangesPtr> changes) : base_(base.reader()) {
      for (const ChangesPtr& one : changes) changes_.push_back(one->terms());
    }
    Result<std::uint64_t> df(std::string_view term) override {
      auto df = static_cast<std::int64_t>(FROND_TRY(base_->df(term)));
      for (const auto& one : changes_) df += FROND_TRY(one->by_of(term));
      if (df < 0) return negative(term, df);
      return static_cast<std::uint64_t>(df);
    }

   private:
    std::unique_ptr<DfReader> base_;
    std::vector<std::unique_ptr<ChangeFileCursor>> changes_;
  };
  static Error negative(std::string_view term, std::int64_t df) {
    return Error(Code::kCorrupt,
                 "term " + printable(term) + ": document frequency " + std::to_string(df) + " after all changes");
  }
  std::shared_ptr<const GenerationTerms> base_;
  std::vector<ChangesPtr> changes_;
};

}  // namespace

std::shared_ptr<const GenerationTerms> changed_terms(std::shared_ptr<const GenerationTerms> base,
                                                     std::vector<ChangesPtr> changes) {
  return std::make_shared<ChangedTerms>(std::move(base), std::move(changes));
}

}  // namespace frond::partition
