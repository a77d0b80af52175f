import { COMPACT_LIVE_TYPE, compactHeadSchema, formatSince } from '#lib/api/compact-answer.ts';
import { splitHead } from '#lib/codec/json-head.ts';
import { startLookout } from '../e2e/running/running-lookout.ts';
import { answersASecond, type Rate } from './answers-a-second.ts';
import { startBareNextApp } from './bare-next-app.ts';
import { built } from './built.ts';
import { sharedWork } from './shared-work.ts';
import { signedIn } from './signed-in.ts';

/** Chosen so that about a thousand are live in the view. */
const AIRCRAFT = 2900;
/** Europe, the busiest part of the simulated world. */
const VIEW = 'bbox=-6,33,22,60&layers=adsb';
const GOAL_RATIO = 0.8;
const ROUNDS = 15;
const ANSWERS = 500;
const CONNECTIONS = 16;

/**
 * Throughput of cached `/api/live` answers, compared with a bare Next route handler that returns a constant of the same
 * size.
 */
export async function read(): Promise<object> {
  await built();
  const lookout = await startLookout({
    operators: ['bench'],
    service: { options: ['--tracks', `${AIRCRAFT},0`] },
    settings: { LOG_LEVEL: 'silent' },
  });
  try {
    const [account] = lookout.operators;
    if (!account) throw new Error('no operator');
    const headers = { cookie: await signedIn(lookout.url, account), accept: COMPACT_LIVE_TYPE };
    const address = `${lookout.url}/api/live?${VIEW}&page=bench`;
    const records = await recordsInView(address, headers.cookie);
    const json = await answersASecond(address, {
      answers: 200,
      connections: CONNECTIONS,
      headers: { cookie: headers.cookie },
    });
    const { bytes } = await answersASecond(address, { answers: 300, connections: CONNECTIONS, headers });
    const bare = await startBareNextApp(bytes);
    try {
      const runs: { ours: Rate; usual: Rate; bare: Rate }[] = [];
      await answersASecond(bare.url, { answers: 1000, connections: CONNECTIONS });
      for (let round = 0; round < ROUNDS; round++) {
        const load = { answers: ANSWERS, connections: CONNECTIONS };
        runs.push({
          bare: await answersASecond(bare.url, load),
          ours: await answersASecond(address, { ...load, headers }),
          usual: await answersASecond(`${address}&since=${await sinceNow(address, headers)}`, { ...load, headers }),
        });
      }
      const ratios = runs.map(({ ours, bare: constant }) => ours.answers_a_second / constant.answers_a_second);
      const ratio = median(ratios);
      const middle = (which: 'ours' | 'usual' | 'bare') => ({
        answers_a_second: median(runs.map((run) => run[which].answers_a_second)),
        p50_ms: median(runs.map((run) => run[which].ms.median)),
        p99_ms: median(runs.map((run) => run[which].ms.p99)),
        bytes: runs[0]?.[which].bytes,
      });
      return {
        what: `${records} aircraft in view, a session, compact full frames over ${CONNECTIONS} connections of loopback; bare: a Next route handler that returns a constant of the same size; ${ROUNDS} alternating rounds of ${ANSWERS} answers each, medians`,
        goal: { ratio: GOAL_RATIO },
        reached: ratio >= GOAL_RATIO,
        ratio: Math.round(ratio * 100) / 100,
        ratio_of_usual_polls:
          Math.round(median(runs.map((run) => run.usual.answers_a_second / run.bare.answers_a_second)) * 100) / 100,
        full: middle('ours'),
        usual_poll: middle('usual'),
        bare: middle('bare'),
        json_form: { answers_a_second: json.answers_a_second, bytes: json.bytes },
        shared_work: await sharedWork(),
      };
    } finally {
      await bare.stop();
    }
  } finally {
    await lookout.stop();
  }
}

/** The `since` parameter of a page that has just received an answer, percent-encoded. */
async function sinceNow(address: string, headers: Record<string, string>): Promise<string> {
  const body = new Uint8Array(await (await fetch(address, { headers })).arrayBuffer());
  const { layers } = compactHeadSchema.parse(splitHead(body).head);
  const parts = layers.adsb?.parts ?? [];
  return encodeURIComponent(formatSince(new Map(parts.map(({ area, sequence }) => [area, sequence]))));
}

async function recordsInView(address: string, cookie: string): Promise<number> {
  const answer = (await (await fetch(address, { headers: { cookie } })).json()) as {
    layers: { adsb: { records: unknown[] } };
  };
  return answer.layers.adsb.records.length;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[(values.length - 1) >> 1] ?? Number.NaN;
}
