#include "indexer/invert/cpu_inverter.h"

#include <algorithm>

#include "common/base/check.h"

namespace frond::indexer {

CpuInverter::CpuInverter(std::filesystem::path folder, std::string label, std::uint32_t partitions)
    : folder_(std::move(folder)), label_(std::move(label)), partitions_(partitions) {
  note_memory();
}

Result<void> CpuInverter::invert(const TokenGroups& tokens, std::span<const TokenGroup> groups,
                                 std::span<const DocumentNumber> numbers) {
  const auto kept = [](DocumentNumber number) { return number != kDropped; };
  const auto first = std::find_if(numbers.begin(), numbers.end(), kept);
  if (first == numbers.end()) return {};
  if (!first_) first_ = *first;
  const auto last = std::find_if(numbers.rbegin(), numbers.rend(), kept);
  if (*last - *first_ >= kMaxRunDocuments) return Error(Code::kInvalid, "a run of more than 2^32 documents");
  for (const TokenGroup& group : groups) {
    std::uint32_t number = 0;
    for_each_token(
        tokens.of(group),
        [&](std::uint32_t document) {
          if (numbers[document] == kDropped) return false;
          number = static_cast<std::uint32_t>(numbers[document] - *first_);
          return true;
        },
        [&](std::string_view suffix) {
          add_occurrence(dictionary_.find_or_add(group.collection, suffix), number, arena_);
        });
  }
  note_memory();
  return {};
}

Result<std::vector<RunFile>> CpuInverter::flush() {
  std::vector<RunFile> runs;
  if (!first_) return runs;
  std::vector<Part> parts(partitions_);
  std::optional<Error> failed;
  std::string term;
  dictionary_.for_each_in_order([&](std::string_view prefix, std::string_view suffix, const PostingChain& chain) {
    term.assign(prefix).append(suffix);
    if (auto flushed = flush_term(term, chain, parts); !flushed) failed = std::move(flushed).error();
    return !failed.has_value();
  });
  if (failed) return *std::move(failed);
  for (Part& part : parts)
    if (part.run) runs.push_back(FROND_TRY(part.run->finish()));
  dictionary_.clear();
  arena_.clear();
  first_.reset();
  ++flushes_;
  note_memory();
  return runs;
}

Result<void> CpuInverter::flush_term(std::string_view term, const PostingChain& chain, std::vector<Part>& parts) {
  const auto add = [&](Part& part, std::uint64_t docid, Frequency frequency) {
    part.docids.push_back(static_cast<DocId>(docid));
    part.frequencies.push_back(frequency);
  };
  if (partitions_ == 1)
    for_each_posting(chain, arena_, scratch_,
                     [&](std::uint32_t number, Frequency frequency) { add(parts[0], *first_ + number, frequency); });
  else
    for_each_posting(chain, arena_, scratch_, [&](std::uint32_t number, Frequency frequency) {
      const DocumentNumber document = *first_ + number;
      add(parts[document % partitions_], document / partitions_, frequency);
    });
  for (std::uint32_t p = 0; p < partitions_; ++p) {
    Part& part = parts[p];
    if (part.docids.empty()) continue;
    if (!part.run) {
      const auto name = label_ + "-" + std::to_string(flushes_) + "-p" + std::to_string(p) + ".run";
      part.run = FROND_TRY(RunWriter::create(folder_ / name, p));
    }
    FROND_TRY(part.run->add(term, part.docids, part.frequencies));
    part.docids.clear();
    part.frequencies.clear();
  }
  return {};
}

}  // namespace frond::indexer
