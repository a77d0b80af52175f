import type { Bbox } from '#lib/geo/bbox.ts';
import { epochMs } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import type { Flight } from './flight.ts';
import { slotAt, type Track } from './track.ts';
import { indexTracks } from './track-index.ts';

/** The tracks of one layer. */
export interface Fleet {
  /**
   * Calls `visit` for every flight that overlaps `[start, end)` and whose track comes near the box, in the order of the
   * tracks.
   */
  forEachFlight(bbox: Bbox, window: Window, visit: (flight: Flight) => void): void;
  /** Builds the flights of the window ahead of requests for it, one per step. */
  build(window: Window): Generator<void>;
}

/**
 * Flights cached per track, about 7 kB each: one for now, and two for an hour in the past, because requests alternate
 * between them during a replay. Building a flight costs about a hundred times as much as reading it.
 */
const CACHED_PER_TRACK = 3;

export function makeFleet(tracks: readonly Track[]): Fleet {
  const forEachNear = indexTracks(tracks);
  const cached: (Flight | undefined)[] = new Array(tracks.length * CACHED_PER_TRACK).fill(undefined);
  const cachedNumbers = new Float64Array(tracks.length * CACHED_PER_TRACK).fill(Number.NaN);
  function flightOf(index: number, number: number): Flight {
    const first = index * CACHED_PER_TRACK;
    let place = first;
    while (place < first + CACHED_PER_TRACK - 1 && cachedNumbers[place] !== number) place++;
    const flight = cachedNumbers[place] === number ? cached[place]! : tracks[index]!.flight(number);
    // Move it to the front, so that the last slot holds the least recently used flight.
    for (; place > first; place--) {
      cached[place] = cached[place - 1];
      cachedNumbers[place] = cachedNumbers[place - 1]!;
    }
    cached[first] = flight;
    cachedNumbers[first] = number;
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
