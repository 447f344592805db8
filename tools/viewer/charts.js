// Numbers for people, and charts as SVG. Everything that comes from a program goes in as text nodes.

/// element('td', {class: 'number'}, 'text', child, ...); a property with a function is an event handler.
function element(tag, attributes = {}, ...children) {
  const svg = ['svg', 'path', 'line', 'circle', 'text', 'g', 'title'].includes(tag);
  const node = svg ? document.createElementNS('http://www.w3.org/2000/svg', tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') node.addEventListener(name, value);
    else if (value !== undefined && value !== null) node.setAttribute(name, value);
  }
  node.append(...children.filter(child => child !== null && child !== undefined));
  return node;
}

/// A JSON number, or the number that "nan", "inf", "-inf" stand for.
const number = value => typeof value === 'number' ? value : {inf: Infinity, '-inf': -Infinity}[value] ?? NaN;

const superscript = text => [...String(text)].map(c => '⁰¹²³⁴⁵⁶⁷⁸⁹'[c] ?? (c === '-' ? '⁻' : '')).join('');

/// `digits` significant digits, powers of ten written as such.
function format(value, digits = 5) {
  value = number(value);
  if (Number.isNaN(value)) return 'not a number';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '−∞';
  if (value === 0) return '0';
  const size = Math.abs(value);
  let text;
  if (size >= 1e-3 && size < 1e6) {
    text = Number(value.toPrecision(digits)).toString();
  } else {
    const [mantissa, exponent] = value.toExponential(digits - 1).split('e');
    text = `${Number(mantissa)}×10${superscript(Number(exponent))}`;
  }
  return text.replace('-', '−');
}

/// {factor, unit} that make numbers as large as `largest` easy to read, for units that take SI prefixes.
function displayUnit(largest, unit) {
  if (!['Pa', 'N', 'J', 'W', 'm', 's'].includes(unit) || !(largest > 0) || !Number.isFinite(largest)) return {factor: 1, unit};
  for (const [size, prefix] of [[1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, ''], [1e-3, 'm'], [1e-6, 'µ']])
    if (largest >= size * (1 - 1e-9)) return {factor: 1 / size, unit: prefix + unit};
  return {factor: 1, unit};
}

const seconds = value => {
  const {factor, unit} = displayUnit(number(value), 's');
  return `${format(number(value) * factor, 3)} ${unit.replace(/^[kMG]s$/, 's')}`;
};

/// Round numbers inside [low, high], about `count`.
function roundTicks(low, high, count) {
  if (!(high > low)) return [low];
  const raw = (high - low) / count, decade = 10 ** Math.floor(Math.log10(raw));
  const step = decade * ([1, 2, 5].find(m => m * decade >= raw * 0.999) ?? 10), ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * (high - low); ++k) ticks.push(k * step);
  return ticks;
}

/// One chart of several series on a logarithmic scale: [{name, colour, points: [[x, y], ...]}], and levels
/// [{name, colour, y}] as dashed lines. Values that a logarithm doesn't take are left out.
function logChart({series, levels = [], label, xLabel}) {
  const width = 660, height = 290, left = 62, right = 12, top = 10, bottom = 40;
  const kept = series.map(s => ({...s, points: s.points.filter(([, y]) => y > 0 && Number.isFinite(y))}));
  const logs = [...kept.flatMap(s => s.points.map(p => Math.log10(p[1]))), ...levels.map(l => Math.log10(l.y))];
  if (!kept.some(s => s.points.length)) return element('p', {class: 'sentence'}, 'No step was needed: there is no history to draw.');
  let low = Math.floor(Math.min(...logs) - 0.1), high = Math.ceil(Math.max(...logs) + 0.1);
  if (high - low < 2) { low -= 1; high += 1; }
  const lastX = Math.max(1, ...kept.flatMap(s => s.points.map(p => p[0])));
  const x = value => left + (width - left - right) * value / lastX;
  const y = value => top + (height - top - bottom) * (high - Math.log10(value)) / (high - low);
  const svg = element('svg', {class: 'chart', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label});
  const step = Math.ceil((high - low) / 7);
  for (let e = high; e >= low; e -= step) {
    svg.append(element('line', {class: 'rule', x1: left, x2: width - right, y1: y(10 ** e), y2: y(10 ** e)}),
               element('text', {x: left - 10, y: y(10 ** e) + 4, 'text-anchor': 'end'}, `10${superscript(e)}`));
  }
  svg.append(element('line', {class: 'axis', x1: left, x2: width - right, y1: height - bottom, y2: height - bottom}));
  for (const tick of roundTicks(0, lastX, Math.min(10, lastX)).filter(Number.isInteger))
    svg.append(element('text', {x: x(tick), y: height - bottom + 18, 'text-anchor': 'middle'}, String(tick)));
  svg.append(element('text', {x: (left + width - right) / 2, y: height - 4, 'text-anchor': 'middle'}, xLabel));
  for (const {y: value, colour} of levels)
    svg.append(element('line', {class: 'level', stroke: colour, x1: left, x2: width - right, y1: y(value), y2: y(value)}));
  for (const {points, colour, name} of kept) {
    svg.append(element('path', {class: 'curve', stroke: colour, d: points.map((p, i) => `${i ? 'L' : 'M'}${x(p[0]).toFixed(1)} ${y(p[1]).toFixed(1)}`).join('')}));
    for (const [at, value] of points.length <= 120 ? points : [])
      svg.append(element('circle', {class: 'dot', fill: colour, r: 4, cx: x(at), cy: y(value)},
                         element('title', {}, `${name}\nstep ${at}: ${format(value, 6)}`)));
  }
  const legend = element('div', {class: 'legend'});
  for (const {name, colour, dashed} of [...series, ...levels.map(l => ({...l, dashed: true}))])
    legend.append(element('span', {}, element('i', {style: `color: ${colour}; border-top-style: ${dashed ? 'dashed' : 'solid'}`}), name));
  return element('div', {}, legend, svg);
}

/// Durations [[name, seconds], ...] as bars with their sum.
function durationBars(entries) {
  const total = entries.reduce((sum, [, s]) => sum + number(s), 0), box = element('div', {class: 'bars'});
  const largest = Math.max(...entries.map(([, s]) => number(s)), 1e-12);
  for (const [name, value] of entries)
    box.append(element('span', {}, name), element('div', {class: 'track'}, element('i', {style: `width: ${100 * number(value) / largest}%`})),
               element('span', {class: 'number'}, seconds(value)));
  box.append(element('div', {class: 'total'}, element('span', {}, 'sum'), element('span', {}, seconds(total))));
  return box;
}
