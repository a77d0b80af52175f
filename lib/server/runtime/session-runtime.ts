import 'server-only';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { Accounts } from '../accounts/accounts.ts';
import { Passkeys } from '../accounts/passkeys.ts';
import { counts } from '../counts/counts.ts';
import { EmbeddedShortLived } from '../embedded/embedded-short-lived.ts';
import { EmbeddedTallies } from '../embedded/embedded-tallies.ts';
import type { FleetStores } from '../fleet/fleet-stores.ts';
import type { SessionSecret } from '../ports/session-secret.ts';
import type { Sessions } from '../ports/sessions.ts';
import { SingleSignOn, type SingleSignOnOptions } from '../session/oidc/single-sign-on.ts';
import { Operators } from '../session/operators.ts';
import { PasskeyChecks } from '../session/passkeys/passkey-checks.ts';
import { PasskeyCounters } from '../session/passkeys/passkey-counters.ts';
import { SESSIONS_FILE, SessionRegistry } from '../session/session-registry.ts';
import { fixedSessionSecret, keptSessionSecret } from '../session/session-secret.ts';
import { SignIn } from '../session/sign-in.ts';
import { SignInThrottle } from '../session/sign-in-throttle.ts';
import type { OidcConfig } from '../settings/oidc-settings.ts';
import { requireWholeDatabase } from '../stores/open-or-renew.ts';
import { apiKeyFromFile } from '../upstream/api-key.ts';
import type { UpstreamClock } from '../upstream/upstream-clock.ts';
import type { Ground } from './ground.ts';

/** Sign-in and accounts. */
export interface SessionRuntime {
  readonly operators: Operators;
  readonly registry: Sessions;
  readonly signIn: SignIn;
  readonly accounts: Accounts;
  readonly passkeys: Passkeys;
  readonly passkeyChecks: PasskeyChecks;
  /** `undefined` where no provider is set. */
  readonly singleSignOn: SingleSignOn | undefined;
  readonly secret: SessionSecret;
  /**
   * Session ids of cookies whose session was open when it was checked last: opening a cookie takes longer than the rest of a poll. Every request
   * checks the session all the same.
   */
  readonly openedCookies: LRUCache<string, string>;
}

/** Ten times the viewers of the largest fleet that was measured; 4 MB. */
const OPENED_COOKIES_MAX = 10_000;
/** Longer than any pause between the polls of an open page. */
const OPENED_COOKIES_TTL_MS = 5 * MINUTE_MS;

export function sessionRuntime(
  { config, log, now, wallNow, health, renewable }: Ground,
  fleet: FleetStores | undefined,
  clock: UpstreamClock,
): SessionRuntime | undefined {
  const { hasSignIn, operatorsFile, oidc, relyingParty, requirePasskeys: isRequired } = config;
  if (!hasSignIn) return undefined;
  const operators = new Operators(operatorsFile, log);
  const secret =
    config.sessionSecret === undefined && fleet
      ? fleet.secret
      : fixedSessionSecret(config.sessionSecret ?? renewable('session-secret', keptSessionSecret));
  const registry =
    fleet?.sessions ??
    renewable(SESSIONS_FILE, (file) => {
      requireWholeDatabase(file);
      return new SessionRegistry(file, wallNow, health);
    });
  const shortLived = fleet?.shortLived ?? new EmbeddedShortLived(now);
  const tallies = fleet?.tallies ?? new EmbeddedTallies();
  // Servers that share tallies have the wall clock in common.
  const throttleNow = fleet ? wallNow : now;
  const throttle = new SignInThrottle(tallies, throttleNow);
  const signIn = new SignIn(operators, registry, throttle, wallNow, isRequired);
  const counters = fleet?.passkeyCounts ?? new PasskeyCounters(join(config.dataDir, SESSIONS_FILE));
  const passkeyChecks = new PasskeyChecks({ operators, registry, throttle, counters, shortLived, relyingParty, log });
  const spent = () => counts().today.read(clock.now());
  const accounts = new Accounts({
    operators,
    registry,
    signIn,
    requiresPasskeys: isRequired,
    spent,
    isSpentWhole: counts().today.isWhole,
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
