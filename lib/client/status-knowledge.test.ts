import { describe, expect, test } from 'vitest';
import { allowanceStatus } from './allowance-status.ts';
import { STATUS_ANSWER, STATUS_AT_MS } from './status-answer.fixture.ts';
import { knowledgeAfter, NOTHING_KNOWN } from './status-knowledge.ts';

const status = allowanceStatus(STATUS_ANSWER);
const told = { status, failure: undefined };

describe('knowledgeAfter', () => {
  test('a failure takes nothing away and keeps the moment at which failing began', () => {
    const once = knowledgeAfter(told, { kind: 'unreachable' }, STATUS_AT_MS + 5000);
    expect(once).toEqual({ status, failure: { kind: 'unreachable', sinceMs: STATUS_AT_MS + 5000 } });
    const twice = knowledgeAfter(once, { kind: 'failed' }, STATUS_AT_MS + 10_000);
    expect(twice).toEqual({ status, failure: { kind: 'failed', sinceMs: STATUS_AT_MS + 5000 } });
  });

  test('an answer ends the failure, and the next one begins at its own time', () => {
    const failing = knowledgeAfter(NOTHING_KNOWN, { kind: 'unreachable' }, undefined);
    expect(failing).toEqual({ status: undefined, failure: { kind: 'unreachable', sinceMs: undefined } });
    expect(knowledgeAfter(failing, { kind: 'told', status }, STATUS_AT_MS)).toEqual(told);
  });
});
