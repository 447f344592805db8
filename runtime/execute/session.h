// Runs a plan: builds its bodies, evaluates nodes of the graph when something asks for them, solves, and collects results.
// The only part of runtime/ that knows plans; it reaches kernels through backends/backend.h alone.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "compiler/plan/plan.h"
#include "runtime/assembly/solve_objective.h"
#include "runtime/assembly/stencil.h"
#include "runtime/mesh/mesh.h"
#include "runtime/mesh/quadrature.h"
#include "runtime/networks/network_evaluator.h"
#include "runtime/minimise/report.h"
#include "runtime/report/result.h"

namespace asb {

/// Values of what can be learned, by their numbers in the plan; an empty entry means: as the program initialises it.
struct Tables {
  std::vector<std::vector<double>> params;
  std::vector<std::vector<double>> latents;   ///< n_frames × entries
  std::vector<std::vector<double>> weights;
};

struct SessionOptions {
  std::string program_folder = ".";  ///< paths of the program are relative to it
  std::string data_folder;           ///< or to this one, if set and the file is there; never outside of both
  double tolerance = 1e-8;           ///< of solves that name none
  int max_iterations = 200;
  int threads = 0;                   ///< 0: as many as the machine has
  double adjoint_tolerance = 1e-10;  ///< relative residual of adjoint solves
  bool frames = true;                ///< false: run() has no frame, and leaves out what needs one
  NetworkEvaluator* networks = nullptr;  ///< for programs with networks; borrowed
  const Tables* tables = nullptr;        ///< borrowed; null: initial values of the program
  const std::atomic<bool>* stop = nullptr;
  std::function<void(const std::string&)> say;  ///< a line of progress for people: bodies made, solves begun
  std::function<void(const std::string& solve, const SolveStep&)> step;
};

/// Values of one node: uniform, or in lanes at the entities of its space.
struct Values {
  ir::Type type;
  bool single = true;
  AlignedVector data;
};

/// A geometry that exists: mesh or surface, and how it is held by a mesh.
struct Body {
  bool is_mesh = true;
  Mesh mesh;
  Surface surface;
  plan::GeometryId held_by;     ///< the mesh that it is embedded in
  Embedding embedding;          ///< of all vertices
};

/// The entities of a space.
struct SpaceData {
  std::vector<int32_t> ids;     ///< groups: cells, nodes or vertices of the geometry, ascending
  int points = 1;               ///< entities per group
  AlignedVector measure;        ///< entity_blocks × kLanes: rest measure, or 1; 0 in padding
  MeshPoints quadrature;        ///< Quadrature only: of the whole mesh
  int64_t blocks() const { return blocks_for(static_cast<int64_t>(ids.size())); }
  int64_t entity_blocks() const { return blocks() * points; }
};

/// One solve that was run.
struct SolveOutcome {
  SolveReport report;
  std::vector<std::vector<double>> values;  ///< per unknown, node-major
  int64_t inverted = 0;                     ///< points with det F <= 0 at the end
  int64_t n_free = 0;
  double factor_seconds = 0;
  size_t factor_bytes = 0;
};

class Session {
 public:
  Session(const plan::Plan& plan, Backend& backend, SessionOptions options);
  ~Session();
  /// A session of one frame, which shares what no frame changes: kernels, bodies, spaces, fixed values. Forks may be used
  /// side by side on several threads, one thread each.
  [[nodiscard]] std::unique_ptr<Session> fork(int frame);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Compiles the kernels and builds all bodies.
  [[nodiscard]] Result<void> prepare();
  /// Values of a node, evaluated once.
  [[nodiscard]] Result<const Values*> evaluate(graph::NodeId node);
  /// Runs solve `id` if it has not been run, and keeps its outcome.
  [[nodiscard]] Result<const SolveOutcome*> solve(graph::SolveId id);
  /// Begins solve `id` at the end of an earlier one, of this session or another of the same program: its free values and
  /// its force scale (Note [Convergence]). Held values stay as the program says. Before solve() and objective().
  [[nodiscard]] Result<void> start_from(graph::SolveId id, const SolveOutcome& earlier);
  /// Turns to another frame (-1: none) or to new tables: forgets what varied with it, keeps solutions as starts.
  void set_frame(int frame);
  void set_tables(const Tables* tables);
  void set_tolerances(double forward, double adjoint);
  void be_quiet() { options_.say = nullptr, options_.step = nullptr; }
  void set_networks(NetworkEvaluator* networks) { options_.networks = networks; }
  void add_note(std::string text) { note(false, std::move(text)); }
  int frame() const { return frame_; }
  /// Number of frames of Plan::frames[index], from the folder where its pattern says files(…).
  [[nodiscard]] Result<int> frame_count(int frames);
  [[nodiscard]] Result<std::vector<std::string>> frame_names(int frames);
  /// Of a solve that has been run; null if it has not.
  const SolveOutcome* outcome(graph::SolveId id) const {
    const auto found = solved_.find(id.index);
    return found == solved_.end() ? nullptr : found->second.get();
  }
  /// Values of Leaf Unknown and Leaf Direction of an unknown, node-major, for evaluating an objective as a graph.
  void give(plan::UnknownId unknown, std::vector<double> iterate, std::vector<double> direction);
  /// Values at nodes or vertices, one entity after the other.
  [[nodiscard]] Result<std::vector<double>> node_major(graph::NodeId id);
  /// Start values of a solve for the next time, node-major, and of its adjoint.
  struct Start {
    std::vector<double> values, adjoint;
    double force_scale = 0;
  };
  std::map<uint32_t, Start>& starts() { return starts_; }
  /// |wᵀg| summed over the adjoints since the last set_frame: first-order error of the loss by the forward residuals.
  double adjoint_defect() const { return adjoint_defect_; }
  /// |w| times the bound that the residuals were solved to: what |wᵀg| may be at states nearby.
  double adjoint_noise() const { return adjoint_noise_; }
  /// |dL/dx| times the size of the body, summed likewise: a scale for losses that are zero.
  double adjoint_reach() const { return adjoint_reach_; }
  /// Thread seconds spent so far, by what for.
  struct Phases {
    double solves = 0, adjoints = 0, networks = 0;
  };
  const Phases& phases() const { return phases_; }
  int64_t adjoint_iterations() const { return adjoint_iterations_; }  ///< conjugate gradient iterations of all adjoints so far
  /// Everything that the program wants: outputs, shows, positions. Solves that did not converge are in the result.
  [[nodiscard]] Result<RunResult> run();

  /// The objective of a solve as the minimisers see it, ready at its start: for tests, benchmarks and derivatives.
  [[nodiscard]] Result<std::unique_ptr<SolveObjective>> objective(graph::SolveId id);
  /// The same, at the solution that solve() found: for adjoints and checks.
  [[nodiscard]] Result<std::vector<double>> free_solution(graph::SolveId id);
  const Body& body(plan::GeometryId id) const { return (*bodies_)[id.index]; }
  std::span<const std::unique_ptr<Kernel>> kernels() const { return *kernels_; }
  const std::vector<Note>& notes() const { return notes_; }
  /// Adds a stage that came before to the times of the result [s].
  void add_time(std::string stage, double seconds) { times_.emplace_back(std::move(stage), seconds); }

 private:
  // bodies.cpp
  Result<void> build_bodies();
  Result<Body> build_body(const plan::Geometry& geometry);
  Result<Surface> load_surface(const plan::Geometry& geometry, const std::string& path);
  // spaces.cpp
  Result<const SpaceData*> space(graph::SpaceId id);
  Result<std::vector<int32_t>> entities(const graph::Space& space);
  Result<void> narrow(const graph::Space& space, const graph::Narrowing& narrowing, std::vector<int32_t>& ids);
  tl::unexpected<Error> empty_set(const graph::Space& space, const std::string& why) const;
  Vec3 position(const graph::Space& space, int32_t id) const;
  // stencils.cpp
  Result<const Stencil*> stencil(graph::SpaceId target, graph::SpaceId source);
  Result<Stencil> build_stencil(graph::SpaceId target, graph::SpaceId source);
  // session.cpp
  Result<Values> make(graph::NodeId id);
  Result<Values> leaf(const graph::Node& node, const graph::Leaf& leaf);
  Result<Values> map(const graph::Node& node, const graph::Map& map);
  Result<Values> gather(const graph::Node& node, const graph::Gather& gather);
  Result<const std::vector<double>*> data_of_frame(uint32_t ref);
  Result<Values> network(const graph::Node& node, const graph::Network& network);
  Result<Values> adjoint(const graph::Node& node, const graph::Adjoint& adjoint);
  Result<SolveObjective*> kept_objective(graph::SolveId id);
  void forget(ir::Rate axes);
  Result<Values> scatter(const graph::Node& node, const graph::Scatter& scatter);
  Result<Values> reduce(const graph::Node& node, const graph::Reduce& reduce);
  Values to_lanes(const ir::Type& type, std::span<const double> by_entity) const;
  // solves.cpp
  Result<UnknownLayout> unknown_layout(const plan::Solve& solve);
  Result<UnknownLayout> started_layout(graph::SolveId id);
  Result<std::pair<std::vector<OperandValues>, double>> form_values(const plan::Form& form);
  Result<AlignedVector> form_weights(const plan::Form& form);
  // results.cpp
  Result<RunResult> run_frames(int frames);
  Result<void> add_show(const plan::Show& show, RunResult& result);

  void say(const std::string& line) const;
  void note(bool warning, std::string text) { notes_.push_back({warning, std::move(text)}); }

  const plan::Plan& plan_;
  Backend& backend_;
  SessionOptions options_;
  std::shared_ptr<std::vector<std::unique_ptr<Kernel>>> kernels_;
  std::shared_ptr<std::vector<Body>> bodies_;
  std::vector<std::unique_ptr<Values>> values_;          ///< by NodeId
  std::map<uint32_t, std::unique_ptr<SpaceData>> spaces_;
  std::map<std::pair<uint32_t, uint32_t>, std::unique_ptr<Stencil>> stencils_;
  std::map<uint32_t, std::vector<Values>> map_outputs_;  ///< by FunctionId, for maps with several outputs
  std::map<uint32_t, std::unique_ptr<SolveOutcome>> solved_;
  std::map<uint32_t, Start> starts_;                     ///< by SolveId
  struct Kept {
    std::unique_ptr<SolveObjective> objective;
    std::vector<double> factor_key;                      ///< operand values that the constant factor was made from
  };
  std::map<uint32_t, Kept> kept_;                        ///< by SolveId
  std::map<std::pair<uint32_t, uint32_t>, std::vector<Values>> pulls_;  ///< by network function and cotangent node
  std::map<std::pair<uint32_t, int>, std::vector<double>> data_;        ///< by Data and frame
  std::map<uint32_t, std::pair<std::vector<double>, std::vector<double>>> given_;  ///< by UnknownId
  Session* parent_ = nullptr;                            ///< of a fork
  int frame_ = -1;
  double adjoint_defect_ = 0, adjoint_reach_ = 0, adjoint_noise_ = 0;
  int64_t adjoint_iterations_ = 0;
  Phases phases_;
  std::recursive_mutex shared_;                          ///< of what forks share
  std::map<uint32_t, std::vector<AlignedVector>> form_weights_;  ///< by SolveId
  std::vector<std::pair<std::string, double>> times_;
  std::vector<Note> notes_;
  struct Threads;
  std::unique_ptr<Threads> threads_;
};

}  // namespace asb
