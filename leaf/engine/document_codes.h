#pragma once
// A number for each document of a partition, or for each of its values, made of the values of a column, which a device
// keeps, counts and orders by: leaf/collect makes them. Or the bytes of all sequences of words, which it looks for
// phrases in, or lengths in a text field, which it scores by: leaf/clauses/resolve/device_phrase.h.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "common/base/ids.h"
#include "leaf/engine/code_sums.h"

namespace frond::leaf::engine {

// Immutable; any thread. Stays usable until the partition is closed.
class DocumentCodes {
 public:
  // No device counts columns with more different codes.
  static constexpr std::uint32_t kMostCounted = 1u << 16;

  // `owner` names the codes while somebody holds it: those of the same owner are equal. `codes`: all are below it.
  DocumentCodes(std::shared_ptr<const void> owner, std::uint32_t documents, std::uint64_t codes,
                std::shared_ptr<const DocumentCodes> places = nullptr)
      : owner_(std::move(owner)), documents_(documents), codes_(codes), places_(std::move(places)) {}
  virtual ~DocumentCodes() = default;
  DocumentCodes(const DocumentCodes&) = delete;
  DocumentCodes& operator=(const DocumentCodes&) = delete;

  const std::shared_ptr<const void>& owner() const { return owner_; }
  // Null: a code for each document, 0 for one without a value. Otherwise a code for each value, those of a document one
  // behind the other; places() has as its codes where those of each document begin, and one more.
  const std::shared_ptr<const DocumentCodes>& places() const { return places_; }
  std::uint32_t documents() const { return documents_; }  // or values, or places: how many codes there are
  std::uint64_t codes() const { return codes_; }
  // Bytes of each.
  std::uint32_t width() const {
    return codes_ <= 1u << 8 ? 1 : codes_ <= 1u << 16 ? 2 : codes_ <= std::uint64_t{1} << 32 ? 4 : 8;
  }
  std::size_t bytes() const { return std::size_t{documents_} * width(); }
  // Writes the codes of the documents from `first` on, as many as `out` has room for, little-endian; 0 behind the last.
  virtual void write(DocId first, std::span<std::byte> out) const = 0;

 private:
  const std::shared_ptr<const void> owner_;
  const std::uint32_t documents_;
  const std::uint64_t codes_;
  const std::shared_ptr<const DocumentCodes> places_;
};

// Codes that are counted: each for itself, or for how many of the ascending bounds it is not below; or those above 0
// are summed up.
struct CountedCodes {
  std::shared_ptr<const DocumentCodes> codes;
  std::vector<std::uint64_t> bounds = {};
  bool sums = false;  // there are no bounds

  std::uint64_t counters() const {
    return sums ? CodeSums::kCounters : bounds.empty() ? codes->codes() : bounds.size() + 1;
  }
};

}  // namespace frond::leaf::engine
