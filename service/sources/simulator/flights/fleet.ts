import type { Bbox } from '#lib/geo/bbox.ts';
import { epochMs } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import type { Flight } from './flight.ts';
import { slotAt, type Track } from './track.ts';
import { indexTracks } from './track-index.ts';

/** The tracks of one layer. */
export interface Fleet {
  /**
   * Calls `visit` for every flight that has a moment in `[start, end)` and whose track comes near the box, in the
   * tracks' order.
   */
  forEachFlight(bbox: Bbox, window: Window, visit: (flight: Flight) => void): void;
  /** Builds the flights that have a moment in the window, one a step, so that questions about it find them built. */
  build(window: Window): Generator<void>;
}

/**
 * Flights of each track that are kept for the next question, about 7 kB each: the one of now, and two for an hour in the
 * past, which are asked for in turn while somebody replays. Building one costs some hundred times a look at it.
 */
const KEPT = 3;

export function makeFleet(tracks: readonly Track[]): Fleet {
  const forEachNear = indexTracks(tracks);
  const kept: (Flight | undefined)[] = new Array(tracks.length * KEPT).fill(undefined);
  const keptNumbers = new Float64Array(tracks.length * KEPT).fill(Number.NaN);
  function flightOf(index: number, number: number): Flight {
    const first = index * KEPT;
    let place = first;
    while (place < first + KEPT - 1 && keptNumbers[place] !== number) place++;
    const flight = keptNumbers[place] === number ? kept[place]! : tracks[index]!.flight(number);
    // To the front, so that the last place has the one that was not asked for longest.
    for (; place > first; place--) {
      kept[place] = kept[place - 1];
      keptNumbers[place] = keptNumbers[place - 1]!;
    }
    kept[first] = flight;
    keptNumbers[first] = number;
    return flight;
  }

  return {
    forEachFlight(bbox, { start, end }, visit) {
      forEachNear(bbox, (index) => {
        const track = tracks[index]!;
        const last = slotAt(track, epochMs(end) - 1);
        for (let number = slotAt(track, epochMs(start)); number <= last; number++) {
          const flight = flightOf(index, number);
          if (flight.startMs < epochMs(end) && flight.endMs > epochMs(start)) visit(flight);
        }
      });
    },
    *build({ start, end }) {
      for (const [index, track] of tracks.entries()) {
        const last = slotAt(track, epochMs(end) - 1);
        for (let number = slotAt(track, epochMs(start)); number <= last; number++) {
          flightOf(index, number);
          yield;
        }
      }
    },
  };
}
