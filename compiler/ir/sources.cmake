target_sources(asb_ir PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/builder.cpp
  ${CMAKE_CURRENT_LIST_DIR}/evaluate.cpp
  ${CMAKE_CURRENT_LIST_DIR}/infer_type.cpp
  ${CMAKE_CURRENT_LIST_DIR}/print.cpp
  ${CMAKE_CURRENT_LIST_DIR}/simplify.cpp
  ${CMAKE_CURRENT_LIST_DIR}/simplify_structure.cpp
  ${CMAKE_CURRENT_LIST_DIR}/verify.cpp)
