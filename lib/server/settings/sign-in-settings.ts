import 'server-only';
import { z } from 'zod';
import { isLoopbackHost } from '../sign-in/loopback-host.ts';
import { type RelyingPartyResult, relyingParty } from '../sign-in/relying-party.ts';
import { type NetworkSettings, publicOrigin } from './network-settings.ts';
import { oneOrNothing, optionalText, type SettingProblem } from './setting-forms.ts';

export const signInSettings = z.object({
  /** Seals the session cookie, 32 characters or more; default: generated and stored in the database. */
  SESSION_SECRET: optionalText.refine((text) => text === undefined || text.length >= 32, {
    error: 'must have at least 32 characters; make one with: openssl rand -base64 32',
  }),
  /** `1`: operators sign in by passkey. A password only opens the page that adds one. */
  REQUIRE_PASSKEYS: oneOrNothing,
});

type SignInSettings = z.infer<typeof signInSettings>;
type PasskeySettings = SignInSettings & Pick<NetworkSettings, 'PUBLIC_URL' | 'HOST' | 'PORT'>;
interface EmbeddedSetting {
  readonly POSITIONS_EMBEDDED?: string | undefined;
}

export interface SignInConfig {
  /** `undefined` if no sign-in is needed. */
  readonly signInReason: string | undefined;
  readonly relyingParty: RelyingPartyResult;
  readonly requirePasskeys: boolean;
  readonly sessionSecret: string | undefined;
}

export function* passkeyProblems(settings: PasskeySettings): Generator<SettingProblem<PasskeySettings>> {
  if (!settings.REQUIRE_PASSKEYS) return;
  const { PUBLIC_URL: address } = settings;
  if (address !== undefined && !URL.canParse(address)) return;
  const party = relyingParty(publicOrigin(settings), settings.HOST, settings.PORT);
  if ('problem' in party) yield ['REQUIRE_PASSKEYS', `keeps everybody out here. ${party.problem}`];
}

export function signInConfig(settings: PasskeySettings & EmbeddedSetting): SignInConfig {
  return {
    signInReason: signInReason(settings),
    relyingParty: relyingParty(publicOrigin(settings), settings.HOST, settings.PORT),
    requirePasskeys: settings.REQUIRE_PASSKEYS,
    sessionSecret: settings.SESSION_SECRET,
  };
}

function signInReason({
  POSITIONS_EMBEDDED: embedded,
  HOST: host,
  PUBLIC_URL: address,
}: PasskeySettings & EmbeddedSetting) {
  if (embedded === undefined) return 'a real upstream needs operators to sign in';
  if (!isLoopbackHost(host)) return `HOST=${host} can be reached from other machines`;
  if (address === undefined || isLoopbackHost(new URL(address).hostname)) return undefined;
  return `PUBLIC_URL=${address} can be reached from other machines`;
}
