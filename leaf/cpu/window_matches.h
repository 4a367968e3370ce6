#pragma once
// All documents that match a plan, a window at a time, nothing scored: what is counted, put in another order than that
// of scores, or given to facets.
#include <array>
#include <cstdint>
#include <functional>

#include "leaf/cpu/kernels.h"
#include "leaf/engine/plan.h"

namespace frond::leaf::cpu {

// A window is kWindowDocuments documents from a multiple of that on; a set of them is a bit for each.
inline constexpr DocId kWindowDocuments = kGroup * kGroups;
using WindowBits = std::array<std::uint64_t, kGroups>;

// Puts postings of several lists together. One thread. A byte for each document of blocks whose documents lie close
// together, because a bit would be read and written again for every posting nearby; bits for other blocks.
class WindowMarks {
 public:
  // Ascending docIDs in the window at `first`.
  void add(const DocId* docids, std::size_t count, DocId first) {
    constexpr std::size_t kClose = 16;  // documents for each posting
    if (count == 0) return;
    if (docids[count - 1] - docids[0] < count * kClose) {
      has_bytes_ = true;
      for (std::size_t i = 0; i < count; ++i) bytes_[docids[i] - first] = 1;
    } else {
      for (std::size_t i = 0; i < count; ++i) {
        const DocId at = docids[i] - first;
        bits_[at / 64] |= std::uint64_t{1} << at % 64;
      }
    }
  }
  // What was added since clear().
  WindowBits& bits() {
    if (has_bytes_) move_marks(bytes_.data(), kGroups, bits_.data());
    has_bytes_ = false;
    return bits_;
  }
  void clear() { bits().fill(0); }

 private:
  alignas(64) std::array<std::uint8_t, kWindowDocuments> bytes_{};
  alignas(64) WindowBits bits_{};
  bool has_bytes_ = false;
};

// Documents of the window at `first`, from which those that are hidden are taken out.
inline void remove_hidden(const engine::Plan& plan, DocId first, WindowBits& documents) {
  for (std::size_t i = 0; plan.hidden != nullptr && i < documents.size(); ++i)
    documents[i] &= ~plan.hidden->word(first / 64 + i);
}

// Calls take() for windows in ascending order, with the documents that match and are not hidden; windows without any
// may be left out. It returns whether it wants more. Returns how many postings were decoded. The plan's `ranked`, `k`,
// `count_to` and `floor` are ignored. Errors: kCorrupt, kDeadline; those of take().
using TakeWindow = std::function<Result<bool>(DocId first, const WindowBits& documents)>;
Result<std::uint64_t> visit_matches(const engine::Plan& plan, const Clock& clock, const TakeWindow& take);

}  // namespace frond::leaf::cpu
