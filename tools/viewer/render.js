// Bodies as triangles on a canvas: with WebGL 2, or sorted from back to front on a plain canvas where that
// is missing. Both offer resize(w, h), draw(bodies, camera, look). runtime/report/raster.cpp has the same look.

/// Typed array from {f32: base64} or {u32: base64}.
function decode(packed) {
  const text = atob(packed.f32 ?? packed.u32);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return packed.f32 !== undefined ? new Float32Array(bytes.buffer) : new Uint32Array(bytes.buffer);
}

const noValue = 3e38;  // stands for a value that isn't finite
const creaseCosine = 0.7;  // faces that meet more sharply keep their own normal

/// Normals per corner of each triangle: the mean over the triangles around that aren't across a crease.
function cornerNormals(points, corners) {
  const n = corners.length / 3, areas = new Float32Array(3 * n), units = new Float32Array(3 * n);
  const first = new Uint32Array(points.length / 3 + 1);
  for (let t = 0; t < n; ++t) {
    const a = 3 * corners[3 * t], b = 3 * corners[3 * t + 1], c = 3 * corners[3 * t + 2];
    const u = [points[b] - points[a], points[b + 1] - points[a + 1], points[b + 2] - points[a + 2]];
    const v = [points[c] - points[a], points[c + 1] - points[a + 1], points[c + 2] - points[a + 2]];
    const m = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    const size = Math.hypot(...m) || 1;
    for (let i = 0; i < 3; ++i) { areas[3 * t + i] = m[i]; units[3 * t + i] = m[i] / size; ++first[corners[3 * t + i] + 1]; }
  }
  for (let i = 1; i < first.length; ++i) first[i] += first[i - 1];
  const next = first.slice(), around = new Uint32Array(3 * n);
  for (let k = 0; k < 3 * n; ++k) around[next[corners[k]]++] = Math.floor(k / 3);
  const out = new Float32Array(9 * n);
  for (let k = 0; k < 3 * n; ++k) {
    const t = 3 * Math.floor(k / 3);
    let x = 0, y = 0, z = 0;
    for (let j = first[corners[k]]; j < first[corners[k] + 1]; ++j) {
      const o = 3 * around[j];
      if (units[o] * units[t] + units[o + 1] * units[t + 1] + units[o + 2] * units[t + 2] < creaseCosine) continue;
      x += areas[o]; y += areas[o + 1]; z += areas[o + 2];
    }
    const size = Math.hypot(x, y, z) || 1;
    out[3 * k] = x / size; out[3 * k + 1] = y / size; out[3 * k + 2] = z / size;
  }
  return out;
}

/// Everything per corner of each triangle, ready for the graphics card.
function expandBody(body) {
  const corners = body.corners, n = corners.length;
  const spread = points => {
    const out = new Float32Array(3 * n);
    for (let k = 0; k < n; ++k) for (let i = 0; i < 3; ++i) out[3 * k + i] = points[3 * corners[k] + i];
    return out;
  };
  const sides = new Float32Array(3 * n);  // barycentric; 1 throughout for a side that is no line of the mesh
  for (let k = 0; k < n; ++k) {
    sides[3 * k + k % 3] = 1;
    const inner = body.inner[Math.floor(k / 3)];
    if (inner < 3) sides[3 * k + (inner + 2) % 3] = 1;
  }
  const rest = spread(body.rest), restNormals = cornerNormals(body.rest, corners);
  return {
    count: n, sides, rest, restNormals,
    deformed: body.moves ? spread(body.deformed) : rest,
    deformedNormals: body.moves ? cornerNormals(body.deformed, corners) : restNormals,
  };
}

const vertexShader = `#version 300 es
precision highp float;
in vec3 rest, deformed, restNormal, deformedNormal, sides;
in float value;
uniform mat4 camera; uniform mat3 turn; uniform float t;
out vec3 normal, side; out float shown;
void main() {
  gl_Position = camera * vec4(mix(rest, deformed, t), 1.0);
  normal = turn * mix(restNormal, deformedNormal, t);
  side = sides; shown = value;
}`;
const fragmentShader = `#version 300 es
precision highp float;
in vec3 normal, side; in float shown;
uniform sampler2D ramp; uniform vec2 range; uniform vec3 plain; uniform float lines, opacity; uniform bool painted;
out vec4 colour;
void main() {
  vec3 base = plain;
  if (painted) {
    float width = range.y - range.x;
    float at = width > 0.0 ? clamp((shown - range.x) / width, 0.0, 1.0) : 0.5;
    base = shown > 1e38 ? vec3(0.6) : texture(ramp, vec2((at * 255.0 + 0.5) / 256.0, 0.5)).rgb;
  }
  vec3 n = normalize(normal);
  if (n.z < 0.0) n = -n;
  float key = max(0.0, dot(n, normalize(vec3(-0.35, 0.75, 0.65))));
  float fill = max(0.0, dot(n, normalize(vec3(0.8, 0.05, 0.45))));
  float gloss = 0.10 * pow(max(0.0, dot(n, normalize(vec3(-0.18, 0.38, 0.83)))), 24.0);
  vec3 lit = base * (0.44 + 0.46 * key + 0.16 * fill + 0.16 * n.z) + gloss;
  vec3 grow = fwidth(side);
  vec3 away = side / max(grow, vec3(1e-9));
  float nearest = min(away.x, min(away.y, away.z));
  float size = 1.0 / max(max(grow.x, max(grow.y, grow.z)), 1e-9);
  float line = lines * clamp(1.15 - nearest, 0.0, 1.0) * clamp((size - 3.0) / 5.0, 0.0, 1.0);
  colour = vec4(lit * (1.0 - 0.45 * line) * opacity, opacity);  // premultiplied, as the page expects it
}`;

class GlRenderer {
  constructor(canvas) {
    const gl = this.gl = canvas.getContext('webgl2', {antialias: true, alpha: true, preserveDrawingBuffer: true});
    if (!gl) throw new Error('no WebGL 2');
    this.canvas = canvas;
    const program = this.program = gl.createProgram();
    for (const [type, text] of [[gl.VERTEX_SHADER, vertexShader], [gl.FRAGMENT_SHADER, fragmentShader]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    this.at = name => gl.getUniformLocation(program, name);
    this.ramp = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.ramp);
    for (const [key, value] of [[gl.TEXTURE_MIN_FILTER, gl.LINEAR], [gl.TEXTURE_MAG_FILTER, gl.LINEAR],
                                [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE]])
      gl.texParameteri(gl.TEXTURE_2D, key, value);
  }
  resize(width, height) { this.canvas.width = width; this.canvas.height = height; }
  buffers(body) {
    const gl = this.gl, arrays = expandBody(body), array = gl.createVertexArray();
    gl.bindVertexArray(array);
    const attach = (name, size, data) => {
      const buffer = gl.createBuffer(), at = gl.getAttribLocation(this.program, name);
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
      if (at >= 0) { gl.enableVertexAttribArray(at); gl.vertexAttribPointer(at, size, gl.FLOAT, false, 0, 0); }
      return buffer;
    };
    attach('rest', 3, arrays.rest);
    attach('deformed', 3, arrays.deformed);
    attach('restNormal', 3, arrays.restNormals);
    attach('deformedNormal', 3, arrays.deformedNormals);
    attach('sides', 3, arrays.sides);
    return {array, count: arrays.count, value: attach('value', 1, new Float32Array(arrays.count)), painted: null};
  }
  draw(bodies, camera, look) {
    const gl = this.gl;
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.useProgram(this.program);
    gl.uniformMatrix4fv(this.at('camera'), false, camera.matrix);
    gl.uniformMatrix3fv(this.at('turn'), false, camera.turn);
    gl.uniform1f(this.at('lines'), look.lines ? 1 : 0);
    for (const body of bodies) {
      body.gl ??= this.buffers(body);
      gl.bindVertexArray(body.gl.array);
      if (body.gl.painted !== body.paint) {
        body.gl.painted = body.paint;
        if (body.paint) {
          const values = new Float32Array(body.gl.count);
          for (let k = 0; k < values.length; ++k) values[k] = body.paint.cornerValue(body, k);
          gl.bindBuffer(gl.ARRAY_BUFFER, body.gl.value);
          gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
        }
      }
      if (body.paint) {
        gl.bindTexture(gl.TEXTURE_2D, this.ramp);
        gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGB, 256, 1, 0, gl.RGB, gl.UNSIGNED_BYTE, body.paint.ramp);
        gl.uniform2f(this.at('range'), ...body.paint.range);
      }
      gl.uniform1i(this.at('painted'), body.paint ? 1 : 0);
      gl.uniform3f(this.at('plain'), ...look.plain);
      gl.uniform1f(this.at('opacity'), 1);
      gl.uniform1f(this.at('t'), body.moves ? look.t : 0);
      gl.drawArrays(gl.TRIANGLES, 0, body.gl.count);
    }
    if (!look.ghost) return;
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.enable(gl.CULL_FACE);
    gl.uniform1i(this.at('painted'), 0);
    gl.uniform3f(this.at('plain'), ...look.ghostColour);
    gl.uniform1f(this.at('opacity'), 0.3);
    gl.uniform1f(this.at('lines'), 0);
    gl.uniform1f(this.at('t'), 0);
    for (const body of bodies) {
      if (!body.moves) continue;
      gl.bindVertexArray(body.gl.array);
      gl.drawArrays(gl.TRIANGLES, 0, body.gl.count);
    }
    gl.disable(gl.BLEND);
    gl.disable(gl.CULL_FACE);
  }
}

class PlainRenderer {
  constructor(canvas) { this.canvas = canvas; this.context = canvas.getContext('2d'); }
  resize(width, height) { this.canvas.width = width; this.canvas.height = height; }
  draw(bodies, camera, look) {
    const context = this.context, {width, height} = this.canvas;
    context.clearRect(0, 0, width, height);
    if (look.ghost) { context.globalAlpha = 0.35; this.paint(bodies.filter(b => b.moves), camera, {...look, t: 0, lines: false}, look.ghostColour); }
    context.globalAlpha = 1;
    this.paint(bodies, camera, look, null);
  }
  paint(bodies, camera, look, flat) {
    const context = this.context, list = [];
    for (const body of bodies) {
      const points = body.at(look.t), screen = new Float32Array(points.length);
      for (let i = 0; i < points.length; i += 3) screen.set(camera.project(points, i, this.canvas.width, this.canvas.height), i);
      for (let t = 0; t < body.corners.length / 3; ++t) {
        const p = [0, 1, 2].map(k => 3 * body.corners[3 * t + k]);
        const turned = (screen[p[1]] - screen[p[0]]) * (screen[p[2] + 1] - screen[p[0] + 1]) -
                       (screen[p[1] + 1] - screen[p[0] + 1]) * (screen[p[2]] - screen[p[0]]);
        if (turned < 0) list.push({body, t, p, screen, points, depth: screen[p[0] + 2] + screen[p[1] + 2] + screen[p[2] + 2]});
      }
    }
    list.sort((a, b) => b.depth - a.depth);
    for (const {body, t, p, screen, points} of list) {
      const u = [0, 1, 2].map(i => points[p[1] + i] - points[p[0] + i]), v = [0, 1, 2].map(i => points[p[2] + i] - points[p[0] + i]);
      const light = camera.light([u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]);
      let base = flat ?? look.plain;
      if (!flat && body.paint) {
        const mean = ([0, 1, 2].reduce((sum, k) => sum + body.paint.cornerValue(body, 3 * t + k), 0)) / 3;
        base = body.paint.colour(mean);
      }
      const style = `rgb(${base.map(c => Math.round(255 * Math.min(1, c * light))).join(' ')})`;
      context.fillStyle = context.strokeStyle = style;
      context.lineWidth = 0.7;
      context.beginPath();
      for (let k = 0; k < 3; ++k) context.lineTo(screen[p[k]], screen[p[k] + 1]);
      context.closePath();
      context.fill();
      context.stroke();
      if (!look.lines) continue;
      context.strokeStyle = 'rgb(0 0 0 / .3)';
      context.beginPath();
      for (let k = 0; k < 3; ++k) {
        if (body.inner[t] === k) continue;
        const q = p[(k + 1) % 3];
        context.moveTo(screen[p[k]], screen[p[k] + 1]);
        context.lineTo(screen[q], screen[q + 1]);
      }
      context.stroke();
    }
  }
}
