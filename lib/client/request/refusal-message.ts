import { durationText } from '#lib/model/duration-text.ts';
import { LookoutRequestError } from './fetch-lookout.ts';
import { WorkerStoppedError } from './worker-failure.ts';

/** Sentences for operators about a request that failed, and their way out. Every text about a missing answer begins here. */
export const NO_ANSWER = 'no answer from Lookout’s own server';

/** @param rest what follows from it, with its punctuation; without an answer, a change may have been made */
export function noAnswerMessage(rest = '.'): string {
  return `N${NO_ANSWER.slice(1)}${rest}`;
}

export const NO_ANSWER_MESSAGE = noAnswerMessage();

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

/** The action that helps an operator. */
export type FailureRemedy = 'sign-in' | 'reload' | undefined;

export function remedyOf(error: unknown): FailureRemedy {
  const kind = error instanceof LookoutRequestError || error instanceof WorkerStoppedError ? error.kind : '';
  return kind === 'signed-out' ? 'sign-in' : isPageFailure(kind) ? 'reload' : undefined;
}

/** The sentence that operators read about any failure. */
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

/** The text while polls fail; `NO_ANSWER` is of one request. */
export const SERVER_LOST = 'Lookout’s own server does not answer.';

export const DATABASE_LOST = 'Lookout’s database does not answer.';
/** After a change of a list, which may have been made. */
export const DATABASE_LOST_AT_LIST = `${DATABASE_LOST} Look at the list before you try again.`;

export function tooManyAttemptsMessage(retryAfterS: number | undefined): string {
  const when =
    retryAfterS === undefined ? 'Wait a while and try again' : `Try again in ${durationText(retryAfterS * 1000)}`;
  return `Too many attempts. ${when}.`;
}

const NOT_DONE = 'That did not work. Try again.';

/**
 * Why a change was not made, or may not have been, in a sentence for operators.
 * @param words sentences by code, in place of the server's
 */
export function changeFailureMessage(error: unknown, words: Readonly<Partial<Record<string, string>>> = {}): string {
  if (!(error instanceof LookoutRequestError)) return NOT_DONE;
  const { kind, code = '', said } = error;
  if (kind === 'signed-out') return 'You are signed out; nothing was changed.';
  if (kind === 'unreachable') return noAnswerMessage('; the change may not have been made.');
  return words[code] ?? said ?? NOT_DONE;
}

/** The sentence for an answer without our words, such as a proxy's. */
export function refusedMessage(status: number | undefined): string {
  return `Lookout’s own server, or a proxy before it, refused the request${status === undefined ? '' : `: status ${status}`}.`;
}

export function signInAddress(): string {
  const { pathname, search, hash } = window.location;
  return `/sign-in?next=${encodeURIComponent(`${pathname}${search}${hash}`)}`;
}

export interface FieldProblems<Field extends string> {
  readonly fields: Readonly<Partial<Record<Field, string>>>;
  readonly general: string | undefined;
}

/**
 * Assigns the server's sentence about a form to its fields.
 * @param within prefix of paths that is dropped, such as `config.`
 */
export function fieldProblems<Field extends string>(
  error: unknown,
  known: readonly Field[],
  within = '',
): FieldProblems<Field> {
  if (!(error instanceof LookoutRequestError) || error.kind !== 'refused' || error.said === undefined)
    return generally(changeFailureMessage(error));
  const { code, said } = error;
  if (code === 'bad_body') return fromMessage(said, known, within);
  const name = known.find((field) => field === 'name');
  return code === 'name_taken' && name !== undefined
    ? { fields: { [name]: said } as Partial<Record<Field, string>>, general: undefined }
    : generally(said);
}

/** Reads `rules.0.hold_s: too big; shape: crosses itself`. */
function fromMessage<Field extends string>(
  message: string,
  known: readonly Field[],
  within: string,
): FieldProblems<Field> {
  const fields: Partial<Record<Field, string>> = {};
  const others: string[] = [];
  for (const part of message.split('; ')) {
    const stated = part.startsWith(within) ? part.slice(within.length) : part;
    const [, path = '', text = ''] = /^([a-z_]+(?:\.[a-z0-9_]+)*):? +(.+)$/is.exec(stated) ?? [];
    const [head, ...inner] = path.split('.');
    const field = known.find((candidate) => candidate === head);
    if (field === undefined) others.push(part);
    else {
      const where = inner.map((step) => (/^\d+$/.test(step) ? `no. ${Number(step) + 1}` : step.replaceAll('_', ' ')));
      const said = [...where, text].join(' ');
      fields[field] = fields[field] === undefined ? said : `${fields[field]}; ${said}`;
    }
  }
  return { fields, general: others.length === 0 ? undefined : others.join('; ') };
}

function generally<Field extends string>(general: string): FieldProblems<Field> {
  const fields: Partial<Record<Field, string>> = {};
  return { fields, general };
}
