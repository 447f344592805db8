target_sources(asb_dsl PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/print.cpp
  ${CMAKE_CURRENT_LIST_DIR}/print_expr.cpp)
