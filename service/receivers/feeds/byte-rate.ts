import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';

/** @returns a function that adds bytes and tells whether they exceed the limit */
export function makeByteRate(bytesPerSecondMax: number, now: () => UpstreamInstant): (bytes: number) => boolean {
  let secondFrom = now();
  let bytesInSecond = 0;
  return (bytes) => {
    const passedMs = msBetween(secondFrom, now());
    if (passedMs < 0 || passedMs >= SECOND_MS) {
      secondFrom = now();
      bytesInSecond = 0;
    }
    bytesInSecond += bytes;
    return bytesInSecond > bytesPerSecondMax;
  };
}
