import 'server-only';
import { connectionProblem } from '../connection-problem.ts';
import { SendFailure } from '../sender.ts';

interface SmtpError extends Error {
  readonly code?: string | undefined;
  /** Of the socket. */
  readonly originalCode?: string | undefined;
  /** Of SMTP, such as 550. */
  readonly responseCode?: number | undefined;
}

interface Accepted {
  readonly accepted: readonly unknown[];
  readonly rejected: readonly unknown[];
  readonly rejectedErrors?: readonly SmtpError[] | undefined;
}

/** Codes of nodemailer. The texts of servers may repeat what was sent. */
const PROBLEMS: Readonly<Record<string, string>> = {
  EAUTH: 'The mail server refuses the user or the password.',
  ENOAUTH: 'The mail server requires a user and a password.',
  ETIMEDOUT: 'The mail server does not answer.',
  EDNS: 'Its name could not be looked up.',
};

export function mailFailure(error: unknown): SendFailure {
  const { code = '', originalCode, responseCode } = error as SmtpError;
  if (code === 'EENVELOPE' || code === 'EMESSAGE') {
    const kind = responseCode === undefined || responseCode >= 500 ? 'refused' : 'retry';
    const what = code === 'EENVELOPE' ? 'the sender or every recipient' : 'the message';
    return new SendFailure(kind, `The mail server refuses ${what}${statusText(responseCode)}.`);
  }
  if (code === 'ETLS' && /STARTTLS/.test((error as Error).message))
    return new SendFailure('retry', 'The mail server does not offer STARTTLS, or TLS failed.');
  return new SendFailure(
    'retry',
    PROBLEMS[code] ?? connectionProblem(originalCode === undefined ? error : { code: originalCode }),
  );
}

/** @throws SendFailure if a recipient was refused: another try repeats the mail to the others, with its Message-ID */
export function requireAccepted({ accepted, rejected, rejectedErrors = [] }: Accepted): void {
  if (rejected.length === 0) return;
  const isPassing = rejectedErrors.every(({ responseCode = 500 }) => responseCode < 500);
  throw new SendFailure(
    isPassing ? 'retry' : 'refused',
    `The mail server refuses ${rejected.join(', ')}. It accepts the mail for ${accepted.join(', ')}.`,
  );
}

function statusText(responseCode: number | undefined): string {
  return responseCode === undefined ? '' : ` (status ${responseCode})`;
}
