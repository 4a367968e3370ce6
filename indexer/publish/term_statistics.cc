#include "indexer/publish/term_statistics.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "common/partition/partition.h"

namespace frond::indexer::publish {

Result<std::unique_ptr<TermsWriter>> TermsWriter::create(const std::filesystem::path& file, std::uint32_t threads) {
  auto out = FROND_TRY(partition::TermSectionsWriter::create(file, threads));
  return std::unique_ptr<TermsWriter>(new TermsWriter(file, std::move(out)));
}

Result<void> TermsWriter::put(std::string_view term, std::uint64_t document_frequency, std::uint64_t occurrences) {
  ++totals_.terms;
  totals_.postings += document_frequency;
  totals_.occurrences += occurrences;
  return out_.put(term, document_frequency);
}

Result<TermsFile> TermsWriter::finish() {
  FROND_TRY(out_.finish(totals_));
  return TermsFile{file_, totals_};
}

namespace {

// A range has the terms of so many blocks of the partition that has most of them: some thousand terms of each.
constexpr std::size_t kRangeBlocks = 4;
constexpr std::size_t kRecordBytes = 40;  // of two numbers, two lengths, and a term that is not long

}  // namespace

// The terms of a partition that are in a range.
class PartitionTerms::Cursor final : public partition::TermCursor {
 public:
  Cursor(const Blocks& blocks, std::string_view begin, std::optional<std::string_view> end)
      : next_block_(
            std::upper_bound(blocks.begin(), blocks.end(), begin,
                             [](std::string_view term, const ByteBuffer& block) { return term < first_term(block); })),
        end_block_(blocks.end()),
        begin_(begin),
        end_(end) {
    if (next_block_ != blocks.begin()) --next_block_;
  }
  Result<bool> next() override {
    do {
      if (in_.at_end()) {
        if (next_block_ == end_block_) return false;
        in_ = ByteReader(*next_block_++);
      }
      term_.resize(in_.get_varint());
      term_ += in_.get_text();
      statistics_.document_frequency = in_.get_varint();
      statistics_.occurrences = in_.get_varint();
    } while (term_ < begin_);
    return !end_ || term_ < *end_;
  }
  std::string_view term() const override { return term_; }
  const partition::TermStatistics& statistics() const override { return statistics_; }

 private:
  Blocks::const_iterator next_block_, end_block_;
  const std::string_view begin_;
  const std::optional<std::string_view> end_;
  ByteReader in_{ByteView()};
  std::string term_;
  partition::TermStatistics statistics_;
};

// The terms of a range, one behind the other.
struct PartitionTerms::Merged {
  struct Term {
    std::size_t end;  // in `text`
    std::uint64_t document_frequency, occurrences;
  };
  std::string text;
  std::vector<Term> terms;
};

std::string_view PartitionTerms::first_term(const ByteBuffer& block) {
  ByteReader in{ByteView(block)};
  (void)in.get_varint();
  return in.get_text();
}

void PartitionTerms::put(std::size_t p, const PostingGroup& group) {
  Part& part = parts_[p];
  if (too_many_.load(std::memory_order_relaxed)) {
    Blocks().swap(part.blocks);
    return;
  }
  (void)part.sums.add(group, [&](auto term, auto documents, auto occurrences) -> Result<void> {
    add(part, term, documents, occurrences);
    return {};
  });
}

void PartitionTerms::add(Part& part, std::string_view term, std::uint64_t document_frequency,
                         std::uint64_t occurrences) {
  const bool begins = part.blocks.empty() || part.blocks.back().size() + kRecordBytes > kBlockBytes;
  if (begins) {
    part.blocks.emplace_back().reserve(kBlockBytes);
    part.last_term.clear();
  }
  ByteBuffer& block = part.blocks.back();
  const std::size_t capacity = begins ? 0 : block.capacity();
  const auto shared = static_cast<std::size_t>(
      std::mismatch(part.last_term.begin(), part.last_term.end(), term.begin(), term.end()).first -
      part.last_term.begin());
  ByteWriter out(block);
  out.put_varint(shared);
  out.put_text(term.substr(shared));
  out.put_varint(document_frequency);
  out.put_varint(occurrences);
  part.last_term = term;
  if (block.capacity() == capacity) return;
  if (bytes_ += block.capacity() - capacity + (begins ? sizeof(ByteBuffer) : 0); bytes_ > max_bytes_) too_many_ = true;
}

// As many as begin <= term < end, in order; no end: to the last one.
Result<PartitionTerms::Merged> PartitionTerms::merge_range(std::string_view begin,
                                                           std::optional<std::string_view> end) const {
  partition::TermCursors cursors;
  for (const Part& part : parts_) cursors.push_back(std::make_unique<Cursor>(part.blocks, begin, end));
  Merged merged;
  FROND_TRY(partition::merge_terms(cursors, [&merged](auto term, const auto& statistics) -> Result<void> {
    merged.text += term;
    merged.terms.push_back({merged.text.size(), statistics.document_frequency, statistics.occurrences});
    return {};
  }));
  return merged;
}

Result<bool> PartitionTerms::merge(TaskPool& pool, TermsWriter& to) {
  if (too_many_) return false;
  const auto largest = std::max_element(parts_.begin(), parts_.end(),
                                        [](const Part& a, const Part& b) { return a.blocks.size() < b.blocks.size(); });
  std::vector<std::string_view> begins = {""};
  for (std::size_t i = kRangeBlocks; i < largest->blocks.size(); i += kRangeBlocks)
    begins.push_back(first_term(largest->blocks[i]));
  OrderedTasks<Merged> tasks(pool, 2 * pool.threads());
  std::size_t next = 0;
  while (next < begins.size() || !tasks.empty()) {
    for (; next < begins.size() && !tasks.full(); ++next) {
      const auto end = next + 1 < begins.size() ? std::optional(begins[next + 1]) : std::nullopt;
      tasks.begin(1, [this, begin = begins[next], end](std::size_t) { return merge_range(begin, end); });
    }
    const Merged merged = FROND_TRY(tasks.take());
    std::size_t begin = 0;
    for (const Merged::Term& term : merged.terms) {
      FROND_TRY(to.put(std::string_view(merged.text).substr(begin, term.end - begin), term.document_frequency,
                       term.occurrences));
      begin = term.end;
    }
  }
  return true;
}

}  // namespace frond::indexer::publish
