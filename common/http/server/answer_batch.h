#pragma once
// Serializes answers that are written together: status lines, fields and small bodies in one string, large bodies from
// where they are. Internal to this folder. One thread.
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/buffer.hpp>

#include "common/http/message.h"

namespace frond::http {

class AnswerBatch {
 public:
  using Fields = std::vector<std::pair<std::string, std::string>>;
  struct Framing {
    bool head = false;             // the request was HEAD: no body
    bool last = false;             // the connection closes after it
    std::string_view date;         // the whole Date line
    const Trace* trace = nullptr;  // of the request; null: of an answer without one
    const Fields* more = nullptr;  // fields added to it; null: none
  };
  static constexpr std::size_t kMaxInlineBody = 16 << 10;  // larger bodies are not copied

  void clear();
  void append_continue();
  // Of an answer with a reader only what comes before its body.
  void append(Response&& response, const Framing& framing);
  // Whether answers of that status have a body.
  static bool has_content(int status);
  // Refers to this batch, which must not change until they are written.
  std::vector<boost::asio::const_buffer> buffers() const;

 private:
  std::string text_, id_;                                    // id_: of the request at hand
  std::vector<std::pair<std::size_t, std::string>> bodies_;  // large ones, with their place in text_
};

}  // namespace frond::http
