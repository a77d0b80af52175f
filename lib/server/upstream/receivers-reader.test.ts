import type { RequestListener } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { localInstant } from '#lib/time/instant.ts';
import { ReceiversReader } from './receivers-reader.ts';
import { makeStatusSocket, type StatusSocket } from './status-socket.fixture.ts';

const STATUS = {
  at: '2026-11-23T12:00:00Z',
  feeds: [
    {
      id: 'roof',
      url: 'http://pi.local/tar1090',
      aggregates: false,
      simulated: false,
      state: 'connecting',
      since: '2026-11-23T11:59:00Z',
      problem: null,
      last_heard_at: null,
      last_position_at: null,
      positions_per_minute: 0,
      refused: {},
      not_served: {},
      clock_error_ms: null,
      clock_is_used: null,
      deaf: null,
    },
  ],
  problems: [],
  clock_set: null,
  past: null,
};

let socket: StatusSocket;
let nowMs = 0;
beforeEach(() => {
  socket = makeStatusSocket();
  nowMs = Date.UTC(2026, 10, 23, 12);
});
afterEach(() => socket.remove());

const reader = (timeoutMs?: number) => new ReceiversReader(socket.path, () => localInstant(nowMs), timeoutMs);
const times = (hhmm: string) => `2026-11-23T${hhmm}:00.000Z`;

test('the status is passed on without the places that the service tells with it', async () => {
  const feed = { ...STATUS.feeds[0], lat: 47.1, station: { lat: 47.1, lon: 8.1 } };
  const reported = { ...STATUS, feeds: [feed], view: { lat: 47.1, lon: 8.1, zoom: 9 } };
  await socket.serve((_, response) => response.end(JSON.stringify(reported)));
  expect(await reader().read()).toEqual({ as_of: times('12:00'), status: STATUS, failure: null });
});

test('shows the last status that was read, with the cause and since when, until it can be read again', async () => {
  const answers: RequestListener[] = [
    (_, response) => response.end(JSON.stringify(STATUS)),
    (_, response) => response.end('<html>'),
    (_, response) => response.end(JSON.stringify({ ...STATUS, at: 'yesterday' })),
    (_, response) => response.end(Buffer.alloc(2 * 1024 * 1024, ' ')),
    (request) => request.socket.destroy(),
    (_, response) => response.end(JSON.stringify(STATUS)),
    (_, response) => response.writeHead(200, { 'content-length': '1000' }).write('{"at":', () => response.destroy()),
  ];
  await socket.serve((request, response) => answers.shift()?.(request, response));
  const receivers = reader();
  const causes: unknown[] = [];
  while (answers.length > 0) {
    const { status, failure } = await receivers.read();
    expect(status).toEqual(STATUS);
    causes.push(failure && [failure.cause, failure.since]);
    nowMs += 60_000;
  }
  expect(causes).toEqual([
    null,
    ['unreadable', times('12:01')],
    ['unreadable', times('12:01')],
    ['unreadable', times('12:01')],
    ['no_answer', times('12:01')],
    null,
    ['no_answer', times('12:06')],
  ]);
});

test('distinguishes a service that is missing, killed, silent or never finishes from one without receivers', async () => {
  const never = { status: null, as_of: times('12:00') };
  expect(await reader().read()).toEqual({ ...never, failure: { cause: 'not_running', since: times('12:00') } });
  const answers: RequestListener[] = [() => {}, (_, response) => response.write('{"at":')];
  await socket.serve((request, response) => answers.shift()?.(request, response));
  for (const _ of [1, 2]) {
    expect(await reader(50).read()).toEqual({ ...never, failure: { cause: 'no_answer', since: times('12:00') } });
  }
});

test('shares one request among simultaneous readers, and makes none without a reader', async () => {
  let requests = 0;
  await socket.serve((_, response) => {
    requests += 1;
    response.end(JSON.stringify(STATUS));
  });
  const receivers = reader();
  const answers = await Promise.all([receivers.read(), receivers.read(), receivers.read()]);
  expect(new Set(answers).size).toBe(1);
  await receivers.read();
  expect(requests).toBe(2);
});

test('hours are read with their nulls, and a failure gives its cause in place of them', async () => {
  const station = {
    id: 'roof',
    recorded_s: [null, 1800],
    not_connected_s: [null, 0],
    silent_s: [null, 12],
    positions: [null, 0],
    alone: [null, 0],
    clock_error_ms: [null, -40],
    clock_spread_ms: [null, 3],
    simulated: [null, false],
  };
  const report = { at: times('12:00'), first_hour_at: times('11:00'), hours: 2, problem: null, stations: [station] };
  const answers = [JSON.stringify({ ...report, view: { lat: 47.1 } }), JSON.stringify(STATUS)];
  const asked: (string | undefined)[] = [];
  await socket.serve((request, response) => {
    asked.push(request.url);
    response.end(answers.shift());
  });
  expect(await reader().readHours('24')).toEqual({ as_of: times('12:00'), report, failure: null });
  expect(await reader().readHours('720')).toEqual({ as_of: times('12:00'), report: null, failure: 'unreadable' });
  expect(asked).toEqual(['/hours?last=24', '/hours?last=720']);
});
