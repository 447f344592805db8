// See cholesky.h. The 64-bit interface of CHOLMOD: its 32-bit one stops at 2^31 numbers in L.
#include "runtime/linalg/cholesky.h"

#include <cholmod.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <vector>

#include "base/check.h"
#include "runtime/linalg/blas.h"

namespace asb {

struct Cholesky::Engine {
  cholmod_common common = {};
  cholmod_factor* L = nullptr;
  cholmod_dense* solve_y = nullptr;  // CHOLMOD's workspaces of solves, kept between calls
  cholmod_dense* solve_e = nullptr;
  cholmod_dense* solution = nullptr;
  std::vector<int64_t> column, row;  // pattern of the analysis
  std::vector<double> diagonal;      // of the last matrix, for pivot ratios
  bool is_ready = false;
  FactorStatistics statistics;

  Engine() {
    use_one_blas_thread();
    cholmod_l_start(&common);
    common.print = 0;
    common.try_catch = 1;
    common.error_handler = nullptr;
    common.useGPU = 0;
    common.supernodal = CHOLMOD_SUPERNODAL;
    common.final_ll = 1;
    common.quick_return_if_not_posdef = 1;
    common.postorder = 1;
    common.nmethods = 1;
  }
  ~Engine() {
    cholmod_l_free_factor(&L, &common);
    cholmod_l_free_dense(&solve_y, &common);
    cholmod_l_free_dense(&solve_e, &common);
    cholmod_l_free_dense(&solution, &common);
    cholmod_l_finish(&common);
  }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// A as CHOLMOD sees it: the pattern is our copy, the numbers stay where they are.
  cholmod_sparse view(const SymmetricMatrix& A) {
    cholmod_sparse view = {};
    view.nrow = view.ncol = static_cast<size_t>(A.n);
    view.nzmax = row.size();
    view.p = column.data();
    view.i = row.data();
    view.x = const_cast<double*>(A.value.data());
    view.stype = -1;
    view.itype = CHOLMOD_LONG;
    view.xtype = CHOLMOD_REAL;
    view.dtype = CHOLMOD_DOUBLE;
    view.sorted = 1;
    view.packed = 1;
    return view;
  }

  bool has_pattern_of(const SymmetricMatrix& A) const {
    return L != nullptr && column == A.column && row.size() == A.row.size() &&
           std::equal(row.begin(), row.end(), A.row.begin());
  }

  Result<void> analyse(const SymmetricMatrix& A);
  tl::unexpected<Error> failure(const char* what) const;
  void update_memory() {
    statistics.bytes = common.memory_inuse;
    statistics.peak_bytes =
        std::max(statistics.peak_bytes, static_cast<size_t>(common.memory_usage));
  }
};

tl::unexpected<Error> Cholesky::Engine::failure(const char* what) const {
  if (common.status == CHOLMOD_OUT_OF_MEMORY || common.status == CHOLMOD_TOO_LARGE) {
    return fail(
        "solve-memory",
        fmt::format("{} a matrix of {} rows and {} entries needs more memory than there is", what,
                    statistics.n, row.size()),
        "use fewer cells, or `method: newton_cg`, which keeps no factor of the whole Hessian");
  }
  return fail("solve-factor", fmt::format("{} a matrix of {} rows ended with CHOLMOD status {}",
                                          what, statistics.n, common.status));
}

Result<void> Cholesky::Engine::analyse(const SymmetricMatrix& A) {
  cholmod_l_free_factor(&L, &common);
  column = A.column;
  row.assign(A.row.begin(), A.row.end());
  statistics.n = A.n;
  cholmod_sparse matrix = view(A);
  // METIS draws from libc's rand(), which all threads share: with two analyses at once the
  // ordering, and so the bits of every solution, would depend on their timing.
  static std::mutex metis_draws;
  const std::lock_guard<std::mutex> lock(metis_draws);
  common.method[0].ordering = CHOLMOD_METIS;
  L = cholmod_l_analyze(&matrix, &common);
  statistics.ordering = "METIS";
  if (L == nullptr && common.status != CHOLMOD_OUT_OF_MEMORY) {
    const int metis_status = common.status;
    common.method[0].ordering = CHOLMOD_AMD;
    L = cholmod_l_analyze(&matrix, &common);
    statistics.ordering = fmt::format("AMD (METIS ended with CHOLMOD status {})", metis_status);
  }
  if (L == nullptr) return failure("analysing");
  ++statistics.analyses;
  statistics.entries = static_cast<int64_t>(L->xsize);
  statistics.flops = common.fl;
  return {};
}

Cholesky::Cholesky() : engine_(std::make_unique<Engine>()) {}
Cholesky::~Cholesky() = default;
Cholesky::Cholesky(Cholesky&&) noexcept = default;
Cholesky& Cholesky::operator=(Cholesky&&) noexcept = default;

Result<FactorStatus> Cholesky::factor(const SymmetricMatrix& A) {
  Engine& e = *engine_;
  ASB_CHECK(A.column.size() == static_cast<size_t>(A.n) + 1 && A.row.size() == A.value.size(),
            "columns, rows and values of one matrix");
  e.is_ready = false;
  // LAPACK's Cholesky lets NaN pass as a pivot, so it is looked for here.
  for (size_t k = 0; k < A.value.size(); ++k) {
    if (std::isfinite(A.value[k])) continue;
    return fail("solve-not-finite",
                fmt::format("entry {} of {} of the Hessian is not finite (row {})", k,
                            A.value.size(), A.row[k]));
  }
  e.statistics.n = A.n;
  if (A.n == 0) {
    e.is_ready = true;
    return FactorStatus{};
  }
  e.diagonal.assign(static_cast<size_t>(A.n), 0.0);
  for (int32_t j = 0; j < A.n; ++j) {
    const int64_t first = A.column[j];
    if (first < A.column[j + 1] && A.row[first] == j) e.diagonal[j] = A.value[first];
    if (!(e.diagonal[j] > 0)) return FactorStatus{false, j};
  }
  const SingleOpenMpThread single_thread;
  if (!e.has_pattern_of(A)) {
    if (auto analysed = e.analyse(A); !analysed) return fail(analysed.error());
  }
  cholmod_sparse matrix = e.view(A);
  const bool done = cholmod_l_factorize(&matrix, e.L, &e.common) != 0;
  ++e.statistics.factorisations;
  e.update_memory();
  if (e.common.status == CHOLMOD_NOT_POSDEF || (done && e.L->minor < e.L->n)) {
    const size_t k = std::min(e.L->minor, e.L->n - 1);
    return FactorStatus{false, static_cast<const int64_t*>(e.L->Perm)[k]};
  }
  // Positive statuses are warnings: nothing printed, the factor stands.
  if (!done || e.common.status < 0) return e.failure("factorising");
  e.is_ready = true;
  return FactorStatus{};
}

bool Cholesky::is_ready() const { return engine_->is_ready; }

Result<void> Cholesky::solve(std::span<const double> B, std::span<double> X, int n_rhs) {
  Engine& e = *engine_;
  ASB_CHECK(e.is_ready, "solve without a factor");
  const size_t n = static_cast<size_t>(e.statistics.n);
  ASB_CHECK(B.size() == n * static_cast<size_t>(n_rhs) && X.size() == B.size(),
            "right-hand sides of n numbers");
  if (B.empty()) return {};
  cholmod_dense b = {};
  b.nrow = b.d = n;
  b.ncol = static_cast<size_t>(n_rhs);
  b.nzmax = B.size();
  b.x = const_cast<double*>(B.data());
  b.xtype = CHOLMOD_REAL;
  b.dtype = CHOLMOD_DOUBLE;
  const SingleOpenMpThread single_thread;
  const int done = cholmod_l_solve2(CHOLMOD_A, e.L, &b, nullptr, &e.solution, nullptr, &e.solve_y,
                                    &e.solve_e, &e.common);
  e.update_memory();
  if (done == 0 || e.common.status < 0) return e.failure("solving with");
  const double* solution = static_cast<const double*>(e.solution->x);
  std::copy(solution, solution + X.size(), X.begin());
  return {};
}

double Cholesky::smallest_pivot_ratio(int64_t* where) const {
  const Engine& e = *engine_;
  ASB_CHECK(e.is_ready, "pivots without a factor");
  if (e.L == nullptr) return 1;  // no rows
  const cholmod_factor& L = *e.L;
  const auto* first_column = static_cast<const int64_t*>(L.super);
  const auto* first_row = static_cast<const int64_t*>(L.pi);
  const auto* first_value = static_cast<const int64_t*>(L.px);
  const auto* permutation = static_cast<const int64_t*>(L.Perm);
  const auto* value = static_cast<const double*>(L.x);
  double smallest = std::numeric_limits<double>::infinity();
  for (size_t s = 0; s < L.nsuper; ++s) {
    const int64_t n_rows = first_row[s + 1] - first_row[s];
    for (int64_t k = first_column[s]; k < first_column[s + 1]; ++k) {
      const double pivot = value[first_value[s] + (k - first_column[s]) * (n_rows + 1)];
      const double ratio = pivot * pivot / e.diagonal[permutation[k]];
      if (ratio >= smallest) continue;
      smallest = ratio;
      if (where != nullptr) *where = permutation[k];
    }
  }
  return smallest;
}

const FactorStatistics& Cholesky::statistics() const { return engine_->statistics; }

}  // namespace asb
