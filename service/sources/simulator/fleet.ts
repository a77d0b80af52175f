import type { Bbox } from '#lib/geo/bbox.ts';
import type { Window } from '#lib/time/window.ts';
import { extentsTouch } from './extent.ts';
import type { Flight } from './flight.ts';
import { slotAt, type Track } from './track.ts';

/** The tracks of one layer. */
export interface Fleet {
  /**
   * Calls `visit` for every flight that has a moment in `[start, end)` and whose track comes near the box, in the
   * tracks' order.
   */
  forEachFlight(bbox: Bbox, window: Window, visit: (flight: Flight) => void): void;
}

export function makeFleet(tracks: readonly Track[]): Fleet {
  // Two places a track: a flight and the one before or after it. Building a flight costs some hundred times a look at it.
  const kept: (Flight | undefined)[] = new Array(tracks.length * 2).fill(undefined);
  const keptNumbers = new Float64Array(tracks.length * 2);

  function flightOf(index: number, number: number): Flight {
    const place = index * 2 + (number & 1);
    const found = kept[place];
    if (found && keptNumbers[place] === number) return found;
    const flight = tracks[index]!.flight(number);
    kept[place] = flight;
    keptNumbers[place] = number;
    return flight;
  }

  return {
    forEachFlight(bbox, { start, end }, visit) {
      for (let index = 0; index < tracks.length; index++) {
        const track = tracks[index]!;
        if (!extentsTouch(track.extent, bbox)) continue;
        const last = slotAt(track, end - 1);
        for (let number = slotAt(track, start); number <= last; number++) {
          const flight = flightOf(index, number);
          if (flight.startMs < end && flight.endMs > start) visit(flight);
        }
      }
    },
  };
}
