import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { epochMs, formatInstant, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { keyDigest } from '../accounts/api-key.ts';
import { MemoryPast } from '../past/memory-past.ts';
import { makePushDesk } from './feeds/push-desk.ts';
import { makeTestSurroundings } from './feeds/test-surroundings.fixture.ts';
import { openReceivers } from './open-receivers.ts';
import { ReceptionRecord } from './reception/reception-record.ts';
import { startPushListener } from './start-push-listener.ts';
import { StationRecord } from './stations/station-record.ts';
import { dayStartMs } from './stations/station-tally.ts';
import { cellOf, UsualReach } from './stations/usual-reach.ts';
import { serveStatus } from './status-socket.ts';

const STATIONS = ['hill', 'roof', 'tower'] as const;
const AIRCRAFT = 40;
const POSITIONS_A_MINUTE = 4;
const CRUISE_M = 10_000;

/** Each circles within its own cell. */
function placeOf(aircraft: number, second: number) {
  const angle = (second / 60 + aircraft) % (2 * Math.PI);
  const [column, row] = [aircraft % 8, Math.floor(aircraft / 8)];
  return {
    longitude: Number((7.125 + column / 4 + 0.03 * Math.cos(angle)).toFixed(6)),
    latitude: Number((46.125 + row / 4 + 0.03 * Math.sin(angle)).toFixed(6)),
  };
}

/**
 * Three stations push over HTTP what they hear of the same aircraft, on a clock that `pass` alone moves. They have received
 * all of them on the three days before.
 * @param startMs a full hour is five minutes later
 */
export async function openThreeStations(startMs: number) {
  const folder = await mkdtemp(join(tmpdir(), 'three-stations-'));
  const log = (entry: string) => {
    throw new Error(entry);
  };
  const { surroundings, move } = makeTestSurroundings(upstreamInstant(startMs));
  const { now } = surroundings;
  const usualReach = await UsualReach.open(join(folder, 'reach'), log);
  for (const day of [3, 2, 1]) {
    usualReach.moveTo(dayStartMs(startMs - day * DAY_MS));
    for (const station of STATIONS) {
      for (let aircraft = 0; aircraft < AIRCRAFT; aircraft += 1) {
        const { longitude, latitude } = placeOf(aircraft, 0);
        for (let minute = 0; minute < 20; minute += 1)
          usualReach.note(station, cellOf(longitude, latitude, CRUISE_M), POSITIONS_A_MINUTE, true);
      }
    }
  }
  await usualReach.flush();

  const logged: string[] = [];
  const keys = STATIONS.map((id) => ({ id, key: randomBytes(32).toString('base64url') }));
  const feeds = keys.map(({ id, key }) => ({
    id,
    url: `push://${id}`,
    key_sha256: Buffer.from(keyDigest(key)).toString('hex'),
  }));
  const path = join(folder, 'feeds.json');
  await writeFile(path, JSON.stringify({ feeds }));
  const pushDesk = makePushDesk();
  const receivers = await openReceivers({
    choice: { kind: 'file', path },
    secret: randomBytes(32),
    past: new MemoryPast(),
    stations: await StationRecord.open(join(folder, 'stations'), log),
    usualReach: await UsualReach.open(join(folder, 'reach'), log),
    receptionRecord: await ReceptionRecord.open(join(folder, 'reception'), log),
    home: { pushDesk },
    surroundings,
    log: (entry) => logged.push(entry),
  });
  const status = await serveStatus(folder, receivers);
  const { written, countsOf } = receivers;
  const listener = await startPushListener({ stations: pushDesk, written, countsOf, now });

  let second = 0;
  async function push(key: string, received: number): Promise<void> {
    const observations = Array.from({ length: received * POSITIONS_A_MINUTE }, (_, index) => {
      const [aircraft, ago] = [index % received, Math.floor(index / received)];
      return {
        layer: 'adsb',
        icao: (0x4b_1800 + aircraft).toString(16),
        observed_at: formatInstant(upstreamInstant(startMs + (second - ago) * SECOND_MS)),
        ...placeOf(aircraft, second - ago),
        altitude_m: CRUISE_M,
      };
    });
    const answered = fetch(listener.url, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify(observations),
    });
    let isAnswered = false;
    void answered.finally(() => {
      isAnswered = true;
    });
    // An answer waits for the clock.
    while (!isAnswered) {
      await setImmediate();
      if (isAnswered) break;
      move(20);
    }
    const { status } = await answered;
    if (status !== 200) throw new Error(`a push was answered with ${status}`);
  }

  return {
    folder,
    source: receivers.source,
    now,
    logged: logged as readonly string[],
    /** @param hill the share of the aircraft that this station hears */
    async pass(ms: number, hill: number): Promise<void> {
      for (const endMs = startMs + second * SECOND_MS + ms; startMs + second * SECOND_MS < endMs; ) {
        second += MINUTE_MS / SECOND_MS;
        move(startMs + second * SECOND_MS - epochMs(now()));
        for (const { id, key } of keys) await push(key, id === 'hill' ? AIRCRAFT * hill : AIRCRAFT);
      }
    },
    async close(): Promise<void> {
      await listener.close();
      await status.close();
      await receivers.close();
      await rm(folder, { recursive: true });
    },
  };
}
