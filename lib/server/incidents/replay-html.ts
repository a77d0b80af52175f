import 'server-only';
import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import { nearestCopy } from '#lib/geo/longitude.ts';
import { watchText } from '#lib/incidents/incident-text.ts';
import { AGEING, EXPIRED_OPACITY, FRESH_FRACTION } from '#lib/model/ageing.ts';
import { dateTimeText } from '#lib/model/clock-text.ts';
import { KIND_OF_LAYER, type TrackKind } from '#lib/model/position.ts';
import { numberField } from '#lib/model/record-fields.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import { TRAIL_LIMITS } from '#lib/picture/trail-joins.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { HEIGHT_FIELD_TEXT } from '#lib/zones/height-field.ts';
import { shapeOutline } from '#lib/zones/shape-outline.ts';
import { GROUND_STEPS, groundMap } from '../maps/ground-map.ts';
import {
  areaInWords,
  aroundOf,
  dataBlock,
  eventsOf,
  flags,
  groundPoints,
  html,
  keptTimes,
  layerWords,
  markLabels,
  notRealText,
  pageStart,
  windowOf,
} from './incident-words.ts';
import { type KeptPosition, keptPositions } from './kept-positions.ts';
import { type ReplayData, replayMap } from './replay-map.ts';
import { replayPage } from './replay-page.ts';
import { decodeBlock, eachJoin, readPositions } from './replay-positions.ts';
import type { SealedMaterial } from './sealed-material.ts';

const deflate = promisify(deflateRaw);

/** Packing them takes some 20 ms, in which other requests wait. */
const CHUNK_ROWS = 8192;
/** More would be no list for a person; all positions are drawn. */
const TRACKS_LISTED_MAX = 1000;
const STEPS = {
  deg: numberField('lon').stepsPerUnit,
  m: numberField('altitudeM').stepsPerUnit,
  mps: numberField('speedMps').stepsPerUnit,
  headingDeg: numberField('headingDeg').stepsPerUnit,
} as const;

/** A page that plays the incident, without network or other files. Positions are packed as they are read. */
export async function* replayHtml(material: SealedMaterial): AsyncGenerator<string> {
  const { incident } = material;
  const data = await replayData(material);
  const script = `(${replayPage})(${replayMap},${readPositions},${decodeBlock},${eachJoin},${groundPoints},${markLabels});`;
  yield pageStart(`Incident ${incident.number}: replay`, STYLE, script);
  yield body(material, data);
  yield `<script type="application/json" id="data">${dataBlock(data)}</script>\n`;
  const middleLon = data.middle[0];
  let waiting: KeptPosition[] = [];
  for await (const rows of keptPositions(material.positions())) {
    for (const row of rows) waiting.push(row);
    if (waiting.length < CHUNK_ROWS) continue;
    yield await block(waiting, data.baseMs, middleLon);
    waiting = [];
  }
  if (waiting.length > 0) yield await block(waiting, data.baseMs, middleLon);
  yield `<script>${script}</script>\n</body>\n</html>\n`;
}

async function block(rows: KeptPosition[], baseMs: number, middleLon: number): Promise<string> {
  const bytes = await deflate(packed(rows, baseMs, middleLon));
  return `<script type="application/octet-stream" class="chunk">${bytes.toString('base64')}</script>\n`;
}

/**
 * Rows of one track together, each column as differences in LEB128; "not reported" is 0 in those that may lack a value.
 * `decodeBlock` reads it.
 */
function packed(rows: KeptPosition[], baseMs: number, middleLon: number): Uint8Array {
  const keyOf = ({ isDrone, ref }: KeptPosition) => trackKey(isDrone ? 'drone' : 'aircraft', ref);
  const byTrack = Map.groupBy(rows, keyOf);
  const runs = Array.from(byTrack, ([key, its]) => [key, its.length] as const);
  const inOrder = [...byTrack.values()].flatMap((its) => its.sort((one, next) => one.atMs - next.atMs));
  const head = Buffer.from(JSON.stringify(runs));
  const bytes = new Uint8Array(4 + head.byteLength + rows.length * ROW_BYTES_MAX);
  new DataView(bytes.buffer).setUint32(0, head.byteLength, true);
  bytes.set(head, 4);
  let at = 4 + head.byteLength;
  const put = (value: number) => {
    let rest = value;
    while (rest > 127) {
      bytes[at++] = (rest & 127) | 128;
      rest = Math.floor(rest / 128);
    }
    bytes[at++] = rest;
  };
  const column = (isNullable: boolean, stepsOf: (row: KeptPosition) => number | null) => {
    let last = 0;
    for (const row of inOrder) {
      const value = stepsOf(row);
      if (value === null) {
        put(0);
        continue;
      }
      const step = Math.max(-STEP_MAX, Math.min(STEP_MAX, Math.round(value)));
      const difference = step - last;
      last = step;
      put((difference < 0 ? -2 * difference - 1 : 2 * difference) + (isNullable ? 1 : 0));
    }
  };
  const scaled = (value: number | null, perUnit: number) => (value === null ? null : value * perUnit);
  column(false, ({ atMs }) => atMs - baseMs);
  column(false, ({ lon }) => nearestCopy(lon, middleLon) * STEPS.deg);
  column(false, ({ lat }) => lat * STEPS.deg);
  column(true, ({ altitudeM }) => scaled(altitudeM, STEPS.m));
  column(true, ({ heightAglM }) => scaled(heightAglM, STEPS.m));
  column(true, ({ speedMps }) => scaled(speedMps, STEPS.mps));
  column(true, ({ headingDeg }) => scaled(headingDeg, STEPS.headingDeg));
  column(true, ({ staleAfterMs, atMs }) => (staleAfterMs === null ? null : staleAfterMs - atMs));
  for (const { isInside, simulated, test } of inOrder)
    bytes[at++] = (isInside ? 1 : 0) | (simulated ? 2 : 0) | (test ? 4 : 0);
  return bytes.subarray(0, at);
}

/** Eight numbers of at most five bytes, and flags. */
const ROW_BYTES_MAX = 41;
/** The difference of any two fits 32 bits. */
const STEP_MAX = 2 ** 30 - 1;

function trackKey(kind: TrackKind, ref: string): string {
  return `${kind === 'drone' ? 'd' : 'a'}${ref}`;
}

async function replayData(material: SealedMaterial): Promise<ReplayData> {
  const { incident } = material;
  const layers = layerWords(material);
  const [fromMs, toMs] = windowOf(incident);
  const { bounds, around } = aroundOf(incident.shape);
  const keptMs = keptTimes(incident, layers);
  const limits = (kind: TrackKind) => ({ ...TRAIL_LIMITS[kind], ...AGEING[kind] });
  return {
    baseMs: fromMs,
    keptMs: [keptMs[0] - fromMs, keptMs[1] - fromMs],
    windowMs: [0, toMs - fromMs],
    positions: incident.kept?.positions ?? 0,
    middle: [(bounds.west + bounds.east) / 2, (bounds.south + bounds.north) / 2],
    bounds: [bounds.west, bounds.south, bounds.east, bounds.north],
    rings: shapeOutline(incident.shape).flat(),
    ground: await groundMap(around),
    layers: layers.map(({ layer, watched }) => ({
      name: layer === 'rid' ? 'Drones' : 'Aircraft',
      watched: watched.map((each) => ({
        ...each,
        fromMs: each.fromMs - fromMs,
        toMs: each.toMs - fromMs,
      })),
    })),
    tracks: layers.flatMap(({ layer, tracks }) =>
      tracks.map(({ name, track, first_at }) => ({
        name,
        key: trackKey(KIND_OF_LAYER[layer], track),
        firstMs: Date.parse(first_at) - fromMs,
      })),
    ),
    marks: eventsOf(material).map(({ name, kind, atMs }) => ({ name, kind, atMs: atMs - fromMs })),
    heights: HEIGHT_FIELD_TEXT,
    steps: STEPS,
    groundSteps: GROUND_STEPS,
    limits: { drone: limits('drone'), aircraft: limits('aircraft') },
    expiredOpacity: EXPIRED_OPACITY,
    freshFraction: FRESH_FRACTION,
  };
}

function body(material: SealedMaterial, { ground, keptMs, baseMs }: ReplayData): string {
  const { incident } = material;
  const layers = layerWords(material);
  const notReal = notRealText(layers);
  const clock = (at: string | number) => new Date(at).toISOString().slice(11, 19);
  const named = layers.flatMap(({ layer, tracks }) => tracks.map((track) => ({ layer, track })));
  const tracks = named.slice(0, TRACKS_LISTED_MAX).map(({ layer, track }) => {
    return `<li><button type="button" disabled aria-pressed="false" data-key="${html(trackKey(KIND_OF_LAYER[layer], track.track))}"><b>${track.name}</b> …${html(shortReference(track.track))}${flags(track)} <span>${clock(track.first_at)}–${clock(track.last_at)}Z</span></button></li>`;
  });
  const more = named.length - tracks.length;
  const listed = eventsOf(material).map(
    ({ atMs, name, text }) =>
      `<li><button type="button" disabled data-at="${atMs - baseMs}"><b>${name}</b> ${clock(atMs)}Z <bdi>${html(text)}</bdi></button></li>`,
  );
  const missing = layers.flatMap(({ name, answer }) =>
    answer.not_watched.map(
      ({ from, to, reason }) =>
        `<li><button type="button" disabled data-at="${Date.parse(from) - baseMs}">${html(name)} ${clock(from)}–${clock(to)}Z. ${html(watchText({ reason }))}</button></li>`,
    ),
  );
  const section = (title: string, rows: readonly string[], none: string) =>
    `<h2>${title}</h2>${rows.length === 0 ? `<p>${none}</p>` : `<ul>${rows.join('')}</ul>`}`;
  return `<body>
<header><h1>${html(incident.number)} <bdi>${html(incident.title)}</bdi></h1>${notReal === '' ? '' : `<b class="flag">${notReal}</b>`}<output id="clock">${dateTimeText(upstreamInstant(baseMs), 'utc')}</output></header>
<main>
<div id="stage"><canvas id="map" tabindex="0" role="img" aria-label="Map. Arrow keys move it, plus and minus zoom."></canvas>
<p id="status" role="status">Reading positions…</p>
<noscript><p id="unscripted">This page needs JavaScript. report.html has the same without it.</p></noscript>
<div id="zoom"><button type="button" disabled id="in" aria-label="Zoom in">+</button><button type="button" disabled id="out" aria-label="Zoom out">−</button><button type="button" disabled id="fit">Area</button></div>
<section id="card" hidden aria-label="Followed track"><button type="button" id="card-close" aria-label="Stop following">×</button><h2 id="card-name"></h2><dl id="card-rows"></dl></section>
<p id="sources">${ground.covered ? html(ground.attribution) : 'No coast on this copy'}</p></div>
<div id="time"><div id="controls"><button type="button" disabled id="play">Play</button>
<label>Speed <select id="speed">${[1, 2, 5, 10, 30, 60, 120, 300, 600].map((each) => `<option value="${each}"${each === 10 ? ' selected' : ''}>${each}×</option>`).join('')}</select></label>
<label>Trails <select id="trail"><option value="60">1 min</option><option value="300" selected>5 min</option><option value="900">15 min</option></select></label>
<span id="keys">Space plays, ← → move 10 s, with Shift 1 min</span></div>
<canvas id="axis" class="rows${layers.length}" tabindex="0" role="slider" aria-label="Time" aria-valuemin="${Math.floor(keptMs[0] / 1000)}" aria-valuemax="${Math.ceil(keptMs[1] / 1000)}" aria-valuenow="0"></canvas></div>
<aside>
${layers.map(({ name, headline, details }) => `<p class="answer">${html(name)}<br><b>${html(headline)}</b><br>${details.map((text) => `<span>${html(text)}</span><br>`).join('')}</p>`).join('')}
${section('Tracks received inside', tracks, 'None.')}${more > 0 ? `<p>${more} more: tracks.csv.</p>` : ''}
${section('Not watched', missing, 'Nothing: all the time was watched.')}
${section('Alarms and notes', listed, 'None.')}
<h2>Marks</h2>
<p>A dart is an aircraft, a ring an aircraft without a heading, a square with four arms a drone. Marks that are no real traffic say SIM or TEST. Old positions fade, become hollow, and go. A line joins positions only where a track was received; dotted is a short break. A height above ground is estimated; the datum (zero level) of an altitude is not stated. A value that was not reported is never zero. Times are UTC (universal time), written with a Z.</p>
<p><bdi>${html(areaInWords(incident))}</bdi> Positions up to 2 km around it are shown too. Nothing here says that the area was empty: report.html says what this record can and cannot say.</p>
</aside>
</main>
`;
}

const STYLE = `
:root{color-scheme:light only}
*{box-sizing:border-box}
html,body{height:100%}
body{display:flex;flex-direction:column;margin:0;background:#fff;color:#16191d;font:14px/1.4 system-ui,-apple-system,"Segoe UI","Liberation Sans",Arial,sans-serif}
[hidden]{display:none!important}
header{display:flex;gap:16px;align-items:baseline;justify-content:space-between;padding:8px 14px;border-bottom:1px solid #cdd3d9}
h1{margin:0;font-size:17px;line-height:1.25;overflow-wrap:anywhere}
#clock{font-size:19px;font-weight:700;font-variant-numeric:tabular-nums;white-space:nowrap}
main{flex:1;min-height:0;display:grid;grid-template:minmax(0,1fr) auto/minmax(0,1fr) 310px}
#stage{position:relative;min-height:0;overflow:hidden}
#map{display:block;width:100%;height:100%;touch-action:none;cursor:grab}
#map:active{cursor:grabbing}
:focus-visible{outline:3px solid #1658a8;outline-offset:-3px}
#status,#unscripted{position:absolute;top:10px;left:10px;max-width:calc(100% - 80px);margin:0;padding:5px 10px;background:#16191d;color:#fff;font-weight:600}
#unscripted{top:50px}
#zoom{position:absolute;top:10px;right:10px;display:grid;gap:4px;justify-items:end}
button,select{min-height:34px;padding:0 10px;border:1px solid #59636e;border-radius:3px;background:#fff;color:#16191d;font:inherit;cursor:pointer}
button:disabled{opacity:.6;cursor:default}
#in,#out{width:34px;padding:0;font-size:18px}
#sources{position:absolute;right:0;bottom:0;margin:0;padding:1px 6px;max-width:70%;background:rgba(255,255,255,.8);font-size:10.5px;color:#3a424b;text-align:right}
#card{position:absolute;left:10px;bottom:44px;width:290px;padding:8px 12px;background:#fff;border:1px solid #16191d}
#card h2{margin:0 30px 4px 0}
#card-close{position:absolute;top:4px;right:4px;min-height:28px;width:28px;padding:0;border:0;font-size:18px}
dt::first-letter{text-transform:uppercase}dl{display:grid;grid-template-columns:1fr 1fr;gap:1px 10px;margin:0;font-size:12.5px}dt{color:#4d5661}dd{margin:0;overflow-wrap:anywhere;font-variant-numeric:tabular-nums}
#time{grid-column:1;padding:8px 14px 10px;border-top:1px solid #cdd3d9}
#controls{display:flex;flex-wrap:wrap;gap:6px 14px;align-items:center;margin-bottom:6px}
#play{min-width:84px;background:#16191d;color:#fff;font-weight:600}
#keys{color:#4d5661;font-size:12.5px}
#axis{display:block;width:100%;height:62px;touch-action:none;cursor:ew-resize}
#axis.rows2{height:82px}
aside{grid-column:2;grid-row:1/3;overflow-y:auto;padding:10px 14px 20px;border-left:1px solid #cdd3d9}
aside p{margin:0 0 8px;font-size:12.5px;color:#3a424b}
aside .answer{color:#16191d;font-size:14px}.answer b{font-size:15px}.answer span{font-size:12.5px;color:#3a424b}
h2{margin:14px 0 4px;font-size:14px}
ul{margin:0;padding:0;list-style:none}
li button{display:block;width:100%;min-height:32px;padding:4px 6px;border:0;border-bottom:1px solid #e6eaee;border-radius:0;text-align:left;font-size:12.5px;overflow-wrap:anywhere}
li button span{float:right;color:#4d5661;font-variant-numeric:tabular-nums}
li button:hover{background:#f2f4f6}
li button.now{box-shadow:inset 4px 0 #123f73;padding-left:10px}
li button[aria-pressed=true]{background:#dde8f1}
.flag{padding:0 4px;border:1px solid #16191d;font-size:11px}header .flag{display:inline-block;border:2px solid #7a3d00;background:#fdf3e7;font-size:12.5px}
@media (max-width:760px){header{display:block;padding:6px 12px}h1{font-size:15px}#clock{display:block;font-size:17px}main{grid-template:minmax(0,1fr) auto 32vh/minmax(0,1fr)}#time{padding:6px 12px}#controls{gap:6px 8px;font-size:13px}#controls select{padding:0 2px}#play{min-width:66px;padding:0 6px}#keys{display:none}aside{grid-column:1;grid-row:3;border:0;border-top:1px solid #cdd3d9}#card{width:auto;right:60px;bottom:46px;padding:4px 10px;font-size:12px}dl{gap:0 6px;font-size:11px}li button{min-height:44px}#sources{font-size:8.5px;max-width:60%}}
`;
