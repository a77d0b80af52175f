import { formatInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import type { AccessTerms, AccountRecord, ApprovedGrant } from '../account-book.ts';
import { type Acting, ActRefused, audit, requireAccount } from './accounts.ts';

/** Omitted terms keep their requested or approved values. */
export type GivenTerms = { readonly [Name in keyof AccessTerms]?: AccessTerms[Name] | undefined };

/** Access is requested, then approved or denied, and revoked. A request changes nothing until it is approved. */
export function requestAccess(acting: Acting, name: string, terms: AccessTerms): AccountRecord {
  return acting.book.change((rows) => {
    const before = requireAccount(rows, name);
    const account = { ...before, request: { ...terms, requestedAt: acting.now } };
    rows.replaceAccount(account);
    audit(rows, acting, 'grant request', before.name, auditedTerms(terms));
    return account;
  });
}

export interface Approval {
  readonly account: AccountRecord & { readonly grant: ApprovedGrant };
  readonly before: ApprovedGrant | null;
  readonly shortenedKeys: number;
}

/** Omitted terms come from the waiting request. Longer keys end with the grant (Authentication: key lifetime). */
export function approveGrant(acting: Acting, name: string, given: GivenTerms): Approval {
  return acting.book.change((rows) => {
    const before = requireAccount(rows, name);
    const { email, request } = before;
    if (email && email.verifiedAt === null) {
      throw new ActRefused(
        `The e-mail address ${email.address} of ${before.name} is not verified: account verify ${JSON.stringify(before.name)} --code CODE comes first.`,
      );
    }
    const terms = approvedTerms(before, given);
    if (terms.until !== null && terms.until <= acting.now) {
      throw new ActRefused(`The access would end at ${formatInstant(terms.until)}, which is over: write --until DATE.`);
    }
    const grant: ApprovedGrant = { ...terms, state: 'active', decidedAt: acting.now, noticedDays: null };
    const account = { ...before, grant, request: null };
    rows.replaceAccount(account);
    let shortenedKeys = 0;
    for (const key of rows.keys(before.id)) {
      if (terms.until === null || key.expiresAt <= terms.until || key.revokedAt !== null) continue;
      rows.replaceKey({ ...key, expiresAt: terms.until, noticedDays: null });
      shortenedKeys += 1;
    }
    audit(rows, acting, 'grant approve', before.name, {
      ...auditedTerms(terms),
      requested: request !== null,
      ...(shortenedKeys > 0 ? { shortened_keys: shortenedKeys } : {}),
    });
    return { account, before: before.grant, shortenedKeys };
  });
}

function approvedTerms({ name, grant, request }: AccountRecord, given: GivenTerms): AccessTerms {
  // Without scopes, the present grant is approved again.
  const base = request ?? (given.scopes === undefined ? grant : null);
  const scopes = given.scopes ?? base?.scopes;
  if (!scopes) throw new ActRefused(`${name} has not requested access: write --scopes and --lookback.`);
  const lookbackDays = given.lookbackDays ?? base?.lookbackDays;
  if (lookbackDays === undefined && scopes.some((scope) => scope.endsWith('.history'))) {
    throw new ActRefused('--lookback is missing: write the days of history that are approved, from 1 to 30.');
  }
  return {
    scopes,
    lookbackDays: lookbackDays ?? 1,
    until: given.until ?? base?.until ?? null,
    company: given.company ?? request?.company ?? grant?.company ?? null,
    purpose: given.purpose ?? request?.purpose ?? grant?.purpose ?? null,
  };
}

/** Denies the request that waits. An earlier approval stays. */
export function denyRequest(acting: Acting, name: string, reason: string | undefined): AccountRecord {
  return acting.book.change((rows) => {
    const before = requireAccount(rows, name);
    if (!before.request) {
      throw new ActRefused(`${before.name} has no request that waits: grant revoke takes back what was approved.`);
    }
    const account = { ...before, request: null };
    rows.replaceAccount(account);
    audit(rows, acting, 'grant deny', before.name, {
      ...auditedTerms(before.request),
      ...(reason === undefined ? {} : { reason }),
    });
    return account;
  });
}

export function revokeGrant(acting: Acting, name: string, reason: string | undefined): AccountRecord {
  return acting.book.change((rows) => {
    const before = requireAccount(rows, name);
    if (before.grant?.state !== 'active') throw new ActRefused(`${before.name} has no grant that could be revoked.`);
    const account = { ...before, grant: { ...before.grant, state: 'revoked' as const, decidedAt: acting.now } };
    rows.replaceAccount(account);
    audit(rows, acting, 'grant revoke', before.name, reason === undefined ? {} : { reason });
    return account;
  });
}

export function isInForce(
  grant: ApprovedGrant | null,
  now: UpstreamInstant,
): grant is ApprovedGrant & { readonly state: 'active' } {
  return grant?.state === 'active' && (grant.until === null || now < grant.until);
}

function auditedTerms({ scopes, lookbackDays, until, company, purpose }: AccessTerms) {
  return {
    scopes,
    lookback_days: lookbackDays,
    until: until === null ? null : formatInstant(until),
    ...(company === null ? {} : { company }),
    ...(purpose === null ? {} : { use: purpose }),
  };
}
