find_package(TBB REQUIRED)
find_package(Eigen3 REQUIRED NO_MODULE)
target_sources(asb_runtime PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/chain.cpp ${CMAKE_CURRENT_LIST_DIR}/form_assembler.cpp
  ${CMAKE_CURRENT_LIST_DIR}/incidence.cpp ${CMAKE_CURRENT_LIST_DIR}/projection.cpp
  ${CMAKE_CURRENT_LIST_DIR}/solve_objective.cpp)
target_link_libraries(asb_runtime PUBLIC TBB::tbb PRIVATE Eigen3::Eigen)
# The chain is written as loops over lanes that the compiler turns into vector code, once per instruction set.
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/chain.cpp PROPERTIES COMPILE_OPTIONS "-O3;-ffp-contract=fast")
