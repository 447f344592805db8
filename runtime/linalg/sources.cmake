# linalg/: sparse factors, conjugate gradients, sums in fixed order. Knows matrices, not meshes.
find_path(CHOLMOD_INCLUDE_DIR cholmod.h PATH_SUFFIXES suitesparse REQUIRED)
find_library(CHOLMOD_LIBRARY cholmod REQUIRED)
find_package(TBB REQUIRED)
target_sources(asb_runtime PRIVATE
  linalg/blas.cpp
  linalg/cholesky.cpp
  linalg/conjugate_gradients.cpp
  linalg/diagonal.cpp
  linalg/fixed_sum.cpp
  linalg/scalar_factor.cpp
  linalg/symmetric_matrix.cpp
  linalg/tridiagonal.cpp)
target_include_directories(asb_runtime SYSTEM PRIVATE ${CHOLMOD_INCLUDE_DIR})
target_link_libraries(asb_runtime PRIVATE ${CHOLMOD_LIBRARY} ${CMAKE_DL_LIBS} TBB::tbb)
