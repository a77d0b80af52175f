import 'server-only';
import type { TrackKind } from '#lib/model/position.ts';
import type { GroundMap } from '../maps/ground-map.ts';
import type { Watched } from './incident-words.ts';
import type { decodeChunk, readPositions } from './replay-positions.ts';

// The script of replay.html: written into the page as its source (`String(…)`), it uses nothing but its arguments and what
// every browser named in package.json has.

/** What the page needs beside positions. Times are ms since `baseMs`, which is `0` of the page's time. */
export interface ReplayData {
  readonly baseMs: number;
  readonly keptMs: readonly [from: number, to: number];
  readonly windowMs: readonly [from: number, to: number];
  readonly positions: number;
  /** The place around which longitudes run on past 180°. */
  readonly middle: readonly [lon: number, lat: number];
  /** The area and its surroundings, which the page shows first. */
  readonly bounds: readonly [west: number, south: number, east: number, north: number];
  readonly rings: readonly (readonly (readonly [lon: number, lat: number])[])[];
  readonly ground: GroundMap;
  readonly layers: readonly { readonly name: string; readonly watched: readonly Watched[] }[];
  /** Named as in the report; `key` is that of the packed positions. */
  readonly tracks: readonly { readonly name: string; readonly key: string; readonly firstMs: number }[];
  readonly marks: readonly { readonly name: string; readonly kind: 'alarm' | 'note'; readonly atMs: number }[];
  readonly steps: { readonly deg: number; readonly m: number; readonly mps: number; readonly headingDeg: number };
  readonly groundSteps: number;
  readonly limits: Readonly<
    Record<TrackKind, { solidMs: number; dottedMs: number; fallbackTtlMs: number; expiredMs: number }>
  >;
  readonly expiredOpacity: number;
  readonly freshFraction: number;
}

interface Track {
  readonly key: string;
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly kind: TrackKind;
  readonly tags: string;
}

/** Runs the page. */
export async function replayPage(read: typeof readPositions, decode: typeof decodeChunk): Promise<void> {
  const byId = <Kind extends HTMLElement>(id: string) => document.getElementById(id) as Kind;
  const data = JSON.parse(byId('data').textContent ?? '') as ReplayData;
  const { baseMs, keptMs, windowMs, steps, limits } = data;
  const NONE = -0x80000000;
  const TURN = 360;
  const UNIT = 2 ** 20;
  const yOf = (lat: number) => 0.5 - Math.log(Math.tan(Math.PI / 4 + (lat * Math.PI) / TURN)) / (2 * Math.PI);
  const middleY = yOf(data.middle[1]);
  const toX = (lon: number) => ((lon - data.middle[0]) / TURN) * UNIT;
  const toY = (lat: number) => (yOf(Math.max(-85, Math.min(85, lat))) - middleY) * UNIT;
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
  const x = new Float32Array(all.time.length);
  const y = new Float32Array(all.time.length);
  const nameOf = new Map(data.tracks.map(({ key, name }) => [key, name]));
  const tracks: Track[] = [];
  for (const { key, start, end } of all.tracks) {
    let seen = 0;
    for (let row = start; row < end; row++) {
      seen |= all.flags[row] as number;
      x[row] = toX((all.lon[row] as number) / steps.deg);
      y[row] = toY((all.lat[row] as number) / steps.deg);
      if (row % 200_000 === 0) await new Promise((done) => setTimeout(done, 0));
    }
    const tags = [seen & 2 ? 'SIM' : '', seen & 4 ? 'TEST' : ''].join(' ').trim();
    tracks.push({
      key,
      name: nameOf.get(key) ?? `…${key.slice(-5)}`,
      start,
      end,
      kind: key.startsWith('d') ? 'drone' : 'aircraft',
      tags,
    });
  }
  const byKey = new Map(tracks.map((track) => [track.key, track]));

  /** The latest position of a track at a time; below its start where there is none. */
  function rowAt({ start, end }: Track, ms: number): number {
    let [low, high] = [start, end];
    while (low < high) {
      const half = (low + high) >>> 1;
      if ((all.time[half] as number) <= ms) low = half + 1;
      else high = half;
    }
    return low - 1;
  }

  // What is shown.
  let now = windowMs[0];
  let isPlaying = false;
  let followed: Track | undefined;
  let isDirty = true;
  const speed = byId<HTMLSelectElement>('speed');
  const trail = byId<HTMLSelectElement>('trail');
  const canvas = byId<HTMLCanvasElement>('map');
  const axis = byId<HTMLCanvasElement>('axis');
  const map = canvas.getContext('2d') as CanvasRenderingContext2D;
  const line = axis.getContext('2d') as CanvasRenderingContext2D;
  const view = { x: 0, y: 0, scale: 1, width: 0, height: 0, ratio: 1 };

  const pathOf = (shapes: readonly (readonly (readonly [number, number])[])[], isClosed: boolean) => {
    const path = new Path2D();
    for (const points of shapes) {
      points.forEach(([lon, lat], index) => {
        if (index === 0) path.moveTo(toX(lon), toY(lat));
        else path.lineTo(toX(lon), toY(lat));
      });
      if (isClosed) path.closePath();
    }
    return path;
  };
  const degrees = (steps: readonly number[]) => {
    const points: [number, number][] = [];
    let [lon, lat] = [0, 0];
    for (let index = 0; index + 1 < steps.length; index += 2) {
      lon += steps[index] as number;
      lat += steps[index + 1] as number;
      points.push([lon / data.groundSteps, lat / data.groundSteps]);
    }
    return points;
  };
  const { lines: groundLines, covered, places, airports, runwayEnds } = data.ground;
  const area = pathOf(data.rings, true);
  const ground = {
    land: pathOf(groundLines.land.map(degrees), true),
    lakes: pathOf(groundLines.lakes.map(degrees), true),
    rivers: pathOf(groundLines.rivers.map(degrees), false),
    coast: pathOf(groundLines.coast.map(degrees), false),
    borders: pathOf(groundLines.borders.map(degrees), false),
    runways: pathOf(groundLines.runways.map(degrees), false),
  };
  const [west, south, east, north] = data.bounds;
  const limit = covered ?? { west: west - 1, south: south - 1, east: east + 1, north: north + 1 };
  const scaleOf = (across: number, down: number) => Math.min(view.width / across, view.height / down);
  const fitted = () => scaleOf(toX(east) - toX(west), toY(south) - toY(north)) * 0.96;
  const furthest = () =>
    Math.min(
      fitted(),
      Math.max(view.width / (toX(limit.east) - toX(limit.west)), view.height / (toY(limit.south) - toY(limit.north))),
    );
  function fit(): void {
    followed = undefined;
    view.x = (toX(west) + toX(east)) / 2;
    view.y = (toY(north) + toY(south)) / 2;
    view.scale = fitted();
    isDirty = true;
  }
  function zoomBy(factor: number, atX = view.width / 2, atY = view.height / 2): void {
    const scale = Math.max(furthest(), Math.min(fitted() * 400, view.scale * factor));
    view.x += (atX - view.width / 2) * (1 / view.scale - 1 / scale);
    view.y += (atY - view.height / 2) * (1 / view.scale - 1 / scale);
    view.scale = scale;
    moveBy(0, 0);
  }
  function moveBy(right: number, down: number): void {
    view.x = Math.max(toX(limit.west), Math.min(toX(limit.east), view.x + right / view.scale));
    view.y = Math.max(toY(limit.north), Math.min(toY(limit.south), view.y + down / view.scale));
    isDirty = true;
  }
  const screenX = (at: number) => (at - view.x) * view.scale + view.width / 2;
  const screenY = (at: number) => (at - view.y) * view.scale + view.height / 2;

  const FONT = 'system-ui, -apple-system, "Segoe UI", "Liberation Sans", Arial, sans-serif';
  let taken: [number, number, number, number][] = [];
  /** @returns whether there was room */
  function label(text: string, left: number, top: number, colour: string, font: string, isForced = false): boolean {
    map.font = font;
    const width = map.measureText(text).width + 4;
    if (!isForced && taken.some(([l, t, w, h]) => left < l + w && l < left + width && top < t + h && t < top + 13))
      return false;
    taken.push([left, top, width, 13]);
    map.lineWidth = 3;
    map.strokeStyle = 'rgba(255,255,255,.92)';
    map.strokeText(text, left, top + 10);
    map.fillStyle = colour;
    map.fillText(text, left, top + 10);
    return true;
  }

  function drawGround(): void {
    const { width, height, ratio, scale } = view;
    map.setTransform(ratio, 0, 0, ratio, 0, 0);
    map.fillStyle = covered ? '#d5e4ef' : '#f6f5f1';
    map.fillRect(0, 0, width, height);
    map.setTransform(
      ratio * scale,
      0,
      0,
      ratio * scale,
      ratio * (width / 2 - view.x * scale),
      ratio * (height / 2 - view.y * scale),
    );
    map.fillStyle = '#f6f5f1';
    map.fill(ground.land, 'nonzero');
    map.fillStyle = '#d5e4ef';
    map.fill(ground.lakes);
    const stroke = (path: Path2D, colour: string, px: number, dash: number[] = []) => {
      map.lineWidth = px / scale;
      map.strokeStyle = colour;
      map.setLineDash(dash.map((each) => each / scale));
      map.stroke(path);
    };
    stroke(ground.rivers, '#bdd3e4', 1);
    stroke(ground.coast, '#7d8f9f', 1);
    stroke(ground.borders, '#8a7f8f', 1.2, [8, 3, 2, 3]);
    stroke(ground.runways, '#8b9299', Math.max(2, scale * 1.2));
    map.fillStyle = 'rgba(22,25,29,.06)';
    map.fill(area);
    stroke(area, '#16191d', 1.6, [7, 4]);
    map.setLineDash([]);
    map.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  function drawNames(): void {
    const zoom = Math.log2((view.scale * UNIT) / 512);
    const named = [
      [airports, '#4d5661', `600 11px ${FONT}`],
      [places, '#5f6871', `11px ${FONT}`],
      [runwayEnds, '#5f6871', `10px ${FONT}`],
    ] as const;
    for (const [all, colour, font] of named)
      for (const [name, lon, lat, minZoom] of all) {
        if (minZoom > zoom + 1) continue;
        const [atX, atY] = [screenX(toX(lon / data.groundSteps)), screenY(toY(lat / data.groundSteps))];
        if (atX < 0 || atY < 0 || atX > view.width || atY > view.height) continue;
        label(name, atX - 3 * name.length, atY - 6, colour, font);
      }
  }

  /** Solid and dotted as on Lookout's map; over a longer time without reception there is no line. */
  function drawTrail({ start, kind, tags }: Track, row: number, fromMs: number): void {
    const { solidMs, dottedMs } = limits[kind];
    const solid = new Path2D();
    const dotted = new Path2D();
    let [lastX, lastY] = [screenX(x[row] as number), screenY(y[row] as number)];
    let isOpen = false;
    for (let each = row; each > start && (all.time[each - 1] as number) >= fromMs; each--) {
      const gapMs = (all.time[each] as number) - (all.time[each - 1] as number);
      const [atX, atY] = [screenX(x[each - 1] as number), screenY(y[each - 1] as number)];
      if (gapMs <= solidMs) {
        if (each - 1 > start && Math.abs(atX - lastX) + Math.abs(atY - lastY) < 1 && isOpen) continue;
        if (!isOpen) solid.moveTo(lastX, lastY);
        solid.lineTo(atX, atY);
        isOpen = true;
      } else {
        if (gapMs <= dottedMs) {
          dotted.moveTo(screenX(x[each] as number), screenY(y[each] as number));
          dotted.lineTo(atX, atY);
        }
        isOpen = false;
      }
      [lastX, lastY] = [atX, atY];
    }
    map.strokeStyle = tags === '' ? '#123f73' : '#7a3d00';
    map.lineWidth = 1.4;
    map.stroke(solid);
    map.setLineDash([1.5, 4]);
    map.stroke(dotted);
    map.setLineDash([]);
  }

  /** A dart is an aircraft, a square with four arms a drone; without a heading, an aircraft is a ring. */
  function drawMark(
    kind: TrackKind,
    atX: number,
    atY: number,
    headingDeg: number,
    opacity: number,
    isHollow: boolean,
    colour: string,
  ): void {
    map.save();
    map.translate(atX, atY);
    map.globalAlpha = opacity;
    map.lineWidth = 1.6;
    map.strokeStyle = isHollow ? colour : '#fff';
    map.fillStyle = isHollow ? 'rgba(255,255,255,.6)' : colour;
    map.beginPath();
    if (kind === 'drone') {
      map.lineWidth = 2;
      map.strokeStyle = colour;
      for (const [armX, armY] of [
        [-7, -7],
        [7, -7],
        [7, 7],
        [-7, 7],
      ] as const) {
        map.moveTo(0, 0);
        map.lineTo(armX, armY);
      }
      map.stroke();
      map.beginPath();
      map.rect(-4, -4, 8, 8);
    } else if (headingDeg === NONE) map.arc(0, 0, 5, 0, 2 * Math.PI);
    else {
      map.rotate((headingDeg / steps.headingDeg / 180) * Math.PI);
      map.moveTo(0, -10);
      map.lineTo(6.5, 8);
      map.lineTo(0, 4);
      map.lineTo(-6.5, 8);
      map.closePath();
    }
    map.fill();
    map.stroke();
    map.restore();
  }

  const heightText = (row: number) => {
    const [height, altitude] = [all.height[row] as number, all.altitude[row] as number];
    if (height !== NONE) return `height_agl_m ${Math.round(height / steps.m)}`;
    return altitude === NONE ? 'height not reported' : `altitude_m ${Math.round(altitude / steps.m)}`;
  };
  const expiryOf = (kind: TrackKind, row: number) => {
    const ttl = all.ttl[row] as number;
    return (all.time[row] as number) + (ttl === NONE ? limits[kind].fallbackTtlMs : ttl);
  };

  let shown: { track: Track; row: number; atX: number; atY: number }[] = [];
  function drawMap(): void {
    const present: { track: Track; row: number; expiresMs: number }[] = [];
    for (const track of tracks) {
      if ((all.time[track.start] as number) > now) continue;
      const row = rowAt(track, now);
      const expiresMs = expiryOf(track.kind, row);
      if (now < expiresMs + limits[track.kind].expiredMs) present.push({ track, row, expiresMs });
    }
    const ofFollowed = followed && rowAt(followed, now);
    if (followed && ofFollowed !== undefined && ofFollowed >= followed.start && isPlaying)
      [view.x, view.y] = [x[ofFollowed] as number, y[ofFollowed] as number];
    drawGround();
    taken = [[view.width - 150, view.height - 18, 150, 18]];
    const trailMs = Number(trail.value) * 1000;
    for (const { track, row } of present) if (track !== followed) drawTrail(track, row, now - trailMs);
    if (followed && ofFollowed !== undefined && ofFollowed >= followed.start)
      drawTrail(followed, ofFollowed, Number.NEGATIVE_INFINITY);
    shown = present.map(({ track, row }) => ({
      track,
      row,
      atX: screenX(x[row] as number),
      atY: screenY(y[row] as number),
    }));
    const isNear = ({ atX, atY }: (typeof shown)[number]) =>
      atX > -20 && atY > -20 && atX < view.width + 20 && atY < view.height + 20;
    shown = shown.filter(isNear);
    const hasHeights = shown.length <= 30;
    for (const { track, row, atX, atY } of shown) {
      const [observedMs, expiresMs] = [all.time[row] as number, expiryOf(track.kind, row)];
      const lived = (now - observedMs) / Math.max(1, expiresMs - observedMs);
      const fade = Math.max(0, (lived - data.freshFraction) / (1 - data.freshFraction));
      const isExpired = now >= expiresMs;
      const opacity = isExpired ? data.expiredOpacity : 1 - (1 - data.expiredOpacity) * Math.min(1, fade);
      if (track === followed) {
        map.strokeStyle = '#16191d';
        map.lineWidth = 1.5;
        map.beginPath();
        map.arc(atX, atY, 15, 0, 2 * Math.PI);
        map.stroke();
      }
      drawMark(
        track.kind,
        atX,
        atY,
        all.heading[row] as number,
        opacity,
        isExpired,
        track.tags === '' ? '#123f73' : '#7a3d00',
      );
      // SIM and TEST are said whatever the room.
      const text = `${track.name} ${track.tags}`.trim();
      if (
        label(text, atX + 11, atY - 12, '#16191d', `700 11px ${FONT}`, track.tags !== '' || track === followed) &&
        (hasHeights || track === followed)
      )
        label(heightText(row), atX + 11, atY + 1, '#3a424b', `10.5px ${FONT}`);
    }
    drawNames();
    drawScale();
  }

  function drawScale(): void {
    const metresPerPx = (40_075_017 * Math.cos((data.middle[1] * Math.PI) / 180)) / UNIT / view.scale;
    const metres =
      [1e5, 5e4, 2e4, 1e4, 5000, 2000, 1000, 500, 200, 100, 50, 20].find((each) => each / metresPerPx <= 130) ?? 10;
    const [left, bottom, width] = [12, view.height - 12, metres / metresPerPx];
    map.strokeStyle = '#16191d';
    map.lineWidth = 1.6;
    map.beginPath();
    map.moveTo(left, bottom - 5);
    map.lineTo(left, bottom);
    map.lineTo(left + width, bottom);
    map.lineTo(left + width, bottom - 5);
    map.stroke();
    label(
      `${metres >= 1000 ? `${metres / 1000} km` : `${metres} m`}  ·  north is up`,
      left + 2,
      bottom - 20,
      '#16191d',
      `11px ${FONT}`,
      true,
    );
  }

  // The axis of time.
  const SIDE = 74;
  const axisX = (ms: number) => SIDE + ((ms - keptMs[0]) / (keptMs[1] - keptMs[0])) * (axis.clientWidth - SIDE - 10);
  function drawAxis(): void {
    const [width, height] = [axis.clientWidth, axis.clientHeight];
    line.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
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
      line.fillText(clock(at).slice(0, 5), Math.max(SIDE + 14, Math.min(width - 20, axisX(at))), 11);
    }
    line.textAlign = 'left';
    let top = 20;
    for (const { name, watched } of data.layers) {
      line.font = `600 11px ${FONT}`;
      line.fillStyle = '#16191d';
      line.fillText(name, 0, top + 11);
      for (const { fromMs, toMs, state } of watched) {
        const [left, right] = [axisX(fromMs), axisX(toMs)];
        line.fillStyle = { watched: '#5b86b0', partly: '#c9d9e8', not_watched: '#fff' }[state];
        line.fillRect(left, top, right - left, 14);
        if (state === 'watched') continue;
        line.strokeStyle = '#16191d';
        line.lineWidth = 1;
        line.setLineDash(state === 'partly' ? [3, 2] : []);
        line.strokeRect(left + 0.5, top + 0.5, Math.max(1, right - left - 1), 13);
        line.setLineDash([]);
        const text = state === 'partly' ? 'in part' : 'not watched';
        line.font = `10.5px ${FONT}`;
        line.fillStyle = '#16191d';
        if (line.measureText(text).width < right - left - 6) line.fillText(text, left + 4, top + 11);
      }
      top += 20;
    }
    line.font = `10px ${FONT}`;
    let free = 0;
    for (const { name, kind, atMs } of data.marks) {
      const at = axisX(atMs);
      line.fillStyle = kind === 'alarm' ? '#b3261e' : '#16191d';
      line.beginPath();
      line.moveTo(at, top);
      line.lineTo(at + 4, top + 8);
      line.lineTo(at - 4, top + 8);
      line.fill();
      if (at - 6 < free) continue;
      line.fillText(name, at - 5, top + 18);
      free = at + 6 * name.length;
    }
    line.fillStyle = '#16191d';
    line.fillRect(axisX(now) - 1, 14, 2, height);
    line.beginPath();
    line.arc(axisX(now), 15, 5, 0, 2 * Math.PI);
    line.fill();
  }

  // Words beside the map.
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
      const of = watched.find(({ fromMs, toMs }) => fromMs <= now && now < toMs);
      if (of?.state === 'watched') return [];
      return `${name}: ${of?.state === 'partly' ? 'watched in part' : 'not watched'}${of?.reason ? ` (${of.reason})` : ''}`;
    });
    const isOutside = now < windowMs[0] || now > windowMs[1];
    const text = [...missing, isOutside ? 'Outside the times of the incident' : []].flat().join('. ');
    if (text !== said) {
      said = text;
      status.textContent = text;
      status.hidden = text === '';
    }
    const isShown = new Set(shown.map(({ track }) => track.key));
    for (const button of rows) {
      const key = button.dataset.key as string;
      button.classList.toggle('now', isShown.has(key));
      button.setAttribute('aria-pressed', String(followed?.key === key));
    }
    card.hidden = !followed;
    if (!followed) return;
    const row = rowAt(followed, now);
    const parts: [string, string][] = [['Reference', followed.key.slice(1)]];
    if (row < followed.start)
      parts.push(['', `Not received yet; first at ${clock(all.time[followed.start] as number)}Z`]);
    else {
      const value = (steps: number, perUnit: number, unit: string) =>
        steps === NONE ? 'not reported' : `${Math.round((steps / perUnit) * 10) / 10}${unit}`;
      const ageS = Math.floor((now - (all.time[row] as number)) / 1000);
      const lon = (all.lon[row] as number) / steps.deg;
      const shownLon = lon >= TURN / 2 ? lon - TURN : lon < -TURN / 2 ? lon + TURN : lon;
      parts.push(
        [
          'Received',
          `${clock(all.time[row] as number)}Z, ${ageS < 100 ? `${ageS} s` : `${Math.floor(ageS / 60)} min`} before`,
        ],
        ['Place', `${((all.lat[row] as number) / steps.deg).toFixed(5)}, ${shownLon.toFixed(5)}`],
        ['height_agl_m', value(all.height[row] as number, steps.m, ' m')],
        ['altitude_m', value(all.altitude[row] as number, steps.m, ' m')],
        ['Speed', value(all.speed[row] as number, steps.mps, ' m/s')],
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

  // What the reader does.
  const play = byId<HTMLButtonElement>('play');
  function setPlaying(value: boolean): void {
    isPlaying = value;
    play.textContent = value ? 'Pause' : 'Play';
    isDirty = true;
  }
  function seek(ms: number): void {
    now = Math.max(keptMs[0], Math.min(keptMs[1], ms));
    isDirty = true;
  }
  function follow(track: Track | undefined): void {
    followed = track;
    isDirty = true;
    if (!track) return;
    const row = rowAt(track, now);
    if (row < track.start || now > expiryOf(track.kind, row) + limits[track.kind].expiredMs) {
      const first = data.tracks.find(({ key }) => key === track.key)?.firstMs;
      seek(first ?? (all.time[track.start] as number));
    }
    const at = Math.max(track.start, rowAt(track, now));
    [view.x, view.y] = [x[at] as number, y[at] as number];
  }
  play.addEventListener('click', () => {
    if (!isPlaying && now >= keptMs[1]) seek(windowMs[0]);
    setPlaying(!isPlaying);
  });
  for (const select of [speed, trail]) select.addEventListener('change', () => (isDirty = true));
  byId('fit').addEventListener('click', fit);
  byId('in').addEventListener('click', () => zoomBy(1.6));
  byId('out').addEventListener('click', () => zoomBy(1 / 1.6));
  byId('card-close').addEventListener('click', () => follow(undefined));
  for (const button of rows) {
    const track = byKey.get(button.dataset.key as string);
    button.addEventListener('click', () => follow(track === followed ? undefined : track));
  }
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-at]'))
    button.addEventListener('click', () => seek(Number(button.dataset.at)));

  const fingers = new Map<number, { x: number; y: number }>();
  let moved = 0;
  const placeOf = (event: PointerEvent | WheelEvent) => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, placeOf(event));
    if (fingers.size === 1) moved = 0;
  });
  canvas.addEventListener('pointermove', (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const at = placeOf(event);
    const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
    moved += Math.abs(at.x - before.x) + Math.abs(at.y - before.y);
    if (moved > 4) followed = undefined;
    if (other) {
      const spread = (one: { x: number; y: number }) => Math.max(20, Math.hypot(one.x - other.x, one.y - other.y));
      moveBy((before.x - at.x) / 2, (before.y - at.y) / 2);
      zoomBy(spread(at) / spread(before), (at.x + other.x) / 2, (at.y + other.y) / 2);
    } else moveBy(before.x - at.x, before.y - at.y);
    fingers.set(event.pointerId, at);
  });
  const lift = (event: PointerEvent) => {
    const at = fingers.get(event.pointerId);
    fingers.delete(event.pointerId);
    if (!at || moved > 4 || event.type !== 'pointerup') return;
    const near = shown
      .map((each) => ({ track: each.track, px: Math.hypot(each.atX - at.x, each.atY - at.y) }))
      .filter(({ px }) => px < 22)
      .sort((one, other) => one.px - other.px)[0];
    if (near) follow(near.track);
  };
  canvas.addEventListener('pointerup', lift);
  canvas.addEventListener('pointercancel', lift);
  canvas.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      const at = placeOf(event);
      zoomBy(2 ** (-event.deltaY / (event.deltaMode === 1 ? 8 : 300)), at.x, at.y);
    },
    { passive: false },
  );
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
      ArrowLeft: () => (onMap ? moveBy(-PAN_PX, 0) : seek(now - stepMs)),
      ArrowRight: () => (onMap ? moveBy(PAN_PX, 0) : seek(now + stepMs)),
      '+': () => zoomBy(1.6),
      '=': () => zoomBy(1.6),
      '-': () => zoomBy(1 / 1.6),
      Escape: () => follow(undefined),
    };
    if (onMap) [actions.ArrowUp, actions.ArrowDown] = [() => moveBy(0, -PAN_PX), () => moveBy(0, PAN_PX)];
    if (!isControl) actions[' '] = () => play.click();
    if (event.target === axis) [actions.Home, actions.End] = [() => seek(windowMs[0]), () => seek(windowMs[1])];
    const action = event.target instanceof HTMLSelectElement ? undefined : actions[event.key];
    if (!action) return;
    event.preventDefault();
    if (onMap && event.key.startsWith('Arrow')) followed = undefined;
    action();
  });

  let isFitted = false;
  function resize(): void {
    view.ratio = Math.max(1, Math.min(3, devicePixelRatio));
    for (const each of [canvas, axis]) {
      each.width = Math.round(each.clientWidth * view.ratio);
      each.height = Math.round(each.clientHeight * view.ratio);
    }
    [view.width, view.height] = [canvas.clientWidth, canvas.clientHeight];
    if (!isFitted && view.width > 0) {
      fit();
      isFitted = true;
    }
    isDirty = true;
  }
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
    if (isDirty) {
      isDirty = false;
      drawMap();
      drawAxis();
      drawWords();
    }
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}
