import { randomBytes } from 'node:crypto';
import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import type { Access } from '../accounts/access.ts';
import type { AddressLimit } from '../accounts/address-limit.ts';
import type { AnsweringAt, AnswerRequest } from '../http/answer.ts';
import { REFERENCE_PERIOD_MS } from '../references/public-reference.ts';
import { cacheReferences } from '../references/reference-cache.ts';
import type { Source } from '../sources/observation.ts';
import { shiftSource } from '../sources/shift-source.ts';
import { makeCursors } from '../store/cursors.ts';
import { makeAnswerRequest } from './answer-request.ts';
import { makeRunOperation } from './run-operation.ts';

/** On the correct clock, so that a test with a wrong clock does not reset the quota. */
export function makeAnswering(parts: {
  readonly source: Source;
  readonly access: Access;
  readonly addressLimit: AddressLimit | undefined;
  readonly isCounted: boolean;
  readonly prefix: string;
  readonly referenceSecret: Uint8Array;
  readonly now: () => UpstreamInstant;
  readonly log: (line: string) => void;
}): AnsweringAt {
  const { source, access, addressLimit, isCounted, prefix, now, log } = parts;
  const referenceOf = cacheReferences({ secret: parts.referenceSecret, prefix, periodMs: REFERENCE_PERIOD_MS });

  const answeringFrom = (seenSource: Source, seenNow: () => UpstreamInstant) =>
    makeAnswerRequest({
      access,
      addressLimit,
      isCounted,
      runOperation: makeRunOperation({
        source: seenSource,
        prefix,
        referenceOf,
        cursors: makeCursors({ prefix, randomBytes }),
      }),
      now: seenNow,
      onFailure: (failure, requestId) =>
        log(`${requestId}: ${failure instanceof Error ? failure.stack : String(failure)}`),
    });

  const right = answeringFrom(source, now);
  let shifted: { readonly offsetMs: number; readonly answerRequest: AnswerRequest } | undefined;

  return (offsetMs) => {
    if (offsetMs === 0) return right;
    if (shifted?.offsetMs !== offsetMs) {
      const wrongNow = () => addMs(now(), offsetMs);
      shifted = { offsetMs, answerRequest: answeringFrom(shiftSource(source, offsetMs), wrongNow) };
    }
    return shifted.answerRequest;
  };
}
