import type { Bbox } from '#lib/geo/bbox.ts';
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
  /** Which of a track's places was filled first. */
  const oldest = new Uint8Array(tracks.length);

  function flightOf(index: number, number: number): Flight {
    const first = index * KEPT;
    for (let place = first; place < first + KEPT; place++) {
      if (keptNumbers[place] === number) return kept[place]!;
    }
    const flight = tracks[index]!.flight(number);
    const place = first + oldest[index]!;
    kept[place] = flight;
    keptNumbers[place] = number;
    oldest[index] = (oldest[index]! + 1) % KEPT;
    return flight;
  }

  return {
    forEachFlight(bbox, { start, end }, visit) {
      forEachNear(bbox, (index) => {
        const track = tracks[index]!;
        const last = slotAt(track, end - 1);
        for (let number = slotAt(track, start); number <= last; number++) {
          const flight = flightOf(index, number);
          if (flight.startMs < end && flight.endMs > start) visit(flight);
        }
      });
    },
    *build({ start, end }) {
      for (const [index, track] of tracks.entries()) {
        const last = slotAt(track, end - 1);
        for (let number = slotAt(track, start); number <= last; number++) {
          flightOf(index, number);
          yield;
        }
      }
    },
  };
}
