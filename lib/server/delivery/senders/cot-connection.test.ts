import { afterAll, afterEach, expect, test } from 'vitest';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import { alarmEvent, pingEvent } from '#lib/outputs/cot-events.ts';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { eventually } from '#testing/eventually.ts';
import { alarmOf } from '../../../client/alarms/alarm.fixture.ts';
import { openGuard } from '../guard.ts';
import { COT_TIMES, CotConnection, type CotConnectionOptions, type CotState } from './cot-connection.ts';
import { listenForCot, listenPlainly, makeAuthority } from './tak-listener.fixture.ts';

const authority = makeAuthority();
const strange = makeAuthority();
const server = authority.sign('IP:127.0.0.1,DNS:tak.example');
const client = authority.sign('DNS:lookout');
afterAll(() => {
  authority.end();
  strange.end();
});

const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

const at = upstreamInstant(Date.UTC(2026, 10, 21, 12));
const FAST = { ...COT_TIMES, settleMs: 50, pingMs: 50, silentMs: 150, retryFirstMs: 20, retryMaxMs: 50 };

/** Nothing listens at the first address of a name. */
const guard = openGuard(['loopback'], async () => [{ address: '::1' }, { address: '127.0.0.1' }]);

async function listen(options: Partial<Parameters<typeof listenForCot>[0]> = {}) {
  const listener = await listenForCot({ ...server, ca: authority.cert, ...options });
  endings.push(() => listener.close());
  return listener;
}

function connect(
  port: number,
  { config, ...changed }: Partial<Omit<CotConnectionOptions, 'config'>> & { config?: object } = {},
) {
  const states: CotState[] = [];
  const connection = new CotConnection({
    config: {
      host: '127.0.0.1',
      port,
      server_name: '',
      ca_pem: authority.cert,
      certificate_pem: client.cert,
      ...config,
    },
    keyPem: client.key,
    guard,
    now: () => at,
    random: () => 0.5,
    onState: (state) => states.push(state),
    times: FAST,
    ...changed,
  });
  endings.push(() => connection.close());
  const problems = () => states.flatMap((state) => (state.kind === 'lost' ? [state.problem] : []));
  return { connection, states, problems };
}

const send = (connection: CotConnection, xml = alarmEvent(alarmOf(1), { title: 'Airfield', body: 'entered', at })) =>
  connection.send(xml, new AbortController().signal);
const track = (number: number, ageMs = 0) => ({
  ...plainPosition,
  ref: `RX-A-${number.toString(16).toUpperCase().padStart(16, '0')}`,
  observedAt: addMs(at, -ageMs),
});

test('sends positions and alarms to a listener that requires its client certificate', async () => {
  const { port, events } = await listen();
  const { connection } = connect(port);
  connection.offer([track(1), track(2)]);
  await send(connection);
  await eventually(() => expect(events.map(({ attributes }) => attributes.uid)).toContain(track(2).ref));
  const uids = events.map(({ attributes }) => attributes.uid).filter((uid) => uid !== 'lookout-ping');
  expect(uids, 'alarms first').toEqual([alarmOf(1).id, track(1).ref, track(2).ref]);
  expect(connection.state).toEqual({ kind: 'connected' });
});

test('reaches a server by its address under the name of its certificate', async () => {
  const { port, events } = await listen({ ...authority.sign('DNS:tak.example') });
  const { connection } = connect(port, {
    config: { host: 'anything.example', server_name: 'tak.example' },
  });
  await send(connection);
  await eventually(() => expect(events.length).toBeGreaterThan(0));
});

test.each([
  [
    'a certificate of another authority',
    () => strange.sign('IP:127.0.0.1'),
    'Its certificate is not signed by the given authority.',
  ],
  ['an expired certificate', () => authority.sign('IP:127.0.0.1', -1), 'Its certificate has expired.'],
  ['a certificate for another name', () => authority.sign('DNS:other.example'), 'Its certificate is for another name.'],
])('trusts no server with %s', async (_, certificate, problem) => {
  const { port, events } = await listen(certificate());
  const { connection, problems } = connect(port);
  await expect(send(connection)).rejects.toThrow(problem);
  await eventually(() => expect(problems().length).toBeGreaterThan(1));
  expect(new Set(problems())).toEqual(new Set([problem]));
  await expect(send(connection)).rejects.toThrow(problem);
  expect(events).toEqual([]);
});

test.each(['TLSv1.2', 'TLSv1.3'] as const)(
  'sends nothing over %s before the client certificate is accepted',
  async (maxVersion) => {
    const { port, events } = await listen({ maxVersion });
    const stranger = strange.sign('DNS:lookout');
    const { connection, states } = connect(port, {
      config: { certificate_pem: stranger.cert },
      keyPem: stranger.key,
      times: { ...FAST, settleMs: 500 },
    });
    await expect(send(connection)).rejects.toThrow(/refuses? the client certificate/);
    expect(events).toEqual([]);
    expect(states.map(({ kind }) => kind)).not.toContain('connected');
  },
);

test.each([
  [
    'a key of another certificate',
    { keyPem: strange.sign('DNS:lookout').key },
    'The key is not that of the client certificate.',
  ],
  [
    'a certificate that is none',
    { config: { certificate_pem: 'none' } },
    'The client certificate, its key or the authority is no PEM that can be read.',
  ],
  [
    'a refused address',
    { guard: openGuard([]) },
    '127.0.0.1 has no public address. If it is yours, list its address in OUTPUT_PRIVATE_ADDRESSES.',
  ],
])('names %s', async (_, changed, problem) => {
  const { port } = await listen();
  const { problems } = connect(port, changed);
  await eventually(() => expect(problems()).toContain(problem));
});

test('names what is no TAK server', async () => {
  const spoken = await listenPlainly((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  const silent = await listenPlainly(() => undefined);
  endings.push(spoken.close, silent.close);
  const { problems: ofSpoken } = connect(spoken.port);
  const { problems: ofSilent } = connect(silent.port, { times: { ...FAST, connectMs: 100 } });
  await eventually(() => expect(ofSpoken()).toContain('It does not speak TLS.'));
  await eventually(() => expect(ofSilent()).toContain('It does not answer.'));
  await silent.close();
});

test('reconnects to a server that returns, and refuses alarms while it is away', async () => {
  const first = await listen();
  const { connection, problems } = connect(first.port);
  await send(connection);
  await first.close();
  await eventually(() => expect(problems()).toContain('Nothing listens there.'));
  await expect(send(connection)).rejects.toThrow('Nothing listens there.');
  connection.offer([track(1)]);
  const second = await listen({ port: first.port });
  await eventually(() => expect(second.events.map(({ attributes }) => attributes.uid)).toContain(track(1).ref));
  expect(connection.state).toEqual({ kind: 'connected' });
});

test('backs off from a listener that resets each connection', async () => {
  const listener = await listen();
  const states: CotState[] = [];
  const startedMs = performance.now();
  connect(listener.port, {
    times: { ...FAST, retryMaxMs: 100_000 },
    onState: (state) => {
      states.push(state);
      if (state.kind === 'connected') listener.reset();
    },
  });
  const isLost = ({ kind }: CotState) => kind === 'lost';
  await eventually(() => expect(states.filter(isLost)).toHaveLength(5));
  const lost = { kind: 'lost', problem: 'The connection was cut.' };
  expect(states.filter(isLost)).toEqual([lost, lost, lost, lost, lost]);
  // 20, 40, 80 and 160 ms, each less a quarter.
  expect(performance.now() - startedMs).toBeGreaterThan(225);
});

test('keeps the newest position of each of 20,000 tracks for a listener that does not read', async () => {
  let socketOfListener: { resume(): void } | undefined;
  const read: string[] = [];
  const { port } = await listen({
    onSocket: (socket) => {
      socket.setEncoding('utf8').on('data', (text: string) => read.push(text));
      socket.pause();
      socketOfListener = socket;
    },
  });
  const { connection } = connect(port, { times: { ...FAST, pingMs: 60_000 } });
  await eventually(() => expect(connection.state.kind).toBe('connected'));
  const tracks = Array.from({ length: 20_000 }, (_, number) => number);
  for (const ageMs of [40_000, 30_000, 20_000, 10_000, 0])
    connection.offer(tracks.map((number) => track(number, ageMs)));
  const alarm = send(connection);
  socketOfListener?.resume();
  await alarm;
  await eventually(() => expect(read.join('').match(/<event /g)?.length).toBeGreaterThan(20_000));
  const events = read.join('').split('</event>');
  const newest = events.filter((event) => event.includes('time="2026-11-21T12:00:00.000Z"'));
  expect(new Set(newest.flatMap((event) => event.match(/uid="(RX-[^"]+)"/)?.[1] ?? [])).size).toBe(20_000);
  const alarmAt = events.findIndex((event) => event.includes('type="b-a"'));
  expect(alarmAt, 'the alarm does not wait for all positions').toBeLessThan(19_000);
  // Each track once, after the contents of the kernel's buffers.
  expect(events.length).toBeLessThan(45_000);
});

test('drops positions that are stale by the time they can be sent', async () => {
  const { port, events } = await listen();
  const { connection } = connect(port);
  connection.offer([track(1, 61_000), track(2)]);
  await eventually(() => expect(events.map(({ attributes }) => attributes.uid)).toContain(track(2).ref));
  expect(events.map(({ attributes }) => attributes.uid)).not.toContain(track(1).ref);
});

test('gives up a connection whose peer no longer reads', async () => {
  const { port } = await listen({ onSocket: (socket) => socket.pause() });
  const { connection, problems } = connect(port);
  await eventually(() => expect(connection.state.kind).toBe('connected'));
  connection.offer(Array.from({ length: 30_000 }, (_, number) => track(number)));
  await eventually(() => expect(problems()).toContain('It no longer reads.'));
});

test('gives up a half-open connection of a server that answered before', async () => {
  const { port, sockets } = await listen({ answersPings: true });
  const { connection, problems } = connect(port);
  await eventually(() => expect(connection.state.kind).toBe('connected'));
  await expect.poll(() => sockets.size).toBe(1);
  await eventually(() => expect([...sockets][0]?.bytesWritten).toBeGreaterThan(0));
  await send(connection);
  for (const socket of sockets) socket.removeAllListeners('data').resume();
  await expect(send(connection), 'an alarm that was not confirmed did not arrive').rejects.toThrow('was cut');
  await eventually(() => expect(problems()).toContain('It no longer answers.'));
});

test('keeps a server that never answers pings', async () => {
  const { port, events, ...listener } = await listen();
  connect(port);
  const pings = () => events.filter(({ attributes }) => attributes.type === 't-x-c-t').length;
  await eventually(() => expect(pings()).toBeGreaterThan(10));
  expect(listener.connections).toBeLessThanOrEqual(1);
});

test('stops waiting for an alarm when the signal ends it', async () => {
  const { port } = await listen();
  const { connection } = connect(port, { times: { ...FAST, settleMs: 100_000 } });
  const controller = new AbortController();
  const sent = connection.send(pingEvent(at), controller.signal);
  controller.abort(new Error('taken back'));
  await expect(sent).rejects.toThrow('taken back');
});

test('closes within 2 s over a listener that does not read', async () => {
  const { port } = await listen({ onSocket: (socket) => socket.pause() });
  const { connection, states } = connect(port);
  await eventually(() => expect(connection.state.kind).toBe('connected'));
  connection.offer(Array.from({ length: 30_000 }, (_, number) => track(number)));
  const sent = send(connection);
  const refused = expect(sent).rejects.toThrow('The destination was changed or closed.');
  await connection.close();
  await refused;
  expect(states.at(-1)?.kind).toBe('connected');
});
