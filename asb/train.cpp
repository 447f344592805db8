// See train.h.
#include "asb/train.h"

#include <map>

#include "runtime/learn/initial.h"

namespace asb {

Result<Trained> train(const Program& program, TrainOptions options) {
  options.run.learning = true;
  options.run.session.stop = options.learn.stop;
  auto prepared = prepare_run(program, options.run);
  if (!prepared) return fail(prepared.error());
  Trained out{.run = std::move(*prepared), .report = {}};
  // A checkpoint belongs to the texts of the program, its modules and its settings.
  std::string texts;
  for (uint32_t f = 0; f < program.loaded.tree.files.size(); ++f) texts += program.loaded.tree.files[f].text + '\0';
  options.learn.program_hash = hash_of(texts);
  options.learn.seed = options.run.seed;
  options.learn.machine = out.run.backend->description() + "; " + out.run.networks.evaluator->description();
  auto learned = learn(*out.run.plan, *out.run.session, *out.run.networks.learner, *out.run.tables, options.learn);
  if (!learned) return fail(learned.error());
  out.report = std::move(*learned);
  if (out.report.interrupted) return out;
  const double tolerance = options.run.session.tolerance;
  out.run.session->set_tables(out.run.tables.get());
  out.run.session->set_tolerances(tolerance, options.run.session.adjoint_tolerance);
  auto result = out.run.session->run();
  if (!result) return fail(result.error());
  out.run.result = std::move(*result);
  LearningCurve loss{"loss", {}};
  std::map<std::string, LearningCurve> parts;
  for (const LearnStep& step : out.report.history) {
    loss.values.push_back(step.loss);
    for (const auto& [name, value] : step.parts) {
      parts[name].name = name;
      parts[name].values.push_back(value);
    }
  }
  out.run.result.learning.push_back(std::move(loss));
  for (auto& [name, curve] : parts) out.run.result.learning.push_back(std::move(curve));
  return out;
}

}  // namespace asb
