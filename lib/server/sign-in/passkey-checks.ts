// Checks what authenticators answer: a challenge is good for one answer of the browser or session that asked, and the count
// of a passkey never goes back. Only the log has the reason of a refusal.
import 'server-only';
import { randomBytes } from 'node:crypto';
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { isoBase64URL } from '@simplewebauthn/server/helpers';
import type { Logger } from 'pino';
import { ApiError, isApiError } from '#lib/api/error-code.ts';
import type { Assertion, Attestation } from '#lib/api/people/passkey.ts';
import { addressBlock } from '#lib/front/client-address.ts';
import type { Database } from '../database/database.ts';
import { DatabaseFailure } from '../database/database-failure.ts';
import { digest } from './digest.ts';
import type { OperatorEntry, Operators } from './operators.ts';
import type { RelyingParty, RelyingPartyResult } from './relying-party.ts';
import type { SessionOrigin } from './session.ts';
import type { Sessions } from './sessions.ts';
import { SHORT_LIVED_MS, type ShortLived, type ShortLivedName } from './short-lived.ts';
import type { SignInThrottle } from './sign-in-throttle.ts';

type Passkey = OperatorEntry['passkeys'][number];

export type PasskeySignInResult =
  | { readonly kind: 'signed-in'; readonly operator: string; readonly sessionId: string }
  | { readonly kind: 'refused'; readonly operator: string | undefined }
  | { readonly kind: 'wait'; readonly operator: string | undefined; readonly seconds: number };

export interface PasskeyChecksOptions {
  readonly operators: Operators;
  readonly registry: Sessions;
  readonly throttle: SignInThrottle;
  readonly counters: PasskeyCounts;
  readonly shortLived: ShortLived;
  readonly relyingParty: RelyingPartyResult;
  readonly log: Logger;
}

export class PasskeyChecks {
  readonly #options: PasskeyChecksOptions;
  readonly #challenges: Challenges;

  constructor(options: PasskeyChecksOptions) {
    this.#options = options;
    this.#challenges = new Challenges(options.shortLived);
  }

  get #party(): RelyingParty {
    const { relyingParty } = this.#options;
    if ('problem' in relyingParty) throw new ApiError('not_possible', relyingParty.problem);
    return relyingParty;
  }

  /** @param passkeys that may answer; any if empty */
  async assertionOptions({ purpose, owner }: ChallengeFor, address: string, passkeys: readonly Passkey[] = []) {
    const { id: rpID } = this.#party;
    return generateAuthenticationOptions({
      rpID,
      challenge: isoBase64URL.toBuffer(await this.#challenges.make(purpose, owner, address)),
      timeout: CHALLENGE_MAX_MS,
      userVerification: 'required',
      allowCredentials: passkeys.map(({ id, transports }) => ({ id, transports })),
    });
  }

  async attestationOptions(owner: string, address: string, { name, passkeys }: OperatorEntry) {
    const { id: rpID } = this.#party;
    return generateRegistrationOptions({
      rpName: 'Lookout',
      rpID,
      userName: name,
      userDisplayName: name,
      userID: isoBase64URL.toBuffer(userHandle(name)),
      challenge: isoBase64URL.toBuffer(await this.#challenges.make('register', owner, address)),
      timeout: CHALLENGE_MAX_MS,
      attestationType: 'none',
      excludeCredentials: passkeys.map(({ id, transports }) => ({ id, transports })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
  }

  /** @throws ApiError for an invalid answer */
  async registered(owner: string, attestation: Attestation): Promise<Omit<Passkey, 'name' | 'added_at'>> {
    const { id: expectedRPID, origin: expectedOrigin } = this.#party;
    const { registrationInfo } = await verifyRegistrationResponse({
      response: { ...attestation, clientExtensionResults: {}, response: { ...attestation.response, transports: [] } },
      expectedChallenge: (challenge) => this.#challenges.take(challenge, { purpose: 'register', owner }),
      expectedOrigin,
      expectedRPID,
      requireUserVerification: true,
    }).catch((error: unknown) => this.#unverified(error));
    if (!registrationInfo)
      throw new ApiError(
        'bad_body',
        'This passkey could not be checked: it was made too long ago or elsewhere. Add it again.',
      );
    const { id, publicKey, counter } = registrationInfo.credential;
    if (this.#ownerOf(id)) throw new ApiError('not_possible', 'This passkey belongs to an operator already.');
    await this.#options.counters.begin(id, counter);
    return { id, public_key: isoBase64URL.fromBuffer(publicKey), transports: attestation.response.transports };
  }

  /** Every failure has the same result. */
  async signIn(owner: string, assertion: Assertion, origin: SessionOrigin): Promise<PasskeySignInResult> {
    const { operators, throttle, registry } = this.#options;
    await operators.caughtUp();
    const entry = this.#ownerOf(assertion.id);
    const operator = entry?.name;
    const attempt = { account: `passkey ${digest(assertion.id)}`, address: origin.address, browser: undefined };
    const { waitS } = await throttle.admit(attempt);
    if (waitS > 0) return { kind: 'wait', operator, seconds: waitS };
    if (!(await this.verified({ purpose: 'sign-in', owner }, assertion, entry)) || operator === undefined)
      return { kind: 'refused', operator };
    await throttle.succeeded(attempt);
    const by = { source: 'passkey', operatorId: operator, credential: assertion.id } as const;
    return { kind: 'signed-in', operator, sessionId: await registry.open(by, origin) };
  }

  async verified(what: ChallengeFor, assertion: Assertion, entry: OperatorEntry | undefined): Promise<boolean> {
    const { id: expectedRPID, origin: expectedOrigin } = this.#party;
    const passkey = entry?.passkeys.find(({ id }) => id === assertion.id);
    if (!entry || !passkey) return false;
    const { userHandle: handle, ...response } = assertion.response;
    if (handle !== undefined && handle !== userHandle(entry.name)) return false;
    const answer = await verifyAuthenticationResponse({
      response: { ...assertion, clientExtensionResults: {}, response },
      expectedChallenge: (challenge) => this.#challenges.take(challenge, what),
      expectedOrigin,
      expectedRPID,
      // `counters` compares and writes atomically.
      credential: { id: passkey.id, publicKey: isoBase64URL.toBuffer(passkey.public_key), counter: 0 },
      requireUserVerification: true,
    }).catch((error: unknown) => this.#unverified(error));
    if (!answer.verified || !answer.authenticationInfo) return false;
    if (this.#ownerOf(passkey.id)?.name !== entry.name) return false;
    const { counters, log } = this.#options;
    const count = await counters.advance(passkey.id, answer.authenticationInfo.newCounter);
    const said = { operator: entry.name, passkey: passkey.name };
    if (count === 'went-back') log.warn(said, 'a passkey was refused whose count went back: it may have been copied');
    if (count === 'restarted')
      log.warn(
        said,
        'the last count of a passkey is lost and restarts: an earlier copy of the passkey cannot be detected',
      );
    return count !== 'went-back';
  }

  #ownerOf(passkeyId: string): OperatorEntry | undefined {
    return this.#options.operators.all().find(({ passkeys }) => passkeys.some(({ id }) => id === passkeyId));
  }

  /** Logs why an answer does not hold: only the log has the problem. */
  #unverified(error: unknown) {
    // A challenge that the database could not give is no fault of the answer.
    if (isApiError(error) || error instanceof DatabaseFailure) throw error;
    const reason = error instanceof Error ? error.message.slice(0, 200) : 'unknown';
    this.#options.log.info({ reason }, 'what an authenticator answered does not hold');
    return { verified: false, registrationInfo: undefined, authenticationInfo: undefined } as const;
  }
}

/** The user handle, the same for all passkeys of an operator. */
function userHandle(operatorId: string): string {
  return digest(`Lookout operator ${operatorId}`);
}

export const CHALLENGE_MAX_MS = SHORT_LIVED_MS.challenge;
const CHALLENGE_BYTES = 32;

export type ChallengePurpose = 'sign-in' | 'confirm' | 'register';

export interface ChallengeFor {
  readonly purpose: ChallengePurpose;
  /** Only the browser or session that asked can answer. */
  readonly owner: string;
}

/** Challenges, each good for one answer. Both methods reject with a `DatabaseFailure`. */
export class Challenges {
  readonly #kept: ShortLived;

  constructor(kept: ShortLived) {
    this.#kept = kept;
  }

  /** @returns 256 random bits in base64url */
  async make(purpose: ChallengePurpose, owner: string, address: string): Promise<string> {
    const challenge = randomBytes(CHALLENGE_BYTES).toString('base64url');
    await this.#kept.keep(nameOf(challenge, owner), purpose, addressBlock(address));
    return challenge;
  }

  async take(challenge: string, { purpose, owner }: ChallengeFor): Promise<boolean> {
    return (await this.#kept.take(nameOf(challenge, owner))) === purpose;
  }
}

function nameOf(challenge: string, owner: string): ShortLivedName {
  return { kind: 'challenge', of: JSON.stringify([challenge, owner]) };
}

/**
 * - `advanced`: higher, or 0 again of a passkey that does not count.
 * - `went-back`: not higher: perhaps a copied passkey. The last count stays.
 * - `restarted`: the last one is lost.
 */
export type PasskeyCount = 'advanced' | 'went-back' | 'restarted';

/** The counts of passkeys. Those shared by devices report 0. Both methods reject with a `DatabaseFailure`. */
export class PasskeyCounts {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async begin(id: string, count: number): Promise<void> {
    await this.#database.query
      .insertInto('passkey_count')
      .values({ id_digest: digest(id), count })
      .onConflict((conflict) => conflict.column('id_digest').doUpdateSet({ count }))
      .execute();
  }

  /** Compares and writes in one step: of two answers with the same count, one is `advanced`. */
  advance(id: string, count: number): Promise<PasskeyCount> {
    const id_digest = digest(id);
    return this.#database.change(async (query) => {
      const last = await query
        .selectFrom('passkey_count')
        .select('count')
        .where('id_digest', '=', id_digest)
        .executeTakeFirst();
      if (last === undefined) {
        await query.insertInto('passkey_count').values({ id_digest, count }).execute();
        return 'restarted';
      }
      if (count <= last.count && (count > 0 || last.count > 0)) return 'went-back';
      await query.updateTable('passkey_count').set({ count }).where('id_digest', '=', id_digest).execute();
      return 'advanced';
    });
  }
}
