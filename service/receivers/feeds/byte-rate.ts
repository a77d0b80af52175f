import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';

export interface ByteRate {
  /** @returns whether more than allowed came within a second, with these bytes */
  isFlood(bytes: number): boolean;
}

export function makeByteRate(bytesPerSecondMax: number, now: () => UpstreamInstant): ByteRate {
  let secondFrom = now();
  let bytesInSecond = 0;
  return {
    isFlood(bytes) {
      const passedMs = msBetween(secondFrom, now());
      if (passedMs < 0 || passedMs >= SECOND_MS) {
        secondFrom = now();
        bytesInSecond = 0;
      }
      bytesInSecond += bytes;
      return bytesInSecond > bytesPerSecondMax;
    },
  };
}
