#include "common/partition/values/value_column.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>

#include "common/base/check.h"
#include "common/partition/values/chunk_bits.h"
#include "common/partition/values/document_values.h"

namespace frond::partition {
namespace {

// u32 documents, u32 values, u64 least, u64 greatest, u32 words, u8 width, u8 whether there are offsets, u16 0; then
// presence (u64 by 64 documents), offsets (u32 by document, and one more) if any document has several values, word ends
// (u32 by word), codes, and the words' text.
constexpr std::size_t kChunkHeaderBytes = 32;

std::uint8_t width_for(std::uint64_t greatest) {
  return greatest == 0 ? 0 : greatest <= 0xff ? 1 : greatest <= 0xffff ? 2 : greatest <= 0xffff'ffff ? 4 : 8;
}

bool is_keyword(schema::FieldType type) { return type == schema::FieldType::kKeyword; }

// The key that a float of -0 would have; columns have 0.
constexpr std::uint64_t kNegativeZero = ~(std::uint64_t{1} << 63);

// Whether a value of the type has this ordering key; between two that are, only kNegativeZero is not.
bool is_key(schema::FieldType type, std::uint64_t key) {
  if (type == schema::FieldType::kBoolean) return key <= 1;
  if (type != schema::FieldType::kFloat) return true;
  const schema::Value value = schema::value_of_key(type, key);
  return std::isfinite(std::get<double>(value)) && schema::ordering_key(type, value) == key;
}

}  // namespace

void ColumnChunkWriter::add(std::span<const schema::Value> values) {
  FROND_CHECK(documents_ < kChunkDocuments);
  ++documents_;
  counts_.push_back(static_cast<std::uint32_t>(values.size()));
  bytes_ += sizeof(std::uint32_t);
  for (const schema::Value& value : values) {
    if (is_keyword(type_)) {
      const auto& text = std::get<std::string>(value);
      text_ += text;
      ends_.push_back(static_cast<std::uint32_t>(text_.size()));
      bytes_ += text.size() + sizeof(std::uint32_t);
    } else {
      keys_.push_back(schema::ordering_key(type_, value));
      bytes_ += sizeof(std::uint64_t);
    }
  }
}

ByteBuffer ColumnChunkWriter::finish() {
  std::vector<std::string_view> words;
  if (is_keyword(type_)) {
    const auto word = [&](std::size_t i) {
      const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
      return std::string_view(text_).substr(begin, ends_[i] - begin);
    };
    for (std::size_t i = 0; i < ends_.size(); ++i) words.push_back(word(i));
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    for (std::size_t i = 0; i < ends_.size(); ++i)
      keys_.push_back(
          static_cast<std::uint64_t>(std::lower_bound(words.begin(), words.end(), word(i)) - words.begin()));
  }
  ByteBuffer bytes;
  if (!keys_.empty()) {
    const auto [least, greatest] = std::minmax_element(keys_.begin(), keys_.end());
    const std::uint64_t from = is_keyword(type_) ? 0 : *least;
    const std::uint8_t width = width_for(*greatest - from);
    const bool several = std::any_of(counts_.begin(), counts_.end(), [](std::uint32_t count) { return count > 1; });
    ByteWriter out(bytes);
    out.put(documents_);
    out.put(static_cast<std::uint32_t>(keys_.size()));
    out.put(from);
    out.put(*greatest);
    out.put(static_cast<std::uint32_t>(words.size()));
    out.put(width);
    out.put(static_cast<std::uint8_t>(several));
    out.put(std::uint16_t{0});
    for (std::uint32_t i = 0; i < documents_; i += 64) {
      std::uint64_t present = 0;
      for (std::uint32_t j = i; j < std::min(documents_, i + 64); ++j)
        present |= std::uint64_t{counts_[j] != 0} << (j - i);
      out.put(present);
    }
    if (several) {
      std::uint32_t offset = 0;
      out.put(offset);
      for (const std::uint32_t count : counts_) out.put(offset += count);
    }
    std::uint32_t end = 0;
    for (const std::string_view word : words) out.put(end += static_cast<std::uint32_t>(word.size()));
    const auto put_code = [&](std::uint64_t code) {
      const std::size_t at = bytes.size();
      bytes.resize(at + width);
      std::memcpy(bytes.data() + at, &code, width);
    };
    std::size_t next = 0;
    for (const std::uint32_t count : counts_) {
      if (count == 0 && !several) put_code(0);
      for (std::uint32_t i = 0; i < count; ++i) put_code(keys_[next++] - from);
    }
    for (const std::string_view word : words) out.put_bytes(as_bytes(word));
  }
  constexpr std::size_t kKeptBytes = std::size_t{1} << 20;
  if (bytes_ > kKeptBytes) {
    *this = ColumnChunkWriter(type_);
    return bytes;
  }
  documents_ = 0;
  bytes_ = 0;
  counts_.clear();
  keys_.clear();
  text_.clear();
  ends_.clear();
  return bytes;
}

std::string_view ValueColumn::Chunk::word(std::uint32_t number) const {
  if (number >= words) return {};
  const std::uint32_t begin = number == 0 ? 0 : load_le<std::uint32_t>(word_ends + (number - 1) * 4);
  const auto end = load_le<std::uint32_t>(word_ends + number * 4);
  return begin <= end && end <= text_bytes ? std::string_view(text + begin, end - begin) : std::string_view();
}

bool ValueColumn::Chunk::has(std::uint32_t document) const {
  return (load_le<std::uint64_t>(presence + document / 64 * 8) >> document % 64 & 1) != 0;
}

std::uint64_t ValueColumn::Chunk::code(std::uint32_t place) const {
  std::uint64_t code = 0;
  std::memcpy(&code, codes + std::size_t{place} * width, width);
  return code;
}

std::uint64_t ValueColumn::Chunk::codes_between(std::uint32_t word, std::uint64_t first, std::uint64_t last) const {
  std::uint64_t found = 0;
  find_codes(*this, word, 1, first, last, &found);
  return found;
}

ValueColumn::ValueColumn(schema::FieldType type, std::uint32_t documents)
    : type_(type),
      documents_(documents),
      chunks_((documents + ColumnChunkWriter::kChunkDocuments - 1) / ColumnChunkWriter::kChunkDocuments) {}

Result<void> ValueColumn::put_chunk(std::uint32_t number, ByteView bytes) {
  const auto corrupt = [&](const char* what) {
    return Error(Code::kCorrupt, "chunk " + std::to_string(number) + " of a column: " + what);
  };
  if (number >= chunks_.size() || chunks_[number].documents != 0)
    return corrupt("there is no such chunk, or it is there twice");
  if (bytes.size() < kChunkHeaderBytes) return corrupt("cut off");
  Chunk chunk;
  const std::byte* at = bytes.data();
  chunk.documents = load_le<std::uint32_t>(at);
  chunk.values = load_le<std::uint32_t>(at + 4);
  chunk.least = load_le<std::uint64_t>(at + 8);
  chunk.greatest = load_le<std::uint64_t>(at + 16);
  chunk.words = load_le<std::uint32_t>(at + 24);
  chunk.width = load_le<std::uint8_t>(at + 28);
  const std::uint8_t several = load_le<std::uint8_t>(at + 29);
  const std::uint32_t first = number * ColumnChunkWriter::kChunkDocuments;
  if (chunk.documents != std::min(ColumnChunkWriter::kChunkDocuments, documents_ - first) || chunk.values == 0 ||
      chunk.greatest < chunk.least || chunk.width != width_for(chunk.greatest - chunk.least) || several > 1 ||
      (chunk.words != 0) != is_keyword(type_) || chunk.words > chunk.values ||
      (is_keyword(type_) && (chunk.least != 0 || chunk.greatest != chunk.words - 1)))
    return corrupt("its numbers contradict each other");
  if (!is_keyword(type_) && (!is_key(type_, chunk.least) || !is_key(type_, chunk.greatest)))
    return corrupt("its bounds are no values of its type");
  const std::uint64_t stored = several != 0 ? chunk.values : chunk.documents;
  const std::uint64_t presence = (chunk.documents + 63) / 64 * 8,
                      offsets = several != 0 ? (chunk.documents + 1) * 4 : 0;
  const std::uint64_t text =
      kChunkHeaderBytes + presence + offsets + std::uint64_t{chunk.words} * 4 + stored * chunk.width;
  if (text > bytes.size()) return corrupt("cut off");
  chunk.presence = at + kChunkHeaderBytes;
  chunk.offsets = several != 0 ? chunk.presence + presence : nullptr;
  chunk.word_ends = chunk.presence + presence + offsets;
  chunk.codes = chunk.word_ends + std::size_t{chunk.words} * 4;
  chunk.text = reinterpret_cast<const char*>(at + text);
  std::uint32_t end = 0;
  for (std::uint32_t i = 0; i < chunk.words; ++i) {
    const auto next = load_le<std::uint32_t>(chunk.word_ends + i * 4);
    if (next < end) return corrupt("its words do not follow each other");
    end = next;
  }
  if (text + end != bytes.size()) return corrupt("its words do not end with it");
  chunk.text_bytes = end;
  for (std::uint32_t i = 1; i < chunk.words; ++i)
    if (chunk.word(i - 1) >= chunk.word(i)) return corrupt("its words do not ascend");
  std::uint32_t present = 0, last = 0;
  for (std::uint32_t i = 0; i < chunk.documents; ++i) {
    present += chunk.has(i);
    if (chunk.offsets == nullptr) continue;
    const auto from = load_le<std::uint32_t>(chunk.offsets + i * 4),
               to = load_le<std::uint32_t>(chunk.offsets + i * 4 + 4);
    if (from != last || to < from || to - from > kMaxValuesOfField || (to != from) != chunk.has(i))
      return corrupt("its documents do not follow each other");
    last = to;
  }
  if (chunk.documents % 64 != 0 && load_le<std::uint64_t>(chunk.presence + presence - 8) >> chunk.documents % 64 != 0)
    return corrupt("it has values of documents that it does not have");
  if (chunk.offsets != nullptr ? last != chunk.values : present != chunk.values)
    return corrupt("it has another number of values");
  for (std::uint32_t i = 0; i < stored; ++i) {
    const std::uint64_t code = chunk.code(i);
    if (code > chunk.greatest - chunk.least) return corrupt("a value is out of its bounds");
    if (type_ == schema::FieldType::kFloat && chunk.least + code == kNegativeZero) return corrupt("a value is -0");
  }
  for (std::uint32_t i = 0; chunk.offsets != nullptr && i < chunk.documents; ++i) {
    const auto behind = load_le<std::uint32_t>(chunk.offsets + i * 4 + 4);
    for (auto place = load_le<std::uint32_t>(chunk.offsets + i * 4) + 1; place < behind; ++place)
      if (chunk.code(place - 1) >= chunk.code(place)) return corrupt("the values of a document do not ascend");
  }
  chunks_[number] = chunk;
  values_ += chunk.values;
  return {};
}

// Sets the bits of documents with a code in one of the ranges, which ascend.
void ValueColumn::scan(const Chunk& chunk, std::uint32_t number, std::span<const CodeRange> ranges,
                       DocumentBits& bits) const {
  std::uint64_t* const to = bits.data() + number * (ColumnChunkWriter::kChunkDocuments / 64);
  const std::uint64_t most = chunk.greatest - chunk.least;
  const bool all = ranges.size() == 1 && ranges[0].first == 0 && ranges[0].last >= most;
  const auto is_in_one = [&](std::uint64_t code) {
    const auto range = std::lower_bound(ranges.begin(), ranges.end(), code,
                                        [](const CodeRange& one, std::uint64_t wanted) { return one.last < wanted; });
    return range != ranges.end() && range->first <= code;
  };
  constexpr std::size_t kFewRanges = 8;  // more are looked through for each document
  if (all || (chunk.offsets == nullptr && ranges.size() <= kFewRanges)) {
    const std::uint32_t words = (chunk.documents + 63) / 64;
    std::array<std::uint64_t, ColumnChunkWriter::kChunkDocuments / 64> found;
    for (const CodeRange& range : all ? std::span(&ranges[0], 1) : ranges) {
      if (!all) find_codes(chunk, 0, words, range.first, range.last, found.data());
      for (std::uint32_t i = 0; i < words; ++i) to[i] |= chunk.present(i) & (all ? ~std::uint64_t{0} : found[i]);
    }
    return;
  }
  for (std::uint32_t i = 0; i < chunk.documents; ++i) {
    if (!chunk.has(i)) continue;
    auto [place, end] = chunk.places(i);
    while (place < end && !is_in_one(chunk.code(place))) ++place;
    to[i / 64] |= std::uint64_t{place < end} << i % 64;
  }
}

// Empty: no code of the chunk is within the bounds.
std::optional<ValueColumn::CodeRange> ValueColumn::codes_between(const Chunk& chunk, const std::optional<Bound>& from,
                                                                 const std::optional<Bound>& to) const {
  if (chunk.values == 0) return std::nullopt;
  const std::uint64_t most = chunk.greatest - chunk.least;
  std::uint64_t first = 0, last = most;
  if (is_keyword(type_)) {
    // The first word that is not below `text`, or above it.
    const auto place_of = [&](const std::string& text, bool above) {
      std::uint32_t low = 0, high = chunk.words;
      while (low < high) {
        const std::uint32_t middle = low + (high - low) / 2;
        const std::string_view word = chunk.word(middle);
        if (above ? word <= text : word < text)
          low = middle + 1;
        else
          high = middle;
      }
      return std::uint64_t{low};
    };
    if (from) first = place_of(std::get<std::string>(from->value), !from->inclusive);
    if (to) {
      const std::uint64_t end = place_of(std::get<std::string>(to->value), to->inclusive);
      if (end == 0) return std::nullopt;
      last = end - 1;
    }
  } else {
    if (from) {
      std::uint64_t key = schema::ordering_key(type_, from->value);
      if (!from->inclusive && key++ == ~std::uint64_t{0}) return std::nullopt;
      if (key > chunk.greatest) return std::nullopt;
      first = key <= chunk.least ? 0 : key - chunk.least;
    }
    if (to) {
      std::uint64_t key = schema::ordering_key(type_, to->value);
      if (!to->inclusive && key-- == 0) return std::nullopt;
      if (key < chunk.least) return std::nullopt;
      last = std::min(most, key - chunk.least);
    }
  }
  if (first > last || first > most) return std::nullopt;
  return CodeRange{first, last};
}

void ValueColumn::match_range(const std::optional<Bound>& from, const std::optional<Bound>& to,
                              DocumentBits& bits) const {
  for (std::uint32_t i = 0; i < chunks_.size(); ++i)
    if (const auto range = codes_between(chunks_[i], from, to)) scan(chunks_[i], i, {&*range, 1}, bits);
}

void ValueColumn::match_any(std::span<const schema::Value> values, DocumentBits& bits) const {
  std::vector<CodeRange> ranges;
  for (std::uint32_t i = 0; i < chunks_.size(); ++i) {
    ranges.clear();
    for (const schema::Value& value : values)
      if (const auto range = codes_between(chunks_[i], Bound{value}, Bound{value})) ranges.push_back(*range);
    std::sort(ranges.begin(), ranges.end(), [](const CodeRange& a, const CodeRange& b) { return a.first < b.first; });
    if (!ranges.empty()) scan(chunks_[i], i, ranges, bits);
  }
}

void ValueColumn::match_exists(DocumentBits& bits) const { match_range(std::nullopt, std::nullopt, bits); }

void ValueColumn::match_keywords(const std::function<bool(std::string_view)>& wanted, DocumentBits& bits) const {
  std::vector<CodeRange> ranges;
  for (std::uint32_t i = 0; i < chunks_.size(); ++i) {
    ranges.clear();
    for (std::uint32_t word = 0; word < chunks_[i].words; ++word)
      if (wanted(chunks_[i].word(word))) {
        if (!ranges.empty() && ranges.back().last + 1 == word)
          ranges.back().last = word;
        else
          ranges.push_back({word, word});
      }
    if (!ranges.empty()) scan(chunks_[i], i, ranges, bits);
  }
}

std::vector<schema::Value> ValueColumn::values_of(DocId docid) const {
  std::vector<schema::Value> values;
  const Chunk& chunk = chunks_[docid / ColumnChunkWriter::kChunkDocuments];
  const std::uint32_t document = docid % ColumnChunkWriter::kChunkDocuments;
  if (chunk.values == 0 || !chunk.has(document)) return values;
  for (auto [place, end] = chunk.places(document); place < end; ++place) {
    const std::uint64_t key = chunk.least + chunk.code(place);
    if (is_keyword(type_))
      values.emplace_back(std::string(chunk.word(static_cast<std::uint32_t>(key))));
    else
      values.push_back(schema::value_of_key(type_, key));
  }
  return values;
}

std::optional<std::uint64_t> ValueColumn::first_key(DocId docid) const {
  const Chunk& chunk = chunks_[docid / ColumnChunkWriter::kChunkDocuments];
  const std::uint32_t document = docid % ColumnChunkWriter::kChunkDocuments;
  if (chunk.values == 0 || !chunk.has(document)) return std::nullopt;
  return chunk.least + chunk.code(chunk.places(document).first);
}

}  // namespace frond::partition
