import type { Layer } from '#lib/contract/operation.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import { historyTimes, type Observation, type ReceptionNow, type Source } from './observation.ts';

/** The source as a service sees it whose clock is `offsetMs` ahead. */
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
    async history(layer, bbox, window, maxCount) {
      const { observations, ...rest } = await source.history(layer, bbox, shiftBack(window), maxCount);
      return { observations: observations.map(shift), ...rest };
    },
    ...(source.reception && {
      reception(layer: Layer, bbox: Bbox, now: UpstreamInstant): ReceptionNow {
        const { since, ...reception } = source.reception!(layer, bbox, addMs(now, -offsetMs));
        return { ...reception, since: since && addMs(since, offsetMs) };
      },
    }),
    ...(source.pastReception && {
      async pastReception(layer: Layer, bbox: Bbox, window: Window) {
        const stretches = await source.pastReception!(layer, bbox, shiftBack(window));
        return stretches.map(({ from, to, state }) => ({
          from: addMs(from, offsetMs),
          to: addMs(to, offsetMs),
          state,
        }));
      },
    }),
    keptSince() {
      const since = source.keptSince?.();
      return since && addMs(since, offsetMs);
    },
    async historyTimes(layer, bbox, window, maxCount) {
      const times = await historyTimes(source, layer, bbox, shiftBack(window), maxCount);
      return times.map((at) => addMs(at, offsetMs));
    },
  };
}
