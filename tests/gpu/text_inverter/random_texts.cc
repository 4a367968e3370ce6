#include "tests/gpu/text_inverter/random_texts.h"

#include <iterator>
#include <string_view>

namespace frond::support {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kOdd[] = {"don't"sv,
                                     "O'Neill's"sv,
                                     "caf\xc3\xa9"sv,
                                     "\xc3\xa9t\xc3\xa9.com"sv,
                                     "a.\xcc\x81z"sv,
                                     "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e"sv,
                                     "x\xe6\x97\xa5y"sv,
                                     "\xec\x84\x9c\xec\x9a\xb8\xec\x97\x90\xec\x84\x9c"sv,
                                     "\xe3\x82\xab\xe3\x83\xbc_b"sv,
                                     "naive\xff"
                                     "bytes"sv,
                                     "\xc3"sv,
                                     "node.js"sv,
                                     "3.11.2"sv,
                                     "1,234.56"sv,
                                     "1,a"sv,
                                     "user@example.com"sv,
                                     "AT&T"sv,
                                     "R&D"sv,
                                     "C++"sv,
                                     "c#"sv,
                                     ".NET"sv,
                                     "-.net"sv,
                                     "a:b:c"sv,
                                     "a;b,c"sv,
                                     "12:34"sv,
                                     "'quoted'"sv,
                                     "''"sv,
                                     "'a 'b 'c"sv,
                                     "_"sv,
                                     "__init__"sv,
                                     "_._"sv,
                                     "a_.b"sv,
                                     "<a href=\"http://x.org/?q=1&amp;r=2\">"sv,
                                     "&nbsp;"sv,
                                     "the"sv,
                                     "The"sv,
                                     "running"sv,
                                     "Runs"sv,
                                     "\xe2\x80\x99s"sv,
                                     "dog\xe2\x80\x99s"sv,
                                     "...a.b.c..."sv,
                                     "a..b"sv,
                                     "x,,y"sv,
                                     "\x00y"sv,
                                     "#tag"sv,
                                     "+1"sv,
                                     "ERROR:connection"sv,
                                     "MAX_SIZE_of"sv,
                                     "getElementById"sv,
                                     "www.example.com"sv,
                                     "v1.2.3"sv,
                                     "U.S.A."sv,
                                     "rock'n'roll"sv,
                                     "it's_a"sv,
                                     "ISTANBUL'DA"sv,
                                     "KIZLIK"sv,
                                     "CO\xe2\x82\x82"sv,
                                     "\xc2\xbd"sv,
                                     "5\xe2\x82\xac"sv,
                                     "\xf0\x9f\x91\x8d\xf0\x9f\x8f\xbd"sv,
                                     "\xf0\x9f\x87\xa9\xf0\x9f\x87\xaa\xf0\x9f\x87\xab"sv,
                                     "\xd7\xa6\xd7\x94\"\xd7\x9c"sv,
                                     "\xe3\x8e\x8f"sv,
                                     "l'\xc3\xa9"
                                     "cole"sv};

std::string plain_word(std::mt19937& random) {
  std::uint32_t rank = random() % (1u << random() % 15);
  std::string word;
  for (; rank > 0; rank /= 13) word += "aeionrtszkqmd"[rank % 13];
  if (!word.empty() && random() % 8 == 0) word[0] = static_cast<char>(word[0] - 'a' + 'A');
  if (random() % 40 == 0) word += std::to_string(random() % 100);
  return word.empty() ? "I" : word;
}

std::string odd_word(std::mt19937& random) {
  switch (random() % 12) {
    case 0:  // about as long as a key
      return std::string(22 + random() % 5, static_cast<char>('a' + random() % 3));
    case 1:  // about as long as a chunk
      return std::string(60 + random() % 10, 'x') + (random() % 2 == 0 ? "," : "");
    case 2:  // about as long as a token
      return std::string(253 + random() % 6, 'y') + ".com";
    case 3: {
      std::string list;
      for (int i = static_cast<int>(random() % 40); i >= 0; --i) list += plain_word(random) + ",";
      return list;
    }
    case 4: {  // any bytes
      std::string bytes;
      for (int i = static_cast<int>(random() % 12); i >= 0; --i) bytes += static_cast<char>(random() % 256);
      return bytes;
    }
    case 5:
      return std::string(kOdd[random() % std::size(kOdd)]) + std::string(kOdd[random() % std::size(kOdd)]);
    default:
      return std::string(kOdd[random() % std::size(kOdd)]);
  }
}

}  // namespace

std::string random_text(std::mt19937& random, std::size_t words, unsigned oddness) {
  static constexpr std::string_view kBetween[] = {" ", " ", " ", " ", ", ", ". ", "\n", "-", "/", "  ", ") (", "\t"};
  std::string text;
  for (std::size_t i = 0; i < words; ++i) {
    text += random() % 100 < oddness ? odd_word(random) : plain_word(random);
    text += kBetween[random() % std::size(kBetween)];
  }
  return text;
}

}  // namespace frond::support
