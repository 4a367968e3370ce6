#include "common/partition/encoded_lists.h"

#include <string>

#include "common/partition/format.h"
#include "common/partition/partition_writer.h"
#include "common/partition/records.h"
#include "common/postings/list_view.h"
#include "common/text/limits.h"

namespace frond::partition {

Result<std::uint64_t> measure_segment(ByteView segment, ListBytes& bytes) {
  if (segment.empty() || segment.size() > kMaxSegmentBytes)
    return Error(Code::kInvalid, "a segment of " + std::to_string(segment.size()) + " bytes");
  const auto view = postings::ListView::open(segment);
  if (!view) return Error(Code::kInvalid, view.error().message());
  const auto sizes = view->sizes();
  bytes.header += sizes.header;
  bytes.index += sizes.index;
  bytes.bounds += sizes.bounds;
  bytes.docids += sizes.docids;
  bytes.frequencies += sizes.frequencies;
  return view->count();
}

Result<void> check_term(std::string_view term) {
  if (!term.empty() && term.size() <= text::kMaxTermBytes && term.find('\0') == std::string_view::npos) return {};
  return Error(Code::kInvalid, "a term has 1 .. " + std::to_string(text::kMaxTermBytes) + " bytes and no NUL");
}

Result<void> EncodedLists::add(std::string_view term, std::uint64_t document_frequency, std::uint64_t occurrences,
                               ByteView blob) {
  const auto within = [&](Error error) { return std::move(error).within("list of " + printable(term)); };
  if (auto checked = check_term(term); !checked) return within(std::move(checked).error());
  const auto postings = measure_segment(blob, list_bytes_);
  if (!postings) return within(postings.error());
  if (*postings != document_frequency)
    return within(Error(Code::kInvalid, "document frequency " + std::to_string(document_frequency) +
                                            ", but a segment of " + std::to_string(*postings) + " postings"));
  postings_ += *postings;
  const bool is_inline = blob.size() <= kInlineListBytes;
  Ends ends{};
  ByteWriter(bytes_).put_bytes(as_bytes(term));
  ends.term = bytes_.size();
  encode_term({{document_frequency, occurrences, 1}, is_inline ? blob : ByteView()}, bytes_);
  ends.record = bytes_.size();
  if (!is_inline) ByteWriter(bytes_).put_bytes(blob);
  ends.blob = bytes_.size();
  ends_.push_back(ends);
  return {};
}

void EncodedLists::reserve(std::size_t lists, std::size_t bytes) {
  constexpr std::size_t kUsualRecordBytes = 6;  // without a blob
  bytes_.reserve(bytes_.size() + bytes + lists * kUsualRecordBytes);
  ends_.reserve(ends_.size() + lists);
}

EncodedLists::List EncodedLists::list(std::size_t number) const {
  const Ends& ends = ends_[number];
  const std::size_t begin = number == 0 ? 0 : ends_[number - 1].blob;
  const ByteView all(bytes_);
  return {as_text(all.subspan(begin, ends.term - begin)), all.subspan(ends.term, ends.record - ends.term),
          all.subspan(ends.record, ends.blob - ends.record)};
}

}  // namespace frond::partition
