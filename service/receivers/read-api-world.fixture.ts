import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Layer } from '#lib/contract/operation.ts';
import type { WireReception } from '#lib/contract/reception.ts';
import type { WirePosition } from '#lib/contract/wire-position.ts';
import { bboxContains } from '#lib/geo/bbox.ts';
import { destination } from '#lib/geo/great-circle.ts';
import { addMs, epochMs, formatInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { eventually } from '#testing/eventually.ts';
import { listen } from '../http/listen.ts';
import { MemoryPast } from '../past/memory-past.ts';
import { serviceIdOf } from '../references/public-reference.ts';
import { type RunningService, type ServiceOptions, startService } from '../server/start-service.ts';
import { NOTHING_REPORTED, type Observation, type Source } from '../sources/observation.ts';
import { readFeedsFile } from './feeds/read-feeds-file.ts';
import { RequestCounts } from './feeds/request-counts.ts';
import { makeTestSurroundings, START } from './feeds/test-surroundings.fixture.ts';
import { type OpenReceivers, openReceivers } from './open-receivers.ts';
import type { UsualReach } from './stations/usual-reach.ts';

export const AREA = '7,46,11,49';
const SECRET = new Uint8Array(32).fill(7);
const STEP_MS = 500;
const WORLD = { west: -180, south: -90, east: 180, north: 90 };

export interface Sky {
  aircraft: number;
  change: Partial<Observation>;
  reception?: Source['reception'];
}

/** Aircraft that fly east, each on its own parallel, and one drone. */
function sourceOf(sky: Sky): Source {
  const live: Source['live'] = (layer, bbox, now) => {
    const atMs = Math.floor(epochMs(now) / 1000) * 1000;
    const seconds = (atMs - epochMs(START)) / 1000;
    return Array.from({ length: layer === 'adsb' ? sky.aircraft : 1 }, (_, index): Observation => {
      const place = destination({ lon: 8, lat: 46.5 + index / 100 }, 90, seconds * 20);
      return {
        ...NOTHING_REPORTED,
        sourceId: `${layer} ${index}`,
        layer,
        observedAt: addMs(now, atMs - epochMs(now)),
        lon: Number(place.lon.toFixed(6)),
        lat: Number(place.lat.toFixed(6)),
        speedMps: 20,
        headingDeg: 90,
        confidence: 'multi_station',
        confidenceScore: 0.8,
        receiverCount: 5,
        emergencyState: index === 0 ? 'general' : 'none',
        simulated: false,
        testBroadcast: layer === 'rid',
        ...sky.change,
      };
    }).filter(({ lon, lat }) => bboxContains(bbox, lon, lat));
  };
  return {
    live,
    history: () => ({ observations: [], more: false }),
    ...(sky.reception && { reception: sky.reception }),
  };
}

/** The same aircraft as an own receiver reports them. */
function aircraftJson(sky: Sky, now: UpstreamInstant): string {
  const aircraft = sourceOf(sky)
    .live('adsb', WORLD, now)
    .map(({ lon, lat, observedAt }, index) => ({
      hex: (0x3c_66_00 + index).toString(16),
      type: 'adsb_icao',
      lat,
      lon,
      seen_pos: (epochMs(now) - epochMs(observedAt)) / 1000,
      gs: 20 / (1852 / 3600),
      track: 90,
    }));
  return JSON.stringify({ now: epochMs(now) / 1000, messages: 1, aircraft });
}

/**
 * A service that reads another one over HTTP, in a time that only the test moves.
 */
export async function startReadApiWorld(
  {
    sky = { aircraft: 3, change: {} },
    account = {},
    service = {},
    hasRoof = false,
    requestsFile,
    hasCounts = true,
    usualReach,
  }: {
    readonly sky?: Sky;
    readonly account?: Readonly<Record<string, unknown>>;
    readonly service?: Partial<ServiceOptions>;
    /** Whether it has a receiver of its own, with the same aircraft. */
    readonly hasRoof?: boolean;
    readonly requestsFile?: string;
    readonly hasCounts?: boolean;
    readonly usualReach?: UsualReach;
  },
  finished: (close: () => Promise<void>) => void,
) {
  const time = makeTestSurroundings();
  const { now } = time.surroundings;
  const folder = mkdtempSync(join(tmpdir(), 'read-api-'));
  const other: RunningService = await startService({ source: sourceOf(sky), now, prefix: 'CLUB', ...service });
  const receiver = createServer((_, response) => response.end(aircraftJson(sky, now())));
  const roof = `${await listen(receiver, '127.0.0.1', 0)}/aircraft.json`;
  const keyFile = join(folder, 'key');
  writeFileSync(keyFile, `${other.apiKey}\n`);
  const read = readFeedsFile(
    JSON.stringify({
      feeds: [
        {
          id: 'club',
          url: `read-api+${other.baseUrl}`,
          key_file: keyFile,
          areas: [AREA],
          layers: ['adsb'],
          requests_a_day: 20_000,
          ...account,
        },
        ...(hasRoof ? [{ id: 'roof', url: roof }] : []),
      ],
    }),
  );
  if (!read.ok) throw new Error(read.problems.join('\n'));
  const requests =
    requestsFile === undefined
      ? RequestCounts.inMemory()
      : await RequestCounts.open(requestsFile, (entry) => {
          throw new Error(entry);
        });
  const open = (): Promise<OpenReceivers> =>
    openReceivers({
      choice: { kind: 'list', feeds: read.feeds },
      secret: SECRET,
      past: new MemoryPast(),
      usualReach,
      surroundings: time.surroundings,
      home: { requests: hasCounts ? requests : undefined, serviceId: serviceIdOf(SECRET) },
      log() {},
    });
  const receivers = await open();
  const own = await startService({ source: receivers.source, now, referenceSecret: SECRET });
  function stopRoof(): void {
    receiver.close();
    receiver.closeAllConnections();
  }
  finished(async () => {
    await receivers.close();
    await Promise.all([own.close(), other.close()]);
    stopRoof();
    rmSync(folder, { recursive: true });
  });
  const ask = async (target: string) => {
    const answer = await fetch(`${own.baseUrl}/${target}`, { headers: { authorization: `Bearer ${own.apiKey}` } });
    return answer.json();
  };
  const idle = 3 + read.feeds.length;
  /** Until no answer is awaited. */
  const rest = () => eventually(() => expect(time.waiting()).toBeGreaterThanOrEqual(idle), 1);
  await rest();
  return {
    other,
    own,
    sky,
    keyFile,
    requests,
    time,
    stopRoof,
    async pass(seconds: number) {
      for (let ms = 0; ms < seconds * 1000; ms += STEP_MS) {
        time.move(STEP_MS);
        await rest();
      }
    },
    live: async (layer: Layer = 'adsb', bbox = AREA): Promise<readonly WirePosition[]> =>
      (await ask(`live/${layer}?bbox=${bbox}&limit=1000`)).data,
    reception: async (layer: Layer = 'adsb', bbox = AREA): Promise<WireReception> =>
      (await ask(`live/${layer}?bbox=${bbox}`)).reception,
    past: async (seconds: number, layer: Layer = 'adsb') => {
      const [start, end] = [addMs(now(), -seconds * 1000), now()].map((at: UpstreamInstant) => formatInstant(at));
      return ask(`history/${layer}?bbox=${AREA}&start=${start}&end=${end}&limit=1000`);
    },
    feed: () => receivers.status().feeds[0]!,
  };
}
