import type { Position } from '#lib/model/position.ts';

/** The observations of each reference in order of time; of two of one reference and time the first to come counts. */
export function tracksInTime(observations: Iterable<Position>): readonly (readonly Position[])[] {
  const tracks = new Map<string, Position[]>();
  for (const position of observations) {
    const track = tracks.get(position.ref);
    if (track) track.push(position);
    else tracks.set(position.ref, [position]);
  }
  return Array.from(tracks.values(), (track) =>
    track
      .toSorted((a, b) => a.observedAt - b.observedAt)
      .filter(({ observedAt }, index, sorted) => sorted[index - 1]?.observedAt !== observedAt),
  );
}
