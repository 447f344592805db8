target_sources(asb_compiler PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/derivative.cpp ${CMAKE_CURRENT_LIST_DIR}/forms.cpp ${CMAKE_CURRENT_LIST_DIR}/functions.cpp ${CMAKE_CURRENT_LIST_DIR}/print.cpp)
