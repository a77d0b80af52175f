import { LookoutRequestError } from './fetch-lookout.ts';
import { WorkerStoppedError } from './worker-failure.ts';

export const NO_ANSWER_MESSAGE = 'No answer from Lookout’s own server.';

/** Failures of the page, which are never the server's: a reload gets the code of the server's version. */
export const PAGE_FAILURES = {
  unreadable: 'This page could not read the answer.',
  stopped: 'A part of this page stopped, and is started again.',
  'not-loaded': 'A part of this page did not load, and is requested again.',
} as const;
export type PageFailure = keyof typeof PAGE_FAILURES;

export function isPageFailure(kind: string): kind is PageFailure {
  return kind in PAGE_FAILURES;
}

/** The operator's way out. */
export type FailureRemedy = 'sign-in' | 'reload' | undefined;

export function remedyOf(error: unknown): FailureRemedy {
  const kind = error instanceof LookoutRequestError || error instanceof WorkerStoppedError ? error.kind : '';
  return kind === 'signed-out' ? 'sign-in' : isPageFailure(kind) ? 'reload' : undefined;
}

/** A sentence for operators. */
export function failureMessage(error: unknown): string {
  if (error instanceof WorkerStoppedError) return PAGE_FAILURES[error.kind];
  if (!(error instanceof LookoutRequestError)) return error instanceof Error ? error.message : String(error);
  const { kind, said, status } = error;
  switch (kind) {
    case 'unreadable':
      return PAGE_FAILURES.unreadable;
    case 'unreachable':
      return NO_ANSWER_MESSAGE;
    case 'signed-out':
      return 'Signed out.';
    case 'refused':
      return said ?? refusedMessage(status);
  }
}

/** Of an answer without our words, such as a proxy's. */
export function refusedMessage(status: number | undefined): string {
  return `Lookout’s own server, or a proxy before it, refused the request${status === undefined ? '' : `: status ${status}`}.`;
}
