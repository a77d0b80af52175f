import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectAsync } from 'mqtt';
import { describe, expect, type TestContext, test } from 'vitest';
import type { Layer } from '#lib/contract/operation.ts';
import { pastReceptionSchema, receptionSchema, type WireReception } from '#lib/contract/reception.ts';
import { formatInstant, upstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { eventually } from '#testing/eventually.ts';
import { freePort } from '#testing/free-port.ts';
import { startMosquitto } from '#testing/mosquitto.ts';
import { keyDigest } from '../../accounts/api-key.ts';
import { listen } from '../../http/listen.ts';
import { MemoryPast } from '../../past/memory-past.ts';
import { startService } from '../../server/start-service.ts';
import type { FeedSettings, ReadFeeds } from '../feeds/feed.ts';
import { makePushDesk } from '../feeds/push-desk.ts';
import { readFeedsFile } from '../feeds/read-feeds-file.ts';
import { readReceivers } from '../feeds/read-receivers.ts';
import { openReceivers } from '../open-receivers.ts';
import { dronescoutPayload } from '../parsers/dronescout-payload.fixture.ts';
import { readsbRow } from '../parsers/readsb-row.fixture.ts';
import { sbsLine } from '../parsers/sbs-line.fixture.ts';
import { startPushListener } from '../start-push-listener.ts';
import { makeFasterSurroundings } from './faster-surroundings.fixture.ts';

// Each waits for seconds of its clocks, so several wait at once.
type Finished = TestContext['onTestFinished'];

const HERE = '5,45,11,49';
const EVERY_MS = 20;

/** A service over these receivers, eight times as fast as the clock. */
async function serving(onTestFinished: Finished, read: ReadFeeds, pushDesk = makePushDesk()) {
  const time = makeFasterSurroundings();
  if (!read.ok) throw new Error(read.problems.join());
  const receivers = await openReceivers({
    choice: { kind: 'list', feeds: read.feeds as readonly FeedSettings[] },
    secret: randomBytes(32),
    past: new MemoryPast(),
    surroundings: time.surroundings,
    home: { pushDesk },
    log() {},
  });
  onTestFinished(() => receivers.close());
  const announced: Layer[] = [];
  receivers.source.onChange?.((layer) => announced.push(layer));
  const service = await startService({ source: receivers.source, now: () => upstreamInstant(time.wallMs()) });
  onTestFinished(() => service.close());
  const ask = async (target: string) => {
    const answer = await fetch(`${service.baseUrl}/${target}`, {
      headers: { authorization: `Bearer ${service.apiKey}` },
    });
    return (await answer.json()).reception;
  };
  const reception = async (layer: Layer = 'adsb', bbox = HERE): Promise<WireReception> =>
    receptionSchema.parse(await ask(`live/${layer}?bbox=${bbox}`));
  const becomes = (state: WireReception['state'], ...asked: Parameters<typeof reception>) =>
    eventually(async () => {
      const found = await reception(...asked);
      expect(found.state).toBe(state);
      return { ...found, sinceMs: Date.parse(found.since ?? '') };
    }, EVERY_MS);
  const past = async (layer: Layer, fromMs: number, toMs: number) => {
    const window = [fromMs, toMs].map((ms) => formatInstant(upstreamInstant(ms)));
    return pastReceptionSchema.parse(await ask(`history/${layer}?bbox=6,45,11,49&start=${window[0]}&end=${window[1]}`))
      .stretches;
  };
  return { ...time, ...receivers, announced, reception, becomes, past };
}

const over = (onTestFinished: Finished, ...urls: readonly string[]) =>
  serving(onTestFinished, readReceivers(urls.join(',')));

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** aircraft.json of an aircraft that moves. Its clock runs at the usual pace. */
async function polled(onTestFinished: Finished, { lon = 8, lat = 47, rows = 1 } = {}) {
  let answers: Answer | undefined;
  let restartedMs = 0;
  let server = createServer();
  const port = await freePort();
  const station = {
    url: `http://127.0.0.1:${port}/data/aircraft.json`,
    body(): string {
      // Both of two polls may read one answer.
      const nowMs = Math.floor(Date.now() / 100) * 100;
      const aircraft = Array.from({ length: rows }, (_, index) =>
        readsbRow({
          hex: (0x3c_60_00 + index).toString(16),
          lat: lat + index / 100,
          lon: lon + (nowMs % 100_000) / 1e6,
          seen_pos: 0.1,
        }),
      );
      return JSON.stringify({
        now: nowMs / 1000,
        messages: nowMs - restartedMs,
        aircraft,
      });
    },
    dies(how: Answer): void {
      answers = how;
    },
    returns(): void {
      answers = undefined;
    },
    restarts(): void {
      restartedMs = Date.now();
    },
    async starts(): Promise<void> {
      server = createServer((request, response) => {
        if (answers) answers(response, request);
        else response.end(station.body());
      });
      await listen(server, '127.0.0.1', port);
    },
    async isKilled(): Promise<void> {
      server.closeAllConnections();
      if (server.listening) await new Promise((closed) => server.close(closed));
    },
  };
  await station.starts();
  onTestFinished(station.isKilled);
  return station;
}

const cut: Answer = (response) => response.destroy();
const text =
  (body: string, status = 200): Answer =>
  (response) =>
    response.writeHead(status).end(body);

describe.concurrent('a polled receiver', () => {
  test('is lost from its last answer on when its connection is cut, and back with the next', async ({
    onTestFinished,
  }) => {
    const station = await polled(onTestFinished);
    const { becomes, announced } = await over(onTestFinished, station.url);
    const ok = await becomes('ok');
    expect(ok).toMatchObject({ receivers: 1, receiving: 1 });
    expect(await becomes('none', 'rid')).toMatchObject({ since: null, receivers: 0, receiving: 0 });
    station.dies(cut);
    announced.length = 0;
    const lost = await becomes('lost');
    expect(lost).toMatchObject({ receivers: 1, receiving: 0 });
    expect(lost.sinceMs).toBeGreaterThan(ok.sinceMs);
    await eventually(() => expect(announced).toContain('adsb'));
    station.returns();
    const back = await becomes('ok');
    expect(back.sinceMs).toBeGreaterThan(lost.sinceMs);
    expect(await becomes('none', 'rid')).toMatchObject({ receivers: 0 });
  });

  test('whose process is killed is lost, and back with its next start', async ({ onTestFinished }) => {
    const station = await polled(onTestFinished);
    const { becomes } = await over(onTestFinished, station.url);
    await becomes('ok');
    await station.isKilled();
    await becomes('lost');
    await station.starts();
    station.restarts();
    await becomes('ok');
  });

  test('that was never there is lost since the start', async ({ onTestFinished }) => {
    const { becomes, wallMs } = await over(onTestFinished, `http://127.0.0.1:${await freePort()}/data/aircraft.json`);
    const startedMs = wallMs();
    const lost = await becomes('lost');
    expect(lost.sinceMs).toBeLessThanOrEqual(startedMs);
    expect(startedMs - lost.sinceMs).toBeLessThan(MINUTE_MS);
  });

  const deaths: readonly (readonly [string, (station: Awaited<ReturnType<typeof polled>>) => Answer])[] = [
    ['a file that no program writes any more', (station) => text(station.body())],
    ['empty answers', () => text('')],
    ['web pages', () => text('<!doctype html><title>Setup</title>')],
    ['errors of a proxy', () => text('<html>Bad Gateway</html>', 502)],
    ['redirects to a sign-in', () => (response) => response.writeHead(302, { location: 'http://sso.test/' }).end()],
    ['nothing: its answers hang', () => () => {}],
    [
      'half of an answer, and then waits',
      (station) => (response) => {
        response.writeHead(200, { 'content-length': 5000 }).write(station.body().slice(0, 40));
      },
    ],
    [
      'old answers of two caches in turn',
      (station) => {
        const [one, other] = [station.body(), station.body().replace(/"now":\d+/, '"now":1')];
        let polls = 0;
        return (response) => {
          polls += 1;
          response.end(polls % 2 === 0 ? one : other);
        };
      },
    ],
    ['304 to everything', () => text('', 304)],
    ['an error that it calls an answer', () => text('{"error":"no receiver"}')],
    ['a list without aircraft, as of a program without its radio', () => text('{"messages":0,"aircraft":[]}')],
  ];
  test.for(deaths)('that sends %s is lost, and back with its next true answer', async ([, die], { onTestFinished }) => {
    const station = await polled(onTestFinished);
    const { becomes } = await over(onTestFinished, station.url);
    const ok = await becomes('ok');
    station.dies(die(station));
    const lost = await becomes('lost');
    expect(lost.sinceMs).toBeGreaterThanOrEqual(ok.sinceMs);
    station.returns();
    await becomes('ok');
  });

  // Compares times within a poll.
  test('is partly there if one of three is missing, and lost if all are', { concurrent: false }, async ({
    onTestFinished,
  }) => {
    const stations = [await polled(onTestFinished), await polled(onTestFinished), await polled(onTestFinished)];
    const { becomes } = await over(onTestFinished, ...stations.map(({ url }) => url));
    await becomes('ok');
    stations[0]!.dies(cut);
    const partly = await becomes('partly');
    expect(partly).toMatchObject({ receivers: 3, receiving: 2 });
    stations[1]!.dies(cut);
    await eventually(async () => expect((await becomes('partly')).receiving).toBe(1));
    expect((await becomes('partly')).since).toBe(partly.since);
    stations[2]!.dies(cut);
    const lost = await becomes('lost');
    expect(lost.sinceMs).toBeGreaterThan(partly.sinceMs);
    stations[1]!.returns();
    await becomes('partly');
  });

  test('at two addresses counts once', async ({ onTestFinished }) => {
    const station = await polled(onTestFinished, { rows: 6 });
    const other = station.url.replace('/data/', '/copy/');
    const { becomes, status } = await over(onTestFinished, station.url, other);
    await eventually(() => expect(JSON.stringify(status())).toContain('counts once'));
    await eventually(async () => expect(await becomes('ok')).toMatchObject({ receivers: 1, receiving: 1 }));
    station.dies(cut);
    await becomes('lost');
  });

  test('elsewhere does not count for a box that another one hears', async ({ onTestFinished }) => {
    const here = await polled(onTestFinished, { lon: 8, rows: 10 });
    const there = await polled(onTestFinished, { lon: -100, lat: 40, rows: 10 });
    const { becomes, reception } = await over(onTestFinished, here.url, there.url);
    await eventually(async () => expect(await reception()).toMatchObject({ state: 'ok', receivers: 1 }));
    here.dies(cut);
    expect(await becomes('lost')).toMatchObject({ receivers: 1 });
    expect(await becomes('ok', 'adsb', '-105,35,-95,45')).toMatchObject({ receivers: 1 });
    // No reach is known there, so each could deliver.
    expect(await becomes('partly', 'adsb', '100,-40,110,-30')).toMatchObject({ receivers: 2, receiving: 1 });
  });
});

describe('the past of the reception', () => {
  test('has the loss from the last answer to the next, for each layer', async ({ onTestFinished }) => {
    const station = await polled(onTestFinished);
    const { becomes, past, wallMs } = await over(onTestFinished, station.url);
    // The record is in whole seconds.
    const startMs = (await becomes('ok')).sinceMs + 1000;
    await eventually(() => expect(wallMs()).toBeGreaterThan(startMs + 2000));
    station.dies(cut);
    const lost = await becomes('lost');
    station.returns();
    const back = await becomes('ok');
    await eventually(() => expect(wallMs()).toBeGreaterThan(back.sinceMs + 2000));
    const stretches = await past('adsb', startMs, wallMs() - 1000);
    expect(stretches.map(({ state }) => state)).toEqual(['ok', 'lost', 'ok']);
    expect(Math.abs(Date.parse(stretches[1]!.from) - lost.sinceMs)).toBeLessThan(2000);
    expect(Math.abs(Date.parse(stretches[1]!.to) - back.sinceMs)).toBeLessThan(2000);
    expect((await past('rid', startMs, wallMs() - 1000)).map(({ state }) => state)).toEqual(['none']);
    const before = await past('adsb', startMs - HOUR_MS, startMs - 50 * MINUTE_MS);
    expect(before.map(({ state }) => state)).toEqual(['none']);
  });
});

describe.concurrent('a file of aircraft', () => {
  async function written(onTestFinished: Finished) {
    const folder = await mkdtemp(join(tmpdir(), 'reception-file-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, 'aircraft.json');
    let timer: NodeJS.Timeout | undefined;
    const write = async (now = Date.now()) => {
      await writeFile(`${path}.new`, JSON.stringify({ now: now / 1000, messages: 1, aircraft: [] }));
      await rename(`${path}.new`, path);
    };
    const stop = () => clearInterval(timer);
    const start = () => {
      timer = setInterval(() => void write().catch(() => {}), 60);
    };
    await write();
    start();
    onTestFinished(stop);
    return { path, url: `file://${path}`, write, stop, start };
  }

  test('is lost once its program stops, also behind a newer time of the file, and if it is replaced by an older one', async ({
    onTestFinished,
  }) => {
    const file = await written(onTestFinished);
    const { becomes } = await over(onTestFinished, file.url);
    await becomes('ok');
    file.stop();
    await becomes('lost');
    await file.write(Date.now() - HOUR_MS);
    await utimes(file.path, new Date(), new Date());
    await becomes('lost');
    file.start();
    await becomes('ok');
    file.stop();
    await rm(file.path, { force: true });
    await becomes('lost');
    file.start();
    await becomes('ok');
  });
});

async function sending(onTestFinished: Finished, port: number, line = () => sbsLine({ lat: '47.5', lon: '8.5' })) {
  const sockets = new Set<Socket>();
  let isSilent = false;
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const timer = setInterval(() => {
    if (!isSilent) for (const socket of sockets) socket.write(`${line()}\r\n`);
  }, 60);
  const end = async () => {
    clearInterval(timer);
    for (const socket of sockets) socket.destroy();
    if (server.listening) await new Promise((closed) => server.close(closed));
  };
  onTestFinished(end);
  return {
    end,
    silence(silent: boolean) {
      isSilent = silent;
    },
    /** As a peer that vanished: what is connected stays so, and is never served again. */
    vanish() {
      sockets.clear();
    },
  };
}

describe.concurrent('a receiver with a connection', () => {
  test('is lost when its process is killed, and back with its next line', async ({ onTestFinished }) => {
    const port = await freePort();
    const { end } = await sending(onTestFinished, port);
    const { becomes } = await over(onTestFinished, `sbs://127.0.0.1:${port}`);
    await becomes('ok');
    await end();
    await becomes('lost');
    await sending(onTestFinished, port);
    await becomes('ok');
  });

  test('is lost while it is connected and silent, and not by a connection alone', async ({ onTestFinished }) => {
    const port = await freePort();
    const { silence } = await sending(onTestFinished, port);
    const { becomes, status } = await over(onTestFinished, `sbs://127.0.0.1:${port}`);
    await eventually(() => expect(status().feeds[0]!.messages).toBeGreaterThan(12));
    const lines = status().feeds[0]!.messages;
    silence(true);
    await becomes('lost');
    const problem = 'it has been silent for longer than usual';
    await eventually(() => expect(status().feeds[0]).toMatchObject({ state: 'lost', problem }));
    expect((await becomes('lost')).receiving).toBe(0);
    silence(false);
    await becomes('ok');
    expect(status().feeds[0]!.messages).toBeGreaterThan(lines);
  });

  test('whose host vanished without a word is connected to its next start', async ({ onTestFinished }) => {
    const port = await freePort();
    const { vanish } = await sending(onTestFinished, port);
    const { becomes, status } = await over(onTestFinished, `sbs://127.0.0.1:${port}`);
    await eventually(() => expect(status().feeds[0]!.messages).toBeGreaterThan(12));
    vanish();
    await becomes('lost');
    await becomes('ok');
  });
});

describe.concurrent('a broker', () => {
  const drone = () =>
    dronescoutPayload({ basicIds: [{ idType: 1, id: '1581F5BKD2290000TEST' }], location: { lat: 47, lon: 8 } });
  const status = () => JSON.stringify({ protocol: 1.0, status: { timestamp: Date.now() } });

  async function sensor(onTestFinished: Finished, port: number, message: () => string) {
    const client = await connectAsync(`mqtt://127.0.0.1:${port}`);
    const timer = setInterval(() => client.publish('sensors/roof', message()), 60);
    const kill = async () => {
      clearInterval(timer);
      await client.endAsync(true);
    };
    onTestFinished(kill);
    return kill;
  }

  test.for([
    ['drones', drone],
    ['states of the sensor', status],
  ] as const)(
    'without its sensor, which sent %s, is lost while it is connected',
    async ([, message], { onTestFinished }) => {
      const broker = await startMosquitto();
      onTestFinished(broker.kill);
      const kill = await sensor(onTestFinished, broker.port, message);
      const receivers = await over(onTestFinished, `dronescout+mqtt://127.0.0.1:${broker.port}`);
      const { becomes } = receivers;
      await eventually(() => expect(receivers.status().feeds[0]!.messages).toBeGreaterThan(12));
      await becomes('ok', 'rid');
      await kill();
      await becomes('lost', 'rid');
      await becomes('none', 'adsb');
      await sensor(onTestFinished, broker.port, message);
      await becomes('ok', 'rid');
    },
  );

  test('that is killed is lost, and back with its sensor', async ({ onTestFinished }) => {
    const first = await startMosquitto();
    await sensor(onTestFinished, first.port, drone);
    const receivers = await over(onTestFinished, `dronescout+mqtt://127.0.0.1:${first.port}`);
    await eventually(() => expect(receivers.status().feeds[0]!.messages).toBeGreaterThan(12));
    await first.kill();
    await receivers.becomes('lost', 'rid');
    const again = await startMosquitto({ port: first.port });
    onTestFinished(again.kill);
    await receivers.becomes('ok', 'rid');
  });
});

test.concurrent('a kit that answers without drones is lost once it stops answering', async ({ onTestFinished }) => {
  const port = await freePort();
  const server = createServer((_, response) => response.end('{"drones":[]}'));
  await listen(server, '127.0.0.1', port);
  const end = async () => {
    server.closeAllConnections();
    if (server.listening) await new Promise((closed) => server.close(closed));
  };
  onTestFinished(end);
  const { becomes } = await over(onTestFinished, `dragonsync+http://127.0.0.1:${port}`);
  await becomes('ok', 'rid');
  await end();
  await becomes('lost', 'rid');
});

test.concurrent('a station that stops pushing is lost, for both layers that it can deliver', async ({
  onTestFinished,
}) => {
  const key = randomBytes(32).toString('base64url');
  const digest = Buffer.from(keyDigest(key)).toString('hex');
  const pushDesk = makePushDesk();
  const feeds = [{ id: 'hill', url: 'push://hill', key_sha256: digest }];
  const { becomes, status, written, countsOf, surroundings } = await serving(
    onTestFinished,
    readFeedsFile(JSON.stringify({ feeds })),
    pushDesk,
  );
  const listener = await startPushListener({ stations: pushDesk, written, countsOf, now: surroundings.now });
  onTestFinished(() => listener.close());
  const push = () =>
    fetch(listener.url, { method: 'POST', body: '[]', headers: { authorization: `Bearer ${key}` } }).catch(() => {});
  await becomes('lost', 'rid');
  const start = () => setInterval(() => void push(), 80);
  let timer = start();
  onTestFinished(() => clearInterval(timer));
  await becomes('ok', 'rid');
  await becomes('ok', 'adsb');
  await eventually(() => expect(status().feeds[0]!.messages).toBeGreaterThan(12));
  clearInterval(timer);
  await becomes('lost', 'rid');
  await becomes('lost', 'adsb');
  timer = start();
  await becomes('ok', 'rid');
});
