import 'server-only';
import { dirname } from 'node:path';
import { LRUCache } from 'lru-cache';
import { roleMay } from '#lib/api/people/permission.ts';
import { commandText } from '#lib/commands/command-text.ts';
import { epochMs } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { counts } from '../allowance/counts.ts';
import type { Standing } from '../delivery/targets.ts';
import type { OidcConfig } from '../settings/access-settings.ts';
import type { Config } from '../settings/config.ts';
import { Accounts } from '../sign-in/accounts.ts';
import { SingleSignOn, type SingleSignOnOptions } from '../sign-in/oidc/single-sign-on.ts';
import type { Operators } from '../sign-in/operators.ts';
import { PasskeyChecks, PasskeyCounts } from '../sign-in/passkey-checks.ts';
import { Passkeys } from '../sign-in/passkeys.ts';
import { needsOf, operatorOfSession } from '../sign-in/session.ts';
import { Sessions, sessionSecret } from '../sign-in/sessions.ts';
import { ShortLived } from '../sign-in/short-lived.ts';
import { SignIn } from '../sign-in/sign-in.ts';
import { SignInThrottle, Tallies } from '../sign-in/sign-in-throttle.ts';
import { apiKeyFromFile } from '../upstream/api-key.ts';
import type { UpstreamClock } from '../upstream/upstream-clock.ts';
import type { ProcessBase } from './process-base.ts';

export interface SessionRuntime {
  readonly operators: Operators;
  readonly registry: Sessions;
  readonly signIn: SignIn;
  readonly accounts: Accounts;
  readonly passkeys: Passkeys;
  readonly passkeyChecks: PasskeyChecks;
  readonly singleSignOn: SingleSignOn | undefined;
  readonly secret: string;
  /**
   * Session ids by cookie, since opening one takes longer than the rest of a poll. Every request still checks the
   * session.
   */
  readonly openedCookies: LRUCache<string, string>;
}

/** Ten times the viewers of the largest measured fleet; 4 MB. */
const OPENED_COOKIES_MAX = 10_000;
/** The time is longer than any pause between polls of an open page. */
const OPENED_COOKIES_TTL_MS = 5 * MINUTE_MS;

/** @throws Error with the command that adds the first operator */
export function requireWayIn(
  { oidc, signInReason, database }: Pick<Config, 'oidc' | 'signInReason' | 'database'>,
  operators: number,
): boolean {
  if (oidc !== undefined || operators > 0) return true;
  if (signInReason === undefined) return false;
  const addsFirst = commandText('operator', 'add NAME --role admin');
  const command =
    database.dialect === 'sqlite'
      ? `: DATA_DIR=${dirname(database.file)} ${addsFirst}`
      : ` with the same DATABASE_URL: ${addsFirst}`;
  throw new Error(`No operator can sign in, and ${signInReason}. Add the first${command}; or set OIDC_ISSUER.`);
}

/** No subscription to push counts without sign-in, or while its person has to finish the account first. */
export function pushStanding(
  sessions: SessionRuntime | undefined,
  { config, wallNow }: Pick<ProcessBase, 'config' | 'wallNow'>,
): Standing {
  return (bearer, endsMs) => {
    if (!sessions || (endsMs !== null && epochMs(wallNow()) >= endsMs)) return undefined;
    if (needsOf(bearer, sessions.operators, config.requirePasskeys)) return undefined;
    const role = operatorOfSession(bearer, sessions)?.role;
    return role !== undefined && roleMay(role, 'view') ? role : undefined;
  };
}

export async function sessionRuntime(
  { config, log, wallNow, database, supervisor }: ProcessBase,
  operators: Operators,
  clock: UpstreamClock,
): Promise<SessionRuntime> {
  const { oidc, relyingParty, requirePasskeys: isRequired } = config;
  const secret = config.sessionSecret ?? (await sessionSecret(database));
  const registry = new Sessions(database, wallNow, supervisor.part('sessions'));
  const shortLived = new ShortLived(database, wallNow);
  const tallies = new Tallies(database);
  const throttle = new SignInThrottle(tallies, wallNow);
  const signIn = new SignIn(operators, registry, throttle, wallNow, isRequired);
  const counters = new PasskeyCounts(database);
  const passkeyChecks = new PasskeyChecks({ operators, registry, throttle, counters, shortLived, relyingParty, log });
  const spent = () => counts().today.read(clock.now());
  const accounts = new Accounts({
    operators,
    registry,
    signIn,
    requiresPasskeys: isRequired,
    spent,
    now: wallNow,
  });
  return {
    operators,
    registry,
    signIn,
    accounts,
    passkeys: new Passkeys({
      accounts,
      operators,
      registry,
      signIn,
      checks: passkeyChecks,
      shortLived,
      relyingParty,
      isRequired,
      now: wallNow,
    }),
    passkeyChecks,
    singleSignOn: oidc && singleSignOn(oidc, { secret, shortLived, tallies, now: wallNow, log }),
    secret,
    openedCookies: new LRUCache({ max: OPENED_COOKIES_MAX, ttl: OPENED_COOKIES_TTL_MS, updateAgeOnGet: true }),
  };
}

function singleSignOn(oidc: OidcConfig, options: SingleSignOnOptions): SingleSignOn {
  const clientSecret = apiKeyFromFile(oidc.clientSecretFile);
  return new SingleSignOn({ ...oidc, clientSecret: () => clientSecret.current().value }, options);
}
