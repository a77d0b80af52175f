import { addMs } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import { historyTimes } from './history-times.ts';
import type { Observation, Source } from './observation.ts';

/** The source as a service sees it whose clock is `offsetMs` ahead: the same positions under shifted times. */
export function shiftSource(source: Source, offsetMs: number): Source {
  const shift = (observation: Observation): Observation => ({
    ...observation,
    observedAt: addMs(observation.observedAt, offsetMs),
  });
  const shiftBack = ({ start, end }: Window): Window => ({
    start: addMs(start, -offsetMs),
    end: addMs(end, -offsetMs),
  });
  return {
    live: (layer, bbox, now) => source.live(layer, bbox, addMs(now, -offsetMs)).map(shift),
    history(layer, bbox, window, atMost) {
      const { observations, more } = source.history(layer, bbox, shiftBack(window), atMost);
      return { observations: observations.map(shift), more };
    },
    historyTimes: (layer, bbox, window, atMost) =>
      historyTimes(source, layer, bbox, shiftBack(window), atMost).map((at) => addMs(at, offsetMs)),
  };
}
