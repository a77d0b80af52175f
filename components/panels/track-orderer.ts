import { orderTracks } from '#lib/picture/order-tracks.ts';

/** `orderTracks` that remembers its last answer, so that the next one is cheap. One for each table. */
export function makeTrackOrderer(): typeof orderTracks {
  let earlier: Uint32Array | undefined;
  return (columns, refAt, nowMs, search, order) => {
    earlier = orderTracks(columns, refAt, nowMs, search, order, earlier);
    return earlier;
  };
}
