target_sources(asb_compiler PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/branch_conditions.cpp
  ${CMAKE_CURRENT_LIST_DIR}/derivative.cpp
  ${CMAKE_CURRENT_LIST_DIR}/form.cpp
  ${CMAKE_CURRENT_LIST_DIR}/forward.cpp
  ${CMAKE_CURRENT_LIST_DIR}/hold_minimisers.cpp
  ${CMAKE_CURRENT_LIST_DIR}/partial.cpp
  ${CMAKE_CURRENT_LIST_DIR}/reverse.cpp
  ${CMAKE_CURRENT_LIST_DIR}/rotation_rule.cpp)
