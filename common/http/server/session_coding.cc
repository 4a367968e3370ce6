// Bodies that come or go compressed: of requests they are decoded before a handler has them, of answers encoded before
// they are written. What may take longer than the loop should be held up is done on another thread.
#include <algorithm>
#include <exception>
#include <memory>
#include <utility>

#include <boost/asio/post.hpp>

#include "common/http/content_coding.h"
#include "common/http/server/session.h"

namespace frond::http {
namespace {
namespace asio = boost::asio;

constexpr std::size_t kCodedHere = 64 << 10, kDecodedHere = 256 << 10;  // bytes that are decoded on the loop
constexpr std::size_t kLeastEncoded = 1 << 10, kEncodedHere = 16 << 10, kMostEncoded = 8 << 20;
constexpr std::size_t kMaxEncoding = 4;  // answers of a server at a time, on other threads

Response undecodable(const Error& error) {
  if (error.code() == Code::kOverloaded) return problem(413, "Content too large", error.message() + ".", "body");
  return problem(400, "Bad request", error.message() + ".", "body");
}

// An entity tag or a range is of the body as it is.
bool may_be_encoded(const Response& response) {
  if (response.reader || response.body.size() < kLeastEncoded || response.status == 206) return false;
  if (!is_worth_coding(response.content_type)) return false;
  return std::ranges::none_of(response.headers, [](const auto& field) {
    return field.first == "ETag" || field.first == "Content-Encoding" || field.first == "Vary";
  });
}

void encode_body(AnswerCoding coding, Response& response) {
  auto encoded = encoded_body(coding, response.body);
  if (!encoded) return;
  response.body = *std::move(encoded);
  response.headers.emplace_back("Content-Encoding", name_of(coding));
}

}  // namespace

// Decodes the body, and calls the handler; or answers 400 or 413.
void Session::decode(Coded coded) {
  const std::string_view body = coded.request.body;
  const std::string coding(coded.request.header("content-encoding"));
  const bool aside = core_->config.run_aside != nullptr;
  if (!aside || body.size() <= kCodedHere) {
    auto decoded = decoded_body(coding, body, aside ? std::min(coded.most, kDecodedHere) : coded.most);
    const bool longer = !decoded && decoded.error().code() == Code::kOverloaded && aside && coded.most > kDecodedHere;
    if (!longer) return give(std::move(coded), std::move(decoded));
  }
  const ClientId client = coded.request.client;
  const auto held = std::make_shared<Coded>(std::move(coded));
  // No bytes: both bodies have their room in the server already.
  core_->config.run_aside(client, 0, [self = shared_from_this(), held, coding] {
    const auto decoded = std::make_shared<Result<std::string>>(Error(Code::kOverloaded, "There is no memory for it"));
    try {
      *decoded = decoded_body(coding, held->request.body, held->most);
    } catch (const std::exception&) {
    }
    asio::post(self->core_->io, [self, held, decoded] {
      if (self->core_->closed || !self->stream_.is_open()) return;  // nobody waits; handlers may be gone
      try {
        self->give(std::move(*held), std::move(*decoded));
      } catch (const std::exception&) {
      }  // as in dispatch()
    });
  });
}

void Session::give(Coded coded, Result<std::string> decoded) {
  const Routing& routing = coded.routing;
  if (!decoded) {
    Response refusal = undecodable(decoded.error());
    return coded.responder.send(routing.shape != nullptr ? routing.shape(std::move(refusal)) : std::move(refusal));
  }
  if (coded.counted)
    coded.counted->group->bodies.keep(coded.counted->request, decoded->capacity() + coded.header_bytes);
  coded.counted = nullptr;  // the request has it
  coded.request.body = *std::move(decoded);
  std::erase_if(coded.request.headers, [](const auto& field) { return field.first == "content-encoding"; });
  (*routing.handler)(std::move(coded.request), std::move(coded.responder));
}

// Encodes the answer as its client accepts it, where that is worth it, and settles it.
void Session::encode(std::uint64_t sequence, Response response, std::string_view route) {
  Slot* const slot = find(sequence);
  if (slot == nullptr) return;
  if (!may_be_encoded(response)) return settle(sequence, std::move(response), route);
  response.headers.emplace_back("Vary", "Accept-Encoding");
  const AnswerCoding coding = slot->coding;
  const std::size_t bytes = response.body.size();
  const bool here = bytes <= kEncodedHere;
  const bool aside = !here && bytes <= kMostEncoded && core_->config.run_aside && !core_->draining && !core_->closed &&
                     core_->encoding < kMaxEncoding;
  if (coding == AnswerCoding::kIdentity || (!here && !aside)) return settle(sequence, std::move(response), route);
  if (here) {
    encode_body(coding, response);
    return settle(sequence, std::move(response), route);
  }
  slot->gone = nullptr;  // it is answered
  ++core_->encoding;
  const auto held = std::make_shared<Response>(std::move(response));
  core_->config.run_aside(client_.first, 2 * bytes, [self = shared_from_this(), held, sequence, coding, route] {
    try {
      encode_body(coding, *held);
    } catch (const std::exception&) {
    }  // no memory: it goes as it is
    asio::post(self->core_->io, [self, held, sequence, route] {
      --self->core_->encoding;
      self->settle(sequence, std::move(*held), route);
    });
  });
}

}  // namespace frond::http
