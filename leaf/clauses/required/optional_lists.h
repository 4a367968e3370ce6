#pragma once
// Terms that documents may have beside those that they must have. One thread.
#include <array>
#include <cstdint>
#include <vector>

#include "leaf/clauses/required/joined_list.h"
#include "leaf/cpu/intersect_block.h"

namespace frond::leaf::clauses {

using SumsByPlace = std::array<std::uint64_t, cpu::kBlockLength>;  // of the driver's block

class OptionalLists {
 public:
  std::vector<JoinedList>& lists() { return lists_; }
  const std::vector<JoinedList>& lists() const { return lists_; }
  // No document needs to be looked up any more.
  void leave_out() { left_out_ = true; }
  bool left_out() const { return left_out_; }

  // The driver is at another block.
  void start_block();
  // Finds their bounds in documents first .. last of the driver's block, and returns the sum; `first` never decreases.
  std::uint64_t look(DocId first, DocId last);
  // After look(): of documents in which all that is required gives at most `required`, below `least`, keeps those that
  // have one of the optional terms without which they can't reach `least`. Nothing is scored.
  void keep_with_one(const cpu::Candidates& candidates, std::uint64_t required, std::uint64_t least,
                     cpu::CandidateBuffer& kept);
  // Adds their scores to the sums of the candidates. Keeps those whose sums then reach `least`; after look(), of
  // documents in its range. `least` 0: keeps all. Returns what was kept, in `one` or `other`; `candidates` may lie in
  // one of them.
  cpu::Candidates add(cpu::Candidates candidates, std::uint64_t least, SumsByPlace& sums, cpu::CandidateBuffer& one,
                      cpu::CandidateBuffer& other);

 private:
  using Places = std::array<std::uint64_t, cpu::kBlockLength / 64>;  // a bit each
  struct Optional {
    JoinedList* list = nullptr;
    bool is_known = false;  // which of the candidates have it: `found`
    Places found{};
  };
  void look_up(Optional& one, const cpu::Candidates& candidates);
  void add_known(const Optional& one, const cpu::Candidates& candidates, std::uint64_t least, std::uint64_t rest,
                 SumsByPlace& sums, cpu::CandidateBuffer& kept);
  void add_list(JoinedList& list, const cpu::Candidates& candidates, std::uint64_t least, std::uint64_t rest,
                SumsByPlace& sums, cpu::CandidateBuffer& kept);

  std::vector<JoinedList> lists_;  // does not change once order_ is there
  std::vector<Optional> order_;    // those that may have documents in the range, the highest bound first
  bool left_out_ = false;
  cpu::CandidateBuffer run_, found_;
};

}  // namespace frond::leaf::clauses
