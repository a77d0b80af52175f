import 'server-only';
import { randomBytes } from 'node:crypto';
import { addressBlock } from '#lib/front/address-block.ts';
import { orRefuse } from '../database/database-failure.ts';
import { SHORT_LIVED_MS, type ShortLived, type ShortLivedName } from './short-lived.ts';

export const CHALLENGE_MAX_MS = SHORT_LIVED_MS.challenge;
const CHALLENGE_BYTES = 32;

export type ChallengePurpose = 'sign-in' | 'confirm' | 'register';

export interface ChallengeFor {
  readonly purpose: ChallengePurpose;
  /** Only the browser or session that asked can answer. */
  readonly owner: string;
}

/** Each is good for one answer. Both methods throw `ApiError` where the database fails. */
export class Challenges {
  readonly #kept: ShortLived;

  constructor(kept: ShortLived) {
    this.#kept = kept;
  }

  /** @returns 256 random bits in base64url */
  async make(purpose: ChallengePurpose, owner: string, address: string): Promise<string> {
    const challenge = randomBytes(CHALLENGE_BYTES).toString('base64url');
    await orRefuse(this.#kept.keep(nameOf(challenge, owner), purpose, addressBlock(address)));
    return challenge;
  }

  async take(challenge: string, { purpose, owner }: ChallengeFor): Promise<boolean> {
    return (await orRefuse(this.#kept.take(nameOf(challenge, owner)))) === purpose;
  }
}

function nameOf(challenge: string, owner: string): ShortLivedName {
  return { kind: 'challenge', of: JSON.stringify([challenge, owner]) };
}
