import 'server-only';
import type { groundPoints, markLabels } from './incident-words.ts';
import type { ReplayData, ReplayTrack, replayMap } from './replay-map.ts';
import type { decodeBlock, eachJoin, readPositions } from './replay-positions.ts';

// The script of replay.html: written into the page as its source (`String(…)`), it uses nothing but its arguments and what
// every browser named in package.json has.

/** Runs the page. */
export async function replayPage(
  makeMap: typeof replayMap,
  read: typeof readPositions,
  decode: typeof decodeBlock,
  joins: typeof eachJoin,
  pointsOf: typeof groundPoints,
  labelsOf: typeof markLabels,
): Promise<void> {
  const byId = <Kind extends HTMLElement>(id: string) => document.getElementById(id) as Kind;
  const data = JSON.parse(byId('data').textContent ?? '') as ReplayData;
  const { baseMs, keptMs, windowMs, steps } = data;
  const NONE = -0x80000000;
  const TURN = 360;
  const clock = (ms: number) => new Date(baseMs + ms).toISOString().slice(11, 19);

  const status = byId('status');
  const blocks = function* () {
    for (const block of document.querySelectorAll('.chunk')) {
      yield block.textContent ?? '';
      block.remove();
    }
  };
  const all = await read(blocks(), decode, (count) => {
    status.textContent = `Reading positions: ${count.toLocaleString('en')} of ${data.positions.toLocaleString('en')}`;
  });
  const canvas = byId<HTMLCanvasElement>('map');
  const axis = byId<HTMLCanvasElement>('axis');
  const line = axis.getContext('2d') as CanvasRenderingContext2D;
  const map = await makeMap(canvas, data, all, joins, pointsOf);
  const { state } = map;
  const byKey = new Map(map.tracks.map((track) => [track.key, track]));
  let now = windowMs[0];
  let isPlaying = false;
  const speed = byId<HTMLSelectElement>('speed');
  const trail = byId<HTMLSelectElement>('trail');
  const FONT = 'system-ui, -apple-system, "Segoe UI", "Liberation Sans", Arial, sans-serif';
  const ratio = () => Math.max(1, Math.min(3, devicePixelRatio));

  // The axis of time.
  const SIDE = 74;
  const axisX = (ms: number) => SIDE + ((ms - keptMs[0]) / (keptMs[1] - keptMs[0])) * (axis.clientWidth - SIDE - 10);
  function drawAxis(): void {
    const [width, height] = [axis.clientWidth, axis.clientHeight];
    line.setTransform(ratio(), 0, 0, ratio(), 0, 0);
    line.clearRect(0, 0, width, height);
    line.fillStyle = '#e6eaee';
    line.fillRect(axisX(keptMs[0]), 16, axisX(windowMs[0]) - axisX(keptMs[0]), height);
    line.fillRect(axisX(windowMs[1]), 16, axisX(keptMs[1]) - axisX(windowMs[1]), height);
    line.font = `11px ${FONT}`;
    line.textAlign = 'center';
    const minutes =
      [1, 2, 5, 10, 15, 30, 60, 120, 180, 360].find((each) => axisX(each * 60_000) - axisX(0) >= 64) ?? 720;
    const stepMs = minutes * 60_000;
    for (let at = Math.ceil((baseMs + keptMs[0]) / stepMs) * stepMs - baseMs; at <= keptMs[1]; at += stepMs) {
      line.fillStyle = '#c3cad1';
      line.fillRect(axisX(at), 15, 1, height);
      line.fillStyle = '#3a424b';
      const time = clock(at).slice(0, 5);
      const text = time === '00:00' ? new Date(baseMs + at).toISOString().slice(0, 10) : time;
      line.fillText(text, Math.max(SIDE + 14, Math.min(width - 3 * text.length, axisX(at))), 11);
    }
    line.textAlign = 'left';
    let top = 20;
    for (const { name, watched } of data.layers) {
      line.font = `600 11px ${FONT}`;
      line.fillStyle = '#16191d';
      line.fillText(name, 0, top + 11);
      for (const { fromMs, toMs, state, text } of watched) {
        const left = axisX(fromMs);
        // The shortest stretch is still seen.
        const right = Math.max(axisX(toMs), left + 3);
        line.fillStyle = { watched: '#5b86b0', partly: '#c9d9e8', not_watched: '#fff' }[state];
        line.fillRect(left, top, right - left, 14);
        if (state === 'watched') continue;
        line.strokeStyle = '#16191d';
        line.lineWidth = 1;
        line.setLineDash(state === 'partly' ? [3, 2] : []);
        line.strokeRect(left + 0.5, top + 0.5, Math.max(1, right - left - 1), 13);
        line.setLineDash([]);
        line.font = `10.5px ${FONT}`;
        line.fillStyle = '#16191d';
        const [said = ''] = text.split(':');
        if (line.measureText(said).width < right - left - 6) line.fillText(said, left + 4, top + 11);
      }
      top += 20;
    }
    line.font = `10px ${FONT}`;
    for (const { kind, atMs } of data.marks) {
      const at = axisX(atMs);
      line.fillStyle = kind === 'alarm' ? '#b3261e' : '#16191d';
      line.fill(new Path2D(`M${at} ${top}l4 8h-8z`));
    }
    line.fillStyle = '#16191d';
    const marks = data.marks.map(({ name, atMs }) => ({ name, x: axisX(atMs) }));
    for (const { text, leftX } of labelsOf(marks, 6, width)) line.fillText(text, leftX, top + 18);
    line.fillStyle = '#16191d';
    line.fillRect(axisX(now) - 1, 14, 2, height);
    line.beginPath();
    line.arc(axisX(now), 15, 5, 0, 2 * Math.PI);
    line.fill();
  }

  // The clock, the list and the card.
  const card = byId('card');
  const clockAt = byId('clock');
  const rows = Array.from(document.querySelectorAll<HTMLButtonElement>('button[data-key]'));
  let said = '';
  function drawWords(): void {
    const at = new Date(baseMs + now).toISOString();
    clockAt.textContent = `${at.slice(0, 10)} ${at.slice(11, 19)}Z`;
    axis.setAttribute('aria-valuenow', String(Math.round(now / 1000)));
    axis.setAttribute('aria-valuetext', `${clock(now)} UTC`);
    const missing = data.layers.flatMap(({ name, watched }) => {
      const of = watched.find(({ fromMs, toMs }) => fromMs <= now && (now < toMs || toMs === keptMs[1]));
      if (of?.state === 'watched') return [];
      return `${name}. ${of?.text ?? 'Not known'}`;
    });
    const isOutside = now < windowMs[0] || now > windowMs[1];
    const text = [...missing, isOutside ? 'Outside the times of the incident' : []].flat().join('. ');
    if (text !== said) {
      said = text;
      status.textContent = text;
      status.hidden = text === '';
    }
    const { followed } = state;
    const shown = map.shownKeys();
    for (const button of rows) {
      const key = button.dataset.key as string;
      button.classList.toggle('now', shown.has(key));
      button.setAttribute('aria-pressed', String(followed?.key === key));
    }
    card.hidden = !followed;
    if (!followed) return;
    const row = map.rowAt(followed, now);
    const parts: [string, string][] = [['Reference', followed.key.slice(1)]];
    if (row < followed.start)
      parts.push(['', `Not received yet; first at ${clock(all.time[followed.start] as number)}Z`]);
    else {
      const value = (steps: number, perUnit: number, unit: string, places = 0) =>
        steps === NONE ? 'not reported' : `${Number((steps / perUnit).toFixed(places)) + 0}${unit}`;
      const ageS = Math.floor((now - (all.time[row] as number)) / 1000);
      const lon = (all.lon[row] as number) / steps.deg;
      const shownLon = lon >= TURN / 2 ? lon - TURN : lon < -TURN / 2 ? lon + TURN : lon;
      parts.push(
        [
          'Received',
          `${clock(all.time[row] as number)}Z, ${ageS < 100 ? `${ageS} s` : `${Math.floor(ageS / 60)} min`} old`,
        ],
        ['Place', `${((all.lat[row] as number) / steps.deg).toFixed(5)}, ${shownLon.toFixed(5)}`],
        [data.heights.height_agl_m, value(all.height[row] as number, steps.m, ' m')],
        [data.heights.altitude_m, value(all.altitude[row] as number, steps.m, ' m')],
        ['Ground speed', value(all.speed[row] as number, steps.mps, ' m/s', 1)],
        ['Heading', value(all.heading[row] as number, steps.headingDeg, '°')],
      );
    }
    byId('card-name').textContent = `${followed.name} ${followed.kind} ${followed.tags}`.trim();
    const list = byId('card-rows');
    list.replaceChildren(
      ...parts.flatMap(([name, text]) => {
        const [term, description] = [document.createElement('dt'), document.createElement('dd')];
        [term.textContent, description.textContent] = [name, text];
        return [term, description];
      }),
    );
  }

  // Controls.
  const play = byId<HTMLButtonElement>('play');
  function setPlaying(value: boolean): void {
    isPlaying = value;
    play.textContent = value ? 'Pause' : 'Play';
    state.isDirty = true;
  }
  function seek(ms: number): void {
    now = Math.max(keptMs[0], Math.min(keptMs[1], ms));
    state.isDirty = true;
  }
  function follow(track: ReplayTrack | undefined): void {
    state.followed = track;
    state.isDirty = true;
    if (!track) return;
    if (!map.isPresent(track, now)) {
      const first = data.tracks.find(({ key }) => key === track.key)?.firstMs;
      seek(first ?? (all.time[track.start] as number));
    }
    map.centreOn(Math.max(track.start, map.rowAt(track, now)));
  }
  play.addEventListener('click', () => {
    if (!isPlaying && now >= keptMs[1]) seek(windowMs[0]);
    setPlaying(!isPlaying);
  });
  for (const select of [speed, trail]) select.addEventListener('change', () => (state.isDirty = true));
  byId('fit').addEventListener('click', () => map.fit());
  byId('in').addEventListener('click', () => map.zoomBy(1.6));
  byId('out').addEventListener('click', () => map.zoomBy(1 / 1.6));
  byId('card-close').addEventListener('click', () => follow(undefined));
  for (const button of rows) {
    const track = byKey.get(button.dataset.key as string);
    button.addEventListener('click', () => follow(track === state.followed ? undefined : track));
  }
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-at]'))
    button.addEventListener('click', () => seek(Number(button.dataset.at)));

  const scrub = (event: PointerEvent) => {
    const share = (event.clientX - axis.getBoundingClientRect().left - SIDE) / (axis.clientWidth - SIDE - 10);
    seek(keptMs[0] + share * (keptMs[1] - keptMs[0]));
  };
  axis.addEventListener('pointerdown', (event) => {
    axis.setPointerCapture(event.pointerId);
    scrub(event);
  });
  axis.addEventListener('pointermove', (event) => {
    if (axis.hasPointerCapture(event.pointerId)) scrub(event);
  });
  const PAN_PX = 80;
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const onMap = event.target === canvas;
    const isControl = event.target instanceof HTMLButtonElement || event.target instanceof HTMLSelectElement;
    const stepMs = event.shiftKey ? 60_000 : 10_000;
    const actions: Record<string, () => void> = {
      ArrowLeft: () => (onMap ? map.moveBy(-PAN_PX, 0) : seek(now - stepMs)),
      ArrowRight: () => (onMap ? map.moveBy(PAN_PX, 0) : seek(now + stepMs)),
      '+': () => map.zoomBy(1.6),
      '=': () => map.zoomBy(1.6),
      '-': () => map.zoomBy(1 / 1.6),
      Escape: () => follow(undefined),
    };
    if (onMap) [actions.ArrowUp, actions.ArrowDown] = [() => map.moveBy(0, -PAN_PX), () => map.moveBy(0, PAN_PX)];
    if (!isControl) actions[' '] = () => play.click();
    if (event.target === axis) [actions.Home, actions.End] = [() => seek(windowMs[0]), () => seek(windowMs[1])];
    const action = event.target instanceof HTMLSelectElement ? undefined : actions[event.key];
    if (!action) return;
    event.preventDefault();
    if (onMap && event.key.startsWith('Arrow')) state.followed = undefined;
    action();
  });

  const resize = () => {
    map.resize(ratio());
    axis.width = Math.round(axis.clientWidth * ratio());
    axis.height = Math.round(axis.clientHeight * ratio());
  };
  new ResizeObserver(resize).observe(canvas);
  new ResizeObserver(resize).observe(axis);
  resize();
  status.textContent = '';
  status.hidden = true;
  for (const control of document.querySelectorAll<HTMLButtonElement>('[disabled]')) control.disabled = false;
  let drawnAt = performance.now();
  const frame = (atMs: number) => {
    if (isPlaying) {
      seek(now + Math.min(250, atMs - drawnAt) * Number(speed.value));
      if (now >= keptMs[1]) setPlaying(false);
    }
    drawnAt = atMs;
    if (state.isDirty) {
      state.isDirty = false;
      map.draw(now, Number(trail.value) * 1000, isPlaying);
      drawAxis();
      drawWords();
    }
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}
