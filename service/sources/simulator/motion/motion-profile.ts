/** How far, how fast and how high, over the time since the start: pieces of constant acceleration and climb. */
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
  /** Elevation of the ground below, where it is known. */
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
  /** Elevation of the ground below for the pieces that follow. */
  above(groundM: number | undefined): void;
  /** Stands (or hovers) for the time, ending at the altitude. Only after a piece that ended at 0 m/s. */
  stand(durationMs: number, altitudeM: number): void;
  /** Moves for the time, ending at the speed and altitude. */
  moveFor(durationMs: number, endMps: number, altitudeM: number): void;
  /** Moves over the distance, ending at the speed and altitude; nothing where there is no distance. */
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
      if (speedMps !== 0) throw new RangeError('only what has stopped can stand');
      add(durationMs, 0, endAltitudeM);
    },
    moveFor: add,
    moveOver(distanceM, endMps, endAltitudeM) {
      if (distanceM <= 0) return;
      if (speedMps + endMps <= 0) throw new RangeError('a distance is covered only at a speed');
      add((2000 * distanceM) / (speedMps + endMps), endMps, endAltitudeM);
    },
    build: () => ({ pieces, durationMs: elapsedMs }),
  };
}

/** The motion at a time since the start; before it and past the end, that of the ends. */
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
