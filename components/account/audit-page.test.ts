import { describe, expect, test } from 'vitest';
import { AUDIT_KINDS, type AuditEntry } from '#lib/api/people/audit-event.ts';
import { AUDIT_KIND_TEXT } from '#lib/api/people/audit-text.ts';
import { parseInstant } from '#lib/time/instant.ts';
import { agoText } from './account-text.ts';
import { auditExtentText, auditItemText } from './audit-page.tsx';

const entry: AuditEntry = {
  id: '1',
  at: '2026-11-22T12:00:01.000Z',
  last: '2026-11-22T12:00:01.000Z',
  times: 1,
  operator: { id: 'oidc:x', name: 'Anna' },
  address: '192.0.2.7',
  request_id: 'r-1',
  event: { kind: 'signed_in', method: 'password', session: 'abcdefgh' },
};
const counted = { ...entry, operator: null, address: null, times: 940 };

describe('an entry of the audit', () => {
  test('says when in UTC, who as they were called then, what, and from where', () => {
    expect(auditItemText(entry)).toEqual({
      when: '2026-11-22 12:00:01Z',
      who: 'Anna',
      what: 'signed in with a password, session abcdefgh',
      from: '192.0.2.7',
    });
  });

  test('says how often it happened', () => {
    expect(auditItemText({ ...entry, times: 3, last: '2026-11-22T12:00:59.000Z' }).what).toMatch(
      /, 3 times until 12:00:59Z$/,
    );
  });

  test('names no operator and no address if they are unknown', () => {
    expect(auditItemText({ ...entry, operator: null }).who).toBe('not signed in');
    const more = auditItemText({ ...counted, event: { kind: 'more', of: 'sign_in_refused' } });
    expect(more).toMatchObject({ who: 'not signed in', from: 'address not kept' });
    expect(auditItemText({ ...counted, event: { kind: 'lost' } })).toMatchObject({
      who: 'unknown',
      from: 'address not kept',
    });
  });

  test('is as old as it is by the server’s clock', () => {
    expect(agoText(entry.at, parseInstant('2026-11-22T12:03:02Z'))).toBe('3 min ago');
    expect(agoText(entry.at, undefined)).toBeUndefined();
  });

  test('every kind has a name of its own', () => {
    expect(new Set(AUDIT_KINDS.map((kind) => AUDIT_KIND_TEXT[kind])).size).toBe(AUDIT_KINDS.length);
  });
});

describe('how much of the audit is shown', () => {
  const all = { shown: 12, oldest: entry.at, hasOlder: false, keptDays: 365, isFiltered: false };

  test('is all of it only where nothing older is kept', () => {
    expect(auditExtentText(all)).toBe('All 12 entries that are kept. Entries are deleted after 365 days.');
    expect(auditExtentText({ ...all, shown: 1, isFiltered: true })).toMatch(
      /^The only entry of this choice that is kept/,
    );
    expect(auditExtentText({ ...all, shown: 100, hasOlder: true })).toBe(
      'The newest 100 entries, back to 2026-11-22 12:00:01Z. There are older ones.',
    );
  });

  test('may be empty, which is no claim about deleted entries', () => {
    const none = { ...all, shown: 0, oldest: undefined, isFiltered: true, keptDays: 1 };
    expect(auditExtentText(none)).toBe('Nothing of this choice is kept. Entries are deleted after a day.');
  });
});
