import { statusAnswerSchema } from '#lib/api/status-answer.ts';
import { type AllowanceStatus, allowanceStatus } from './allowance-status.ts';

/** How asking for the status can go wrong; each reads differently on screen. */
export type StatusFailureKind =
  /** No answer came at all, or not in time. */
  | 'unreachable'
  /** An answer came that tells of an error. */
  | 'failed'
  /** An answer came that is not one of ours. */
  | 'unreadable'
  | 'signed-out';

export type StatusOutcome =
  | { readonly kind: 'told'; readonly status: AllowanceStatus }
  | { readonly kind: StatusFailureKind };

/** What an answer of `GET /api/status` comes to. Throws only where its body breaks off. */
export async function statusOutcome(response: Response): Promise<StatusOutcome> {
  if (response.status === 401) return { kind: 'signed-out' };
  if (!response.ok) return { kind: 'failed' };
  const text = await response.text();
  try {
    return { kind: 'told', status: allowanceStatus(statusAnswerSchema.parse(JSON.parse(text))) };
  } catch {
    return { kind: 'unreadable' };
  }
}
