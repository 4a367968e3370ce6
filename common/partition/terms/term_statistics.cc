#include "common/partition/terms/term_statistics.h"

#include <algorithm>
#include <queue>

#include "common/partition/files/rocks.h"
#include "common/partition/terms/term_sections.h"

namespace frond::partition {
namespace {

TermCursors cursors_of(std::span<const std::shared_ptr<const Partition>> partitions) {
  TermCursors cursors;
  for (const auto& partition : partitions) cursors.push_back(partition->terms());
  return cursors;
}

}  // namespace

Result<TermTotals> merge_terms(const TermCursors& cursors,
                               const std::function<Result<void>(std::string_view, const TermStatistics&)>& visit) {
  const auto later = [](const TermCursor* a, const TermCursor* b) { return a->term() > b->term(); };
  std::priority_queue<TermCursor*, std::vector<TermCursor*>, decltype(later)> front(later);
  for (const auto& cursor : cursors)
    if (FROND_TRY(cursor->next())) front.push(cursor.get());
  TermTotals totals;
  std::string term;
  while (!front.empty()) {
    term.assign(front.top()->term());
    TermStatistics sum;
    while (!front.empty() && front.top()->term() == term) {
      TermCursor* const cursor = front.top();
      front.pop();
      sum.document_frequency += cursor->statistics().document_frequency;
      sum.occurrences += cursor->statistics().occurrences;
      sum.segments += cursor->statistics().segments;
      if (FROND_TRY(cursor->next())) front.push(cursor);
    }
    ++totals.terms;
    totals.postings += sum.document_frequency;
    totals.occurrences += sum.occurrences;
    FROND_TRY(visit(term, sum));
  }
  return totals;
}

Result<TermTotals> merge_terms(std::span<const std::shared_ptr<const Partition>> partitions,
                               const std::function<Result<void>(std::string_view, const TermStatistics&)>& visit) {
  return merge_terms(cursors_of(partitions), visit);
}

Result<TermTotals> write_term_statistics(const TermCursors& cursors, const std::filesystem::path& file,
                                         std::uint32_t threads) {
  return guarded(file.string(), [&]() -> Result<TermTotals> {
    auto out = FROND_TRY(TermSectionsWriter::create(file, threads));
    const TermTotals totals =
        FROND_TRY(merge_terms(cursors, [&](std::string_view term, const TermStatistics& statistics) {
          return out.put(term, statistics.document_frequency);
        }));
    FROND_TRY(out.finish(totals));
    return totals;
  });
}

Result<TermTotals> write_term_statistics(std::span<const std::shared_ptr<const Partition>> partitions,
                                         const std::filesystem::path& file) {
  return write_term_statistics(cursors_of(partitions), file);
}

Result<TermTotals> write_term_statistics(const GenerationTerms& terms, const std::filesystem::path& file) {
  return guarded(file.string(), [&]() -> Result<TermTotals> {
    auto out = FROND_TRY(TermSectionsWriter::create(file, /*threads=*/1));
    const TermTotals totals = terms.totals();
    std::uint64_t stored = 0, postings = 0;
    Result<void> put;
    FROND_TRY(terms.for_each([&](std::string_view term, std::uint64_t df) {
      put = out.put(term, df);
      ++stored;
      postings += df;
      return put.has_value();
    }));
    FROND_TRY(std::move(put));
    if (stored != totals.terms || postings != totals.postings)
      return Error(Code::kCorrupt, "term statistics: " + std::to_string(stored) + " terms with " +
                                       std::to_string(postings) + " postings; the totals say " +
                                       std::to_string(totals.terms) + " and " + std::to_string(totals.postings));
    FROND_TRY(out.finish(totals));
    return totals;
  });
}

}  // namespace frond::partition
