import 'server-only';
import type { TrackKind } from '#lib/model/position.ts';
import type { HeightField } from '#lib/zones/height-field.ts';
import type { GroundMap } from '../maps/ground-map.ts';
import type { groundPoints, Watched } from './incident-words.ts';
import type { eachJoin, Positions } from './replay-positions.ts';

/** Data of the page, without the positions. Times are ms since `baseMs`, which is `0` of the page's time. */
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
  /** Which height of which datum. */
  readonly heights: Readonly<Record<HeightField, string>>;
  readonly steps: { readonly deg: number; readonly m: number; readonly mps: number; readonly headingDeg: number };
  readonly groundSteps: number;
  readonly limits: Readonly<
    Record<TrackKind, { solidMs: number; dottedMs: number; fallbackTtlMs: number; expiredMs: number }>
  >;
  readonly expiredOpacity: number;
  readonly freshFraction: number;
}

export interface ReplayTrack {
  readonly key: string;
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly kind: TrackKind;
  readonly tags: string;
}

/** The map of replay.html: see replay-page.ts for how it gets into the page. */
export async function replayMap(
  canvas: HTMLCanvasElement,
  data: ReplayData,
  all: Positions,
  joins: typeof eachJoin,
  pointsOf: typeof groundPoints,
) {
  const { steps, limits } = data;
  const NONE = -0x80000000;
  const TURN = 360;
  const UNIT = 2 ** 20;
  const yOf = (lat: number) => 0.5 - Math.log(Math.tan(Math.PI / 4 + (lat * Math.PI) / TURN)) / (2 * Math.PI);
  const middleY = yOf(data.middle[1]);
  const toX = (lon: number) => ((lon - data.middle[0]) / TURN) * UNIT;
  const toY = (lat: number) => (yOf(Math.max(-85, Math.min(85, lat))) - middleY) * UNIT;
  const x = new Float32Array(all.time.length);
  const y = new Float32Array(all.time.length);
  const nameOf = new Map(data.tracks.map(({ key, name }) => [key, name]));
  const tracks: ReplayTrack[] = [];
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
  /** The latest position of a track at a time; below its start where there is none. */
  function rowAt({ start, end }: ReplayTrack, ms: number): number {
    let [low, high] = [start, end];
    while (low < high) {
      const half = (low + high) >>> 1;
      if ((all.time[half] as number) <= ms) low = half + 1;
      else high = half;
    }
    return low - 1;
  }

  const map = canvas.getContext('2d') as CanvasRenderingContext2D;
  const view = { x: 0, y: 0, scale: 0, width: 0, height: 0, ratio: 1 };
  const me = { followed: undefined as ReplayTrack | undefined, isDirty: true };
  const sources = document.getElementById('sources') as HTMLElement;
  let shown: { track: ReplayTrack; row: number; atX: number; atY: number }[] = [];

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
  const ofGround = (lines: readonly (readonly number[])[], isClosed: boolean) =>
    pathOf(
      lines.map((line) => pointsOf(line, data.groundSteps)),
      isClosed,
    );
  const { lines: groundLines, covered, places, airports, runwayEnds } = data.ground;
  const area = pathOf(data.rings, true);
  const ground = {
    land: ofGround(groundLines.land, true),
    lakes: ofGround(groundLines.lakes, true),
    rivers: ofGround(groundLines.rivers, false),
    coast: ofGround(groundLines.coast, false),
    borders: ofGround(groundLines.borders, false),
    runways: ofGround(groundLines.runways, false),
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
  function fitArea(): void {
    me.followed = undefined;
    view.x = (toX(west) + toX(east)) / 2;
    view.y = (toY(north) + toY(south)) / 2;
    view.scale = fitted();
    me.isDirty = true;
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
    me.isDirty = true;
  }
  const screenX = (at: number) => (at - view.x) * view.scale + view.width / 2;
  const screenY = (at: number) => (at - view.y) * view.scale + view.height / 2;

  const FONT = 'system-ui, -apple-system, "Segoe UI", "Liberation Sans", Arial, sans-serif';
  const LABELS_MAX = 250;
  let taken: [number, number, number, number][] = [];
  /** @returns whether there was room */
  function label(text: string, left: number, top: number, colour: string, font: string, isForced = false): boolean {
    map.font = font;
    const width = map.measureText(text).width + 4;
    if (!isForced && taken.length > LABELS_MAX) return false;
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
    // Beyond what the copy has of the ground.
    map.fillStyle = '#e6eaee';
    map.fillRect(0, 0, width, height);
    map.setTransform(
      ratio * scale,
      0,
      0,
      ratio * scale,
      ratio * (width / 2 - view.x * scale),
      ratio * (height / 2 - view.y * scale),
    );
    map.fillStyle = covered ? '#d5e4ef' : '#f6f5f1';
    map.fillRect(
      toX(limit.west),
      toY(limit.north),
      toX(limit.east) - toX(limit.west),
      toY(limit.south) - toY(limit.north),
    );
    map.fillStyle = '#f6f5f1';
    map.fill(ground.land, 'nonzero');
    map.fillStyle = '#d5e4ef';
    map.fill(ground.lakes);
    const stroke = (path: Path2D, colour: string, px: number, dash: number[] = []) => {
      map.lineWidth = px / scale;
      map.strokeStyle = colour;
      // Dashes of a long line that is far larger than the view take a second to draw.
      map.setLineDash(scale > fitted() * 4 ? [] : dash.map((each) => each / scale));
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
  function drawTrail({ start, kind, tags }: ReplayTrack, row: number, fromMs: number): void {
    const solid = new Path2D();
    const dotted = new Path2D();
    let [lastX, lastY, lastRow] = [0, 0, -1];
    joins(all.time, start, row, fromMs, limits[kind], (from, to, isDotted) => {
      const [atX, atY] = [screenX(x[to] as number), screenY(y[to] as number)];
      const path = isDotted ? dotted : solid;
      if (isDotted || lastRow !== from) {
        [lastX, lastY] = [screenX(x[from] as number), screenY(y[from] as number)];
        path.moveTo(lastX, lastY);
      } else if (to > start && Math.abs(atX - lastX) + Math.abs(atY - lastY) < 1) {
        // Too near to see: the next one continues from the last point that was drawn.
        lastRow = to;
        return;
      }
      path.lineTo(atX, atY);
      [lastX, lastY, lastRow] = [atX, atY, isDotted ? -1 : to];
    });
    map.strokeStyle = tags === '' ? '#123f73' : '#7a3d00';
    map.lineWidth = 1.4;
    map.stroke(solid);
    map.setLineDash([1.5, 4]);
    map.stroke(dotted);
    map.setLineDash([]);
  }

  const ARMS = new Path2D('M-7 -7L7 7M7 -7L-7 7');
  const SQUARE = new Path2D('M-4 -4h8v8h-8z');
  const DART = new Path2D('M0 -10L6.5 8L0 4L-6.5 8z');
  const RING = new Path2D('M5 0A5 5 0 1 1 -5 0A5 5 0 1 1 5 0z');

  /** A dart is an aircraft, a square with four arms a drone; without a heading, an aircraft is a ring. */
  function drawMark({ kind, tags }: ReplayTrack, row: number, atX: number, atY: number, opacity: number): void {
    const isHollow = opacity === data.expiredOpacity;
    const headingDeg = all.heading[row] as number;
    const colour = tags === '' ? '#123f73' : '#7a3d00';
    map.save();
    map.translate(atX, atY);
    map.globalAlpha = opacity;
    map.lineWidth = kind === 'drone' ? 2 : 1.6;
    map.strokeStyle = isHollow || kind === 'drone' ? colour : '#fff';
    map.fillStyle = isHollow ? 'rgba(255,255,255,.6)' : colour;
    if (kind === 'drone') map.stroke(ARMS);
    else if (headingDeg !== NONE) map.rotate((headingDeg / steps.headingDeg / 180) * Math.PI);
    const shape = kind === 'drone' ? SQUARE : headingDeg === NONE ? RING : DART;
    map.fill(shape);
    map.stroke(shape);
    map.restore();
  }

  const heightText = (row: number) => {
    const [height, altitude] = [all.height[row] as number, all.altitude[row] as number];
    if (height !== NONE) return `${Math.round(height / steps.m)} m above ground`;
    return altitude === NONE ? 'height not reported' : `altitude ${Math.round(altitude / steps.m)} m`;
  };
  const expiryOf = (kind: TrackKind, row: number) => {
    const ttl = all.ttl[row] as number;
    return (all.time[row] as number) + (ttl === NONE ? limits[kind].fallbackTtlMs : ttl);
  };

  function drawMap(now: number, trailMs: number, isFollowing: boolean): void {
    const present: { track: ReplayTrack; row: number; expiresMs: number }[] = [];
    for (const track of tracks) {
      if ((all.time[track.start] as number) > now) continue;
      const row = rowAt(track, now);
      const expiresMs = expiryOf(track.kind, row);
      if (now < expiresMs + limits[track.kind].expiredMs) present.push({ track, row, expiresMs });
    }
    const ofFollowed = me.followed && rowAt(me.followed, now);
    if (me.followed && ofFollowed !== undefined && ofFollowed >= me.followed.start && isFollowing)
      [view.x, view.y] = [x[ofFollowed] as number, y[ofFollowed] as number];
    drawGround();
    taken = [
      [view.width - sources.offsetWidth, view.height - sources.offsetHeight, sources.offsetWidth, sources.offsetHeight],
      [0, view.height - 36, 170, 36],
    ];
    for (const { track, row } of present) if (track !== me.followed) drawTrail(track, row, now - trailMs);
    if (me.followed && ofFollowed !== undefined && ofFollowed >= me.followed.start)
      drawTrail(me.followed, ofFollowed, Number.NEGATIVE_INFINITY);
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
      if (track === me.followed) {
        map.strokeStyle = '#16191d';
        map.lineWidth = 1.5;
        map.beginPath();
        map.arc(atX, atY, 15, 0, 2 * Math.PI);
        map.stroke();
      }
      drawMark(track, row, atX, atY, opacity);
      const text = `${track.name} ${track.tags}`.trim();
      const write = (right: number, down: number, isForced: boolean) =>
        label(text, atX + right, atY + down, '#16191d', `700 11px ${FONT}`, isForced);
      const sides = [-12, 3, -27].flatMap((down) => [[11, down] as const, [-15 - 7 * text.length, down] as const]);
      const side = sides.find(([right, down]) => write(right, down, false));
      // A mark always shows SIM and TEST.
      if (!side && (track.tags !== '' || track === me.followed)) write(11, -12, true);
      if (side && (hasHeights || track === me.followed))
        label(heightText(row), atX + side[0], atY + side[1] + 13, '#3a424b', `10.5px ${FONT}`);
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
    map.stroke(new Path2D(`M${left} ${bottom - 5}v5h${width}v-5`));
    label(
      `${metres >= 1000 ? `${metres / 1000} km` : `${metres} m`}  ·  north is up`,
      left + 2,
      bottom - 20,
      '#16191d',
      `11px ${FONT}`,
      true,
    );
  }

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
    if (moved > 4) me.followed = undefined;
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
    if (near) me.followed = near.track;
    me.isDirty = true;
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

  function resize(ratio: number): void {
    Object.assign(view, { ratio, width: canvas.clientWidth, height: canvas.clientHeight });
    canvas.width = Math.round(view.width * ratio);
    canvas.height = Math.round(view.height * ratio);
    if (view.scale === 0 && view.width > 0) fitArea();
    me.isDirty = true;
  }

  return {
    tracks,
    /** `isDirty`: it looks other than it was drawn. */
    state: me,
    /** The keys of the tracks whose marks are in view. */
    shownKeys: () => new Set(shown.map(({ track }) => track.key)),
    rowAt,
    isPresent: (track: ReplayTrack, ms: number) => {
      const row = rowAt(track, ms);
      return row >= track.start && ms < expiryOf(track.kind, row) + limits[track.kind].expiredMs;
    },
    centreOn: (row: number) => {
      [view.x, view.y] = [x[row] as number, y[row] as number];
      me.isDirty = true;
    },
    fit: fitArea,
    zoomBy,
    moveBy,
    resize,
    draw: drawMap,
  };
}
