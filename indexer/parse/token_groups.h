#pragma once
// The tokens of a batch of documents, with those of one trie collection together (Wei and JaJa 2011, III.C, step 5),
// and in a collection those of one term: each term comes once with all its postings, so inverters look up every term of
// a batch once. If a batch has very many terms, it is cut into sections, in each of which this holds; the groups of a
// later section follow those of an earlier one.
//
// Bytes of a group, for each term: u16 bytes of the suffix (the term without the collection's prefix), u32 postings,
// the suffix, then each posting: u16 document of the batch, u16 frequency. Documents do not descend; a document comes
// again if its frequency does not fit. Written and read by one process, so readers do not check it.
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "indexer/dictionary/trie.h"
#include "indexer/parse/term_table.h"
#include "indexer/parse/token_table.h"

namespace frond::indexer::parse {

inline constexpr std::size_t kMaxBatchDocuments = 0xffff;

struct TokenGroup {
  dictionary::TrieCollection collection = 0;
  std::uint32_t begin = 0, end = 0;  // of its bytes
};

// Immutable once made by a TokenGrouper.
struct TokenGroups {
  ByteBuffer bytes;
  std::vector<TokenGroup> groups;  // of the collections that have tokens, ascending in each section
  ByteView of(const TokenGroup& group) const { return ByteView(bytes).subspan(group.begin, group.end - group.begin); }
};

// A term of a group, and its postings. Borrows the group.
struct GroupedTerm {
  static constexpr std::size_t kHeaderBytes = 6, kPostingBytes = 4;
  std::string_view suffix;
  std::uint32_t postings = 0;
  const std::byte* first = nullptr;

  std::uint32_t document(std::uint32_t posting) const {
    return load_le<std::uint16_t>(first + posting * kPostingBytes);
  }
  std::uint32_t frequency(std::uint32_t posting) const {
    return load_le<std::uint16_t>(first + posting * kPostingBytes + 2);
  }
  // Where the next term begins.
  const std::byte* end() const { return first + postings * kPostingBytes; }
  static GroupedTerm read(const std::byte* at) {
    const std::size_t bytes = load_le<std::uint16_t>(at);
    const std::byte* const suffix = at + kHeaderBytes;
    return {std::string_view(reinterpret_cast<const char*>(suffix), bytes), load_le<std::uint32_t>(at + 2),
            suffix + bytes};
  }
};

// Takes tokens in text order, gives groups. One thread; reusable, keeps up to twice `kept_bytes` of postings.
class TokenGrouper {
 public:
  explicit TokenGrouper(std::size_t kept_bytes = std::size_t{4} << 20, int table_bits = kMaxTableBits);
  // The next tokens are those of document `document` of the batch.
  // REQUIRES: documents ascend and are below kMaxBatchDocuments.
  void begin_document(std::uint32_t document);
  // The id of a term of at most 65,535 bytes. Ids are valid until epoch() changes, which only intern() may do: where
  // there are too many terms, it forgets those that few documents have.
  TermId intern(std::string_view term) { return intern(term, terms_.seek(term)); }
  // The same in the steps of TermTable.
  TermId intern(std::string_view term, const TermTable::Lookup& lookup);
  const TermTable& terms() const { return terms_; }
  std::uint32_t epoch() const { return epoch_; }
  // By id of the epoch before: the term's id in this one, or kNoTerm.
  std::span<const TermId> numbers() const { return numbers_; }
  // What add() of a term needs, for who begins to load it.
  LinesByTerm lines() { return {reinterpret_cast<const std::byte*>(states_.begin()), states_.size() - 1}; }
  // Terms of the document, one for each token.
  void add(std::span<const TermId> terms);
  void add(std::string_view term) {
    const TermId id = intern(term);
    add(std::span(&id, 1));
  }
  // The same so many times. REQUIRES: times >= 1; the document does not have the term yet.
  void add(std::string_view term, std::uint16_t times) {
    const TermId id = intern(term);
    add(std::span(&id, 1));
    postings_[states_[id].posting].frequency = times;
  }
  // Gives the tokens since the last call. A batch's groups have less than 4 GiB.
  void finish(TokenGroups& out);

 private:
  // Terms are numbered through a section in the order in which they come, so that what a section needs of each of its
  // terms lies together, however many terms the table has.
  struct Posting {
    std::uint32_t number;  // of its term in the section
    std::uint16_t document, frequency;
  };
  struct State {                // of a term
    std::uint32_t stamp = 0;    // of the last document that had it
    std::uint32_t posting = 0;  // the last one, in that document's section
    std::uint32_t number = 0;   // in that section
    std::uint32_t unused = 0;   // so that no state lies in two lines of a cache
  };
  void add_some(std::span<const TermId> terms);
  void add_again(State& state);
  void make_room(std::size_t postings);
  void begin_section();
  void end_section();
  void forget_terms();

  std::size_t kept_bytes_;
  TermTable terms_;
  std::uint32_t epoch_ = 0;
  // Documents have stamps, which ascend. A term that has one from section_stamp_ on occurs in the section.
  std::uint32_t stamp_ = 1, section_stamp_ = 1;
  std::uint16_t document_ = 0;
  ZeroedArray<State> states_;           // by term
  ZeroedArray<std::uint8_t> sections_;  // by term: in how many it was used, at most 255
  std::vector<Posting> postings_;       // of the section, in text order, and then room
  std::size_t posting_count_ = 0;       // without the room
  // By number in the section, and room for one more.
  ZeroedArray<TermId> used_;
  ZeroedArray<std::uint32_t> places_;  // how many postings; later, where the next one goes
  std::size_t used_count_ = 0;
  std::vector<TermId> numbers_;
  std::vector<std::uint32_t> bytes_;  // by collection, zeros
  TokenGroups made_;
};

}  // namespace frond::indexer::parse
