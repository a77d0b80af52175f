import { Pool } from 'undici';
import { COMPACT_LIVE_TYPE, compactHeadSchema, formatSince } from '#lib/api/compact-answer.ts';
import { splitHead } from '#lib/codec/json-head.ts';
import { startLookout } from '../e2e/running/running-lookout.ts';
import { startBareNextApp } from './bare-next-app.ts';
import { built } from './built.ts';
import { quantile, spread } from './figures.ts';
import { signedIn } from './signed-in.ts';

/** About a thousand are in the view. */
const AIRCRAFT = 2900;
/** Europe, the busiest part of the simulated world. */
const VIEW = 'bbox=-6,33,22,60&layers=adsb&page=bench';
const GOAL = { ratio: 0.8 };
const ROUNDS = 15;
const ANSWERS = 500;
const CONNECTIONS = 16;

export async function bench(): Promise<object> {
  await built();
  const lookout = await startLookout({
    operators: ['bench'],
    service: { options: ['--tracks', `${AIRCRAFT},0`] },
    settings: { LOG_LEVEL: 'silent' },
  });
  try {
    const headers = { cookie: await signedIn(lookout.url, lookout.operators[0]), accept: COMPACT_LIVE_TYPE };
    const address = `${lookout.url}/api/live?${VIEW}`;
    const { bytes } = await answersOf(address, headers);
    const bare = await startBareNextApp(bytes);
    try {
      await answersOf(bare.url);
      const rounds: Record<'bare' | 'full' | 'delta', Answers>[] = [];
      for (let round = 0; round < ROUNDS; round++)
        rounds.push({
          bare: await answersOf(bare.url),
          full: await answersOf(address, headers),
          delta: await answersOf(`${address}&since=${await sinceNow(address, headers)}`, headers),
        });
      const median = (of: (round: (typeof rounds)[number]) => number) => quantile(rounds.map(of), 0.5);
      const ratio = median(({ full, bare: constant }) => full.perSecond / constant.perSecond);
      const figuresOf = (which: 'full' | 'delta' | 'bare') => ({
        answers_a_second: median((round) => round[which].perSecond),
        ms: spread(rounds.flatMap((round) => round[which].tookMs)),
        bytes: rounds.at(-1)?.[which].bytes,
      });
      return {
        what: `about 1000 aircraft in view, a session, compact frames over ${CONNECTIONS} loopback connections; ${ROUNDS} alternating rounds of ${ANSWERS} answers, medians`,
        goal: GOAL,
        reached: ratio >= GOAL.ratio,
        ratio,
        ratio_of_deltas: median(({ delta, bare: constant }) => delta.perSecond / constant.perSecond),
        full: figuresOf('full'),
        delta: figuresOf('delta'),
        bare: figuresOf('bare'),
      };
    } finally {
      await bare.stop();
    }
  } finally {
    await lookout.stop();
  }
}

type Answers = Awaited<ReturnType<typeof answersOf>>;

async function answersOf(url: string, headers: Record<string, string> = {}) {
  const { origin, pathname, search } = new URL(url);
  const pool = new Pool(origin, { connections: CONNECTIONS });
  const tookMs: number[] = [];
  let [left, bytes] = [ANSWERS, 0];
  const sendUntilDone = async () => {
    while (left-- > 0) {
      const sentMs = performance.now();
      const { statusCode, body } = await pool.request({ method: 'GET', path: pathname + search, headers });
      bytes = (await body.arrayBuffer()).byteLength;
      if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}`);
      tookMs.push(performance.now() - sentMs);
    }
  };
  const beganMs = performance.now();
  await Promise.all(Array.from({ length: CONNECTIONS }, sendUntilDone));
  const perSecond = (ANSWERS * 1000) / (performance.now() - beganMs);
  await pool.close();
  return { perSecond, tookMs, bytes };
}

async function sinceNow(address: string, headers: Record<string, string>): Promise<string> {
  const body = new Uint8Array(await (await fetch(address, { headers })).arrayBuffer());
  const parts = compactHeadSchema.parse(splitHead(body).head).layers.adsb?.parts ?? [];
  return encodeURIComponent(formatSince(new Map(parts.map(({ area, sequence }) => [area, sequence]))));
}
