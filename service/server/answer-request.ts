import type { OutgoingHttpHeaders } from 'node:http';
import { DAY_REMAINING_HEADER, MINUTE_REMAINING_HEADER, scopeOf } from '#lib/contract/operation.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Access } from '../accounts/access.ts';
import type { AddressLimit } from '../accounts/address-limit.ts';
import { authenticate } from '../accounts/authenticate.ts';
import { authorise } from '../accounts/authorise.ts';
import type { AllowanceLeft } from '../accounts/quota.ts';
import { type AnswerRequest, refusalAnswer } from '../http/answer.ts';
import { Refusal } from '../http/refusal.ts';
import { readRequestTarget } from './request-target.ts';
import type { RunOperation } from './run-operation.ts';

export interface AnsweringParts {
  readonly access: Access;
  /** Without it, wrong keys have no limit. */
  readonly addressLimit: AddressLimit | undefined;
  /** If not, no answer reports an allowance. */
  readonly isCounted: boolean;
  readonly runOperation: RunOperation;
  readonly now: () => UpstreamInstant;
  readonly onFailure: (failure: unknown, requestId: string) => void;
}

/**
 * Never throws. The order of checks decides what a caller learns and what a request costs:
 *
 * path → method → address → key → grant and scope → allowance → query → lookback → the operation
 *
 * Path and method reveal nothing about accounts. Invalid credentials and denied scopes consume no allowance, but
 * failing queries do (Quota rules).
 */
export function makeAnswerRequest(parts: AnsweringParts): AnswerRequest {
  return async (request) => {
    const allowanceHeaders: OutgoingHttpHeaders = {};
    try {
      const { operation, query } = readRequestTarget(request.target);
      if (operation === undefined)
        throw new Refusal(
          'not_found',
          'The path does not match an operation: use /v1/live or /v1/history, then /rid or /adsb.',
        );
      if (request.method !== 'GET') {
        throw new Refusal('method_not_allowed', 'The operations are read-only: use GET.', { allow: 'GET' });
      }
      const now = parts.now();
      const { keyId, account } = authenticate(parts.access, parts.addressLimit, request, now);
      parts.access.noteUse(keyId, now);
      authorise(account, scopeOf(operation.mode, operation.layer), now);
      const spending = parts.isCounted ? await parts.access.quota.spend(account) : undefined;
      if (spending) Object.assign(allowanceHeaders, headersOf(spending.left));
      if (spending?.granted === false) {
        throw new Refusal(
          'allowance_used_up',
          "The account's allowance is used up: wait for the seconds in Retry-After.",
          {
            'retry-after': String(spending.retryAfterS),
          },
        );
      }
      const body = await parts.runOperation(operation, { requestId: request.requestId, account, query, now });
      return { status: 200, headers: allowanceHeaders, body };
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) parts.onFailure(thrown, request.requestId);
      const refusal =
        thrown instanceof Refusal
          ? thrown
          : new Refusal('unavailable', 'Positions are temporarily unavailable: try again later.');
      const answer = refusalAnswer(refusal, request.requestId);
      return { ...answer, headers: { ...allowanceHeaders, ...answer.headers } };
    }
  };
}

function headersOf(left: AllowanceLeft): OutgoingHttpHeaders {
  return { [MINUTE_REMAINING_HEADER]: String(left.minute), [DAY_REMAINING_HEADER]: String(left.day) };
}
