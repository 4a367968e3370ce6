#pragma once
// A cursor over one posting list, for document-at-a-time evaluation. It moves forward only. Blocks are found by their
// last docIDs; docIDs are decoded when a block is entered, frequencies when the first of them is needed.
//
// One thread; borrows the list and its bytes. A block that does not decode ends the list: from then on docid() is
// kNoDoc and corrupt() is true, so an evaluator checks once, at its end.
//
// For any bytes, docid() ascends strictly and is below `limit` until it is kNoDoc, and frequency() is at least 1, so
// evaluators may use them as indexes without a check.
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "common/postings/posting_list.h"

namespace frond::postings {

class Cursor {
 public:
  // Begins at the first posting. limit: the number of documents; docIDs from it on are corruption.
  explicit Cursor(const PostingList& list, DocId limit = kNoDoc) : list_(&list), limit_(limit) {
    if (list.blocks() == 0) return;
    enter(0);
  }

  // The posting under the cursor; kNoDoc past the end.
  DocId docid() const { return docid_; }
  // Of the posting under the cursor, which is not past the end. 1 if the block does not decode, which ends the list
  // here.
  Frequency frequency() {
    if (frequency_block_ != block_) [[unlikely]]
      decode_frequencies();
    return frequencies_[position_];
  }

  // Steps to the next posting. The cursor is not past the end.
  void next() {
    if (++position_ < size_) [[likely]] {
      docid_ = docids_[position_];
    } else {
      next_block();
    }
  }
  // Moves to the first posting with docID >= target, which may be the current one. Cheap past the end.
  void next_geq(DocId target) {
    if (docid_ >= target) return;
    if (target > last_) {  // in a later block
      const std::uint32_t block = list_->find_block(target, block_ + 1);
      if (block >= list_->blocks()) return finish();
      if (!enter(block) || docid_ >= target) return;
    }
    seek_in_block(target);
  }

  // ---- Blocks, for engines that skip by bounds.
  //
  // The block of the posting under the cursor; blocks() of the list past the end.
  std::uint32_t block() const { return block_; }
  // Its last docID; kNoDoc past the end.
  DocId block_last() const { return last_; }
  // The least saturation deficit of its postings (scoring::BoundScale::bound turns it into a score). Not past the end.
  scoring::PackedDeficit block_deficit() const { return list_->block_deficit(block_); }
  // The block that a posting with docID >= target would be in, found without decoding anything or moving; blocks() if
  // there is none. Its bound is list().block_deficit(…), its end list().last_docid(…).
  std::uint32_t block_of(DocId target) const { return target <= last_ ? block_ : list_->find_block(target, block_); }

  // Moves to the first posting of the next block.
  void next_block() {
    if (block_ + 1 >= list_->blocks()) return finish();
    enter(block_ + 1);
  }

  const PostingList& list() const { return *list_; }
  bool corrupt() const { return error_.has_value(); }
  // kCorrupt, and in which block; an error only while corrupt().
  Result<void> status() const { return error_ ? Result<void>(*error_) : Result<void>(); }
  // For profiles: blocks whose docIDs were decoded.
  std::uint32_t blocks_decoded() const { return blocks_decoded_; }

 private:
  // Decodes `block` and stands on its first posting; false where it ends the list instead.
  bool enter(std::uint32_t block) {
    auto decoded = list_->decode_docids(block, docids_);
    if (!decoded) [[unlikely]]
      return fail(std::move(decoded).error());
    ++blocks_decoded_;
    block_ = block;
    size_ = list_->block_size(block);
    position_ = 0;
    // seek_in_block() reads whole groups: places behind a short block must not match.
    for (std::uint32_t i = size_; i < kBlockLength; ++i) docids_[i] = kNoDoc;
    last_ = docids_[size_ - 1];
    const bool backwards = blocks_decoded_ > 1 && docids_[0] <= docid_;
    if (last_ >= limit_ || backwards) [[unlikely]]
      return fail(out_of_place(block));
    docid_ = docids_[0];
    return true;
  }
  // The first of the decoded docIDs >= target; there is one. Groups of 16 are skipped by their last, then counted.
  void seek_in_block(DocId target) {
    std::uint32_t group = position_ & ~std::uint32_t{15};
    while (docids_[group + 15] < target) group += 16;
    std::uint32_t below = 0;
    for (std::uint32_t i = 0; i < 16; ++i) below += docids_[group + i] < target;
    position_ = group + below;
    docid_ = docids_[position_];
  }
  void decode_frequencies() {
    frequency_block_ = block_;
    auto decoded = list_->decode_frequencies(block_, frequencies_);
    if (decoded) [[likely]]
      return;
    frequencies_.fill(1);
    fail(std::move(decoded).error());
    frequency_block_ = block_;
  }
  Error out_of_place(std::uint32_t block) const {
    return Error(Code::kCorrupt, "block " + std::to_string(block) + " ends at docID " + std::to_string(last_) +
                                     (last_ >= limit_ ? ", past the last document" : ", before the blocks before it"));
  }
  void finish() {
    docid_ = last_ = kNoDoc;
    block_ = list_->blocks();
    size_ = position_ = 0;
  }
  bool fail(Error error) {
    if (!error_) error_ = std::move(error);
    finish();
    return false;
  }

  alignas(64) std::array<std::uint32_t, kBlockLength> docids_;
  alignas(64) std::array<std::uint32_t, kBlockLength> frequencies_;
  const PostingList* list_;
  DocId docid_ = kNoDoc;
  DocId last_ = kNoDoc;  // of the block
  DocId limit_;
  std::uint32_t position_ = 0, size_ = 0;  // in the block
  std::uint32_t block_ = 0;
  std::uint32_t frequency_block_ = 0xffffffff;  // whose frequencies are decoded
  std::uint32_t blocks_decoded_ = 0;
  std::optional<Error> error_;
};

}  // namespace frond::postings
