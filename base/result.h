// Result<T> and Error: how a fallible function answers. Under all folders; the only file that names tl::expected.
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "base/span.h"

namespace asb {

/// What went wrong, for a user. Wording as in docs/diagnostics: lower case, no full stop, names in
/// backticks, numbers from both sides.
struct Error {
  std::string name;       ///< registered name, e.g. "mesh-inverted-cell"; shown in [ ]
  std::string message;    ///< what was seen
  std::string hint = {};  ///< a way out; may be empty
  Span span = {};         ///< where in the program; empty if it isn't about a place in it
};

template <class T, class E = Error>
using Result = tl::expected<T, E>;

/// `return fail("name", "message", "hint");` from any function that returns a Result.
inline tl::unexpected<Error> fail(std::string name, std::string message, std::string hint = {},
                                  Span span = {}) {
  return tl::unexpected<Error>(Error{std::move(name), std::move(message), std::move(hint), span});
}

/// Passes the error of one Result on as that of another type.
inline tl::unexpected<Error> fail(Error error) { return tl::unexpected<Error>(std::move(error)); }

}  // namespace asb
