import 'server-only';
import { DatabaseFailure, misfitText } from './database-failure.ts';
import { ForeignStore, type StorageProblem, storageProblem } from './storage-problem.ts';

const CONSTRAINT = 19;

/** Returns other errors, and violated constraints, unchanged. */
export function sqliteFailure(error: unknown, file: string): unknown {
  const problem = storageProblem(error);
  if (problem === undefined || isConstraint(error)) return error;
  if (error instanceof ForeignStore)
    return new DatabaseFailure(
      problem,
      `${file} is the database of another program, and was left as it is: move it away, or set another DATA_DIR.`,
      error,
    );
  return new DatabaseFailure(problem, textOf(problem, file, (error as Error).message), error);
}

function textOf(problem: StorageProblem, file: string, because: string): string {
  switch (problem) {
    case 'damaged':
      return `${file} is damaged (${because}). It was left as it is: put the latest backup in its place, or move it away to begin without operators, views, audit and ledger.`;
    case 'full':
      return `The disk of ${file} is full: make room on it (${because}).`;
    case 'in-use':
      return `Another process is changing ${file}: try again (${because}).`;
    case 'other-schema':
      return misfitText(file, because);
    case 'denied':
      return `${file} cannot be read or written: let the user of Lookout write it and its folder (${because}).`;
  }
}

function isConstraint(error: unknown): boolean {
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === 'number' && (errcode & 0xff) === CONSTRAINT;
}
