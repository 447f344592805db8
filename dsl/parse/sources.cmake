target_sources(asb_dsl PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/parser.cpp
  ${CMAKE_CURRENT_LIST_DIR}/parse_declarations.cpp
  ${CMAKE_CURRENT_LIST_DIR}/parse_expressions.cpp
  ${CMAKE_CURRENT_LIST_DIR}/parse_primaries.cpp
  ${CMAKE_CURRENT_LIST_DIR}/parse_types.cpp
  ${CMAKE_CURRENT_LIST_DIR}/load.cpp)
