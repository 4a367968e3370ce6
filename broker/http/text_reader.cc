#include "broker/http/text_reader.h"

#include <utility>

namespace frond::broker::http {

TextReader::TextReader(std::size_t threads) {
  if (threads > 0) turns_.emplace("read", threads, threads * kMaxSearchBody);
}

void TextReader::read(const frond::http::ClientId& client, cluster::HomeThread& home, Work work, Done done) {
  if (ended_) return;
  const std::size_t bytes = work.text->size();
  turns_->add(client, bytes, [this, &home, work = std::move(work), done = std::move(done)] {
    if (ended_) return;
    const auto parsed = std::make_shared<ParsedSearch>();
    if (!*work.gone) *parsed = work.parse(std::string_view(*work.text).substr(work.from));
    home.post([parsed, done] { done(*parsed); });
  });
}

void TextReader::join() {
  if (turns_ && !ended_.exchange(true)) turns_->join();
}

}  // namespace frond::broker::http
