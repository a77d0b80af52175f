import { encodeFrame } from '#lib/codec/frame.ts';
import { recordsOf } from '#lib/codec/records.ts';
import { deflated } from '#lib/server/database/deflated.ts';
import { rounded } from './figures.ts';
import { received, swissHour } from './recordings.ts';

/** Records per request that the splitter aims for. */
const PART = 900;
const GOAL = { bytes: 10 };

export async function bench(): Promise<object> {
  const observations = (await swissHour()).map((observation) => received(observation, 'history'));
  let bytes = 0;
  for (let first = 0; first < observations.length; first += PART)
    bytes += (await deflated(encodeFrame(recordsOf(observations.slice(first, first + PART))))).byteLength;
  const each = rounded(bytes / observations.length);
  return {
    what: `the busiest hour of the Swiss recording, in parts of ${PART} observations by time, raw deflate`,
    goal: GOAL,
    reached: each <= GOAL.bytes,
    observations: observations.length,
    bytes: each,
  };
}
