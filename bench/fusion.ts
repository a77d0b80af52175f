import type { Layer } from '#lib/contract/operation.ts';
import { destination } from '#lib/geo/great-circle.ts';
import { makeDice } from '#lib/random/seeded-random.ts';
import { type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import type { Fix, Parsed, TrackKey } from '#service/receivers/fix.ts';
import type { FeedTraits } from '#service/receivers/fusion/fused-feed.ts';
import { makeFusion } from '#service/receivers/fusion/fusion.ts';
import { cpuMs } from '#testing/cpu-ms.ts';

const TRACKS = { adsb: 3000, rid: 300 };
const STATIONS = 5;
const SECONDS = 120;
const WARM_UP = 20;
const GOAL_PERCENT = 50;
const START_MS = Date.UTC(2026, 10, 23, 12);

interface Arrival {
  readonly feed: FeedTraits;
  readonly parsed: Parsed;
  readonly at: UpstreamInstant;
}

/** What fusing five stations costs, of one core: everything between a parsed message and an observation. */
export async function fusion(): Promise<object> {
  const fusing = makeFusion();
  const percents: number[] = [];
  let observations = 0;
  let fixes = 0;
  for (let second = 0; second < WARM_UP + SECONDS; second += 1) {
    const arrivals = secondOf(second);
    let settled = 0;
    const ms = cpuMs(() => {
      for (const { feed, parsed, at } of arrivals) fusing.add(feed, parsed, at);
      for (let quarter = 1; quarter <= 4; quarter += 1) {
        settled += fusing.settle(upstreamInstant(START_MS + (second + 1) * 1000 - 1000 + quarter * 250)).length;
      }
    });
    if (second < WARM_UP) continue;
    percents.push(ms / 10);
    observations += settled;
    for (const { parsed } of arrivals) fixes += parsed.fixes.length;
  }
  const percent = percents.reduce((sum, value) => sum + value, 0) / percents.length;
  return {
    what: `${TRACKS.adsb} aircraft and ${TRACKS.rid} drones at 1 Hz, each heard by ${STATIONS} stations, one message for each station and second; processor time`,
    goal: { core_percent: GOAL_PERCENT },
    reached: percent <= GOAL_PERCENT && observations === SECONDS * (TRACKS.adsb + TRACKS.rid),
    core_percent: Math.round(percent * 100) / 100,
    us_per_fix: Math.round((percent * 10 * 1000 * SECONDS * 100) / fixes) / 100,
    fixes,
    observations,
  };
}

/** The stations hear the same, and report it at different times in the second after. */
function secondOf(second: number): Arrival[] {
  const sent = (['adsb', 'rid'] as const).flatMap((layer) =>
    Array.from({ length: TRACKS[layer] }, (_, track) => fixOf(layer, track, second)),
  );
  return Array.from({ length: STATIONS }, (_, station) => {
    const clockMs = START_MS + second * 1000 + 950;
    const at = upstreamInstant(START_MS + second * 1000 + 960 + station);
    // Each parser makes its own objects and names.
    const fixes = sent.map((fix): Fix => ({ ...fix, trackKey: `${fix.trackKey}`.padEnd(32, '0') as TrackKey }));
    return {
      feed: { id: `${station}`, aggregates: false, simulated: false },
      parsed: { fixes, refused: [], feedClockMs: clockMs },
      at,
    };
  });
}

function fixOf(layer: Layer, track: number, second: number): Fix {
  const dice = makeDice(track);
  const speedMps = layer === 'adsb' ? dice.between(60, 260) : dice.between(0, 15);
  const headingDeg = dice.between(0, 360);
  const home = { lon: dice.between(5, 11), lat: dice.between(45, 49) };
  const heardMs = START_MS + second * 1000 + dice.integer(0, 900);
  return {
    layer,
    trackKey: track.toString(16).padStart(16, '0') as TrackKey,
    feedTimeMs: heardMs,
    trackTimeMs: layer === 'rid' ? heardMs : undefined,
    ...destination(home, headingDeg, speedMps * second),
    altitudeM: 1000,
    heightAglM: null,
    speedMps,
    headingDeg,
    onGround: false,
    origin: 'broadcast',
    accuracyM: 50,
    emergencyState: null,
    testBroadcast: false,
  };
}
