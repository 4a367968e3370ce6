#pragma once
// A number for each document of a partition, made of the values of a column, which a device keeps, counts and orders
// by: one value a document at most, or one of several. leaf/collect makes them; documents without a value have 0.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "common/base/ids.h"

namespace frond::leaf::engine {

// Immutable; any thread. Stays usable until the partition is closed.
class DocumentCodes {
 public:
  // No device counts columns with more different codes.
  static constexpr std::uint32_t kMostCounted = 1u << 16;

  // `owner` names the codes while somebody holds it: those of the same owner are equal. `codes`: all are below it.
  DocumentCodes(std::shared_ptr<const void> owner, std::uint32_t documents, std::uint64_t codes)
      : owner_(std::move(owner)), documents_(documents), codes_(codes) {}
  virtual ~DocumentCodes() = default;
  DocumentCodes(const DocumentCodes&) = delete;
  DocumentCodes& operator=(const DocumentCodes&) = delete;

  const std::shared_ptr<const void>& owner() const { return owner_; }
  std::uint32_t documents() const { return documents_; }
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
};

}  // namespace frond::leaf::engine
