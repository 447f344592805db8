find_package(TBB REQUIRED)
find_package(Eigen3 REQUIRED NO_MODULE)
target_sources(asb_runtime PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/chain.cpp ${CMAKE_CURRENT_LIST_DIR}/chain_any.cpp
  ${CMAKE_CURRENT_LIST_DIR}/chain_avx2.cpp ${CMAKE_CURRENT_LIST_DIR}/chain_avx512.cpp
  ${CMAKE_CURRENT_LIST_DIR}/form_assembler.cpp
  ${CMAKE_CURRENT_LIST_DIR}/incidence.cpp ${CMAKE_CURRENT_LIST_DIR}/projection.cpp
  ${CMAKE_CURRENT_LIST_DIR}/solve_objective.cpp)
target_link_libraries(asb_runtime PUBLIC TBB::tbb PRIVATE Eigen3::Eigen)
# The arithmetic of the chain, once per instruction set. Vectors pass no border there, whatever GCC warns.
set(chain -O3 -ffp-contract=fast -Wno-psabi)
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/chain_any.cpp PROPERTIES COMPILE_OPTIONS "${chain}")
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/chain_avx2.cpp PROPERTIES COMPILE_OPTIONS
                            "${chain};-march=x86-64-v3")
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/chain_avx512.cpp PROPERTIES COMPILE_OPTIONS
                            "${chain};-march=x86-64-v4")
