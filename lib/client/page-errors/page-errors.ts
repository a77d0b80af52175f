import { type PageError, type PageErrorKind, placeOf, strippedMessage } from '#lib/api/page-error.ts';

/** The reports of one page until it is reloaded; further errors are most likely consequences. */
const REPORTS_MAX = 20;
/** Code of extensions runs in the page, and is not Lookout's. */
const EXTENSION = /[a-z-]*extension:\/\//;

const reported = new Set<string>();

/**
 * Reports to the server's log an error in the page's own code: once each, without positions, addresses or texts of
 * operators. It never fails: without a session or a server the report is dropped.
 */
export function reportPageError(kind: PageErrorKind, error: unknown): void {
  if (isExpected(error)) return;
  const { message, stack = '' } = partsOf(error);
  if (EXTENSION.test(stack) && placeOf(stack) === null) return;
  const report: PageError = { kind, message: strippedMessage(message), at: placeOf(stack) };
  const key = `${report.message} ${report.at}`;
  if (reported.has(key) || reported.size >= REPORTS_MAX) return;
  reported.add(key);
  fetch('/api/page-errors', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(report),
    keepalive: true,
  }).catch(() => undefined);
}

/** @returns how to stop */
export function reportUncaughtErrors(target: Window): () => void {
  const onError = ({ error, message, filename, lineno, colno }: ErrorEvent) => {
    // The error is of another origin's script: browsers report nothing about it.
    if (filename === '' && !error) return;
    reportPageError('uncaught', error ?? { message, stack: `${filename}:${lineno}:${colno}` });
  };
  const onRejection = ({ reason }: PromiseRejectionEvent) => reportPageError('uncaught', reason);
  target.addEventListener('error', onError);
  target.addEventListener('unhandledrejection', onRejection);
  return () => {
    target.removeEventListener('error', onError);
    target.removeEventListener('unhandledrejection', onRejection);
  };
}

/** Requests that were left or not answered, code that did not arrive, errors of the server, and a notice of layout. */
function isExpected(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { name, kind, digest, message } = error as Partial<Record<string, unknown>>;
  if (name === 'LookoutRequestError') return kind !== 'unreadable';
  return (
    name === 'AbortError' ||
    name === 'ChunkLoadError' ||
    typeof digest === 'string' ||
    (typeof message === 'string' && message.startsWith('ResizeObserver loop'))
  );
}

function partsOf(error: unknown): { readonly message: string; readonly stack?: string | undefined } {
  if (error instanceof Error) {
    const { issues } = error as { readonly issues?: readonly { path: PropertyKey[]; message: string }[] };
    const [issue] = issues ?? [];
    // zod's message is JSON.
    const message = issue ? `${issue.path.map(String).join('.')} ${issue.message}` : error.message;
    return { message: `${error.name}: ${message}`, stack: error.stack };
  }
  if (typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string')
    return { message: error.message, stack: 'stack' in error ? String(error.stack) : undefined };
  return { message: String(error) };
}
