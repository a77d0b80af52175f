import { useCallback, useState } from 'react';
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

/** @returns the newest problem, how parts report one, and how to forget all */
export function useMapProblems() {
  const [problems, setProblems] = useState(NO_PROBLEMS);
  const report = useCallback<ReportProblem>((part, problem) => {
    setProblems((before) => withReport(before, part, problem));
  }, []);
  const forget = useCallback(() => setProblems(NO_PROBLEMS), []);
  return { problem: Object.values(problems).at(-1), report, forget };
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
