import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import type { Layer } from '#lib/contract/operation.ts';
import { receptionSchema, type WireReception } from '#lib/contract/reception.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { eventually } from '#testing/eventually.ts';
import { listen } from '../../http/listen.ts';
import { MemoryPast } from '../../past/memory-past.ts';
import { startService } from '../../server/start-service.ts';
import { readReceivers } from '../feeds/read-receivers.ts';
import { openReceivers } from '../open-receivers.ts';
import { readsbRow } from '../parsers/readsb-row.fixture.ts';
import { makeFasterSurroundings } from './faster-surroundings.fixture.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** A service over these receivers, eight times as fast as the clock. */
async function serving(...urls: readonly string[]) {
  const time = makeFasterSurroundings();
  const read = readReceivers(urls.join(','));
  if (!read.ok) throw new Error(read.problems.join());
  const receivers = await openReceivers({
    choice: { kind: 'list', feeds: read.feeds },
    secret: randomBytes(32),
    past: new MemoryPast(),
    surroundings: time.surroundings,
    log() {},
  });
  closing.push(() => receivers.close());
  const announced: Layer[] = [];
  receivers.source.onChange?.((layer) => announced.push(layer));
  const service = await startService({ source: receivers.source, now: () => upstreamInstant(time.wallMs()) });
  closing.push(() => service.close());
  const reception = async (layer: Layer = 'adsb', bbox = '5,45,11,49'): Promise<WireReception> => {
    const answer = await fetch(`${service.baseUrl}/live/${layer}?bbox=${bbox}`, {
      headers: { authorization: `Bearer ${service.apiKey}` },
    });
    return receptionSchema.parse((await answer.json()).reception);
  };
  const becomes = (state: WireReception['state'], ...asked: Parameters<typeof reception>) =>
    eventually(async () => {
      const found = await reception(...asked);
      expect(found.state).toBe(state);
      return found;
    });
  return { ...time, ...receivers, announced, reception, becomes };
}

/** aircraft.json of an aircraft that moves, by the wall clock. */
async function polled(lon = 8) {
  let answers: Answer | undefined;
  let lastMs = 0;
  let isEmpty = false;
  const server = createServer((request, response) => {
    if (answers) return answers(response, request);
    response.end(station.body());
  });
  const origin = await listen(server, '127.0.0.1', 0);
  closing.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  const station = {
    url: `${origin}/data/aircraft.json`,
    body(): string {
      lastMs = Date.now();
      const row = readsbRow({ lat: 47, lon: lon + (lastMs % 100_000) / 1e6, seen_pos: 0.1 });
      return JSON.stringify({ now: lastMs / 1000, messages: 1, aircraft: isEmpty ? [] : [row] });
    },
    dies(how: Answer): void {
      answers = how;
    },
    returns(): void {
      answers = undefined;
    },
    empties(): void {
      isEmpty = true;
    },
  };
  return station;
}

const cut: Answer = (response) => response.destroy();

describe('a polled receiver', () => {
  test('is lost from its last answer on when its connection is cut, and back with the next', async () => {
    const station = await polled();
    const { becomes, announced } = await serving(station.url);
    const ok = await becomes('ok');
    expect(ok).toMatchObject({ receivers: 1, receiving: 1 });
    expect(await becomes('none', 'rid')).toEqual({ state: 'none', since: null, receivers: 0, receiving: 0 });
    station.dies(cut);
    announced.length = 0;
    const lost = await becomes('lost');
    expect(lost).toMatchObject({ receivers: 1, receiving: 0 });
    expect(Date.parse(lost.since ?? '')).toBeGreaterThanOrEqual(Date.parse(ok.since ?? ''));
    await eventually(() => expect(announced).toContain('adsb'));
    station.returns();
    const back = await becomes('ok');
    expect(Date.parse(back.since ?? '')).toBeGreaterThan(Date.parse(lost.since ?? ''));
    expect(await becomes('none', 'rid')).toMatchObject({ receivers: 0 });
  });

  test('is partly there if one of three is missing, and lost if all are', async () => {
    const stations = [await polled(), await polled(), await polled()];
    const { becomes } = await serving(...stations.map(({ url }) => url));
    await becomes('ok');
    stations[0]!.dies(cut);
    const partly = await becomes('partly');
    expect(partly).toMatchObject({ receivers: 3, receiving: 2 });
    for (const { dies } of stations) dies(cut);
    const lost = await becomes('lost');
    expect(Date.parse(lost.since ?? '')).toBeGreaterThan(Date.parse(partly.since ?? ''));
  });
});
