// The body to turn with the mouse: camera, colours, controls and the probe under the pointer.

const fieldOfView = 28 * Math.PI / 180;

/// Turns about a centre with z up. A projection of points, and the matrices of WebGL.
class Camera {
  constructor(azimuth, elevation) { this.home = {azimuth, elevation}; this.aspect = 1.5; this.shift = 0; this.pan = [0, 0]; this.zoom = 1; this.turnTo(azimuth, elevation); }
  turnTo(azimuth, elevation) {
    this.azimuth = azimuth;
    this.elevation = Math.max(-Math.PI / 2, Math.min(Math.PI / 2, elevation));
    const [ca, sa, ce, se] = [Math.cos(azimuth), Math.sin(azimuth), Math.cos(this.elevation), Math.sin(this.elevation)];
    this.back = [ce * ca, ce * sa, se];
    this.right = [-sa, ca, 0];
    this.up = [-se * ca, -se * sa, ce];
  }
  turned(d) { return [this.right, this.up, this.back].map(a => a[0] * d[0] + a[1] * d[1] + a[2] * d[2]); }
  /// Stands so that every point [x, y, z, x, ...] of the lists is in the picture.
  fit(lists) {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    for (const points of lists)
      for (let i = 0; i < points.length; ++i) { low[i % 3] = Math.min(low[i % 3], points[i]); high[i % 3] = Math.max(high[i % 3], points[i]); }
    this.centre = low.map((l, i) => (l + high[i]) / 2);
    this.radius = Math.max(Math.hypot(...low.map((l, i) => high[i] - l)) / 2, 1e-12);
    const tangent = Math.tan(fieldOfView / 2);
    // From a point that is dx aside and z nearer, the eye must be at least |dx| / tangent + z away; then the
    // middle of what is seen is brought to the middle of the picture and the distance found once more.
    let aside = [0, 0];
    for (let round = 0; round < 3; ++round) {
      let distance = 0;
      let [left, right, bottom, top] = [Infinity, -Infinity, Infinity, -Infinity];
      const all = [];
      for (const points of lists)
        for (let i = 0; i < points.length; i += 3) {
          const p = this.turned([0, 1, 2].map(k => points[i + k] - this.centre[k]));
          p[0] -= aside[0]; p[1] -= aside[1];
          distance = Math.max(distance, Math.abs(p[0]) / (tangent * this.aspect * (1 - this.shift) * 0.88) + p[2], Math.abs(p[1]) / (tangent * 0.86) + p[2]);
          all.push(p);
        }
      this.distance = Math.max(distance, this.radius * 0.1);
      for (const p of all) {
        const s = this.distance / (this.distance - p[2]);
        left = Math.min(left, p[0] * s); right = Math.max(right, p[0] * s); bottom = Math.min(bottom, p[1] * s); top = Math.max(top, p[1] * s);
      }
      aside = [aside[0] + (left + right) / 2, aside[1] + (bottom + top) / 2];
    }
    this.centre = this.centre.map((c, i) => c + this.right[i] * aside[0] + this.up[i] * aside[1]);
    this.pan = [0, 0];
    this.zoom = 1;
  }
  update(aspect) {
    this.aspect = aspect;
    const eye = this.distance / this.zoom, f = 1 / Math.tan(fieldOfView / 2);
    const [near, far] = [Math.max(eye - 6 * this.radius, eye * 0.01), eye + 6 * this.radius];
    const c = this.centre.map((x, i) => x - this.right[i] * this.pan[0] - this.up[i] * this.pan[1]);
    const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    const rows = [[...this.right, -dot(this.right, c)], [...this.up, -dot(this.up, c)], [...this.back, -dot(this.back, c) - eye]];
    const [p, q] = [(far + near) / (near - far), 2 * far * near / (near - far)];
    this.matrix = new Float32Array(16);
    for (let k = 0; k < 4; ++k) {
      this.matrix[4 * k] = f / aspect * rows[0][k] + this.shift * rows[2][k];
      this.matrix[4 * k + 1] = f * rows[1][k];
      this.matrix[4 * k + 2] = p * rows[2][k] + (k === 3 ? q : 0);
      this.matrix[4 * k + 3] = -rows[2][k];
    }
    this.turn = new Float32Array([0, 1, 2].flatMap(k => [this.right[k], this.up[k], this.back[k]]));
  }
  /// x and y in pixels, distance from the eye.
  project(points, i, width, height) {
    const m = this.matrix, [x, y, z] = [points[i], points[i + 1], points[i + 2]];
    const w = m[3] * x + m[7] * y + m[11] * z + m[15];
    return [(0.5 + 0.5 * (m[0] * x + m[4] * y + m[8] * z + m[12]) / w) * width, (0.5 - 0.5 * (m[1] * x + m[5] * y + m[9] * z + m[13]) / w) * height, w];
  }
  light(normal) {
    const n = this.turned(normal), size = Math.hypot(...n) || 1, sign = n[2] < 0 ? -1 : 1;
    const lamp = (x, y, z) => Math.max(0, sign * (n[0] * x + n[1] * y + n[2] * z) / (size * Math.hypot(x, y, z)));
    return 0.44 + 0.46 * lamp(-0.35, 0.75, 0.65) + 0.16 * lamp(0.8, 0.05, 0.45) + 0.16 * lamp(0, 0, 1);
  }
}

const componentNames = {3: ['x', 'y', 'z'], 6: ['xx', 'xy', 'xz', 'yy', 'yz', 'zz'], 9: ['xx', 'xy', 'xz', 'yx', 'yy', 'yz', 'zx', 'zy', 'zz']};

/// A show (and one component of it, or -1 for its size) as colours.
class Paint {
  constructor(show, component, colours) {
    const n = show.components, values = show.values, count = values.length / n;
    this.show = show;
    this.numbers = new Float32Array(count);
    let low = Infinity, high = -Infinity;
    for (let i = 0; i < count; ++i) {
      let value = values[i * n + Math.max(component, 0)];
      if (component < 0 && n > 1) {
        value = 0;
        for (let c = 0; c < n; ++c) value += (n === 6 && [1, 2, 4].includes(c) ? 2 : 1) * values[i * n + c] ** 2;
        value = Math.sqrt(value);
      }
      const good = Number.isFinite(value);
      this.numbers[i] = good ? value : noValue;
      if (good) { low = Math.min(low, value); high = Math.max(high, value); }
    }
    if (low > high) low = high = 0;
    const crosses = low < 0 && high > 0, reach = Math.max(-low, high);
    this.range = crosses ? [-reach, reach] : [low, high];
    const part = n === 1 ? show.name : component < 0 ? `|${show.name}|` : `${show.name} ${componentNames[n]?.[component] ?? component + 1}`;
    this.display = displayUnit(Math.max(Math.abs(low), Math.abs(high)), show.unit);
    this.label = this.display.unit ? `${part} [${this.display.unit}]` : part;
    this.stops = colours[crosses ? 'diverging' : 'sequential'].map(hex => [1, 3, 5].map(at => parseInt(hex.slice(at, at + 2), 16) / 255));
    this.ramp = new Uint8Array(768);
    for (let i = 0; i < 256; ++i) this.at(i / 255).forEach((c, k) => { this.ramp[3 * i + k] = Math.round(255 * c); });
  }
  at(t) {
    const scaled = t * (this.stops.length - 1), i = Math.min(Math.floor(scaled), this.stops.length - 2);
    return this.stops[i].map((c, k) => c + (this.stops[i + 1][k] - c) * (scaled - i));
  }
  colour(value) {
    if (value > 1e38) return [0.6, 0.6, 0.6];
    const [low, high] = this.range;
    return this.at(high > low ? Math.max(0, Math.min(1, (value - low) / (high - low))) : 0.5);
  }
  cornerValue(body, k) { return this.numbers[this.show.at === 'faces' ? body.face_of[Math.floor(k / 3)] : body.corners[k]]; }
}

/// What is drawn of one entry of data.bodies.
class Body {
  constructor(packed) {
    Object.assign(this, packed);
    for (const key of ['rest', 'deformed', 'corners', 'face_of', 'inner']) if (packed[key]) this[key] = decode(packed[key]);
    this.deformed ??= this.rest;
    this.shows = packed.shows.map(show => ({...show, values: decode(show.values)}));
    this.paint = null;
  }
  /// Points at t between rest (0) and deformed (1).
  at(t) {
    if (!this.moves || t === 0) return this.rest;
    if (t === 1) return this.deformed;
    return this.rest.map((x, i) => x + t * (this.deformed[i] - x));
  }
}

class Viewer {
  constructor(data) {
    this.data = data;
    this.bodies = data.bodies.map(body => new Body(body));
    this.visible = new Set([this.bodies[data.first_body]]);
    // lines help to read a regular mesh and disturb on a scanned surface
    this.look = {t: 1, lines: this.bodies[data.first_body].kind === 'mesh', ghost: true, plain: [0.42, 0.6, 0.86], ghostColour: [0.55, 0.65, 0.8]};
    this.camera = new Camera(data.camera.azimuth, data.camera.elevation);
    this.canvas = element('canvas', {tabindex: 0, 'aria-label': 'the body; drag to turn it, wheel to zoom'});
    try {
      if (location.hash.includes('plain')) throw new Error('asked for a plain canvas');
      this.renderer = new GlRenderer(this.canvas);
    } catch (error) {
      this.canvas = this.canvas.cloneNode();
      this.renderer = new PlainRenderer(this.canvas);
      this.plain = true;
    }
    this.build();
    this.choose(0);
    new ResizeObserver(() => this.resize()).observe(this.stage);
  }
  build() {
    const toggle = (text, title, key) => element('button', {title, 'aria-pressed': this.look[key], click: event => {
      this.look[key] = !this.look[key];
      event.currentTarget.setAttribute('aria-pressed', this.look[key]);
      this.redraw();
    }}, text);
    const moves = this.bodies.some(body => body.moves);
    this.showSelect = element('select', {'aria-label': 'colour by', change: () => this.choose(Number(this.showSelect.value))});
    this.partSelect = element('select', {'aria-label': 'component', change: () => this.paint()});
    const bodyButtons = this.bodies.length < 2 ? [] : this.bodies.map(body => element('button', {'aria-pressed': this.visible.has(body), title: `show or hide ${body.name}`, click: event => {
      if (!this.visible.delete(body)) this.visible.add(body);
      event.currentTarget.setAttribute('aria-pressed', this.visible.has(body));
      const before = this.shows[Number(this.showSelect.value)]?.show.name;
      this.choose(0);
      const same = this.shows.findIndex(entry => entry.show.name === before);
      if (same > 0) this.choose(same);
    }}, body.name));
    const direction = (text, azimuth, elevation) => element('button', {title: `look along ${text}`, click: () => { this.camera.turnTo(azimuth, elevation); this.fit(); }}, text);
    const top = element('div', {class: 'bar'}, element('label', {}, 'Colour', this.showSelect), this.partSelect, ...bodyButtons, element('span', {class: 'space'}),
      toggle('Lines', 'the lines of the mesh', 'lines'), moves ? toggle('Rest shape', 'a pale copy at rest', 'ghost') : null,
      direction('x', 0, 0), direction('y', -Math.PI / 2, 0), direction('z', -Math.PI / 2, Math.PI / 2),
      element('button', {title: 'back to the first view', click: () => this.reset()}, 'Reset'),
      element('button', {title: 'fill the screen', click: () => document.fullscreenElement ? document.exitFullscreen() : this.root.requestFullscreen?.()}, 'Full screen'));
    this.scale = element('div', {class: 'scale'});
    this.triad = element('svg', {class: 'triad', width: 84, height: 84, viewBox: '-42 -42 84 84', 'aria-hidden': 'true'});
    this.probe = element('div', {class: 'probe', hidden: ''});
    this.stage = element('div', {class: 'stage'}, this.canvas, this.scale, this.triad, this.probe,
      this.plain ? element('div', {class: 'plain-note'}, 'drawn without WebGL 2, which this browser does not offer') : null);
    this.root = element('section', {class: 'card viewer wide'}, top, this.stage);
    if (moves) {
      const slider = element('input', {type: 'range', min: 0, max: 1, step: 'any', value: 1, 'aria-label': 'from rest to deformed',
                                       input: () => { this.stop(); this.look.t = Number(slider.value); this.redraw(); }});
      this.play = element('button', {title: 'move between rest and deformed', click: () => this.timer ? this.stop() : this.start(slider)}, 'Play');
      this.root.append(element('div', {class: 'bar under'}, this.play, element('label', {style: 'flex: 1'}, 'rest', slider, 'deformed')));
    }
    this.listen();
  }
  start(slider) {
    this.play.textContent = 'Stop';
    const begin = performance.now() - Math.acos(1 - 2 * this.look.t) / Math.PI * 2000;
    const frame = now => {
      this.look.t = 0.5 - 0.5 * Math.cos((now - begin) / 2000 * Math.PI);
      slider.value = this.look.t;
      this.draw();
      this.timer = requestAnimationFrame(frame);
    };
    this.timer = requestAnimationFrame(frame);
  }
  stop() {
    if (this.timer) cancelAnimationFrame(this.timer);
    this.timer = 0;
    if (this.play) this.play.textContent = 'Play';
  }
  /// Fills the list of shows of the visible bodies and takes the numbered one.
  choose(index) {
    const shows = this.shows = [];
    for (const body of this.bodies) if (this.visible.has(body)) for (const show of body.shows) shows.push({body, show});
    // the program's own shows first, displacements (which every body has) last and once
    shows.sort((a, b) => (a.show.name === 'displacement') - (b.show.name === 'displacement'));
    this.shows = shows.filter((entry, i) => shows.findIndex(other => other.show.name === entry.show.name) === i);
    this.showSelect.replaceChildren(...this.shows.map((entry, i) => element('option', {value: i}, entry.show.name)), element('option', {value: -1}, 'no colour'));
    if (index >= this.shows.length) index = -1;
    this.showSelect.value = index;
    const n = this.shows[index]?.show.components ?? 1;
    this.partSelect.hidden = n === 1;
    this.partSelect.replaceChildren(...(n === 1 ? [] : [element('option', {value: -1}, 'size')]), ...Array.from({length: n}, (_, c) => element('option', {value: n === 1 ? -1 : c}, componentNames[n]?.[c] ?? String(c + 1))));
    this.partSelect.value = -1;
    this.paint();
  }
  paint() {
    const chosen = this.shows[Number(this.showSelect.value)], paints = [];
    for (const body of this.bodies) {
      const show = chosen && body.shows.find(s => s.name === chosen.show.name);
      body.paint = show && this.visible.has(body) ? new Paint(show, Number(this.partSelect.value), this.data.colours) : null;
      if (body.paint) paints.push(body.paint);
    }
    // one range for all bodies that have this show
    const low = Math.min(...paints.map(p => p.range[0])), high = Math.max(...paints.map(p => p.range[1]));
    for (const paint of paints) paint.range = [low, high];
    this.drawScale(paints[0]);
    this.redraw();
  }
  drawScale(paint) {
    this.scale.replaceChildren();
    if (!paint) return;
    const [low, high] = paint.range.map(v => v * paint.display.factor);
    const colours = Array.from({length: 21}, (_, i) => `rgb(${paint.at(i / 20).map(c => Math.round(255 * c)).join(' ')})`);
    const ramp = element('div', {class: 'ramp', style: `background: linear-gradient(to top, ${colours.join(', ')})`});
    for (const tick of roundTicks(low, high, 6))
      ramp.append(element('div', {class: 'tick', style: `bottom: auto; top: ${high > low ? 100 * (high - tick) / (high - low) : 50}%`}, format(tick, 4)));
    this.scale.append(element('div', {class: 'name'}, paint.label), ramp);
  }
  shown() { return this.bodies.filter(body => this.visible.has(body)); }
  fit() { this.camera.fit(this.shown().flatMap(body => body.moves ? [body.rest, body.deformed] : [body.rest])); this.redraw(); }
  reset() { this.camera.turnTo(this.camera.home.azimuth, this.camera.home.elevation); this.fit(); }
  resize() {
    const ratio = Math.min(devicePixelRatio || 1, 2), {clientWidth, clientHeight} = this.stage;
    if (!clientWidth || !clientHeight) return;
    this.renderer.resize(Math.round(clientWidth * ratio), Math.round(clientHeight * ratio));
    const first = !this.camera.centre;
    this.camera.aspect = clientWidth / clientHeight;
    this.camera.shift = Math.min(0.3, 110 / clientWidth);  // room for the scale at the right
    if (first) this.camera.fit(this.shown().flatMap(body => body.moves ? [body.rest, body.deformed] : [body.rest]));
    this.draw();
  }
  redraw() {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => { this.waiting = 0; this.draw(); });
  }
  draw() {
    if (!this.camera.centre || !this.canvas.width) return;
    this.camera.update(this.canvas.width / this.canvas.height);
    this.renderer.draw(this.shown(), this.camera, this.look);
    this.drawTriad();
  }
  drawTriad() {
    const axes = [['x', '#d6453d'], ['y', '#2f9e55'], ['z', '#3b73d9']].map(([name, colour], i) => {
      const [x, y, z] = [this.camera.right[i], -this.camera.up[i], this.camera.back[i]];
      return {z, parts: [element('line', {x1: 0, y1: 0, x2: 26 * x, y2: 26 * y, stroke: colour, 'stroke-width': 2.5, 'stroke-linecap': 'round'}),
                         element('text', {x: 35 * x, y: 35 * y + 4, fill: colour, 'text-anchor': 'middle'}, name)]};
    });
    this.triad.replaceChildren(...axes.sort((a, b) => a.z - b.z).flatMap(a => a.parts));
  }
  listen() {
    const canvas = this.canvas, held = new Map();
    canvas.addEventListener('contextmenu', event => event.preventDefault());
    canvas.addEventListener('pointerdown', event => { canvas.setPointerCapture(event.pointerId); held.set(event.pointerId, event); this.probe.hidden = true; });
    for (const name of ['pointerup', 'pointercancel']) canvas.addEventListener(name, event => held.delete(event.pointerId));
    canvas.addEventListener('pointerleave', () => { this.probe.hidden = true; });
    canvas.addEventListener('pointermove', event => {
      const before = held.get(event.pointerId);
      if (!before) { this.pointAt(event); return; }
      const [dx, dy] = [event.clientX - before.clientX, event.clientY - before.clientY];
      if (held.size === 2) {
        const other = [...held.values()].find(e => e.pointerId !== event.pointerId), span = e => Math.hypot(e.clientX - other.clientX, e.clientY - other.clientY);
        this.zoomBy(span(event) / Math.max(span(before), 1));
        this.panBy(dx / 2, dy / 2);
      } else if (event.shiftKey || event.buttons & 6) this.panBy(dx, dy);
      else this.camera.turnTo(this.camera.azimuth - dx * 0.008, this.camera.elevation + dy * 0.008);
      held.set(event.pointerId, event);
      this.redraw();
    });
    canvas.addEventListener('wheel', event => { event.preventDefault(); this.zoomBy(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015))); }, {passive: false});
    canvas.addEventListener('dblclick', () => this.reset());
    canvas.addEventListener('keydown', event => {
      const turn = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]}[event.key];
      if (turn) { this.camera.turnTo(this.camera.azimuth + 0.1 * turn[0], this.camera.elevation + 0.1 * turn[1]); this.redraw(); event.preventDefault(); }
      if (event.key === '+' || event.key === '-') this.zoomBy(event.key === '+' ? 1.15 : 1 / 1.15);
      if (event.key === 'r') this.reset();
    });
  }
  zoomBy(factor) { this.camera.zoom = Math.max(0.1, Math.min(100, this.camera.zoom * factor)); this.redraw(); }
  panBy(dx, dy) {
    const size = 2 * Math.tan(fieldOfView / 2) * this.camera.distance / this.camera.zoom / this.stage.clientHeight;
    this.camera.pan = [this.camera.pan[0] + dx * size, this.camera.pan[1] - dy * size];
  }
  /// The value and place of the nearest triangle under the pointer.
  pointAt(event) {
    if (!this.camera.matrix) return;
    const box = this.canvas.getBoundingClientRect(), [x, y] = [event.clientX - box.left, event.clientY - box.top];
    let best = null;
    for (const body of this.shown()) {
      const points = body.at(this.look.t), screen = new Float32Array(points.length);
      for (let i = 0; i < points.length; i += 3) screen.set(this.camera.project(points, i, box.width, box.height), i);
      for (let t = 0; t < body.corners.length; t += 3) {
        const [a, b, c] = [0, 1, 2].map(k => 3 * body.corners[t + k]);
        const area = (screen[b] - screen[a]) * (screen[c + 1] - screen[a + 1]) - (screen[b + 1] - screen[a + 1]) * (screen[c] - screen[a]);
        const u = ((screen[b] - x) * (screen[c + 1] - y) - (screen[b + 1] - y) * (screen[c] - x)) / area;
        const v = ((screen[c] - x) * (screen[a + 1] - y) - (screen[c + 1] - y) * (screen[a] - x)) / area, w = 1 - u - v;
        if (!(u >= 0 && v >= 0 && w >= 0)) continue;
        const depth = u * screen[a + 2] + v * screen[b + 2] + w * screen[c + 2];
        if (!best || depth < best.depth) best = {depth, body, t, weights: [u, v, w], place: [0, 1, 2].map(i => u * points[a + i] + v * points[b + i] + w * points[c + i])};
      }
    }
    this.probe.hidden = !best;
    if (!best) return;
    const {body, t, weights, place} = best, lines = [];
    if (body.paint) {
      const values = [0, 1, 2].map(k => body.paint.cornerValue(body, t + k)), {factor, unit} = body.paint.display;
      const value = weights.reduce((sum, w, k) => sum + w * values[k], 0);
      lines.push(Math.max(...values) > 1e38 ? 'not a finite value' : `${format(value * factor, 4)} ${unit}`);
    }
    lines.push(`at ${place.map(p => format(p, 4)).join(', ')} m`);
    this.probe.textContent = lines.join('\n');
    this.probe.style.left = `${Math.min(x + 16, box.width - 210)}px`;
    this.probe.style.top = `${Math.max(y - 52, 6)}px`;
  }
}
