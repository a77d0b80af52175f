import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import type { Transition } from '#lib/zones/evaluation/transition.ts';

export const OPENED_AT = upstreamInstant(Date.UTC(2026, 10, 27, 12));

export function transition(zone: string, change: Partial<Transition> = {}): Transition {
  const { at = OPENED_AT, openedAt = change.type === undefined ? at : OPENED_AT } = change;
  return {
    type: 'opened',
    key: `${zone} entered a`,
    zone,
    revision: 1,
    rule: RULE,
    layer: 'rid',
    ref: 'a',
    other: undefined,
    kind: 'entered',
    at,
    openedAt,
    count: 1,
    end: undefined,
    reason: null,
    evidence: [addMs(at, -5000), at].map((observedAt) => ({ ...plainPosition, observedAt })),
    heightUnknown: false,
    simulated: false,
    test: false,
    expected: false,
    perhapsSameAs: undefined,
    found: 'live',
    ...change,
  };
}

const RULE = '0b9a0b6c-2b1f-4a53-9d0f-2b1a4c7d9e10';
