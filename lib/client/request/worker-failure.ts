import { LookoutRequestError, type LookoutRequestFailure, requestErrorOf } from './fetch-lookout.ts';

/** The worker that made the request stopped, or its code did not load; another one is started. */
export class WorkerStoppedError extends Error {
  readonly kind: 'stopped' | 'not-loaded';

  constructor(kind: WorkerStoppedError['kind']) {
    super(`a worker failed: ${kind}`);
    this.kind = kind;
  }
}

/** The error of a request that a worker makes for the page. */
export type WorkerRequestError = LookoutRequestError | WorkerStoppedError;

/** The last answer to a request that failed; it passes between threads, which errors with their class do not. */
export interface WorkerFailure {
  readonly kind: 'failed';
  readonly id: number;
  readonly why: LookoutRequestFailure | WorkerStoppedError['kind'];
  readonly code?: string | undefined;
  readonly status?: number | undefined;
  readonly said?: string | undefined;
  /** Text of the page's own error, for its report. */
  readonly defect?: WorkerDefect | undefined;
}

export interface WorkerDefect {
  readonly message: string;
  readonly stack: string | undefined;
}

/** `died`: the worker's code failed as a whole, and it will answer nothing. `odd`: the worker goes on. */
export type WorkerSignal =
  | { readonly kind: 'alive' }
  | { readonly kind: 'died' | 'odd'; readonly defect: WorkerDefect };

export function defectOf(error: unknown): WorkerDefect {
  return error instanceof Error
    ? { message: `${error.name}: ${error.message}`, stack: error.stack }
    : { message: String(error), stack: undefined };
}

export function workerFailureOf(id: number, error: unknown): WorkerFailure {
  const { kind, code, status, said, cause } = requestErrorOf(error);
  const defect = kind === 'unreadable' ? defectOf(cause) : undefined;
  return { kind: 'failed', id, why: kind, code, status, said, defect };
}

export function errorOfFailure({ why, code, status, said }: WorkerFailure): WorkerRequestError {
  if (why === 'stopped' || why === 'not-loaded') return new WorkerStoppedError(why);
  return new LookoutRequestError(why, { code, status, said });
}
