#pragma once
// Ed25519 signatures, with keys in PEM files as `openssl genpkey -algorithm ed25519` and `openssl pkey -pubout` write
// them. A key's id is the first 16 hex digits of the SHA-256 of its 32 public bytes. Any thread.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace frond::tls {

inline constexpr std::size_t kSignatureBytes = 64;
inline constexpr std::size_t kMaxTrustedKeys = 64;

class SigningKey {
 public:
  // kInvalid names the file: it can't be read, or has no private key of this kind.
  static Result<std::shared_ptr<const SigningKey>> load(const std::string& file);
  virtual ~SigningKey() = default;
  virtual const std::string& id() const = 0;
  // kSignatureBytes of them. Allocates; throws std::bad_alloc.
  virtual std::string sign(std::string_view text) const = 0;
  // Whether `signature` is this key's of `text`.
  virtual bool is_own(std::string_view text, std::string_view signature) const = 0;
};

class TrustedKeys {
 public:
  // One or more public keys, one after the other. kInvalid names the file: as above, or there are too many.
  static Result<std::shared_ptr<const TrustedKeys>> load(const std::string& file);
  virtual ~TrustedKeys() = default;
  // Whether there is a key with this id.
  virtual bool has(std::string_view id) const = 0;
  // Whether `signature` is of `text` by the key with this id. Any bytes are safe.
  virtual bool verify(std::string_view id, std::string_view text, std::string_view signature) const = 0;
};

}  // namespace frond::tls
