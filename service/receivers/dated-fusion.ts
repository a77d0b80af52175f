import { epochMs } from '#lib/time/instant.ts';
import type { Observation } from '../sources/observation.ts';
import type { Calendar } from './feeds/feed.ts';
import type { Fusion } from './fusion/fusion.ts';
import { liveObservation } from './fusion/observation-as-live.ts';
import { makeSteadyStamps } from './steady-stamps.ts';

/** Keeps fusion on the steady clock. Results carry wall-clock times. */
export function datedFusion(fusion: Fusion, calendar: Calendar): Fusion {
  const { wallOf, steadyOf } = calendar;
  const steady = makeSteadyStamps(calendar, fusion.forgetClocks);
  const dated = (observation: Observation): Observation => {
    const observedAt = wallOf(observation.observedAt);
    return observedAt === observation.observedAt ? observation : { ...observation, observedAt };
  };
  return {
    ...fusion,
    add: (feed, parsed, receivedAt) => fusion.add(feed, steady(parsed, receivedAt), receivedAt),
    settle: (now) => fusion.settle(now).map(dated),
    drain: (now) => fusion.drain(now).map(dated),
    live(layer, bbox, now) {
      const found: Observation[] = [];
      const steadyNow = steadyOf(now);
      for (const observation of fusion.live(layer, bbox, steadyNow)) {
        const shown = dated(observation);
        const live = steadyNow === now && shown === observation ? shown : liveObservation(shown, bbox, epochMs(now));
        if (live) found.push(live);
      }
      return found;
    },
  };
}
