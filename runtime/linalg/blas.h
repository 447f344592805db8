// The BLAS under CHOLMOD: held to one thread, and described for `asb doctor`. Parallelism is ours
// (frames and blocks); a BLAS with threads of its own would fight with it and change the order of
// sums.
#pragma once

#include <string>

namespace asb {

/// Sets the loaded BLAS to one thread. Cheap after the first call; Cholesky calls it.
void use_one_blas_thread();

/// For example "OpenBLAS 0.3.21, kernel SkylakeX, 1 thread".
std::string blas_description();

/// Keeps CHOLMOD's own OpenMP loops on the calling thread for the lifetime of this object. They ask
/// for four threads whatever the machine has, and would spin beside ours.
class SingleOpenMpThread {
 public:
  SingleOpenMpThread();
  ~SingleOpenMpThread();
  SingleOpenMpThread(const SingleOpenMpThread&) = delete;
  SingleOpenMpThread& operator=(const SingleOpenMpThread&) = delete;

 private:
  int saved_levels_ = -1;
};

}  // namespace asb
