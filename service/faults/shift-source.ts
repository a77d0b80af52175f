import { addMs } from '#lib/time/instant.ts';
import type { Observation, Source } from '../sources/observation.ts';

/** The source as a service sees it whose clock is `offsetMs` ahead: the same positions under shifted times. */
export function shiftSource(source: Source, offsetMs: number): Source {
  const shift = (observation: Observation): Observation => ({
    ...observation,
    observedAt: addMs(observation.observedAt, offsetMs),
  });
  return {
    live: (layer, bbox, now) => source.live(layer, bbox, addMs(now, -offsetMs)).map(shift),
    history(layer, bbox, { start, end }, atMost) {
      const window = { start: addMs(start, -offsetMs), end: addMs(end, -offsetMs) };
      const { observations, more } = source.history(layer, bbox, window, atMost);
      return { observations: observations.map(shift), more };
    },
  };
}
