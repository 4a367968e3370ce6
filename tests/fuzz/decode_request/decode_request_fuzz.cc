// decode_request, head_of_search and target_of survive any bytes. What the first accepts it can encode and read again,
// and the others agree with it.
#include <cstdint>
#include <cstdlib>
#include <variant>

#include "common/wire/codec.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace frond;
  const ByteView bytes(reinterpret_cast<const std::byte*>(data), size);
  const auto head = wire::head_of_search(bytes);
  const auto target = wire::target_of(bytes);
  const auto message = wire::decode_request(bytes);
  if (!message) return 0;
  const auto* search = std::get_if<wire::SearchRequest>(&*message);
  if (head.has_value() != (search != nullptr)) std::abort();
  if (search != nullptr && (head->request_id != search->request_id || head->budget != search->budget)) std::abort();
  using Kind = wire::RequestTarget::Kind;
  if (!target || (target->kind == Kind::kSearch) != (search != nullptr)) std::abort();
  if (search != nullptr && target->generation != GenerationId{search->generation, search->content}) std::abort();
  if (const auto* fetch = std::get_if<wire::FetchRequest>(&*message))
    if (target->generation != GenerationId{fetch->generation, fetch->content}) std::abort();
  if (const auto* hello = std::get_if<wire::HelloRequest>(&*message))
    if (target->kind != Kind::kHello || (hello->broker.instance != 0 && target->collection != hello->broker.collection))
      std::abort();
  if (!wire::decode_request(wire::encode(*message))) std::abort();
  return 0;
}
