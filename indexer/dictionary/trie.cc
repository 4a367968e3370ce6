#include "indexer/dictionary/trie.h"

#include <algorithm>

#include "common/base/check.h"

namespace frond::indexer::dictionary {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

}  // namespace

TriePlace trie_place(std::string_view term) {
  if (term.empty()) return {};
  const char first = term[0];
  if (is_letter(first)) {
    if (term.size() > 3 && is_letter(term[1]) && is_letter(term[2])) {
      const int index = ((first - 'a') * 26 + (term[1] - 'a')) * 26 + (term[2] - 'a');
      return {static_cast<TrieCollection>(kFirstTriple + index), 3};
    }
    return {static_cast<TrieCollection>(kFirstLetter + (first - 'a')), 1};
  }
  if (is_digit(first) && std::all_of(term.begin(), term.end(), is_digit))
    return {static_cast<TrieCollection>(kFirstNumber + (first - '0')), 1};
  return {};
}

TriePrefix::TriePrefix(TrieCollection collection) {
  FROND_CHECK(collection < kTrieCollections);
  if (collection >= kFirstTriple) {
    const int index = collection - kFirstTriple;
    bytes_ = {static_cast<char>('a' + index / 676), static_cast<char>('a' + index / 26 % 26),
              static_cast<char>('a' + index % 26)};
    size_ = 3;
  } else if (collection >= kFirstLetter) {
    bytes_[0] = static_cast<char>('a' + (collection - kFirstLetter));
    size_ = 1;
  } else if (collection >= kFirstNumber) {
    bytes_[0] = static_cast<char>('0' + (collection - kFirstNumber));
    size_ = 1;
  }
}

}  // namespace frond::indexer::dictionary
