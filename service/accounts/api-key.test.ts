import { describe, expect, test } from 'vitest';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { issueKey } from './api-key.ts';

const CREATED = upstreamInstant(1.7e12);
const DAY = 86_400_000;
const secret = 'the-secret-of-this-key';

describe('issueKey', () => {
  test('a key expires no later than its grant', () => {
    const grant = { active: true, expiresAt: addMs(CREATED, 10 * DAY) };
    expect(issueKey({ name: 'k', secret, createdAt: CREATED }, grant).expiresAt).toBe(grant.expiresAt);
    const late = { name: 'k', secret, createdAt: CREATED, expiresAt: addMs(CREATED, 11 * DAY) };
    expect(issueKey(late, grant).expiresAt).toBe(grant.expiresAt);
  });

  test('a key expires at most 365 days after its creation', () => {
    const grant = { active: true, expiresAt: addMs(CREATED, 3650 * DAY) };
    expect(issueKey({ name: 'k', secret, createdAt: CREATED }, grant).expiresAt).toBe(addMs(CREATED, 365 * DAY));
  });

  test('an earlier expiry is kept', () => {
    const grant = { active: true, expiresAt: addMs(CREATED, 100 * DAY) };
    const expiresAt = addMs(CREATED, DAY);
    expect(issueKey({ name: 'k', secret, createdAt: CREATED, expiresAt }, grant).expiresAt).toBe(expiresAt);
  });

  test('the secret is not in the record', () => {
    const key = issueKey({ name: 'k', secret, createdAt: CREATED }, { expiresAt: addMs(CREATED, DAY) });
    expect(JSON.stringify(key)).not.toContain(secret);
    expect(Buffer.from(key.digest).toString('latin1')).not.toContain(secret);
    expect(key.digest.length).toBe(32);
  });
});
