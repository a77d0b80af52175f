import { mkdirSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sealData } from 'iron-session';
import { pino } from 'pino';
import { PMTiles } from 'pmtiles';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { errorAnswerSchema } from '#lib/api/error-code.ts';
import { memoryDatabase } from '#lib/server/database/memory-database.fixture.ts';
import { RegionMaps } from '#lib/server/maps/region-maps.ts';
import type { Runtime } from '#lib/server/runtime.ts';
import { Sessions } from '#lib/server/sign-in/sessions.ts';
import { strictSupervisor } from '#lib/server/supervision/supervisor.fixture.ts';
import { localInstant } from '#lib/time/instant.ts';
import { pictureArchive, protomapsArchive } from '#testing/region-archive.ts';
import { GET, HEAD, POST } from './route.ts';

const HOST = 'lookout.example';
const SECRET = 'a secret that is long enough to seal a cookie with';
const runtimeSymbol = Symbol.for('lookout.runtime');
const holder = globalThis as { [runtimeSymbol]?: unknown };

let folder: string;
let file: string;
let cookie: string;
let archive: Buffer;
beforeAll(async () => {
  archive = Buffer.from(protomapsArchive());
  folder = mkdtempSync(join(tmpdir(), 'lookout-maps-route-'));
  file = join(folder, 'region.pmtiles');
  const registry = new Sessions(await memoryDatabase(), () => localInstant(0), strictSupervisor().part('sessions'));
  const by = { source: 'password', operatorId: 'al', credential: 'hash' } as const;
  cookie = `__Host-lookout=${await sealData({ id: await registry.open(by, { browser: 'curl', address: '192.0.2.1', isKept: false }) }, { password: SECRET })}`;
  const maps = new RegionMaps(
    [
      { name: 'Zürich & more', file },
      { name: 'Gone', file: join(folder, 'gone.pmtiles') },
    ],
    join(folder, 'maps'),
  );
  holder[runtimeSymbol] = {
    config: { tls: true, publicOrigin: undefined, mapStyle: undefined },
    log: pino({ level: 'silent' }),
    sessions: {
      operators: { find: () => ({ role: 'viewer', password: 'hash', passkeys: [] }) },
      registry,
      secret: SECRET,
      openedCookies: new Map(),
    },
    maps,
  } as unknown as Runtime;
});
afterAll(() => {
  delete holder[runtimeSymbol];
  rmSync(folder, { recursive: true });
});
let client: AbortController;
beforeEach(() => {
  writeFileSync(file, archive);
  client = new AbortController();
});
afterEach(() => client.abort());

function request(
  headers: Record<string, string> = {},
  query = `name=${encodeURIComponent('Zürich & more')}`,
  method = 'GET',
) {
  return new Request(`https://${HOST}/api/maps?${query}`, {
    method,
    headers: { host: HOST, cookie, ...headers },
    signal: client.signal,
  });
}
const bytesOf = async (answer: Response) => Buffer.from(await answer.arrayBuffer());

async function refused(answer: Response): Promise<[number, string]> {
  return [answer.status, errorAnswerSchema.parse(await answer.json()).error.code];
}

describe('/api/maps', () => {
  test('sends exactly the requested bytes', async () => {
    for (const [range, first, last] of [
      ['bytes=0-126', 0, 126],
      ['bytes=100-', 100, archive.byteLength - 1],
      ['bytes=-5', archive.byteLength - 5, archive.byteLength - 1],
      ['bytes=7-99999999', 7, archive.byteLength - 1],
    ] as const) {
      const answer = await GET(request({ range }));
      expect(answer.status).toBe(206);
      expect(answer.headers.get('content-range')).toBe(`bytes ${first}-${last}/${archive.byteLength}`);
      expect(answer.headers.get('content-length')).toBe(String(last - first + 1));
      expect((await bytesOf(answer)).equals(archive.subarray(first, last + 1))).toBe(true);
    }
  });

  test('a file that is larger than what is read at once comes whole', async () => {
    const large = Buffer.concat([archive, Buffer.alloc(2_500_000, 'end')]);
    writeFileSync(file, large);
    const answer = await GET(request());
    expect([answer.status, answer.headers.get('accept-ranges')]).toEqual([200, 'bytes']);
    expect((await bytesOf(answer)).equals(large)).toBe(true);
  });

  test('says with HEAD how long it is, and sends nothing', async () => {
    const answer = await HEAD(request({}, undefined, 'HEAD'));
    expect([answer.status, answer.headers.get('content-length')]).toEqual([200, String(archive.byteLength)]);
    expect((await bytesOf(answer)).byteLength).toBe(0);
  });

  test('a range that is not there is refused with the length of the file', async () => {
    for (const range of [`bytes=${archive.byteLength}-`, 'bytes=5-4', 'bytes=0-1,3-4', 'bytes=x']) {
      const answer = await GET(request({ range }));
      expect([answer.status, answer.headers.get('content-range')]).toEqual([416, `bytes */${archive.byteLength}`]);
    }
  });

  test('a range of an earlier version is answered with the whole of the present one', async () => {
    const version = (await HEAD(request({}, undefined, 'HEAD'))).headers.get('etag') ?? '';
    expect((await GET(request({ range: 'bytes=0-1', 'if-range': version }))).status).toBe(206);
    const other = Buffer.from(pictureArchive([1, 2, 3]));
    writeFileSync(join(folder, 'new'), other);
    renameSync(join(folder, 'new'), file);
    const answer = await GET(request({ range: 'bytes=0-1', 'if-range': version }));
    expect(answer.status).toBe(200);
    expect(answer.headers.get('etag')).not.toBe(version);
    expect((await bytesOf(answer)).equals(other)).toBe(true);
  });

  test('a file that is replaced while it is sent ends the transfer', async () => {
    writeFileSync(file, Buffer.concat([archive, Buffer.alloc(2_500_000)]));
    const reader = (await GET(request())).body?.getReader();
    expect((await reader?.read())?.value?.byteLength).toBe(1024 * 1024);
    writeFileSync(join(folder, 'new'), Buffer.concat([archive, Buffer.alloc(2_500_000, 1)]));
    renameSync(join(folder, 'new'), file);
    await expect(reader?.read()).rejects.toThrow('was replaced while it was read');
  });

  test('a reader of archives finds its tiles', async () => {
    const reader = new PMTiles({
      getKey: () => 'route',
      getBytes: async (offset, length) => {
        const answer = await GET(request({ range: `bytes=${offset}-${offset + length - 1}` }));
        return { data: await answer.arrayBuffer(), etag: answer.headers.get('etag') ?? '' };
      },
    });
    expect(await reader.getMetadata()).toMatchObject({ name: 'Protomaps Basemap' });
    expect((await reader.getZxy(10, 536, 358))?.data.byteLength).toBeGreaterThan(100);
  });

  test('serves each map that is added to the folder, unless its name is taken', async () => {
    const added = join(folder, 'maps');
    mkdirSync(added);
    for (const name of ['Airfield.pmtiles', 'Gone.pmtiles', 'built-in.pmtiles', 'Half.pmtiles.1.part'])
      writeFileSync(join(added, name), archive);
    expect((holder[runtimeSymbol] as Runtime).maps.names).toEqual(['Zürich & more', 'Gone', 'Airfield']);
    expect((await GET(request({ range: 'bytes=0-126' }, 'name=Airfield'))).status).toBe(206);
    expect((await GET(request({ range: 'bytes=0-126' }, 'name=Gone'))).status).toBe(503);
    rmSync(added, { recursive: true });
    expect((await GET(request({ range: 'bytes=0-126' }, 'name=Airfield'))).status).toBe(404);
  });

  test('requires a sign-in', async () => {
    for (const ask of [GET, HEAD]) {
      const answer = await ask(request({ cookie: '', range: 'bytes=0-1' }));
      expect(answer.status).toBe(401);
      expect(answer.headers.get('accept-ranges')).toBeNull();
    }
  });

  test.each(['../region', '/etc/passwd', 'region.pmtiles', '', '__proto__', 'zürich & more', '%00', 'x'.repeat(500)])(
    'nothing is found but a configured name: %j',
    async (name) => {
      const answer = await GET(request({}, `name=${encodeURIComponent(name)}`));
      expect(await refused(answer)).toEqual([404, 'not_found']);
    },
  );

  test('takes its name once, and nothing else', async () => {
    for (const query of ['', 'name=a&name=b', 'name=Gone&file=/etc/passwd'])
      expect(await refused(await GET(request({}, query)))).toEqual([400, 'bad_query']);
    expect(await refused(await POST(request({ 'sec-fetch-site': 'same-origin' }, undefined, 'POST')))).toEqual([
      405,
      'method_not_allowed',
    ]);
  });

  test('reports a missing or truncated file by name, not by path', async () => {
    const gone = await GET(request({}, 'name=Gone'));
    const text = await gone.clone().text();
    expect(await refused(gone)).toEqual([503, 'map_unavailable']);
    expect(text).toContain('“Gone” cannot be read (ENOENT)');
    expect(text).not.toContain(folder);
    truncateSync(file, archive.byteLength / 2);
    const half = await GET(request({ range: 'bytes=0-126' }));
    expect(await half.clone().text()).toContain('“Zürich & more” is cut short');
    expect(await refused(half)).toEqual([503, 'map_unavailable']);
    writeFileSync(file, archive);
    expect((await GET(request({ range: 'bytes=0-126' }))).status).toBe(206);
  });
});
