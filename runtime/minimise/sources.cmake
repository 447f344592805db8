# minimise/: minimisers of an Objective. Knows free values, not bodies.
target_sources(asb_runtime PRIVATE
  minimise/curvature.cpp
  minimise/descent.cpp
  minimise/direct_system.cpp
  minimise/line_search.cpp
  minimise/newton.cpp
  minimise/newton_cg.cpp
  minimise/solve.cpp)
