#include "tools/synth/text/text_chunk.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tools/synth/random.h"
#include "tools/synth/text/document_writer.h"

namespace frond::tools::synth {
namespace {

constexpr std::uint64_t kOfChunks = 11, kOfBoilerplate = 12;
constexpr std::size_t kBoilerplateBytes = 1u << 17;

// Lines as they stand in style sheets and scripts. They never hold "<".
std::string boilerplate_lines(const TextModel& model) {
  std::string lines;
  Random random(model.seed, kOfBoilerplate, 0);
  std::array<char, 4 * Speller::kMaxWordBytes> buffer;
  const auto word = [&] {
    return std::string(buffer.data(), model.speller.put_plain(random.below(1u << 16), buffer.data()));
  };
  while (lines.size() < kBoilerplateBytes) {
    const std::string name = word(), other = word();
    switch (random.below(3)) {
      case 0:
        lines += fmt::format(".{} {{ margin: 0 {}px; color: #{:06x}; float: left; }}\n", name, random.below(40),
                             random.below(1u << 24));
        break;
      case 1:
        lines += fmt::format("#{}, .{} a:hover {{ background: url(/images/{}.gif) no-repeat; }}\n", name, other, other);
        break;
      default:
        lines += fmt::format("/* {} */ .{}-{} {{ width: {}px; }}\n", other, name, other, random.below(1000));
    }
  }
  return lines;
}

}  // namespace

TextModel::TextModel(const TextProfile& of, Markup with, const SpellingShares& shares, std::uint64_t from)
    : profile(of),
      markup(with),
      seed(from),
      frequencies(WordFrequencies::fitted(static_cast<double>(of.tokens), static_cast<double>(of.terms), kRepeats)),
      speller(frequencies, shares, from),
      median_words(static_cast<double>(of.tokens) / static_cast<double>(of.documents) / (1 - frequencies.stop_share()) *
                   std::exp(-of.length_sigma * of.length_sigma / 2)) {
  if (markup == Markup::kHtml && profile.boilerplate != 0) boilerplate = boilerplate_lines(*this);
}

void TextBuffer::append(std::string_view text) {
  std::memcpy(reserve(text.size()), text.data(), text.size());
  size_ += text.size();
}

void TextBuffer::grow(std::size_t bytes) {
  const std::size_t capacity = std::max(size_ + bytes, capacity_ + capacity_ / 2);
  auto larger = std::make_unique_for_overwrite<char[]>(capacity);
  if (size_ != 0) std::memcpy(larger.get(), data_.get(), size_);
  data_ = std::move(larger);
  capacity_ = capacity;
}

void make_chunk(const TextModel& model, std::uint64_t number, TextChunk& chunk) {
  chunk.text.clear();
  chunk.documents.clear();
  chunk.text.reserve(kChunkBytes + (kChunkBytes >> 2));
  Random random(model.seed, kOfChunks, number);
  DocumentWriter writer(model, random, chunk.text);
  while (chunk.text.size() < kChunkBytes) {
    const auto in_chunk = static_cast<std::uint32_t>(chunk.documents.size());
    const auto counts = writer.write(number, in_chunk);
    chunk.documents.push_back({chunk.text.size(), counts.words, counts.tokens});
  }
}

}  // namespace frond::tools::synth
