// The page from its data: heading, viewer, outputs, solves, bodies, notes, timings.

const data = JSON.parse(document.getElementById('data').textContent);

/// A titled box; `name` is the part of the title that comes from the program.
function card([title, name], className, ...children) {
  return element('section', {class: `card ${className}`}, element('h2', {}, title, name ? ' ' : null, name ? element('b', {}, name) : null), ...children);
}

const factTable = facts => element('table', {class: 'facts'}, ...facts.map(([name, text]) => element('tr', {}, element('th', {}, name), element('td', {}, String(text)))));

function outputEntry(output) {
  const values = output.values.map(number), perFrame = output.frames?.length ?? 1, size = values.length / perFrame;
  const {factor, unit} = displayUnit(Math.max(...values.map(Math.abs).filter(Number.isFinite), 0), output.unit);
  const text = (frame, digits) => {
    const numbers = values.slice(frame * size, (frame + 1) * size).map(v => format(v * factor, digits));
    return size === 1 ? numbers[0] : `[${numbers.join(', ')}]`;
  };
  const entry = element('div', {class: 'output'}, element('div', {class: 'name'}, output.name));
  if (output.frames) {
    const table = element('table', {}, element('thead', {}, element('tr', {}, element('th', {}, 'frame'), element('th', {class: 'number'}, unit || 'value'))));
    output.frames.forEach((frame, i) => table.append(element('tr', {}, element('td', {}, frame), element('td', {class: 'number'}, text(i, 5)))));
    entry.append(element('div', {class: 'scroll'}, table));
    return entry;
  }
  entry.append(element('div', {class: size === 1 ? 'value' : 'value list'}, text(0, 5), unit ? element('span', {class: 'unit'}, unit) : null));
  if (size === 1 && Number.isFinite(values[0])) entry.append(element('div', {class: 'exact'}, `${values[0]}${output.unit ? ` ${output.unit}` : ''}`));
  return entry;
}

function solveSummary(solve) {
  const steps = Math.max(0, solve.history.length - 1), facts = [['free values', solve.unknowns.toLocaleString('en')], ['steps', steps], ['method', solve.method]];
  for (const [name, count] of Object.entries(solve.counts)) facts.push([name, count.toLocaleString('en')]);
  return card(['Solve', solve.name], '',
    element('span', {class: `state ${solve.converged ? 'good' : 'bad'}`}, solve.status),
    solve.sentence ? element('p', {class: 'sentence'}, solve.sentence) : null,
    factTable(facts));
}

function solveChart(solve) {
  const rows = solve.history, last = rows.length ? number(rows[rows.length - 1].energy) : 0;
  const series = [{name: 'gradient norm [N]', colour: 'var(--accent)', points: rows.map(r => [r.iteration, number(r.gradient_norm)])},
                  {name: 'energy above the last [J]', colour: 'var(--second)', points: rows.map(r => [r.iteration, number(r.energy) - last])}];
  const tolerance = number(solve.tolerance);
  const chart = logChart({series, levels: tolerance > 0 ? [{name: `converged below ${format(tolerance, 3)} N`, colour: 'var(--good)', y: tolerance}] : [],
                          label: `convergence of ${solve.name}`, xLabel: 'step'});
  const table = element('table', {}, element('thead', {}, element('tr', {}, ...['step', 'energy [J]', 'gradient [N]', 'length', 'inner'].map(t => element('th', {class: 'number'}, t)))));
  for (const r of rows) table.append(element('tr', {}, ...[r.iteration, format(r.energy, 10), format(r.gradient_norm, 4), r.iteration ? format(r.step, 3) : '', r.inner || ''].map(t => element('td', {class: 'number'}, String(t)))));
  return card(['Convergence of', solve.name], 'half', chart, rows.length ? element('details', {}, element('summary', {}, 'every step as a table'), element('div', {class: 'scroll'}, table)) : null);
}

function learningChart(curves) {
  const colours = ['var(--accent)', 'var(--second)', 'var(--good)'];
  const series = curves.map((curve, i) => ({name: curve.name, colour: colours[i % colours.length],
                                            points: curve.values.map((value, step) => [step + 1, number(value)])}));
  return card(['Learning'], 'half', logChart({series, label: 'losses while learning', xLabel: 'step'}));
}

/// Many solves (one a frame) as one table.
function solvesTable(solves) {
  const table = element('table', {}, element('thead', {}, element('tr', {}, ...['solve', 'status', 'steps'].map(t => element('th', {}, t)))));
  for (const solve of solves)
    table.append(element('tr', {}, element('td', {}, solve.name), element('td', {}, element('span', {class: `state ${solve.converged ? 'good' : 'bad'}`}, solve.status)),
                         element('td', {class: 'number'}, String(Math.max(0, solve.history.length - 1)))));
  return card(['Solves'], '', element('div', {class: 'scroll'}, table));
}

function build() {
  document.title = `${data.program} – ASB report`;
  const root = document.documentElement, dark = matchMedia('(prefers-color-scheme: dark)');
  const theme = () => { root.dataset.theme = location.hash.includes('dark') || (dark.matches && !location.hash.includes('light')) ? 'dark' : 'light'; };
  theme();
  dark.addEventListener('change', theme);
  const main = document.getElementById('report'), grid = element('div', {class: 'grid'}), side = element('div', {class: 'side'});
  main.append(element('header', {}, element('div', {class: 'title'}, element('h1', {}, data.program), data.summary ? element('p', {}, data.summary) : null),
    element('button', {title: 'light or dark', click: () => { root.dataset.theme = root.dataset.theme === 'dark' ? 'light' : 'dark'; }}, 'Light / dark')), grid);
  if (data.notes.length) {
    const warnings = data.notes.filter(note => note.warning), others = data.notes.filter(note => !note.warning);
    const list = notes => notes.map(note => element('div', {class: note.warning ? 'note warning' : 'note'}, element('b', {}, note.warning ? 'warning' : 'note'), element('span', {}, note.text)));
    if (warnings.length) grid.append(element('div', {class: 'full'}, ...list(warnings)));
    data.plainNotes = others.length ? card(['Notes'], 'full', ...list(others)) : null;
  }
  if (data.bodies.length) grid.append(new Viewer(data).root);
  grid.append(side);
  if (data.outputs.length) side.append(card(['Outputs'], '', ...data.outputs.map(outputEntry)));
  const shown = data.solves.length > 3 ? data.solves.slice(0, 1) : data.solves;
  if (shown.length < data.solves.length) side.append(solvesTable(data.solves));
  else for (const solve of shown) side.append(solveSummary(solve));
  if (data.learning.length) grid.append(learningChart(data.learning));
  for (const solve of shown) grid.append(solveChart(solve));
  const timed = shown.filter(solve => solve.seconds.length);
  if (data.seconds.length || timed.length)
    grid.append(card(['Where the time went'], 'half', data.seconds.length ? durationBars(data.seconds) : null,
      ...timed.flatMap(solve => [element('h3', {}, `inside solve ${solve.name}`), durationBars(solve.seconds)])));
  for (const body of data.bodies)
    grid.append(card([body.kind === 'mesh' ? 'Mesh' : 'Surface', body.name], 'half', factTable(body.facts)));
  if (data.plainNotes) grid.append(data.plainNotes);
  main.append(element('footer', {}, ['ASB', data.backend && `backend ${data.backend}`, data.device].filter(Boolean).join(' · ')));
}

try { build(); } catch (error) {
  document.getElementById('report').append(element('p', {}, `This page could not be drawn: ${error.message}. The numbers are in result.json.`));
  throw error;
}
