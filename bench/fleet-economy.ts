import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import { makeDice } from '#lib/random/seeded-random.ts';
import { trafficAroundPlaces, viewsAroundPlaces } from '#lib/server/live/plan/viewer-population.fixture.ts';
import type { PlannedAreas } from '#lib/server/live/planned-areas.ts';
import type { RefreshJob } from '#lib/server/live/refresh-job.ts';
import { startRedis } from '#lib/server/redis/redis-server.fixture.ts';
import { addMs } from '#lib/time/instant.ts';
import { observation } from '#service/conformance/listed-source.ts';
import type { Source } from '#service/sources/observation.ts';
import { startFleetHarness } from '#testing/fleet-harness.ts';
import { startLiveHarness } from '#testing/live-harness.ts';

const VIEWERS = 1000;
const REPLICAS = 3;
const SEED = 1;
/** Of viewers, at each poll of all. */
const PAN = 20;
const POLL_MS = 5000;
const WARM_UP = 5;
const POLLS = 8;
const GOAL_RATIO = 1.05;
/** Enough for every area at the shortest interval. */
const ALLOWANCE = { perMinute: 2000, perDay: 2_800_000 };
const LAYERS = ['adsb'] as const;

/** Servers that viewers look through. */
interface Engine {
  /** Whom the viewer of that index asks at that poll. */
  readonly asked: (viewer: number, poll: number) => PlannedAreas;
  readonly pass: (ms: number) => Promise<void>;
  readonly jobs: () => readonly RefreshJob[];
  readonly requests: () => number;
}

interface Economy {
  readonly areas: number;
  /** That one refresh of all areas takes, on average. */
  readonly requestsARefresh: number;
  /** That the service received. */
  readonly requests: number;
}

/** What the same viewers cost over several servers and over one. */
export async function fleetEconomy(): Promise<object> {
  const alone = await overOne();
  const shared = await overSeveral();
  const ratio = (of: keyof Economy) => Math.round((1000 * shared[of]) / alone[of]) / 1000;
  return {
    what:
      `${VIEWERS} viewers around 12 places as in \`plan\`, of whom ${PAN} move before each poll, over one embedded engine, and over ${REPLICAS} engines in this process with a ` +
      `redis-server between them, each viewer at another one with each poll; the service over HTTP with 13,430 aircraft, on simulated clocks: ${POLLS} polls of all, ` +
      `${POLL_MS / 1000} s apart, after ${WARM_UP} others`,
    goal: { ratio: GOAL_RATIO },
    reached: ratio('requestsARefresh') <= GOAL_RATIO && ratio('requests') <= GOAL_RATIO,
    ratio_of_requests_a_refresh: ratio('requestsARefresh'),
    ratio_of_requests: ratio('requests'),
    alone,
    shared,
  };
}

async function overOne(): Promise<Economy> {
  const live = await startLiveHarness({ source: stillTraffic(), allowance: ALLOWANCE });
  try {
    return await economy({
      asked: () => live.scheduler,
      async pass(ms) {
        for (let passed = 0; passed < ms; passed += 1000) {
          live.moveClock(1000);
          await live.scheduler.tick();
          await live.scheduler.idle();
        }
      },
      jobs: () => live.scheduler.jobs,
      requests: () => live.service.requests().length,
    });
  } finally {
    await live.close();
  }
}

async function overSeveral(): Promise<Economy> {
  const redis = await startRedis();
  const fleet = await startFleetHarness({ redis, members: REPLICAS, source: stillTraffic(), allowance: ALLOWANCE });
  try {
    await fleet.beat();
    return await economy({
      asked: (viewer, poll) => {
        const member = fleet.members[(viewer + poll) % REPLICAS];
        if (!member) throw new Error('a server is gone');
        return member.live;
      },
      pass: (ms) => fleet.live(ms),
      jobs: () => fleet.planner()?.live.jobs ?? [],
      requests: () => fleet.service.requests().length,
    });
  } finally {
    await fleet.close();
    await redis.remove();
  }
}

async function economy({ asked, pass, jobs, requests }: Engine): Promise<Economy> {
  const dice = makeDice(SEED);
  const views: Bbox[] = Array.from({ length: VIEWERS }, () => aView());
  const refreshes: (readonly RefreshJob[])[] = [];
  let before = 0;
  for (let poll = 0; poll < WARM_UP + POLLS; poll++) {
    if (poll === WARM_UP) before = requests();
    for (let pan = 0; pan < PAN; pan++) views[dice.integer(0, VIEWERS - 1)] = aView();
    const looks = views.map((view, index) => {
      const viewer = { operator: `operator-${index % 8}`, session: undefined, page: `${index}` };
      return asked(index, poll).look(viewer, [view], LAYERS);
    });
    await Promise.all(looks);
    await pass(POLL_MS);
    if (poll >= WARM_UP) refreshes.push(jobs());
  }
  const mean = (of: (refresh: readonly RefreshJob[]) => number) =>
    Math.round((10 * refreshes.reduce((sum, refresh) => sum + of(refresh), 0)) / POLLS) / 10;
  return {
    areas: mean(({ length }) => length),
    requestsARefresh: mean((refresh) => refresh.reduce((sum, { cost }) => sum + cost, 0)),
    requests: requests() - before,
  };

  /** On one side of 180°. */
  function aView(): Bbox {
    const [view] = viewsAroundPlaces(1, dice);
    if (!view) throw new Error('no view');
    return view;
  }
}

/** Aircraft that stand still: where they are is what this is about. */
function stillTraffic(): Source {
  const points = trafficAroundPlaces(makeDice(SEED));
  return {
    live: (layer, bbox, now) =>
      layer === 'adsb'
        ? points.flatMap(({ lon, lat }, index) =>
            bboxContains(bbox, lon, lat)
              ? [observation({ sourceId: `${index}`, layer, observedAt: addMs(now, -1000), lon, lat })]
              : [],
          )
        : [],
    history: () => ({ observations: [], more: false }),
  };
}
