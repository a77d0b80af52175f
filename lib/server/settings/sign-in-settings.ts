import 'server-only';
import { z } from 'zod';
import { isLoopbackHost } from '../http/loopback-host.ts';
import { type RelyingPartyResult, relyingParty } from '../session/passkeys/relying-party.ts';
import { type NetworkSettings, publicOrigin } from './network-settings.ts';
import { oneOrNothing, optionalText, type SettingProblem, unreadable } from './setting-forms.ts';

/** How people of the file sign in. */
export const signInSettings = z.object({
  /** Seals the session cookie; if not set, generated once and stored in DATA_DIR. */
  SESSION_SECRET: optionalText.refine((text) => text === undefined || text.length >= 32, {
    error: 'must have at least 32 characters; make one with: openssl rand -base64 32',
  }),
  OPERATORS_FILE: optionalText,
  /** Whether operators of the file have to sign in by passkey. */
  REQUIRE_PASSKEYS: oneOrNothing,
});

type SignInSettings = z.infer<typeof signInSettings>;
/** Where passkeys can be used is a matter of Lookout's address. */
type PasskeySettings = SignInSettings & Pick<NetworkSettings, 'PUBLIC_URL' | 'HOST' | 'PORT'>;
type WayInSettings = SignInSettings & {
  readonly HOST: string;
  readonly OIDC_ISSUER?: string | undefined;
  readonly POSITIONS_EMBEDDED?: string | undefined;
};

export interface SignInConfig {
  /** Whether people sign in, by the file of operators or at a provider; nobody does only over the embedded service, on loopback. */
  readonly hasSignIn: boolean;
  readonly operatorsFile: string | undefined;
  /** Where passkeys can be used, and whether operators of the file have to. */
  readonly relyingParty: RelyingPartyResult;
  readonly requirePasskeys: boolean;
  readonly sessionSecret: string | undefined;
}

export function* passkeyProblems(settings: PasskeySettings): Generator<SettingProblem<PasskeySettings>> {
  if (!settings.REQUIRE_PASSKEYS) return;
  if (settings.OPERATORS_FILE === undefined)
    yield ['REQUIRE_PASSKEYS', 'is for operators of the file and has no effect without OPERATORS_FILE'];
  const { PUBLIC_URL: address } = settings;
  if (address !== undefined && !URL.canParse(address)) return;
  const party = relyingParty(publicOrigin(settings), settings.HOST, settings.PORT);
  if ('problem' in party) yield ['REQUIRE_PASSKEYS', `keeps everybody out here. ${party.problem}`];
}

/** Nobody has to sign in over the embedded service alone, and on this machine. */
export function* signInProblems(settings: WayInSettings): Generator<SettingProblem<WayInSettings>> {
  const { OPERATORS_FILE: file, OIDC_ISSUER: issuer, HOST: host, POSITIONS_EMBEDDED: embedded } = settings;
  if (file !== undefined) {
    const problem = unreadable(file);
    if (problem) yield ['OPERATORS_FILE', problem];
    return;
  }
  if (issuer !== undefined) return;
  const make =
    'make a file of operators with: npm run operator -- add NAME, and set OPERATORS_FILE to it, or set OIDC_ISSUER';
  if (embedded === undefined)
    yield ['OPERATORS_FILE', `is not set, and a real upstream needs people to sign in; ${make}`];
  else if (!isLoopbackHost(host))
    yield ['OPERATORS_FILE', `is not set, and HOST=${host} can be reached from other machines; ${make}`];
}

/** Of settings without a problem. */
export function signInConfig(settings: PasskeySettings & Pick<WayInSettings, 'OIDC_ISSUER'>): SignInConfig {
  return {
    hasSignIn: settings.OPERATORS_FILE !== undefined || settings.OIDC_ISSUER !== undefined,
    operatorsFile: settings.OPERATORS_FILE,
    relyingParty: relyingParty(publicOrigin(settings), settings.HOST, settings.PORT),
    requirePasskeys: settings.REQUIRE_PASSKEYS,
    sessionSecret: settings.SESSION_SECRET,
  };
}
