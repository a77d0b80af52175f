import { execFileSync } from 'node:child_process';
import { createHash, createPublicKey, verify } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type IncidentAnswer,
  incidentAnswerSchema,
  incidentsSchema,
  oneIncidentSchema,
} from '#lib/api/watching/incidents.ts';
import { distanceM } from '#lib/geo/great-circle.ts';
import { workOf } from '#lib/server/work/work-table.ts';
import { ApiClient } from '#testing/api-client.ts';
import { type LookoutHere, startLookoutHere } from '#testing/lookout-here.ts';

const MINUTE_MS = 60_000;
const CENTRE: [number, number] = [8.55, 47.45];
const RADIUS_M = 20_000;
const AREA = { type: 'Circle', centre: CENTRE, radius_m: RADIUS_M };

let here: LookoutHere;
let ada: ApiClient;
let bo: ApiClient;
let vic: ApiClient;
const folders: string[] = [];

beforeAll(async () => {
  here = await startLookoutHere({
    operators: ['ada', 'bo', 'vic'],
    roles: { ada: 'admin', vic: 'viewer' },
    settings: { POSITIONS_ALLOWANCE: 'none', POSITIONS_EMBEDDED: '1' },
  });
  ada = await ApiClient.signedIn(here, 'ada');
  bo = await ApiClient.signedIn(here, 'bo');
  vic = await ApiClient.signedIn(here, 'vic');
}, 60_000);
afterAll(async () => {
  await here.stop();
  for (const folder of folders) rmSync(folder, { recursive: true });
});

const ago = (minutes: number) => new Date(Date.now() - minutes * MINUTE_MS).toISOString();

async function opened(change: object = {}) {
  const body = { title: 'Drone near 14', from: ago(20), to: ago(2), area: AREA, layers: ['rid', 'adsb'], ...change };
  const answer = await bo.ask('POST', '/api/incidents', body);
  expect(answer.status).toBe(201);
  return answer.json().incident as { id: string; number: string; revision: number; state: string };
}

async function sealedFolder(id: string, revision: number) {
  const closed = await bo.ask('POST', `/api/incidents/${id}/close`, { revision });
  expect([closed.status, closed.text]).toEqual([200, closed.text]);
  const sealed = await bo.ask('POST', `/api/incidents/${id}/seal`, { revision: closed.json().incident.revision });
  expect(sealed.status).toBe(201);
  const folder = mkdtempSync(join(tmpdir(), 'sealed-'));
  folders.push(folder);
  const file = await fetch(`${here.url}/api/incidents/${id}/file`, { headers: { cookie: vic.cookie } });
  expect(file.headers.get('content-type')).toBe('application/zip');
  const bytes = Buffer.from(await file.arrayBuffer());
  expect(bytes.byteLength).toBe(sealed.json().bytes);
  writeFileSync(join(folder, 'incident.zip'), bytes);
  execFileSync('unzip', ['-q', 'incident.zip'], { cwd: folder });
  return { folder, sha256: sealed.json().sha256 as string };
}

/** By the commands of README.txt. */
function isVerified(folder: string): boolean {
  try {
    execFileSync('sha256sum', ['--quiet', '-c', 'SHA256SUMS'], { cwd: folder, stdio: 'ignore' });
    const how = [
      'pkeyutl',
      '-verify',
      '-pubin',
      '-inkey',
      'public.pem',
      '-rawin',
      '-in',
      'SHA256SUMS',
      '-sigfile',
      'SHA256SUMS.sig',
    ];
    execFileSync('openssl', how, { cwd: folder, stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Without those commands. */
function isVerifiedHere(folder: string, publicPem: string): boolean {
  const sums = readFileSync(join(folder, 'SHA256SUMS'));
  const named = sums
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => line.split('  '));
  const files = readdirSync(folder).filter((name) => !['SHA256SUMS', 'SHA256SUMS.sig', 'incident.zip'].includes(name));
  if (files.length !== named.length) return false;
  const isEach = named.every(
    ([hash, name]) =>
      createHash('sha256')
        .update(readFileSync(join(folder, name!)))
        .digest('hex') === hash,
  );
  return isEach && verify(null, sums, createPublicKey(publicPem), readFileSync(join(folder, 'SHA256SUMS.sig')));
}

const rowsOf = (folder: string, name: string): Record<string, string>[] =>
  parse(readFileSync(join(folder, name)), { columns: true });

/** By every row, with nothing of the code that made it. */
function naiveAnswer(folder: string, from: string, to: string) {
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
  const layers: Record<string, { verdict: string; tracks: Record<string, unknown>[]; not_watched: unknown[] }> = {};
  for (const layer of ['rid', 'adsb']) {
    const tracks = new Map<string, Record<string, string>[]>();
    for (const row of rowsOf(folder, 'positions.csv')) {
      const atMs = Date.parse(row.observed_at!);
      if (row.layer !== layer || atMs < fromMs || atMs >= toMs) continue;
      const isInside =
        distanceM({ lon: CENTRE[0], lat: CENTRE[1] }, { lon: Number(row.longitude), lat: Number(row.latitude) }) <=
        RADIUS_M;
      expect(row.inside).toBe(String(isInside));
      if (isInside) tracks.set(row.public_track_id!, [...(tracks.get(row.public_track_id!) ?? []), row]);
    }
    const notWatched = rowsOf(folder, 'watched.csv')
      .filter((row) => row.what === 'positions' && row.layer === layer && row.state !== 'watched')
      .filter((row) => Date.parse(row.from!) < toMs && Date.parse(row.to!) > fromMs)
      .map((row) => ({
        from: new Date(Math.max(fromMs, Date.parse(row.from!))).toISOString(),
        to: new Date(Math.min(toMs, Date.parse(row.to!))).toISOString(),
        reason: row.reason,
      }));
    const found = [...tracks].map(([track, rows]) => {
      const times = rows.map((row) => row.observed_at!).sort();
      const lowest = (field: string) => rows.filter((row) => row[field] !== '').map((row) => Number(row[field]));
      const [agl, altitude] = [lowest('height_agl_m'), lowest('altitude_m')];
      return {
        track,
        first_at: times[0],
        last_at: times.at(-1),
        lowest_m: agl.length > 0 ? Math.min(...agl) : altitude.length > 0 ? Math.min(...altitude) : null,
        positions: rows.length,
        simulated: rows.some((row) => row.simulated === 'true'),
      };
    });
    layers[layer] = {
      verdict: found.length > 0 ? 'received' : notWatched.length > 0 ? 'not_known' : 'none_while_watched',
      tracks: found.sort((a, b) =>
        a.first_at! < b.first_at! ? -1 : a.first_at! > b.first_at! ? 1 : a.track < b.track ? -1 : 1,
      ),
      not_watched: notWatched,
    };
  }
  return layers;
}

describe('an incident', () => {
  test('is opened by operators, and read by viewers', async () => {
    const { id, number, state } = await opened();
    expect([number, state]).toEqual([expect.stringMatching(/^\d{4}-\d{3}$/), 'open']);
    expect(await vic.tries('POST', '/api/incidents', {})).toBe('403 not_permitted');
    const { incidents } = incidentsSchema.parse((await vic.ask('GET', '/api/incidents')).json());
    expect(incidents[0]).toMatchObject({ id, title: 'Drone near 14', opened: { by: 'bo' } });
    const answer = incidentAnswerSchema.parse((await vic.ask('GET', `/api/incidents/${id}/answer`)).json());
    expect(answer.layers.adsb?.verdict).toBe('received');
    expect(answer.layers.adsb?.tracks.every(({ simulated }) => simulated)).toBe(true);
    expect(answer.layers.adsb?.not_watched).toEqual([]);
  });

  test('has notes that are never edited, and pinned tracks with a remark', async () => {
    const { id } = await opened();
    const note = { kind: 'observation', text: '<b>White</b> drone, =1+1', at: ago(10), place: [8.5, 47.4] };
    const first = await bo.ask('POST', `/api/incidents/${id}/notes`, note);
    expect(first.status).toBe(201);
    const corrects = first.json().note.id;
    const second = { kind: 'decision', text: 'Runway closed', at: ago(9), corrects };
    expect((await ada.ask('POST', `/api/incidents/${id}/notes`, second)).status).toBe(201);
    expect(await bo.tries('POST', `/api/incidents/${id}/notes`, { ...second, corrects: crypto.randomUUID() })).toBe(
      '400 bad_body',
    );
    expect(await bo.tries('POST', `/api/incidents/${id}/notes`, { ...note, at: ago(-5) })).toBe('400 bad_body');
    expect(await vic.tries('POST', `/api/incidents/${id}/notes`, second)).toBe('403 not_permitted');
    const { layers } = incidentAnswerSchema.parse((await bo.ask('GET', `/api/incidents/${id}/answer`)).json());
    const track = layers.adsb!.tracks[0]!.track;
    const pin = await bo.ask('POST', `/api/incidents/${id}/tracks`, { tracks: [track], remark: 'turned back' });
    expect(pin.status).toBe(204);
    const read = oneIncidentSchema.parse((await vic.ask('GET', `/api/incidents/${id}`)).json());
    expect(read.notes).toMatchObject([
      { kind: 'observation', text: note.text, by: 'bo', place: [8.5, 47.4], corrects: null },
      { kind: 'decision', by: 'ada', corrects },
    ]);
    expect(read.tracks).toMatchObject([{ track, remark: 'turned back', by: 'bo' }]);
  });

  test('keeps what it contains, and its sealed file can be checked and answers as its own data', async () => {
    const { id } = await opened();
    const [from, to] = await bo.ask('GET', `/api/incidents/${id}`).then(({ json }) => {
      const { incident } = json();
      return [incident.from, incident.to] as [string, string];
    });
    const sighting = {
      at: ago(8),
      at_within_s: 30,
      place: CENTRE,
      bearing_deg: 45,
      bearing_within_deg: 20,
      text: 'one light',
      max_requests: 100,
    };
    const checked = await bo.ask('POST', `/api/incidents/${id}/sightings`, sighting);
    expect(checked.status).toBe(201);
    expect(checked.json().note.check.reception.layers).toHaveLength(2);
    const { folder, sha256 } = await sealedFolder(id, 1);
    expect(isVerified(folder)).toBe(true);
    expect(workOf('GET', `/api/incidents/${id}/file`)).not.toBe(workOf('GET', '/api/incidents'));
    const key = (await vic.ask('GET', '/api/incidents/key')).json().public_key as string;
    expect(isVerifiedHere(folder, key)).toBe(true);
    expect(readFileSync(join(folder, 'public.pem'), 'utf8')).toBe(key);
    expect(
      createHash('sha256')
        .update(readFileSync(join(folder, 'SHA256SUMS')))
        .digest('hex'),
    ).toBe(sha256);
    const answer = JSON.parse(readFileSync(join(folder, 'answer.json'), 'utf8')) as IncidentAnswer;
    expect(incidentAnswerSchema.parse(answer)).toEqual((await bo.ask('GET', `/api/incidents/${id}/answer`)).json());
    expect(answer.layers).toMatchObject(naiveAnswer(folder, from, to));
    expect(rowsOf(folder, 'positions.csv').length).toBeGreaterThan(1000);
    expect(JSON.parse(readFileSync(join(folder, 'notes.json'), 'utf8')).notes).toMatchObject([
      { kind: 'sighting', text: 'one light' },
    ]);
    const kinds = JSON.parse(readFileSync(join(folder, 'audit.json'), 'utf8')).entries.map(
      (entry: { event: { kind: string } }) => entry.event.kind,
    );
    expect(kinds).toEqual(['incident_opened', 'incident_noted', 'incident_closed']);
  });

  test.each([
    ['one flipped bit', 'positions.csv', (bytes: Buffer) => bytes.writeUInt8(bytes.readUInt8(500) ^ 1, 500)],
    ['one removed line', 'watched.csv', (bytes: Buffer) => bytes.subarray(0, bytes.lastIndexOf('\n', -2) + 1)],
    ['another report', 'report.html', () => Buffer.from('<!doctype html>Nothing happened.')],
  ])('with %s its file no longer verifies', async (_, name, change) => {
    const { id } = await opened({ from: ago(6), to: ago(4) });
    const { folder } = await sealedFolder(id, 1);
    expect(isVerified(folder)).toBe(true);
    const bytes = readFileSync(join(folder, name));
    const changed = change(bytes);
    writeFileSync(join(folder, name), Buffer.isBuffer(changed) ? changed : bytes);
    expect(isVerified(folder)).toBe(false);
    // With new sums only the signature is wrong.
    const sums = readFileSync(join(folder, 'SHA256SUMS'), 'utf8').replace(
      /^\S+(?= {2})/gm,
      (hash, at: number, all: string) => {
        const file = all.slice(at + hash.length + 2).split('\n')[0]!;
        return createHash('sha256')
          .update(readFileSync(join(folder, file)))
          .digest('hex');
      },
    );
    writeFileSync(join(folder, 'SHA256SUMS'), sums);
    expect(isVerified(folder)).toBe(false);
  });

  test('changes no more once it is closed, and nothing of it once it is sealed', async () => {
    const { id } = await opened({ from: ago(6), to: ago(4) });
    expect(await bo.tries('POST', `/api/incidents/${id}/seal`, { revision: 1 })).toBe('409 not_possible');
    expect(await vic.tries('POST', `/api/incidents/${id}/seal`, { revision: 1 })).toBe('403 not_permitted');
    await sealedFolder(id, 1);
    const note = { kind: 'call', text: 'Police', at: ago(1) };
    expect(await bo.tries('POST', `/api/incidents/${id}/notes`, note)).toBe('409 not_possible');
    expect(await bo.tries('PATCH', `/api/incidents/${id}`, { revision: 3, title: 'Other' })).toBe('409 not_possible');
    expect(await bo.tries('POST', `/api/incidents/${id}/close`, { revision: 3 })).toBe('409 not_possible');
    expect(await bo.tries('DELETE', `/api/incidents/${id}`, { reason: 'x' })).toBe('403 not_permitted');
    expect((await ada.ask('DELETE', `/api/incidents/${id}`, { reason: 'made by mistake' })).status).toBe(204);
    expect(await bo.tries('GET', `/api/incidents/${id}`)).toBe('404 not_found');
  });

  test('of two changes at once, the later is refused', async () => {
    const { id } = await opened();
    expect((await bo.ask('PATCH', `/api/incidents/${id}`, { revision: 1, title: 'First' })).status).toBe(200);
    expect(await ada.tries('PATCH', `/api/incidents/${id}`, { revision: 1, title: 'Second' })).toBe(
      '409 revision_conflict',
    );
  });

  test('shows viewers no private zone', async () => {
    const zone = {
      name: 'Mine',
      shared: false,
      shape: AREA,
      vertical: null,
      hours: null,
      rules: [{ kind: 'entered', layers: ['adsb'], simulated: true }],
    };
    const added = await ada.ask('POST', '/api/zones', zone);
    expect(added.status).toBe(201);
    const { id } = added.json().zone;
    const incident = { title: 'x', from: ago(5), area: { zone: id }, layers: ['adsb'] };
    for (const client of [ada, bo])
      expect(await client.tries('POST', '/api/incidents', incident)).toBe('404 not_found');
  });

  test('keeps the past of a zone to itself once it is no longer shared', async () => {
    const content = { shape: AREA, vertical: null, hours: null, rules: [{ kind: 'entered', layers: ['adsb'] }] };
    const zone = { name: 'Runway', shared: true, ...content };
    const { id: zoneId, revision } = (await ada.ask('POST', '/api/zones', zone)).json().zone;
    const { id } = await opened({ area: { zone: zoneId }, to: null });
    const hidden = { ...zone, name: 'Hidden garden', shared: false, revision };
    expect((await ada.ask('PATCH', `/api/zones/${zoneId}`, hidden)).status).toBe(200);
    const open = [await bo.ask('GET', `/api/incidents/${id}`), await bo.ask('GET', `/api/incidents/${id}/answer`)];
    const { folder } = await sealedFolder(id, 1);
    const kept = [await bo.ask('GET', `/api/incidents/${id}`), await bo.ask('GET', `/api/incidents/${id}/answer`)];
    expect([...open, ...kept].map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    for (const { text } of [...open, ...kept]) expect(text).not.toContain('Hidden');
    for (const name of readdirSync(folder)) expect(readFileSync(join(folder, name), 'utf8')).not.toContain('Hidden');
    expect(JSON.parse(readFileSync(join(folder, 'zones.geojson'), 'utf8')).features).toHaveLength(1);
    expect(rowsOf(folder, 'watched.csv').filter(({ what }) => what === 'alarms')).toEqual([]);
  });

  test('keeps texts of people plain, and runs none of them', async () => {
    const title = '../../=1+1\u202E <script>\nSealed by Eve';
    const { id } = await opened({ title, from: ago(6), to: ago(4) });
    const note = {
      kind: 'call',
      text: '=HYPERLINK("x")\u2066\u202Ea\u0007\r\n<img src=x onerror=alert(1)>',
      at: ago(1),
    };
    expect((await bo.ask('POST', `/api/incidents/${id}/notes`, note)).json().note.text).toBe(
      '=HYPERLINK("x")a\n<img src=x onerror=alert(1)>',
    );
    const { folder } = await sealedFolder(id, 1);
    const names = execFileSync('unzip', ['-Z1', 'incident.zip'], { cwd: folder }).toString().trim().split('\n');
    expect(names.filter((name) => !/^[\w.]+$/.test(name))).toEqual([]);
    const lines = readFileSync(join(folder, 'README.txt'), 'utf8').split('\n');
    expect(lines.filter((line) => line.includes('Sealed by Eve'))).toHaveLength(1);
    for (const name of ['report.html', 'replay.html']) {
      const html = readFileSync(join(folder, name), 'utf8');
      expect(html).not.toContain('<img src=x');
      expect(html).not.toMatch(/=1\+1[^"]{0,9}<script>/);
    }
    for (const name of names.filter((each) => each.endsWith('.csv')))
      for (const row of rowsOf(folder, name))
        expect(Object.values(row).filter((cell) => /^[=+@\t]/.test(cell))).toEqual([]);
    // Addresses of people are for admins.
    expect(readFileSync(join(folder, 'audit.json'), 'utf8')).not.toMatch(/"address"|127\.0\.0\.1/);
  });

  test('takes nothing from viewers', async () => {
    const { id } = await opened();
    const routes = ['notes', 'alarms', 'tracks', 'sightings', 'close', 'seal'].map(
      (step) => `/api/incidents/${id}/${step}`,
    );
    for (const path of [...routes, '/api/sightings/check', '/api/incidents'])
      expect(await vic.tries('POST', path, {})).toBe('403 not_permitted');
    expect(await vic.tries('PATCH', `/api/incidents/${id}`, { revision: 1, title: 'x' })).toBe('403 not_permitted');
    expect(await vic.tries('DELETE', `/api/incidents/${id}`, { reason: 'x' })).toBe('403 not_permitted');
  });

  test('is closed and sealed by one of two people at once, and the other reads why not', async () => {
    const { id } = await opened({ from: ago(6), to: ago(4) });
    const both = async (step: string, revision: number) => {
      const answers = await Promise.all(
        [ada, bo].map((by) => by.ask('POST', `/api/incidents/${id}/${step}`, { revision })),
      );
      const [done, refused] = answers.sort((one, other) => one.status - other.status);
      return [done?.status, refused?.status, refused?.json().error.message];
    };
    expect(await both('close', 1)).toEqual([200, 409, 'It is closed already.']);
    expect(await bo.tries('POST', `/api/incidents/${id}/tracks`, { tracks: ['x'], remark: '' })).toBe(
      '409 not_possible',
    );
    expect(await both('seal', 2)).toEqual([201, 409, 'It is sealed already.']);
  });

  test('is answered while a colleague checks and reads twenty times at once', async () => {
    const area = { type: 'Circle', centre: CENTRE, radius_m: 20_000 };
    const { id } = await opened({ area, from: ago(60 * 4), to: null });
    const { id: small } = await opened();
    const sighting = { at: ago(8), at_within_s: 900, place: CENTRE, bearing_deg: 45, bearing_within_deg: 45 };
    const checks = Array.from({ length: 20 }, () => bo.ask('POST', '/api/sightings/check', sighting));
    const answers = Array.from({ length: 20 }, () => bo.ask('GET', `/api/incidents/${id}/answer`));
    let done = 0;
    const counted = (works: typeof checks) =>
      works.map((work) =>
        work.then((answer) => {
          if (answer.status === 200) done++;
          return answer;
        }),
      );
    const whole = Promise.all([Promise.all(counted(checks)), Promise.all(counted(answers))]);
    const paths = ['/api/incidents', `/api/incidents/${small}/answer`, '/api/alarms'];
    const polls = Array.from({ length: 5 }, () => paths).flat();
    // On connections of its own: `ask` has sixteen in all.
    for (const path of polls)
      expect((await fetch(here.url + path, { headers: { cookie: vic.cookie } })).status).toBe(200);
    // No poll waited for more than one answer of the colleague.
    expect(done).toBeLessThanOrEqual(polls.length);
    const [checked, read] = (await whole).map((answers) => answers.map(({ status }) => status));
    expect(new Set(checked)).toEqual(new Set([200, 429]));
    expect(new Set(read)).toEqual(new Set([200]));
  }, 60_000);

  test.each([
    ['a window that ends before it begins', { from: ago(5), to: ago(6) }],
    ['over a day', { from: ago(60 * 26), to: ago(2) }],
    ['that begins in the future', { from: ago(-60), to: null }],
    ['over half of Europe', { area: { type: 'Circle', centre: [8, 47], radius_m: 500_000 } }],
    [
      'with an area that crosses itself',
      {
        area: {
          type: 'Polygon',
          coordinates: [
            [
              [8, 47],
              [9, 48],
              [9, 47],
              [8, 48],
              [8, 47],
            ],
          ],
        },
      },
    ],
    ['without a layer', { layers: [] }],
    ['without a title', { title: '  ' }],
  ])('is refused %s', async (_, change) => {
    const body = { title: 'x', from: ago(20), to: null, area: AREA, layers: ['rid'], ...change };
    expect(await bo.tries('POST', '/api/incidents', body)).toBe('400 bad_body');
  });
});
