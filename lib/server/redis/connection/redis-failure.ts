import 'server-only';
import { SharedStoreFailure } from '../../ports/shared-store-failure.ts';

/**
 * Why the shared store did not do what it was asked:
 * - `lost`: it cannot be reached, or the connection broke
 * - `slow`: no answer in time
 * - `full`: its memory is used up, and it forgets nothing by itself
 * - `read-only`: it takes no writes: a replica, a primary without the replicas that it must have, or one that cannot save
 * - `loading`: it has just started and reads its data
 * - `refused`: user, password, permissions or version are wrong; a person has to change something
 */
export type RedisProblem = 'lost' | 'slow' | 'full' | 'read-only' | 'loading' | 'refused';

export class RedisFailure extends SharedStoreFailure {
  readonly problem: RedisProblem;
  /** Whether it may have been done all the same: it was sent, and no answer came. */
  readonly isUnknown: boolean;

  constructor(problem: RedisProblem, message: string, isUnknown: boolean) {
    super(message);
    this.problem = problem;
    this.isUnknown = isUnknown;
  }
}

/** An answer of the server that is an error. */
export class RedisErrorReply extends Error {}

/** By the first word of an error reply. What is not here is a mistake of ours. */
const REPLIES: Readonly<Record<string, RedisProblem>> = {
  OOM: 'full',
  READONLY: 'read-only',
  NOREPLICAS: 'read-only',
  MISCONF: 'read-only',
  MASTERDOWN: 'read-only',
  LOADING: 'loading',
  BUSY: 'slow',
  MOVED: 'lost',
  ASK: 'lost',
  TRYAGAIN: 'lost',
  CLUSTERDOWN: 'lost',
  NOAUTH: 'refused',
  WRONGPASS: 'refused',
  NOPERM: 'refused',
};

/** Codes of Node's TLS: nothing was sent. */
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS_|ERR_SSL_/;

/** After these the server is asked anew which one takes writes. */
export function endsConnection(problem: RedisProblem): boolean {
  return problem !== 'full';
}

/** What an error of the driver or of the server means. An error that is nobody's failure comes back as it is. */
export function failureOf(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof RedisFailure || error instanceof TypeError) return error;
  if (error instanceof RedisErrorReply) {
    const word = replyWord(error);
    const problem = REPLIES[word];
    // Within a script, the reply of a command is inside the text of the error.
    const inScript = /\b(OOM|READONLY|NOREPLICAS|MISCONF|NOPERM)\b/.exec(error.message)?.[0];
    const meant = problem ?? (inScript === undefined ? undefined : REPLIES[inScript]);
    return meant === undefined ? error : new RedisFailure(meant, error.message, false);
  }
  if (CERTIFICATE.test((error as NodeJS.ErrnoException).code ?? ''))
    return new RedisFailure('refused', error.message, false);
  const isUnsent = error.name === 'ClientOfflineError' || error.name === 'ClientClosedError';
  return new RedisFailure('lost', error.message || String((error as NodeJS.ErrnoException).code), !isUnsent);
}

export function isScriptMissing(error: unknown): boolean {
  return error instanceof RedisErrorReply && replyWord(error) === 'NOSCRIPT';
}

function replyWord(error: Error): string {
  return /^-?([A-Z]+)\b/.exec(error.message)?.[1] ?? '';
}
