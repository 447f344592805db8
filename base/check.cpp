// The end of a run whose invariants broke.
#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace asb {

void check_failed(const char* condition, const char* what, const char* file, int line) {
  std::fprintf(stderr, "internal error: %s (%s) at %s:%d; please report this\n", what, condition, file,
               line);
  std::abort();
}

}  // namespace asb
