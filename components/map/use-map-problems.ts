import type { Map as MapLibreMap } from 'maplibre-gl';
import { useCallback, useEffect, useState } from 'react';
import type { MapAbsence } from '#lib/client/page/page-map.ts';
import { NO_ANSWER } from '#lib/client/request/refusal-message.ts';
import { retryUntilDone } from './basemap/patient-source.ts';

/** The parts of the map that report for themselves why they are not drawn. */
export type MapPart = 'marks' | 'labels' | 'trails' | 'vectors';

/** @param problem a sentence for operators; `undefined` once the part is drawn after all */
export type ReportProblem = (part: MapPart, problem: string | undefined) => void;

export type MapProblems = Readonly<Partial<Record<MapPart, string>>>;

export const NO_PROBLEMS: MapProblems = {};

/** A part takes back only its own report: the others' problems last. The newest is last. */
export function withReport(problems: MapProblems, part: MapPart, problem: string | undefined): MapProblems {
  const { [part]: before, ...others } = problems;
  if (before === problem) return problems;
  return problem === undefined ? others : { ...others, [part]: problem };
}

/** Browsers restore a lost graphics context within a second or two, or not at all. */
const RESTORED_WITHIN_MS = 15_000;
const CONTEXT_LOST = 'The map lost its graphics context; waiting for the browser to restore it.';

/**
 * Why a created map, or a part of it, is not drawn. A restored graphics context forgets all problems, since every part is then
 * drawn again.
 * @param onAbsent called if a lost graphics context does not come back
 * @returns the newest problem; `watch` follows the graphics context of the map
 */
export function useMapProblems(onAbsent: (absence: MapAbsence) => void) {
  const [problems, setProblems] = useState(NO_PROBLEMS);
  const [isLost, setLost] = useState(false);
  const report = useCallback<ReportProblem>((part, problem) => {
    setProblems((before) => withReport(before, part, problem));
  }, []);
  const watch = (map: MapLibreMap) => {
    map.on('webglcontextlost', () => setLost(true));
    map.on('webglcontextrestored', () => {
      setLost(false);
      setProblems(NO_PROBLEMS);
    });
  };
  useEffect(() => {
    if (!isLost) return;
    const timer = setTimeout(() => onAbsent({ kind: 'lost' }), RESTORED_WITHIN_MS);
    return () => clearTimeout(timer);
  }, [isLost, onAbsent]);
  return { problem: isLost ? CONTEXT_LOST : Object.values(problems).at(-1), isLost, report, watch };
}

export interface PartCode<Code> {
  readonly part: MapPart;
  /** The start of a sentence, such as "Speed vectors". */
  readonly name: string;
  readonly load: () => Promise<Code>;
}

/**
 * Loads the code of a part that an operator has switched on, until the server answers; meanwhile it reports why the part
 * is not drawn.
 * @throws the signal's reason
 */
export async function loadPart<Code>(
  { part, name, load }: PartCode<Code>,
  report: ReportProblem,
  signal: AbortSignal,
): Promise<Code> {
  const onFailure = () => {
    signal.throwIfAborted();
    report(part, `${name} could not be loaded: ${NO_ANSWER}. Trying again.`);
  };
  const code = await retryUntilDone(load, { onFailure }, signal);
  signal.throwIfAborted();
  report(part, undefined);
  return code;
}
