import { afterEach, beforeEach, expect, test } from 'vitest';
import { epochMs, formatInstant, upstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { type RunningService, startService } from '../server/start-service.ts';
import { receiversStatusSchema } from './receivers-status.ts';
import { readStatus } from './status-socket.ts';
import { openThreeStations } from './three-stations.fixture.ts';

const START_MS = Date.UTC(2026, 10, 24, 13, 55);
const BOX = 'bbox=7,46,9,48';

let stations: Awaited<ReturnType<typeof openThreeStations>>;
let service: RunningService;
beforeEach(async () => {
  stations = await openThreeStations(START_MS);
  service = await startService({ source: stations.source, now: stations.now });
});
afterEach(async () => {
  await service.close();
  await stations.close();
});

async function ask(target: string) {
  const answer = await fetch(`${service.baseUrl}/${target}`, {
    headers: { authorization: `Bearer ${service.apiKey}` },
  });
  expect(answer.status).toBe(200);
  return answer.json();
}
const reception = async (layer: 'adsb' | 'rid') => (await ask(`live/${layer}?${BOX}`)).reception;
const deaf = async () => {
  const { feeds } = receiversStatusSchema.parse(await readStatus(stations.folder));
  return Object.fromEntries(feeds.flatMap(({ id, deaf }) => (deaf ? [[id, deaf]] : [])));
};

test('one of three stations that hears a tenth is deaf after an hour, and well an hour after it hears again', async () => {
  await stations.pass(5 * MINUTE_MS, 1);
  await stations.pass(50 * MINUTE_MS, 0.1);
  expect(await deaf()).toEqual({});
  expect(await reception('adsb')).toMatchObject({ state: 'ok', receivers: 3, receiving: 3 });

  await stations.pass(15 * MINUTE_MS, 0.1);
  const since = '2026-11-24T14:00:00.000Z';
  expect(await deaf()).toEqual({ hill: { share: expect.closeTo(0.1, 1), since } });
  const live = await reception('adsb');
  expect(live).toMatchObject({ state: 'partly', receivers: 3, receiving: 3, deaf: 1 });
  expect((await reception('rid')).state).toBe('ok');
  const noticedMs = Date.parse(live.since);
  expect(noticedMs).toBeGreaterThanOrEqual(START_MS + 65 * MINUTE_MS);

  const at = (ms: number) => formatInstant(upstreamInstant(ms));
  const window = `start=${at(noticedMs - 2 * MINUTE_MS)}&end=${at(epochMs(stations.now()) - SECOND_MS)}`;
  const { stretches } = (await ask(`history/adsb?${BOX}&${window}`)).reception;
  expect(stretches.map(({ state }: { readonly state: string }) => state)).toEqual(['ok', 'partly']);

  await stations.pass(2 * HOUR_MS, 1);
  expect(await deaf()).toEqual({});
  const again = await reception('adsb');
  expect(again).toMatchObject({ state: 'ok', receiving: 3 });
  expect(again).not.toHaveProperty('deaf');
  expect(stations.logged).toEqual([
    expect.stringMatching(/^hill is deaf: it hears 1\d% of what it usually does$/),
    'hill hears as usual again',
  ]);
}, 120_000);
