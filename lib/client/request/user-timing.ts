import * as z from 'zod/mini';
import { sessionStore } from '../browser/storage.ts';

const MEASURE_KEY = 'lookout.measure';

/** Off by default: user timings would accumulate in a tab that is open for days. */
export function isMeasured(): boolean {
  return sessionStore.read(MEASURE_KEY, z.literal(1)) !== undefined;
}
