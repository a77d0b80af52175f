/** Distance, speed and altitude over the time since the start, in pieces of constant acceleration and climb rate. */
export interface MotionProfile {
  readonly pieces: readonly Piece[];
  readonly durationMs: number;
}

interface Piece {
  readonly startMs: number;
  readonly durationMs: number;
  readonly startM: number;
  readonly startMps: number;
  readonly endMps: number;
  readonly startAltitudeM: number;
  readonly endAltitudeM: number;
  /** Elevation of the ground below; `undefined` if unknown. */
  readonly groundM: number | undefined;
}

export interface Motion {
  readonly alongM: number;
  readonly speedMps: number;
  readonly altitudeM: number;
  readonly groundM: number | undefined;
}

export interface ProfileBuilder {
  readonly elapsedMs: number;
  readonly alongM: number;
  readonly speedMps: number;
  readonly altitudeM: number;
  /** Sets the elevation of the ground below the pieces that follow. */
  above(groundM: number | undefined): void;
  /**
   * Stands or hovers for the time, ending at the altitude. Throws a RangeError unless the last piece ended at 0 m/s.
   */
  stand(durationMs: number, altitudeM: number): void;
  /** Moves for the time, ending at the speed and altitude. */
  moveFor(durationMs: number, endMps: number, altitudeM: number): void;
  /** Moves over the distance, ending at the speed and altitude; does nothing if the distance is not positive. */
  moveOver(distanceM: number, endMps: number, altitudeM: number): void;
  build(): MotionProfile;
}

export function profileFrom(startAltitudeM: number): ProfileBuilder {
  const pieces: Piece[] = [];
  let elapsedMs = 0;
  let alongM = 0;
  let speedMps = 0;
  let altitudeM = startAltitudeM;
  let groundM: number | undefined;

  function add(durationMs: number, endMps: number, endAltitudeM: number): void {
    pieces.push({
      startMs: elapsedMs,
      durationMs,
      startM: alongM,
      startMps: speedMps,
      endMps,
      startAltitudeM: altitudeM,
      endAltitudeM,
      groundM,
    });
    elapsedMs += durationMs;
    alongM += ((speedMps + endMps) / 2) * (durationMs / 1000);
    speedMps = endMps;
    altitudeM = endAltitudeM;
  }

  return {
    get elapsedMs() {
      return elapsedMs;
    },
    get alongM() {
      return alongM;
    },
    get speedMps() {
      return speedMps;
    },
    get altitudeM() {
      return altitudeM;
    },
    above(ground) {
      groundM = ground;
    },
    stand(durationMs, endAltitudeM) {
      if (speedMps !== 0) throw new RangeError('cannot stand while moving');
      add(durationMs, 0, endAltitudeM);
    },
    moveFor: add,
    moveOver(distanceM, endMps, endAltitudeM) {
      if (distanceM <= 0) return;
      if (speedMps + endMps <= 0) throw new RangeError('cannot cover a distance at zero speed');
      add((2000 * distanceM) / (speedMps + endMps), endMps, endAltitudeM);
    },
    build: () => ({ pieces, durationMs: elapsedMs }),
  };
}

/** The same motion in at most `maxMs`: a longer one is faster throughout, over the same distance and altitudes. */
export function profileWithin(profile: MotionProfile, maxMs: number): MotionProfile {
  if (profile.durationMs <= maxMs) return profile;
  const factor = maxMs / profile.durationMs;
  const pieces = profile.pieces.map((piece) => ({
    ...piece,
    startMs: piece.startMs * factor,
    durationMs: piece.durationMs * factor,
    startMps: piece.startMps / factor,
    endMps: piece.endMps / factor,
  }));
  return { pieces, durationMs: maxMs };
}

/** The motion `elapsedMs` after the start, clamped to the profile's duration. */
export function motionAt(profile: MotionProfile, elapsedMs: number): Motion {
  const { pieces } = profile;
  let low = 0;
  let high = pieces.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (pieces[middle]!.startMs <= elapsedMs) low = middle;
    else high = middle - 1;
  }
  const piece = pieces[low]!;
  const part = Math.min(1, Math.max(0, (elapsedMs - piece.startMs) / piece.durationMs));
  const speedMps = piece.startMps + (piece.endMps - piece.startMps) * part;
  return {
    alongM: piece.startM + ((piece.startMps + speedMps) / 2) * ((piece.durationMs * part) / 1000),
    speedMps,
    altitudeM: piece.startAltitudeM + (piece.endAltitudeM - piece.startAltitudeM) * part,
    groundM: piece.groundM,
  };
}
