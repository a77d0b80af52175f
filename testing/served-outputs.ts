import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import type { NewReadToken } from '#lib/api/outputs/read-token.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import type { Layer, Position } from '#lib/model/position.ts';
import type { Reception } from '#lib/model/reception.ts';
import { memoryDatabase } from '#lib/server/database/memory-database.fixture.ts';
import { AreaSnapshots } from '#lib/server/live/area-snapshots.ts';
import { ReadTokens } from '#lib/server/read-access/read-tokens.ts';
import { strictSupervisor } from '#lib/server/supervision/supervisor.fixture.ts';
import { Work } from '#lib/server/work/work.ts';
import { Alarms } from '#lib/server/zones/alarms/alarms.ts';
import { WatchedLedger } from '#lib/server/zones/watch/watched-ledger.ts';
import { Zones } from '#lib/server/zones/zones.ts';
import { addMs, localInstant, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { GET as API } from '../app/api/features/api/route.ts';
import { GET as ITEM } from '../app/api/features/collections/[collection]/items/[id]/route.ts';
import { GET as ITEMS } from '../app/api/features/collections/[collection]/items/route.ts';
import { GET as COLLECTION } from '../app/api/features/collections/[collection]/route.ts';
import { GET as COLLECTIONS } from '../app/api/features/collections/route.ts';
import { GET as CONFORMANCE } from '../app/api/features/conformance/route.ts';
import { GET as LANDING } from '../app/api/features/route.ts';
import { GET as PATH_FEED } from '../app/api/feeds/[token]/[...file]/route.ts';
import { GET as AIRCRAFT } from '../app/api/feeds/aircraft.json/route.ts';
import { GET as RECEIVER } from '../app/api/feeds/receiver.json/route.ts';

const ROUTES: readonly (readonly [RegExp, (request: Request) => Promise<Response>])[] = [
  [/^\/api\/features$/, LANDING],
  [/^\/api\/features\/api$/, API],
  [/^\/api\/features\/conformance$/, CONFORMANCE],
  [/^\/api\/features\/collections$/, COLLECTIONS],
  [/^\/api\/features\/collections\/[^/]+$/, COLLECTION],
  [/^\/api\/features\/collections\/[^/]+\/items$/, ITEMS],
  [/^\/api\/features\/collections\/[^/]+\/items\/[^/]+$/, ITEM],
  [/^\/api\/feeds\/aircraft\.json$/, AIRCRAFT],
  [/^\/api\/feeds\/receiver\.json$/, RECEIVER],
  [/^\/api\/feeds\/[^/]+\/.+$/, PATH_FEED],
];

const runtimeSymbol = Symbol.for('lookout.runtime');
const holder = globalThis as { [runtimeSymbol]?: unknown };
export const OUTPUTS_AT: UpstreamInstant = upstreamInstant(Date.UTC(2026, 10, 27, 12));

/** The routes of the outputs over HTTP, with stores of their own, until the test ends. */
export async function servedOutputs({ hasSignIn = true } = {}) {
  const database = await memoryDatabase();
  const snapshots = new AreaSnapshots();
  const logged: string[] = [];
  let elapsedMs = 0;
  let made = 0;
  const times = {
    now: () => localInstant(Date.UTC(2026, 10, 27, 12)),
    monotonicMs: () => {
      elapsedMs += 10_000;
      return elapsedMs;
    },
  };
  const readTokens = new ReadTokens({ database, ...times, part: strictSupervisor().part('read_tokens') });
  const parts = {
    log: pino({ level: 'debug' }, new Writable({ write: (line, _, done) => done(void logged.push(String(line))) })),
    config: { publicOrigin: undefined },
    sessions: hasSignIn ? {} : undefined,
    clock: { now: () => OUTPUTS_AT, nowForAges: () => OUTPUTS_AT },
    snapshots,
    readTokens,
    zones: new Zones(database, () => OUTPUTS_AT),
    watched: new WatchedLedger(
      database,
      { all: [] },
      () => OUTPUTS_AT,
      () => [],
    ),
    alarms: new Alarms(database, () => OUTPUTS_AT),
    work: new Work(),
  };
  holder[runtimeSymbol] = parts;
  const server = createServer(async ({ url = '/', method = 'GET', headers }, response) => {
    const { host, authorization } = headers;
    const request = new Request(`http://${host}${url}`, {
      method,
      headers: { host: host ?? '', ...(authorization && { authorization }) },
    });
    const route = ROUTES.find(([path]) => path.test(new URL(request.url).pathname));
    const answer = await route?.[1](request);
    response.writeHead(answer?.status ?? 404, Object.fromEntries(answer?.headers ?? []));
    response.end(Buffer.from((await answer?.arrayBuffer()) ?? new ArrayBuffer(0)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    delete holder[runtimeSymbol];
    server.closeAllConnections();
    server.close();
    parts.alarms.close();
    await database.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const token = async (change: Partial<NewReadToken> = {}) => {
    made++;
    return (await readTokens.make({ ...ANY_TOKEN, name: `token ${made}`, ...change }, 'Ada')).secret;
  };
  return {
    url,
    database,
    logged,
    token,
    zones: parts.zones,
    /** As read 5 s ago. */
    receive(layer: Layer, bbox: Bbox, positions: readonly Partial<Position>[], reception?: Reception) {
      const fetchedAt = addMs(OUTPUTS_AT, -5000);
      const observed = positions.map((each): Position => ({ ...plainPosition, observedAt: fetchedAt, ...each }));
      snapshots.put({
        area: { key: `${layer} ${bbox.west}`, layer, bbox },
        positions: new Map(observed.map((position) => [position.ref, position])),
        fetchedAt,
        readAt: fetchedAt,
        incomplete: undefined,
        unreadable: 0,
        reception,
      });
    },
    get: (path: string, secret?: string) =>
      fetch(`${url}${path}`, secret === undefined ? {} : { headers: { authorization: `Bearer ${secret}` } }),
  };
}

const ANY_TOKEN: NewReadToken = {
  name: '',
  scopes: ['aircraft', 'features'],
  area: null,
  altitude_as: null,
  ends_at: null,
  requests_a_minute: 120,
  history_requests_a_day: 0,
  view: null,
};
