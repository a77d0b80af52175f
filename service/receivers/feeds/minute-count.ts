import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';

const SECONDS = 60;

export function makeMinuteCount() {
  const counts = new Float64Array(SECONDS);
  let latest = 0;

  /** Clears the seconds since the latest event, or all after the clock was set back. */
  function moveTo(at: UpstreamInstant): void {
    const second = Math.floor(epochMs(at) / SECOND_MS);
    const passed = second - latest;
    if (passed < 0 || passed >= SECONDS) counts.fill(0);
    else for (let each = latest + 1; each <= second; each += 1) counts[each % SECONDS] = 0;
    latest = second;
  }

  return {
    add(at: UpstreamInstant, count: number): void {
      moveTo(at);
      counts[latest % SECONDS]! += count;
    },
    count(at: UpstreamInstant): number {
      moveTo(at);
      return counts.reduce((sum, each) => sum + each, 0);
    },
  };
}
