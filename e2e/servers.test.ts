import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, fetch as fetchOver } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BODY_MAX_BYTES } from '#lib/api/error-code.ts';
import { type EndLine, historyLineSchema } from '#lib/api/history-line.ts';
import { FRESH_MAX_MS } from '#lib/api/layer-state.ts';
import { ask, cookieOf, expectRefusal } from '#testing/api-requests.ts';
import { eventually } from '#testing/eventually.ts';
import { freePort } from '#testing/free-port.ts';
import { iso, pastWindow } from './driver/past-window.ts';
import { runOperator } from './running/operators.ts';
import { canStartServers, type RunningServers, type Server, startServers } from './running/running-servers.ts';

/** Some answer always runs; `npm run bench -- servers-rolling` has more. */
const VIEWERS = 10;
const OPERATORS = ['ada', 'ben', 'cleo', 'dora', 'emil', 'fay'];
const COLD_READS = 30;
const UPSTREAM_MS = 500;
/** Of a picture, after several refreshes were due. */
const AGED_MS = 3000;
/** Longer than a takeover. */
const SLOW_MS = 3000;
/** A page reads each second; its areas stay wanted for longer. */
const GREEDY_MS = 2000;
/** Parts of a load in flight. */
const UNDER_WAY = 2;
/** nginx connects to Lookout from another address. */
const CLIENT = '127.0.0.2';

let all: RunningServers;
let greedy: ReturnType<typeof sixGreedyOperators>;
let remaining: readonly Server[];
const metricsPorts = new Map<Server, Promise<number>>();

/** Once it was replaced. */
function metricsPortOf(server: Server): Promise<number> {
  const port = metricsPorts.get(server) ?? freePort();
  metricsPorts.set(server, port);
  return port;
}

const SERVERS = [0, 1, 2] as const;
const serverAt = (index: number) => all.servers[index] as Server;

const operator = (name: string) => {
  const found = all.operators.find((each) => each.name === name);
  if (found === undefined) throw new Error(`${name} is no operator`);
  return found;
};

const signedIn = (name: string) => cookieOf(serverAt(0), operator(name), { origin: all.url });

class At {
  readonly #url: string;
  readonly #cookie: string;

  constructor(url: string, cookie: string) {
    this.#url = url;
    this.#cookie = cookie;
  }

  ask(method: string, path: string, body?: object) {
    return ask(`${this.#url}${path}`, { method, headers: { cookie: this.#cookie, origin: all.url }, body });
  }

  async views(): Promise<readonly { readonly id: string; readonly name: string }[]> {
    return (await this.ask('GET', '/api/views')).json().views;
  }

  async audited(query = ''): Promise<readonly string[]> {
    const { entries } = (await this.ask('GET', `/api/admin/audit${query}`)).json();
    return entries.map(({ id }: { id: string }) => id);
  }

  async statusOfLive(): Promise<number> {
    return (await this.ask('GET', '/api/live?bbox=8,46,9,47&page=status')).status;
  }
}

/** One session at every server. */
async function everywhere(name: string): Promise<readonly [At, At, At]> {
  const cookie = await signedIn(name);
  return [new At(serverAt(0).url, cookie), new At(serverAt(1).url, cookie), new At(serverAt(2).url, cookie)];
}

/** @returns when it was read, and whether it is called fresh */
async function pictureAt({ url }: Server, cookie: string, page: string) {
  const path = `/api/live?bbox=8,46,9,47&layers=adsb&page=${page}`;
  const answer = await ask(`${url}${path}`, { headers: { cookie } });
  expect(answer.status, answer.text).toBe(200);
  const { as_of, layers } = answer.json();
  const { state, reason, fetched_at, records } = layers.adsb;
  const fetchedMs = fetched_at === null ? 0 : Date.parse(fetched_at);
  const ageMs = Date.parse(as_of) - fetchedMs;
  if (state === 'fresh') expect(ageMs).toBeLessThanOrEqual(FRESH_MAX_MS);
  return { fetchedMs, ageMs, reason, records: records.length };
}

async function allRead(servers: readonly Server[], cookie: string, sinceMs: number): Promise<void> {
  for (const server of servers)
    await eventually(async () =>
      expect((await pictureAt(server, cookie, `after-${server.name}`)).fetchedMs).toBeGreaterThan(sinceMs),
    );
}

/** Half an hour of aircraft, read line by line. */
async function openedLoad(url: string, cookie: string) {
  const { start, end } = pastWindow(30, 20);
  const address = `${url}/api/history?bbox=7,46,9,48&layers=adsb&start=${iso(start)}&end=${iso(end)}`;
  const answer = await fetch(address, { headers: { accept: 'application/x-ndjson', cookie } });
  expect(answer.status).toBe(200);
  const lines: ReturnType<typeof historyLineSchema.parse>[] = [];
  const whole = (async () => {
    let rest = '';
    for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const texts = (rest + chunk).split('\n');
      rest = texts.pop() ?? '';
      for (const each of texts) lines.push(historyLineSchema.parse(JSON.parse(each)));
    }
  })();
  return {
    made: () =>
      Math.max(0, ...lines.map((line) => (line.type === 'progress' ? (line.layers.adsb?.requests_made ?? 0) : 0))),
    async end() {
      await whole;
      return lines.at(-1) as EndLine;
    },
  };
}

/** @returns the next writer */
async function takenOver(fence: number): Promise<Server> {
  const lease = await eventually(async () => {
    const next = await all.writerLease();
    expect(next.fence).toBeGreaterThan(fence);
    return next;
  }, 20);
  return lease.writer;
}

/** Takes a minute, nearly all of it waiting. @returns the service's requests of each minute */
async function sixGreedyOperators() {
  const perMinute = 30;
  const few = await startServers({
    servers: 2,
    operators: OPERATORS,
    service: { options: ['--allowance', `${perMinute},86400`] },
  });
  try {
    const cookies: string[] = [];
    for (const each of few.operators) cookies.push(await cookieOf(few, each));
    /** 120 requests, the allowance of four minutes. */
    const openAll = () =>
      Promise.all(
        Array.from({ length: 60 }, async (_, index) => {
          const west = -170 + 5 * index;
          const url = `${few.servers[index % 2]?.url}/api/live?bbox=${west},40,${west + 1},41&page=${index}`;
          expect((await ask(url, { headers: { cookie: cookies[index % 6] ?? '' } })).status).toBe(200);
        }),
      );
    while ((await few.service.requests()).length <= (2 / 3) * perMinute) {
      await openAll();
      await delay(GREEDY_MS);
    }
    await openAll();
    const byMinute = Map.groupBy(await few.service.requests(), ({ received_at }) => received_at.slice(0, 16));
    return { perMinute, byMinute: [...byMinute.values()].map(({ length }) => length) };
  } finally {
    await few.stop();
  }
}

describe.skipIf(!canStartServers())('Three servers behind nginx', () => {
  beforeAll(async () => {
    all = await startServers({
      servers: 3,
      operators: OPERATORS,
      service: { options: ['--allowance', '600,200000'] },
      hasStandby: true,
      tls: true,
    });
    greedy = sixGreedyOperators();
    greedy.catch(() => undefined);
  });
  afterAll(() => all?.stop());

  describe('Through nginx', () => {
    let session: string;
    const throughNginx = async (path: string, headers: Readonly<Record<string, string>> = {}, body?: string) => {
      const { host, port, pathname, search } = new URL(path, all.url);
      const sent = httpsRequest({
        host: '127.0.0.1',
        servername: 'localhost',
        port,
        path: pathname + search,
        ca: all.ca,
        localAddress: CLIENT,
        agent: false,
        method: body === undefined ? 'GET' : 'POST',
        headers: { host, 'x-forwarded-for': '192.0.2.1', ...headers },
      });
      sent.end(body);
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      return answer;
    };

    test('a request without TLS is led to TLS', async () => {
      const plain = await ask(`${all.plainUrl}/?view=47,8,8`);
      expect([plain.status, plain.headers.location]).toEqual([301, 'https://127.0.0.1/?view=47,8,8']);
    });

    test('a session is bound to TLS, and the audit has the address of the client, however it is forged', async () => {
      const ada = operator('ada');
      const answer = await throughNginx(
        '/api/session',
        { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
        JSON.stringify({ name: ada.name, password: ada.password }),
      );
      expect(answer.statusCode).toBe(204);
      const cookies = answer.headers['set-cookie'] ?? [];
      const cookie = cookies.find((each) => each.startsWith('__Host-lookout=')) ?? '';
      expect(cookie).toMatch(/; Secure/i);
      expect(answer.headers['strict-transport-security']).toMatch(/max-age=\d{7,}/);
      session = cookie.split(';')[0] ?? '';
      // The audit is written after the answer.
      await eventually(async () =>
        expect(await all.database.rows("select address from audit_event where kind = 'signed_in'")).toEqual([
          { address: CLIENT },
        ]),
      );
    });

    test('the first line of a load arrives while the upstream has not answered yet', async () => {
      const { start, end } = pastWindow(1);
      await all.service.breakWith({ kind: 'hold', operation: 'history_adsb' });
      const load = await throughNginx(`/api/history?bbox=7,46,9,48&layers=adsb&start=${iso(start)}&end=${iso(end)}`, {
        accept: 'application/x-ndjson',
        cookie: session,
      });
      expect(load.statusCode).toBe(200);
      const [chunk] = (await once(load, 'data')) as [Buffer];
      expect(chunk.toString()).toContain('"type":"progress"');
      expect(load.complete).toBe(false);
      await all.service.mend();
      load.destroy();
    });

    test('the largest body of the API reaches Lookout, and a larger one is refused', async () => {
      const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', cookie: session };
      const send = (bytes: number) =>
        throughNginx('/api/admin/destinations', headers, `{"name":"${'x'.repeat(bytes - 11)}"}`);
      const fits = await send(BODY_MAX_BYTES);
      expect([fits.statusCode, await text(fits)]).toEqual([403, expect.stringContaining('not_permitted')]);
      expect((await send(2 * BODY_MAX_BYTES)).statusCode).toBe(413);
    });

    test('addresses for operations are not passed on', async () => {
      for (const path of ['/metrics', '/readyz']) {
        const answer = await throughNginx(path);
        expect(answer.statusCode).toBe(404);
        expect(await text(answer)).toContain('nginx');
      }
    });
  });

  test('A session is valid at all servers, and ends at all when one ends it', async () => {
    const bens = await everywhere('ben');
    for (const at of bens) expect(await at.statusOfLive()).toBe(200);
    expect((await bens[0].ask('DELETE', '/api/session')).status).toBe(204);
    for (const at of bens) await eventually(async () => expect(await at.statusOfLive()).toBe(401), 20);
  });

  test('Cold reads at all servers are one refresh of each layer', async () => {
    const cookie = await signedIn('ada');
    await all.service.breakWith({ kind: 'slow', delay_ms: UPSTREAM_MS });
    await Promise.all(
      Array.from({ length: COLD_READS }, async (_, read) => {
        const path = `/api/live?bbox=-60,40,-59,41&page=cold-${read}`;
        expect((await ask(`${serverAt(read % 3).url}${path}`, { headers: { cookie } })).status).toBe(200);
      }),
    );
    await all.service.mend();
    for (const layer of ['live_rid', 'live_adsb'] as const) {
      const sent = (await all.service.requestsFor(layer)).filter(({ query }) =>
        /bbox=-6\d/.test(decodeURIComponent(query)),
      );
      const firstMs = Math.min(...sent.map(({ received_at }) => Date.parse(received_at)));
      expect(sent.filter(({ received_at }) => Date.parse(received_at) < firstMs + UPSTREAM_MS)).toHaveLength(1);
    }
  });

  describe('Of an admin and an operator', () => {
    let adas: readonly [At, At, At];
    let bens: readonly [At, At, At];
    beforeAll(async () => {
      bens = await everywhere('ben');
    });

    test('a role that the command gives holds at all servers', async () => {
      expectRefusal(await bens[1].ask('GET', '/api/admin/audit'), 403, 'not_permitted');
      expect(await runOperator(operator('ada').at, ['role', 'ada', 'admin'])).toMatchObject({ code: 0 });
      adas = await everywhere('ada');
      for (const at of adas) expect((await at.ask('GET', '/api/admin/audit')).status).toBe(200);
    });

    test('a view that one server saves can be renamed at the other, and its name is taken at both', async () => {
      const made = await bens[0].ask('POST', '/api/views', { name: 'Gate', query: '?view=47,8,9', shared: true });
      expect(made.status).toBe(201);
      const { id } = made.json();
      expect(await bens[1].views()).toMatchObject([{ id, name: 'Gate' }]);
      expect(await adas[1].views()).toMatchObject([{ id, name: 'Gate', mine: false }]);
      const again = await bens[1].ask('POST', '/api/views', { name: 'Gate', query: '?view=47,8,9' });
      expectRefusal(again, 409, 'name_taken');
      expect((await bens[1].ask('PATCH', `/api/views/${id}`, { name: 'North gate' })).status).toBe(200);
      for (const at of bens) expect(await at.views()).toMatchObject([{ id, name: 'North gate' }]);
    });

    test('a confirmation at one server lets the other change passkeys', async () => {
      expectRefusal(await bens[1].ask('POST', '/api/account/passkeys/options'), 428, 'not_confirmed');
      const { password } = operator('ben');
      expect((await bens[0].ask('POST', '/api/account/confirmation', { password })).status).toBe(204);
      expect((await bens[1].ask('GET', '/api/account')).json().passkeys.confirmed).toBe(true);
    });

    test('a load through one server is counted and audited at the other', async () => {
      const { start, end } = pastWindow(3);
      const path = `/api/history?bbox=8,46,8.5,46.5&layers=adsb&start=${iso(start)}&end=${iso(end)}`;
      const today = () => iso(Date.now()).slice(0, 10);
      const day = today();
      expect((await bens[0].ask('GET', path)).text).toContain('"type":"end"');
      const spent = async (at: At) => {
        const { people } = (await at.ask('GET', '/api/admin/people')).json();
        return people.find(({ id }: { id: string }) => id === 'ben').spent_today.past;
      };
      // Midnight UTC begins a day without any.
      await eventually(async () => expect((await spent(adas[1])) > 0 || today() !== day).toBe(true));
      // The writer writes its counts once a second.
      await eventually(async () => expect(await spent(adas[0])).toBe(await spent(adas[1])));
      await eventually(async () =>
        expect((await adas[1].ask('GET', '/api/admin/audit?kind=past_loaded&operator=ben')).json()).toMatchObject({
          entries: [{ operator: { id: 'ben' } }],
        }),
      );
      await eventually(async () => expect(await adas[0].audited()).toEqual(await adas[1].audited()));
    });

    test('while PostgreSQL is lost, the picture ages, nothing is requested, no view is saved, and no operator signs in', async () => {
      const cookie = await signedIn('ada');
      // A server lets a known session read for a minute.
      for (const server of all.servers) await pictureAt(server, cookie, 'lost');
      all.database.stop();
      for (const server of all.servers)
        await eventually(async () =>
          expect(await pictureAt(server, cookie, 'lost')).toMatchObject({ reason: 'database_lost' }),
        );
      await all.service.forgetRequests();
      const view = { name: 'Apron', query: '?view=47,8,9' };
      expectRefusal(await bens[0].ask('POST', '/api/views', view), 503, 'database_lost');
      const { name, password } = operator('ben');
      const guess = { method: 'POST', headers: { origin: all.url }, body: { name, password } };
      expectRefusal(await ask(`${serverAt(1).url}/api/session`, guess), 503, 'database_lost');
      for (const server of all.servers)
        await eventually(async () => {
          const { ageMs, records } = await pictureAt(server, cookie, 'lost');
          expect(ageMs).toBeGreaterThan(AGED_MS);
          expect(records).toBeGreaterThan(0);
        });
      expect(await all.service.requests()).toEqual([]);
      all.database.start();
      await allRead(all.servers, cookie, Date.now());
      await eventually(async () =>
        expect((await bens[0].ask('PUT', '/api/views/start', { id: null })).status).toBe(204),
      );
    });

    test('all servers are replaced one after the other: no answer fails, another one becomes the writer, and every session, view and audit entry remains', async () => {
      const cookie = await signedIn('cleo');
      const dispatcher = new Agent({ connect: { ca: all.ca ?? '' } });
      const statuses = new Map<number, number>();
      let isOver = false;
      const get = async (path: string) => {
        const answer = await fetchOver(all.url + path, { headers: { cookie }, dispatcher });
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        return answer.text();
      };
      const view = async (index: number) => {
        for (let round = 0; !isOver; round++) {
          const west = 7 + ((index + round) % 10) / 10;
          await get(`/api/live?bbox=${west},46,${west + 1},47&page=viewer-${index}`);
          await delay(500);
        }
      };
      const { start, end } = pastWindow(3);
      const loads = async () => {
        while (!isOver) {
          const past = await get(`/api/history?bbox=8,46,8.5,46.5&layers=adsb&start=${iso(start)}&end=${iso(end)}`);
          expect(past).toContain('"type":"end"');
          await delay(200);
        }
      };
      const until = `?until=${iso(Date.now())}`;
      const audited = await adas[0].audited(until);
      const processes = all.servers.map(({ app }) => app.pid);
      const traffic = Promise.all([...Array.from({ length: VIEWERS }, (_, index) => view(index)), loads()]);
      let handovers = 0;
      for (const server of all.servers) {
        const { fence, writer } = await all.writerLease();
        const stopped = all.stopServer(server);
        if (writer === server) {
          expect(await takenOver(fence)).not.toBe(server);
          handovers++;
        }
        await stopped;
        await all.start(server, { DRAIN_SECONDS: '3', METRICS_PORT: String(await metricsPortOf(server)) });
      }
      expect(handovers).toBeGreaterThan(0);
      isOver = true;
      await traffic;
      await dispatcher.close();
      expect([...statuses.keys()]).toEqual([200]);
      expect(all.servers.filter(({ app }) => processes.includes(app.pid))).toEqual([]);
      for (const index of SERVERS) {
        expect(await adas[index].audited(until)).toEqual(expect.arrayContaining([...audited]));
        for (const at of [adas[index], bens[index]]) expect(await at.views()).toMatchObject([{ name: 'North gate' }]);
      }
    });
  });

  test('Six greedy operators at two servers are refused no request', async () => {
    const { byMinute, perMinute } = await greedy;
    expect(Math.max(...byMinute)).toBeLessThanOrEqual(perMinute);
  });

  describe('After all were replaced', () => {
    test('every server reads again once PostgreSQL fails over to its standby', async () => {
      const cookie = await signedIn('ada');
      for (const server of all.servers) await pictureAt(server, cookie, 'primary');
      const { fence } = await all.writerLease();
      all.database.failOver();
      await allRead(all.servers, cookie, Date.now());
      expect((await all.writerLease()).fence).toBeGreaterThanOrEqual(fence);
    });

    test('another server is the writer after SIGKILL of the writer; a load continues, and pays no part twice but those in flight', async () => {
      const cookie = await signedIn('ada');
      const { fence, writer } = await all.writerLease();
      remaining = all.servers.filter((each) => each !== writer);
      const history = async () =>
        (await all.service.requests()).filter(({ operation }) => operation === 'history_adsb');
      // Earlier loads may have been paid twice too, when their writer was replaced.
      const earlier = (await history()).length;
      const asked = async () => (await history()).slice(earlier);
      await all.service.breakWith({ kind: 'slow', delay_ms: SLOW_MS, operation: 'history_adsb' });
      const load = await openedLoad(remaining[0]?.url ?? '', cookie);
      await eventually(async () => {
        expect((await asked()).length).toBeGreaterThan(4);
        expect(load.made()).toBeGreaterThan(0);
      });
      const madeBefore = load.made();
      await all.kill(writer);
      const killedMs = Date.now();
      // It keeps the recorded requests.
      await all.service.mend();
      expect(await takenOver(fence)).not.toBe(writer);
      const { adsb } = (await load.end()).layers;
      expect(adsb).toMatchObject({ complete: true, gaps: [] });
      const requests = await asked();
      const parts = new Set(requests.map(({ query }) => query));
      expect(requests.length - parts.size).toBeLessThanOrEqual(UNDER_WAY);
      // The reader does not know of lost answers, nor of later requests of the next writer.
      expect(adsb?.requests).toBeGreaterThan(madeBefore);
      expect(adsb?.requests).toBeLessThanOrEqual(requests.length);
      await allRead(remaining, cookie, killedMs);
    });

    test('a server is not ready after SIGTERM, and answers for DRAIN_SECONDS', async () => {
      const stopped = [];
      for (const server of remaining) {
        const metrics = await ask(`http://127.0.0.1:${await metricsPortOf(server)}/metrics`);
        expect(metrics.text).toContain('lookout_database_usable 1');
        stopped.push(all.stopServer(server));
        const readiness = await eventually(async () => {
          const answer = await ask(`${server.url}/readyz`);
          expect(answer.status).toBe(503);
          return answer.json();
        });
        expect(readiness).toMatchObject({ ready: false, missing: ['leaving'] });
        expect((await ask(`${server.url}/healthz`)).status).toBe(200);
      }
      await Promise.all(stopped);
      for (const { url } of remaining) await expect(ask(`${url}/healthz`)).rejects.toThrow('ECONNREFUSED');
    });
  });
});
