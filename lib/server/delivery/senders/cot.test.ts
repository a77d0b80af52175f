import { afterAll, afterEach, expect, test } from 'vitest';
import type { ConfigOf } from '#lib/api/outputs/destination-kinds.ts';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import type { Reception } from '#lib/model/reception.ts';
import { noticeOf, PERMITTED, PERMITTED_LINES } from '#lib/outputs/notice.fixture.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { eventually } from '#testing/eventually.ts';
import { startLiveHarness } from '#testing/live-harness.ts';
import { StoredLedger } from '../../allowance/stored-ledger.ts';
import { AreaReads } from '../../live/area-reads.ts';
import { AreaSnapshots } from '../../live/area-snapshots.ts';
import { areaOf } from '../../live/snapshots.ts';
import { openGuard } from '../guard.ts';
import { openCot } from './cot.ts';
import { listenForCot, makeAuthority } from './tak-listener.fixture.ts';

const authority = makeAuthority();
const client = authority.sign('DNS:lookout');
afterAll(() => authority.end());

const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

async function open(changed: Partial<ConfigOf<'cot'>>, listed = ['loopback'], now = () => plainPosition.observedAt) {
  const listener = await listenForCot({ ...authority.sign('DNS:takserver'), ca: authority.cert });
  const guard = openGuard(listed);
  const reads = new AreaReads();
  const logged: unknown[] = [];
  const log = (...args: unknown[]) => logged.push(args);
  const cot = openCot(
    {
      kind: 'cot',
      host: '127.0.0.1',
      port: listener.port,
      server_name: 'takserver',
      ca_pem: authority.cert,
      certificate_pem: client.cert,
      positions: null,
      ...changed,
    },
    client.key,
    { guard, reads, now, log: { warn: log, error: log } },
  );
  endings.push(
    () => listener.close(),
    () => guard.close(),
    () => cot.close(),
  );
  const read = (reception?: Reception) => {
    const area = areaOf('adsb', { west: 0, south: 40, east: 10, north: 50 });
    const positions = new Map([[plainPosition.ref, plainPosition]]);
    reads.publish({ kind: 'read', area, positions, readAt: plainPosition.observedAt, isComplete: true, reception });
  };
  const uids = () => listener.events.map(({ attributes }) => attributes.uid);
  return { cot, read, reads, events: listener.events, uids, logged, signal: new AbortController().signal };
}

test('sends notices, and of the live reads the chosen positions', async () => {
  const { cot, read, events, uids, signal } = await open({
    positions: { layers: ['adsb'], bbox: null, every_s: 5, trail: false },
  });
  read();
  await cot.send(noticeOf({}, PERMITTED), signal);
  await eventually(() => expect(uids()).toContain(plainPosition.ref));
  const alarm = events.find(({ attributes }) => attributes.uid === noticeOf().alarms[0]?.id);
  expect(alarm?.remarks).toContain(PERMITTED_LINES);
  expect(cot.problem).toBeNull();
});

test('sends no positions unless they are chosen', async () => {
  const { cot, read, uids, signal } = await open({});
  read();
  await cot.send(noticeOf(), signal);
  await eventually(() => expect(uids()).toContain(noticeOf().alarms[0]?.id));
  expect(uids()).not.toContain(plainPosition.ref);
});

test('connects to no private address that is not listed, and logs a problem once', async () => {
  const { cot, uids, logged, signal } = await open({}, []);
  const failure = { kind: 'retry', message: expect.stringContaining('OUTPUT_PRIVATE_ADDRESSES') };
  await expect(cot.send(noticeOf(), signal)).rejects.toMatchObject(failure);
  await eventually(() => expect(cot.problem).toContain('OUTPUT_PRIVATE_ADDRESSES'));
  expect(uids()).toEqual([]);
  expect(logged).toHaveLength(1);
});

test('sends the positions that the live engine reads from the service', async () => {
  const at = upstreamInstant(Date.UTC(2026, 10, 21, 12, 0, 10));
  const { reads, events } = await open(
    { positions: { layers: ['rid', 'adsb'], bbox: [8, 47, 9, 48], every_s: 5, trail: false } },
    ['loopback'],
    () => at,
  );
  const stores = { ledger: StoredLedger.inMemory(), snapshots: new AreaSnapshots(), reads };
  const live = await startLiveHarness({ stores });
  endings.push(() => live.close());
  await live.read();
  const sent = () => events.filter(({ attributes }) => attributes.type !== 't-x-c-t');
  await eventually(() => expect(sent()).toHaveLength(6));
  expect(new Set(sent().map(({ attributes }) => attributes.uid)).size).toBe(6);
  expect(new Set(sent().map(({ attributes }) => attributes.type))).toEqual(new Set(['a-n-A-C-F-q', 'a-n-A']));
});

test('asks TAK for trails of its tracks where that was chosen', async () => {
  for (const trail of [false, true]) {
    const { read, events } = await open({ positions: { layers: ['adsb'], bbox: null, every_s: 5, trail } });
    read();
    const track = () => events.find(({ attributes }) => attributes.type === 'a-n-A');
    await eventually(() => expect(track()).toBeDefined());
    expect(track()?.detail.__bread_crumbs).toEqual(trail ? { enabled: '1' } : undefined);
  }
});

test('sends that a chosen layer has no receiver, and its return', async () => {
  const { read, events } = await open({ positions: { layers: ['adsb'], bbox: null, every_s: 5, trail: false } });
  const types = () => events.map(({ attributes }) => attributes.type).filter((type) => type?.startsWith('b-a'));
  read({ state: 'lost', since: undefined, receivers: 1, receiving: 0 });
  await eventually(() => expect(types()).toEqual(['b-a']));
  read({ state: 'ok', since: undefined, receivers: 1, receiving: 1 });
  await eventually(() => expect(types()).toEqual(['b-a', 'b-a-o-can']));
});

test('sends no state of a layer to a server that gets alarms only', async () => {
  const { cot, read, uids, signal } = await open({});
  read({ state: 'lost', since: undefined, receivers: 1, receiving: 0 });
  await cot.send(noticeOf(), signal);
  expect(uids().filter((uid) => uid?.startsWith('lookout-adsb'))).toEqual([]);
});
