// ASB_CHECK: a broken invariant of ours, never a user's mistake. On in every build.
#pragma once

namespace asb {

/// Prints "internal error: ... please report" with the place and aborts.
[[noreturn]] void check_failed(const char* condition, const char* what, const char* file, int line);

}  // namespace asb

#define ASB_CHECK(condition, what) \
  ((condition) ? void(0) : ::asb::check_failed(#condition, what, __FILE__, __LINE__))
#define ASB_UNREACHABLE(what) ::asb::check_failed("unreachable", what, __FILE__, __LINE__)
