import { createHash } from 'node:crypto';
import { runInNewContext, Script } from 'node:vm';
import { expect, test, vi } from 'vitest';
import { TRAIL_LIMITS } from '#lib/picture/trail-joins.ts';
import { seededUnit } from '#lib/random/seeded-random.ts';
import { csvRows } from '#lib/text/csv.ts';
import { groundPoints, markLabels } from './incident-words.ts';
import { type KeptPosition, keptPositions } from './kept-positions.ts';
import { replayHtml } from './replay-html.ts';
import { type ReplayData, replayMap } from './replay-map.ts';
import { replayPage } from './replay-page.ts';
import { decodeBlock, eachJoin, readPositions } from './replay-positions.ts';
import { TracksDrawn } from './report-drawings.ts';
import { reportHtml } from './report-html.ts';
import { INCIDENT_FROM, type Received, received, sealedMaterial } from './sealed-material.fixture.ts';

const FROM_MS = Date.parse(INCIDENT_FROM);
const SECOND = 1000;
const MINUTE = 60_000;
const at = (minutes: number) => new Date(FROM_MS + minutes * MINUTE).toISOString();
const ref = (kind: 'A' | 'D', number: number) => `OBS-${kind}-${number.toString(16).toUpperCase().padStart(16, '0')}`;

async function textOf(parts: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const part of parts) text += part;
  return text;
}

/** A second of each of the tracks, every five seconds. */
function traffic(tracks: number, seconds: number): Received[] {
  let drawn = 0;
  const random = () => seededUnit(7, drawn++);
  return Array.from({ length: tracks }, (_, track) => {
    const isDrone = track % 2 === 0;
    return Array.from({ length: Math.ceil(seconds / 5) }, (_, step) => ({
      ...received,
      layer: isDrone ? ('rid' as const) : ('adsb' as const),
      isDrone,
      ref: ref(isDrone ? 'D' : 'A', track),
      atMs: FROM_MS + step * 5 * SECOND + Math.floor(random() * 1000),
      lon: Number((8.53 + random() * 0.04).toFixed(6)),
      lat: Number((47.43 + random() * 0.04).toFixed(6)),
      altitudeM: random() < 0.3 ? null : Number((random() * 3000 - 50).toFixed(2)),
      heightAglM: random() < 0.5 ? null : 0,
      speedMps: random() < 0.2 ? null : Number((random() * 250).toFixed(2)),
      headingDeg: random() < 0.2 ? null : Number((random() * 360).toFixed(1)),
      staleAfterMs: random() < 0.5 ? null : FROM_MS + step * 5 * SECOND + 20_000,
      simulated: track === 2,
      test: track === 4,
    }));
  }).flat();
}

function blocksOf(page: string): string[] {
  return Array.from(
    page.matchAll(/<script type="application\/octet-stream" class="chunk">([^<]*)</g),
    ([, text]) => text as string,
  );
}

test('the page of the replay decodes every position of positions.csv, in the order of time of each track', async () => {
  const positions = traffic(20, 1800);
  // Parts of the past arrive in any order.
  const shuffled = [...positions].sort((one, next) => Math.sin(one.atMs) - Math.sin(next.atMs));
  const material = sealedMaterial({ positions: shuffled });
  const read = await readPositions(blocksOf(await textOf(replayHtml(material))), decodeBlock, () => undefined);
  const reported = (steps: number | undefined, perUnit: number) =>
    steps === -0x80000000 ? null : (steps ?? Number.NaN) / perUnit;
  const decoded = read.tracks.flatMap(({ key, start, end }) =>
    Array.from({ length: end - start }, (_, index) => {
      const row = start + index;
      return {
        ref: key.slice(1),
        atMs: FROM_MS + (read.time[row] as number),
        lon: (read.lon[row] as number) / 1e6,
        lat: (read.lat[row] as number) / 1e6,
        altitudeM: reported(read.altitude[row], 100),
        heightAglM: reported(read.height[row], 100),
        speedMps: reported(read.speed[row], 100),
        headingDeg: reported(read.heading[row], 10),
        ttlMs: reported(read.ttl[row], 1),
        flags: read.flags[row],
      };
    }),
  );
  const rows: KeptPosition[] = [];
  for await (const some of keptPositions(material.positions())) rows.push(...some);
  const expected = rows
    .map(
      ({
        ref,
        atMs,
        lon,
        lat,
        altitudeM,
        heightAglM,
        speedMps,
        headingDeg,
        staleAfterMs,
        isInside,
        simulated,
        test,
      }) => ({
        ref,
        atMs,
        lon,
        lat,
        altitudeM,
        heightAglM,
        speedMps,
        headingDeg,
        ttlMs: staleAfterMs === null ? null : staleAfterMs - atMs,
        flags: (isInside ? 1 : 0) | (simulated ? 2 : 0) | (test ? 4 : 0),
      }),
    )
    .sort((one, next) => one.atMs - next.atMs);
  expect(rows).toHaveLength(positions.length);
  for (const { start, end } of read.tracks)
    for (let row = start + 1; row < end; row++)
      expect(read.time[row]).toBeGreaterThanOrEqual(read.time[row - 1] as number);
  const byTime = decoded.toSorted((one, next) => one.atMs - next.atMs || (one.ref < next.ref ? -1 : 1));
  expect(byTime).toEqual(expected.toSorted((one, next) => one.atMs - next.atMs || (one.ref < next.ref ? -1 : 1)));
});

test('the replay packs positions as they stream, some thousands at a time', async () => {
  const ROWS = 400_000;
  let [waiting, most, given] = [0, 0, 0];
  async function* stream(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(
      'layer,inside,public_track_id,track_kind,observed_at,stale_after,longitude,latitude,altitude_m,height_agl_m,speed_mps,heading_deg,simulated,test_broadcast\r\n',
    );
    while (given < ROWS) {
      const rows = Array.from({ length: 5000 }, (_, index) => {
        const row = given + index;
        const time = new Date(FROM_MS + row * 10).toISOString();
        return [
          'rid',
          true,
          ref('D', row % 300),
          'drone',
          time,
          null,
          8.55 + (row % 1000) / 1e6,
          47.45,
          null,
          (row % 120) + 0.5,
          3.1,
          row % 360,
          false,
          false,
        ];
      });
      given += rows.length;
      waiting += rows.length;
      most = Math.max(most, waiting);
      yield Buffer.from(csvRows(rows));
    }
  }
  const before = process.cpuUsage();
  let bytes = 0;
  let decoded = 0;
  for await (const part of replayHtml({ ...sealedMaterial({ positions: [] }), positions: stream })) {
    bytes += part.length;
    if (!part.includes('class="chunk"')) continue;
    waiting = 0;
    const read = await readPositions(blocksOf(part), decodeBlock, () => undefined);
    decoded += read.time.length;
  }
  const { user, system } = process.cpuUsage(before);
  const perSecond = ROWS / ((user + system) / 1e6);
  expect(decoded).toBe(ROWS);
  // Fewer rows than two blocks wait to be packed, whatever their number.
  expect(most).toBeLessThan(2 * 32_768);
  expect(bytes / ROWS).toBeLessThan(24);
  // By processor time: 5 million in some minutes.
  expect(perSecond).toBeGreaterThan(20_000);
});

test('the page without its positions is far below 1 MB', async () => {
  const page = await textOf(replayHtml(sealedMaterial({ positions: [] })));
  expect(page.length).toBeLessThan(400_000);
});

test('the script of the replay is whole: it compiles on its own, is allowed by its hash, and evaluates no text', async () => {
  const page = await textOf(replayHtml(sealedMaterial({ positions: traffic(2, 60) })));
  const script = /<script>([\s\S]*?)<\/script>/.exec(page)?.[1] as string;
  const hash = createHash('sha256').update(script).digest('base64');
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1];
  expect(policy).toContain(`default-src 'none'`);
  expect(policy).toContain(`script-src 'sha256-${hash}'`);
  expect(policy).not.toContain('unsafe');
  expect(script).not.toMatch(/\beval\b|new Function|https?:|__vite|import\(/);
  expect(page).not.toMatch(/\son\w+=|\sstyle=|\ssrc=|\shref=/);
  // Fails at the document, which is the first thing it needs: nothing else is missing.
  expect(() => runInNewContext(script.replace(/;$/, '.catch(() => undefined)'), {})).not.toThrow();
});

test.each([replayPage, replayMap, readPositions, decodeBlock, eachJoin, groundPoints, markLabels])(
  'a function of the page is JavaScript that needs no module (case %#)',
  (written) => {
    expect(() => new Script(`(${written})`)).not.toThrow();
    expect(String(written)).not.toMatch(/__vite|__name\(|_interop|\brequire\(/);
  },
);

test.each([
  ['solid up to its limit', TRAIL_LIMITS.aircraft.solidMs, [[1, 0, false]]],
  ['dotted beyond', TRAIL_LIMITS.aircraft.solidMs + 1, [[1, 0, true]]],
  ['dotted as long as a mark stays', TRAIL_LIMITS.aircraft.dottedMs, [[1, 0, true]]],
  ['not at all over a longer time', TRAIL_LIMITS.aircraft.dottedMs + 1, []],
])('a trail joins two positions %s', (_, gapMs, expected) => {
  const joined: unknown[] = [];
  eachJoin(Int32Array.of(0, gapMs), 0, 1, -1, TRAIL_LIMITS.aircraft, (from, to, isDotted) =>
    joined.push([from, to, isDotted]),
  );
  expect(joined).toEqual(expected);
});

/** The lines of one class, each as a list of its runs of points. */
function drawnRuns(report: string, kind: string): string[] {
  const path = new RegExp(`<path class="${kind}" d="([^"]*)"`).exec(report)?.[1] ?? '';
  return path.split('M').filter((run) => run !== '');
}

test('the map of the report joins nothing over a time without reception', async () => {
  const flight = (fromS: number, lon: number) =>
    Array.from({ length: 30 }, (_, second) => ({
      ...received,
      atMs: FROM_MS + (fromS + second) * SECOND,
      lon: lon + second / 1e4,
    }));
  const gapS = TRAIL_LIMITS.drone.dottedMs / SECOND + 1;
  const report = await textOf(
    reportHtml(sealedMaterial({ positions: [...flight(600, 8.54), ...flight(630 + gapS, 8.55)] })),
  );
  expect(drawnRuns(report, 'in')).toHaveLength(2);
  expect(report).not.toContain('class="in dots"');
  expect(report.match(/class="life"/g)).toHaveLength(2);
});

test('the drawings of the report keep a bounded number of positions', () => {
  const drawn = new TracksDrawn([], 90 * MINUTE);
  for (let row = 0; row < 300_000; row++)
    drawn.add({ ...received, isInside: false, ref: ref('D', row % 2000), atMs: FROM_MS + row * 18 });
  const points = [...drawn.tracks.values()].reduce((sum, track) => sum + track.points.size, 0);
  expect(drawn.isCut).toBe(true);
  expect(drawn.tracks.size).toBe(1500);
  expect(points).toBeLessThanOrEqual(40_000);
  expect(points).toBeGreaterThan(10_000);
});

test('the numbers of the report are those of the answer, with simulated and test tracks apart', async () => {
  const material = sealedMaterial({
    positions: traffic(9, 1200),
    notWatched: [
      { layer: 'rid', from: at(40), to: at(52), reason: 'receivers_lost' },
      { layer: 'adsb', from: at(10), to: at(17.5), reason: 'receivers_partly' },
    ],
  });
  const report = await textOf(reportHtml(material));
  const { rid, adsb } = material.answer.layers;
  expect(rid?.tracks).toHaveLength(5);
  expect(report).toContain('Received: 3 tracks');
  expect(report).toContain('Not known: 12 of 90 min were not watched.');
  expect(report).toContain('1 simulated track (SIM)');
  expect(report).toContain('1 test track (TEST)');
  expect(report).toContain(`Received: ${adsb?.tracks.length} tracks`);
  expect(report).toContain('7.5 of 90 min were watched only in part');
  expect(report).not.toMatch(/\bclear\b/i);
  for (const { track, positions } of [...(rid?.tracks ?? []), ...(adsb?.tracks ?? [])])
    expect(report).toMatch(new RegExp(`<code>${track}</code>.*<td class="n">${positions}</td>`));
  expect(report).toContain('all receivers were down');
});

test('the report says what would have been received, of the signals of the incident', async () => {
  const report = await textOf(reportHtml(sealedMaterial({ incident: { layers: ['rid'] }, positions: [received] })));
  expect(report).toContain('Would it have been received?');
  expect(report).toContain(
    'Below 60 m above ground here, drones were received in 10% of the 10 h between first and last receptions.',
  );
  expect(report).not.toContain('no aircraft was received');
});

test('a simulated track alone is named as no real traffic', async () => {
  const positions = [{ ...received, simulated: true }];
  const report = await textOf(reportHtml(sealedMaterial({ incident: { layers: ['rid'] }, positions })));
  expect(report).toContain('<p class="headline">Received: 1 simulated track (SIM)</p><p>All of the');
  expect(report).toContain('<p>No other track was received.</p>');
});

test('a height that was not reported is never zero', async () => {
  const report = await textOf(reportHtml(sealedMaterial({ positions: [received] })));
  expect(report).toMatch(/<td>not reported<\/td>/);
});

test('the report lists times in which the zone was not watched for alarms', async () => {
  const material = sealedMaterial({ positions: [] });
  const watched = [...material.watched, ['alarms', 'rid', at(5), at(9), 'not_watched', 'stopped']];
  const report = await textOf(reportHtml({ ...material, watched }));
  expect(report).toMatch(
    /all the time\. Only the zone’s rules were not applied[\s\S]*rules were not applied in these times[\s\S]*11:05:00Z.*11:09:00Z.*Lookout was stopped/,
  );
});

test('a long list says what it leaves out', async () => {
  const positions = Array.from({ length: 3010 }, (_, number) => ({
    ...received,
    ref: ref('D', number),
    atMs: FROM_MS + number,
  }));
  const report = await textOf(reportHtml(sealedMaterial({ positions })));
  expect(report).toContain('10 more tracks are in tracks.csv');
  expect(report).toMatch(/The first \d+ of 3.010 tracks are drawn/);
});

test('names, notes and references of any text stay text', async () => {
  const evil = `</script><script>alert(1)</script><img src=x onerror=alert(1)> "' & \u2028 \u202Egnp.exe`;
  const material = sealedMaterial({
    incident: { title: evil, zone: { id: '00000000-0000-4000-8000-000000000009', name: evil, revision: 2 } },
    positions: [{ ...received, ref: evil }],
    notes: [{ text: evil, by: evil }],
  });
  for (const page of [await textOf(reportHtml(material)), await textOf(replayHtml(material))]) {
    expect(page).not.toContain('<script>alert');
    expect(page).not.toContain('<img');
    expect(page).not.toMatch(/[\u2028\u202E]/);
    expect(page).toContain('[U+202E]');
  }
  const page = await textOf(replayHtml(material));
  const data = JSON.parse(/id="data">([^<]*)</.exec(page)?.[1] as string);
  expect(data.tracks[0].key).toBe(`d${evil}`);
});

/** A simulated drone that flies north-east, seen, and not watched for a while. */
function seenFlight() {
  const minutes = [10, 11, 12];
  return sealedMaterial({
    positions: minutes.map((minute) => ({
      ...received,
      atMs: FROM_MS + minute * MINUTE,
      lon: 8.55 + (minute - 10) / 1000,
      lat: 47.45 + (3 * (minute - 10)) / 1000,
      simulated: true,
    })),
    notWatched: [{ layer: 'rid', from: at(40), to: at(52), reason: 'receivers_lost' }],
    notes: [{ at: at(11), place: [8.54, 47.46] }],
  });
}

test('the report has each track, stretch, time and place as they are in the data', async () => {
  const report = await textOf(reportHtml(seenFlight()));
  expect(report).toMatch(
    /<th scope="row">D1<\/th><td><code>OBS-D-00000000000000A1<\/code> <b class="flag">SIM<\/b><\/td><td>11:10:00Z<\/td><td>11:12:00Z<\/td>/,
  );
  expect(report).toMatch(
    /N1<\/th><td>Drones \(Remote ID\).*>11:40:00Z<.*>11:52:00Z<.*>12 min<.*Not watched: all receivers were down/,
  );
  expect(report).toContain('around 47.45000, 8.55000');
  expect(report).toMatch(/n1<\/th><td>11:11:00Z.*At 47\.46000, 8\.54000/);
  const lane = Array.from(report.matchAll(/<rect class="(watched|not_watched)" .*?width="([\d.]+)"/g)).slice(0, 3);
  expect(lane.map(([, state]) => state)).toEqual(['watched', 'not_watched', 'watched']);
  const pxPerMinute = lane.map(([, , width], index) => Number(width) / ([43, 12, 41][index] as number));
  for (const each of pxPerMinute) expect(each).toBeCloseTo(pxPerMinute[0] as number, 1);
  expect(report).toContain('class="life sim"');
  const [flight = ''] = drawnRuns(report, 'in sim dots');
  const [[startX = 0, startY = 0] = [], [endX = 0, endY = 0] = []] = flight
    .split('L')
    .map((point) => point.split(' ').map(Number));
  expect(endX).toBeGreaterThan(startX);
  expect(startY - endY).toBeGreaterThan(3 * (endX - startX));
});

test('the replay has each track, stretch and time as they are in the data', async () => {
  const page = await textOf(replayHtml(seenFlight()));
  const data = JSON.parse(/id="data">([^<]*)</.exec(page)?.[1] as string) as ReplayData;
  expect(data).toMatchObject({ baseMs: FROM_MS, windowMs: [0, 90 * MINUTE], keptMs: [-3 * MINUTE, 93 * MINUTE] });
  expect(data.layers[0]?.watched).toMatchObject([
    { fromMs: -3 * MINUTE, toMs: 40 * MINUTE, state: 'watched', text: '' },
    { toMs: 52 * MINUTE, state: 'not_watched', text: 'Not watched: all receivers were down' },
    { toMs: 93 * MINUTE, state: 'watched' },
  ]);
  expect(data.tracks).toEqual([{ name: 'D1', key: 'dOBS-D-00000000000000A1', firstMs: 10 * MINUTE }]);
  expect(data.marks).toEqual([{ name: 'n1', kind: 'note', atMs: 11 * MINUTE }]);
  expect(page).toMatch(/<b>D1<\/b> …000A1 <b class="flag">SIM<\/b> <span>11:10:00–11:12:00Z/);
  expect(page).toMatch(
    /data-at="2400000">Drones \(Remote ID\) 11:40:00–11:52:00Z\. Not watched: all receivers were down/,
  );
  expect(page).toMatch(/<header>.*Not real traffic: 1 simulated track \(SIM\)/);

  const [marks, texts]: [[number, number][], string[]] = [[], []];
  const drawing: Record<string, unknown> = {
    measureText: () => ({ width: 10 }),
    translate: (x: number, y: number) => marks.push([x, y]),
    fillText: (text: string) => texts.push(text),
  };
  const context = new Proxy(drawing, { get: (own, name) => own[String(name)] ?? (() => undefined), set: () => true });
  vi.stubGlobal(
    'Path2D',
    class extends Array {
      moveTo() {}
      lineTo() {}
      closePath() {}
    },
  );
  vi.stubGlobal('document', { getElementById: () => ({ offsetWidth: 0, offsetHeight: 0 }) });
  const canvas = { getContext: () => context, clientWidth: 800, clientHeight: 600, addEventListener: () => undefined };
  const read = await readPositions(blocksOf(page), decodeBlock, () => undefined);
  const map = await replayMap(canvas as unknown as HTMLCanvasElement, data, read, eachJoin, groundPoints);
  map.resize(1);
  for (const minute of [10, 12]) map.draw(minute * MINUTE, MINUTE, false);
  vi.unstubAllGlobals();
  const [[startX, startY], [endX, endY]] = marks as [[number, number], [number, number]];
  expect([startX, startY]).toEqual([expect.closeTo(400, 0), expect.closeTo(300, 0)]);
  expect(endX).toBeGreaterThan(startX + 5);
  expect(endY).toBeLessThan(startY - 5);
  expect(texts.filter((text) => text === 'D1 SIM')).toHaveLength(2);
});

test('each mark of an axis has a label, of its own or shared with those too near to it', () => {
  const marks = ['n2', 'n1', 'n3', 'a9', 'n7', 'n8'].map((name, index) => ({
    name,
    x: [10, 12, 14, 16, 200, 395][index] as number,
  }));
  expect(markLabels(marks, 6, 400).map(({ text }) => text)).toEqual(['a9, n1–n3', 'n7', 'n8']);
  for (const { text, leftX } of markLabels(marks, 6, 400)) expect(leftX + 6 * text.length).toBeLessThanOrEqual(400);
});
